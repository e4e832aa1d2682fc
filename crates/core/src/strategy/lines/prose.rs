//! Text that nothing is known of: its beginning and its end, how its parts begin, and whatever tells.

use super::log;
use super::scored::Scored;
use super::table::Table;
use crate::strategy::Settings;

/// How many lines the worth of an end halves over.
const NEAR: f32 = 15.0;

/// What the lines of a text are worth.
pub(super) fn read(table: &Table<'_>, settings: &Settings) -> Scored {
    let mut reading = log::read(table, settings);
    for unit in &mut reading.units {
        let row = unit.rows.start as usize;
        let (structure, why) = structure(table, row);
        if structure > unit.worth {
            unit.why = why;
        }
        unit.worth += structure;
    }
    reading
}

/// What a line is worth for where it stands.
fn structure(table: &Table<'_>, row: usize) -> (f32, &'static str) {
    let first = 7.0 / (1.0 + row as f32 / NEAR);
    let last = 5.0 / (1.0 + (table.len() - 1 - row) as f32 / NEAR);
    let (mut worth, mut why) = if first > last { (first, "first lines") } else { (last, "last lines") };
    let empty = |row: usize| table.words(row).trim().is_empty();
    if row == 0 || empty(row - 1) {
        worth += 2.0;
        let line = table.words(row).trim();
        if line.len() < 80 && (heads(line) || empty(row + 1) || underlines(table.words(row + 1))) {
            worth += 7.0;
            why = "heading";
        }
    }
    (worth + 1.0, why)
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
