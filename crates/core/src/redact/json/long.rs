//! A value that is too long to be held: it is redacted in parts, each handed on as it came where nothing was found.

use super::super::{Counts, Redactor};
use super::{escape, value};

/// A line of more bytes is handed on before its end; from there on the string is written anew, with the same meaning.
const LONGEST_LINE: usize = 1024 * 1024;

/// How many bytes are looked at together.
const PART: usize = 64 * 1024;

/// A long value on its way.
#[derive(Debug, Default)]
pub(super) struct Long {
    /// None where it is not looked at.
    redactor: Option<Redactor>,
    quoted: bool,
    /// Whether it was nothing but base64 of a file so far.
    media: bool,
    /// Bytes that were not looked at yet.
    ahead: Vec<u8>,
    /// Bytes that were looked at, and are not handed on.
    raw: Vec<u8>,
    /// What they say.
    text: String,
    /// What is left of that.
    new: String,
    /// Whether parts are written anew.
    anew: bool,
}

impl Long {
    /// A value that is redacted.
    pub(super) fn new(redactor: Redactor, quoted: bool, media: bool) -> Long {
        Long { redactor: Some(redactor), quoted, media, ..Long::default() }
    }

    /// A value that is not looked at.
    pub(super) fn opaque() -> Long {
        Long::default()
    }

    /// The next bytes of the value.
    pub(super) fn push(&mut self, bytes: &[u8], out: &mut dyn FnMut(&[u8])) {
        if self.redactor.is_none() {
            return out(bytes);
        }
        let mut bytes = bytes;
        if self.media {
            // The beginning of a `data:` URL was looked at when the value was found to be one.
            let digits = bytes.iter().take_while(|byte| value::is_digit(byte) || matches!(byte, b':' | b';' | b','));
            let (file, rest) = bytes.split_at(digits.count());
            out(file);
            bytes = rest;
            self.media = rest.is_empty();
        }
        self.ahead.extend_from_slice(bytes);
        if self.ahead.len() >= PART {
            self.look(out);
        }
    }

    /// The end of the value.
    pub(super) fn finish(&mut self, out: &mut dyn FnMut(&[u8])) {
        self.look(out);
        let rest = std::mem::take(&mut self.ahead);
        self.take(&rest);
        if let Some(redactor) = &mut self.redactor {
            let new = &mut self.new;
            redactor.finish(&mut |part| new.push_str(part));
        }
        self.hand_on(out);
    }

    /// The secrets that were found.
    pub(super) fn counts(&self) -> Counts {
        self.redactor.as_ref().map(|redactor| redactor.counts().clone()).unwrap_or_default()
    }

    /// Looks at the lines that are there.
    fn look(&mut self, out: &mut dyn FnMut(&[u8])) {
        let end = escape::whole(&self.ahead);
        let ahead = std::mem::take(&mut self.ahead);
        let (part, rest) = ahead.split_at(end);
        // At a line's end nothing is held back, so that both sides can be compared.
        match self.line_end(part) {
            Some(end) => {
                let (lines, begun) = part.split_at(end);
                self.take(lines);
                self.hand_on(out);
                self.ahead = [begun, rest].concat();
            }
            None => {
                self.take(part);
                self.ahead = rest.to_vec();
            }
        }
        if self.ahead.len() >= PART {
            // A line that is longer than a part goes on by itself.
            let ahead = std::mem::take(&mut self.ahead);
            let (part, rest) = ahead.split_at(escape::whole(&ahead));
            self.take(part);
            self.ahead = rest.to_vec();
        }
        if self.raw.len() > LONGEST_LINE || self.anew {
            self.anew = true;
            self.hand_on(out);
        }
    }

    /// Where the last line of `part` begins.
    fn line_end(&self, part: &[u8]) -> Option<usize> {
        if !self.quoted {
            return memchr::memrchr(b'\n', part).map(|at| at + 1);
        }
        let is_end = |at: &usize| {
            let before = part.get(..*at).unwrap_or_default().iter().rev().take_while(|byte| **byte == b'\\').count();
            before % 2 == 0
        };
        memchr::memmem::rfind_iter(part, b"\\n").find(is_end).map(|at| at + 2)
    }

    fn take(&mut self, part: &[u8]) {
        let from = self.text.len();
        self.raw.extend_from_slice(part);
        match self.quoted {
            true => escape::decode(part, &mut self.text),
            false => escape::push_lossy(part, &mut self.text),
        }
        let (Some(redactor), new) = (&mut self.redactor, &mut self.new) else { return };
        redactor.push(self.text.get(from..).unwrap_or_default(), &mut |part| new.push_str(part));
    }

    fn hand_on(&mut self, out: &mut dyn FnMut(&[u8])) {
        if self.text == self.new && !self.anew {
            out(&self.raw);
        } else if self.quoted {
            out(&escape::encode(&self.new));
        } else {
            out(self.new.as_bytes());
        }
        self.raw.clear();
        self.text.clear();
        self.new.clear();
    }
}
