//! Logs, test and build output, stack traces: one way of weighing for all of them.

use std::collections::HashMap;

use super::fill::Unit;
use super::judge::{Class, Verdict, judge};
use super::prefix;
use super::shape;
use super::signal::signals;
use super::table::Table;

/// What is known of a row.
#[derive(Debug, Clone, Copy)]
struct Weighed {
    class: Class,
    worth: f32,
    /// What it gets from its neighbours.
    lent: f32,
    shape: u64,
    indent: u16,
}

/// The rows of a log as units of one line each.
pub(super) fn units(table: &Table<'_>, prioritize_errors: bool) -> Vec<Unit> {
    let mut rows = weigh(table);
    let counts = count(&rows);
    rare(&mut rows, &counts);
    if prioritize_errors {
        lend(&mut rows);
    }
    ends(&mut rows);
    rows.iter()
        .enumerate()
        .filter(|(_, row)| row.class != Class::Blank)
        .map(|(at, row)| {
            let worth = row.worth.max(row.lent) + 0.2 * row.worth.min(row.lent);
            Unit { rows: at as u32..at as u32 + 1, worth, key: row.shape, fade: fade(row.class), why: why(row) }
        })
        .collect()
}

fn fade(class: Class) -> f32 {
    match class {
        Class::Name => 0.97,
        Class::Message | Class::Error | Class::Summary => 0.85,
        Class::Location | Class::Frame | Class::Detail => 0.85,
        _ => 0.6,
    }
}

fn why(row: &Weighed) -> &'static str {
    if row.lent > row.worth {
        return "context";
    }
    match row.class {
        Class::Name => "failing test",
        Class::Message | Class::Error | Class::Heading => "error",
        Class::Summary => "summary",
        Class::Exit => "exit code",
        Class::Location => "location",
        Class::Frame => "stack trace",
        Class::Detail => "expected and found",
        Class::Warning => "warning",
        Class::Command => "command",
        Class::Plain | Class::Pass | Class::Blank => "rare line",
    }
}

fn weigh(table: &Table<'_>) -> Vec<Weighed> {
    let signals = signals(table);
    let mut list = false;
    (0..table.len())
        .map(|row| {
            let line = table.words(row);
            let body = prefix::body(line);
            let Verdict { mut class, mut worth } = judge(body, signals.get(row).copied().unwrap_or_default());
            let trimmed = body.trim_start();
            let indent = (body.len() - trimmed.len()).min(200) as u16;
            // `failures:` and the like head a list of names.
            if class == Class::Blank || indent == 0 && !trimmed.starts_with('[') {
                list = false;
            }
            if list && class == Class::Plain {
                (class, worth) = (Class::Name, 80.0);
            }
            if class == Class::Heading && body.trim_end().ends_with(':') {
                list = true;
            }
            Weighed { class, worth, lent: 0.0, shape: shape::shape(trimmed), indent }
        })
        .collect()
}

fn count(rows: &[Weighed]) -> HashMap<u64, u32> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for row in rows.iter().filter(|row| row.class != Class::Blank) {
        *counts.entry(row.shape).or_default() += 1;
    }
    counts
}

/// Rare lines are worth something where most lines repeat; frequent ones lose.
fn rare(rows: &mut [Weighed], counts: &HashMap<u64, u32>) {
    let repeated = rows.iter().filter(|row| counts.get(&row.shape).is_some_and(|&count| count >= 8)).count();
    let share = repeated as f32 / rows.len().max(1) as f32;
    for row in rows.iter_mut() {
        let count = counts.get(&row.shape).copied().unwrap_or(0).max(1) as f32;
        match row.class {
            Class::Plain | Class::Warning | Class::Command => {
                row.worth += (1.5 + 8.0 * share) / count.sqrt().max(1.0);
                row.worth /= 1.0 + (count.log2() / 6.0);
            }
            Class::Error | Class::Message => row.worth /= 1.0 + (count.log2() / 12.0),
            _ => {}
        }
    }
}

/// Strong lines lend some of their worth to the lines around them.
fn lend(rows: &mut [Weighed]) {
    let len = rows.len();
    for at in 0..len {
        let Some(anchor) = rows.get(at).copied() else { break };
        if anchor.worth < 35.0 || matches!(anchor.class, Class::Summary) {
            continue;
        }
        let mut left = anchor.worth * 0.5;
        for near in at + 1..(at + 40).min(len) {
            let Some(row) = rows.get_mut(near) else { break };
            let keeps = match row.class {
                Class::Blank => 0.6,
                Class::Pass => 0.0,
                Class::Frame => 0.92,
                _ if row.indent > anchor.indent => 0.88,
                _ => 0.75,
            };
            left *= keeps;
            if left < 1.0 {
                break;
            }
            if row.worth < 200.0 && row.lent < left {
                row.lent = left;
            }
            if row.worth > anchor.worth {
                break;
            }
        }
        let mut left = anchor.worth * 0.3;
        for near in (at.saturating_sub(6)..at).rev() {
            let Some(row) = rows.get_mut(near) else { break };
            left *= match row.class {
                Class::Blank => 0.4,
                Class::Pass => 0.0,
                _ => 0.6,
            };
            if left < 1.0 {
                break;
            }
            row.lent = row.lent.max(left);
        }
    }
}

/// The first and the last lines say what ran and how it went.
fn ends(rows: &mut [Weighed]) {
    for (at, row) in rows.iter_mut().enumerate().take(5) {
        row.lent = row.lent.max(8.0 - at as f32);
    }
    for (at, row) in rows.iter_mut().rev().enumerate().take(20) {
        row.lent = row.lent.max(14.0 - at as f32 * 0.6);
    }
}
