//! A command's output as a terminal may have it: without secrets, and without what acts on the terminal itself.
//!
//! Colours, cursor movements and erasing pass, so that progress displays look as they should. What changes the
//! terminal's clipboard, title, keys or modes, or makes it answer, does not. Text goes by the line (ended by LF or CR), so
//! that a secret is seen whole; a line that is still open, such as a question, is shown when the command waits.

use std::collections::VecDeque;

use offcut_core::redact::Redactor;

/// A line longer than this is shown in parts.
const LONGEST: usize = 64 * 1024;

/// How long a control sequence may be.
const LONGEST_SEQUENCE: usize = 64;

/// What a terminal is shown of a command's output.
pub(super) struct Stream {
    redactor: Option<Redactor>,
    /// The line that has not ended yet, as it came.
    open: Vec<u8>,
    /// What of it was shown already.
    shown: String,
    /// Lines that the redactor has not handed on yet.
    waiting: VecDeque<TerminalLine>,
}

/// A line as the terminal may have it, and its text alone.
#[derive(Debug, Default, PartialEq, Eq)]
struct TerminalLine {
    safe: String,
    text: String,
}

impl Stream {
    pub(super) fn new(redactor: Option<Redactor>) -> Stream {
        Stream { redactor, open: Vec::new(), shown: String::new(), waiting: VecDeque::new() }
    }

    /// Takes bytes in, and returns what can be shown by now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        let mut out = String::new();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n' || byte == b'\r') {
            self.open.extend_from_slice(piece);
            if matches!(piece.last(), Some(b'\n' | b'\r')) || self.open.len() > LONGEST {
                self.end_line(&mut out);
            }
        }
        out
    }

    /// The command waits: what is there of an open line is shown, as far as it can be told that it is no secret.
    pub(super) fn pause(&mut self) -> String {
        if self.open.is_empty() || !self.waiting.is_empty() {
            return String::new();
        }
        // A character that is still coming waits.
        let whole = match std::str::from_utf8(&self.open) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.open.len(),
        };
        let line = TerminalLine::of(self.open.get(..whole).unwrap_or_default());
        let clear = self.redactor.clone().is_none_or(|mut redactor| {
            let mut handed_on = String::new();
            redactor.push(&line.text, &mut |text| handed_on.push_str(text));
            redactor.finish(&mut |text| handed_on.push_str(text));
            handed_on == line.text
        });
        let Some(new) = line.safe.strip_prefix(&self.shown).filter(|_| clear) else { return String::new() };
        let new = new.to_owned();
        self.shown = line.safe;
        new
    }

    /// The command has ended: everything that is left.
    pub(super) fn finish(&mut self) -> String {
        let mut out = String::new();
        self.end_line(&mut out);
        let mut handed_on = String::new();
        if let Some(redactor) = &mut self.redactor {
            redactor.finish(&mut |text| handed_on.push_str(text));
        }
        self.hand_on(&handed_on, &mut out);
        out
    }

    fn end_line(&mut self, out: &mut String) {
        if self.open.is_empty() {
            return;
        }
        let line = TerminalLine::of(&std::mem::take(&mut self.open));
        let mut handed_on = String::new();
        match &mut self.redactor {
            Some(redactor) => redactor.push(&line.text, &mut |text| handed_on.push_str(text)),
            None => handed_on.push_str(&line.text),
        }
        self.waiting.push_back(line);
        self.hand_on(&handed_on, out);
    }

    /// Shows the lines whose text was handed on as it was; where it was not, the text that was.
    fn hand_on(&mut self, mut text: &str, out: &mut String) {
        while let Some(line) = self.waiting.front()
            && let Some(rest) = text.strip_prefix(&line.text)
            && (!text.is_empty() || line.text.is_empty())
        {
            let shown = std::mem::take(&mut self.shown);
            match line.safe.strip_prefix(&shown) {
                Some(new) => out.push_str(new),
                None => out.push_str(&line.safe),
            }
            text = rest;
            self.waiting.pop_front();
        }
        if !text.is_empty() {
            self.waiting.clear();
            if !std::mem::take(&mut self.shown).is_empty() {
                // What stands there was the beginning of a secret.
                out.push_str("\r\x1b[2K");
            }
            out.push_str(text);
        }
    }
}

impl TerminalLine {
    fn of(bytes: &[u8]) -> TerminalLine {
        let decoded = String::from_utf8_lossy(bytes);
        let (mut line, mut rest) = (TerminalLine::default(), decoded.as_ref());
        while let Some(char) = rest.chars().next() {
            let width = if char == '\x1b' { sequence(rest) } else { char.len_utf8() };
            let (token, behind) = rest.split_at_checked(width).unwrap_or((rest, ""));
            rest = behind;
            match char {
                '\x1b' if is_harmless(token) => line.safe.push_str(token),
                '\n' | '\r' | '\t' => {
                    line.safe.push(char);
                    line.text.push(char);
                }
                '\x08' => line.safe.push(char),
                // Among them the controls above 0x7f, which some terminals take for sequences.
                char if char.is_control() => {}
                char => {
                    line.safe.push(char);
                    line.text.push(char);
                }
            }
        }
        line
    }
}

