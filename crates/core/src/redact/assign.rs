//! Secrets in assignments: settings, code, JSON, YAML, XML, tables, command lines, headers.
//!
//! The literal search finds a secret's name; here the rest of the assignment is read by hand, which costs a few bytes
//! for the many names to which nothing is assigned.

use super::assigned::Assigned;
use super::authorization;
use super::bare::without_operator;
use super::class::Class;
use super::code;
use super::context::WRAPPERS;
use super::continued::Heredoc;
use super::definition;
use super::escaped;
use super::extent::{self, Extent, Style};
use super::generated::Generated;
use super::insert;
use super::judge::{self, ValuePlace};
use super::manifest::Manifest;
use super::name;
use super::neighbours::{self, Neighbours};
use super::operator::{self, Operator, behind_type, declares, operator};
use super::parameters;
use super::quotes::quote;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::siblings;
use super::surroundings::{NAME, in_resource_name, is_sum, leads, name_byte, name_start, pages_or_shows, skip_blanks};
use super::tokens;
use super::unquoted;
use super::worth::worth;
use crate::byte_set::among;

/// Reads the assignment to the name around `at..to`, where a part of a secret's name was found.
pub(super) fn read(segment: &Segment<'_>, rules: &Rules, at: usize, to: usize) -> Option<Assigned> {
    // Some literals have the operator at their end.
    let to = (at + 1..=to).rev().find(|end| name_byte(segment.before(*end))).unwrap_or(at);
    if let Some(generated) = Generated::begun(segment, at) {
        return Some(Assigned::Generated { generated, line: segment.line_end(at) });
    }
    let mut name_end = to;
    while name_end < segment.limit && name_end - to < NAME && name_byte(segment.byte(name_end)) {
        name_end += 1;
    }
    if segment.byte(name_end) == b'%' && escaped::begins(segment, name_end) {
        return Some(Assigned::Escaped { at: name_end });
    }
    // A dot at the end is the sentence's.
    let start = || name_start(segment, at);
    // Dots may lead from the name to the value: `password.........x`.
    let dots = segment.part(at, name_end).iter().rev().take_while(|b| **b == b'.').count();
    let led = dots >= 3 && segment.byte(name_end) > b' ' && segment.byte(name_end) != b'|';
    let (name_end, operator) = if led {
        (name_end - dots, Some((Operator::Colon, name_end + usize::from(segment.byte(name_end) == b':'))))
    } else {
        (name_end, operator(segment, name_end, start))
    };
    if operator.is_none_or(|(operator, _)| operator == Operator::Comma)
        && let Some(values) = insert::columns(segment, start(), name_end)
    {
        return Some(Assigned::Columns(values));
    }
    if operator.is_none()
        && let Some(definition) = definition::with_column(segment, start, name_end)
    {
        return Some(Assigned::Defined { definition, line: segment.line_end(name_end) });
    }
    let Some((operator, value)) = operator else {
        return without_operator(segment, rules, start(), name_end);
    };
    let name_start = start();
    let name = segment.part(name_start, name_end);
    if segment.is_placeholder_kind(name_start) {
        return None;
    }
    if operator::is_empty(segment, name_start, name_end, value) {
        return None;
    }
    let name = if segment.byte(name_end) == b'(' { operator::without_verb(name) } else { name };
    let class = name::class_of(name)?;
    let kind = rules.detector(Detector::from(class))?;
    if operator == Operator::Blank && in_prose(segment, name_start) {
        return None;
    }
    if is_sum(segment, name_start) {
        return None;
    }
    if class == Class::Token && pages_or_shows(segment, name_start) {
        return None;
    }
    if operator == Operator::Colon && segment.before(name_start) == b':' && in_resource_name(segment, name_start) {
        return None;
    }
    let line_end = segment.line_end(value);
    if operator == Operator::Equals
        && parameters::begins(segment, value)
        && let Some((bound, from)) = parameters::of_statement(segment, name_start)
    {
        return Some(Assigned::Bound { bound, from });
    }
    // A key whose name has no word for secrets in it is what chance wrote, beside its name.
    let of_a_key = segment.part(at, to).to_ascii_lowercase().ends_with(b"key") && segment.byte(at) | 0x20 != b'p';
    if of_a_key && (value >= line_end || among!(segment.byte(value), b"|>{")) {
        return None;
    }
    if operator == Operator::Element && value >= line_end && name == b"auth-user-pass" {
        return Some(Assigned::Login { line: line_end });
    }
    if operator == Operator::Cell && value >= line_end {
        return without_operator(segment, rules, name_start, name_end);
    }
    let opens_list =
        segment.part(value, line_end) == b"[" && matches!(class, Class::Secret | Class::Token | Class::Key);
    if value >= line_end
        || opens_list
        || matches!(segment.part(value, line_end), b"\\" | b"Some(" | b"Secret(" | b"SecretString(")
    {
        let joined = segment.part(value, line_end) == b"\\";
        let flag = segment.byte(name_start) == b'-' && joined;
        if operator == Operator::Equals && joined && !flag && value == name_end + 1 {
            return Some(Assigned::Continued { class, line: line_end });
        }
        if operator == Operator::Colon && names_a_section(name) && value >= line_end && !heads_list(segment, line_end) {
            return Some(Assigned::Section { section: Manifest::section(segment, name_start), line: line_end });
        }
        return match operator {
            Operator::Blank | Operator::Equals if flag => Some(Assigned::Field { class, line: line_end }),
            Operator::Colon | Operator::Equals | Operator::Comma => Some(Assigned::NextLine { class, line: line_end }),
            Operator::Element => Some(Assigned::Pair { class, line: line_end }),
            _ => None,
        };
    }
    if let Some(heredoc) = Heredoc::opened(segment.part(value, line_end), class) {
        return Some(Assigned::Heredoc { heredoc, line: line_end });
    }
    if operator == Operator::Colon && block_scalar(segment.part(value, line_end)) {
        let (line_start, _) = segment.line(name_start);
        let indent = segment.part(line_start, line_end).iter().take_while(|b| matches!(b, b' ' | b'-')).count();
        return Some(Assigned::Block { class, indent, line: line_end });
    }
    // A value with its properties: `"db_pw":{"sensitive":true,"value":"…"}`, on one line or on several.
    let braced = operator == Operator::Colon && segment.byte(value) == b'{';
    let plain = || segment.part(value, line_end.min(value + 9)).trim_ascii_end().starts_with(b"{value:\"");
    let object = braced && (segment.byte(name_end) == b'"' || plain());
    if object && segment.part(value, line_end) == b"{" && names_a_section(name) {
        return Some(Assigned::Section { section: Manifest::section(segment, name_start), line: line_end });
    }
    if object && names_a_section(name) {
        return Some(Assigned::Members { from: value + 1, to: line_end });
    }
    if object && segment.part(value, line_end) == b"{" {
        return Some(Assigned::Pair { class, line: line_end });
    }
    let inside = object.then(|| operator::value_inside(segment, value, line_end)).flatten();
    let (operator, value) = inside.map_or((operator, value), |value| (Operator::Pair, value));
    let value = if operator == Operator::Colon { behind_tag(segment, value, line_end) } else { value };
    let (operator, value) = in_element(segment, operator, value, line_end);
    let (operator, value) = behind_type(segment, operator, value, line_end);
    let value = behind_address(segment, value, line_end);
    let value = fallback(segment, value, line_end).unwrap_or(value);
    let paired = operator == Operator::Comma && is_tuple(segment, name_start, value, line_end);
    let operator = if paired { Operator::Pair } else { operator };
    if opens_remark(segment.part(value, line_end)) {
        return None;
    }
    if operator == Operator::Colon && !quote(segment.byte(value)) && declares(segment, name_start, value, line_end) {
        return None;
    }
    let style = Style {
        operator,
        before: if is_member(segment, name_start, name_end) { b'&' } else { segment.before(name_start) },
        spaced: value > name_end + 1,
        open: segment.quotes(string_start(segment, name_start, name_end)),
        capitals: name.iter().all(|b| !b.is_ascii_lowercase()),
        leads: leads(segment, name_start),
    };
    if let Some((start, end)) = argument(segment, value, line_end).filter(|(start, _)| *start >= segment.start) {
        return Some(Assigned::Secret(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder }));
    }
    let mut found = extent::extent(segment, value, line_end, style)?;
    // A member of an object ends with its statement, however dense code is.
    if !found.quoted && (name.starts_with(b"this.") || name.starts_with(b"self.")) {
        let length = segment.part(found.start, found.end).iter().position(|b| among!(*b, b";,?"));
        found.end = length.filter(|length| *length > 0).map_or(found.end, |length| found.start + length);
    }
    if class == Class::Password
        && let Some(end) = unquoted::end(segment, name_start, &found, style, line_end)
        && let start = found.start
        && !rules.allowed(segment.part(start, end))
        && start >= segment.start
    {
        return Some(Assigned::Secret(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder }));
    }
    let place = place(segment, name_start, &found, style, line_end);
    // What joins the next line is no part of the value.
    if !found.quoted && found.end == line_end && found.end > found.start + 1 && segment.before(line_end) == b'\\' {
        found.end -= 1;
    }
    let (start, end) = authorization::credentials(segment, class, &found);
    let secret = segment.part(start, end);
    if let Some(span) = of_provider(segment, rules, name, start) {
        return Some(Assigned::Secret(span));
    }
    // The only token of a block of settings may be a UUID: `token = "…"`.
    let only = operator == Operator::Equals && found.quoted && style.leads && name == b"token";
    if only && super::shape::uuid(secret) && !rules.allowed(secret) {
        return Some(Assigned::Secret(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder }));
    }
    if of_a_key && !judge::by_chance_alone(secret) && !(found.quoted && is_cipher_key(name, secret)) {
        return None;
    }
    let worth = worth(class, name, operator, segment.part(found.start, found.end), secret, place, start > found.start)
        || class == Class::Password
            && (operator == Operator::Element && is_parameter(segment, name_start)
                || operator == Operator::Cell && place.listed
                || operator == Operator::Pair && found.quoted && name.starts_with(b"-"))
            && siblings::may_tell(class, name, secret)
        || (found.quoted || is_written_as_data(segment, class, operator, name_start, style, place))
            && siblings::may_tell(class, name, secret)
            && siblings::are_data(segment, name_start, end);
    if !worth && operator == Operator::Cell {
        return without_operator(segment, rules, name_start, name_end);
    }
    if !worth || rules.allowed(secret) || start < segment.start {
        return (!found.quoted && found.end - found.start > 1024).then_some(Assigned::Nothing { until: found.end });
    }
    let json_number =
        operator == Operator::Colon && !found.quoted && quote(segment.before(name_start)) && number(secret);
    let with = if json_number { With::Quoted } else { With::Placeholder };
    Some(Assigned::Secret(Span { start, end, kind, weight: weight::ASSIGNED, with }))
}

