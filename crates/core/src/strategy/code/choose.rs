//! Choosing which lines of a source to show.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Range;

use super::unit::{Source, Unit, What};
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::strategy::{Brief, NoCut};
use crate::text;

/// Lines of imports that are shown before anything else.
const IMPORTS: usize = 6;
/// Lines of a signature that are shown.
const SIGNATURE: usize = 8;
/// About what the mark of a body costs.
const MARK: u64 = 15;

/// The cut of a source whose units are known.
pub(super) fn cut(
    document: &dyn Document,
    source: &Source<'_>,
    units: &[Unit],
    brief: &Brief<'_>,
) -> Result<Cut, NoCut> {
    let mut choice = Choice::new(document, source, units, brief);
    choice.outline();
    if !choice.fits() {
        return Err(NoCut::Shape("there is no room for any signature".into()));
    }
    choice.docs();
    choice.bodies();
    let pieces = choice.pieces();
    let mut cut = Cut::of("code", pieces, document.extent())?;
    let count = |what: What| units.iter().filter(|unit| unit.what == what).count();
    cut.about = Some(format!(
        "{} lines; {} types, {} functions",
        document.extent().lines,
        count(What::Type),
        count(What::Function)
    ));
    Ok(cut)
}

/// Which lines are shown so far.
struct Choice<'a> {
    source: &'a Source<'a>,
    units: &'a [Unit],
    kept: Vec<bool>,
    /// What each line costs.
    costs: Vec<u64>,
    /// The lines where units that must be named begin, in order.
    heads: Vec<(usize, usize)>,
    limit: u64,
    /// What is shown so far costs, once there is an outline.
    spent: u64,
    marker: u64,
    in_bytes: bool,
    lines: u64,
    /// How long the names of what a gap hides may be.
    detail: usize,
}

/// How the best choice up to a unit came about.
struct Step {
    /// Whether the unit is shown where it may be.
    taken: bool,
    /// Whether the best choice that ends with something shown hides what is before it.
    shown_after_hidden: bool,
    /// Whether the best choice that ends with something hidden hides what is before it, too.
    hidden_after_hidden: bool,
}

/// Lines that are not shown, and what they hide.
struct Gap {
    rows: Range<usize>,
    /// Functions and types whose signatures are in it, and how many.
    hidden: Vec<usize>,
}

