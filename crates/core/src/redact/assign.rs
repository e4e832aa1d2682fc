//! Secrets in assignments: settings, code, JSON, YAML, XML, tables, command lines, headers.
//!
//! The literal search finds a secret's name; here the rest of the assignment is read by hand, which costs a few bytes
//! for the many names to which nothing is assigned.

use super::authorization;
use super::class::Class;
use super::code;
use super::command;
use super::extent::{self, Extent, Style};
use super::insert::{self, Values};
use super::judge::{self, Place};
use super::name;
use super::neighbours::{self, Neighbours};
use super::operator::{self, Operator, behind_type, declares, operator};
use super::quotes::quote;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::surroundings::{
    NAME, PREFIX, in_resource_name, is_sum, leads, name_byte, name_start, pages_or_shows, skip_blanks,
};
use super::tokens;
use crate::byte_set::among;

/// What stands behind a secret's name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Assigned {
    /// A secret.
    Secret(Span),
    /// Nothing yet: the value is on the next line.
    NextLine { class: Class, line: usize },
    /// The name is itself a value (`name: DB_PASSWORD`), and what it holds is on the next line (`value: …`).
    Pair { class: Class, line: usize },
    /// A YAML block scalar: the value is the lines that are indented further than `indent`.
    Block { class: Class, indent: usize, line: usize },
    /// The name may be a column of a table whose rows follow.
    Column { line: usize },
    /// A sentence that ends in a colon: what it speaks of is a word on one of the next lines.
    Announced { class: Class, line: usize },
    /// A command or a name whose value is printed on the next line.
    Printed { class: Class, line: usize },
    /// The name of a form's field, or a flag: its value is the next line that is not empty.
    Field { class: Class, line: usize },
    /// A column of a statement, whose values follow.
    Columns(Values),
    /// A heading; what it speaks of is below a line that underlines it.
    Heading { class: Class, line: usize },
    /// No secret, up to here: names inside a very long value are parts of it.
    Nothing { until: usize },
}