/// Whether an assignment without quotes is none of code: alone on its line, or in a list of YAML's objects.
fn is_written_as_data(
    segment: &Segment<'_>,
    class: Class,
    operator: Operator,
    name: usize,
    style: Style,
    place: ValuePlace,
) -> bool {
    let (line, _) = segment.line(name);
    let listed = || segment.part(line, name).trim_ascii_start().starts_with(b"- {");
    let setting = || operator == Operator::Equals && (style.capitals || siblings::in_section(segment, name));
    place.alone && (operator == Operator::Colon || class == Class::Secret || setting())
        || operator == Operator::Colon && listed()
        || operator == Operator::Equals && !style.spaced && neighbours::in_brackets(segment, name)
}

/// Whether the name at `name` is that of a parameter in a configuration, rather than of a text that is shown:
/// `<param name="bindPassword">`.
fn is_parameter(segment: &Segment<'_>, name: usize) -> bool {
    let ahead = segment.part(name.saturating_sub(32).max(segment.low), name);
    let tag = ahead.iter().rposition(|b| *b == b'<').and_then(|at| ahead.get(at + 1..)).unwrap_or_default();
    let tags = [&b"param"[..], b"property", b"setting", b"entry", b"arg", b"option", b"attribute", b"env", b"config"];
    tags.iter().any(|known| tag.starts_with(known)) && (tag.ends_with(b"name=\"") || tag.ends_with(b"key=\""))
}

