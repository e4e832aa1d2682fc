//! Splitting a line into text, control characters and escape sequences.
//!
//! A sequence never goes beyond its line, and one that does not end properly takes no text with it: of an unfinished
//! title or hyperlink only the introducer goes.

use crate::text;

/// How many bytes a control sequence may have.
const LONGEST_COMMAND: usize = 64;

/// How many bytes a string (a title, a hyperlink) may have.
const LONGEST_STRING: usize = 4096;

/// A part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Characters to show.
    Text(&'a str),
    /// A carriage return.
    Return,
    /// A backspace.
    Back,
    /// A NUL.
    Nul,
    /// Another control character.
    Control,
    /// A sequence without any effect on the text.
    Sequence,
    /// A sequence that moves the cursor or erases.
    Command(Command),
}

/// A control sequence by its last byte, with its first parameter.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// The letter.
    pub(super) letter: u8,
    /// The first parameter, where there is one.
    pub(super) parameter: Option<usize>,
}

/// Whether there is anything but text and tabs in `line`.
pub(super) fn has_special(line: &str) -> bool {
    let bytes = line.as_bytes();
    text_run(bytes) < bytes.len()
}

/// The first token of `rest` and how many bytes it takes; `None` where it has not come to its end yet (and `ended` does
/// not say that nothing more will come) or where nothing is left.
pub(super) fn next(rest: &str, ended: bool) -> Option<(Token<'_>, usize)> {
    let bytes = rest.as_bytes();
    let first = *bytes.first()?;
    let run = text_run(bytes);
    if run > 0 {
        return Some((Token::Text(text::slice(rest, 0..run)), run));
    }
    match first {
        b'\r' => Some((Token::Return, 1)),
        0x08 => Some((Token::Back, 1)),
        0 => Some((Token::Nul, 1)),
        0x1b => match bytes.get(1) {
            None => ended.then_some((Token::Control, 1)),
            Some(b'[') => command(bytes, 2, ended),
            Some(b']' | b'P' | b'X' | b'^' | b'_' | b'k') => string(bytes, ended),
            Some(0x20..=0x2f) => designation(bytes, ended),
            Some(b'M') => Some((Token::Command(Command { letter: b'A', parameter: None }), 2)),
            Some(0x30..=0x7e) => Some((Token::Sequence, 2)),
            Some(_) => Some((Token::Control, 1)),
        },
        0xc2 => match bytes.get(1) {
            Some(0x9b) => command(bytes, 2, ended),
            Some(0x90 | 0x98 | 0x9d | 0x9e | 0x9f) => string(bytes, ended),
            _ => Some((Token::Control, 2)),
        },
        _ => Some((Token::Control, 1)),
    }
}

/// Up to where the tokens of `part` are complete, whatever follows. A carriage return at its end may belong to a line
/// end, so it is not.
pub(super) fn settled(part: &str) -> usize {
    let mut at = 0;
    let mut rest = part;
    while let Some((_, width)) = next(rest, false) {
        at += width;
        rest = text::slice(rest, width..rest.len());
    }
    at - usize::from(text::slice(part, 0..at).ends_with('\r'))
}

/// How many bytes of text there are before the first control character.
fn text_run(bytes: &[u8]) -> usize {
    let mut from = 0;
    loop {
        let rest = bytes.get(from..).unwrap_or_default();
        // Sixteen bytes at a time, without branches among them, until there may be one.
        let quiet = rest.chunks_exact(16).take_while(|block| !block.iter().fold(false, |any, &b| any | is_special(b)));
        let skipped = quiet.count() * 16;
        let Some(at) = rest.iter().skip(skipped).position(|&byte| is_special(byte)) else { return bytes.len() };
        let at = skipped + at;
        let is_character = rest.get(at) == Some(&0xc2) && rest.get(at + 1).is_some_and(|&next| next >= 0xa0);
        if !is_character {
            return from + at;
        }
        from += at + 2;
    }
}

/// Whether `byte` is a control character or may begin one.
fn is_special(byte: u8) -> bool {
    (byte < 0x20) & (byte != b'\t') | (byte == 0x7f) | (byte == 0xc2)
}

/// A control sequence whose parameters start at `at`.
fn command(bytes: &[u8], at: usize, ended: bool) -> Option<(Token<'static>, usize)> {
    let parameters = bytes.get(at..).unwrap_or_default();
    let length = parameters.iter().take(LONGEST_COMMAND).take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
    match parameters.get(length) {
        None if ended => Some((Token::Sequence, at + length)),
        None => None,
        Some(&letter @ 0x40..=0x7e) => {
            let digits = parameters.get(..length).unwrap_or_default();
            let private = digits.first().is_some_and(|byte| matches!(byte, b'<'..=b'?'));
            let token = match letter {
                b'A'..=b'H' | b'J' | b'K' | b'P' | b'X' | b'@' | b'd' | b'f' | b'`' | b'a' | b'e' if !private => {
                    Token::Command(Command { letter, parameter: first_number(digits) })
                }
                b'm' => Token::Sequence,
                // Modes and the like: programs that set them may move the cursor next.
                _ => Token::Command(Command { letter: 0, parameter: None }),
            };
            Some((token, at + length + 1))
        }
        Some(_) => Some((Token::Sequence, at + length)),
    }
}

fn first_number(digits: &[u8]) -> Option<usize> {
    let digits: Vec<u8> = digits.iter().copied().take_while(u8::is_ascii_digit).take(5).collect();
    std::str::from_utf8(&digits).ok()?.parse().ok()
}

/// A string: up to BEL or ST, on this line, without other control characters; else just its introducer.
fn string(bytes: &[u8], ended: bool) -> Option<(Token<'static>, usize)> {
    let mut at = 2;
    loop {
        if at > LONGEST_STRING {
            return Some((Token::Sequence, 2));
        }
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(0x07), _) => return Some((Token::Sequence, at + 1)),
            (Some(0x1b), Some(b'\\')) | (Some(0xc2), Some(0x9c)) => return Some((Token::Sequence, at + 2)),
            (None, _) | (Some(0x1b), None) if !ended => return None,
            (Some(0xc2), Some(0x80..=0x9f)) | (Some(0..=0x08 | 0x0a..=0x1f | 0x7f) | None, _) => {
                return Some((Token::Sequence, 2));
            }
            (Some(_), _) => at += 1,
        }
    }
}

/// The choice of a character set: ESC, intermediates, a last byte.
fn designation(bytes: &[u8], ended: bool) -> Option<(Token<'static>, usize)> {
    let between = bytes.iter().skip(1).take(4).take_while(|byte| matches!(byte, 0x20..=0x2f)).count();
    match bytes.get(1 + between) {
        None if ended => Some((Token::Sequence, 1 + between)),
        None => None,
        Some(0x30..=0x7e) => Some((Token::Sequence, 2 + between)),
        Some(_) => Some((Token::Sequence, 1 + between)),
    }
}
