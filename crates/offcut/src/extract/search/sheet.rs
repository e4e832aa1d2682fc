//! Filling the room with passages.

use std::collections::HashMap;
use std::io;

use offcut_core::document::Document;
use offcut_core::{notice, text};

use super::Passage;
use super::intent::Intents;
use super::outline::{Outline, Part};
use super::query::Query;
use super::rank::{Ranked, Ranking};
use super::units::Units;

/// A passage that fits the words gets at most this share of the room, of ten.
const LONGEST_SHARE: u64 = 6;

/// How much of the beginning or the end is shown where the question means it, in tenths of the room.
const ENDS: u64 = 2;

/// A passage that is cut to the room that is left has at least so many characters.
const SHORTEST: u64 = 160;

/// Passages within a room, the best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sheet {
    passages: Vec<Passage>,
    drawing: Option<String>,
    left: u64,
    /// How often passages of the same shape are shown already.
    shapes: HashMap<u64, u32>,
}

impl Sheet {
    /// Fills `room` characters: first with what fits the words, then with what is meant, then with what is worth seeing.
    pub(super) fn fill(
        document: &dyn Document,
        query: &Query,
        units: &Units,
        ranking: &Ranking,
        outline: &Outline,
        room: u64,
    ) -> io::Result<Sheet> {
        let mut sheet = Sheet { left: room, ..Sheet::default() };
        // A question whose words are there is answered by them; one whose words are not, by what is worth seeing.
        let share = (ranking.coverage * 1.25).clamp(0.2, 0.8);
        let words = (room as f32 * share) as u64;
        sheet.left = words;
        let best = ranking.ranked.first().map_or(0.0, |ranked| ranked.score);
        let mut rest = Vec::new();
        for ranked in &ranking.ranked {
            let taken = ranked.score >= best * 0.3
                && match passage(document, units, ranked, room * LONGEST_SHARE / 10)? {
                    Some(passage) => sheet.add(passage),
                    None => false,
                };
            if !taken {
                rest.push(ranked);
            }
            if sheet.left < SHORTEST {
                break;
            }
        }
        sheet.left += room - words;
        if query.intents.has(Intents::BEGINNING) {
            sheet.beginning(document, room * ENDS / 10)?;
        }
        if query.intents.has(Intents::END.with(Intents::SUMMARY)) {
            sheet.end(document, room * ENDS / 10)?;
        }
        sheet.outline(outline, query.intents);
        for ranked in rest {
            if sheet.left < SHORTEST {
                break;
            }
            if let Some(passage) = passage(document, units, ranked, sheet.left)? {
                sheet.add(passage);
            }
        }
        Ok(sheet)
    }

    pub(super) fn passages(&self) -> &[Passage] {
        &self.passages
    }

    pub(super) fn count(&self) -> u64 {
        self.passages.len() as u64 + u64::from(self.drawing.is_some())
    }

    /// The passages as they are shown.
    pub(super) fn written(&self) -> String {
        let passages = self.passages.iter().map(|passage| format!("{}\n{}", head(passage), trimmed(&passage.text)));
        let drawing = self.drawing.iter().map(|drawing| format!("[outline]\n{drawing}"));
        passages.chain(drawing).collect::<Vec<_>>().join("\n\n")
    }

    /// Adds what is worth seeing: what the question means first, then by what the smallest cuts kept.
    fn outline(&mut self, outline: &Outline, intents: Intents) {
        if let Some(drawing) = outline.drawings.iter().find(|drawing| text::chars(drawing) + 12 <= self.left) {
            self.left -= text::chars(drawing) + 12;
            self.drawing = Some(drawing.clone());
        }
        let mut parts: Vec<&Part> = outline.parts.iter().collect();
        parts.sort_by_key(|part| (order(part, intents), part.start));
        for part in parts {
            if self.left < 40 {
                break;
            }
            self.add(Passage {
                first_line: part.first_line,
                last_line: part.last_line,
                bytes: part.start..part.end,
                part: false,
                text: part.text.clone(),
                score: 0.0,
            });
        }
    }

    fn beginning(&mut self, document: &dyn Document, chars: u64) -> io::Result<()> {
        let extent = document.extent();
        let words = document.read_around(0..(chars * 4).min(extent.bytes))?;
        let words = text::first_chars(&words, chars);
        let end = match memchr::memrchr(b'\n', words.as_bytes()) {
            Some(at) if (words.len() as u64) < extent.bytes => at + 1,
            _ => words.len(),
        };
        let words = text::slice(words, 0..end);
        self.add(Passage {
            first_line: 1,
            last_line: text::lines(words).max(1),
            bytes: 0..words.len() as u64,
            part: false,
            text: words.to_owned(),
            score: 0.0,
        });
        Ok(())
    }

