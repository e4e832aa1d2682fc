//! Secrets that are long words: tokens with a known beginning, values under a provider's name, and random strings.
//!
//! Long words are rare, and finding them needs only a look at every twentieth byte or so; all else is done on them
//! alone.

use super::class::Class;
use super::code;
use super::context::{Context, names_an_id};
use super::encoded;
use super::generic::{self, generic};
use super::identifier::Identifiers;
use super::judge::{self, ValuePlace};
use super::link;
use super::name;
use super::operator;
use super::phrase;
use super::rule::Approach;
use super::rules::{Detector, Rules};
use super::scan::{AHEAD, Segment, Span, With, weight};
use super::shape;
use super::surroundings;
use super::words::PUBLIC_STARTS;
use crate::byte_set::among;

/// How many bytes in a row make a word long.
const LONG: usize = 20;
/// How many expressions may fail in one word before the rest of it is left alone.
const PATIENCE: usize = 32;
/// How far before a long word a prefix such as `SG.` or `v1.0-` may begin.
const LEAD: usize = 48;
/// A value longer than this is data, and its parts are not looked at one by one.
const DATA: usize = 1024;
/// How far before a long word its value may begin.
const BEFORE: usize = 64;

/// Bytes of words: letters, figures, `_`, `-` and `~`.
static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] =
            (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_' || byte as u8 == b'-' || byte as u8 == b'~';
        byte += 1;
    }
    table
};

pub(super) fn word_byte(byte: u8) -> bool {
    WORD[byte as usize]
}

/// The next long word that starts at `from` or later, and before `to`.
fn next_word(bytes: &[u8], from: usize, to: usize) -> Option<(usize, usize)> {
    let mut start = from;
    while start < to {
        let window = bytes.get(start..start + LONG)?;
        match window.iter().rposition(|&byte| !word_byte(byte)) {
            Some(at) => start += at + 1,
            None => {
                let rest = bytes.get(start + LONG..)?;
                return Some((start, start + LONG + length_of_word(rest)));
            }
        }
    }
    None
}

/// How many bytes of a word `bytes` begins with.
fn length_of_word(bytes: &[u8]) -> usize {
    let (eights, _) = bytes.as_chunks::<8>();
    let whole = eights.iter().take_while(|eight| eight.iter().fold(true, |all, &byte| all & word_byte(byte))).count();
    let rest = bytes.get(8 * whole..).unwrap_or_default();
    8 * whole + rest.iter().position(|&byte| !word_byte(byte)).unwrap_or(rest.len())
}

/// Finds the secrets among the long words of `segment`.
pub(super) fn scan(segment: &Segment<'_>, rules: &Rules, spans: &mut Vec<Span>) {
    scan_with(Identifiers::default(), segment, rules, spans);
}

