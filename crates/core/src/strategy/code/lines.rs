//! An outline without a grammar: lines that look like the beginning of a definition, by keyword and indentation.

use std::collections::BTreeMap;

use super::unit::{Source, Unit, What};
use super::weights::{LISTED, MENTION, MOST_MENTIONS, OTHER_SECTIONS, RARE, RARE_EACH, SETTING};
use crate::line::definitions::{self, Defined};

/// Whether a text looks as if it was made to keep a parser busy: one short sequence over and over, deep nesting.
pub(super) fn looks_hostile(text: &str) -> bool {
    let mut nesting: i64 = 0;
    let mut deepest = 0;
    let mut angles = 0;
    let mut most_angles = 0;
    for &byte in text.as_bytes() {
        match byte {
            b'(' | b'[' | b'{' => nesting += 1,
            b')' | b']' | b'}' => nesting -= 1,
            b'<' => angles += 1,
            b'>' | b'\n' | b';' => angles = 0,
            _ => {}
        }
        deepest = deepest.max(nesting);
        most_angles = most_angles.max(angles);
    }
    let count = |byte: u8| memchr::memchr_iter(byte, text.as_bytes()).count();
    let unclosed = count(b'<').saturating_sub(count(b'>'));
    if deepest > 400 || most_angles > 120 || unclosed > 400 + text.len() / 40 {
        return true;
    }
    // A line of many thousand characters is not written by a person, nor read well by a grammar.
    text.split('\n').any(|line| line.len() > 20_000)
}

/// How many settings at the top of a configuration are parts of it.
const SETTINGS: usize = 20;

/// The units of a source, by its lines.
pub(super) fn units(source: &Source<'_>) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut section_open: Option<usize> = None;
    let mut first_section: Option<usize> = None;
    let mut settings = 0;
    for row in 0..source.len() {
        let line = source.line(row);
        let words = line.trim_start();
        if words.is_empty() {
            continue;
        }
        let indent = line.len() - words.len();
        let closes = words.starts_with(['}', ')', ']']) || words.starts_with("end");
        while open.last().is_some_and(|(level, _)| *level > indent || (*level == indent && !closes)) {
            close(&mut units, &mut open, row);
        }
        if closes && open.last().is_some_and(|(level, _)| *level == indent) {
            close(&mut units, &mut open, row + 1);
            continue;
        }
        // What a configuration is called stands at its top, or in its first section.
        let at_top = match section_open {
            None => units.len() < SETTINGS,
            Some(open) => first_section == Some(open) && settings < SETTINGS,
        };
        let setting = at_top && is_setting(words);
        if indent == 0 && (setting || definitions::begins_value(words)) {
            let rows = row..row + 1;
            let name = String::new();
            units.push(Unit {
                what: What::Statement,
                name,
                rows: rows.clone(),
                head: rows,
                lead: 0,
                public: true,
                depth: 0,
                nested: false,
                test: false,
                bonus: if setting { SETTING } else { 0 },
                listed: false,
            });
            settings += usize::from(setting);
            continue;
        }
        if indent == 0
            && let Some(unit) = section(source, row, words)
        {
            if section_open.is_none() && !words.starts_with("[[") {
                first_section = Some(units.len());
            }
            // A section goes on to the next one, whatever the indentation.
            if let Some(before) = section_open.replace(units.len()).and_then(|before| units.get_mut(before)) {
                before.rows.end = row;
            }
            units.push(unit);
            continue;
        }
        let defined = definition(words, source.line(row + 1).trim_start());
        let Some((what, name)) = defined.or_else(|| block(words).filter(|_| indent == 0)) else { continue };
        let nested = open.iter().any(|(_, unit)| units.get(*unit).is_some_and(|unit| unit.what == What::Function));
        let public = !name.starts_with('_') && !words.starts_with("private") && !words.starts_with("static");
        let test = name.starts_with("test");
        let unit = Unit {
            what,
            name,
            rows: row..row + 1,
            head: row..row + 1,
            lead: 0,
            public,
            depth: open.len(),
            nested,
            test,
            bonus: 0,
            listed: false,
        };
        if matches!(what, What::Type | What::Function) {
            open.push((indent, units.len()));
        }
        units.push(unit);
    }
    while !open.is_empty() {
        close(&mut units, &mut open, source.len());
    }
    if let Some(last) = section_open.and_then(|last| units.get_mut(last)) {
        last.rows.end = source.len();
    }
    weigh_sections(source, &mut units);
    units
}

fn close(units: &mut [Unit], open: &mut Vec<(usize, usize)>, row: usize) {
    if let Some((_, unit)) = open.pop()
        && let Some(unit) = units.get_mut(unit)
    {
        unit.rows.end = row.max(unit.rows.end);
    }
}