/// Whether `secret` may be the key of a cipher that a person made up: as long as such keys are, with figures in it.
fn is_cipher_key(name: &[u8], secret: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    let shape = super::shape::shape(secret);
    matches!(secret.len(), 16 | 24 | 32)
        && [&b"encrypt"[..], b"cipher", b"crypt"].iter().any(|word| super::shape::has(&lower, word))
        && shape.digits >= 2
        && shape.letters() >= 4
        && !secret.iter().any(|b| among!(*b, b" .:/_-"))
}

/// Steps over the tag of an element that holds the value: `secret_key: <b>…</b>`.
fn in_element(segment: &Segment<'_>, operator: Operator, value: usize, line_end: usize) -> (Operator, usize) {
    const TAGS: [&[u8]; 6] = [b"<b>", b"<code>", b"<strong>", b"<kbd>", b"<tt>", b"<em>"];
    let rest = segment.part(value, line_end.min(value + 8));
    let drawn = |tag: &&&[u8]| {
        let text = segment.part(value + tag.len(), line_end);
        let text = text.split(|b| *b == b'<').next().unwrap_or_default();
        text.iter().any(u8::is_ascii_digit) && !text.contains(&b' ')
    };
    match TAGS.iter().find(|tag| operator == Operator::Colon && rest.starts_with(tag)).filter(drawn) {
        Some(tag) => (Operator::Element, value + tag.len()),
        None => (operator, value),
    }
}

