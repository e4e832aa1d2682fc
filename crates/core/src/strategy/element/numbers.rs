//! The numbers that children have under one name: which is the largest, which the smallest, and whether they are far
//! from all others.

use super::tree::Node;

/// A number that so many children have is nothing of their own.
const FEW: u64 = 3;

/// Sizes of numbers are told apart by their digits before the point, up to so many.
const DIGITS: usize = 20;
const SIZES: usize = 2 * DIGITS + 1;

/// A number is far from others if its size is so many digits from one that is usual.
const FAR: usize = 2;

/// A size is usual if one in so many numbers has it.
const USUAL: u64 = 100;

/// The numbers under one name so far.
#[derive(Debug, Clone)]
pub(super) struct Numbers {
    /// The hash of the name.
    pub(super) name: u64,
    seen: u64,
    most: Extreme,
    least: Extreme,
    /// How many there are of each size, negative ones first.
    sizes: [u32; SIZES],
}

/// A number that no other is beyond.
#[derive(Debug, Clone, Copy)]
struct Extreme {
    number: f64,
    /// The first child that has it, and how many have it.
    node: Node,
    count: u64,
}

impl Extreme {
    fn add(&mut self, number: f64, node: &Node, is_beyond: bool) {
        if is_beyond {
            *self = Extreme { number, node: *node, count: 1 };
        } else if number == self.number {
            self.count += 1;
        }
    }
}

impl Numbers {
    /// The first number under `name`.
    pub(super) fn of(name: u64, number: f64, node: &Node) -> Numbers {
        let first = Extreme { number, node: *node, count: 0 };
        let mut numbers = Numbers { name, seen: 0, most: first, least: first, sizes: [0; SIZES] };
        numbers.add(number, node);
        numbers
    }

    /// Takes another number in.
    pub(super) fn add(&mut self, number: f64, node: &Node) {
        self.seen += 1;
        self.most.add(number, node, number > self.most.number);
        self.least.add(number, node, number < self.least.number);
        if let Some(count) = self.sizes.get_mut(size(number)) {
            *count = count.saturating_add(1);
        }
    }

    /// How many there are.
    pub(super) fn seen(&self) -> u64 {
        self.seen
    }

    /// The child with the largest number, if it is one of few.
    pub(super) fn largest(&self) -> Option<&Node> {
        self.is_extreme(&self.most).then_some(&self.most.node)
    }

    /// The child with the smallest number, if it is one of few.
    pub(super) fn smallest(&self) -> Option<&Node> {
        self.is_extreme(&self.least).then_some(&self.least.node)
    }

    fn is_extreme(&self, extreme: &Extreme) -> bool {
        extreme.count <= FEW && self.most.number > self.least.number
    }

    /// The children whose number is far from all that are usual.
    pub(super) fn far(&self) -> impl Iterator<Item = &Node> {
        let is_usual = |count: &u32| u64::from(*count) * USUAL >= self.seen && *count > 1;
        let highest = self.sizes.iter().rposition(is_usual);
        let lowest = self.sizes.iter().position(is_usual);
        let above = highest.is_some_and(|highest| size(self.most.number) >= highest + FAR);
        // A negative number where there are no others is none of them, however small.
        let below = lowest.is_some_and(|lowest| {
            size(self.least.number) + FAR <= lowest || self.least.number < 0.0 && lowest >= DIGITS
        });
        self.largest().filter(|_| above).into_iter().chain(self.smallest().filter(|_| below))
    }
}

/// The size of a number: its digits before the point, on the side of its sign.
fn size(number: f64) -> usize {
    let mut digits = 0;
    let mut rest = number.abs();
    while rest >= 1.0 && digits < DIGITS {
        rest /= 10.0;
        digits += 1;
    }
    if number < 0.0 { DIGITS - digits } else { DIGITS + digits }
}

/// The number that is written there; none for other words.
pub(super) fn parse(written: &[u8]) -> Option<f64> {
    let (is_negative, digits) = match written.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, written),
    };
    let (mut whole, mut fraction, mut scale) = (0.0, 0.0, 1.0);
    let mut behind_point = false;
    for (at, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' if behind_point => {
                scale /= 10.0;
                fraction += f64::from(byte - b'0') * scale;
            }
            b'0'..=b'9' => whole = whole * 10.0 + f64::from(byte - b'0'),
            b'.' if !behind_point && at > 0 => behind_point = true,
            b'e' | b'E' if at > 0 => {
                return std::str::from_utf8(written).ok()?.parse().ok().filter(|n: &f64| n.is_finite());
            }
            _ => return None,
        }
    }
    let number: f64 = whole + fraction;
    (!digits.is_empty() && number.is_finite()).then_some(if is_negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::element::tree::Form;

    fn numbers(numbers: &[f64]) -> Numbers {
        let node = |at: usize| Node { index: at as u64, ..Node::at(0..1, Form::Scalar) };
        let mut found = Numbers::of(0, numbers[0], &node(0));
        numbers.iter().enumerate().skip(1).for_each(|(at, number)| found.add(*number, &node(at)));
        found
    }

    #[test]
    fn the_largest_and_the_smallest_are_known_and_those_far_from_all_others() {
        let usual = [40.0, 52.0, 47.0, 58.0, 44.0, 51.0];
        let found = numbers(&usual);
        assert_eq!(found.largest().map(|node| node.index), Some(3));
        assert_eq!(found.smallest().map(|node| node.index), Some(0));
        assert_eq!(found.far().count(), 0);
        let found = numbers(&[&usual[..], &[981_234.0, -4.0]].concat());
        assert_eq!(found.far().map(|node| node.index).collect::<Vec<_>>(), [6, 7]);
    }

    #[test]
    fn a_negative_number_is_far_from_numbers_that_are_not() {
        let found = numbers(&[0.0, 3.0, 1.0, 0.0, 2.0, 5.0, 0.0, -1.0]);
        assert_eq!(found.far().map(|node| node.index).collect::<Vec<_>>(), [7]);
    }

    #[test]
    fn what_many_have_is_no_extreme() {
        let found = numbers(&[0.0, 0.0, 0.0, 0.0, 7.0]);
        assert_eq!(found.smallest(), None);
        assert_eq!(found.largest().map(|node| node.index), Some(4));
        assert_eq!(numbers(&[5.0; 9]).largest(), None);
    }

    #[test]
    fn numbers_are_told_from_words() {
        assert_eq!(parse(b"12"), Some(12.0));
        assert_eq!(parse(b"-0.5"), Some(-0.5));
        assert_eq!(parse(b"1e3"), Some(1000.0));
        assert_eq!(parse(b"7."), Some(7.0));
        for word in ["", "-", ".5", "1.2.3", "12px", "2026-11-18", "e5", "1e999"] {
            assert_eq!(parse(word.as_bytes()), None, "{word}");
        }
    }
}