/// Reads the assignment to the name around `at..to`, where a part of a secret's name was found.
pub(super) fn read(segment: &Segment<'_>, rules: &Rules, at: usize, to: usize) -> Option<Assigned> {
    // Some literals have the operator at their end.
    let to = (at + 1..=to).rev().find(|end| name_byte(segment.before(*end))).unwrap_or(at);
    let mut name_end = to;
    while name_end < segment.limit && name_end - to < NAME && name_byte(segment.byte(name_end)) {
        name_end += 1;
    }
    // A dot at the end is the sentence's.
    let start = || name_start(segment, at);
    let operator = operator(segment, name_end, start);
    if operator.is_none_or(|(operator, _)| operator == Operator::Comma)
        && let Some(values) = insert::columns(segment, start(), name_end)
    {
        return Some(Assigned::Columns(values));
    }
    let Some((operator, value)) = operator else {
        return without_operator(segment, rules, start(), name_end);
    };
    let name_start = start();
    let name = segment.part(name_start, name_end);
    if segment.is_placeholder_kind(name_start) {
        return None;
    }
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
    if operator == Operator::Cell && value >= line_end {
        return without_operator(segment, rules, name_start, name_end);
    }
    if value >= line_end || matches!(segment.part(value, line_end), b"\\" | b"Some(" | b"Secret(" | b"SecretString(") {
        let flag = segment.byte(name_start) == b'-' && segment.part(value, line_end) == b"\\";
        return match operator {
            Operator::Blank | Operator::Equals if flag => Some(Assigned::Field { class, line: line_end }),
            Operator::Colon | Operator::Equals | Operator::Comma => Some(Assigned::NextLine { class, line: line_end }),
            Operator::Element => Some(Assigned::Pair { class, line: line_end }),
            _ => None,
        };
    }
    if operator == Operator::Colon && block_scalar(segment.part(value, line_end)) {
        let (line_start, _) = segment.line(name_start);
        let indent = segment.part(line_start, line_end).iter().take_while(|b| matches!(b, b' ' | b'-')).count();
        return Some(Assigned::Block { class, indent, line: line_end });
    }
    // A value with its properties: `"db_pw":{"sensitive":true,"value":"…"}`, on one line or on several.
    let object = operator == Operator::Colon && segment.byte(name_end) == b'"' && segment.byte(value) == b'{';
    if object && segment.part(value, line_end) == b"{" {
        return Some(Assigned::Pair { class, line: line_end });
    }
    let inside = object.then(|| operator::value_inside(segment, value, line_end)).flatten();
    let (operator, value) = inside.map_or((operator, value), |value| (Operator::Pair, value));
    let value = if operator == Operator::Colon { behind_tag(segment, value, line_end) } else { value };
    let (operator, value) = behind_type(segment, operator, value, line_end);
    if operator == Operator::Colon && !quote(segment.byte(value)) && declares(segment, name_start, value, line_end) {
        return None;
    }
    let style = Style {
        operator,
        before: segment.before(name_start),
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
    let place = place(segment, name_start, &found, style, line_end);
    let (start, end) = authorization::credentials(segment, class, &found);
    let secret = segment.part(start, end);
    if let Some(span) = of_provider(segment, rules, name, start) {
        return Some(Assigned::Secret(span));
    }
    let worth = worth(class, name, operator, segment.part(found.start, found.end), secret, place, start > found.start);
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

/// Whether what is assigned is a secret, for the operators and names that ask for more than others.
fn worth(
    class: Class,
    name: &[u8],
    operator: Operator,
    value: &[u8],
    secret: &[u8],
    place: Place,
    scheme: bool,
) -> bool {
    let word = || !secret.iter().any(u8::is_ascii_digit) && !super::shape::gibberish(secret);
    match class {
        // `PASS: TestSomething` is a verdict.
        Class::Password
            if name.eq_ignore_ascii_case(b"pass")
                && !place.setting
                && !(name == b"pass" && place.alone && no_verdict(secret))
                && (!place.quoted || word()) =>
        {
            false
        }
        // `pw` and a bare `auth` are short for many things.
        Class::Password if name.eq_ignore_ascii_case(b"pw") && is_word_or_code(secret, place) => false,
        // What goes on with an object's member is code: `{type: "password", value: form.apiKey}`.
        _ if operator == Operator::Pair && !place.quoted && secret.contains(&b'.') && code::code(secret) => false,
        // A name in a table says nothing of the next cell's words.
        _ if operator == Operator::Cell && super::shape::wordy(secret) && !place.listed => false,
        // The next string in a list, a comparison with a word.
        _ if matches!(operator, Operator::Comma | Operator::Compare) && word() => false,
        // One of several words in a list, where no flag says more: `["md5", "password", "scram-sha-256"]`.
        _ if operator == Operator::Comma
            && name.first() != Some(&b'-')
            && (super::shape::wordy(secret)
                || one_case(secret)
                || code::camel_name(secret)
                || name::class_of(secret).is_some()) =>
        {
            false
        }
        // The name of a variable, which is what its constant is called.
        Class::Password if place.quoted && code::constant(secret) && name::class_of(secret).is_some() => false,
        Class::Password if operator == Operator::Comma && (secret.ends_with(b"pwd") || secret.ends_with(b"Pwd")) => {
            false
        }
        Class::Authorization if operator == Operator::Comma && !scheme => false,
        Class::Authorization if super::shape::has(secret, b"://") => false,
        Class::Token if super::shape::uuid(secret) && !name::opens_doors(name) => false,
        // Machines make what follows a scheme; words speak of it: `Bearer token`, `OAuth realm="…"`.
        _ if scheme => {
            secret.len() >= 6
                && !judge::placeholder(secret)
                && !super::shape::monotonous(secret)
                && secret.is_ascii()
                && (secret.iter().any(u8::is_ascii_digit) || !super::shape::wordy(secret))
                && !secret.starts_with(b"realm=")
                && !secret.starts_with(b"{")
        }
        Class::Authorization => judge::secret_value(class, value, place),
        _ => judge::secret_value(class, secret, place),
    }
}

/// Whether `secret` is letters of one case, and no more of them than words have.
fn one_case(secret: &[u8]) -> bool {
    secret.len() < 16 && (secret.iter().all(u8::is_ascii_lowercase) || secret.iter().all(u8::is_ascii_uppercase))
}

/// What wraps a string that code holds: `Buffer.from("…", "hex")`, `SecretStr("…")`.
const WRAPPERS: &[&str] = &[
    "from",
    "fromhex",
    "b64decode",
    "decode",
    "unhexlify",
    "SecretStr",
    "Secret",
    "SecretString",
    "String",
    "str",
    "bytes",
    "Bytes",
    "from_str",
    "new",
    "Token",
    "SecretKeySpec",
    "decodeBase64",
    "decodeHex",
    "of",
    "valueOf",
];

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

/// Whether `secret`, behind a bare `pass`, says nothing of a test that passed: `pass: lantern4711`, not `pass: test_a`.
fn no_verdict(secret: &[u8]) -> bool {
    let digits = secret.iter().filter(|b| b.is_ascii_digit()).count();
    let test = secret.iter().any(|b| among!(*b, b"_/:(.,")) && !super::shape::gibberish(secret);
    secret.len() >= 8 && digits >= 2 && !test && !super::shape::number(secret)
}

/// Whether what `pw` holds is a word, which no person made up for a password, or code.
fn is_word_or_code(secret: &[u8], place: Place) -> bool {
    let made_up = place.quoted && judge::by_hand(secret, super::shape::shape(secret));
    let has_digit = secret.iter().any(u8::is_ascii_digit);
    !has_digit && !made_up || !place.quoted && !place.setting && code::code(secret)
}

/// Where the string begins that is the name at `start..end`, or the name itself where it is no string.
fn string_start(segment: &Segment<'_>, start: usize, end: usize) -> usize {
    let closed = quote(segment.byte(end)) && segment.byte(end) == segment.before(start);
    if closed { start - 1 } else { start }
}

/// What is known of the place of the value that was `found`.
fn place(segment: &Segment<'_>, name_start: usize, found: &Extent, style: Style, line_end: usize) -> Place {
    let after = segment.byte(found.end);
    let another = || style.leads && extent::names_another(segment, found.end + 1, b"=", style);
    let free = after <= b' '
        || found.end >= line_end
        || style.open.has(after)
        || after == b';' && (style.before == b';' || another());
    let alone = style.leads && !found.quoted && found.end >= line_end;
    let setting = match style.operator {
        Operator::Blank | Operator::Pair | Operator::Cell | Operator::Escaped => true,
        Operator::Equals => {
            let parameter = matches!(style.before, b'?' | b'&' | b';');
            !style.spaced && (style.capitals || parameter || style.leads && free || style.before == b'-')
        }
        Operator::Colon | Operator::Comma | Operator::Element | Operator::Compare => false,
    };
    let neighbours = neighbours::of(segment, name_start, found, style, line_end);
    Place {
        quoted: found.quoted,
        setting: setting || !found.quoted && neighbours == Neighbours::Data,
        alone,
        free,
        listed: neighbours != Neighbours::None,
        phrase: found.quoted
            && (neighbours == Neighbours::Data || neighbours::stands_alone(segment, found, style, line_end)),
    }
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

/// What a name without an operator may be: the first half of a pair over two lines, or the head of a column.
fn without_operator(segment: &Segment<'_>, rules: &Rules, name_start: usize, name_end: usize) -> Option<Assigned> {
    let (line_start, _) = segment.line(name_start);
    let line = segment.line_end(name_start);
    let rest = segment.part(name_end, line).trim_ascii();
    let short = name_start - line_start <= PREFIX;
    if let Some(class) = command::prints(segment, name_start).or_else(|| command::shows(segment, name_start, name_end))
    {
        return Some(Assigned::Printed { class, line });
    }
    let before = segment.part(line_start, name_start).trim_ascii_end();
    let label = before.trim_ascii_end_matches(b"\"'");
    // `Content-Disposition: form-data; name="password"`, and the path of a parameter: `"Name": "/app/db/password",`.
    if short && rest == b"\"" && before.ends_with(b"name=\"") && super::shape::has(before, b"form-data") {
        let class = name::class_of(segment.part(name_start, name_end))?;
        return Some(Assigned::Field { class, line });
    }
    let path = before.iter().rposition(|b| *b == b'"').filter(|_| before.ends_with(b"/"));
    let label = path.and_then(|at| before.get(..at)).map_or(label, <[u8]>::trim_ascii_end);
    if short
        && [&b"\"name\":"[..], b"\"key\":", b"\"Name\":", b"\"Key\":"].iter().any(|word| label.ends_with(word))
        && let Some(span) = value_before(segment, rules, line_start, name_start, name_end)
    {
        return Some(Assigned::Secret(span));
    }
    if short && matches!(rest, b"" | b"\"" | b"'" | b"\"," | b"'," | b"," | b"</name>" | b"</key>" | b"</Key>") {
        let pair = [
            &b"name:"[..],
            b"key:",
            b"Name:",
            b"Key:",
            b"name\":",
            b"key\":",
            b"Name\":",
            b"Key\":",
            b"<name>",
            b"<key>",
            b"<Key>",
        ]
        .iter()
        .any(|word| label.ends_with(word));
        if pair {
            let class = name::class_of(segment.part(name_start, name_end))?;
            return Some(Assigned::Pair { class, line });
        }
    }
    // Names and values in turns: `1) "requirepass"`, `2) "…"`.
    if rest == b"\"" && before.strip_suffix(b"\"").is_some_and(numbers) {
        let class = name::class_of(segment.part(name_start, name_end)).filter(|class| *class != Class::SomeKey)?;
        return Some(Assigned::NextLine { class, line });
    }
    let said = rest.trim_ascii_end_matches(b"*").trim_ascii_end();
    if said.ends_with(b":") && rest.len() < 120 && rest.first().is_some_and(u8::is_ascii_alphabetic) {
        let class = name::class_of(segment.part(name_start, name_end)).filter(|class| *class != Class::SomeKey)?;
        return Some(Assigned::Announced { class, line });
    }
    let words = |b: &u8| b.is_ascii_alphabetic() || *b == b' ';
    if rest.is_empty() && name_end - line_start <= 40 && before.iter().all(words) {
        let class = name::class_of(segment.part(name_start, name_end)).filter(|class| *class != Class::SomeKey);
        if let Some(class) = class {
            return Some(Assigned::Heading { class, line });
        }
    }
    let column = |byte: Option<&u8>| matches!(byte, None | Some(b',' | b'|' | b'\t' | b';' | b'"'));
    let one = before.is_empty() && rest.is_empty();
    // Columns that blanks make are apart from each other.
    let (ahead, behind) = (segment.part(line_start, name_start), segment.part(name_end, line));
    let apart = (before.is_empty() || ahead.ends_with(b"\t") || ahead.ends_with(b"  "))
        && (rest.is_empty() || behind.starts_with(b"\t") || behind.starts_with(b"  "));
    (short && (apart || column(rest.first()) && column(before.last())) && !one)
        .then_some(Assigned::Column { line: name_start })
}

/// Whether `ahead` is nothing but the number of an entry: `12) `.
fn numbers(ahead: &[u8]) -> bool {
    ahead
        .trim_ascii()
        .strip_suffix(b")")
        .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// The value before its name: `{"value": "…", "name": "DB_PASS"}`.
fn value_before(segment: &Segment<'_>, rules: &Rules, line: usize, name: usize, name_end: usize) -> Option<Span> {
    let open = line + segment.part(line, name).iter().rposition(|&b| b == b'{')?;
    let value = operator::paired(segment, skip_blanks(segment, open + 1, 16))?;
    let class = name::class_of(segment.part(name, name_end))?;
    value_of_pair(segment, value, rules, class).filter(|span| span.end < name && span.start >= segment.start)
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

/// `trim_ascii_end` for quotes as well as blanks.
trait TrimEnd {
    fn trim_ascii_end_matches(&self, marks: &[u8]) -> &[u8];
}

impl TrimEnd for [u8] {
    fn trim_ascii_end_matches(&self, marks: &[u8]) -> &[u8] {
        let end = self.iter().rposition(|b| !marks.contains(b) && !b.is_ascii_whitespace()).map_or(0, |at| at + 1);
        self.get(..end).unwrap_or_default()
    }
}

/// Steps over the number of an entry: `2) "…"`.
fn behind_number(segment: &Segment<'_>, value: usize, line_end: usize) -> usize {
    let rest = segment.part(value, line_end.min(value + 12));
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits > 0 && rest.get(digits..).is_some_and(|rest| rest.starts_with(b") \"")) {
        value + digits + 2
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

/// The value alone on a line below its name: a string, with a comma perhaps.
pub(super) fn on_its_own_line(segment: &Segment<'_>, start: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line_end = segment.line_end(start);
    let value = skip_blanks(segment, start, 256);
    let value = if segment.part(value, value + 2) == b"- " { value + 2 } else { value };
    let value = behind_number(segment, behind_length(segment, value, line_end), line_end);
    let mark = segment.byte(value);
    if !quote(mark) {
        let secret = segment.part(value, line_end).trim_ascii_end();
        let chosen =
            class == Class::Password && segment.before(value) == b' ' && no_verdict(secret) && !code::code(secret);
        let worth = judge::by_chance_alone(secret) || chosen && !judge::placeholder(secret);
        return (worth && !rules.allowed(secret)).then_some(Span {
            start: value,
            end: value + secret.len(),
            kind,
            weight: weight::ASSIGNED,
            with: With::Placeholder,
        });
    }
    let end = extent::closing_quote(segment, value + 1, line_end, mark, 0)?;
    let rest = segment.part(end + 1, line_end);
    let secret = segment.part(value + 1, end);
    let alone = rest.len() <= 2 && rest.iter().all(|b| among!(*b, b",; )"));
    let place = Place { quoted: true, ..Place::default() };
    let worth = judge::secret_value(class, secret, place);
    // The next flag in a list of them.
    let flag = secret.starts_with(b"--");
    (alone && worth && !flag && !rules.allowed(secret)).then_some(Span {
        start: value + 1,
        end,
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}

/// Steps over the type and the length that PHP prints before a string: `string(14) "…"`.
fn behind_length(segment: &Segment<'_>, value: usize, line_end: usize) -> usize {
    let Some(rest) = segment.part(value, line_end).strip_prefix(b"string(") else { return value };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if rest.get(digits..digits + 2) == Some(b") ") { value + 7 + digits + 2 } else { value }
}

/// The only word of the line `start..end`, below a sentence that announced it.
pub(super) fn announced(segment: &Segment<'_>, start: usize, end: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line = segment.part(start, end);
    let from = start + line.len() - line.trim_ascii_start().len();
    let secret = line.trim_ascii();
    let shape = super::shape::shape(secret);
    let one = secret.iter().all(|b| b.is_ascii_graphic()) && (6..=128).contains(&secret.len());
    let mixed = shape.digits > 0 && shape.letters() > 0 && !super::shape::wordy(secret) && !code::code(secret);
    (one && mixed && !judge::placeholder(secret) && !super::shape::number(secret) && !rules.allowed(secret)).then_some(
        Span { start: from, end: from + secret.len(), kind, weight: weight::ASSIGNED, with: With::Placeholder },
    )
}

/// The value in quotes behind the one that `span` is, if it takes that one's place: `"…" -> "…"`.
pub(super) fn changed_to(segment: &Segment<'_>, rules: &Rules, span: &Span) -> Option<Span> {
    let rest = segment.part(span.end, segment.line_end(span.end).min(span.end + 16));
    let mark = *rest.first().filter(|b| quote(**b))?;
    let arrow = rest.get(1..)?.strip_prefix(b" -> ")?;
    let start = span.end + 6;
    let end = (*arrow.first()? == mark)
        .then(|| extent::closing_quote(segment, start, segment.line_end(start), mark, 0))??;
    let secret = segment.part(start, end);
    (secret.len() >= 4 && start < segment.end && !judge::placeholder(secret) && !rules.allowed(secret))
        .then_some(Span { start, end, ..*span })
}

/// The value that begins at `value`, the other half of a pair.
pub(super) fn value_of_pair(segment: &Segment<'_>, value: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line_end = segment.line_end(value);
    let style = Style {
        operator: if segment.before(value) == b'>' { Operator::Element } else { Operator::Pair },
        before: b' ',
        spaced: true,
        open: Default::default(),
        capitals: true,
        leads: true,
    };
    let found = extent::extent(segment, value, line_end, style)?;
    let secret = segment.part(found.start, found.end);
    let place = Place { quoted: found.quoted, setting: true, alone: true, free: true, ..Place::default() };
    (judge::secret_value(class, secret, place) && !rules.allowed(secret)).then_some(Span {
        start: found.start,
        end: found.end,
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}
