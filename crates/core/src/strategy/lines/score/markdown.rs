//! Markdown: all headings first, then how sections begin.

use crate::hash::Hash;
use crate::strategy::Settings;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::score::scored::{Scored, Scorer};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::markdown as weights;

/// Weighs the lines of Markdown.
pub(in crate::strategy::lines) struct Markdown;

impl Scorer for Markdown {
    fn score(&self, table: &Table<'_>, _: &Settings) -> Scored {
        let mut fence: Option<&str> = None;
        let mut levels = Levels::default();
        let mut since = 0usize;
        let mut section = 1.0;
        let mut labels = GapLabels::new(Style::Sections);
        let mut name = 0;
        let mut units = Vec::with_capacity(table.len());
        for row in 0..table.len() {
            let line = table.words(row);
            let words = line.trim();
            let fenced = fence.is_some();
            for mark in ["```", "~~~"] {
                if words.starts_with(mark) && fence.is_none_or(|open| open == mark) {
                    fence = if fenced { None } else { Some(mark) };
                    break;
                }
            }
            let level = if fenced || fence.is_some() { None } else { levels.of(line, table.words(row + 1)) };
            if let Some(level) = level
                && level <= 2
            {
                name = labels.name(words.trim_start_matches('#').trim());
            }
            labels.push(name);
            if words.is_empty() {
                continue;
            }
            let (worth, key, why) = match level {
                Some(level) => {
                    since = 0;
                    section = if level <= 2 { 1.0 } else { weights::SUBSECTION };
                    (weights::HEADING - weights::LEVEL * level.min(6) as f32, Hash::of(words.as_bytes()), "heading")
                }
                None => {
                    since += 1;
                    let worth = section * if fenced { weights::FENCED } else { weights::PARAGRAPH } / since as f32;
                    (worth, row as u64, "start of a section")
                }
            };
            let worth = worth * (1.0 - (1.0 - weights::LAST) * row as f32 / table.len() as f32);
            let worth = worth.max(weights::LEAST);
            units.push(Unit::row(row, worth, key, weights::FADE, why));
        }
        Scored::of_units(units, labels)
    }
}

/// Tells headings and their levels.
#[derive(Debug, Default)]
struct Levels {
    /// The characters that headings were underlined with so far: each is a level below the one before it.
    marks: Vec<u8>,
}

/// What a heading may be underlined with.
const UNDER: &[u8] = b"=-~^\"'*+#`:._";

impl Levels {
    /// The level of a heading, `# so` or underlined.
    fn of(&mut self, line: &str, next: &str) -> Option<usize> {
        let hashes = line.bytes().take_while(|&byte| byte == b'#').count();
        if (1..=6).contains(&hashes) && line.as_bytes().get(hashes).is_some_and(|b| matches!(b, b' ' | b'\t')) {
            return Some(hashes);
        }
        let under = next.trim_end().as_bytes();
        let mark = *under.first().filter(|mark| UNDER.contains(mark) && under.len() >= 3)?;
        let plain = !line.trim().is_empty() && !line.starts_with([' ', '\t', '-', '=', '|', '>']);
        // A line of dots or stars may be much else; as long as the words above it, it underlines them.
        let fits = matches!(mark, b'=' | b'-') || under.len() >= line.trim_end().chars().count();
        if !plain || !fits || under.iter().any(|byte| *byte != mark) {
            return None;
        }
        let known = self.marks.iter().position(|known| *known == mark);
        let level = known.unwrap_or_else(|| {
            self.marks.push(mark);
            self.marks.len() - 1
        });
        Some((level + 1).min(6))
    }
}
