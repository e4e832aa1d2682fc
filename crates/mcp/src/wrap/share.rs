//! Several texts share one limit: small ones stay whole, the large ones get equal parts of what is left.

use offcut_core::limit::{Limit, Limits, Unit};
use offcut_core::text;

/// The least that a text is cut to; where that cannot be had for each, they are cut as one.
const LEAST: u64 = 600;

/// How big a text is, in each unit that a limit may have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) chars: u64,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
}

impl Size {
    /// The next part of the text, cut at characters.
    pub(crate) fn add(&mut self, part: &str) {
        self.chars += text::chars(part);
        self.bytes += part.len() as u64;
        self.lines += memchr::memchr_iter(b'\n', part.as_bytes()).count() as u64;
    }

    fn of(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Chars => self.chars,
            Unit::Bytes => self.bytes,
            Unit::Lines => self.lines + 1,
            Unit::Tokens => self.chars.div_ceil(4),
        }
    }
}

/// Whether all of them fit together.
pub(crate) fn fit(sizes: &[Size], limits: &Limits) -> bool {
    limits.each().iter().all(|limit| sizes.iter().map(|size| size.of(limit.unit())).sum::<u64>() <= limit.amount())
}

/// The limits of each text; none where there are too many of them to be cut one by one.
pub(crate) fn shares(sizes: &[Size], limits: &Limits) -> Option<Vec<Limits>> {
    let by_limit: Vec<(Unit, Vec<u64>)> = limits
        .each()
        .iter()
        .map(|limit| {
            let sizes: Vec<u64> = sizes.iter().map(|size| size.of(limit.unit())).collect();
            (limit.unit(), levelled(&sizes, limit.amount()))
        })
        .collect();
    (0..sizes.len())
        .map(|at| {
            let own = by_limit.iter().map(|(unit, shares)| (*unit, shares.get(at).copied().unwrap_or(0)));
            let size = sizes.get(at).copied().unwrap_or_default();
            let each: Vec<Limit> = own
                .map(|(unit, share)| match share >= size.of(unit) {
                    // It stays whole: what its notices would take is not asked for.
                    true => Limit::new(share.max(least(unit)), unit),
                    false => Limit::new(share, unit).filter(|_| share >= least(unit)),
                })
                .collect::<Option<_>>()?;
            Limits::new(each)
        })
        .collect()
}

fn least(unit: Unit) -> u64 {
    match unit {
        Unit::Chars | Unit::Bytes => LEAST,
        Unit::Tokens => LEAST / 2,
        Unit::Lines => 12,
    }
}

/// Gives each its size up to one level, so that all of it is at most `total`.
fn levelled(sizes: &[u64], total: u64) -> Vec<u64> {
    let mut sorted: Vec<u64> = sizes.to_vec();
    sorted.sort_unstable();
    let (mut left, mut level) = (total, u64::MAX);
    for (at, size) in sorted.iter().enumerate() {
        let equal = left / (sorted.len() - at) as u64;
        if *size > equal {
            level = equal;
            break;
        }
        left -= size;
    }
    sizes.iter().map(|size| (*size).min(level)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(chars: u64) -> Size {
        Size { chars, bytes: chars, lines: chars / 40 }
    }

    #[test]
    fn small_ones_stay_whole_and_large_ones_get_equal_parts() {
        assert_eq!(levelled(&[100, 9000, 20_000], 8000), [100, 3950, 3950]);
        assert_eq!(levelled(&[100, 200], 8000), [100, 200]);
        assert_eq!(levelled(&[5000, 5000], 8000), [4000, 4000]);
        assert_eq!(levelled(&[], 8000), [0; 0]);
        let limits: Limits = "8000".parse().unwrap();
        let shares = shares(&[size(100), size(9000), size(20_000)], &limits).unwrap();
        assert_eq!(shares.iter().map(ToString::to_string).collect::<Vec<_>>(), ["600", "3950", "3950"]);
    }

    #[test]
    fn too_many_are_not_cut_one_by_one() {
        let limits: Limits = "8000".parse().unwrap();
        assert_eq!(shares(&[size(1000); 20], &limits), None);
        assert!(fit(&[size(4000), size(4000)], &limits));
        assert!(!fit(&[size(4000), size(4001)], &limits));
    }
}
