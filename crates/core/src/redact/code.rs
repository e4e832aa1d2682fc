//! Values that are code: names, calls, members of objects, types, constants.
//!
//! Everything here looks at one short piece of a line and is linear in it.

use super::dummies::{OBJECTS, SHORT_WORDS};
use super::name;
use super::shape::{gibberish, has, shape, wordy};
use crate::byte_set::among;

/// Whether `value` reads as code wherever it stands: a call, a path of names, a reference, an expression.
pub(super) fn code(value: &[u8]) -> bool {
    let (Some(&first), Some(&last)) = (value.first(), value.last()) else { return true };
    if value.iter().any(|b| among!(*b, b"(){}[]<>|\\`")) || matches!(first, b'.' | b'/' | b'&' | b'*' | b'-' | b'+') {
        return true;
    }
    if [&b"://"[..], b"::", b"?.", b"??", b"==", b"&&", b"=>"].iter().any(|part| has(value, part)) {
        return true;
    }
    // Names that dots and operators join: `totals.input+totals.output`, `e.Token=e.Type`.
    let joined = memchr::memchr(b'.', value).is_some()
        && value.split(|b| among!(*b, b".=+?:*")).all(|part| identifier(part) || part.iter().all(u8::is_ascii_digit));
    joined || matches!(last, b'.' | b'?' | b':') || (identifier(value) && value.iter().all(|b| !b.is_ascii_digit()))
}

/// Whether `part` may be a name in code: letters, and a figure or two.
pub(super) fn identifier(part: &[u8]) -> bool {
    part.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && part.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        && part.iter().filter(|b| b.is_ascii_digit()).count() <= 2
}

/// Whether `value`, which is all that a line assigns, reads as code: names that are words, joined as code joins them.
pub(super) fn statement(value: &[u8]) -> bool {
    let value = without_closers(value);
    if call(value)
        || reference(value)
        || value.starts_with(b"this.")
        || value.starts_with(b"qr/")
        || regular_expression(value)
    {
        return true;
    }
    // What is called or made goes on below.
    if let Some(opened) =
        value.strip_suffix(b"<{").or_else(|| value.strip_suffix(b"(")).filter(|opened| balanced(opened))
    {
        let longest = opened.split(|b| !b.is_ascii_alphabetic()).max_by_key(|part| part.len()).unwrap_or_default();
        if type_name(opened) || camel_name(opened) || longest.len() >= 12 && !gibberish(longest) {
            return true;
        }
        if opened.ends_with(b".get") || opened.contains(&b'[') && statement(opened) {
            return true;
        }
    }
    if has(value, b"::") && value.contains(&b'(') && balanced(value) {
        return true;
    }
    let value = match value {
        [b'&' | b'*' | b'!' | b'@' | b'-', rest @ ..] => rest,
        _ => value,
    };
    // A member of what a call gives: `pwd.getpwnam(username).pw_passwd`.
    let plain = value.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_.,()\"' "));
    let member = value.rsplit(|b| *b == b'.').next().is_some_and(identifier);
    if plain && member && has(value, b").") && balanced(value) && value.first().is_some_and(u8::is_ascii_alphabetic) {
        return true;
    }
    // No name of code begins with figures.
    let numbered = |part: &[u8]| part.iter().take_while(|b| b.is_ascii_digit()).count() >= 2;
    if value.split(|b| *b == b'.').skip(1).any(numbered) && value.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let mut longest = 0;
    for name in value.split(|b| !b.is_ascii_alphanumeric() && *b != b'_').filter(|name| !name.is_empty()) {
        let figures = name.iter().all(u8::is_ascii_digit);
        // `b64decode`, `sha256`: figures inside of a word.
        let long = name.len() >= 5
            && name.first().is_some_and(u8::is_ascii_alphabetic)
            && name.iter().filter(|b| b.is_ascii_digit()).count() <= 3
            && !name.iter().any(u8::is_ascii_uppercase)
            && !gibberish(name);
        if !figures && !long && !wordy(name) && !constant(name) {
            return false;
        }
        longest = longest.max(if figures { 0 } else { name.len() });
    }
    let joined = value.iter().any(|b| among!(*b, b"()[]<>{}.:")) && !value.ends_with(b".");
    let sign = |b: &u8| among!(*b, b"#$%^~`;\\");
    let odd = value.iter().any(sign)
        && !(has(value, b"^.") || value.contains(&b'[') && value.iter().filter(|b| sign(b)).all(|b| *b == b'$'));
    longest >= 3
        && joined
        && !odd
        && balanced(value)
        && value.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
}

