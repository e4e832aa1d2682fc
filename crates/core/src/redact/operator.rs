//! What joins a name and its value, and what a declaration says between them.

use super::cells::{is_cookie, is_row_of_two, last_of_row, table_cell};
use super::heads::{below_names_and_values, value_in_column};
use super::protocol::is_command;
use super::quotes::{escaped_quote, quote};
use super::scan::Segment;
use super::schemes::scheme;
use super::surroundings::{NAME, PREFIX, leads, name_byte, skip_blanks};
use crate::byte_set::among;

/// What opens a section of characters, which goes on to `]]>`.
pub(super) const CDATA: &[u8] = b"<![CDATA[";

/// What joins a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equals,
    Colon,
    /// A comma between two quoted strings.
    Comma,
    /// A blank, after a command line's flag, in `.netrc`, behind `#define`.
    Blank,
    /// The `>` of an XML element.
    Element,
    /// `==`, with a string behind it.
    Compare,
    /// The border between two cells of a table.
    Cell,
    /// The name is the value of `name`, and the value that of `value`: `{"name": "TOKEN", "value": "…"}`.
    Pair,
    /// An equals sign in the notation of URLs.
    Escaped,
}

/// The operator behind the name that ends at `name_end`, and where the value begins.
pub(super) fn operator(
    segment: &Segment<'_>,
    name_end: usize,
    name_start: impl Fn() -> usize,
) -> Option<(Operator, usize)> {
    let mut at = name_end;
    let mut closed = false;
    // Markdown: `**Password**: …`, `| **Token** | …`.
    if segment.part(at, at + 2) == b"**" {
        at += 2;
    }
    let name_end = at;
    while segment.byte(at) == b'\\' && at - name_end < 4 && escaped_quote(segment, at).is_none() {
        at += 1;
    }
    if quote(segment.byte(at)) {
        closed = true;
        at += 1;
    } else if at != name_end && !(at == name_end + 1 && segment.byte(at) == b'=') {
        return None;
    } else if let Some(mark) = escaped_quote(segment, at) {
        closed = true;
        at += mark.len();
    }
    at += visibility(segment, at);
    // CEF and properties write it so: `password\\=…`.
    if at == name_end + 1 && segment.byte(at - 1) == b'\\' && segment.byte(at) == b'=' && segment.byte(at + 1) > b' ' {
        return Some((Operator::Equals, at + 1));
    }
    let bracket = matches!(segment.byte(at), b']' | b')');
    if bracket {
        at += 1;
    }
    let blanks = at;
    // Terraform and its like set all signs of a resource below each other.
    at = skip_blanks(segment, at, 64);
    let spaced = at > blanks;
    let behind = |end: usize| skip_blanks(segment, end, 16);
    // A setting's value may begin with any sign, as in `DB_PASSWORD==x9`; code has blanks, quotes or small letters.
    let setting = || {
        !spaced
            && !closed
            && !bracket
            && (segment.before(name_end).is_ascii_uppercase() || leads(segment, name_start()))
    };
    let joined = |at: usize| segment.byte(at) > b' ' && !quote(segment.byte(at));
    let strict = segment.part(at, at + 3) == b"===";
    if matches!(segment.byte(name_end), b';' | b']')
        && let Some(value) = announced_variable(segment, name_start(), name_end)
    {
        return Some((Operator::Blank, value));
    }
    match segment.byte(at) {
        b'=' if matches!(segment.byte(at + 1), b'=' | b'~' | b'>') && !strict && setting() && joined(at + 2) => {
            Some((Operator::Equals, at + 1))
        }
        b'=' => match segment.byte(at + 1) {
            b'=' => {
                let value = behind(at + 2 + usize::from(segment.byte(at + 2) == b'='));
                quote(segment.byte(value)).then_some((Operator::Compare, value))
            }
            b'~' => None,
            // What a call gives is no value of its argument.
            b'>' if segment.before(blanks) == b')' => None,
            b'>' => Some((Operator::Equals, behind(at + 2))),
            _ => Some((Operator::Equals, behind(at + 1))),
        },
        b'!' if segment.byte(at + 1) == b'=' => {
            let value = behind(at + 2 + usize::from(segment.byte(at + 2) == b'='));
            quote(segment.byte(value)).then_some((Operator::Compare, value))
        }
        b':' => {
            let mut end = at + 1;
            while segment.byte(end) == b':' && end - at < 4 {
                end += 1;
            }
            match segment.byte(end) {
                b'=' => Some((Operator::Equals, behind(end + 1))),
                // A hidden field of Jsonnet.
                b' ' if end == at + 2 && quote(segment.byte(end + 1)) => Some((Operator::Colon, end + 1)),
                _ if end > at + 1 => None,
                _ => Some((Operator::Colon, skip_blanks(segment, end, 64))),
            }
        }
        b'?' | b'|' | b'+' if matches!(segment.byte(at + 1), b'=' | b'|') => {
            let end = if segment.byte(at + 1) == b'|' { at + 3 } else { at + 2 };
            (segment.before(end) == b'=').then(|| (Operator::Equals, behind(end)))
        }
        // `std::string password{"…"}`, `setPassword("…")`
        b'{' if !closed && !spaced && quote(segment.byte(at + 1)) => Some((Operator::Equals, at + 1)),
        b'(' if !closed
            && !spaced
            && quote(segment.byte(at + 1))
            && (is_setter(segment, name_start()) || is_method(segment, name_start(), name_end, at + 1))
            && is_only_argument(segment, at + 1) =>
        {
            Some((Operator::Equals, at + 1))
        }
        b'%' if segment.part(at, at + 3).eq_ignore_ascii_case(b"%3d") => Some((Operator::Escaped, at + 3)),
        b'%' if segment.part(at, at + 3).eq_ignore_ascii_case(b"%3a") => {
            let value = if matches!(segment.part(at + 3, at + 6), b"%20") { at + 6 } else { at + 3 };
            escaped_quote(segment, value).map(|_| (Operator::Colon, value))
        }
        // `SMTP_PASSWORD,…` below `name,value`.
        b',' if !closed && !bracket && segment.line(name_end).0 == name_start() && !spaced => {
            below_names_and_values(segment, name_end).then_some((Operator::Cell, at + 1))
        }
        // `{password,<<"…">>}`, `{:password, ~c"…"}`
        b',' if !closed && !bracket && opens_tuple(segment, name_start()) => {
            let value = behind(at + 1);
            let marks = [&b"<<"[..], b"~c", b"~s"];
            let marked = marks.iter().any(|mark| segment.part(value, value + 2) == *mark);
            let value = if marked { value + 2 } else { value };
            (segment.byte(value) == b'"').then_some((Operator::Pair, value))
        }
        b'<' if spaced && !closed && segment.part(at, at + 4) == b"<<< " && quote(segment.byte(at + 4)) => {
            Some((Operator::Pair, at + 4))
        }
        b',' if closed && !bracket => {
            let value = behind(at + 1);
            if let Some(value) = paired(segment, value) {
                return Some((Operator::Pair, value));
            }
            let flag = segment.byte(name_start()) == b'-';
            if flag && is_argument(segment, name_start(), value) {
                return Some((Operator::Pair, value));
            }
            let below = flag && segment.line_end(at) <= value;
            (quote(segment.before(name_start())) && (quote(segment.byte(value)) || below))
                .then_some((Operator::Comma, value))
        }
        b',' if !bracket => {
            let ahead = segment.part(name_start().saturating_sub(16), name_start()).trim_ascii_end();
            let named = [&b"name:"[..], b"Name:", b"key:", b"Key:", b"Key=", b"Name=", b"key=", b"name="];
            let value = paired(segment, behind(at + 1))?;
            named.iter().any(|word| ahead.ends_with(word)).then_some((Operator::Pair, value))
        }
        // `s:9:"api_token";s:40:"…";`
        b';' if closed && !spaced => serialized(segment, at + 1).map(|value| (Operator::Equals, value)),
        // `(?P<secret>…)` is a group of an expression.
        b'>' if opens_element(segment, name_start()) => {
            let group = matches!(segment.before(name_start() - 1), b'P' | b'?');
            (!group).then_some((Operator::Element, innermost(segment, at + 1)))
        }
        b'>' if closed && quote(segment.before(name_start())) => Some((Operator::Element, innermost(segment, at + 1))),
        // `<td>password</td>`, and the value in a cell on the line below.
        b'<' if matches!(segment.part(at, segment.line_end(at)).trim_ascii_end(), b"</td>" | b"</th>" | b"</dt>") => {
            Some((Operator::Element, segment.line_end(at)))
        }
        // `<td>password</td><td>…</td>`
        b'<' if matches!(segment.part(at, at + 5), b"</td>" | b"</th>") => {
            let rest = segment.part(at + 5, segment.line_end(at).min(at + 96));
            let cell = memchr::memmem::find(rest, b"<td")?;
            let close = memchr::memchr(b'>', rest.get(cell..)?)?;
            Some((Operator::Element, at + 5 + cell + close + 1))
        }
        // `<label>API secret</label> <code>…</code>`
        b'<' if !closed
            && !bracket
            && [&b"</label>"[..], b"</dt>", b"</span>", b"</strong>", b"</b>"]
                .iter()
                .any(|tag| segment.part(at, at + tag.len()) == *tag) =>
        {
            behind_label(segment, at).map(|value| (Operator::Element, value))
        }
        b'<' if !closed && !spaced => {
            // `<name>password</name><value>…</value>`
            let rest = segment.part(at, segment.line_end(at).min(at + 48));
            let value = [&b"value>"[..], b"string>"]
                .iter()
                .find_map(|tag| memchr::memmem::find(rest, tag).map(|found| found + tag.len()))?;
            rest.starts_with(b"</").then_some((Operator::Element, at + value))
        }
        // The signs of East Asian scripts.
        0xEF if [&b"\xEF\xBC\x9A"[..], b"\xEF\xBC\x9D"].contains(&segment.part(at, at + 3)) => {
            Some((Operator::Colon, behind(at + 3)))
        }
        // A value of the registry, behind its type.
        b'R' if spaced && !closed && segment.part(at, at + 4) == b"REG_" => {
            let kinds = [&b"REG_SZ "[..], b"REG_EXPAND_SZ ", b"REG_MULTI_SZ "];
            let kind = kinds.iter().find(|kind| segment.part(at, at + kind.len()) == **kind);
            kind.map(|kind| (Operator::Blank, behind(at + kind.len())))
        }
        // `/prod/db/password`, a tab and the value, which ends the line; the last two columns of a file of cookies.
        _ if segment.byte(name_end) == b'\t'
            && (segment.before(name_start()) == b'/' || is_cookie(segment, name_start())) =>
        {
            let rest = segment.part(at, segment.line_end(at));
            let word = rest.iter().all(|b| b.is_ascii_alphabetic() || *b == b' ');
            (!word && !rest.contains(&b'\t')).then_some((Operator::Blank, at))
        }
        _ if segment.byte(name_end) == b'\t' && segment.line(name_end).0 == name_start() => {
            last_of_row(segment, name_start(), name_end).map(|value| (Operator::Blank, value))
        }
        b'a'..=b'z' if closed && spaced => {
            let value = paired(segment, at).or_else(|| value_of_tag(segment, name_start(), at));
            value.map(|value| (Operator::Pair, value))
        }
        b'|' if spaced && !closed => table_cell(segment, name_start()).then(|| (Operator::Cell, behind(at + 1))),
        b'|' if !closed && !bracket && segment.line(name_end).0 == name_start() => Some((Operator::Cell, at + 1)),
        0xE2 if spaced && segment.part(at, at + 3) == "│".as_bytes() => Some((Operator::Cell, behind(at + 3))),
        _ if spaced && opens_element(segment, name_start()) => {
            let rest = segment.part(at, segment.line_end(at).min(at + 256));
            let end = memchr::memchr(b'>', rest)?;
            Some((Operator::Element, at + end + 1))
        }
        byte if spaced && !closed && !matches!(byte, b'-' | b'\n' | b'\r') && is_flag(segment, name_start()) => {
            Some((Operator::Blank, at))
        }
        // Strings beside each other, as clients log the words of a command.
        b'"' if spaced && closed && quote(segment.before(name_start())) && !bracket => Some((Operator::Comma, at)),
        b'"' | b'\'' if spaced && !closed && !bracket && is_statement(segment, at, name_start()) => {
            Some((Operator::Blank, at))
        }
        // A keyword of Lisp and its value: `{:user "app" :password "…"}`.
        b'"' if spaced && !closed && !bracket && segment.before(name_start()) == b':' => Some((Operator::Blank, at)),
        _ if spaced && !closed && !bracket && is_command(segment, name_start(), name_end, at) => {
            Some((Operator::Blank, at))
        }
        _ if at > blanks + 1 && !closed && !bracket => {
            let row = is_row_of_two(segment, name_start(), at).then_some(at);
            row.or_else(|| value_in_column(segment, name_start())).map(|value| (Operator::Cell, value))
        }
        _ => None,
    }
}