/// The same, where the names of some `identifiers` may be known.
pub(super) fn scan_with<'s>(
    mut identifiers: Identifiers<'s>,
    segment: &Segment<'s>,
    rules: &Rules,
    spans: &mut Vec<Span>,
) {
    let bytes = segment.part(0, segment.limit);
    let mut found_rules = Vec::new();
    let (mut at, mut judged_until) = (segment.start, segment.start);
    // What was found under names so far, in order: those values are judged already.
    let assigned = spans.len();
    spans.sort_unstable_by_key(|span| span.start);
    let mut covering = 0;
    while let Some((start, end)) = next_word(bytes, at, segment.end) {
        let from = spans.len();
        if let Some((line, line_end)) = line_of_base64(segment, at, start) {
            at = line_end;
            wrapped(segment, rules, line, line_end, spans);
            continue;
        }
        if identifiers.has(segment, rules, start, end) {
            at = end;
            if !is_covered(spans.get(..assigned).unwrap_or_default(), &mut covering, start, end) {
                let found =
                    encoded::secret(segment, rules, start, end).or_else(|| link::token(segment, rules, start, end));
                spans.extend(found);
            }
            continue;
        }
        // What is before `at` was looked at with the word before.
        let lead = lead(segment, at.min(start), start);
        at = end;
        known_tokens(segment, rules, lead, (start, end), spans);
        if spans.len() == from {
            infixed_token(segment, rules, lead, end, spans);
        }
        match spans.get(from..).and_then(<[Span]>::last) {
            Some(last) => at = at.max(last.end),
            None if start < judged_until => {}
            None if is_covered(spans.get(..assigned).unwrap_or_default(), &mut covering, start, end) => {}
            // Machine-made values have figures; identifiers mostly have none.
            None if end - start < 32 && !segment.part(start, end).iter().any(u8::is_ascii_digit) => {}
            None => {
                let (from, to) = value_extent(segment, start, end);
                let run = generic::run(segment, start, end);
                // The other words of a value of data, or of one run of base64, are what the first is.
                judged_until = if to - from > DATA { to } else { run.1 };
                match value(segment, rules, run, (from, to), &mut found_rules) {
                    Some(span) => {
                        at = at.max(span.end);
                        spans.push(span);
                    }
                    // Tokens have signs that base64 has not; where chance wrote the beginning of one, it is none.
                    None if run.1 - run.0 > DATA / 2 && is_base64(segment.part(run.0, run.1)) => at = at.max(run.1),
                    None => {}
                }
            }
        }
    }
}

/// The line around the word at `start`, not before `from`, if it is wrapped base64 and nothing else.
fn line_of_base64(segment: &Segment<'_>, from: usize, start: usize) -> Option<(usize, usize)> {
    // Mostly a sign stands before it that is none of base64.
    let before = segment.before(start);
    if !before.is_ascii_alphanumeric() && !among!(before, b"\n+/") {
        return None;
    }
    let (line, end) = (segment.line(start).0, segment.line_end(start));
    let wrapped = line >= from && (56..=160).contains(&(end - line)) && end <= segment.end;
    (wrapped && is_base64(segment.part(line, end))).then_some((line, end))
}

/// Finds what a line of wrapped base64 may be: a token by itself, or a text with a secret in it.
fn wrapped(segment: &Segment<'_>, rules: &Rules, line: usize, end: usize, spans: &mut Vec<Span>) {
    if rules.may_begin(segment.byte(line), segment.byte(line + 1))
        && let Ok(span) = token_at(segment, rules, line)
        && !rules.allowed(segment.part(span.start, span.end))
    {
        spans.push(span);
        return;
    }
    let before = spans.len();
    infixed_token(segment, rules, line, end, spans);
    if spans.len() == before {
        spans.extend(encoded::secret(segment, rules, line, end));
    }
}

/// Whether `bytes` are base64 in the alphabet of files, with its padding.
fn is_base64(bytes: &[u8]) -> bool {
    let end = bytes.iter().rposition(|&byte| byte != b'=').map_or(0, |at| at + 1);
    let text = bytes.get(..end).unwrap_or_default();
    let of_it = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    bytes.len() - end <= 2 && text.iter().fold(true, |all, &byte| all & of_it(byte))
}

/// Whether one of `spans` covers `start..end`. Asked for at ascending places it goes over the spans once.
fn is_covered(spans: &[Span], next: &mut usize, start: usize, end: usize) -> bool {
    while spans.get(*next).is_some_and(|span| span.end <= start) {
        *next += 1;
    }
    spans.get(*next).is_some_and(|span| span.start <= start && end <= span.end)
}

/// The token at `at`, where the prefix of one stands that may be shorter than a long word.
pub(super) fn short_token(segment: &Segment<'_>, rules: &Rules, at: usize) -> Option<Span> {
    let span = begins_a_token(segment, at).then(|| token_at(segment, rules, at))?.ok()?;
    (!rules.allowed(segment.part(span.start, span.end))).then_some(span)
}

