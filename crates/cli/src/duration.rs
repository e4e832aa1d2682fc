//! Times as people write them: `90`, `90s`, `10m`, `7d`, `2026-11-01`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// A length of time; a bare number is seconds.
pub(crate) fn parse(written: &str) -> Result<Duration, String> {
    let bad = || format!("`{written}` is not a time: expected `90`, `90s`, `10m`, `2h` or `7d`");
    let digits = written.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(written.len());
    let (number, unit) = written.split_at(digits);
    let factor = match unit.trim() {
        "" | "s" | "sec" | "secs" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => DAY as f64,
        _ => return Err(bad()),
    };
    let seconds = number.parse::<f64>().map_err(|_| bad())? * factor;
    Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero()).ok_or_else(bad)
}

/// A moment, in milliseconds since 1970: so long before now, or the beginning of a day (UTC).
pub(crate) fn since(written: &str) -> Result<u64, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let moment = match date(written) {
        Some(days) => Duration::from_secs(days * DAY),
        None => now.saturating_sub(parse(written).map_err(|error| format!("{error}, or a date `2026-11-01`"))?),
    };
    Ok(u64::try_from(moment.as_millis()).unwrap_or(u64::MAX))
}

/// The days from 1970 to a date.
fn date(written: &str) -> Option<u64> {
    let mut parts = written.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let longest = match month {
        2 => 28 + u64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let valid = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=longest).contains(&day);
    if !valid || parts.next().is_some() {
        return None;
    }
    // Counted in years that begin in March, so that a leap day is the last day of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    days.checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_read_in_every_unit() {
        let check =
            |written: &str, ms: u128| assert_eq!(parse(written).map(|time| time.as_millis()), Ok(ms), "{written}");
        check("90", 90_000);
        check("1.5s", 1500);
        check("250ms", 250);
        check("10m", 600_000);
        check("2h", 7_200_000);
        check("7d", 604_800_000);
        for written in ["", "0", "-1", "5 apples", "1e99", "m"] {
            assert!(parse(written).is_err(), "{written:?}");
        }
    }

    #[test]
    fn a_date_is_the_beginning_of_its_day() {
        assert_eq!(date("1970-01-01"), Some(0));
        assert_eq!(date("2000-02-29"), Some(11_016));
        assert_eq!(date("2024-11-06"), Some(20_033));
        assert_eq!(date("2024-13-06"), None);
        for never in ["2026-02-31", "2026-02-29", "2100-02-29", "2026-04-31", "2026-01-00"] {
            assert_eq!(date(never), None, "{never}");
        }
        assert_eq!(since("2024-11-06"), Ok(20_033 * 86_400_000));
        assert!(since("yesterday").is_err());
    }
}