/// Where the text begins of the element behind the label that ends at `at`, if it is one word with a figure in it.
fn behind_label(segment: &Segment<'_>, at: usize) -> Option<usize> {
    let rest = segment.part(at, segment.line_end(at).min(at + 256));
    let close = memchr::memchr(b'>', rest)? + 1;
    let open = close + rest.get(close..)?.iter().take_while(|b| among!(**b, b" :")).count();
    let tag = rest.get(open..)?.strip_prefix(b"<").filter(|tag| tag.first().is_some_and(u8::is_ascii_alphabetic))?;
    let value = open + 1 + memchr::memchr(b'>', tag)? + 1;
    let text = rest.get(value..)?;
    let text = text.get(..memchr::memchr(b'<', text)?)?;
    let one = text.iter().any(u8::is_ascii_digit) && !text.iter().any(u8::is_ascii_whitespace);
    one.then_some(at + value)
}

/// Whether the name at `name` is that of an element whose tag begins there, with the name of a space before it perhaps.
fn opens_element(segment: &Segment<'_>, name: usize) -> bool {
    if segment.before(name) != b':' {
        return segment.before(name) == b'<';
    }
    let ahead = segment.part(name.saturating_sub(24).max(segment.low), name - 1);
    let space = ahead.iter().rev().take_while(|b| b.is_ascii_alphanumeric()).count();
    space > 0 && ahead.len() > space && ahead.get(ahead.len() - space - 1) == Some(&b'<')
}

