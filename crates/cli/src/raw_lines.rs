//! Lines of raw bytes through a redactor: those without a secret leave as they came, byte for byte.

use memchr::{memchr, memrchr};
use offcut_core::clean::Cleaner;
use offcut_core::redact::Redactor;

/// A line longer than this is cleaned and redacted while it comes, rather than held back.
const LONGEST: usize = 1 << 20;

/// Redacts lines. What only a terminal understands is resolved to look for secrets, and stays where there are none.
pub(crate) struct RawLines<'r> {
    redactor: &'r mut Redactor,
    /// The beginning of a line whose end did not come yet.
    held: Vec<u8>,
    /// Cleans the rest of a line that is too long to be held.
    streaming: Option<Cleaner>,
    scratch: String,
    /// What may leave.
    pub(crate) clear: Vec<u8>,
}

impl<'r> RawLines<'r> {
    pub(crate) fn new(redactor: &'r mut Redactor) -> RawLines<'r> {
        RawLines { redactor, held: Vec::new(), streaming: None, scratch: String::new(), clear: Vec::new() }
    }

    /// Takes `bytes` in; what is final by then is in `clear`.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let is_open = !self.held.is_empty() || self.streaming.is_some();
        let first = if is_open { memchr(b'\n', bytes).map_or(bytes.len(), |feed| feed + 1) } else { 0 };
        let (first, rest) = bytes.split_at(first);
        self.piece(first);
        let (lines, open) = rest.split_at(memrchr(b'\n', rest).map_or(0, |feed| feed + 1));
        self.lines(lines);
        self.piece(open);
    }

    /// A part of a line, or its end.
    fn piece(&mut self, piece: &[u8]) {
        let ended = piece.ends_with(b"\n");
        if piece.is_empty() {
            return;
        }
        if self.streaming.is_some() {
            return self.stream(piece, ended);
        }
        self.held.extend_from_slice(piece);
        if ended {
            let line = std::mem::take(&mut self.held);
            self.lines(&line);
            self.held = line;
            self.held.clear();
        } else if self.held.len() > LONGEST {
            let start = std::mem::take(&mut self.held);
            self.streaming = Some(Cleaner::default());
            self.stream(&start, false);
        }
    }

    /// Whole lines: those that a terminal shows as they are go through together.
    fn lines(&mut self, lines: &[u8]) {
        let Some(plain) = plain(lines) else {
            let mut rest = lines;
            while let Some(feed) = memchr(b'\n', rest) {
                let (line, behind) = rest.split_at(feed + 1);
                match plain(line) {
                    Some(plain) => self.plain(plain),
                    None => self.line(line),
                }
                rest = behind;
            }
            return;
        };
        self.plain(plain);
    }

    fn plain(&mut self, text: &str) {
        let clear = &mut self.clear;
        self.redactor.push(text, &mut |text| clear.extend_from_slice(text.as_bytes()));
    }

    /// Takes the last line, whose end never came.
    pub(crate) fn finish(&mut self) {
        if self.streaming.is_some() {
            self.stream(b"", true);
        }
        let line = std::mem::take(&mut self.held);
        match plain(&line) {
            Some(plain) => self.plain(plain),
            None => self.line(&line),
        }
        let clear = &mut self.clear;
        self.redactor.finish(&mut |text| clear.extend_from_slice(text.as_bytes()));
    }

    /// A line with something that only a terminal understands: as it came if neither what it shows nor what it hides is a secret.
    fn line(&mut self, raw: &[u8]) {
        let body = raw.strip_suffix(b"\n").unwrap_or(raw);
        let shown = cleaned(raw, &mut self.scratch);
        let mut redacted = String::with_capacity(shown.len());
        self.redactor.push(&shown, &mut |text| redacted.push_str(text));
        if !raw.ends_with(b"\n") {
            self.redactor.finish(&mut |text| redacted.push_str(text));
        }
        if redacted == shown && !self.hides_a_secret(body) {
            self.clear.extend_from_slice(raw);
        } else {
            self.clear.extend_from_slice(redacted.as_bytes());
        }
    }

