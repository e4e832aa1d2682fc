//! From raw bytes to text: what a terminal would have shown, and nothing that only a terminal understands.
//!
//! [`Cleaner`] takes bytes in whatever chunks the world sends. Invalid UTF-8 becomes U+FFFD, exactly where
//! [`String::from_utf8_lossy`] puts it; NUL bytes that separate texts (`find -print0`) end a line, others go, and so do
//! escape sequences and control characters; progress displays that
//! overwrite themselves by carriage returns, backspaces and cursor movements collapse to their last state. Line ends
//! (LF, CRLF, and a CR that is one) stay as they are, and text that needs none of this comes out byte for byte.
//!
//! The result does not depend on the chunks: every rule looks at one line, ended by LF or by a fixed length
//! ([`LIMIT`]), and at a window of [`DEPTH`] lines above it once cursor movements have been seen. That also bounds
//! the memory.

use std::mem;

use memchr::{memchr, memrchr};

use crate::text;

mod decode;
mod returns;
mod screen;
mod sequence;

use decode::Decoder;
use returns::{Returns, Surroundings};
use screen::Screen;
use sequence::Token;

/// How many bytes of one line are held back, at most, because they may still be overwritten.
pub const LIMIT: usize = 64 * 1024;

/// How many lines stay within reach of cursor movements, once there are any.
pub const DEPTH: usize = 64;

/// A NUL that is the only one in a line of so many bytes is a stray one.
const LONE_NUL: usize = 16;

/// How many bytes are looked at before the scan asks whether to go on.
const BLOCK: usize = 4096;

/// What cleaning has changed so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Places where invalid bytes became U+FFFD.
    pub invalid: u64,
    /// NUL bytes dropped, or made line ends.
    pub nuls: u64,
    /// Escape sequences dropped or resolved.
    pub sequences: u64,
    /// Other control characters dropped or resolved.
    pub controls: u64,
    /// Lines of which earlier states were overwritten.
    pub overwritten: u64,
    /// The characters of those states.
    pub overwritten_chars: u64,
    /// Whether the input was UTF-16, as its byte order mark said.
    pub transcoded: bool,
}

/// Makes text of raw bytes, chunk by chunk.
#[derive(Debug, Clone, Default)]
pub struct Cleaner {
    decoder: Decoder,
    decoded: String,
    /// The raw text of the line that has not ended yet.
    line: String,
    /// Whether a part of this line was too long to be held and is out already: nothing overwrites it any more.
    long: bool,
    /// Whether a LF was seen: then the input is not a text whose lines end with CR.
    feeds: bool,
    /// The last state of this line, where an earlier part of it is on the screen already.
    before: Option<String>,
    /// Whether the NUL bytes in this line separate texts, where an earlier part of it has decided that.
    nuls_separate: Option<bool>,
    /// Whether the last character was a NUL.
    after_nul: bool,
    screen: Screen,
    changes: Changes,
}

impl Cleaner {
    /// Takes raw bytes in and returns the text that is final by now.
    ///
    /// That is a part of `bytes` itself where nothing had to change and nothing was held back, else it lies in
    /// `scratch`, whose former content is gone. Costs one scan of the bytes, and one copy where there is a copy.
    pub fn push<'a>(&mut self, bytes: &'a [u8], scratch: &'a mut String) -> &'a str {
        scratch.clear();
        if self.is_idle(bytes)
            && let Some((plain, split)) = plain(bytes)
        {
            self.decoder.hold(split);
            let (lines, open) = plain.split_at(memrchr(b'\n', plain.as_bytes()).map_or(0, |at| at + 1));
            self.feeds |= !lines.is_empty();
            if open.len() > LIMIT && !open.ends_with('\r') {
                self.long = true;
                return plain;
            }
            if open.len() <= LIMIT {
                self.line.push_str(open);
                return lines;
            }
            self.take_plain(plain, scratch);
            return scratch;
        }
        for block in bytes.chunks(LIMIT) {
            self.take_block(block, scratch);
        }
        scratch
    }