impl<'a> Choice<'a> {
    fn new(document: &dyn Document, source: &'a Source<'a>, units: &'a [Unit], brief: &Brief<'_>) -> Choice<'a> {
        let in_bytes = brief.budget.bytes.is_some();
        let cost = |row: usize| {
            let range = source.range(row);
            if in_bytes { range.len() as u64 } else { text::chars(text::slice(source.text, range)) }
        };
        let named = units.iter().enumerate().filter(|(_, unit)| is_named(unit));
        let mut heads: Vec<(usize, usize)> = named.map(|(at, unit)| (unit.head.start, at)).collect();
        heads.sort_unstable();
        Choice {
            source,
            units,
            kept: vec![false; source.len()],
            costs: (0..source.len()).map(cost).collect(),
            limit: brief.budget.bytes.map_or(brief.budget.chars, |bytes| bytes.min(brief.budget.chars)),
            heads,
            spent: 0,
            marker: brief.budget.marker(document.extent()),
            in_bytes,
            lines: brief.budget.lines.unwrap_or(u64::MAX),
            detail: 160,
        }
    }

    /// Keeps all signatures, or the most worthy ones that fit.
    ///
    /// A function that is hidden between two that are shown costs a mark of about its own size, so what is hidden had
    /// better lie together. For a given price of a character the best choice is found in one pass (what to do with
    /// each unit depends only on whether the one before it is hidden); the price is found by halving.
    fn outline(&mut self) {
        let all: Vec<usize> = (0..self.units.len()).collect();
        self.keep_heads(&all, SIGNATURE);
        if self.fits() {
            self.spent = self.cost(self.all());
            return;
        }
        let worth = self.worths();
        self.detail = 60;
        let (mut low, mut high) = (0.0, 64.0);
        for _ in 0..36 {
            let price = (low + high) / 2.0;
            self.keep_heads(&self.best(&worth, price), 1);
            if self.fits() { high = price } else { low = price }
        }
        let best = self.best(&worth, high);
        self.keep_heads(&best, 1);
        self.spent = self.cost(self.all());
        // What is left over goes to whole signatures, then to more units.
        let mut rest: Vec<usize> = all.iter().copied().filter(|at| !best.contains(at)).collect();
        rest.sort_by(|a, b| worth.get(*b).partial_cmp(&worth.get(*a)).unwrap_or(Ordering::Equal).then(a.cmp(b)));
        for at in rest {
            if let Some(unit) = self.units.get(at) {
                self.try_rows(unit.head.start..unit.head.start + 1, self.limit);
            }
        }
        for unit in self.units.iter().filter(|unit| unit.head.len() > 1) {
            if self.kept.get(unit.head.start) == Some(&true) {
                self.try_rows(unit.head.start..unit.head.end.min(unit.head.start + SIGNATURE), self.limit);
            }
        }
    }

    /// What each signature is worth beside the others.
    fn worths(&self) -> Vec<f64> {
        let mut imports = 0;
        let mut seen = BTreeSet::new();
        let worth = |unit: &Unit| {
            let worth = f64::from(unit.worth());
            if unit.what == What::Import {
                imports += unit.head.len();
                return if imports <= IMPORTS { worth } else { worth / 20.0 };
            }
            // The second of the same name says less than the first.
            let again = unit.what == What::Function && !seen.insert(unit.name.clone());
            if again { worth * 0.9 } else { worth }
        };
        self.units.iter().map(worth).collect()
    }

    /// The units that are worth more than they cost at this price of a character.
    fn best(&self, worth: &[f64], price: f64) -> Vec<usize> {
        let run = price * (self.marker + 60) as f64;
        // For both states of the last unit the best sum so far; for each unit where these came from.
        let (mut shown, mut hidden) = (0.0_f64, f64::NEG_INFINITY);
        let mut steps = Vec::with_capacity(self.units.len());
        for (unit, worth) in self.units.iter().zip(worth) {
            let head = self.costs.get(unit.head.start).copied().unwrap_or(0);
            let taken = shown.max(hidden) + worth - price * (head + MARK) as f64;
            let step = if is_named(unit) {
                let step = Step {
                    taken: true,
                    shown_after_hidden: hidden > shown,
                    hidden_after_hidden: hidden >= shown - run,
                };
                hidden = hidden.max(shown - run);
                shown = taken;
                step
            } else {
                // What has no name to tell is left out without a mark of its own: nothing changes then.
                let take = taken > shown;
                let step = Step { taken: take, shown_after_hidden: take && hidden > shown, hidden_after_hidden: true };
                shown = shown.max(taken);
                step
            };
            steps.push(step);
        }
        let mut best = Vec::new();
        let mut is_hidden = hidden > shown;
        for (at, step) in steps.iter().enumerate().rev() {
            if is_hidden {
                is_hidden = step.hidden_after_hidden;
            } else {
                if step.taken {
                    best.push(at);
                }
                is_hidden = step.shown_after_hidden;
            }
        }
        best.reverse();
        best
    }

    fn keep_heads(&mut self, units: &[usize], signature: usize) {
        self.kept.fill(false);
        for unit in units.iter().filter_map(|&at| self.units.get(at)) {
            for row in unit.head.clone().take(signature) {
                self.keep(row);
            }
        }
        self.fill();
    }

    fn keep(&mut self, row: usize) {
        if let Some(kept) = self.kept.get_mut(row) {
            *kept = true;
        }
    }

    /// Shows what costs no more than the mark that would stand for it.
    fn fill(&mut self) {
        for gap in self.gaps(self.all()) {
            let cost: u64 = gap.rows.clone().filter_map(|row| self.costs.get(row)).sum();
            if cost <= self.mark_cost(&gap) {
                for row in gap.rows {
                    self.keep(row);
                }
            }
        }
    }

    fn fits(&self) -> bool {
        self.cost(self.all()) <= self.limit && self.shown_lines() <= self.lines
    }

    fn all(&self) -> Range<usize> {
        0..self.kept.len()
    }

    fn shown_lines(&self) -> u64 {
        let gaps = self.gaps(self.all()).iter().filter(|gap| !self.is_inline(gap)).count();
        (self.kept.iter().filter(|kept| **kept).count() + gaps) as u64
    }

    /// What is shown of these lines costs, marks included.
    fn cost(&self, rows: Range<usize>) -> u64 {
        let kept = rows.clone().filter(|&row| self.is_kept(row));
        let lines: u64 = kept.filter_map(|row| self.costs.get(row)).sum();
        lines + self.gaps(rows).iter().map(|gap| self.mark_cost(gap)).sum::<u64>()
    }

    fn is_kept(&self, row: usize) -> bool {
        self.kept.get(row) == Some(&true)
    }

    /// The gaps among these lines, in order.
    fn gaps(&self, rows: Range<usize>) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = Vec::new();
        let mut start = None;
        for row in rows.start..=rows.end {
            match (row < rows.end && !self.is_kept(row), start) {
                (true, None) => start = Some(row),
                (false, Some(from)) => {
                    let first = self.heads.partition_point(|(head, _)| *head < from);
                    let last = self.heads.partition_point(|(head, _)| *head < row);
                    let heads = self.heads.get(first..last).unwrap_or_default();
                    gaps.push(Gap { rows: from..row, hidden: heads.iter().map(|(_, unit)| *unit).collect() });
                    start = None;
                }
                _ => {}
            }
        }
        gaps
    }

    /// Whether a gap is told at the end of the line before it: it hides nothing but a body.
    fn is_inline(&self, gap: &Gap) -> bool {
        gap.hidden.is_empty() && gap.rows.start > 0
    }

    fn mark_cost(&self, gap: &Gap) -> u64 {
        if self.is_inline(gap) {
            return inline_mark(gap.rows.len()).len() as u64;
        }
        let detail = self.detail_of(gap);
        // Two marks for the detail, and the line end that a missing last one may need.
        self.marker
            + detail.map_or(0, |detail| if self.in_bytes { detail.len() as u64 } else { text::chars(&detail) } + 4)
    }

    /// The functions and types that a gap hides, with their lines.
    fn detail_of(&self, gap: &Gap) -> Option<String> {
        if gap.hidden.is_empty() {
            return None;
        }
        let mut detail = String::new();
        for (nth, unit) in gap.hidden.iter().filter_map(|&at| self.units.get(at)).enumerate() {
            let lines = if unit.rows.len() == 1 {
                format!("{}", unit.rows.start + 1)
            } else {
                format!("{}-{}", unit.rows.start + 1, unit.rows.end)
            };
            let next = match nth {
                0 => format!("{} (lines {lines})", unit.name),
                _ => format!(", {} ({lines})", unit.name),
            };
            if nth > 0 && detail.len() + next.len() > self.detail {
                detail.push_str(&format!(" and {} more", gap.hidden.len() - nth));
                break;
            }
            detail.push_str(&next);
        }
        Some(detail)
    }

    /// Shows the first line of what is said about a unit, for those that others can use.
    fn docs(&mut self) {
        let mut units: Vec<&Unit> = self.units.iter().filter(|unit| unit.public && !unit.nested).collect();
        units.sort_by_key(|unit| (u32::MAX - unit.worth(), unit.head.start));
        // At most a fifth of the room.
        let most = self.spent + self.limit / 5;
        for unit in units {
            let Some(row) = self.first_doc_line(unit) else { continue };
            self.try_rows(row..row + 1, most.min(self.limit));
        }
    }

    /// The first line with words of the comment before a unit.
    fn first_doc_line(&self, unit: &Unit) -> Option<usize> {
        let is_comment = |line: &str| line.starts_with(['/', '#', '*']) || line.starts_with("--");
        let mut row = unit.head.start;
        let mut first = None;
        while row > 0 && is_comment(self.source.line(row - 1).trim_start()) && unit.head.start - row < 60 {
            row -= 1;
            if self.source.line(row).chars().any(char::is_alphabetic) && !self.source.line(row).contains("#[") {
                first = Some(row);
            }
        }
        first
    }

    /// Shows whole bodies while they fit: those of the entry points first, then the short ones.
    fn bodies(&mut self) {
        let shown = |unit: &&Unit| self.kept.get(unit.head.start) == Some(&true);
        let mut units: Vec<&Unit> =
            self.units.iter().filter(|unit| unit.what != What::Import && !unit.nested).filter(shown).collect();
        units.sort_by_key(|unit| {
            let entry = matches!(unit.name.as_str(), "main" | "run" | "__init__" | "new" | "constructor");
            (unit.test, !(entry && unit.rows.len() < 40), unit.rows.len() / 8, !unit.public, unit.head.start)
        });
        // A type is shown whole only where it is small: its members are units of their own.
        for unit in units.iter().filter(|unit| unit.what != What::Type || unit.rows.len() <= 30) {
            self.try_rows(unit.rows.clone(), self.limit);
        }
    }

    /// Keeps these lines if everything then still fits into `most`.
    fn try_rows(&mut self, rows: Range<usize>, most: u64) {
        let added: u64 = rows.clone().filter(|&row| !self.is_kept(row)).filter_map(|row| self.costs.get(row)).sum();
        if added == 0 || added > self.limit {
            return;
        }
        // Only the marks around these lines change.
        let mut around = rows.clone();
        while around.start > 0 && !self.is_kept(around.start - 1) {
            around.start -= 1;
        }
        while around.end < self.kept.len() && !self.is_kept(around.end) {
            around.end += 1;
        }
        let before = self.cost(around.clone());
        let held = self.kept.get(rows.clone()).map(<[bool]>::to_vec).unwrap_or_default();
        for row in rows.clone() {
            self.keep(row);
        }
        let spent = (self.spent + self.cost(around)).saturating_sub(before);
        if spent > most || (self.lines < u64::MAX && self.shown_lines() > self.lines) {
            for (row, kept) in rows.zip(held) {
                if let Some(now) = self.kept.get_mut(row) {
                    *now = kept;
                }
            }
        } else {
            self.spent = spent;
        }
    }

    /// The pieces of what was chosen.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for gap in self.gaps(self.all()) {
            let start = self.source.range(gap.rows.start).start;
            let last = gap.rows.end.saturating_sub(1);
            if self.is_inline(&gap) {
                let words = self.source.words_end(gap.rows.start - 1);
                let end = self.source.range(last).end;
                pieces.push(Piece::keep(at as u64..words as u64, "outline"));
                pieces.push(Piece::Insert(inline_mark(gap.rows.len())));
                pieces.push(Piece::keep(words as u64..start as u64, "outline"));
                pieces.push(Piece::omit_silently(start as u64..end as u64));
                at = end;
            } else {
                let end = self.source.range(last).end;
                pieces.push(Piece::keep(at as u64..start as u64, "outline"));
                let omitted = start as u64..end as u64;
                pieces.push(match self.detail_of(&gap) {
                    Some(detail) => Piece::omit_saying(omitted, detail),
                    None => Piece::omit(omitted),
                });
                at = end;
            }
        }
        pieces.push(Piece::keep(at as u64..self.source.text.len() as u64, "outline"));
        pieces
    }
}

/// What stands at the end of a line for the body that follows it.
fn inline_mark(lines: usize) -> String {
    format!(" ... [{lines} lines]")
}

/// Whether a gap that hides the unit must say so.
fn is_named(unit: &Unit) -> bool {
    matches!(unit.what, What::Function | What::Type) && !unit.nested && !unit.name.is_empty()
}