/// Steps over the address that a debugger prints before a string: `passwd = 0x57 "…"`.
fn behind_address(segment: &Segment<'_>, value: usize, line_end: usize) -> usize {
    let Some(rest) = segment.part(value, line_end.min(value + 24)).strip_prefix(b"0x") else { return value };
    let digits = rest.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let string = digits > 0 && matches!(rest.get(digits..digits + 2), Some([b' ', mark]) if quote(*mark));
    if string { value + 2 + digits + 1 } else { value }
}

/// Where the string begins that code takes where there is no other value: `process.env.JWT || "…"`.
fn fallback(segment: &Segment<'_>, value: usize, line_end: usize) -> Option<usize> {
    let rest = segment.part(value, line_end.min(value + 96));
    let code = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_.[]()'\"")).count();
    let behind = rest.get(code..).filter(|_| code > 2)?;
    let sign = [&b" || "[..], b" ?? ", b" or ", b" ?: "].into_iter().find(|sign| behind.starts_with(sign))?;
    let string = value + code + sign.len();
    quote(segment.byte(string)).then_some(string)
}

/// Whether the name and the string at `value` are all of a tuple: `('smtp_password','…')`. The string has a number in it.
fn is_tuple(segment: &Segment<'_>, name: usize, value: usize, line_end: usize) -> bool {
    let mark = segment.byte(value);
    if !quote(mark) || name.checked_sub(1).is_none_or(|opening| segment.before(opening) != b'(') {
        return false;
    }
    let Some(end) = extent::closing_quote(segment, value + 1, line_end, mark, 0) else { return false };
    let digits = segment.part(value + 1, end).iter().filter(|b| b.is_ascii_digit()).count();
    segment.byte(end + 1) == b')' && digits >= 3
}

/// Whether a value is but a remark in brackets: `password=(see log)`.
fn opens_remark(rest: &[u8]) -> bool {
    let Some(inner) = rest.strip_prefix(b"(") else { return false };
    let Some(close) = memchr::memchr(b')', inner) else { return false };
    let inner = inner.get(..close).unwrap_or_default();
    inner.contains(&b' ') && inner.iter().all(|b| b.is_ascii_alphabetic() || among!(*b, b" -'"))
}

