//! Bytes to characters: UTF-8, lossy, and UTF-16 where a byte order mark says so.

use super::Changes;

/// Decodes chunk by chunk; a character may be split over chunks anywhere.
#[derive(Debug, Clone, Default)]
pub(super) struct Decoder {
    encoding: Encoding,
    /// The beginning of a character (or of a byte order mark) whose end has not come yet.
    held: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// The first bytes have not come yet.
    #[default]
    Unknown,
    Utf8,
    Utf16 {
        big: bool,
        /// The first half of a surrogate pair.
        high: Option<u16>,
    },
}

impl Decoder {
    /// Whether `bytes`, if they are valid UTF-8, are already the text that decoding would make of them.
    pub(super) fn passes(&mut self, bytes: &[u8]) -> bool {
        if self.encoding == Encoding::Unknown
            && self.held.is_empty()
            && bytes.first().is_some_and(|byte| !matches!(byte, 0xef | 0xfe | 0xff))
        {
            self.encoding = Encoding::Utf8;
        }
        self.encoding == Encoding::Utf8 && self.held.is_empty()
    }

    /// How many bytes the character that is held back still needs.
    pub(super) fn missing(&self) -> usize {
        let width = match self.held.first() {
            Some(0xc2..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(0xf0..=0xf4) => 4,
            _ => 0,
        };
        usize::saturating_sub(width, self.held.len())
    }

    /// Holds the beginning of a character back, which ends a chunk that needed no decoding.
    pub(super) fn hold(&mut self, start: &[u8]) {
        self.held.extend_from_slice(start);
    }

    /// Appends the characters that are complete with `bytes` to `out`.
    pub(super) fn decode(&mut self, bytes: &[u8], out: &mut String, changes: &mut Changes) {
        if self.encoding == Encoding::Unknown {
            let Some(rest) = self.start(bytes, changes) else { return };
            return self.decode_known(rest, out, changes);
        }
        self.decode_known(bytes, out, changes);
    }

    /// The end: what is incomplete now will stay so.
    pub(super) fn finish(&mut self, out: &mut String, changes: &mut Changes) {
        if self.encoding == Encoding::Unknown {
            self.encoding = Encoding::Utf8;
            let held = std::mem::take(&mut self.held);
            self.decode_utf8(&held, out, changes);
        }
        let halves = matches!(self.encoding, Encoding::Utf16 { high: Some(_), .. });
        if !self.held.is_empty() || halves {
            changes.invalid += 1;
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// Looks for a byte order mark; `None` while it may still come, else the bytes behind it.
    fn start<'a>(&mut self, bytes: &'a [u8], changes: &mut Changes) -> Option<&'a [u8]> {
        let mut rest = bytes;
        loop {
            match self.held.as_slice() {
                [0xef, 0xbb, 0xbf] => {
                    self.encoding = Encoding::Utf8;
                    changes.controls += 1;
                    self.held.clear();
                    return Some(rest);
                }
                [first @ (0xff | 0xfe), second @ (0xff | 0xfe)] if first != second => {
                    self.encoding = Encoding::Utf16 { big: *first == 0xfe, high: None };
                    changes.transcoded = true;
                    self.held.clear();
                    return Some(rest);
                }
                [] | [0xef] | [0xef, 0xbb] | [0xff] | [0xfe] => {}
                _ => {
                    self.encoding = Encoding::Utf8;
                    return Some(rest);
                }
            }
            let (byte, later) = rest.split_first()?;
            self.held.push(*byte);
            rest = later;
        }
    }

    fn decode_known(&mut self, bytes: &[u8], out: &mut String, changes: &mut Changes) {
        match self.encoding {
            Encoding::Utf16 { big, high } => self.decode_utf16(bytes, big, high, out, changes),
            Encoding::Unknown | Encoding::Utf8 => {
                let mut rest = bytes;
                // What was held needs at most three more bytes; once it is decided, the rest goes at full speed.
                while !self.held.is_empty() {
                    let held = std::mem::take(&mut self.held);
                    self.decode_utf8(&held, out, changes);
                    if self.held.is_empty() {
                        break;
                    }
                    let Some((byte, later)) = rest.split_first() else { return };
                    self.held.push(*byte);
                    rest = later;
                }
                self.decode_utf8(rest, out, changes);
            }
        }
    }

    /// Decodes `bytes`, and holds an incomplete character at their end back. Nothing may be held before.
    fn decode_utf8(&mut self, bytes: &[u8], out: &mut String, changes: &mut Changes) {
        // A whole block is checked many times as fast as the chunks between errors are found.
        let mut rest = bytes;
        loop {
            let error = match std::str::from_utf8(rest) {
                Ok(text) => return out.push_str(text),
                Err(error) => error,
            };
            let (valid, invalid) = rest.split_at(error.valid_up_to());
            out.push_str(std::str::from_utf8(valid).unwrap_or_default());
            let Some(width) = error.error_len() else { return self.held.extend_from_slice(invalid) };
            changes.invalid += 1;
            out.push(char::REPLACEMENT_CHARACTER);
            rest = invalid.get(width..).unwrap_or_default();
        }
    }

    fn decode_utf16(&mut self, bytes: &[u8], big: bool, high: Option<u16>, out: &mut String, changes: &mut Changes) {
        let mut high = high;
        for &byte in bytes {
            self.held.push(byte);
            let [first, second] = self.held.as_slice() else { continue };
            let unit = if big { u16::from_be_bytes([*first, *second]) } else { u16::from_le_bytes([*first, *second]) };
            self.held.clear();
            let pair = high.take().into_iter().chain([unit]);
            for decoded in char::decode_utf16(pair) {
                match decoded {
                    Ok(char) => out.push(char),
                    Err(error) if error.unpaired_surrogate() == unit && (0xd800..0xdc00).contains(&unit) => {
                        high = Some(unit);
                    }
                    Err(_) => {
                        changes.invalid += 1;
                        out.push(char::REPLACEMENT_CHARACTER);
                    }
                }
            }
        }
        self.encoding = Encoding::Utf16 { big, high };
    }
}
