//! Limits as people write them: `8000`, `"2000 tokens"`, `"30KB"`, `"2000 lines, 30KB"`.

use std::fmt;
use std::str::FromStr;

/// What a limit is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Unicode scalar values: the unit of a bare number.
    Chars,
    /// UTF-8 bytes.
    Bytes,
    /// Lines.
    Lines,
    /// Tokens, by the counter that the policy names.
    Tokens,
}

/// One limit: a positive number of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    amount: u64,
    unit: Unit,
}

impl Limit {
    /// A limit of `amount` units; `None` for 0, which is no limit.
    pub const fn new(amount: u64, unit: Unit) -> Option<Limit> {
        if amount == 0 { None } else { Some(Limit { amount, unit }) }
    }

    /// A limit of characters; at least 1.
    pub const fn chars(amount: u64) -> Limit {
        Limit { amount: if amount == 0 { 1 } else { amount }, unit: Unit::Chars }
    }

    /// A limit of bytes; at least 1.
    pub const fn bytes(amount: u64) -> Limit {
        Limit { amount: if amount == 0 { 1 } else { amount }, unit: Unit::Bytes }
    }

    /// A limit of lines; at least 1.
    pub const fn lines(amount: u64) -> Limit {
        Limit { amount: if amount == 0 { 1 } else { amount }, unit: Unit::Lines }
    }

    /// How many.
    pub fn amount(self) -> u64 {
        self.amount
    }

    /// Of what.
    pub fn unit(self) -> Unit {
        self.unit
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Unit::Chars => write!(f, "{}", self.amount),
            Unit::Lines => write!(f, "{} lines", self.amount),
            Unit::Tokens => write!(f, "{} tokens", self.amount),
            Unit::Bytes if self.amount.is_multiple_of(1024 * 1024) => write!(f, "{}MB", self.amount / (1024 * 1024)),
            Unit::Bytes if self.amount.is_multiple_of(1024) => write!(f, "{}KB", self.amount / 1024),
            Unit::Bytes => write!(f, "{}B", self.amount),
        }
    }
}

/// A limit that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a limit: expected a positive whole number of characters (8000), \
     or one with a unit (\"2000 tokens\", \"30KB\", \"5MB\", \"200 lines\")"
)]
pub struct BadLimit(pub String);

impl FromStr for Limit {
    type Err = BadLimit;

    fn from_str(written: &str) -> Result<Limit, BadLimit> {
        let bad = || BadLimit(written.to_owned());
        let trimmed = written.trim();
        let split = trimmed.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(trimmed.len());
        let (digits, unit) = trimmed.split_at(split);
        let number: u64 = digits.replace('_', "").parse().map_err(|_| bad())?;
        let (factor, unit) = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "c" | "char" | "chars" | "character" | "characters" => (1, Unit::Chars),
            "t" | "token" | "tokens" => (1, Unit::Tokens),
            "l" | "line" | "lines" => (1, Unit::Lines),
            "b" | "byte" | "bytes" => (1, Unit::Bytes),
            "k" | "kb" | "kib" => (1024, Unit::Bytes),
            "m" | "mb" | "mib" => (1024 * 1024, Unit::Bytes),
            "g" | "gb" | "gib" => (1024 * 1024 * 1024, Unit::Bytes),
            _ => return Err(bad()),
        };
        number.checked_mul(factor).and_then(|amount| Limit::new(amount, unit)).ok_or_else(bad)
    }
}

/// Several limits at once; whichever is reached first holds. At most one of each unit, and never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    each: Vec<Limit>,
}

impl Limits {
    /// The limits in `each`; of two with one unit the smaller stays. `None` if there is none.
    pub fn new(each: impl IntoIterator<Item = Limit>) -> Option<Limits> {
        let mut kept: Vec<Limit> = Vec::new();
        for limit in each {
            match kept.iter_mut().find(|known| known.unit == limit.unit) {
                Some(known) => known.amount = known.amount.min(limit.amount),
                None => kept.push(limit),
            }
        }
        (!kept.is_empty()).then_some(Limits { each: kept })
    }

    /// Each limit, in the order given.
    pub fn each(&self) -> &[Limit] {
        &self.each
    }

    /// The amount of one unit, where it is limited.
    pub fn of(&self, unit: Unit) -> Option<u64> {
        self.each.iter().find(|limit| limit.unit == unit).map(|limit| limit.amount)
    }

    /// The same limits with room for so many characters and lines taken off; at least 1 of each stays.
    #[must_use]
    pub fn less(&self, chars: u64, lines: u64) -> Limits {
        let less = |limit: &Limit| {
            let taken = match limit.unit {
                Unit::Chars | Unit::Bytes => chars,
                Unit::Tokens => chars.div_ceil(2),
                Unit::Lines => lines,
            };
            Limit { amount: limit.amount.saturating_sub(taken).max(1), unit: limit.unit }
        };
        Limits { each: self.each.iter().map(less).collect() }
    }

