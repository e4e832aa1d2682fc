//! How big a text is, and where its lines are: measured in one pass, whatever the chunks.
//!
//! [`Meter`] is fed the cleaned text in pieces of any size and ends in an [`Extent`] (the totals) and an [`Index`]
//! (a checkpoint every [`STRIDE`] bytes), from which a position costs one short scan, however large the text is.

use crate::text;

/// How far apart the checkpoints of an [`Index`] are, in bytes.
pub const STRIDE: u64 = 64 * 1024;

/// The size of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// UTF-8 bytes.
    pub bytes: u64,
    /// Unicode scalar values.
    pub chars: u64,
    /// Lines; a last one without an end counts.
    pub lines: u64,
    /// The bytes of the longest line, its end not counted.
    pub longest_line: u64,
}

impl Extent {
    /// The extent of a text in memory.
    pub fn of(text: &str) -> Extent {
        let mut meter = Meter::default();
        meter.push(text);
        meter.finish().0
    }

    /// The stated estimate of tokens: characters ÷ 4, rounded up.
    pub fn estimated_tokens(&self) -> u64 {
        self.chars.div_ceil(4)
    }
}

/// A place between two characters of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Bytes before it.
    pub byte: u64,
    /// Characters before it.
    pub char: u64,
    /// Line starts at or before it, the first line's not counted: the 0-based number of the line it is in.
    pub line: u64,
}

/// Positions at regular distances, so that no later look-up reads more than one stride.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    checkpoints: Vec<Position>,
}

impl Index {
    /// An index from stored checkpoints; they must be in order and start after 0.
    pub fn from_checkpoints(checkpoints: Vec<Position>) -> Option<Index> {
        let ordered = checkpoints.windows(2).all(|pair| matches!(pair, [a, b] if a.byte < b.byte && a.line <= b.line));
        let starts_later = checkpoints.first().is_none_or(|first| first.byte > 0);
        (ordered && starts_later).then_some(Index { checkpoints })
    }

    /// The same with one checkpoint for every `stride` bytes, the first at or behind each border.
    #[must_use]
    pub fn thinned(mut self, stride: u64) -> Index {
        let mut last = 0;
        self.checkpoints.retain(|position| {
            let border = position.byte / stride.max(1);
            border > std::mem::replace(&mut last, border)
        });
        self
    }

    /// The checkpoints, in order; the beginning of the text is not among them.
    pub fn checkpoints(&self) -> &[Position] {
        &self.checkpoints
    }

    /// The last known position at or before `byte`.
    pub fn before_byte(&self, byte: u64) -> Position {
        self.last_where(|position| position.byte <= byte)
    }

    /// The last known position at or before the start of line `line` (0-based).
    pub fn before_line(&self, line: u64) -> Position {
        self.last_where(|position| position.line < line)
    }

    /// The last known position at or before character `char`.
    pub fn before_char(&self, char: u64) -> Position {
        self.last_where(|position| position.char <= char)
    }

    fn last_where(&self, holds: impl Fn(&Position) -> bool) -> Position {
        let after = self.checkpoints.partition_point(holds);
        after.checked_sub(1).and_then(|at| self.checkpoints.get(at)).copied().unwrap_or_default()
    }
}

/// Measures a text that arrives in pieces.
#[derive(Debug, Clone, Default)]
pub struct Meter {
    at: Position,
    line_start: u64,
    longest_line: u64,
    after_cr: bool,
    index: Index,
}

impl Meter {
    /// Takes the next piece in.
    pub fn push(&mut self, piece: &str) {
        let mut rest = piece;
        while !rest.is_empty() {
            let border = (self.at.byte / STRIDE + 1) * STRIDE;
            let room = usize::try_from(border - self.at.byte).unwrap_or(usize::MAX);
            if rest.len() < room {
                self.count(rest);
                return;
            }
            let (now, later) = rest.split_at(text::ceil(rest, room));
            self.count(now);
            // A checkpoint between CR and LF would not know its line yet: it waits for the next stride.
            if !self.after_cr {
                self.index.checkpoints.push(self.at);
            }
            rest = later;
        }
    }

