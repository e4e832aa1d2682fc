//! From chosen rows to the pieces of a cut.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::line::signals;
use crate::strategy::lines::embedded::value::{Embedded, ShownEmbed};
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::score::scored::Scored;
use crate::strategy::lines::select::Selected;
use crate::strategy::lines::table::{Row, Table};
use crate::strategy::lines::unit::KeptRows;
use crate::strategy::lines::{unseen, weights};
use crate::strategy::{CutError, Settings};
use crate::text;

/// The cut that shows what was chosen of the table's document. What gaps say takes at most what is left and what was
/// set `aside`, in characters.
pub(super) fn cut(
    document: &dyn Document,
    table: &Table<'_>,
    selected: &Selected,
    reading: &Scored,
    aside: u64,
    settings: &Settings,
) -> Result<Cut, CutError> {
    let kept = &selected.kept;
    let saying = Saying { document, table, labels: &reading.labels, settings };
    let mut said = saying.details(kept, selected.left, aside as i64);
    let shown: BTreeMap<usize, (&Embedded, &ShownEmbed)> = selected
        .embeds
        .iter()
        .filter_map(|(at, shown)| reading.embeds.get(*at).map(|embed| (embed.rows.start as usize, (embed, shown))))
        .collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    for kept in kept {
        if let Some((embed, shown)) = shown.get(&kept.rows.start)
            && let [first, .., last] | [first @ last] = table.rows().get(kept.rows.clone()).unwrap_or(&[])
        {
            if first.byte > at {
                pieces.push(gap(at..first.byte, &mut said));
            }
            at = last.range().end;
            pieces.extend(embed.framed(first.byte..at, shown));
            continue;
        }
        for row in table.rows().get(kept.rows.clone()).unwrap_or(&[]) {
            if row.byte > at {
                pieces.push(gap(at..row.byte, &mut said));
            }
            at = row.range().end;
            pieces.push(Piece::leave_off(row.byte..row.shown_from()));
            if table.is_long(row) {
                shorten(document, table, row, kept.why, &mut pieces)?;
            } else {
                pieces.push(Piece::keep(row.shown_from()..at, kept.why));
            }
        }
    }
    if at < document.extent().bytes {
        pieces.push(gap(at..document.extent().bytes, &mut said));
    }
    Ok(Cut::of("smart", pieces, document.extent())?)
}

fn gap(range: Range<u64>, said: &mut BTreeMap<u64, String>) -> Piece {
    match said.remove(&range.start) {
        Some(detail) => Piece::omit_saying(range, detail),
        None => Piece::omit(range),
    }
}

/// What is omitted between kept rows.
struct Gap {
    rows: Range<usize>,
    bytes: Range<u64>,
    /// Whether rows are missing from the table here.
    unseen: bool,
}

/// What gaps are described from.
struct Saying<'a> {
    document: &'a dyn Document,
    table: &'a Table<'a>,
    labels: &'a GapLabels,
    settings: &'a Settings,
}