/// Tokens that begin with a known prefix, in the word `start..end` or from `from` on before it.
fn known_tokens(
    segment: &Segment<'_>,
    rules: &Rules,
    from: usize,
    (start, end): (usize, usize),
    spans: &mut Vec<Span>,
) {
    let bytes = segment.part(0, segment.limit);
    let mut failures = 0;
    let mut at = from;
    while at < end {
        // Most places are inside of words, and most words begin like no token.
        if at - from > 5 && segment.before(at).is_ascii_alphanumeric() {
            let rest = bytes.get(at..end).unwrap_or_default();
            let sign = match at < start {
                true => rest.iter().position(|byte| !byte.is_ascii_alphanumeric()),
                // Nothing else that is no letter or figure is part of a word.
                false => memchr::memchr3(b'_', b'-', b'~', rest),
            };
            let Some(sign) = sign else { return };
            at += sign + 1;
            continue;
        }
        if !rules.may_begin(segment.byte(at), segment.byte(at + 1)) || !begins_a_token(segment, at) {
            at += 1;
            continue;
        }
        match token_at(segment, rules, at) {
            Ok(span) => {
                at = span.end.max(at + 1);
                if !rules.allowed(segment.part(span.start, span.end)) {
                    spans.push(span);
                }
            }
            Err(tries) => {
                at += 1;
                failures += tries;
                if failures > PATIENCE {
                    return;
                }
            }
        }
    }
}

/// The token that begins at `at`, or how many expressions were tried in vain.
pub(super) fn token_at(segment: &Segment<'_>, rules: &Rules, at: usize) -> Result<Span, usize> {
    let rest = segment.part(at, segment.limit);
    let mut tries = 0;
    for number in rules.heads(rest) {
        let Some(rule) = rules.rule(number).filter(|rule| rule.approach == Approach::Prefix) else { continue };
        if !rule.after.is_empty() && !segment.part(segment.low, at).ends_with(rule.after.as_bytes()) {
            continue;
        }
        // Two or three letters are not much: a short token must stand by itself.
        let before = segment.before(at);
        if rule.short && !before.is_ascii_whitespace() && !among!(before, b"\"'`=:(,>[") {
            continue;
        }
        tries += 1;
        let Some((from, to)) = rule.regex().and_then(|regex| secret(regex, rest)) else { continue };
        if rule.accepts(segment.part(at + from, at + to)) {
            let (start, end) = (at + from, whole_word(segment, at + to));
            return Ok(Span { start, end, kind: rule.kind, weight: weight::PROVIDER, with: With::Placeholder });
        }
    }
    Err(tries)
}

/// The end of the word that a token goes on in: one that is longer than its provider says goes whole.
fn whole_word(segment: &Segment<'_>, end: usize) -> usize {
    let rest = segment.part(end, segment.limit.min(end + DATA));
    let of_it = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match of_it(&segment.before(end)) {
        true => end + rest.iter().position(|byte| !of_it(byte)).unwrap_or(rest.len()),
        false => end,
    }
}

/// A token in `from..end` without a known beginning, around a part that it always has.
fn infixed_token(segment: &Segment<'_>, rules: &Rules, from: usize, end: usize, spans: &mut Vec<Span>) {
    let word = segment.part(from, end);
    if !rules.has_infix(word) {
        return;
    }
    for (finder, number) in rules.infixes() {
        if finder.find(word).is_none() {
            continue;
        }
        let Some(rule) = rules.rule(*number) else { continue };
        let around = segment.part(from, (end + 96).min(segment.limit));
        let Some((first, last)) = rule.regex().and_then(|regex| secret(regex, around)) else { continue };
        let found = (from + first, from + last);
        let bytes = segment.part(found.0, found.1);
        let whole = begins_a_token(segment, found.0) && !word_byte(segment.byte(found.1));
        if found.0 < segment.end && whole && rule.accepts(bytes) && !rules.allowed(bytes) {
            let with = With::Placeholder;
            spans.push(Span { start: found.0, end: found.1, kind: rule.kind, weight: weight::PROVIDER, with });
            return;
        }
    }
}

