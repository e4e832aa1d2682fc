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

    /// The first byte of the literal; zero if it has none.
    fn first(self) -> u8 {
        self.bytes as u8
    }

    /// Whether a text that has this [`head`] may begin with the literal.
    #[inline]
    pub(super) fn may_begin(self, head: u64) -> bool {
        head & self.mask == self.bytes
    }
}

/// Whether a text that has this [`head`] may begin with one of the literals that have `heads`. These are in the order of
/// their first bytes, since few of many have that of the text.
#[inline]
pub(super) fn may_begin_any(heads: &[Head], head: u64) -> bool {
    /// So few are tried without looking for the first that may be it.
    const FEW: usize = 8;
    let from = if heads.len() > FEW { heads.partition_point(|one| one.first() < head as u8) } else { 0 };
    let rest = heads.get(from..).unwrap_or_default();
    let near = rest.iter().take_while(|one| heads.len() <= FEW || one.first() == head as u8);
    near.into_iter().any(|one| one.may_begin(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_many_may_begin_a_text() {
        let literals = ["A0", "B1", "B2", "C", "D4", "E5", "E71", "F", "PL", "W6"];
        let heads = literals.map(Head::of);
        for text in ["", "A0", "A", "B2 x", "B3", "E712 x", "E72", "Fx", "PLW", "P", "W6", "X", "é"] {
            let begins = literals.iter().any(|literal| text.starts_with(literal));
            assert_eq!(may_begin_any(&heads, head(text)), begins, "{text}");
            assert_eq!(may_begin_any(&heads[..3], head(text)), literals[..3].iter().any(|one| text.starts_with(one)));
        }
    }

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