    /// Whether a part of `line` that later parts overwrite holds a secret.
    fn hides_a_secret(&mut self, line: &[u8]) -> bool {
        let mut parts = line.split(|byte| matches!(byte, b'\r' | 0x08)).filter(|part| !part.is_empty());
        parts.any(|part| {
            let shown = cleaned(part, &mut self.scratch);
            let mut redactor = self.redactor.clone();
            let before = redactor.counts().clone();
            redactor.push(&shown, &mut |_| {});
            redactor.finish(&mut |_| {});
            *redactor.counts() != before
        })
    }

    /// A piece of a very long line.
    fn stream(&mut self, piece: &[u8], ended: bool) {
        let Some(mut cleaner) = self.streaming.take() else { return };
        let clear = &mut self.clear;
        let mut put = |text: &str| clear.extend_from_slice(text.as_bytes());
        self.redactor.push(cleaner.push(piece, &mut self.scratch), &mut put);
        if ended {
            self.redactor.push(cleaner.finish(&mut self.scratch), &mut put);
        } else {
            self.streaming = Some(cleaner);
        }
    }
}

/// The text of `lines` if a terminal shows it as it is.
fn plain(lines: &[u8]) -> Option<&str> {
    // Without branches, so that the compiler uses vectors.
    let strange = lines.iter().fold(false, |any, &byte| any | (byte < b' ') & (byte != b'\t') & (byte != b'\n'));
    let only_ends = || {
        let mut controls = lines.iter().enumerate().filter(|(_, byte)| **byte < b' ' && !matches!(byte, b'\t' | b'\n'));
        controls.all(|(at, byte)| *byte == b'\r' && lines.get(at + 1).is_none_or(|next| *next == b'\n'))
    };
    std::str::from_utf8(lines).ok().filter(|_| !strange || only_ends())
}

/// What a terminal would show of `bytes`.
fn cleaned(bytes: &[u8], scratch: &mut String) -> String {
    let mut cleaner = Cleaner::default();
    let mut text = cleaner.push(bytes, scratch).to_owned();
    text.push_str(cleaner.finish(scratch));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut_core::redact::Rules;

    fn run(input: &[u8], chunk: usize) -> Vec<u8> {
        let mut redactor = Redactor::new(Rules::builtin());
        let mut lines = RawLines::new(&mut redactor);
        input.chunks(chunk).for_each(|chunk| lines.push(chunk));
        lines.finish();
        lines.clear
    }

    #[test]
    fn lines_without_a_secret_leave_byte_for_byte() {
        let input = b"\x1b[32mok\x1b[0m\n10%\r50%\r100%\nbad \xff byte\r\n\0nul\nlast";
        for chunk in [1, 3, 1000] {
            assert_eq!(run(input, chunk), input);
        }
    }

    #[test]
    fn a_secret_goes_whatever_hides_it() {
        let shown = run(b"\x1b[32mDB_PASSWORD=\x1b[0mhunter\x1b[1m22x!\n", 7);
        assert_eq!(shown, b"DB_PASSWORD=[REDACTED: PASSWORD]\n");
        let overwritten = run(b"DB_PASSWORD=hunter22x!\rdone                      \nnext\n", 1000);
        assert!(!String::from_utf8_lossy(&overwritten).contains("hunter22"));
    }

    #[test]
    fn a_very_long_line_is_not_held() {
        let mut input = b"DB_PASSWORD=hunter22x! ".to_vec();
        input.extend(std::iter::repeat_n(b"word ", 400_000).flatten());
        let output = run(&input, 65_536);
        assert!(output.starts_with(b"DB_PASSWORD=[REDACTED: PASSWORD] word"));
        assert_eq!(output.len(), input.len() - b"hunter22x!".len() + b"[REDACTED: PASSWORD]".len());
    }
}
