//! Statistics for people: a table, a few sentences, and on a terminal a line of bars by day.

use std::io::{self, Write};

use offcut_core::limit::human_size;
use offcut_history::{Counts, Day, Statistics};

use super::StatsBy;
use crate::table::{Table, counted, thousands};

/// How many days a line of bars shows.
const DAYS: usize = 30;

/// Writes the statistics; `bars` says whether days are drawn.
pub(super) fn write(statistics: &Statistics, by: Option<StatsBy>, bars: bool, out: &mut dyn Write) -> io::Result<()> {
    let (Some(from), Some(to)) = (statistics.from_ms, statistics.to_ms) else {
        return writeln!(out, "No statistics yet: counting starts with the first output that is kept.");
    };
    writeln!(out, "{} to {}", offcut::clock::utc(from), offcut::clock::utc(to))?;
    let heading = by.map_or("", StatsBy::heading);
    let mut table =
        Table::new(&[heading, ">Calls", ">Cut", ">Rate", ">Chars in", ">Shown", ">Saved", ">Kept", ">Median ms"]);
    for (name, counts) in statistics.groups.iter().flatten() {
        table.row([name.clone()].into_iter().chain(cells(counts)));
    }
    table.row(["total".to_owned()].into_iter().chain(cells(&statistics.total)));
    table.write(out)?;
    let total = &statistics.total;
    writeln!(
        out,
        "Tokens: {} in, {} shown, {} saved",
        thousands(total.original_tokens),
        thousands(total.truncated_tokens),
        thousands(total.saved_tokens())
    )?;
    if bars && statistics.days.len() > 1 {
        let first = statistics.days.len().saturating_sub(DAYS);
        let days = statistics.days.get(first..).unwrap_or_default();
        for (name, value) in [("Calls", calls as fn(&Day) -> u64), ("Saved", saved)] {
            let values: Vec<u64> = days.iter().map(value).collect();
            let most = values.iter().max().copied().unwrap_or(0);
            writeln!(out, "{name} by day: {} (at most {})", sparkline(&values), thousands(most))?;
        }
    }
    writeln!(out, "Kept: {}, {}", counted(total.artifacts, "artifact"), human_size(total.artifact_bytes))?;
    let retrievals = &statistics.retrievals;
    let ranges: Vec<String> = retrievals.by_range.iter().map(|(range, times)| format!("{times} {range}")).collect();
    let ranges = if ranges.is_empty() { String::new() } else { format!(" ({})", ranges.join(", ")) };
    writeln!(out, "Fetched: {}{ranges}, {} failed", counted(retrievals.total, "time"), retrievals.failed)?;
    for (id, times) in &retrievals.most_asked {
        writeln!(out, "  {id}: {}", counted(*times, "time"))?;
    }
    let asked = &statistics.extractions;
    if asked.total > 0 {
        let modes: Vec<String> = asked.by_mode.iter().map(|(mode, times)| format!("{times} {mode}")).collect();
        writeln!(
            out,
            "Asked: {} ({}), {} failed, {}; {} to models, {} tokens in, {} out",
            counted(asked.total, "time"),
            modes.join(", "),
            asked.failed,
            counted(asked.fallbacks, "fallback"),
            counted(asked.calls, "call"),
            thousands(asked.input_tokens),
            thousands(asked.output_tokens)
        )?;
    }
    writeln!(
        out,
        "Secrets redacted: {}; degraded replies: {}; outputs over the maximum size: {}",
        thousands(total.redactions),
        thousands(total.degraded),
        thousands(total.oversize)
    )
}

fn cells(counts: &Counts) -> [String; 8] {
    let percent = |share: f64| format!("{:.1}%", share * 100.0);
    [
        thousands(counts.calls),
        thousands(counts.truncated),
        percent(counts.truncation_rate),
        thousands(counts.original_size),
        thousands(counts.truncated_size),
        percent(counts.size_reduction),
        thousands(counts.artifacts),
        format!("{:.1}", counts.median_us as f64 / 1000.0),
    ]
}

fn calls(day: &Day) -> u64 {
    day.counts.calls
}

fn saved(day: &Day) -> u64 {
    day.counts.saved_tokens()
}

/// A bar for each value, as high as its share of the largest.
fn sparkline(values: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.iter().max().copied().unwrap_or(0).max(1);
    let bar = |value: &u64| {
        let height = u128::from(*value) * (BARS.len() as u128 - 1) / u128::from(most);
        BARS.get(usize::try_from(height).unwrap_or(0)).copied().unwrap_or(' ')
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_high_as_their_share_of_the_largest() {
        assert_eq!(sparkline(&[0, 1, 7, 14]), "▁▁▄█");
        assert_eq!(sparkline(&[0, 0]), "▁▁");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn nothing_counted_is_said_so_and_days_are_drawn_only_on_a_terminal() {
        let written = |statistics: &Statistics, bars| {
            let mut out = Vec::new();
            write(statistics, None, bars, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert!(written(&Statistics::default(), true).starts_with("No statistics yet"));
        let day = |day: &str, calls| Day { day: day.to_owned(), counts: Counts { calls, ..Counts::default() } };
        let days = vec![day("2026-11-01", 1), day("2026-11-02", 8)];
        let statistics = Statistics { from_ms: Some(0), to_ms: Some(1), days, ..Statistics::default() };
        assert!(written(&statistics, true).contains("\nCalls by day: ▁█ (at most 8)\n"));
        assert!(!written(&statistics, false).contains("by day"));
    }
}