/// The string that chance wrote, where the value at `value` is a call that wraps it.
fn argument(segment: &Segment<'_>, value: usize, line_end: usize) -> Option<(usize, usize)> {
    let rest = segment.part(value, line_end.min(value + 64));
    let rest = rest.strip_prefix(b"new ").unwrap_or(rest);
    let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_.:")).count();
    let (name, behind) = rest.split_at_checked(name)?;
    let mark = *behind.strip_prefix(b"(")?.first().filter(|b| quote(**b))?;
    let last = name.rsplit(|b| among!(*b, b".:")).next()?;
    if !WRAPPERS.iter().any(|known| known.as_bytes() == last) {
        return None;
    }
    let start = line_end.min(value + 64) - behind.len() + 2;
    let end = extent::closing_quote(segment, start, line_end, mark, 0)?;
    judge::by_chance_alone(segment.part(start, end)).then_some((start, end))
}

/// Whether the line below the one that ends at `line_end` is an item of a list: `- …`.
fn heads_list(segment: &Segment<'_>, line_end: usize) -> bool {
    let below = segment.line(line_end).1 + 1;
    segment.part(below, segment.line_end(below)).trim_ascii_start().starts_with(b"- ")
}

/// Whether the name is that of a member in a form's data: `user[password]=…`.
fn is_member(segment: &Segment<'_>, start: usize, end: usize) -> bool {
    segment.before(start) == b'['
        && segment.part(end, end + 2) == b"]="
        && !matches!(segment.byte(end + 2), b'=' | b' ' | b'"' | b'\'')
        && segment.before(start - 1).is_ascii_alphanumeric()
}

/// Whether what stands below a name like this is secrets by their own names: `passwords:`.
fn names_a_section(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    [&b"passwords"[..], b"passwds", b"api_keys", b"apikeys"].iter().any(|word| lower.ends_with(word))
}

/// Whether a sentence speaks of the flag at `name`: `but --password suffers from the same`.
fn in_prose(segment: &Segment<'_>, name: usize) -> bool {
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(24)), name).trim_ascii_end();
    let word = ahead.rsplit(|b| *b == b' ').next().unwrap_or_default();
    let words = [
        &b"but"[..],
        b"the",
        b"a",
        b"an",
        b"with",
        b"using",
        b"use",
        b"and",
        b"or",
        b"via",
        b"if",
        b"option",
        b"flag",
        b"by",
        b"pass",
        b"specify",
        b"set",
        b"when",
        b"that",
        b"of",
        b"to",
        b"for",
    ];
    segment.byte(name) == b'-' && words.contains(&word)
}

/// Where the string begins that is the name at `start..end`, or the name itself where it is no string.
fn string_start(segment: &Segment<'_>, start: usize, end: usize) -> usize {
    let closed = quote(segment.byte(end)) && segment.byte(end) == segment.before(start);
    if closed { start - 1 } else { start }
}

/// What is known of the place of the value that was `found`.
fn place(segment: &Segment<'_>, name_start: usize, found: &Extent, style: Style, line_end: usize) -> ValuePlace {
    let after = segment.byte(found.end);
    let another = || style.leads && extent::names_another(segment, found.end + 1, b"=", style);
    let free = after <= b' '
        || found.end >= line_end
        || style.open.has(after)
        || after == b';' && (style.before == b';' || another());
    let mixed = |value: &[u8]| value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic);
    let prompt = || {
        let (line_start, _) = segment.line(name_start);
        let ahead = segment.part(line_start.max(name_start.saturating_sub(64)), name_start);
        let words = ahead.iter().all(|b| b.is_ascii_alphabetic() || *b == b' ');
        style.operator == Operator::Colon && words && mixed(segment.part(found.start, found.end))
    };
    // A comment may follow a setting.
    let remarked = || {
        let rest = segment.part(found.end, line_end);
        style.leads
            && [&b" ; "[..], b" # ", b"\t# ", b"\t; "].iter().any(|mark| rest.starts_with(mark))
            && mixed(segment.part(found.start, found.end))
    };
    let alone = !found.quoted && (found.end >= line_end && (style.leads || prompt()) || remarked());
    let setting = match style.operator {
        Operator::Blank | Operator::Pair | Operator::Cell | Operator::Escaped => true,
        Operator::Equals => {
            let parameter = matches!(style.before, b'?' | b'&' | b';');
            // `[password] => …`, as PHP prints arrays.
            let printed =
                style.before == b'[' && !found.quoted && segment.part(found.start - 4, found.start) == b" => ";
            let of_pool = style.before == b'[' && segment.part(name_start.saturating_sub(4), name_start) == b"env[";
            printed
                || of_pool
                || !style.spaced && (style.capitals || parameter || style.leads && free || style.before == b'-')
        }
        Operator::Colon | Operator::Comma | Operator::Element | Operator::Compare => false,
    };
    let neighbours = neighbours::of(segment, name_start, found, style, line_end);
    ValuePlace {
        quoted: found.quoted,
        setting: setting
            || style.operator == Operator::Colon && !found.quoted && behind_user(segment, name_start, found)
            || !found.quoted && neighbours == Neighbours::Data,
        alone,
        free,
        listed: neighbours != Neighbours::None,
        phrase: found.quoted
            && (neighbours == Neighbours::Data || neighbours::stands_alone(segment, found, style, line_end)),
    }
}