/// Whether the name at `name` is the first of a tuple of Erlang or Elixir: `{name, `, `{:name, `.
fn opens_tuple(segment: &Segment<'_>, name: usize) -> bool {
    segment.before(name) == b'{' || segment.part(name.saturating_sub(2).max(segment.low), name) == b"{:"
}

/// Whether nothing is assigned to the name: the next member follows the sign and a blank (`user=app password= host=db`,
/// `{User:app Password: Pool:5}`), or the message of a variable that must be set (`${DB_PASSWORD:?missing}`).
pub(super) fn is_empty(segment: &Segment<'_>, name: usize, name_end: usize, value: usize) -> bool {
    if segment.part(name.saturating_sub(2), name) == b"${"
        && matches!(segment.part(name_end, name_end + 2), b":?" | [b'?', _])
    {
        return true;
    }
    let sign = segment.byte(name_end);
    if !matches!(sign, b'=' | b':') || value != name_end + 2 || segment.byte(name_end + 1) != b' ' {
        return false;
    }
    let (line, line_end) = segment.line(name);
    let member = |text: &[u8]| {
        let length = text.iter().take_while(|b| name_byte(**b)).count();
        length > 1
            && text.get(length) == Some(&sign)
            && text.get(length + 1).is_some_and(|b| b.is_ascii_alphanumeric() || quote(*b))
    };
    let ahead = segment.part(line.max(name.saturating_sub(96)), name).strip_suffix(b" ").unwrap_or_default();
    let before = ahead.rsplit(|b| b.is_ascii_whitespace() || among!(*b, b"{[")).next().unwrap_or_default();
    let rest = segment.part(value, line_end.min(value + 96));
    let next = rest.iter().position(|b| *b == b' ').and_then(|blank| rest.get(blank + 1..)).unwrap_or_default();
    member(rest) && (member(before) || sign == b'=' && member(next))
}