/// How many bytes the escape sequence at the beginning of `rest` takes.
fn sequence(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    match bytes.get(1) {
        Some(b'[') => {
            let parameters = bytes.iter().skip(2).take(LONGEST_SEQUENCE);
            let length = parameters.take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
            2 + length + usize::from(matches!(bytes.get(2 + length), Some(0x40..=0x7e)))
        }
        // A string goes up to its end, on this line; one that does not end takes all of it.
        Some(b']' | b'P' | b'X' | b'^' | b'_' | b'k') => {
            let end = bytes.windows(2).position(|pair| matches!(pair, [0x07, _] | [0x1b, b'\\']));
            match end.map(|at| (at, bytes.get(at))) {
                Some((at, Some(0x07))) if at > 1 => at + 1,
                Some((at, _)) if at > 1 => at + 2,
                _ if bytes.last() == Some(&0x07) => bytes.len(),
                _ => bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len()),
            }
        }
        Some(0x20..=0x2f) => 3,
        Some(0x30..=0x7e) => 2,
        _ => 1,
    }
}

/// Whether a sequence only colours, moves the cursor or erases.
fn is_harmless(token: &str) -> bool {
    let Some(command) = token.strip_prefix("\x1b[") else { return false };
    let (Some(letter), Some(parameters)) = (command.chars().next_back(), command.get(..command.len() - 1)) else {
        return false;
    };
    let plain = parameters.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':'));
    match letter {
        'm' | 'A'..='H' | 'J' | 'K' | 'P' | 'X' | '@' | 'd' | 'f' | '`' | 'a' | 'e' | 'L' | 'M' | 'S' | 'T' => plain,
        // The cursor is hidden and shown again.
        'h' | 'l' => parameters == "?25",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use offcut_core::redact::Rules;

    use super::*;

    fn stream() -> Stream {
        Stream::new(None)
    }

    fn through(input: &str) -> String {
        let mut stream = stream();
        let mut out = stream.push(input.as_bytes());
        out.push_str(&stream.finish());
        out
    }

    #[test]
    fn colours_and_progress_pass() {
        for input in
            ["\x1b[1;31mred\x1b[0m\n", "10%\r20%\r\x1b[2K", "\x1b[3A\x1b[Kline\n", "\x1b[?25l-\x08|\x1b[?25h", "é\t\n"]
        {
            assert_eq!(through(input), input);
        }
    }

    #[test]
    fn what_acts_on_the_terminal_does_not() {
        for (input, shown) in [
            ("a\x1b]52;c;ZXZpbA==\x07b\n", "ab\n"),
            ("a\x1b]0;title\x1b\\b\n", "ab\n"),
            ("a\x1bP+q544e\x1b\\b\n", "ab\n"),
            ("a\x1b]52;c;unfinished\nb\n", "a\nb\n"),
            ("\x1b[?1049h\x1b[?2004h\x1b[>1u\x1b[6n\x1b[c\x1b[21tx\n", "x\n"),
            ("\x1bc\x1b(0\x07x\n", "x\n"),
            ("\u{9d}52;c;x\u{9c}y\n", "52;c;xy\n"),
        ] {
            assert_eq!(through(input), shown, "{input:?}");
        }
    }

    #[test]
    fn what_is_shown_does_not_depend_on_the_chunks() {
        let input = "\x1b[32mok\x1b[0m\r50%\r\x1b]0;t\x07\x1b[Kdone é\nlast";
        for size in 1..input.len() {
            let mut stream = stream();
            let mut out: String = input.as_bytes().chunks(size).map(|chunk| stream.push(chunk)).collect();
            out.push_str(&stream.finish());
            assert_eq!(out, through(input), "in chunks of {size}");
        }
    }

    #[test]
    fn a_question_is_shown_while_the_command_waits_and_once_only() {
        let mut stream = stream();
        assert_eq!(stream.push(b"Go on? [y/N] "), "");
        assert_eq!(stream.pause(), "Go on? [y/N] ");
        assert_eq!(stream.pause(), "");
        assert_eq!(stream.push(b"y\nright\n"), "y\nright\n");
    }

    #[test]
    fn secrets_are_taken_out_and_the_colours_of_their_line_with_them() {
        let mut stream = Stream::new(Some(Redactor::new(Rules::builtin())));
        let (begin, rest) = ("ghp_abcdefghijkl", "mnopqrstuvwxyz0123456789");
        assert_eq!(stream.push(format!("\x1b[1mtoken {begin}").as_bytes()), "");
        let mut out = stream.push(format!("\x1b[31m{rest}\x1b[0m\n\x1b[1mnext\x1b[0m\n").as_bytes());
        out.push_str(&stream.finish());
        assert!(!out.contains(begin) && out.contains("[REDACTED"), "{out:?}");
        assert!(out.ends_with("\n\x1b[1mnext\x1b[0m\n"), "{out:?}");
    }
}
