//! The beginning and the end of a document, with nothing looked for.

use offcut_core::document::Document;
use offcut_core::{notice, text};

use super::context::{Answer, ExtractContext};
use super::error::ExtractError;

/// The share of the beginning, of ten.
const HEAD: u64 = 6;

/// Keeps the top and the bottom, cut at line ends where there are any near.
pub(super) fn run(context: &ExtractContext<'_>) -> Result<Answer, ExtractError> {
    let source = context.document();
    let document: &dyn Document = &source;
    let extent = *document.extent();
    let room = context.settings.max_chars;
    if extent.chars <= room {
        return Ok(Answer { text: document.read(0..extent.bytes)?.into_owned(), nothing: false });
    }
    let marker = text::chars(&notice::marker(extent.lines, extent.chars, None)) + 2;
    let room = room.saturating_sub(marker);
    let head_chars = room * HEAD / 10;
    let start = document.char_start(head_chars)?;
    let head = document.read(0..start.byte)?.into_owned();
    let head = match memchr::memrchr(b'\n', head.as_bytes()) {
        // A line that alone is too long is cut inside.
        Some(at) if at * 2 > head.len() => text::slice(&head, 0..at + 1),
        _ => &head,
    };
    let end = document.char_start(extent.chars - (room - head_chars))?;
    let tail = document.read(end.byte..extent.bytes)?.into_owned();
    let tail = match memchr::memchr(b'\n', tail.as_bytes()) {
        Some(at) if at * 2 < tail.len() => text::slice(&tail, at + 1..tail.len()),
        _ => &tail,
    };
    let chars = extent.chars - text::chars(head) - text::chars(tail);
    let lines = extent.lines.saturating_sub(text::lines(head) + text::lines(tail));
    let between = if head.ends_with('\n') { "" } else { "\n" };
    let text = format!("{head}{between}{}\n{tail}", notice::marker(lines, chars, None));
    Ok(Answer { text, nothing: false })
}
