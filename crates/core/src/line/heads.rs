//! How texts begin, compared eight bytes at a time: most literals are told from a line by that alone.

/// The first eight bytes of a text as a number; zeros where it has fewer.
#[inline]
pub(super) fn head(text: &str) -> u64 {
    let bytes = text.as_bytes();
    bytes.first_chunk().map_or_else(
        || bytes.iter().rev().fold(0, |head, &byte| head << 8 | u64::from(byte)),
        |eight| u64::from_le_bytes(*eight),
    )
}

/// The first eight bytes of a literal, fewer of a shorter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    bytes: u64,
    mask: u64,
}

impl Head {
    /// The head of `literal`.
    pub(super) const fn of(literal: &str) -> Head {
        let text = literal.as_bytes();
        let (mut bytes, mut mask, mut at) = (0, 0, 0);
        while at < text.len() && at < 8 {
            bytes |= (text[at] as u64) << (at * 8);
            mask |= 0xff << (at * 8);
            at += 1;
        }
        Head { bytes, mask }
    }

    /// Whether a text that has this [`head`] may begin with the literal.
    #[inline]
    pub(super) fn may_begin(self, head: u64) -> bool {
        head & self.mask == self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_a_text_has_its_head() {
        for text in ["", "a", "ab", "FAILED", "FAILED: x", "--- FAIL: TestX", "é✗ x"] {
            for literal in ["", "a", "FAIL", "FAILED: ", "--- FAIL: ", "--- FAIL: TestX", "✗", "é"] {
                let may = Head::of(literal).may_begin(head(text));
                assert!(may || !text.starts_with(literal), "{literal} begins {text}");
                if literal.len() <= 8 {
                    assert_eq!(may, text.starts_with(literal), "{literal} and {text}");
                }
            }
        }
    }
}
