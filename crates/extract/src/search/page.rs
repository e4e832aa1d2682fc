//! Filling the room with passages.

use std::collections::HashMap;
use std::io;

use offcut_core::document::Document;
use offcut_core::{notice, text};

use super::Passage;
use super::intent::Intents;
use super::outline::{KeptPart, Outline};
use super::query::Query;
use super::rank::{Ranked, Ranking};
use super::roles::RoleHit;
use super::units::Units;

/// A passage that fits the words gets at most this share of the room, of ten.
const LONGEST_SHARE: u64 = 6;

/// Below this coverage the words that occur are scattered ones, and no answer.
const SCATTERED: f32 = 0.15;

/// The characters of a line that is shown for its kind.
const LONGEST_LINE: u64 = 500;

/// What lines of the kind that is meant leave of the room, of ten.
const MEANT_LEAVES: u64 = 4;

/// From this coverage on the words that are asked for stand together, and what they stand in is the answer.
const SURE: f32 = 0.5;

/// The characters of an answer that is sure.
const SMALL: u64 = 1100;

/// The most of the room that passages for words get where lines of a kind are meant too.
const MOST_FOR_WORDS: f32 = 0.65;

/// A passage is shown in a small answer if it has this share of what the best one has.
const NEAR_BEST: f32 = 0.5;

/// What a passage is made from.
pub(super) struct Findings<'a> {
    pub(super) units: &'a Units,
    pub(super) ranking: &'a Ranking,
    pub(super) hits: &'a [RoleHit],
    pub(super) outline: &'a Outline,
    /// Lines that stand out by a number that is asked for.
    pub(super) extremes: &'a [RoleHit],
}

/// How much of the beginning or the end is shown where the question means it, in tenths of the room.
const ENDS: u64 = 2;

/// A passage that is cut to the room that is left has at least so many characters.
const SHORTEST: u64 = 160;

/// Passages within a room, the best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PassagePage {
    passages: Vec<Passage>,
    drawing: Option<String>,
    left: u64,
}

impl PassagePage {
    /// Fills at most `room` characters: first with what stands out by a number that is asked for, then with what fits the
    /// words, then with lines of the kind that is meant, then with what is worth seeing whatever is asked. A question that
    /// is answered by few lines gets little room.
    pub(super) fn fill(
        document: &dyn Document,
        query: &Query,
        found: &Findings<'_>,
        room: u64,
    ) -> io::Result<PassagePage> {
        let Findings { units, ranking, hits, outline, extremes } = found;
        let answered = match query.has_sought() {
            true => ranking.coverage >= SURE,
            false => !hits.is_empty(),
        };
        let sure = query.question && (answered || !extremes.is_empty());
        let room = if sure { room.min(SMALL) } else { room };
        // A question whose words are there is answered by them; one whose words are not, by what is worth seeing.
        let share = match ranking.coverage {
            coverage if coverage < SCATTERED => 0.0,
            coverage => (coverage * 1.25).min(if hits.is_empty() { 1.0 } else { MOST_FOR_WORDS }),
        };
        let mut page = PassagePage { left: room, ..PassagePage::default() };
        for line in *extremes {
            page.line(document, line)?;
        }
        let words = ((room as f32 * share) as u64).min(page.left);
        let kept = page.left - words;
        page.left = words;
        let rest = page.ranked(document, units, ranking, (room, sure))?;
        page.left += kept;
        if query.intents.has(Intents::BEGINNING) {
            page.beginning(document, room * ENDS / 10)?;
        }
        if query.intents.has(Intents::END) {
            page.end(document, room * ENDS / 10)?;
        } else if query.intents.has(Intents::SUMMARY.with(Intents::EXIT)) && outline.drawings.is_empty() {
            // How it went is told at the end, in whatever words.
            page.end(document, room * ENDS / 10)?;
        }
        // Lines of the kind that is meant, and the others that a cut would show, share what is left.
        let structured = !outline.drawings.is_empty();
        let kept = match (sure, structured) {
            (true, _) => 0,
            (false, true) => page.left * 6 / 10,
            (false, false) => page.left * MEANT_LEAVES / 10,
        };
        page.left -= kept;
        let late = page.lines_meant(document, hits)?;
        page.left += kept;
        if !sure {
            page.outline(outline, query.intents);
        }
        for line in late {
            if page.left < 40 {
                break;
            }
            page.line(document, line)?;
        }
        let best = ranking.ranked.first().map_or(0.0, |ranked| ranked.score);
        for ranked in rest {
            if page.left < SHORTEST || sure && ranked.score < best * NEAR_BEST {
                break;
            }
            if let Some(passage) = passage(document, units, ranked, page.left)? {
                page.add(passage);
            }
        }
        Ok(page)
    }