/// Whether the string at `value` is the argument of the flag before it in a list of words: `["--password", "…"]`. A call
/// would say what the flag is for.
fn is_argument(segment: &Segment<'_>, flag: usize, value: usize) -> bool {
    let (line, _) = segment.line(flag);
    let ahead = segment.part(line.max(flag.saturating_sub(512)), flag);
    let list = ahead.iter().rposition(|b| among!(*b, b"[(")).is_some_and(|open| ahead.get(open) == Some(&b'['));
    list && quote(segment.byte(value)) && !matches!(segment.byte(value + 1), b'-' | b'<' | b'$')
}

/// How long the visibility of a member is that PHP prints behind its name: `["pass":protected]`, `[pass:Db:private]`.
fn visibility(segment: &Segment<'_>, at: usize) -> usize {
    if segment.byte(at) != b':' {
        return 0;
    }
    let rest = segment.part(at, segment.line_end(at).min(at + 96));
    let Some(end) = memchr::memchr(b']', rest) else { return 0 };
    let words = rest.get(..end).unwrap_or_default();
    let named = words.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b":\"\\_"));
    if named && (words.ends_with(b":protected") || words.ends_with(b":private")) { end } else { 0 }
}

/// Where the string begins that PHP serialised at `at`: `s:40:"…"`.
fn serialized(segment: &Segment<'_>, at: usize) -> Option<usize> {
    let digits = segment.part(at, (at + 12).min(segment.limit)).strip_prefix(b"s:")?;
    let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    let value = at + 2 + length + 1;
    let opens = quote(segment.byte(value)) || segment.byte(value) == b'\\';
    (length > 0 && segment.byte(value - 1) == b':' && opens).then_some(value)
}

