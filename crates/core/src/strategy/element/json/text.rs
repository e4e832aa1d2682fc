//! Shortening JSON strings: between characters, never inside an escape or a surrogate pair.

use crate::document::Document;
use crate::strategy::CutError;
use crate::strategy::element::format::Short;
use crate::strategy::element::tree::Node;

/// Where to leave something out of the string `node` so that about `room` characters stay.
pub(super) fn shorten(document: &dyn Document, node: &Node, room: u64) -> Result<Option<Short>, CutError> {
    let bytes = node.end - node.value;
    if bytes <= room || bytes < 16 {
        return Ok(None);
    }
    let head_room = room * 2 / 3;
    let head = document.read_around(node.value..(node.value + head_room * 4).min(node.end))?;
    let start = node.value + head_end(&head, head_room) as u64;
    let tail_from = node.end.saturating_sub(room / 4 + 16).max(start);
    let tail_from = document.position(tail_from)?.byte.max(start);
    let tail = document.read(tail_from..node.end)?;
    let end = tail_from + tail_start(&tail) as u64;
    if end <= start {
        return Ok(None);
    }
    let omitted = document.position(end)?.char - document.position(start)?.char;
    Ok(Some(Short { omit: start..end, mark: format!("... [{omitted} chars omitted] ...") }))
}

/// The end of the longest beginning of at most `room` characters that cuts no escape.
fn head_end(head: &str, room: u64) -> usize {
    let mut safe = 1;
    let mut characters = head.char_indices().enumerate();
    let mut high = false;
    while let Some((count, (at, character))) = characters.next() {
        if count as u64 >= room {
            return safe;
        }
        if at > 0 && !high {
            safe = at;
        }
        if character != '\\' {
            high = false;
            continue;
        }
        match characters.next() {
            Some((_, (at, 'u'))) => {
                for _ in 0..4 {
                    characters.next();
                }
                // The second half of a pair belongs to the first.
                let digits = head.as_bytes().get(at + 1..at + 3).unwrap_or_default();
                high = matches!(digits, [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B']);
            }
            _ => high = false,
        }
    }
    safe
}

/// The first place in `tail` (the end of a string, with its closing quote) that is surely not inside an escape.
fn tail_start(tail: &str) -> usize {
    let closing = tail.len() - 1;
    let bytes = tail.as_bytes();
    let mut clear = 0;
    for (at, _) in tail.char_indices() {
        // Twelve bytes without a backslash: neither an escape nor a pair of them reaches here.
        clear = match memchr::memrchr(b'\\', bytes.get(..at).unwrap_or_default()) {
            Some(last) => at - last,
            None => at.max(clear),
        };
        if clear > 12 && at < closing && bytes.get(at) != Some(&b'\\') {
            return at;
        }
    }
    closing
}
