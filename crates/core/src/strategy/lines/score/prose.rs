//! Text that nothing is known of: its beginning and its end, how its parts begin, and whatever tells.

use super::log::Log;
use super::scored::{Scored, Scorer};
use crate::strategy::Settings;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::weights::prose as weights;

/// Weighs the lines of a text that nothing is known of.
pub(in crate::strategy::lines) struct Prose;

impl Scorer for Prose {
    fn score(&self, table: &Table<'_>, settings: &Settings) -> Scored {
        let mut scored = Log.score_from(0.0, table, settings);
        for unit in &mut scored.units {
            let (structure, why) = structure(table, unit.rows.start as usize);
            if structure > unit.worth {
                unit.why = why;
            }
            unit.worth += structure;
        }
        scored
    }
}

/// What a line is worth for where it stands.
fn structure(table: &Table<'_>, row: usize) -> (f32, &'static str) {
    let first = weights::FIRST / (1.0 + row as f32 / weights::NEAR);
    let last = weights::LAST / (1.0 + (table.len() - 1 - row) as f32 / weights::NEAR);
    let (mut worth, mut why) = if first > last { (first, "first lines") } else { (last, "last lines") };
    let empty = |row: usize| table.words(row).trim().is_empty();
    if row == 0 || empty(row - 1) {
        worth += weights::PARAGRAPH;
        let line = table.words(row).trim();
        if line.len() < 80 && (heads(line) || empty(row + 1) || underlines(table.words(row + 1))) {
            worth += weights::HEADING;
            why = "heading";
        }
    }
    (worth + weights::ANY, why)
}

/// Whether a line is written like a heading.
fn heads(line: &str) -> bool {
    let loud =
        line.len() > 3 && line.bytes().any(|b| b.is_ascii_uppercase()) && !line.bytes().any(|b| b.is_ascii_lowercase());
    line.starts_with(['#', '[', '=', '*']) || line.ends_with(':') || loud
}

/// Whether a line underlines the one above.
fn underlines(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && ['=', '-', '~', '*', '^'].iter().any(|mark| line.chars().all(|c| c == *mark))
}