impl Saying<'_> {
    /// What gaps say, by the byte where they start, the widest first, as long as there is room.
    fn details(&self, kept: &[KeptRows], left: i64, aside: i64) -> BTreeMap<u64, String> {
        let Saying { table, labels, .. } = self;
        let mut room = left.saturating_add(aside);
        // What does not repeat says no more than was set aside, or a little of what is left.
        let mut others = aside.max(weights::SAID_LEFT);
        let mut gaps = self.gaps(kept);
        // What repeats was promised the room to say so.
        let folds = |gap: &Gap| !gap.unseen && labels.folded(&gap.rows).is_some();
        let width = |gap: &Gap| if table.is_whole() { gap.rows.len() as u64 } else { gap.bytes.end - gap.bytes.start };
        gaps.sort_by_key(|gap| (!folds(gap), std::cmp::Reverse(width(gap)), gap.rows.start));
        let shown = labels.shown(kept.iter().flat_map(|kept| kept.rows.clone()));
        let mut said = BTreeMap::new();
        for gap in gaps {
            let most = if folds(&gap) { room } else { room.min(others) };
            if most < 12 {
                continue;
            }
            let detail = if gap.unseen { self.unseen(&gap) } else { self.seen(&gap, &shown) };
            let Some(detail) = detail else { continue };
            let cost = text::chars(&detail) as i64 * 2 + 2;
            let cost = if detail.is_ascii() { detail.len() as i64 + 2 } else { cost * 2 };
            if cost <= most {
                room -= cost;
                others -= if folds(&gap) { 0 } else { cost };
                said.insert(gap.bytes.start, detail);
            }
        }
        said
    }

    /// The gaps between what is kept that may say something.
    fn gaps(&self, kept: &[KeptRows]) -> Vec<Gap> {
        let table = self.table;
        let bytes = table.extent().bytes;
        let gap = |from: usize, to: usize| {
            let start = from.checked_sub(1).and_then(|row| table.rows().get(row)).map_or(0, |row| row.range().end);
            let end = table.rows().get(to).map_or(bytes, |row| row.byte);
            let unseen = (from..=to).any(|row| table.breaks_before(row));
            Gap { rows: from..to, bytes: start..end, unseen }
        };
        let starts = std::iter::once(0).chain(kept.iter().map(|kept| kept.rows.end));
        let ends = kept.iter().map(|kept| kept.rows.start).chain([table.len()]);
        let least = match self.labels.style() {
            Style::Places | Style::Sections => weights::SAID_ENTRIES,
            Style::Changes | Style::Results => weights::SAID_ROWS,
        };
        let says = |gap: &Gap| {
            let enough = gap.rows.len() >= least || self.labels.folded(&gap.rows).is_some();
            if gap.unseen { gap.bytes.end > gap.bytes.start } else { gap.rows.len() > 1 && enough }
        };
        starts.zip(ends).map(|(from, to)| gap(from, to)).filter(says).collect()
    }

    /// What a gap says all of whose lines are in the table.
    fn seen(&self, gap: &Gap, shown: &BTreeMap<u64, usize>) -> Option<String> {
        // Where rows are missing from the table, a row's number is not its line's.
        let line = |row: usize| Some(self.document.position(self.table.rows().get(row)?.byte).ok()?.line + 1);
        self.labels.say(self.table, gap.rows.clone(), shown, &line)
    }

    /// What a gap says of whose lines some are not in the table: only what was counted of all of them, and nothing where
    /// its ends cannot be read, as of a text that was kept nowhere.
    fn unseen(&self, gap: &Gap) -> Option<String> {
        let tally = self.table.tally.as_ref().filter(|_| self.labels.style() == Style::Results)?;
        unseen::say(self.document, tally, &gap.bytes, &self.settings.line_rules).ok().flatten()
    }
}

/// How much of a long line is searched for the word that names a failure.
const SEARCHED: u64 = 64 * 1024;

/// A line that alone is too long: its beginning, its end, and the part around a word that names a failure.
fn shorten(
    document: &dyn Document,
    table: &Table<'_>,
    row: &Row,
    why: &'static str,
    pieces: &mut Vec<Piece>,
) -> Result<(), CutError> {
    let range = row.shown_from()..row.range().end;
    let limit = table.line_limit;
    let start = document.position(range.start)?.char;
    let end = start + row.chars - u64::from(row.left_off);
    let line = document.read_around(range.start..range.end.min(range.start + SEARCHED))?;
    let failure = signals::first_failure(&line).map(|at| start + text::chars(text::slice(&line, 0..at)));
    let tail = limit / 6;
    let head = start + limit - tail;
    let mut shown = vec![start..head, end - tail..end];
    if let Some(at) = failure.filter(|&at| at + 40 > head && at + 40 < end - tail) {
        let (third, half) = (limit / 3, limit / 2);
        shown = vec![start..start + third, at.saturating_sub(half / 4)..at + half - half / 4, end - tail..end];
    }
    let mut at = range.start;
    for part in shown {
        let from = document.char_start(part.start)?.byte.clamp(at, range.end);
        let to = document.char_start(part.end)?.byte.clamp(from, range.end);
        pieces.push(Piece::omit_inline(at..from));
        pieces.push(Piece::keep(from..to, why));
        at = to;
    }
    pieces.push(Piece::omit_inline(at..range.end));
    Ok(())
}
