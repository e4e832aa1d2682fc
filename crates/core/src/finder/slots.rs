//! Where a finder's tables say something of three bytes and of four. What makes the tables reads this file, too.

/// So many slots that hardly two words share one, and few enough for the nearest cache.
pub(crate) const SLOTS: usize = 1 << 15;

/// So many buckets that hardly two parts share one.
pub(crate) const BUCKETS: usize = 1 << 11;

/// How many bits tell four bytes that are looked for from others.
const MARKS: usize = 1 << 14;

/// How many numbers those bits are.
pub(crate) const MARK_WORDS: usize = MARKS / u64::BITS as usize;

/// What is added to four bytes so that letters of both cases are the same.
pub(crate) const BOTH_CASES: u32 = 0x2020_2020;

/// Four bytes that are looked for.
#[derive(Debug)]
pub(crate) struct Part {
    /// The four bytes, folded.
    pub(crate) bytes: u32,
    /// The part before it in its bucket, by number and one more.
    pub(crate) before: u16,
    /// The last of its places, by number and one more.
    pub(crate) place: u16,
}

/// A word that has a part.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) word: u16,
    /// How far from the word's beginning the part stands.
    pub(crate) offset: u16,
    /// The place before it of its part, by number and one more.
    pub(crate) before: u16,
}

/// The slot of the first three of four folded bytes: the last is shifted out.
#[inline]
pub(crate) fn slot(folded: u32) -> usize {
    const MIXED: u32 = 0x85eb_ca6b << 8;
    (folded.wrapping_mul(MIXED) >> 17) as usize
}

/// The slot of three bytes.
pub(crate) fn slot_of([a, b, c]: [u8; 3], fold: u32) -> usize {
    slot(folded([a, b, c, 0], fold))
}

/// Four bytes as a number, folded.
#[inline]
pub(crate) fn folded(bytes: [u8; 4], fold: u32) -> u32 {
    u32::from_le_bytes(bytes) | fold
}

/// The hash of four folded bytes that is one of so many.
#[inline]
fn hash(bytes: u32, many: usize) -> u32 {
    bytes.wrapping_mul(0x9e37_79b1) >> (u32::BITS - many.ilog2())
}

/// The bit of four folded bytes: which of the numbers it is in, and that number with no other bit.
#[inline]
pub(crate) fn mark(bytes: u32) -> (usize, u64) {
    let mark = hash(bytes, MARKS);
    ((mark / u64::BITS) as usize, 1 << (mark % u64::BITS))
}

/// The bucket of four folded bytes.
#[inline]
pub(crate) fn bucket(bytes: u32) -> usize {
    hash(bytes, BUCKETS) as usize
}
