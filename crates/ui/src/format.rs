//! Numbers and times as people read them.

use offcut::clock;

/// A number with commas between its thousands: `2,415,919`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut written = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

/// A number of which the order matters: `950`, `12.4k`, `3.1M`.
pub(crate) fn short(number: u64) -> String {
    let scaled = |unit: f64, name: &str| {
        let scaled = number as f64 / unit;
        if scaled < 10.0 { format!("{scaled:.1}{name}") } else { format!("{scaled:.0}{name}") }
    };
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => scaled(1e3, "k"),
        1_000_000..1_000_000_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// A share: `12.5%`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// How long something took: `0.4 ms`, `120 ms`, `3.2 s`.
pub(crate) fn duration(micros: u64) -> String {
    match micros {
        0..10_000 => format!("{:.1} ms", micros as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", micros / 1000),
        _ => format!("{:.1} s", micros as f64 / 1e6),
    }
}

/// The time of day, or the whole moment where it was not today (UTC).
pub(crate) fn moment(ms: u64) -> String {
    let (then, now) = (clock::utc(ms), clock::utc(clock::now_ms()));
    let day = |moment: &str| moment.chars().take(10).collect::<String>();
    if day(&then) == day(&now) { then.chars().skip(11).take(8).collect() } else { then.chars().take(16).collect() }
}

/// A name, or a dash where there is none.
pub(crate) fn named(name: &str) -> &str {
    if name.is_empty() { "–" } else { name }
}

/// Dollars: `$0.004`, `$12.30`.
pub(crate) fn dollars(amount: f64) -> String {
    if amount.abs() < 0.1 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!((thousands(2_415_919).as_str(), thousands(12).as_str()), ("2,415,919", "12"));
        assert_eq!([short(950), short(1234), short(56_789), short(3_100_000)], ["950", "1.2k", "57k", "3.1M"]);
        assert_eq!([duration(420), duration(120_000), duration(3_200_000)], ["0.4 ms", "120 ms", "3.2 s"]);
        assert_eq!(
            (percent(0.125), dollars(0.004), dollars(12.3)),
            ("12.5%".into(), "$0.0040".into(), "$12.30".into())
        );
    }

    #[test]
    fn a_moment_of_another_day_has_its_date() {
        assert_eq!(moment(1_730_902_967_890), "2024-11-06 14:22");
        assert_eq!(moment(clock::now_ms()).len(), 8);
    }
}
