//! JSON records, one a line, among other lines: what the lines tell, and records whose values differ from the others'.

use std::collections::HashMap;

use crate::hash::{Hash, Plain};
use crate::strategy::Settings;
use crate::strategy::lines::score::log::Log;
use crate::strategy::lines::score::scored::{Scored, Scorer};
use crate::strategy::lines::score::values::ColumnGroup;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::weights::records as weights;
use crate::text;

/// Weighs records and the lines between them.
pub(in crate::strategy::lines) struct Records;

/// How many members of records are told apart.
const MEMBERS: usize = 40;

impl Scorer for Records {
    fn score(&self, table: &Table<'_>, settings: &Settings) -> Scored {
        let mut scored = Log.score_from(0.0, table, settings);
        let mut names: HashMap<u64, usize, Plain> = HashMap::default();
        let mut group = ColumnGroup::new(MEMBERS);
        for row in (0..table.len()).filter(|row| table.words(*row).starts_with('{')) {
            group.add(row, |each| {
                members(table.words(row), |name, value| {
                    let next = names.len();
                    let column = *names.entry(Hash::of(name.as_bytes())).or_insert(next);
                    each(column, value);
                });
            });
        }
        let mut gains = group.gains().into_iter().peekable();
        for unit in &mut scored.units {
            let row = unit.rows.start as usize;
            while gains.next_if(|(of, ..)| *of < row).is_some() {}
            if let Some((_, gain, key)) = gains.next_if(|(of, ..)| *of == row) {
                unit.worth += gain.min(weights::MOST) * weights::VALUES;
                // Records with the same values say the same, whatever their texts are.
                (unit.key, unit.fade) = (key, weights::NEXT);
                unit.why = if gain > 0.0 { "record that differs" } else { unit.why };
            }
        }
        Scored { floor: weights::FLOOR, by_novelty: false, ..scored }
    }
}

/// Calls `each` with the name and the value of each member of a record that is a text, a number or a word.
fn members<'a>(record: &'a str, mut each: impl FnMut(&'a str, &'a str)) {
    let mut rest = record;
    for _ in 0..MEMBERS {
        let Some((_, behind)) = rest.split_once('"') else { return };
        let Some((name, value)) = behind.split_once("\":") else { return };
        let value = value.trim_start();
        let (shown, after) = match value.as_bytes().first() {
            Some(b'"') => {
                let inner = text::slice(value, 1..value.len());
                let end = closing(inner);
                (text::slice(inner, 0..end), text::slice(inner, (end + 1).min(inner.len())..inner.len()))
            }
            Some(b'{' | b'[') => ("", text::slice(value, 1..value.len())),
            _ => {
                let end = value.find([',', '}', ']']).unwrap_or(value.len());
                (text::slice(value, 0..end).trim_end(), text::slice(value, end..value.len()))
            }
        };
        if !shown.is_empty() {
            each(name, shown);
        }
        rest = after;
    }
}

/// Where a JSON text ends whose quote was opened.
fn closing(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        if bytes.get(at + found) == Some(&b'"') {
            return at + found;
        }
        at += found + 2;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_without_a_parser() {
        let mut found = Vec::new();
        let record = r#"{"level":30,"msg":"a \"b\"","err":{"type":"E"},"ok":true}"#;
        members(record, |name, value| found.push((name, value)));
        assert_eq!(found, [("level", "30"), ("msg", r#"a \"b\""#), ("type", "E"), ("ok", "true")]);
        members("{\"cut\":\"off", |name, value| assert_eq!((name, value), ("cut", "off")));
        members("{", |_, _| unreachable!());
    }
}