/// Whether `value` calls something by its name: `unquote(password)`, `re.compile(r"…")`, `load({` with more below.
fn call(value: &[u8]) -> bool {
    let name = value.iter().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_.:!")).count();
    let (name, rest) = value.split_at(name);
    let named = name.len() >= 3
        && name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && name.iter().filter(|b| b.is_ascii_digit()).count() <= if name.contains(&b'.') { 6 } else { 3 };
    let opens = |byte: &u8| among!(*byte, b"([{");
    match rest {
        [] => false,
        // Its arguments are on the next lines.
        rest if rest.iter().all(opens) => {
            let last = name.rsplit(|&b| b == b'.').next().unwrap_or_default();
            let figures_at_end = !last.iter().rev().skip_while(|b| b.is_ascii_digit()).any(u8::is_ascii_digit);
            named && (figures_at_end || type_name(last))
        }
        [b'(' | b'[', first, ..] => {
            let argument = first.is_ascii_alphabetic() || among!(*first, b")_&*\"'`{[$<>");
            named && argument && matches!(rest.last(), Some(b')' | b']')) && balanced(rest)
        }
        _ => false,
    }
}

/// Whether `value` is a member of an object that holds what the name says, or of one that code calls by such a name:
/// `parsed_url.password`, `args.mysql_password`, `self.proxy`, `exports.HEX`.
pub(super) fn reference(value: &[u8]) -> bool {
    let value = without_closers(value);
    let mut names = value.split(|&byte| byte == b'.');
    let object = names.next().unwrap_or_default();
    let mut last: &[u8] = &[];
    let all = identifier(object)
        && names.all(|name| {
            last = name;
            // `exports.TOKEN=exports.HEX` goes on.
            identifier(name.split(|&byte| byte == b'=').next().unwrap_or_default())
        });
    all && !last.is_empty()
        && (OBJECTS.iter().any(|known| known.as_bytes() == object)
            || identifier(last) && name::class_of(last).is_some())
}

/// `value` without the brackets and signs at its end that belong to the code around it: `args.password);`.
fn without_closers(value: &[u8]) -> &[u8] {
    // A number that a tool put behind a name: `apiKey$2`.
    let figures = value.iter().rev().take_while(|b| b.is_ascii_digit() || among!(**b, b";,")).count();
    let numbered = value.get(..value.len() - figures).and_then(|name| name.strip_suffix(b"$"));
    let mut inner = numbered
        .filter(|name| {
            (1..=2).contains(&figures) && identifier(name) && name.first().is_some_and(u8::is_ascii_lowercase)
        })
        .unwrap_or(value);
    while let [rest @ .., last] = inner
        && (matches!(last, b';' | b',') || matches!(last, b')' | b'}' | b']') && !balanced(inner))
    {
        inner = rest;
    }
    inner
}

/// Whether every bracket that opens closes.
fn balanced(value: &[u8]) -> bool {
    let count = |byte: u8| value.iter().filter(|&&b| b == byte).count();
    count(b'(') == count(b')') && count(b'[') == count(b']') && count(b'{') == count(b'}')
}

/// Whether letters are written as the names of types and variables are: `SecretStr`, `userName`, `PASSWORD`.
pub(super) fn camel(value: &[u8]) -> bool {
    if value.iter().all(u8::is_ascii_uppercase) {
        return true;
    }
    // An abbreviation may come first: `HTTPPasswordMgr`, `CFString`.
    let capitals = value.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let mut start = if (3..=5).contains(&capitals) && capitals < value.len() { capitals - 1 } else { 0 };
    for at in start + 1..=value.len() {
        if at < value.len() && !value.get(at).is_some_and(u8::is_ascii_uppercase) {
            continue;
        }
        let part = value.get(start..at).unwrap_or_default();
        let short = part.len() == 2 && SHORT_WORDS.iter().any(|word| part.eq_ignore_ascii_case(word.as_bytes()));
        if (part.len() < 3 || gibberish(part)) && !short {
            return false;
        }
        start = at;
    }
    true
}

/// Whether `value` is written as the names of types are: words with a capital each and sizes between them, as in
/// `Uint8Array` and `SensitiveString2048`.
pub(super) fn type_name(value: &[u8]) -> bool {
    let value = without_closers(value.strip_prefix(b"__").unwrap_or(value));
    let shape = shape(value);
    let mut parts = value.split(u8::is_ascii_digit).filter(|part| !part.is_empty());
    shape.others == 0
        && shape.upper > 0
        && shape.digits <= 4
        && shape.letters() >= 6
        && shape.letters() >= 3 * shape.digits
        && parts.all(|part| part.len() >= 4 && part.iter().any(u8::is_ascii_lowercase) && camel(part))
}