/// Where to start looking for prefixes before the word at `start`, from `lowest` on: with the parts that dots and the
/// like join to it.
fn lead(segment: &Segment<'_>, lowest: usize, start: usize) -> usize {
    let lowest = lowest.max(segment.start).max(start.saturating_sub(LEAD));
    let ahead = segment.part(lowest, start);
    let joins = |byte: u8| word_byte(byte) || among!(byte, b".:|/$!+");
    ahead.iter().rposition(|&byte| !joins(byte)).map_or(lowest, |at| lowest + at + 1)
}

/// Whether a token may begin at `at`: no letter or figure before it, other than of an escape.
fn begins_a_token(segment: &Segment<'_>, at: usize) -> bool {
    match segment.before(at) {
        // In the middle of base64 a plus sign separates nothing; at a line's start it marks a diff.
        b'+' => !segment.before(at - 1).is_ascii_alphanumeric(),
        before => !before.is_ascii_alphanumeric() || follows_an_escape(segment, at),
    }
}

/// Whether an escape such as `\n`, `\u0022` or `%3D` ends at `at`.
fn follows_an_escape(segment: &Segment<'_>, at: usize) -> bool {
    let back = |count: usize| at.checked_sub(count).map_or(b'\n', |index| segment.byte(index));
    let before = back(1);
    (back(2) == b'\\' && matches!(before, b'n' | b'r' | b't' | b'b' | b'f'))
        || (back(3) == b'%' && back(2).is_ascii_hexdigit() && before.is_ascii_hexdigit())
        || (back(6) == b'\\' && back(5) == b'u')
}

/// The secret part of a match at the beginning of `bytes`: the group `secret`, the first group, or all.
pub(super) fn secret(regex: &regex::bytes::Regex, bytes: &[u8]) -> Option<(usize, usize)> {
    if regex.captures_len() == 1 {
        return regex.find(bytes).map(|found| (found.start(), found.end()));
    }
    secret_of(&regex.captures(bytes)?)
}

/// The same of a match that was already made.
pub(super) fn secret_of(captures: &regex::bytes::Captures<'_>) -> Option<(usize, usize)> {
    let group = captures.name("secret").or_else(|| captures.get(1)).or_else(|| captures.get(0))?;
    Some((group.start(), group.end()))
}

/// Bytes that a value may hold beside those of words.
fn value_byte(byte: u8) -> bool {
    word_byte(byte) || among!(byte, b".+/|%!$^*")
}

/// The value around the word `start..end`: what stands there without blanks, quotes and operators.
fn value_extent(segment: &Segment<'_>, start: usize, end: usize) -> (usize, usize) {
    let lowest = segment.start.max(start.saturating_sub(BEFORE));
    let ahead = segment.part(lowest, start);
    let mut from = ahead.iter().rposition(|&byte| !value_byte(byte)).map_or(lowest, |at| lowest + at + 1);
    // After an escape such as `\n` the value begins one byte later.
    if segment.before(from) == b'\\' && matches!(segment.byte(from), b'n' | b'r' | b't') {
        from += 1;
    }
    let rest = segment.part(end, segment.limit.min(end + AHEAD / 2));
    let more = rest.iter().position(|&byte| !value_byte(byte)).unwrap_or(rest.len());
    (from, end + more)
}