    /// Adds what fits the words, as long as there is room; says what was left out.
    fn ranked<'r>(
        &mut self,
        document: &dyn Document,
        units: &Units,
        ranking: &'r Ranking,
        (room, sure): (u64, bool),
    ) -> io::Result<Vec<&'r Ranked>> {
        let best = ranking.ranked.first().map_or(0.0, |ranked| ranked.score);
        let near = if sure { NEAR_BEST } else { 0.4 };
        let good = ranking.ranked.iter().filter(|ranked| ranked.score >= best * near);
        let wanted: u64 = good.map(|ranked| cost(units, ranked)).sum();
        // Where more fit well than there is room for, the best show their surroundings, and the others their one line.
        let enough = match (wanted > self.left, sure) {
            (false, _) => 0,
            (true, true) => self.left / 3,
            (true, false) => self.left * 3 / 4,
        };
        let mut rest = Vec::new();
        for ranked in &ranking.ranked {
            let single = self.left < enough;
            let full = if single { self.left < 40 } else { self.left < SHORTEST };
            let least = match (sure, single && ranking.coverage >= 0.5) {
                (true, _) => NEAR_BEST,
                (false, true) => 0.12,
                (false, false) => 0.25,
            };
            if full || ranked.score < best * least {
                rest.push(ranked);
                continue;
            }
            let shown = match single {
                true => Ranked { first: ranked.core, end: ranked.core + 1, ..ranked.clone() },
                false => ranked.clone(),
            };
            let taken = match passage(document, units, &shown, room * LONGEST_SHARE / 10)? {
                Some(passage) => self.add(passage),
                None => false,
            };
            if !taken {
                rest.push(ranked);
            }
        }
        Ok(rest)
    }

    /// Adds lines of the kind that is meant; says what was left out.
    fn lines_meant<'m>(&mut self, document: &dyn Document, hits: &'m [RoleHit]) -> io::Result<Vec<&'m RoleHit>> {
        let mut shapes: HashMap<u64, u32> = HashMap::new();
        let mut late = Vec::new();
        for line in hits {
            let times = shapes.entry(line.shape).or_default();
            *times += 1;
            if self.left < 40 || *times > 12 {
                late.push(line);
            } else {
                self.line(document, line)?;
            }
        }
        Ok(late)
    }

    fn line(&mut self, document: &dyn Document, line: &RoleHit) -> io::Result<()> {
        let words = document.read_around(line.start..line.end.min(line.start + 4 * LONGEST_LINE))?;
        let shown = text::first_chars(&words, LONGEST_LINE);
        self.add(Passage {
            first_line: line.line + 1,
            last_line: line.line + 1,
            bytes: line.start..line.start + shown.len() as u64,
            part: false,
            text: shown.to_owned(),
            score: f64::from(line.worth),
        });
        Ok(())
    }

    pub(super) fn passages(&self) -> &[Passage] {
        &self.passages
    }

    pub(super) fn count(&self) -> u64 {
        self.passages.len() as u64 + u64::from(self.drawing.is_some())
    }

    /// The passages as they are shown.
    pub(super) fn written(&self) -> String {
        let mut written = String::new();
        let mut before = false;
        for passage in &self.passages {
            // Single lines stand below each other, with their numbers before them.
            let single = is_single(passage);
            if !written.is_empty() {
                written.push_str(if single && before { "\n" } else { "\n\n" });
            }
            written.push_str(&head(passage));
            written.push(if single { ' ' } else { '\n' });
            written.push_str(trimmed(&passage.text));
            before = single;
        }
        if let Some(drawing) = &self.drawing {
            let parted = if written.is_empty() { "" } else { "\n\n" };
            written.push_str(&format!("{parted}[outline]\n{drawing}"));
        }
        written
    }

    /// Adds what is worth seeing: what the question means first, then by what the smallest cuts kept.
    fn outline(&mut self, outline: &Outline, intents: Intents) {
        if let Some(drawing) = outline.drawings.iter().find(|drawing| text::chars(drawing) + 12 <= self.left) {
            self.left -= text::chars(drawing) + 12;
            self.drawing = Some(drawing.clone());
        }
        let mut parts: Vec<&KeptPart> = outline.parts.iter().collect();
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
        for shown in &self.passages {
            trim(&mut passage, shown);
        }
        let cost = taken(&passage);
        // What the new one shows as well needs no place of its own, if there is room for all of it.
        let around = |shown: &Passage| passage.bytes.start <= shown.bytes.start && shown.bytes.end <= passage.bytes.end;
        let given: u64 = self.passages.iter().filter(|shown| around(shown)).map(taken).sum();
        if given > 0 && cost <= self.left + given {
            let place = self.passages.iter().position(around).unwrap_or(0);
            self.passages.retain(|shown| !around(shown));
            self.left = self.left + given - cost;
            self.passages.insert(place.min(self.passages.len()), passage);
            return true;
        }
        let head = text::chars(&head(&passage)) + 3;
        let wanted = text::chars(trimmed(&passage.text));
        let room = self.left.saturating_sub(head);
        if wanted > room {
            if room < SHORTEST || is_single(&passage) && wanted <= 2 * LONGEST_LINE {
                return false;
            }
            shorten(&mut passage, room);
        }
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

/// Takes the whole lines off an end of a passage that `shown` shows already.
fn trim(passage: &mut Passage, shown: &Passage) {
    let (new, old) = (&passage.bytes, &shown.bytes);
    if passage.part || shown.part || new.end <= old.start || old.end <= new.start {
        return;
    }
    let length = |from: u64, to: u64| usize::try_from(to - from).unwrap_or(usize::MAX);
    if old.start <= new.start && old.end < new.end {
        let (before, rest) = (length(new.start, old.end), passage.text.len());
        let cut = text::slice(&passage.text, 0..before);
        if cut.len() == before && cut.ends_with('\n') {
            passage.first_line += text::lines(cut);
            passage.bytes.start = old.end;
            passage.text = text::slice(&passage.text, before..rest).to_owned();
        }
    } else if new.start < old.start && new.end <= old.end {
        let kept = text::slice(&passage.text, 0..length(new.start, old.start));
        if kept.ends_with('\n') {
            passage.last_line = (passage.first_line + text::lines(kept)).saturating_sub(1);
            passage.bytes.end = passage.bytes.start + kept.len() as u64;
            passage.text = kept.to_owned();
        }
    }
}

/// What a passage takes.
fn taken(passage: &Passage) -> u64 {
    text::chars(&head(passage)) + 3 + text::chars(trimmed(&passage.text))
}

/// Whether a passage is one line, or a part of one.
fn is_single(passage: &Passage) -> bool {
    !trimmed(&passage.text).contains('\n')
}

/// What showing some units takes.
fn cost(units: &Units, ranked: &Ranked) -> u64 {
    let last = ranked.end.checked_sub(1).and_then(|at| units.units.get(at));
    units.units.get(ranked.first).zip(last).map_or(0, |(first, last)| last.end - first.start + 16)
}

fn head(passage: &Passage) -> String {
    let bytes = passage.part.then_some((passage.bytes.start, passage.bytes.end));
    notice::passage(passage.first_line, passage.last_line, bytes)
}

fn trimmed(text: &str) -> &str {
    text.trim_end_matches(['\n', '\r'])
}

/// Where a part comes among the others: the lower the earlier.
fn order(part: &KeptPart, intents: Intents) -> u8 {
    let meant = if intents.means(&part.why) { 0 } else { 12 };
    let why = match part.why.as_str() {
        "failing test" | "error" | "summary" | "exit code" => 0,
        "context" | "rare line" | "command" => 2,
        _ => 1,
    };
    part.tier * 8 + meant + why
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(lines: std::ops::Range<u64>) -> Passage {
        let text: String = lines.clone().map(|line| format!("line {line:03}\n")).collect();
        let bytes = lines.start * 9..lines.end * 9;
        Passage { first_line: lines.start + 1, last_line: lines.end, bytes, part: false, text, score: 1.0 }
    }

    fn shown(passages: &[std::ops::Range<u64>]) -> Vec<(u64, u64, String)> {
        let mut page = PassagePage { left: 10_000, ..PassagePage::default() };
        for lines in passages {
            page.add(passage(lines.clone()));
        }
        page.passages.iter().map(|shown| (shown.first_line, shown.last_line, shown.text.clone())).collect()
    }

    #[test]
    fn no_line_is_shown_twice() {
        let whole = |lines: std::ops::Range<u64>| (lines.start + 1, lines.end, passage(lines).text);
        assert_eq!(shown(&[4..9, 6..12]), [whole(4..12)]);
        assert_eq!(shown(&[4..9, 2..6]), [whole(4..9), whole(2..4)]);
        assert_eq!(shown(&[4..9, 5..7]), [whole(4..9)]);
        assert_eq!(shown(&[4..9, 2..12]), [whole(2..12)]);
        assert_eq!(shown(&[4..9, 20..22]), [whole(4..9), whole(20..22)]);
    }
}