/// Whether `value` is a name of several words, capitals between them, figures and abbreviations among them:
/// `heightOfGeoidAboveWGS84Units`, `AsyncAPIKeysWithStreamingResponse`, not what chance wrote.
pub(super) fn camel_name(value: &[u8]) -> bool {
    let shape = shape(value);
    if shape.others > 0 || shape.digits * 5 > value.len() || shape.upper < 2 || value.len() < 10 {
        return false;
    }
    let is = |at: usize, class: fn(&u8) -> bool| value.get(at).is_some_and(class);
    let (mut start, mut words, mut odd) = (0, 0, 0);
    for at in 1..=value.len() {
        let begins = is(at, u8::is_ascii_uppercase)
            && (!is(at - 1, u8::is_ascii_uppercase) || is(at + 1, u8::is_ascii_lowercase));
        let figures = is(at, u8::is_ascii_digit) != is(at - 1, u8::is_ascii_digit);
        if at < value.len() && !begins && !figures {
            continue;
        }
        let part = value.get(start..at).unwrap_or_default();
        start = at;
        if part.iter().all(u8::is_ascii_digit) {
            continue;
        }
        let word = part.len() >= 4 && part.iter().skip(1).all(u8::is_ascii_lowercase) && !gibberish(part);
        words += if word { part.len() } else { 0 };
        odd += usize::from(!word && part.len() != 3);
    }
    words * 4 >= value.len() * 3 && odd <= 3
}

/// Whether `value` is a type made of other types: `List[V1LocalObjectReference]`, `Map<String, Token>`.
pub(super) fn generic_type(value: &[u8]) -> bool {
    value.iter().any(|b| among!(*b, b"[<"))
        && value.first().is_some_and(u8::is_ascii_alphabetic)
        && value.split(|b| among!(*b, b"[]<>,| {")).filter(|part| !part.is_empty()).all(|part| {
            part.iter().all(u8::is_ascii_alphanumeric)
                && (camel_name(part) || type_name(part) || part.iter().all(u8::is_ascii_alphabetic) && wordy(part))
        })
}

/// Whether `value` is an expression between slashes, as JavaScript writes it: `/(\[[^\[]*\])|LT/g,`.
pub(super) fn regular_expression(value: &[u8]) -> bool {
    let inner = value.strip_prefix(b"/").unwrap_or_default();
    let Some(close) = inner.iter().rposition(|b| *b == b'/') else { return false };
    let (inner, behind) = inner.split_at(close);
    inner.iter().filter(|b| among!(**b, b"\\[]()|^$*+?")).count() >= 2
        && behind.iter().skip(1).all(|b| b.is_ascii_lowercase() || among!(*b, b",;)"))
}

/// Whether `value` is written as the names of constants are: `MCP_SESSION_HEADER`.
pub(super) fn constant(value: &[u8]) -> bool {
    value.contains(&b'_')
        && value.iter().all(|b| b.is_ascii_uppercase() || *b == b'_')
        && value.split(|&b| b == b'_').all(|part| part.len() <= 14)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_members_types_and_constants_are_code() {
        for value in [
            "z.ZodOptional<z.ZodString>;",
            "loadOptionalSetting2({",
            "unquote(password)",
            "sent[\"headers\"].get(MCP_SESSION_HEADER)",
            "parsed_url.password",
            "args.mysql_password)",
            "Some(Token![>](sig.paren_token.span.join()));",
            "os.environ[\"JUDGMENT_API_KEY\"]",
            "Acme3TextScaledWordEmbedding(",
        ] {
            assert!(statement(value.as_bytes()), "{value}");
        }
        for value in ["j?.accessToken??$.apiKey", "totals.input+totals.output", "J===0?void", "e.Token=e.Type=e.Name"] {
            assert!(code(value.as_bytes()), "{value}");
        }
        for value in ["HTTPPasswordMgr", "Uint8Array", "SensitiveString2048", "invalidUserNameOrPassword"] {
            assert!(type_name(value.as_bytes()), "{value}");
        }
        assert!(constant(b"QWEN_OAUTH_DYNAMIC_TOKEN"));
    }

    #[test]
    fn what_chance_wrote_is_none() {
        assert!(!type_name(b"mincdsgonogh"));
        for value in [
            "hunter2.mysql9",
            "Gk7Tq29sXw41Vb8n",
            "aB(x9)kQ",
            "X4c(",
            "a9.Xk2",
            "qz_password",
            "Gk7TextWord(",
            "QWRkeqpmn",
        ] {
            assert!(!statement(value.as_bytes()), "{value}");
            assert!(!type_name(value.as_bytes()), "{value}");
        }
    }
}