    /// The end of the input: returns what was still held back. The cleaner is then as good as new, but for its counts.
    pub fn finish<'a>(&mut self, scratch: &'a mut String) -> &'a str {
        scratch.clear();
        let mut decoded = mem::take(&mut self.decoded);
        decoded.clear();
        self.decoder.finish(&mut decoded, &mut self.changes);
        self.take(&decoded, scratch);
        let line = mem::take(&mut self.line);
        if self.long {
            self.write_long(&line, true, scratch);
        } else {
            self.resolve(&line, None, scratch);
        }
        self.screen.flush(scratch);
        let screen = Screen::with_states(self.screen.take_states());
        *self = Cleaner { changes: self.changes, screen, ..Cleaner::default() };
        scratch
    }

    /// The states of lines that were overwritten since the last call, each on a line of its own, in order: what a
    /// terminal showed for a while.
    pub fn take_overwritten(&mut self) -> String {
        self.screen.take_states()
    }

    /// What was changed so far.
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Whether nothing is held back that `bytes` would have to be joined to.
    fn is_idle(&mut self, bytes: &[u8]) -> bool {
        self.decoder.passes(bytes) && self.line.is_empty() && !self.long && self.screen.is_idle()
    }

    fn take_block(&mut self, block: &[u8], out: &mut String) {
        // A character that the last chunk has split comes first, so that it does not slow the rest down.
        let split = self.decoder.missing().min(block.len());
        let (start, rest) = block.split_at(split);
        if !start.is_empty() {
            self.take_bytes(start, out);
        }
        if self.decoder.passes(rest)
            && let Some((plain, split)) = plain(rest)
        {
            self.decoder.hold(split);
            return self.take_plain(plain, out);
        }
        self.take_bytes(rest, out);
    }

    /// Takes any bytes in.
    fn take_bytes(&mut self, bytes: &[u8], out: &mut String) {
        let mut decoded = mem::take(&mut self.decoded);
        decoded.clear();
        self.decoder.decode(bytes, &mut decoded, &mut self.changes);
        self.take(&decoded, out);
        self.decoded = decoded;
    }

    /// Takes text in that has nothing to resolve in itself.
    fn take_plain(&mut self, plain: &str, out: &mut String) {
        let Some(first) = memchr(b'\n', plain.as_bytes()) else {
            // More of a line that is out already goes out at once; a CR at the end waits for its LF.
            if self.long && self.line.is_empty() && !plain.ends_with('\r') {
                return out.push_str(plain);
            }
            return self.feed(plain, out);
        };
        let (first, rest) = plain.split_at(first + 1);
        self.take(first, out);
        let (lines, open) = rest.split_at(memrchr(b'\n', rest.as_bytes()).map_or(0, |at| at + 1));
        if !self.screen.take_lines(lines, out) {
            self.take(lines, out);
        }
        self.feed(open, out);
    }

    /// Takes any text in, line by line.
    fn take(&mut self, decoded: &str, out: &mut String) {
        let mut rest = decoded;
        while let Some(at) = memchr(b'\n', rest.as_bytes()) {
            let (line, after) = rest.split_at(at);
            rest = text::slice(after, 1..after.len());
            if self.line.is_empty() && !self.long && line.len() <= LIMIT {
                self.feeds = true;
                self.resolve(line, Some("\n"), out);
                continue;
            }
            // The LF counts from here on: what overflows before it is decided without it, as if it had not come yet.
            self.feed(line, out);
            self.feeds = true;
            let mut held = mem::take(&mut self.line);
            if self.long {
                let words = held.trim_end_matches('\r');
                self.write_long(words, true, out);
                out.push_str(if words.len() < held.len() { "\r\n" } else { "\n" });
                self.long = false;
                self.before = None;
            } else {
                self.resolve(&held, Some("\n"), out);
            }
            held.clear();
            self.line = held;
        }
        self.feed(rest, out);
    }

    /// Takes a part of a line in.
    fn feed(&mut self, part: &str, out: &mut String) {
        let mut rest = part;
        while !rest.is_empty() {
            if self.long {
                let mut held = mem::take(&mut self.line);
                held.push_str(rest);
                let done = self.write_long(&held, false, out);
                held.drain(..done);
                self.line = held;
                if self.long {
                    return;
                }
                // A carriage return has ended the long line; what follows it starts anew.
                let held = mem::take(&mut self.line);
                return self.feed(&held, out);
            }
            let room = LIMIT - self.line.len().min(LIMIT);
            if rest.len() <= room {
                self.line.push_str(rest);
                return;
            }
            let (fits, later) = rest.split_at(text::floor(rest, room));
            self.line.push_str(fits);
            rest = later;
            self.overflow(out);
        }
    }

    /// The line that is held has reached the limit: what can be resolved of it is, and what is still too long is let go.
    fn overflow(&mut self, out: &mut String) {
        let mut held = mem::take(&mut self.line);
        // What a carriage return means is told by both states around it, so the last one waits for its second.
        let (settled, ended) = match memrchr(b'\r', held.as_bytes()) {
            Some(last) if last > 0 => (last, true),
            _ => (sequence::settled(&held), false),
        };
        let part = text::slice(&held, 0..settled);
        self.write(part, ended, false, out);
        let state = part.rsplit('\r').find(|state| !state.trim_end().is_empty()).unwrap_or_default();
        if !state.is_empty() {
            self.before = Some(text::slice(state, 0..text::ceil(state, returns::WIDEST + 1)).to_owned());
        }
        held.drain(..settled);
        self.line = held;
        if self.screen.row_len() > LIMIT / 4 {
            self.screen.flush(out);
            self.long = true;
        }
    }

    /// A line is complete (`end`), or the input is.
    fn resolve(&mut self, line: &str, end: Option<&'static str>, out: &mut String) {
        let words = line.trim_end_matches('\r');
        let returned = words.len() < line.len();
        let end = match end {
            Some(_) if returned => {
                self.changes.controls += (line.len() - words.len() - 1) as u64;
                "\r\n"
            }
            Some(end) => end,
            // Carriage returns at the very end stay, unless they belong to a progress display.
            None if returned => return self.write(line, true, true, out),
            None => "",
        };
        let plain = !sequence::has_special(words);
        if plain && self.screen.is_idle() {
            out.push_str(words);
            out.push_str(end);
        } else if plain {
            let words = self.screen.write_margin(words);
            self.screen.write(words, &mut self.changes);
            self.screen.end_row(end, out);
        } else {
            self.write(words, true, true, out);
            self.screen.end_row(end, out);
        }
        self.before = None;
        self.nuls_separate = None;
        self.after_nul = false;
    }

    /// Whether a NUL that comes now ends a line; of several in a row the first does.
    fn ends_line(&mut self, line: &str) -> bool {
        let separates = *self.nuls_separate.get_or_insert_with(|| nuls_separate(line));
        separates && !std::mem::replace(&mut self.after_nul, true)
    }

    /// Writes a part of a line to the screen, as a terminal would. `ended` says that no sequence goes on behind it,
    /// `last` that nothing of the line does.
    fn write(&mut self, part: &str, ended: bool, last: bool, out: &mut String) {
        let mut rest = self.screen.write_margin(part);
        let around = Surroundings { before: self.before.as_deref(), feeds: self.feeds, ended: last };
        let returns = if rest.contains('\r') { returns::meanings(rest, &around) } else { Vec::new() };
        let mut returns = returns.into_iter();
        while let Some((token, width)) = sequence::next(rest, ended) {
            match token {
                Token::Text(words) => self.screen.write(words, &mut self.changes),
                Token::Return if returns.next() == Some(Returns::End) => self.screen.end_row("\r", out),
                Token::Return => {
                    self.changes.controls += 1;
                    self.screen.go_to_column(0);
                }
                Token::Back => {
                    self.changes.controls += 1;
                    self.screen.back(1);
                }
                Token::Nul => {
                    self.changes.nuls += 1;
                    if self.ends_line(part) {
                        self.screen.end_row("\n", out);
                    }
                    rest = text::slice(rest, width..rest.len());
                    continue;
                }
                Token::Control => self.changes.controls += 1,
                Token::Sequence => self.changes.sequences += 1,
                Token::Command(command) => {
                    self.changes.sequences += 1;
                    self.screen.obey(&command, &mut self.changes, out);
                }
            }
            self.after_nul = false;
            rest = text::slice(rest, width..rest.len());
        }
    }

    /// Writes a part of a line that is out already in part; returns how many bytes of it are done with.
    ///
    /// Nothing can be overwritten here: a carriage return ends the line, and movements go.
    fn write_long(&mut self, part: &str, ended: bool, out: &mut String) -> usize {
        let mut done = 0;
        while let Some((token, width)) = sequence::next(text::slice(part, done..part.len()), ended) {
            match token {
                Token::Text(words) => out.push_str(words),
                Token::Return => {
                    if !ended && done + width == part.len() {
                        return done;
                    }
                    out.push('\r');
                    if !ended {
                        self.long = false;
                        self.before = None;
                        return done + width;
                    }
                }
                Token::Back | Token::Control => self.changes.controls += 1,
                Token::Nul => {
                    self.changes.nuls += 1;
                    // What was not decided before the line grew too long cannot be by now.
                    let separates = *self.nuls_separate.get_or_insert(false);
                    if separates && !self.after_nul {
                        out.push('\n');
                    }
                    self.after_nul = true;
                    done += width;
                    continue;
                }
                Token::Sequence | Token::Command(_) => self.changes.sequences += 1,
            }
            self.after_nul = false;
            done += width;
        }
        done
    }
}

