//! Choosing which lines of a source to show.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::unit::{Source, Unit, What};
use super::weights::{
    AGAIN, BRIDGED, DETAIL, DETAIL_IN_A_CUT, DOCS_SHARE, ENTRY_LINES, IMPORTS, IMPORTS_EACH, MARK, MORE_IMPORTS,
    OVERLOAD, RUN, SIGNATURE, TYPE_LINES, worth,
};
use crate::budget::{Budget, Marks};
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::extent::Extent;
use crate::strategy::CutError;
use crate::text;

/// The cut of a source whose units are known.
pub(super) fn cut(
    document: &dyn Document,
    source: &Source<'_>,
    units: &[Unit],
    budget: &Budget,
) -> Result<Cut, CutError> {
    let mut choice = Choice::new(document, source, units, budget);
    choice.outline();
    if !choice.fits() {
        return Err(CutError::Shape("there is no room for any signature".into()));
    }
    choice.docs();
    choice.bodies();
    choice.beginning();
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
    /// The lines that are not shown, once there is an outline: where each gap starts, and where it ends.
    gaps: BTreeMap<usize, usize>,
    /// What each line costs.
    costs: Vec<u64>,
    /// What the lines before each line cost.
    sums: Vec<u64>,
    /// The lines where units that must be named begin, in order.
    heads: Vec<(usize, usize)>,
    limit: u64,
    /// The cost of what is shown so far, and its lines, once there is an outline.
    spent: u64,
    shown: u64,
    marker: u64,
    marks: Marks,
    extent: Extent,
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
struct Gap<'c> {
    rows: Range<usize>,
    /// The functions and types whose signatures are in it, each with the line that it begins in.
    hidden: &'c [(usize, usize)],
}