/// The value `from..to` if it is under a provider's name or a secret's name, or the random string `run` in it.
fn value(
    segment: &Segment<'_>,
    rules: &Rules,
    run: (usize, usize),
    (from, to): (usize, usize),
    found: &mut Vec<u16>,
) -> Option<Span> {
    let mut padded = to;
    while padded < segment.limit && padded - to < 3 && segment.byte(padded) == b'=' {
        padded += 1;
    }
    if let Some(span) = phrase::recovery_key(segment, rules, from, to) {
        return Some(span);
    }
    if let Some(context) = Context::before(segment, from) {
        let class = name::class_of(context.name)
            .or_else(|| is_setting_made_by_chance(segment, &context, from, padded).then_some(Class::SomeKey));
        if let Some(span) = named(segment, rules, &context, class, from, found) {
            return Some(span);
        }
        let spoken = spoken_of(segment, &context, class, from, padded);
        let class = class.or(spoken.then_some(Class::Key)).filter(|class| {
            (context.assigned || spoken || context.name.starts_with(b"--")) && *class != Class::Authorization
        });
        let class = class.filter(|class| {
            let bytes = segment.part(from, padded);
            let shape = shape::shape(bytes);
            let call = !context.quoted && segment.byte(padded) == b'(';
            // The next string of a list follows a comma, too.
            let listed = context.listed && !(shape.upper > 0 && shape.lower > 0 && shape.digits > 0);
            let plain_id = *class == Class::Token
                && (shape::uuid(bytes) && !name::opens_doors(context.name)
                    || surroundings::pages_or_shows(segment, context.start));
            let line_end = segment.line_end(from);
            let kind = !context.quoted && operator::declares(segment, context.start, from, line_end);
            !call
                && !kind
                && !listed
                && !plain_id
                && !surroundings::in_resource_name(segment, from)
                && !surroundings::is_sum(segment, context.start)
        });
        if let Some(class) = class {
            let bytes = segment.part(from, padded);
            let place = ValuePlace { quoted: context.quoted, ..ValuePlace::default() };
            let kind = rules.detector(Detector::from(class));
            if let Some(kind) = kind
                && judge::secret_value(class, bytes, place)
                && !rules.allowed(bytes)
            {
                return Some(Span {
                    start: from,
                    end: padded,
                    kind,
                    weight: weight::ASSIGNED,
                    with: With::Placeholder,
                });
            }
        }
    }
    encoded::secret(segment, rules, from, padded)
        .or_else(|| link::token(segment, rules, from, to))
        .or_else(|| generic(segment, rules, run))
}

/// Whether the value `from..to` is all of a setting, and chance alone can have written it: whatever the name is, unless it
/// says that the value is known to everybody. `MAPS=…`, `key : …`.
fn is_setting_made_by_chance(segment: &Segment<'_>, context: &Context<'_>, from: usize, to: usize) -> bool {
    if !context.assigned || context.listed || to - from < 20 {
        return false;
    }
    let joined = || matches!(segment.part(context.start + context.name.len(), from), b"=" | b"=\"" | b"='");
    let capitals = context.name.len() >= 3 && !context.name.iter().any(u8::is_ascii_lowercase) && joined();
    // In an address it may be joined to the one before it.
    let asked = || among!(segment.before(context.start), b"?&");
    let key = context.name.eq_ignore_ascii_case(b"key") && (asked() || surroundings::leads(segment, context.start))
        || [&b"invite"[..], b"invitation", b"ticket", b"magic", b"sid"].contains(&context.name) && asked();
    if !capitals && !key {
        return false;
    }
    let bytes = segment.part(from, to);
    let shape = shape::shape(bytes);
    let ends =
        matches!(segment.byte(to), b'\n' | b'\r' | b' ' | b'"' | b'\'' | b',' | b'\\' | b'&' | b'#' | b')' | b'>');
    ends && shape.upper.min(shape.lower) >= 3
        && shape.changes * 4 >= bytes.len()
        && !names_an_id(context.name)
        && !name::is_harmless(context.name)
        && !PUBLIC_STARTS.iter().any(|start| bytes.starts_with(start.as_bytes()))
        && encoded::text(bytes).is_none()
        && judge::by_chance_alone(bytes)
}

