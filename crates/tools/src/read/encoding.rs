//! UTF-16, where a byte order mark says so, as UTF-8.

use std::io::{self, Read};

/// How many bytes are decoded at a time.
const BLOCK: usize = 32 * 1024;

/// Which half of a unit comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wide {
    Big,
    Little,
}

impl Wide {
    /// What the first bytes of a file say; `None` for everything that is not UTF-16.
    pub(super) fn of(head: &[u8]) -> Option<Wide> {
        match head {
            [0xfe, 0xff, ..] => Some(Wide::Big),
            [0xff, 0xfe, ..] => Some(Wide::Little),
            _ => None,
        }
    }

    /// `source` as UTF-8, without its mark; what is broken becomes U+FFFD.
    pub(super) fn decode<R: Read>(self, source: R) -> Decoded<R> {
        Decoded { wide: self, source, odd: None, high: None, at_start: true, ready: Vec::new(), given: 0 }
    }

    fn unit(self, pair: [u8; 2]) -> u16 {
        match self {
            Wide::Big => u16::from_be_bytes(pair),
            Wide::Little => u16::from_le_bytes(pair),
        }
    }
}

/// The reader of [`Wide::decode`].
#[derive(Debug)]
pub(super) struct Decoded<R> {
    wide: Wide,
    source: R,
    /// The first half of a unit.
    odd: Option<u8>,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    at_start: bool,
    ready: Vec<u8>,
    given: usize,
}

impl<R: Read> Decoded<R> {
    /// Decodes the next block; false at the end.
    fn fill(&mut self) -> io::Result<bool> {
        self.ready.clear();
        self.given = 0;
        let mut block = Vec::with_capacity(BLOCK);
        block.extend(self.odd.take());
        if self.source.by_ref().take((BLOCK - block.len()) as u64).read_to_end(&mut block)? == 0 {
            // What is incomplete now will stay so.
            if self.high.take().is_some() || !block.is_empty() {
                self.push(char::REPLACEMENT_CHARACTER);
            }
            return Ok(!self.ready.is_empty());
        }
        let (pairs, odd) = block.as_chunks::<2>();
        self.odd = odd.first().copied();
        let units: Vec<u16> =
            self.high.take().into_iter().chain(pairs.iter().map(|pair| self.wide.unit(*pair))).collect();
        let (units, high) = match units.split_last() {
            Some((last, rest)) if (0xd800..0xdc00).contains(last) => (rest, Some(*last)),
            _ => (units.as_slice(), None),
        };
        self.high = high;
        for decoded in char::decode_utf16(units.iter().copied()) {
            let char = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            if !(self.at_start && char == '\u{feff}') {
                self.push(char);
            }
            self.at_start = false;
        }
        Ok(true)
    }

    fn push(&mut self, char: char) {
        self.ready.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() {
            if !self.fill()? {
                return Ok(0);
            }
        }
        let mut ready = self.ready.get(self.given..).unwrap_or_default();
        let taken = ready.read(buffer)?;
        self.given += taken;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        let mut text = String::new();
        Wide::of(bytes).unwrap().decode(bytes).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn both_orders_are_read_and_the_mark_goes() {
        let text = format!("\u{feff}{}", "zwei 🎉 Zeilen\nö\n".repeat(3000));
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decoded(&little), text.trim_start_matches('\u{feff}'));
        assert_eq!(decoded(&big), text.trim_start_matches('\u{feff}'));
        assert_eq!(Wide::of(b"plain"), None);
    }

    #[test]
    fn what_is_broken_is_marked() {
        assert_eq!(decoded(b"\xff\xfea\0\x00\xd8b\0"), "a\u{fffd}b");
        assert_eq!(decoded(b"\xff\xfea\0\x00\xd8"), "a\u{fffd}");
        assert_eq!(decoded(b"\xff\xfea\0b"), "a\u{fffd}");
        assert_eq!(decoded(b"\xff\xfe"), "");
    }
}
