//! Where figures stand in bytes, eight of them looked at at a time.

use std::ops::Range;

const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of each of eight bytes that is an ASCII digit.
#[inline]
pub(crate) fn of_eight(eight: [u8; 8]) -> u64 {
    // The digits are 0 to 9 now; what is more reaches the highest bit once 118 is added, or has it anyway.
    let moved = u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030;
    let others = ((moved & LOW) + 0x7676_7676_7676_7676) | moved;
    !others & HIGH
}

/// Where ASCII digits stand in `bytes`: every run of them, in order.
pub(crate) fn runs(bytes: &[u8]) -> Runs<'_> {
    Runs { bytes, from: 0, left: of_eight(eight_at(bytes, 0)) }
}

/// The iterator of [`runs`].
#[derive(Debug, Clone)]
pub(crate) struct Runs<'a> {
    bytes: &'a [u8],
    /// Where the eight bytes start that are looked at.
    from: usize,
    /// Those of them that are digits and were not told yet.
    left: u64,
}

impl Runs<'_> {
    /// Looks at the next eight bytes.
    fn go_on(&mut self) {
        self.from += 8;
        self.left = of_eight(eight_at(self.bytes, self.from));
    }
}

impl Iterator for Runs<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        while self.left == 0 {
            if self.from + 8 >= self.bytes.len() {
                return None;
            }
            self.go_on();
        }
        let first = self.left.trailing_zeros();
        let start = self.from + first as usize / 8;
        let mut others = !self.left & HIGH & (u64::MAX << first);
        // What is behind the last byte is no digit, so this ends.
        while others == 0 {
            self.go_on();
            others = !self.left & HIGH;
        }
        let behind = others.trailing_zeros();
        self.left &= u64::MAX << behind;
        Some(start..self.from + behind as usize / 8)
    }
}

/// Eight bytes from `at` on; zeros stand for those behind the last one.
#[inline]
fn eight_at(bytes: &[u8], at: usize) -> [u8; 8] {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.first_chunk().copied().unwrap_or_else(|| {
        let mut eight = [0; 8];
        eight.iter_mut().zip(rest).for_each(|(byte, known)| *byte = *known);
        eight
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_are_found_as_by_looking_at_every_byte(text in "[0-9/:a]{0,40}") {
            let bytes = text.as_bytes();
            let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
            let starts = (0..bytes.len()).filter(|&at| is_digit(at) && !(at > 0 && is_digit(at - 1)));
            let ends = (1..=bytes.len()).filter(|&at| is_digit(at - 1) && !is_digit(at));
            prop_assert_eq!(runs(bytes).collect::<Vec<_>>(), starts.zip(ends).map(|(from, to)| from..to).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_byte_is_told_at_every_place() {
        for byte in 0..=255u8 {
            for at in 0..8 {
                let mut bytes = *b"x/:Oaz~ ";
                bytes[at] = byte;
                let expected = if byte.is_ascii_digit() { 0x80 << (at * 8) } else { 0 };
                assert_eq!(of_eight(bytes), expected, "{byte} at {at}");
            }
        }
    }
}
