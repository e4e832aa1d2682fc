//! Sets of bytes, made at compile time and asked for one byte at a time.

/// A set of bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    /// The set of the bytes of `members`.
    pub(crate) const fn of(members: &[u8]) -> ByteSet {
        let mut bits = [0u64; 4];
        let mut at = 0;
        while at < members.len() {
            bits[(members[at] >> 6) as usize] |= 1 << (members[at] & 63);
            at += 1;
        }
        ByteSet(bits)
    }

    pub(crate) const fn has(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }
}

/// Whether a byte is one of a literal's: `among!(byte, b"-_.")`.
macro_rules! among {
    ($byte:expr, $members:literal) => {
        const { crate::byte_set::ByteSet::of($members) }.has($byte)
    };
}
pub(crate) use among;

#[cfg(test)]
mod tests {
    #[test]
    fn a_set_has_its_members_and_no_others() {
        for byte in 0..=255u8 {
            assert_eq!(among!(byte, b"\x00az~\xff"), b"\x00az~\xff".contains(&byte), "{byte}");
        }
    }
}