/// Where the text begins of the element whose content begins at `value`: in `<Value>`, in a section of characters.
fn innermost(segment: &Segment<'_>, value: usize) -> usize {
    let rest = segment.part(value, (value + 16).min(segment.limit));
    let tag = [&b"<Value>"[..], b"<value>", CDATA].into_iter().find(|tag| rest.starts_with(tag));
    value + tag.map_or(0, <[u8]>::len)
}

/// Where the value of a member of the object begins that opens at `at`: `{"sensitive":true,"value":"…"}`.
pub(super) fn value_inside(segment: &Segment<'_>, at: usize, line_end: usize) -> Option<usize> {
    let rest = segment.part(at, line_end.min(at + 160));
    let rest = rest.get(..memchr::memchr(b'}', rest).unwrap_or(rest.len())).unwrap_or_default();
    if let Some(typed) = [&b"{\"S\":"[..], b"{\"S\" :"].into_iter().find(|typed| rest.starts_with(typed)) {
        return Some(skip_blanks(segment, at + typed.len(), 16));
    }
    let value = super::shape::find(rest, b"\"value\"").or_else(|| {
        let plain = rest.strip_prefix(b"{").unwrap_or(rest).trim_ascii_start();
        plain.starts_with(b"value:").then(|| rest.len() - plain.len())
    });
    paired(segment, at + value?)
}

/// Whether the name at `name` is that of a method that sets something: `setPassword`, `config.set_token`.
fn is_setter(segment: &Segment<'_>, name: usize) -> bool {
    let name = segment.part(name, (name + NAME).min(segment.limit));
    let name = name.split(|b| !name_byte(*b)).next().unwrap_or_default();
    let method = name.rsplit(|&b| b == b'.').next().unwrap_or_default();
    without_verb(method).len() < method.len()
}

/// The name of what a method sets: `Password` of `withPassword`, `api_key` of `client.set_api_key`.
pub(super) fn without_verb(name: &[u8]) -> &[u8] {
    let method = name.rsplit(|&b| b == b'.').next().unwrap_or_default();
    let verbs = [&b"set"[..], b"Set", b"with", b"With", b"use", b"Use", b"add", b"Add"];
    let behind = verbs.iter().find_map(|verb| method.strip_prefix(*verb));
    behind.filter(|rest| matches!(rest, [b'A'..=b'Z' | b'_', ..])).unwrap_or(name)
}

/// Whether the name is that of a method which is called on what another gave (`.password("…")`), or on an object with a
/// string that has a figure or a sign in it: `builder.password("…")`.
fn is_method(segment: &Segment<'_>, name: usize, name_end: usize, value: usize) -> bool {
    let figure = || {
        let rest = segment.part(value + 1, segment.line_end(value).min(value + 64));
        let text = rest.split(|b| *b == segment.byte(value)).next().unwrap_or_default();
        text.iter().any(|b| b.is_ascii_digit() || among!(*b, b"!$%&#@+")) && !text.iter().any(|b| among!(*b, b" /"))
    };
    segment.byte(name) == b'.' || segment.part(name, name_end).contains(&b'.') && figure()
}

/// Whether no other argument follows the string at `value`: `set_password("service", "user", …)` has its value elsewhere.
fn is_only_argument(segment: &Segment<'_>, value: usize) -> bool {
    let rest = segment.part(value + 1, segment.line_end(value));
    let close = memchr::memchr(segment.byte(value), rest).and_then(|at| rest.get(at + 1));
    close != Some(&b',')
}