    /// A fair part of the limits where `sharers` want all of them and there is `times` as much in all. Of characters, bytes
    /// and tokens at least a quarter stays: less would show nothing.
    #[must_use]
    pub fn shared(&self, times: u64, sharers: u64) -> Limits {
        let share = |limit: &Limit| {
            let part = limit.amount.saturating_mul(times) / sharers.max(1);
            Limit { amount: part.clamp((limit.amount / 4).max(1), limit.amount), unit: limit.unit }
        };
        Limits { each: self.each.iter().map(share).collect() }
    }
}

impl From<Limit> for Limits {
    fn from(limit: Limit) -> Limits {
        Limits { each: vec![limit] }
    }
}

impl FromStr for Limits {
    type Err = BadLimit;

    fn from_str(written: &str) -> Result<Limits, BadLimit> {
        let plain = without_thousands(written);
        let each = plain.split(',').map(str::parse).collect::<Result<Vec<Limit>, _>>();
        let each = each.map_err(|_| BadLimit(written.to_owned()))?;
        Limits::new(each).ok_or_else(|| BadLimit(written.to_owned()))
    }
}

/// `written` without the commas between thousands: `2,000` is one limit, `2000 lines, 30KB` are two.
fn without_thousands(written: &str) -> String {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = written.as_bytes();
    let is_between_thousands = |at: usize| {
        let before = bytes.get(..at).unwrap_or_default().iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let after = (1..=3).all(|next| is_digit(bytes.get(at + next))) && !is_digit(bytes.get(at + 4));
        (1..=3).contains(&before) && after
    };
    written.char_indices().filter(|(at, c)| *c != ',' || !is_between_thousands(*at)).map(|(_, c)| c).collect()
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, limit) in self.each.iter().enumerate() {
            write!(f, "{}{limit}", if nth == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A size for people: `512 bytes`, `2.3 MB`; KB and MB are 1024-based.
pub fn human_size(bytes: u64) -> String {
    const STEPS: [(u64, &str); 3] = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    match STEPS.iter().find(|(size, _)| bytes >= *size) {
        None => format!("{bytes} bytes"),
        Some((size, name)) => format!("{:.1} {name}", bytes as f64 / *size as f64),
    }
}

/// A size as `paged` writes it: `30KB`, `1.5MB`; a whole number loses its decimals.
pub fn short_size(bytes: u64) -> String {
    match human_size(bytes).split_once(' ') {
        Some((number, "bytes")) => format!("{number}B"),
        Some((number, unit)) => format!("{}{unit}", number.strip_suffix(".0").unwrap_or(number)),
        None => format!("{bytes}B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_in_every_unit() {
        let check = |written: &str, amount, unit| assert_eq!(written.parse(), Ok(Limit { amount, unit }), "{written}");
        check("8000", 8000, Unit::Chars);
        check("8_000", 8000, Unit::Chars);
        check(" 2000 tokens ", 2000, Unit::Tokens);
        check("30KB", 30 * 1024, Unit::Bytes);
        check("30 kib", 30 * 1024, Unit::Bytes);
        check("1MB", 1 << 20, Unit::Bytes);
        check("1 GiB", 1 << 30, Unit::Bytes);
        check("7 lines", 7, Unit::Lines);
        check("12B", 12, Unit::Bytes);
    }

    #[test]
    fn anything_but_a_positive_whole_number_is_refused_with_what_would_be_right() {
        for written in ["", "0", "-5", "1.5KB", "KB", "5 apples", "99999999999999999999", "18446744073709551615GB"] {
            let error = written.parse::<Limit>().unwrap_err();
            assert_eq!(error, BadLimit(written.to_owned()));
            assert!(error.to_string().contains("expected a positive whole number"), "{error}");
        }
    }

    #[test]
    fn several_limits_hold_at_once() {
        let limits: Limits = "2000 lines, 30KB".parse().unwrap();
        assert_eq!(limits.of(Unit::Lines), Some(2000));
        assert_eq!(limits.of(Unit::Bytes), Some(30 * 1024));
        assert_eq!(limits.of(Unit::Chars), None);
        assert_eq!(limits.to_string(), "2000 lines, 30KB");
        assert_eq!(limits.less(24, 2).to_string(), "1998 lines, 30696B");
        let check = |written: &str, expected: &str| {
            let limits = written.parse::<Limits>().map_or_else(|error| error.to_string(), |limits| limits.to_string());
            assert!(limits.starts_with(expected), "{written}: {limits}");
        };
        check("2,000", "2000");
        check("1,234,567 tokens", "1234567 tokens");
        check("2,000 lines,30KB", "2000 lines, 30KB");
        check("20000,300 lines", "20000, 300 lines");
        check("2,00", "`2,00` is not a limit");
        check(",000", "`,000` is not a limit");
    }

    #[test]
    fn sizes_are_written_for_people_and_for_notices() {
        assert_eq!(human_size(512), "512 bytes");
        assert_eq!(human_size(2_415_919), "2.3 MB");
        assert_eq!(short_size(30 * 1024), "30KB");
        assert_eq!(short_size(1536 * 1024), "1.5MB");
        assert_eq!(short_size(100), "100B");
    }
}