    fn end(&mut self, document: &dyn Document, chars: u64) -> io::Result<()> {
        let extent = *document.extent();
        let start = document.position(extent.bytes.saturating_sub(chars * 4))?;
        let words = document.read(start.byte..extent.bytes)?;
        let from = text::suffix(&words, chars);
        let words = text::slice(&words, from..words.len());
        let begin = match memchr::memchr(b'\n', words.as_bytes()) {
            Some(at) if (words.len() as u64) < extent.bytes && at + 1 < words.len() => at + 1,
            _ => 0,
        };
        let words = text::slice(words, begin..words.len());
        self.add(Passage {
            first_line: (extent.lines + 1).saturating_sub(text::lines(words)).max(1),
            last_line: extent.lines.max(1),
            bytes: extent.bytes - words.len() as u64..extent.bytes,
            part: false,
            text: words.to_owned(),
            score: 0.0,
        });
        Ok(())
    }

    /// Adds a passage if it is new and fits, shortened if need be; says whether it did.
    fn add(&mut self, mut passage: Passage) -> bool {
        let inside = |shown: &Passage| shown.bytes.start <= passage.bytes.start && passage.bytes.end <= shown.bytes.end;
        if passage.text.trim().is_empty() || self.passages.iter().any(inside) {
            return true;
        }
        let head = text::chars(&head(&passage)) + 3;
        let wanted = text::chars(trimmed(&passage.text));
        let room = self.left.saturating_sub(head);
        if wanted > room {
            if room < SHORTEST {
                return false;
            }
            shorten(&mut passage, room);
        }
        let shape = shape(&passage.text);
        let times = self.shapes.entry(shape).or_default();
        *times += 1;
        self.left = self.left.saturating_sub(head + text::chars(trimmed(&passage.text)));
        self.join(passage);
        true
    }

    /// Puts a passage beside the one that it continues, else at the end.
    fn join(&mut self, passage: Passage) {
        let touching = self.passages.iter_mut().find(|shown| {
            !shown.part && !passage.part && shown.bytes.end == passage.bytes.start && shown.text.ends_with('\n')
        });
        match touching {
            Some(shown) => {
                shown.text.push_str(&passage.text);
                shown.bytes.end = passage.bytes.end;
                shown.last_line = passage.last_line;
            }
            None => self.passages.push(passage),
        }
    }
}

/// The passage of some units, at most `longest` characters of it.
pub(super) fn passage(
    document: &dyn Document,
    units: &Units,
    ranked: &Ranked,
    longest: u64,
) -> io::Result<Option<Passage>> {
    let last = ranked.end.checked_sub(1).and_then(|at| units.units.get(at));
    let (Some(first), Some(last)) = (units.units.get(ranked.first), last) else { return Ok(None) };
    let words = document.read(first.start..last.end)?;
    let mut passage = Passage {
        first_line: first.line + 1,
        last_line: last.line + 1,
        bytes: first.start..last.end,
        part: first.part && first.line == last.line,
        text: words.into_owned(),
        score: f64::from(ranked.score),
    };
    shorten(&mut passage, longest);
    Ok(Some(passage))
}

/// Cuts a passage to so many characters, at a line end where there is one.
fn shorten(passage: &mut Passage, chars: u64) {
    if text::chars(&passage.text) <= chars {
        return;
    }
    let kept = text::first_chars(&passage.text, chars);
    let kept = match memchr::memrchr(b'\n', kept.as_bytes()) {
        Some(at) if at > 0 => text::slice(kept, 0..at + 1),
        _ => kept,
    };
    passage.bytes.end = passage.bytes.start + kept.len() as u64;
    passage.last_line = (passage.first_line + text::lines(kept)).saturating_sub(1).max(passage.first_line);
    passage.text = kept.to_owned();
}

fn head(passage: &Passage) -> String {
    let bytes = passage.part.then_some((passage.bytes.start, passage.bytes.end));
    notice::passage(passage.first_line, passage.last_line, bytes)
}

fn trimmed(text: &str) -> &str {
    text.trim_end_matches(['\n', '\r'])
}

/// Where a part comes among the others: the lower the earlier.
fn order(part: &Part, intents: Intents) -> u8 {
    let meant = if intents.means(&part.why) { 0 } else { 12 };
    let why = match part.why.as_str() {
        "failing test" | "error" | "summary" | "exit code" => 0,
        "context" | "rare line" | "command" => 2,
        _ => 1,
    };
    part.tier * 8 + meant + why
}

/// A hash of a text without its digits: lines of one template share it.
fn shape(text: &str) -> u64 {
    text.bytes()
        .filter(|byte| !byte.is_ascii_digit())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
