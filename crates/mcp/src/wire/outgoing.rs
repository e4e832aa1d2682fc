//! What is passed on: a message as it came, with some of its bytes replaced.

use std::io::{self, Write};
use std::ops::Range;

use offcut_core::redact::{Counts, JsonKeys, JsonRedactor, Redactor};

use super::raw_message::{MessageSpool, RawMessage};

/// Up to this size a message is handed on in one piece.
const SMALL: u64 = 1024 * 1024;

/// One change to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The bytes that go; an empty range where something is only put in.
    pub(crate) range: Range<u64>,
    /// What stands there instead.
    pub(crate) text: String,
}

impl Edit {
    /// Replaces `range` by `text`.
    pub(crate) fn new(range: Range<u64>, text: impl Into<String>) -> Edit {
        Edit { range, text: text.into() }
    }

    /// Puts `text` in before the byte `at`.
    pub(crate) fn insert(at: u64, text: impl Into<String>) -> Edit {
        Edit::new(at..at, text)
    }

    /// Takes `range` out.
    pub(crate) fn remove(range: Range<u64>) -> Edit {
        Edit::new(range, "")
    }
}

/// Takes the items out of a list for which `gone` holds, each with one of the commas around it. `items` are the ranges
/// of all of them, in order.
pub(crate) fn remove_items(items: &[Range<u64>], gone: impl Fn(usize) -> bool) -> Vec<Edit> {
    let first_kept = (0..items.len()).find(|at| !gone(*at)).unwrap_or(items.len());
    let mut edits = Vec::new();
    for (at, item) in items.iter().enumerate().filter(|(at, _)| gone(*at)) {
        let before = at.checked_sub(1).and_then(|before| items.get(before));
        let after = items.get(at + 1);
        edits.push(Edit::remove(match (before, after) {
            (Some(before), _) if at > first_kept => before.end..item.end,
            (_, Some(after)) => item.start..after.start,
            _ => item.clone(),
        }));
    }
    edits
}

/// A message on its way out.
#[derive(Debug, Clone)]
pub(crate) struct Outgoing {
    raw_message: RawMessage,
    edits: Vec<Edit>,
}

impl Outgoing {
    /// The message as it came.
    pub(crate) fn unchanged(raw_message: RawMessage) -> Outgoing {
        Outgoing { raw_message, edits: Vec::new() }
    }

    /// The message with changes, which must not overlap.
    pub(crate) fn changed(raw_message: RawMessage, mut edits: Vec<Edit>) -> Outgoing {
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        Outgoing { raw_message, edits }
    }

    /// A message of our own.
    pub(crate) fn own(message: String) -> Outgoing {
        Outgoing::unchanged(RawMessage::new(message.into_bytes()))
    }

    /// Whether it leaves as it came.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.edits.is_empty()
    }

    /// How many bytes it has.
    pub(crate) fn len(&self) -> u64 {
        let put: u64 = self.edits.iter().map(|edit| edit.text.len() as u64).sum();
        let gone: u64 = self.edits.iter().map(|edit| edit.range.end - edit.range.start).sum();
        (self.raw_message.len() + put).saturating_sub(gone)
    }

    /// The message without its secrets, and how many of each kind they were. One without any is left as it is.
    pub(crate) fn redacted(self, redactor: &Redactor, keys: JsonKeys) -> io::Result<(Outgoing, Counts)> {
        let mut looking = JsonRedactor::new(redactor.again(), keys);
        self.chunks(|chunk| {
            looking.push(chunk, &mut |_| {});
            Ok(())
        })?;
        looking.finish(&mut |_| {});
        if looking.counts().is_empty() {
            return Ok((self, Counts::new()));
        }
        let mut redactor = JsonRedactor::new(redactor.again(), keys);
        let (mut spool, mut written) = (MessageSpool::default(), Ok(()));
        let mut pack = |part: &[u8]| {
            if written.is_ok() {
                written = spool.push(part);
            }
        };
        self.chunks(|chunk| {
            redactor.push(chunk, &mut pack);
            Ok(())
        })?;
        redactor.finish(&mut pack);
        written?;
        Ok((Outgoing::unchanged(spool.finish()), redactor.counts().clone()))
    }

    /// All of it, where that is little.
    pub(crate) fn small(&self) -> Option<Vec<u8>> {
        let mut whole = Vec::new();
        let read = (self.len() <= SMALL).then(|| {
            self.chunks(|chunk| {
                whole.extend_from_slice(chunk);
                Ok(())
            })
        });
        matches!(read, Some(Ok(()))).then_some(whole)
    }

    /// Hands the bytes to `take`, in chunks.
    pub(crate) fn chunks(&self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut at = 0;
        for edit in &self.edits {
            if edit.range.start > at {
                self.raw_message.chunks(at..edit.range.start, &mut take)?;
            }
            if !edit.text.is_empty() {
                take(edit.text.as_bytes())?;
            }
            at = at.max(edit.range.end);
        }
        if at < self.raw_message.len() {
            self.raw_message.chunks(at..self.raw_message.len(), &mut take)?;
        }
        Ok(())
    }

    /// Writes the message as a line. Line ends between its tokens, which a pipe does not allow, become spaces.
    pub(crate) fn write_line(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut spaced = Vec::new();
        self.chunks(|chunk| {
            if memchr::memchr(b'\n', chunk).is_none() {
                return out.write_all(chunk);
            }
            spaced.clear();
            spaced.extend(chunk.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
            out.write_all(&spaced)
        })?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(outgoing: &Outgoing) -> String {
        let mut out = Vec::new();
        outgoing.write_line(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_not_changed_leaves_byte_for_byte() {
        let message = "{ \"b\":1 ,\t\"a\":1.50e0}\r";
        assert_eq!(written(&Outgoing::unchanged(RawMessage::new(message.into()))), format!("{message}\n"));
        let pretty = RawMessage::new("{\n  \"a\": 1\n}".into());
        assert_eq!(written(&Outgoing::unchanged(pretty)), "{   \"a\": 1 }\n");
    }

    #[test]
    fn changes_leave_the_rest_alone() {
        let raw_message = RawMessage::new("{\"a\":\"long\",\"b\":2}".into());
        let edits = vec![Edit::insert(17, ",\"c\":3"), Edit::new(5..11, "\"s\"")];
        assert_eq!(written(&Outgoing::changed(raw_message, edits)), "{\"a\":\"s\",\"b\":2,\"c\":3}\n");
    }

    #[test]
    fn items_leave_a_list_with_their_commas() {
        let check = |gone: &[usize], expected: &str| {
            let edits = remove_items(&[1..2, 4..5, 6..7, 8..9], |at| gone.contains(&at));
            let outgoing = Outgoing::changed(RawMessage::new("[a, b,c,d]".into()), edits);
            assert_eq!(written(&outgoing).trim_end(), expected, "{gone:?}");
        };
        check(&[], "[a, b,c,d]");
        check(&[0], "[b,c,d]");
        check(&[3], "[a, b,c]");
        check(&[1, 2], "[a,d]");
        check(&[0, 1], "[c,d]");
        check(&[2, 3], "[a, b]");
        check(&[0, 3], "[b,c]");
        check(&[1, 2, 3], "[a]");
        check(&[0, 1, 2, 3], "[]");
    }
}