    fn count(&mut self, piece: &str) {
        let bytes = piece.as_bytes();
        let mut seen = 0;
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            if bytes.first() == Some(&b'\n') {
                seen = 1;
            }
            self.start_line(self.at.byte + seen as u64, 1 + seen as u64);
        }
        // Most text has no CR; then every line end is one byte, and looking for one byte is quicker.
        if memchr::memchr(b'\r', bytes).is_none() {
            self.count_plain(bytes.get(seen..).unwrap_or_default(), self.at.byte + seen as u64);
            self.at.byte += bytes.len() as u64;
            self.at.char += text::chars(piece);
            return;
        }
        for found in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if found < seen {
                continue;
            }
            let width = if bytes.get(found) == Some(&b'\n') {
                1
            } else {
                match bytes.get(found + 1) {
                    Some(b'\n') => 2,
                    Some(_) => 1,
                    None => {
                        self.after_cr = true;
                        continue;
                    }
                }
            };
            seen = found + width;
            self.start_line(self.at.byte + seen as u64, width as u64);
        }
        self.at.byte += bytes.len() as u64;
        self.at.char += text::chars(piece);
    }

    /// Counts the lines of bytes that have no CR; they start at `at`.
    ///
    /// Only a line longer than all before it matters. So the search leaps from the start of a line as far as the
    /// longest one goes, and looks back from there: the lines that end on the way need not be looked at one by one.
    fn count_plain(&mut self, bytes: &[u8], mut at: u64) {
        self.at.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
        let mut rest = bytes;
        loop {
            let room = usize::try_from(self.longest_line.saturating_sub(at - self.line_start)).unwrap_or(usize::MAX);
            let near = rest.get(..room.saturating_add(1)).unwrap_or(rest);
            let far = || memchr::memchr(b'\n', rest.get(near.len()..).unwrap_or_default());
            let Some(end) = memchr::memrchr(b'\n', near).or_else(|| far().map(|end| near.len() + end)) else { return };
            at += end as u64 + 1;
            // What lies near is no longer than the longest; what lies far, or was too long already, is one line.
            self.longest_line = self.longest_line.max(at - 1 - self.line_start);
            self.line_start = at;
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }

    /// A new line starts at `byte`; the one before it ended with `end` bytes of line end.
    fn start_line(&mut self, byte: u64, end: u64) {
        self.longest_line = self.longest_line.max(byte - end - self.line_start);
        self.line_start = byte;
        self.at.line += 1;
    }

    /// Where the meter stands: everything pushed so far lies before it.
    pub fn position(&self) -> Position {
        self.at
    }

    /// The totals so far, as if the text ended here.
    pub fn extent(&self) -> Extent {
        let mut last = self.clone_without_index();
        if last.after_cr {
            last.start_line(last.at.byte, 1);
        }
        let open = last.at.byte - last.line_start;
        Extent {
            bytes: last.at.byte,
            chars: last.at.char,
            lines: last.at.line + u64::from(open > 0),
            longest_line: last.longest_line.max(open),
        }
    }

    fn clone_without_index(&self) -> Meter {
        Meter { index: Index::default(), ..*self }
    }

    /// The end of the text: its totals, and its index.
    pub fn finish(self) -> (Extent, Index) {
        (self.extent(), self.index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The obvious way, one character at a time.
    fn naive(text: &str) -> Extent {
        let longest = text::split(text).map(|line| line.text.len() as u64).max().unwrap_or(0);
        Extent {
            bytes: text.len() as u64,
            chars: text.chars().count() as u64,
            lines: text::split(text).count() as u64,
            longest_line: longest,
        }
    }

    #[test]
    fn the_extent_equals_the_naive_count_for_any_chunking() {
        let texts = ["", "a", "a\n", "\r\n", "\r", "\r\r\n\n\r", "ab\r\ncde\rfg\nh", "é\r\n世\r", "x\r\n\r\n"];
        for text in texts {
            for at in 0..=text.len() {
                let at = text::floor(text, at);
                let (left, right) = text.split_at(at);
                let mut meter = Meter::default();
                meter.push(left);
                meter.push("");
                meter.push(right);
                assert_eq!(meter.extent(), naive(text), "{text:?} at {at}");
                assert_eq!(meter.finish().0, naive(text), "{text:?} at {at}");
            }
        }
    }

    #[test]
    fn lines_of_any_lengths_are_counted_and_the_longest_is_known() {
        let mut seed = 7u64;
        let mut text = String::new();
        for n in 0..4000u64 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(n);
            text.push_str(&"x".repeat((seed >> 33) as usize % [3, 90, 400][n as usize % 3]));
            text.push('\n');
            if n % 500 == 0 {
                let mut meter = Meter::default();
                for piece in text.as_bytes().chunks(1 + (seed >> 40) as usize % 700) {
                    meter.push(std::str::from_utf8(piece).unwrap());
                }
                assert_eq!(meter.finish().0, naive(&text), "{n}");
            }
        }
    }

    #[test]
    fn a_thinned_index_keeps_the_first_checkpoint_behind_each_border() {
        let at = |byte| Position { byte, char: byte, line: 0 };
        let index = Index { checkpoints: [64, 128, 192, 256, 321, 385, 512, 577, 1030].map(at).to_vec() };
        assert_eq!(index.thinned(256).checkpoints(), [256, 512, 1030].map(at));
    }

    #[test]
    fn checkpoints_are_the_same_for_any_chunking_and_name_true_positions() {
        let text: String = (0..30_000).map(|n| if n % 7 == 0 { "é\r\n" } else { "wörld " }).collect();
        let mut whole = Meter::default();
        whole.push(&text);
        let mut pieces = Meter::default();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(text::ceil(rest, 1 + rest.len() % 9001).min(rest.len()));
            pieces.push(now);
            rest = later;
        }
        let (_, index) = whole.finish();
        assert_eq!(index, pieces.finish().1);
        assert!(index.checkpoints().len() >= 2);
        for position in index.checkpoints() {
            let before = text.get(..position.byte as usize).unwrap();
            assert_eq!(position.char, before.chars().count() as u64);
            let starts =
                text::split(&text).filter(|line| line.start > 0 && line.start <= position.byte as usize).count();
            assert_eq!(position.line, starts as u64);
        }
    }
}
