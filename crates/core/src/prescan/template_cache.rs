//! Lines that begin alike but for their digits are told apart once.
//!
//! Times, job names and masked words of a line are found byte by byte. None of it looks at which digits there are, so
//! what was found for one line holds for every other that has the same beginning with other digits in it.

/// The longest beginning that is compared, in bytes.
const LONGEST: usize = 128;

/// So many lines are looked at before it is known how much of a line has to be compared.
const LOOKED_AT: u32 = 200;

/// How many beginnings are remembered.
const SLOTS: usize = 1 << 12;

/// Numbers for beginnings; a new one may take the place of an old one.
pub(super) struct TemplateCache {
    slots: Vec<(u64, u32)>,
    /// How much of a line is compared; 0 while that is not known, and where it is too much.
    window: usize,
    looked_at: u32,
    /// How many lines took so many steps of eight bytes.
    taken: [u32; LONGEST / 8 + 1],
}

impl Default for TemplateCache {
    fn default() -> TemplateCache {
        TemplateCache { slots: vec![(0, u32::MAX); SLOTS], window: 0, looked_at: 0, taken: [0; LONGEST / 8 + 1] }
    }
}

impl TemplateCache {
    /// The beginning of `line`, where beginnings are compared.
    pub(super) fn beginning(&self, line: &[u8]) -> Option<u64> {
        if self.window == 0 { None } else { beginning(line.get(..self.window).unwrap_or(line)) }
    }

    /// The number of a beginning that is remembered.
    pub(super) fn get(&self, beginning: u64) -> Option<u32> {
        let (known, number) = *self.slots.get(beginning as usize % SLOTS)?;
        (known == beginning && number != u32::MAX).then_some(number)
    }

    /// Remembers the number of a line, of which it took so many bytes to find it.
    pub(super) fn set(&mut self, beginning: Option<u64>, taken: usize, number: u32) {
        if let Some(beginning) = beginning.filter(|_| taken <= self.window) {
            self.slots.get_mut(beginning as usize % SLOTS).into_iter().for_each(|slot| *slot = (beginning, number));
        }
        if self.looked_at < LOOKED_AT {
            self.look_at(taken);
        }
    }

    /// Learns how much of a line it takes, and then compares as much as nine of ten lines take.
    fn look_at(&mut self, taken: usize) {
        self.taken.get_mut(taken.div_ceil(8)).into_iter().for_each(|count| *count += 1);
        self.looked_at += 1;
        if self.looked_at == LOOKED_AT {
            let mut enough = 0;
            let steps = self.taken.iter().position(|count| {
                enough += count;
                enough * 10 >= LOOKED_AT * 9
            });
            self.window = steps.map_or(0, |steps| steps * 8);
        }
    }
}

/// The beginning of a line as a hash, its digits left out; nothing where a tab may set off what stands before it.
fn beginning(head: &[u8]) -> Option<u64> {
    let (pairs, rest) = head.as_chunks::<16>();
    let mut mixed = Mixed::default();
    pairs.iter().for_each(|pair| mixed.push(u128::from_le_bytes(*pair)));
    if !rest.is_empty() {
        // The last bytes once more, together with some that were seen: a whole pair of words takes no loop.
        let last = head.last_chunk::<16>().map(|last| u128::from_le_bytes(*last));
        mixed.push(last.unwrap_or_else(|| rest.iter().fold(0, |words, &byte| words << 8 | u128::from(byte))));
    }
    (mixed.tabs == 0).then(|| mixed.value(head.len()))
}

/// Words of a line, mixed two at a time; the products do not wait for each other.
struct Mixed {
    hash: u64,
    tabs: u64,
}

impl Default for Mixed {
    fn default() -> Mixed {
        Mixed { hash: 0xcbf2_9ce4_8422_2325, tabs: 0 }
    }
}

impl Mixed {
    fn push(&mut self, words: u128) {
        let (one, other) = (words as u64, (words >> 64) as u64);
        self.tabs |= zeros(one ^ (ONES * 0x09)) | zeros(other ^ (ONES * 0x09));
        let one = without_digits(one) ^ 0x9e37_79b9_7f4a_7c15;
        let other = without_digits(other) ^ 0xd6e8_feb8_6659_fd93;
        let product = u128::from(one) * u128::from(other);
        self.hash = self.hash.rotate_left(23) ^ (product as u64) ^ ((product >> 64) as u64);
    }

    fn value(&self, length: usize) -> u64 {
        let value = (self.hash ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // The upper bits are mixed better; the slots are chosen by the lower ones.
        value ^ (value >> 29)
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The high bit of each byte that is zero (and at times of bytes above one).
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}

/// The word with zero for each byte that is a digit.
fn without_digits(word: u64) -> u64 {
    let value = word ^ (ONES * 0x30);
    // A byte below ten stays below 128 when 118 is added to it.
    let other = (((value & !HIGHS) + ONES * 118) | value) & HIGHS;
    let digits = !other & HIGHS;
    word & !((digits >> 7) * 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_digits_are_left_out() {
        for byte in 0..=255u8 {
            let kept = without_digits(u64::from_le_bytes([byte; 8])).to_le_bytes();
            assert_eq!(kept, [if byte.is_ascii_digit() { 0 } else { byte }; 8], "{byte}");
        }
        let mixed = without_digits(u64::from_le_bytes(*b"a1:/9z0\xff")).to_le_bytes();
        assert_eq!(&mixed, b"a\0:/\0z\0\xff");
    }

    #[test]
    fn lines_with_other_digits_begin_alike() {
        let same = |a: &str, b: &str| beginning(a.as_bytes()) == beginning(b.as_bytes());
        assert!(same("12:00:01 INFO worker 7", "13:59:59 INFO worker 8"));
        assert!(!same("12:00:01 INFO worker 7", "12:00:01 INFO worker 17"));
        assert!(!same("12:00:01 INFO worker 7", "12:00:01 WARN worker 7"));
        assert!(!same("12345678", "123456789"));
        assert_eq!(beginning(b"job\tstep\t12:00:01 x"), None);
        assert!(beginning(b"").is_some());
    }

    #[test]
    fn as_much_is_compared_as_nine_of_ten_lines_take() {
        let mut cache = TemplateCache::default();
        assert_eq!(cache.beginning(b"12 lines"), None);
        for n in 0..LOOKED_AT {
            cache.set(None, if n % 20 == 0 { 99 } else { 20 }, 1);
        }
        assert_eq!(cache.window, 24);
        let alike = [&b"x 1 line with a long beginning"[..], b"x 2 line with a long begging"];
        let [first, second] = alike.map(|line| cache.beginning(line));
        assert!(first.is_some() && first == second);
        cache.set(first, 20, 7);
        assert_eq!(second.and_then(|second| cache.get(second)), Some(7));
        cache.set(cache.beginning(b"other"), 25, 8);
        assert_eq!(cache.beginning(b"other").and_then(|other| cache.get(other)), None);
    }

    #[test]
    fn long_beginnings_are_not_compared() {
        let mut cache = TemplateCache::default();
        (0..LOOKED_AT).for_each(|_| cache.set(None, LONGEST + 1, 1));
        assert_eq!(cache.window, 0);
    }
}
