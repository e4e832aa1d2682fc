//! How often which number came: exact counts in ranges that grow with the number.

/// Each power of two is divided into so many ranges, so that a number read from it is off by at most one part in 16.
const PARTS: u64 = 8;

/// Counts of numbers, in a few dozen ranges.
///
/// Numbers below 8 are counted exactly. Ranges never span a power of two, so counts up to one are exact.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Range and count, by range.
    counts: Vec<(u16, u64)>,
}

impl Histogram {
    /// Counts a number.
    pub fn add(&mut self, number: u64) {
        self.add_times(range_of(number), 1);
    }

    fn add_times(&mut self, range: u16, times: u64) {
        match self.counts.binary_search_by_key(&range, |(range, _)| *range) {
            Ok(at) => self.counts.iter_mut().skip(at).take(1).for_each(|(_, count)| *count += times),
            Err(at) => self.counts.insert(at, (range, times)),
        }
    }

    /// Adds what another one counted.
    pub fn merge(&mut self, other: &Histogram) {
        for (range, count) in &other.counts {
            self.add_times(*range, *count);
        }
    }

    /// How many numbers were counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// How many numbers below `power`, which must be a power of two, were counted.
    pub fn below(&self, power: u64) -> u64 {
        let end = range_of(power);
        self.counts.iter().take_while(|(range, _)| *range < end).map(|(_, count)| count).sum()
    }

    /// The number that `percent` of all do not exceed, off by at most one part in 16; 0 where none was counted.
    pub fn percentile(&self, percent: u64) -> u64 {
        let mut left = self.total() * percent.min(99) / 100;
        for (range, count) in &self.counts {
            if left < *count {
                let (first, last) = bounds(*range);
                return first + (last - first) / 2;
            }
            left -= count;
        }
        0
    }

    /// The counts as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.counts.iter().flat_map(|(range, count)| [u64::from(*range), *count]);
        let mut bytes = Vec::with_capacity(self.counts.len() * 3);
        for mut number in numbers {
            while number >= 0x80 {
                bytes.push((number & 0x7f) as u8 | 0x80);
                number >>= 7;
            }
            bytes.push(number as u8);
        }
        bytes
    }

    /// The counts that `bytes` hold; what cannot be read is left out.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Histogram {
        let (mut numbers, mut number, mut shift) = (Vec::new(), 0u64, 0u32);
        for byte in bytes {
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            shift += 7;
            if byte & 0x80 == 0 {
                numbers.push(std::mem::take(&mut number));
                shift = 0;
            }
        }
        let mut histogram = Histogram::default();
        let mut numbers = numbers.into_iter();
        while let (Some(range), Some(count)) = (numbers.next(), numbers.next()) {
            histogram.add_times(u16::try_from(range).unwrap_or(u16::MAX), count);
        }
        histogram
    }
}

/// The range that a number belongs to.
fn range_of(number: u64) -> u16 {
    if number < PARTS {
        return number as u16;
    }
    let power = u64::from(number.ilog2());
    let part = (number >> (power - 3)) & (PARTS - 1);
    ((power - 2) * PARTS + part) as u16
}

/// The first and last number of a range.
fn bounds(range: u16) -> (u64, u64) {
    let range = u64::from(range);
    if range < PARTS {
        return (range, range);
    }
    let (power, part) = (range / PARTS + 2, range % PARTS);
    let width = 1u64 << (power - 3).min(60);
    let first = (PARTS + part).saturating_mul(width);
    (first, first.saturating_add(width - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_lies_within_its_range_and_ranges_do_not_overlap() {
        let mut last = 0;
        for number in (0..5000).chain((13..63).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 7])) {
            let range = range_of(number);
            let (first, end) = bounds(range);
            assert!((first..=end).contains(&number), "{number} is not in {first}-{end}");
            assert!(range >= last, "{number}");
            last = range;
        }
    }

    #[test]
    fn percentiles_are_near_and_counts_below_a_power_of_two_are_exact() {
        let mut histogram = Histogram::default();
        (0..10_000).for_each(|number| histogram.add(number));
        for percent in [1, 50, 95, 99] {
            let (found, exact) = (histogram.percentile(percent), percent * 100);
            assert!(found.abs_diff(exact) * 16 <= exact, "{percent}%: {found}");
        }
        assert_eq!((histogram.below(1024), histogram.below(4096), histogram.total()), (1024, 4096, 10_000));
        assert_eq!(Histogram::default().percentile(50), 0);
    }

    #[test]
    fn it_comes_back_from_its_bytes_and_adds_up() {
        let mut histogram = Histogram::default();
        [0, 7, 8, 300, 300, u64::MAX].into_iter().for_each(|number| histogram.add(number));
        assert_eq!(Histogram::from_bytes(&histogram.to_bytes()), histogram);
        let mut twice = histogram.clone();
        twice.merge(&histogram);
        assert_eq!((twice.total(), twice.below(8)), (12, 4));
        // Bytes that nobody wrote are no reason to fail.
        Histogram::from_bytes(&[0xff; 40]);
    }
}