/// Where the value of the tag begins that the name at `name` stands in, behind other attributes:
/// `<input name="pw" class="x" value="…">`.
fn value_of_tag(segment: &Segment<'_>, name: usize, at: usize) -> Option<usize> {
    let rest = segment.part(at, segment.line_end(at).min(at + 192));
    let rest = rest.get(..memchr::memchr(b'>', rest).unwrap_or(rest.len()))?;
    let ahead = segment.part(name.saturating_sub(160).max(segment.low), name);
    let inside = ahead.iter().rposition(|b| among!(*b, b"<>")).is_some_and(|tag| ahead.get(tag) == Some(&b'<'));
    let found = [&b" value="[..], b" content="].iter().find_map(|word| super::shape::find(rest, word).map(|at| at + 1));
    found.filter(|_| inside).and_then(|found| paired(segment, at + found))
}

/// Where the value begins if `value:` or `value=` stands at `at`: the other half of a pair.
pub(super) fn paired(segment: &Segment<'_>, at: usize) -> Option<usize> {
    let rest = segment.part(at, (at + 24).min(segment.limit));
    let skip = rest.iter().take_while(|b| quote(**b) || **b == b'\\').count();
    let word = rest.get(skip..)?;
    let word = word.strip_prefix(b"Parameter").or_else(|| word.strip_prefix(b"parameter")).unwrap_or(word);
    let named = |known: &&&[u8]| word.get(..known.len()).is_some_and(|word| word.eq_ignore_ascii_case(known));
    let tail = match [&b"value"[..], b"content", b"default"].iter().find(named) {
        Some(known) => word.get(known.len()..)?,
        None => word.strip_prefix(b"v").filter(|tail| tail.starts_with(b"\""))?,
    };
    let close = tail.iter().take_while(|b| quote(**b) || **b == b'\\' || **b == b' ').count();
    matches!(tail.get(close), Some(b':' | b'=')).then_some(())?;
    let behind = at + (rest.len() - tail.len()) + close + 1;
    Some(skip_blanks(segment, behind, 16))
}

/// Where the value below its name begins if the line at `start` is the other half of a pair.
pub(super) fn paired_line(segment: &Segment<'_>, start: usize) -> Option<usize> {
    let at = skip_blanks(segment, start, 64);
    let tags = [&b"<value"[..], b"<string", b"<Value", b"<td", b"<dd"];
    let Some(tag) = tags.into_iter().find(|tag| segment.part(at, at + tag.len()) == *tag) else {
        return paired(segment, at);
    };
    let rest = segment.part(at + tag.len(), segment.line_end(at).min(at + 96));
    let attributes = memchr::memchr(b'>', rest).filter(|close| *close == 0 || rest.first() == Some(&b' '))?;
    let text = rest.get(attributes + 1..)?;
    let drawn = [&b"<pre>"[..], b"<code>", b"<b>"].into_iter().find(|tag| text.starts_with(tag)).map_or(0, <[u8]>::len);
    Some(at + tag.len() + attributes + 1 + drawn)
}

/// Steps over the type in `password: str = "…"` and, as R prints it, in `password: chr "…"`.
pub(super) fn behind_type(
    segment: &Segment<'_>,
    operator: Operator,
    value: usize,
    line_end: usize,
) -> (Operator, usize) {
    if operator != Operator::Colon || quote(segment.byte(value)) {
        return (operator, value);
    }
    let rest = segment.part(value, line_end.min(value + 64));
    if rest.starts_with(b"chr \"") {
        return (Operator::Pair, value + 4);
    }
    let kind = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_<>[]&|' .:?")).count();
    if kind == 0
        || rest.get(kind) != Some(&b'=')
        || rest.get(kind + 1) == Some(&b'=')
        || rest.get(kind - 1) != Some(&b' ')
    {
        return (operator, value);
    }
    let behind = skip_blanks(segment, value + kind + 1, 16);
    if quote(segment.byte(behind)) { (Operator::Equals, behind) } else { (operator, value) }
}