/// What a line defines, if anything.
fn definition(words: &str, next: &str) -> Option<(What, String)> {
    let (defined, name) = definitions::definition(words, next)?;
    let what = match defined {
        Defined::Import => What::Import,
        Defined::Type => What::Type,
        Defined::Function => What::Function,
    };
    Some((what, name.to_owned()))
}

/// The most characters of a block's name.
const LONGEST_NAME: usize = 48;

/// The block that a line opens by its name alone, as style sheets and configurations write it: `a:hover {`,
/// `resource "disk" "data" {`. What branches or loops is none.
fn block(words: &str) -> Option<(What, String)> {
    let name = words.trim_end().strip_suffix('{')?.trim_end();
    let first = name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let steers =
        matches!(first, "if" | "else" | "for" | "while" | "switch" | "do" | "try" | "catch" | "loop" | "return");
    let named = name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '#' | '@' | '[' | ':' | '*'));
    (named && !steers).then(|| (What::Type, name.chars().take(LONGEST_NAME).collect()))
}

/// Makes sections worth more that others mention often, or whose keys few others have; and those less that are one of many
/// in a configuration that has other sections.
fn weigh_sections(source: &Source<'_>, units: &mut [Unit]) {
    let is_section = |unit: &&mut Unit| unit.what == What::Type && source.line(unit.rows.start).starts_with("[[");
    let mut mentions: BTreeMap<&str, u32> = BTreeMap::new();
    for row in 0..source.len() {
        let line = source.line(row).trim();
        if line.starts_with('"') {
            let word = line.trim_matches(|c| matches!(c, '"' | ',')).split(' ').next().unwrap_or_default();
            *mentions.entry(word).or_default() += 1;
        }
    }
    let keys = |unit: &Unit| {
        let keys = unit.rows.clone().filter_map(|row| source.line(row).split_once('=')).map(|(key, _)| key.trim_end());
        keys.collect::<Vec<_>>()
    };
    let mut shapes: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
    for unit in units.iter_mut().filter(is_section) {
        *shapes.entry(keys(unit)).or_default() += 1;
    }
    let sections: u64 = shapes.values().sum();
    for unit in units.iter_mut().filter(is_section) {
        let mentioned = mentions.get(unit.name.as_str()).copied().unwrap_or(0);
        let rare = shapes.get(&keys(unit)).is_some_and(|count| count * RARE_EACH <= sections);
        unit.bonus = mentioned.min(MOST_MENTIONS) * MENTION + if rare { RARE } else { 0 };
    }
    let is_plain = |unit: &&Unit| unit.what == What::Type && is_section_line(source.line(unit.rows.start));
    let others = units.iter().filter(is_plain).count();
    if others < OTHER_SECTIONS {
        return;
    }
    let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
    for unit in units.iter_mut().filter(is_section) {
        let before = listed.entry(source.line(unit.rows.start)).or_default();
        *before += 1;
        if *before > LISTED {
            unit.listed = true;
        }
    }
}

/// Whether a line is `[name]`, and not `[[name]]`.
fn is_section_line(line: &str) -> bool {
    line.starts_with('[') && !line.starts_with("[[")
}

/// Whether a line is `key = value` with a plain key, as configurations begin.
fn is_setting(words: &str) -> bool {
    let key = words.split_once('=').map(|(key, _)| key.trim());
    key.is_some_and(|key| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
}

/// The section of a configuration that starts at `row`: `[name]`, or `[[name]]`, which is told by its own name.
fn section(source: &Source<'_>, row: usize, words: &str) -> Option<Unit> {
    let inside = words.trim_end().strip_prefix('[')?.strip_suffix(']')?;
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']' | '"' | '\'' | ' ' | ':' | '/');
    if inside.is_empty() || !inside.chars().all(plain) {
        return None;
    }
    let value = |row: usize| {
        let (key, value) = source.line(row).split_once('=')?;
        matches!(key.trim(), "name" | "id" | "key" | "title").then(|| value.trim().trim_matches('"').to_string())
    };
    let named =
        (row + 1..row + 4).find_map(|row| value(row).map(|name| (row, name))).filter(|_| inside.starts_with('['));
    let (head, name) = named.unwrap_or((row, inside.to_string()));
    let rows = row..head + 1;
    Some(Unit {
        what: What::Type,
        name,
        rows,
        head: head..head + 1,
        lead: 0,
        public: true,
        depth: 0,
        nested: false,
        test: false,
        bonus: 0,
        listed: false,
    })
}
