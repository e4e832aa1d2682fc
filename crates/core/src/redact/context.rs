//! What stands before a value: the name it is assigned to.

use super::scan::Segment;
use super::words::NAMES_OF_IDS;
use crate::byte_set::among;

/// What wraps a string that code holds: `Buffer.from("…", "hex")`, `SecretStr("…")`.
pub(super) const WRAPPERS: &[&str] = &[
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
    "byte",
    "getBytes",
    "GetBytes",
    "hexToBytes",
    "FromBase64String",
    "FromHexString",
    "parseHex",
    "DecodeString",
    "pack",
    "Uint8Array",
];

/// How much of what stands before a value is read as its name.
const NAME: usize = 64;

/// What stands before a value: the name it is assigned to, and what leads up to the name.
pub(super) struct Context<'a> {
    pub(super) name: &'a [u8],
    /// Where the name begins.
    pub(super) start: usize,
    pub(super) lead_up: &'a [u8],
    pub(super) quoted: bool,
    /// Whether a comma stands between name and value.
    pub(super) listed: bool,
    /// Whether there is an operator between name and value, rather than a blank.
    pub(super) assigned: bool,
}

impl<'a> Context<'a> {
    /// The context of a value at `from`; `None` if nothing is assigned there.
    pub(super) fn before(segment: &Segment<'a>, from: usize) -> Option<Context<'a>> {
        let quoted = matches!(segment.before(from), b'"' | b'\'' | b'`');
        let mut at = if quoted { before_wrapper(segment, from) } else { from };
        let from = at;
        let mut operators = 0;
        while at > segment.low && from - at < 16 {
            let byte = segment.before(at);
            match byte {
                b'=' | b':' | b'>' => operators += 1,
                // A call's argument, where it is a string.
                b',' | b'(' | b'?' => operators += usize::from(quoted),
                b' ' | b'\t' | b'"' | b'\'' | b'`' | b'\\' | b'[' | b']' | b')' | b'@' => {}
                _ => break,
            }
            at -= 1;
        }
        if at == from || (operators == 0 && !segment.part(at, from).contains(&b' ')) {
            return None;
        }
        // What a call gives is no value of its argument.
        let between = segment.part(at, from);
        if between.contains(&b')') && between.windows(2).any(|two| two == b"=>") {
            return None;
        }
        let listed = segment.part(at, from).contains(&b',');
        let ahead = segment.part(segment.low.max(at.saturating_sub(NAME)), at);
        let of_a_name = |b: &u8| b.is_ascii_alphanumeric() || among!(*b, b"_-.#");
        let mut name = at - ahead.iter().rev().take_while(|b| of_a_name(b)).count();
        // What leads up to the name is no longer than both may be together.
        let ahead = ahead.get(..ahead.len() - (at - name)).unwrap_or_default();
        let lead_up = name - ahead.iter().rev().take_while(|b| !among!(**b, b";,{}&<>\n=|")).count();
        if segment.is_placeholder_kind(name) {
            return None;
        }
        // A property of a Java program is a flag: `-Dsonar.login=…`.
        name += if matches!(segment.part(name, at), [b'-', b'D' | b'P', b'a'..=b'z', ..]) { 2 } else { 0 };
        let start = name;
        let (name, lead_up) = (segment.part(name, at), segment.part(lead_up, name));
        let name = if quoted { other_half(segment, start, name).unwrap_or(name) } else { name };
        let bare = name.eq_ignore_ascii_case(b"pass");
        (!name.is_empty()).then_some(Context { name, start, lead_up, quoted, listed, assigned: operators > 0 && !bare })
    }
}

/// The name whose value is that of `name`, which stands at `at`: `"name": "X-Request-Id", "value": "…"`.
fn other_half<'a>(segment: &Segment<'a>, at: usize, name: &[u8]) -> Option<&'a [u8]> {
    if !name.eq_ignore_ascii_case(b"value") || segment.before(at) != b'"' {
        return None;
    }
    let ahead = segment.part(segment.low.max(at.saturating_sub(NAME + 32)), at - 1).trim_ascii_end();
    let ahead = ahead.strip_suffix(b"\",")?;
    let (before, name) = ahead.split_at(memchr::memrchr(b'"', ahead)? + 1);
    let before = before.strip_suffix(b"\"")?.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    (before.ends_with(b"\"name\"") || before.ends_with(b"\"key\"")).then_some(name)
}

/// Where the call begins that wraps the string at `from` (`[]byte("…")`, `Buffer.from("…", "hex")`); `from` without one.
fn before_wrapper(segment: &Segment<'_>, from: usize) -> usize {
    let ahead = segment.part(segment.low.max(from.saturating_sub(48)), from);
    let [call @ .., b'(', _] = ahead else { return from };
    let name = call.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_.:")).count();
    let (ahead, name) = call.split_at(call.len() - name);
    let last = name.rsplit(|b| among!(*b, b".:")).next().unwrap_or_default();
    if !WRAPPERS.iter().any(|known| known.as_bytes() == last) {
        return from;
    }
    let ahead = ahead.strip_suffix(b"[]").or_else(|| ahead.strip_suffix(b"new ")).unwrap_or(ahead);
    from - 2 - (call.len() - ahead.len())
}

/// Whether a name says that its value is an identifier, a checksum or meant for everybody: `x-amz-id-2`, `etag`.
pub(super) fn names_an_id(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    let end = lower.iter().rposition(|b| b.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    let stem = lower.get(..end).unwrap_or_default();
    NAMES_OF_IDS.iter().any(|word| stem.ends_with(word.as_bytes()))
}