/// Whether the name at `name` is declared with the type that begins at `value`: `pub token: TokenKind,`,
/// `const PASS: Flags = 4;`.
pub(super) fn declares(segment: &Segment<'_>, name: usize, value: usize, line_end: usize) -> bool {
    let (line_start, _) = segment.line(name);
    let ahead = segment.part(line_start.max(name.saturating_sub(PREFIX)), name).trim_ascii_end();
    let word = ahead.rsplit(|b| b.is_ascii_whitespace()).next().unwrap_or_default();
    let declared = [&b"pub"[..], b"const", b"static", b"let", b"var", b"val", b"readonly", b"private", b"protected"];
    if name > line_start && segment.before(name) == b' ' && declared.contains(&word) {
        return true;
    }
    // A type, blanks, and the value that it is of.
    let rest = segment.part(value, line_end.min(value + 96));
    let kind = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_<>[]&|'.:")).count();
    rest.get(kind..).is_some_and(|behind| behind.starts_with(b" = "))
        && rest.first().is_some_and(u8::is_ascii_alphabetic)
}

/// Where the value begins of a variable that a step of Azure Pipelines sets:
/// `##vso[task.setvariable variable=dbPassword;isOutput=true]…`.
fn announced_variable(segment: &Segment<'_>, name: usize, name_end: usize) -> Option<usize> {
    if !segment.part(name.saturating_sub(32).max(segment.low), name).ends_with(b"task.setvariable variable=") {
        return None;
    }
    let rest = segment.part(name_end, segment.line_end(name_end).min(name_end + 64));
    memchr::memchr(b']', rest).map(|close| name_end + close + 1)
}

/// Whether the string at `value` ends a statement of a configuration: `secret "…";`, `password "…"` alone on its line.
fn is_statement(segment: &Segment<'_>, value: usize, name: usize) -> bool {
    let rest = segment.part(value + 1, segment.line_end(value).min(value + 256));
    let Some(close) = memchr::memchr(segment.byte(value), rest) else { return false };
    let behind = rest.get(close + 1..).unwrap_or_default();
    let (line, _) = segment.line(name);
    let alone = behind.iter().all(|b| *b <= b' ' || *b == b')')
        && segment.part(line.max(name.saturating_sub(64)), name).trim_ascii().is_empty();
    let ends = behind.strip_prefix(b";").map(<[u8]>::trim_ascii);
    (alone || ends.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"#")))
        && one_word(rest.get(..close).unwrap_or_default())
}

/// Whether `text` is one word, behind a scheme perhaps: `Basic …`.
fn one_word(text: &[u8]) -> bool {
    let word = match text.iter().position(|b| *b == b' ') {
        Some(blank) if scheme(text.get(..blank).unwrap_or_default()) => text.get(blank + 1..),
        _ => Some(text),
    };
    word.is_some_and(|word| !word.iter().any(u8::is_ascii_whitespace))
}

/// Whether the name that begins at `name` is a flag of a command (`--password`), or a word that its value follows
/// after a blank: in `.netrc`, behind `#define`, `setenv` or `ENV`.
fn is_flag(segment: &Segment<'_>, name: usize) -> bool {
    // The dashes count as part of the name.
    if segment.byte(name) == b'-' && matches!(segment.before(name), b' ' | b'\t' | b'"' | b'\'' | b'\n' | b'[' | b',') {
        return true;
    }
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(96)), name);
    let ends = matches!(ahead, [.., b'v' | b'V' | b't' | b'm', b' ']);
    let words = [&b"setenv "[..], b"ENV ", b"config set ", b"fastcgi_param ", b"uwsgi_param "];
    if ends && words.iter().any(|word| ahead.ends_with(word)) || ahead.trim_ascii() == b"SetEnv" {
        return true;
    }
    if ahead.ends_with(b"#define ") {
        let rest = segment.part(name, segment.line_end(name));
        let value = rest
            .iter()
            .position(u8::is_ascii_whitespace)
            .map(|at| rest.get(at..).unwrap_or_default().trim_ascii_start());
        return value.and_then(<[u8]>::first).is_some_and(|&byte| quote(byte));
    }
    let rest = segment.part(name, (name + 12).min(segment.limit));
    if ahead.trim_ascii().is_empty() && (rest.starts_with(b"requirepass ") || rest.starts_with(b"password ")) {
        // A line of two words.
        let line = segment.part(name, segment.line_end(name)).trim_ascii_end();
        let ends = line.last().is_some_and(|b| !among!(*b, b".,:;)"));
        return ends && line.iter().filter(|b| b.is_ascii_whitespace()).count() == 1;
    }
    let mut words = ahead.rsplit(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let user = words.next().unwrap_or_default();
    rest.starts_with(b"password ")
        && matches!(words.next(), Some(b"login" | b"machine" | b"account"))
        && ![&b"auth"[..], b"account", b"session"].contains(&user)
}