/// Whether the NUL bytes in `line` separate texts, as `find -print0`, `env -0` and `git -z` write them, rather than pad
/// it or belong to wide characters: then there is about as much of them as of anything else.
fn nuls_separate(line: &str) -> bool {
    let nuls = memchr::memchr_iter(0, line.as_bytes()).count();
    match nuls {
        0 => false,
        1 => line.len() > LONE_NUL,
        _ => line.len() >= 3 * nuls,
    }
}

/// The text of `bytes` if there is nothing to resolve in it: valid UTF-8 without control characters, tabs and line ends
/// aside; and the beginning of a character at its end, where the bytes end inside one. A CR as the last byte may still
/// become a line end.
fn plain(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let mut ascii = true;
    // Folding a block without branches lets the compiler use vectors; a block at a time lets it stop early.
    for (number, block) in bytes.chunks(BLOCK).enumerate() {
        // Most blocks have nothing but what is printed in ASCII, tabs and line feeds.
        let mut unusual = false;
        for &byte in block {
            unusual |= (byte.wrapping_sub(0x20) >= 0x5f) & (byte.wrapping_sub(b'\t') >= 2);
        }
        if !unusual {
            continue;
        }
        ascii = false;
        let mut strange = false;
        let mut returns = false;
        for &byte in block {
            strange |= (byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r') | (byte == 0x7f);
            returns |= byte == b'\r';
        }
        if strange || returns && !returns_end_lines(bytes, number * BLOCK, block) {
            return None;
        }
    }
    let (text, split) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, [].as_slice()),
        Err(error) if error.error_len().is_none() => {
            let (valid, split) = bytes.split_at(error.valid_up_to());
            (std::str::from_utf8(valid).ok()?, split)
        }
        Err(_) => return None,
    };
    let is_control = |at: usize| bytes.get(at + 1).is_some_and(|&next| next < 0xa0);
    let controls = !ascii && memchr::memchr_iter(0xc2, bytes).any(is_control);
    (!controls).then_some((text, split))
}

/// Whether every CR of `block`, which starts at `start` of `bytes`, has a LF behind it (or nothing yet).
fn returns_end_lines(bytes: &[u8], start: usize, block: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', block).all(|at| matches!(bytes.get(start + at + 1), Some(b'\n') | None))
}

#[cfg(test)]
mod tests;
