//! Where figures stand in bytes, eight of them looked at at a time.

const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The place of the first ASCII digit in `bytes` at `from` or behind it; their length where there is none.
#[inline]
pub(crate) fn next_digit(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        // The digits are 0 to 9 now; what is more reaches the highest bit once 118 is added, or has it anyway.
        let moved = u64::from_le_bytes(*eight) ^ 0x3030_3030_3030_3030;
        let others = ((moved & LOW) + 0x7676_7676_7676_7676) | moved;
        let digits = !others & HIGH;
        if digits != 0 {
            return at + digits.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(u8::is_ascii_digit).map_or(bytes.len(), |found| at + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_told_at_every_place() {
        for byte in 0..=255u8 {
            for length in 1..20 {
                for at in 0..length {
                    let mut bytes = vec![b'x'; length];
                    bytes[at] = byte;
                    let expected = if byte.is_ascii_digit() { at } else { length };
                    assert_eq!(next_digit(&bytes, 0), expected, "{byte} at {at} of {length}");
                    assert_eq!(next_digit(&bytes, at + 1), length);
                }
            }
        }
        assert_eq!(next_digit(b"/:0189", 0), 2);
        assert_eq!(next_digit(b"", 0), 0);
    }
}