impl<'a> Choice<'a> {
    fn new(document: &dyn Document, source: &'a Source<'a>, units: &'a [Unit], budget: &Budget) -> Choice<'a> {
        let in_bytes = budget.bytes.is_some();
        let cost = |row: usize| {
            let range = source.range(row);
            if in_bytes { range.len() as u64 } else { text::chars(text::slice(source.text, range)) }
        };
        let named = units.iter().enumerate().filter(|(_, unit)| is_named(unit));
        let mut heads: Vec<(usize, usize)> = named.map(|(at, unit)| (unit.head.start, at)).collect();
        heads.sort_unstable();
        let costs: Vec<u64> = (0..source.len()).map(cost).collect();
        let mut sums = Vec::with_capacity(costs.len() + 1);
        sums.push(0);
        let mut sum = 0;
        sums.extend(costs.iter().map(|cost| {
            sum += cost;
            sum
        }));
        Choice {
            source,
            units,
            kept: vec![false; source.len()],
            gaps: BTreeMap::new(),
            costs,
            sums,
            limit: budget.bytes.map_or(budget.chars, |bytes| bytes.min(budget.chars)),
            heads,
            spent: 0,
            shown: 0,
            marker: budget.marks.line(document.extent().lines, document.extent().chars, document.extent()),
            marks: budget.marks,
            extent: *document.extent(),
            in_bytes,
            lines: budget.lines.unwrap_or(u64::MAX),
            detail: DETAIL,
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
            return self.settle();
        }
        let worth = self.worths();
        self.detail = DETAIL_IN_A_CUT;
        let (mut low, mut high) = (0.0, 64.0);
        for _ in 0..36 {
            let price = (low + high) / 2.0;
            self.keep_heads(&self.best(&worth, price), 1);
            if self.fits() { high = price } else { low = price }
        }
        let best = self.best(&worth, high);
        self.keep_heads(&best, 1);
        self.settle();
        // What is left over goes to whole signatures, then to more units.
        let mut rest: Vec<usize> = all.iter().copied().filter(|at| best.binary_search(at).is_err()).collect();
        rest.sort_by(|a, b| worth.get(*b).partial_cmp(&worth.get(*a)).unwrap_or(Ordering::Equal).then(a.cmp(b)));
        for at in rest {
            if let Some(unit) = self.units.get(at) {
                self.try_rows(unit.named(), self.limit);
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
        let most = usize::try_from(self.limit / IMPORTS_EACH).unwrap_or(IMPORTS).clamp(1, IMPORTS);
        let mut imports = 0;
        let mut seen = BTreeSet::new();
        // How many functions in a row had the name of the one before them.
        let (mut overloads, mut before) = (0, "");
        let worth = |unit: &'a Unit| {
            let worth = f64::from(worth(unit));
            if unit.what == What::Import {
                imports += unit.head.len();
                return if imports <= most { worth } else { worth * MORE_IMPORTS };
            }
            if unit.what != What::Function {
                before = if unit.what == What::Type { "" } else { before };
                return worth;
            }
            // The second of the same name says less than the first; of those in a row each less than the one before it.
            let name = unit.name.as_str();
            overloads = if std::mem::replace(&mut before, name) == name { overloads + 1 } else { 0 };
            let again = if seen.insert(name) { 1.0 } else { AGAIN };
            worth * again * OVERLOAD.powi(overloads)
        };
        self.units.iter().map(worth).collect()
    }

    /// The units that are worth more than they cost at this price of a character.
    fn best(&self, worth: &[f64], price: f64) -> Vec<usize> {
        let run = price * (self.marker + RUN) as f64;
        // For both states of the last unit the best sum so far; for each unit where these came from.
        let (mut shown, mut hidden) = (0.0_f64, f64::NEG_INFINITY);
        let mut steps = Vec::with_capacity(self.units.len());
        for (unit, worth) in self.units.iter().zip(worth) {
            let head = self.cost_of_all(&unit.named());
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
            let least = unit.named();
            for row in unit.head.clone().take(signature.max(least.len())) {
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

    /// How much more than its mark a gap may cost to be shown.
    fn bridged(&self) -> u64 {
        if matches!(self.marks, Marks::Addresses { .. }) { BRIDGED } else { 0 }
    }

    /// Shows what costs hardly more than the mark that would stand for it.
    fn fill(&mut self) {
        let cheap = |gap: &Gap<'_>| self.cost_of_all(&gap.rows) <= self.mark_cost(gap) + self.bridged();
        let filled: Vec<Range<usize>> = self.scan().filter(cheap).map(|gap| gap.rows).collect();
        filled.into_iter().flatten().for_each(|row| self.keep(row));
    }

    /// Takes stock of what is shown; from here on gaps only become smaller.
    fn settle(&mut self) {
        self.gaps = self.scan().map(|gap| (gap.rows.start, gap.rows.end)).collect();
        (self.spent, self.shown) = self.size();
    }

    fn fits(&self) -> bool {
        let (cost, lines) = self.size();
        cost <= self.limit && lines <= self.lines
    }

    /// The cost of what is shown and its lines, marks included.
    fn size(&self) -> (u64, u64) {
        let kept = self.kept.iter().zip(&self.costs).filter(|(kept, _)| **kept);
        let shown = kept.fold((0, 0), |(cost, lines), (_, line)| (cost + line, lines + 1));
        self.scan()
            .fold(shown, |(cost, lines), gap| (cost + self.mark_cost(&gap), lines + u64::from(!self.is_inline(&gap))))
    }

    /// What so many lines cost together.
    fn cost_of_all(&self, rows: &Range<usize>) -> u64 {
        let before = |row: usize| self.sums.get(row).copied().unwrap_or(0);
        before(rows.end) - before(rows.start)
    }

    fn is_kept(&self, row: usize) -> bool {
        self.kept.get(row) == Some(&true)
    }

    /// The gaps, in order, by looking at every line.
    fn scan(&self) -> impl Iterator<Item = Gap<'_>> {
        let mut row = 0;
        std::iter::from_fn(move || {
            row += self.kept.iter().skip(row).take_while(|kept| **kept).count();
            let start = row;
            row += self.kept.iter().skip(row).take_while(|kept| !**kept).count();
            (start < row).then(|| self.gap(start..row))
        })
    }

    /// The gap of these lines.
    fn gap(&self, rows: Range<usize>) -> Gap<'_> {
        let first = self.heads.partition_point(|(head, _)| *head < rows.start);
        let last = self.heads.partition_point(|(head, _)| *head < rows.end);
        Gap { rows, hidden: self.heads.get(first..last).unwrap_or_default() }
    }

    /// Whether a gap is told at the end of the line before it: it hides nothing but a body.
    fn is_inline(&self, gap: &Gap<'_>) -> bool {
        gap.hidden.is_empty() && gap.rows.start > 0
    }

    fn mark_cost(&self, gap: &Gap<'_>) -> u64 {
        if self.is_inline(gap) {
            return self.marks.body(gap.rows.len() as u64, &self.extent);
        }
        let detail = self.detail_of(gap);
        // Two marks for the detail, and the line end that a missing last one may need.
        self.marker
            + detail.map_or(0, |detail| if self.in_bytes { detail.len() as u64 } else { text::chars(&detail) } + 4)
    }

    /// The functions and types that a gap hides, with their lines.
    fn detail_of(&self, gap: &Gap<'_>) -> Option<String> {
        if gap.hidden.is_empty() {
            return None;
        }
        let mut detail = String::new();
        for (nth, unit) in gap.hidden.iter().filter_map(|&(_, at)| self.units.get(at)).enumerate() {
            let separator = if nth == 0 { "" } else { ", " };
            let (name, first, last) = (&unit.name, unit.rows.start + 1, unit.rows.end);
            let next = match unit.rows.len() {
                1 => format!("{separator}{name} {first}"),
                _ => format!("{separator}{name} {first}-{last}"),
            };
            if nth > 0 && detail.len() + next.len() > self.detail {
                detail.push_str(&format!(", {} more", gap.hidden.len() - nth));
                break;
            }
            detail.push_str(&next);
        }
        Some(detail)
    }

    /// Shows the first line of what is said about a unit, for those that others can use.
    fn docs(&mut self) {
        let mut units: Vec<&Unit> = self.units.iter().filter(|unit| unit.public && !unit.nested).collect();
        units.sort_by_key(|unit| (u32::MAX - worth(unit), unit.head.start));
        let most = self.spent + self.limit / DOCS_SHARE;
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
            (unit.test, !(entry && unit.rows.len() < ENTRY_LINES), unit.rows.len() / 8, !unit.public, unit.head.start)
        });
        for unit in units.iter().filter(|unit| unit.what != What::Type || unit.rows.len() <= TYPE_LINES) {
            self.try_rows(unit.rows.clone(), self.limit);
        }
    }

    /// Shows what stands between the units, from the first line on, as far as there is room: where little of a source looks
    /// like a definition, that tells more than nothing.
    fn beginning(&mut self) {
        let mut behind = 0;
        for unit in self.units.iter().filter(|unit| !unit.nested && unit.depth == 0) {
            let between = behind..unit.rows.start;
            for row in between {
                if self.source.line(row).trim().is_empty() {
                    continue;
                }
                self.try_rows(behind..row + 1, self.limit);
                if !self.is_kept(row) {
                    return;
                }
                behind = row + 1;
            }
            behind = behind.max(unit.rows.end);
        }
    }

    /// Keeps these lines if everything then still fits into `most`.
    fn try_rows(&mut self, rows: Range<usize>, most: u64) {
        let added = rows.clone().filter(|&row| !self.is_kept(row));
        let (added, lines) =
            added.fold((0, 0), |(cost, lines), row| (cost + self.costs.get(row).copied().unwrap_or(0), lines + 1));
        if added == 0 || added > self.limit {
            return;
        }
        // Only the marks of the gaps that the lines lie in change.
        let closed: Vec<Range<usize>> = self.gaps_in(&rows);
        let ends = closed.first().zip(closed.last()).map_or(rows.clone(), |(first, last)| first.start..last.end);
        let left = [ends.start..rows.start, rows.end..ends.end];
        let left: Vec<Range<usize>> = left.into_iter().filter(|gap| !gap.is_empty()).collect();
        let (before, lines_before) = self.marks(&closed);
        let (after, lines_after) = self.marks(&left);
        let spent = (self.spent + added + after).saturating_sub(before);
        let shown = (self.shown + lines + lines_after).saturating_sub(lines_before);
        if spent > most || shown > self.lines {
            return;
        }
        (self.spent, self.shown) = (spent, shown);
        closed.iter().for_each(|gap| {
            self.gaps.remove(&gap.start);
        });
        self.gaps.extend(left.into_iter().map(|gap| (gap.start, gap.end)));
        rows.for_each(|row| self.keep(row));
    }

    /// The gaps that some of these lines lie in, in order.
    fn gaps_in(&self, rows: &Range<usize>) -> Vec<Range<usize>> {
        let before = self.gaps.range(..rows.start).next_back().filter(|(_, end)| **end > rows.start);
        before.into_iter().chain(self.gaps.range(rows.clone())).map(|(&start, &end)| start..end).collect()
    }

    /// The cost of the marks of these gaps, and the lines that they take.
    fn marks(&self, gaps: &[Range<usize>]) -> (u64, u64) {
        gaps.iter()
            .map(|rows| self.gap(rows.clone()))
            .fold((0, 0), |(cost, lines), gap| (cost + self.mark_cost(&gap), lines + u64::from(!self.is_inline(&gap))))
    }

    /// The pieces of what was chosen.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for gap in self.scan() {
            let start = self.source.range(gap.rows.start).start;
            let last = gap.rows.end.saturating_sub(1);
            if self.is_inline(&gap) {
                let end = self.source.range(last).end;
                pieces.push(Piece::keep(at as u64..start as u64, "outline"));
                pieces.push(Piece::omit_body(start as u64..end as u64));
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

/// Whether a gap that hides the unit must say so.
fn is_named(unit: &Unit) -> bool {
    matches!(unit.what, What::Function | What::Type) && !unit.nested && !unit.name.is_empty()
}
