//! Outputs to test with: random ones, and helpers to look at replies.

use proptest::prelude::*;

/// Lines `line 1` to `line n`.
pub(crate) fn lines(n: u64) -> String {
    (1..=n).map(|n| format!("line {n}\n")).collect()
}

/// Outputs of many shapes: words, long lines, empty lines, all line ends, characters of every width, broken bytes,
/// escape sequences, JSON, logs.
pub(crate) fn any_output() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => "[a-zA-Z0-9 ,.:=/_-]{0,60}\n".prop_map(String::into_bytes),
        2 => "[ -~]{0,200}\r\n".prop_map(String::into_bytes),
        1 => "[a-zé世界🎉 ]{1,40}\n".prop_map(String::into_bytes),
        1 => Just(b"\n".to_vec()),
        1 => (1usize..3000).prop_map(|n| "long ".repeat(n / 5 + 1).into_bytes()),
        1 => Just(b"2026-11-15T10:00:00Z ERROR worker: request failed with status 503\n".to_vec()),
        1 => Just(b"{\"id\": 1, \"name\": \"x\", \"tags\": [1, 2, 3]}\n".to_vec()),
        1 => Just(b"\x1b[31mred\x1b[0m 10%\r20%\r30%\n".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
    ];
    (proptest::collection::vec(piece, 0..60), 0usize..12)
        .prop_map(|(pieces, times)| pieces.concat().repeat(times.max(1)))
}

/// `output` in chunks whose sizes follow `sizes`.
pub(crate) fn in_chunks<'a>(output: &'a [u8], sizes: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = output;
    let mut sizes = sizes.iter().cycle();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let size = sizes.next().copied().unwrap_or(1).clamp(1, rest.len());
        let (now, later) = rest.split_at(size);
        rest = later;
        Some(now)
    })
}

/// `text` with every artifact id replaced by `art_1`, and the short handle of its header by `9kgw`.
pub(crate) fn without_ids(text: &str) -> String {
    let handle = handle_in(text).unwrap_or_default();
    let replaced;
    let text = if handle.is_empty() {
        text
    } else {
        // As a word, and not where it is a byte's address: `[b301 b301-2085]`.
        let handle = regex::Regex::new(&format!(r"\b{handle}\b(-[0-9])?")).unwrap();
        let new =
            |found: &regex::Captures<'_>| if found.get(1).is_some() { found[0].to_owned() } else { "9kgw".into() };
        replaced = handle.replace_all(text, new).into_owned();
        &replaced
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("art_") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let name = from.strip_prefix("art_").unwrap_or_default();
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
        let is_id = name.starts_with(|c: char| c.is_ascii_digit());
        out.push_str(if is_id { "art_1" } else { "art_" });
        rest = if is_id { name.split_at(end).1 } else { name };
    }
    out.push_str(rest);
    out
}

/// The short handle that the header of a reply names.
pub(crate) fn handle_in(text: &str) -> Option<&str> {
    let (handle, _) = text.split_once("[offcut ")?.1.split_once(':')?;
    handle.bytes().all(|byte| byte.is_ascii_alphanumeric()).then_some(handle)
}

/// `text` with the moment of its creation replaced.
pub(crate) fn without_times(text: &str) -> String {
    let lines = text.split('\n').map(|line| match line.strip_prefix("Created: ") {
        Some(_) => "Created: 2026-11-15 12:00:00 UTC",
        None => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}