/// Whether somebody's name stands right before the password on its line, and what was `found` is no code:
/// `user: qa / pass: …`, `login: jane, password: …`.
fn behind_user(segment: &Segment<'_>, name: usize, found: &Extent) -> bool {
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(64)), name).trim_ascii_end();
    let ahead = ahead.strip_suffix(b"/").or_else(|| ahead.strip_suffix(b",")).or_else(|| ahead.strip_suffix(b"|"));
    let ahead = ahead.unwrap_or(segment.part(line.max(name.saturating_sub(64)), name)).trim_ascii_end();
    let mut words = ahead.rsplit(|b| *b == b' ');
    let user = words.next().unwrap_or_default();
    let named = words.next().and_then(|word| word.strip_suffix(b":")).unwrap_or_default();
    let named = [&b"user"[..], b"login", b"username", b"account", b"email", b"mail", b"id", b"name"]
        .iter()
        .any(|known| named.eq_ignore_ascii_case(known));
    let value = segment.part(found.start, found.end);
    let shape = super::shape::shape(value);
    named && !user.is_empty() && shape.digits >= 2 && shape.letters() >= 3 && !code::code(value)
}

/// The value at `start` if a provider whose name is part of `name` makes values of its form.
fn of_provider(segment: &Segment<'_>, rules: &Rules, name: &[u8], start: usize) -> Option<Span> {
    let mut found = Vec::new();
    rules.named(name, &mut found);
    if found.is_empty() || start < segment.start { None } else { tokens::of_provider(segment, rules, start, &found) }
}

fn number(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'))
}

/// Steps over a tag or an anchor of YAML: `!!str`, `&cred`.
fn behind_tag(segment: &Segment<'_>, value: usize, line_end: usize) -> usize {
    let rest = segment.part(value, line_end.min(value + 48));
    let quoted = rest.first() == Some(&b'!')
        && rest.iter().position(|b| *b == b' ').is_some_and(|at| rest.get(at + 1).is_some_and(|b| quote(*b)));
    let marked = quoted || rest.starts_with(b"!!") || rest.first() == Some(&b'&');
    let name = rest.iter().skip(1).take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"!_-")).count();
    let declares = rest.get(name + 2) == Some(&b'=');
    if marked && name > 0 && rest.get(name + 1) == Some(&b' ') && !declares {
        skip_blanks(segment, value + name + 1, 16)
    } else {
        value
    }
}

/// Whether `rest` opens a YAML block scalar: `|`, `>-`, `|2`.
fn block_scalar(rest: &[u8]) -> bool {
    // A tag may stand before it: `!vault |`.
    let rest = match rest.strip_prefix(b"!") {
        Some(tagged) => {
            let tag = tagged.iter().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"!_-")).count();
            tagged.get(tag..).unwrap_or_default().trim_ascii_start()
        }
        None => rest,
    };
    rest.split_first().is_some_and(|(first, more)| {
        matches!(first, b'|' | b'>')
            && more.len() <= 3
            && more.iter().all(|b| matches!(b, b'-' | b'+' | b' ' | b'1'..=b'9'))
    })
}
