//! Text that nothing is known of: its beginning and its end, how its parts begin, and whatever tells.

use std::collections::HashSet;

use super::log::Log;
use super::scored::{Scored, Scorer};
use crate::hash::Plain;
use crate::line::columns::{TableLine, TableReader};
use crate::strategy::Settings;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::weights::prose as weights;

/// Weighs the lines of a text that nothing is known of.
pub(in crate::strategy::lines) struct Prose;

impl Scorer for Prose {
    fn score(&self, table: &Table<'_>, settings: &Settings) -> Scored {
        let mut scored = Log.score_from(0.0, table, settings);
        let beginnings = beginnings(table);
        for unit in &mut scored.units {
            let row = unit.rows.start as usize;
            let (mut structure, mut why) = structure(table, row);
            if let Ok(at) = beginnings.binary_search_by_key(&row, |(row, _)| *row) {
                structure += beginnings.get(at).map_or(0.0, |(_, worth)| *worth);
                why = "first of its form";
            }
            if structure > unit.worth {
                unit.why = why;
            }
            unit.worth += structure;
        }
        scored
    }
}

/// The rows that name the columns of those below them, and the first row of each form that goes on, with what they gain.
fn beginnings(table: &Table<'_>) -> Vec<(usize, f32)> {
    let mut reader = TableReader::default();
    let mut forms = (0..table.len()).map(|row| form(table.words(row)));
    let mut found = Vec::new();
    let mut seen: HashSet<u64, Plain> = HashSet::default();
    let (mut before, mut here, mut next) = (0, forms.next().unwrap_or(0), forms.next().unwrap_or(0));
    for row in 0..table.len() {
        let after = forms.next().unwrap_or(0);
        let line = reader.read(table.words(row), table.words(row + 1), table.words(row + 2));
        if matches!(line, TableLine::Header(_)) {
            found.push((row, weights::HEADER));
        } else if here != 0 && here != before && here == next && next == after && seen.insert(here) {
            found.push((row, weights::FIRST_OF_FORM));
        }
        (before, here, next) = (here, next, after);
    }
    found
}

/// How many parts of a line tell its form.
const PARTS: usize = 8;

/// The form of a line: its first words, figures and signs, one like the other; 0 for an empty line.
fn form(line: &str) -> u64 {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => b'0',
        byte if byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 => b'a',
        b'\t' => b' ',
        byte => byte,
    };
    let mut parts = [0u8; PARTS];
    let (mut count, mut last) = (0, 0);
    for byte in line.trim_end().bytes().map(class) {
        if byte == last {
            continue;
        }
        last = byte;
        let Some(part) = parts.get_mut(count) else { break };
        *part = byte;
        count += 1;
    }
    u64::from_le_bytes(parts)
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