/// Whether a sentence names the value `from..to` as a secret (`fallback token …`), and chance alone can have written it.
fn spoken_of(segment: &Segment<'_>, context: &Context<'_>, class: Option<Class>, from: usize, to: usize) -> bool {
    let key = || {
        let word = context.lead_up.trim_ascii_end().rsplit(|b| *b == b' ').next().unwrap_or_default();
        [&b"use"[..], b"using", b"api", b"API", b"access", b"my", b"your"].contains(&word)
    };
    let named = matches!(class, Some(Class::Token | Class::Secret | Class::Key)) || context.name == b"key" && key();
    if !named || to - from < 24 || !context.name.iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    let bytes = segment.part(from, to);
    let shape = shape::shape(bytes);
    shape.others <= 2 && shape.upper.min(shape.lower).min(shape.digits) >= 3 && judge::by_chance_alone(bytes)
}

/// Whether a name of a provider's is that of something which is no secret: `AUTH0_CLIENT_ID`, `OPSGENIE_TEAM`.
fn names_a_thing(name: &[u8]) -> bool {
    const THINGS: &[&str] = &[
        "client_id",
        "clientid",
        "team",
        "team_id",
        "org",
        "org_id",
        "organization",
        "tenant",
        "tenant_id",
        "workspace",
        "workspace_id",
        "zone",
        "zone_id",
        "region",
        "domain",
        "host",
        "project",
        "project_id",
        "environment",
        "dataset",
        "channel",
        "channel_id",
        "profile",
        "space",
        "bucket",
        "index",
        "list_id",
    ];
    let lower = name.to_ascii_lowercase();
    let joined = |head: &[u8]| head.last().is_none_or(|b| among!(*b, b"_-."));
    THINGS.iter().any(|thing| lower.strip_suffix(thing.as_bytes()).is_some_and(joined))
}

/// A value that has the form of the provider whose name stands before it.
fn named(
    segment: &Segment<'_>,
    rules: &Rules,
    context: &Context<'_>,
    class: Option<Class>,
    from: usize,
    found: &mut Vec<u16>,
) -> Option<Span> {
    // A request's own id is written as some providers write their keys, and so is a commit's.
    let id = || {
        shape::uuid(segment.part(from, from + 36)) || segment.part(from, from + 32).iter().all(u8::is_ascii_hexdigit)
    };
    if class.is_none() && names_an_id(context.name) && id() {
        return None;
    }
    if class.is_none() && names_a_thing(context.name) {
        return None;
    }
    rules.named(context.name, found);
    if found.is_empty() && class.is_some() {
        rules.named(context.lead_up, found);
    }
    of_provider(segment, rules, from, found)
}

/// The value at `from` if it has the form that one of the rules `found` asks for.
pub(super) fn of_provider(segment: &Segment<'_>, rules: &Rules, from: usize, found: &[u16]) -> Option<Span> {
    let rest = segment.part(from, segment.limit);
    for &number in found.iter() {
        let Some(rule) = rules.rule(number).filter(|rule| rule.approach == Approach::Named) else { continue };
        let Some((start, end)) = rule.regex().and_then(|regex| secret(regex, rest)) else { continue };
        let secret = segment.part(from + start, from + end);
        // Types are named after providers, too: `Snowflake?: SnowflakeConnectorProfileProperties`.
        let dummy = !rule.takes_dummies()
            && (judge::placeholder(secret)
                || code::type_name(secret)
                || code::camel_name(secret)
                || code::constant(secret)
                || shape::counted_up(secret) && secret.len() > 40);
        if rule.accepts(secret) && !dummy && !rules.allowed(secret) {
            return Some(Span {
                start: from + start,
                end: from + end,
                kind: rule.kind,
                weight: weight::NAMED,
                with: With::Placeholder,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    #[test]
    fn a_token_that_is_longer_than_its_provider_says_goes_whole() {
        let text = format!("use sk-ant-api03-{} here", "qZ7xK2vB9nR4tW8m".repeat(12));
        assert_eq!(redact(&text, &Rules::builtin()).0, "use [REDACTED: ANTHROPIC_KEY] here");
    }
}
