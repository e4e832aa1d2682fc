//! Keeping the beginning and the end of an output.
//!
//! [`HeadTail`] is what every plan falls back on: it needs no knowledge of the content and reads only the two ends.

use std::ops::Range;

use crate::budget::{Budget, Ledger};
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::extent::Extent;
use crate::strategy::{CutContext, CutError, Cutter, Strategy};
use crate::text;

/// `head_tail`: the first and the last lines, split by `head_ratio`, the marker in the middle.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeadTail;

impl Strategy for HeadTail {
    fn name(&self) -> &str {
        "head_tail"
    }

    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let head_ratio = context.settings.head_ratio;
        Ok(Box::new(move |budget: &Budget| {
            let extent = *document.extent();
            let window = window(budget.chars);
            let head = document.read_around(0..window.min(extent.bytes))?;
            let tail_start = document.position(extent.bytes.saturating_sub(window))?.byte;
            let tail = document.read(tail_start..extent.bytes)?;
            Ok(cut_ends(&Ends { head: &head, tail: &tail, extent }, head_ratio, budget)?)
        }))
    }
}

/// How many bytes at an end can matter to a budget of `chars` characters.
fn window(chars: u64) -> u64 {
    chars.saturating_mul(4).saturating_add(64)
}

/// The two ends of a text.
struct Ends<'a> {
    head: &'a str,
    /// It may overlap the beginning in a short text.
    tail: &'a str,
    /// The extent of the whole.
    extent: Extent,
}

/// The cut of `head_tail`, made from the ends alone.
fn cut_ends(ends: &Ends<'_>, head_ratio: f64, budget: &Budget) -> Result<Cut, crate::cut::BrokenCut> {
    let extent = &ends.extent;
    let for_text = budget.chars.saturating_sub(budget.marker(extent));
    let head_share = (for_text as f64 * head_ratio.clamp(0.0, 1.0)) as u64;
    let share = |chars: u64, ratio: f64| {
        let of = |whole: Option<u64>| whole.map(|whole| (whole as f64 * ratio) as u64);
        Budget { chars, bytes: of(budget.bytes), lines: of(budget.lines), ..*budget }
    };
    let head_end = keep_head(ends.head, share(head_share, head_ratio).ledger()) as u64;
    let used = text::chars(text::slice(ends.head, 0..head_end as usize));
    let tail_keeps = keep_tail(ends.tail, share(for_text - used, 1.0 - head_ratio).ledger());
    let tail_start = (extent.bytes - ends.tail.len() as u64 + tail_keeps as u64).max(head_end);
    Cut::of("head_tail", two_ends(ends, head_end, tail_start), extent)
}

fn two_ends(ends: &Ends<'_>, head_end: u64, tail_start: u64) -> Vec<Piece> {
    let extent = &ends.extent;
    let gap = head_end..tail_start;
    // Where both sides of the gap lie in one line, the marker stays inside that line.
    let inside = !ends_line(text::slice(ends.head, 0..head_end as usize))
        && !gap.is_empty()
        && extent.lines <= 1
        && head_end > 0
        && tail_start < extent.bytes;
    let omit = if inside { Piece::omit_inline(gap) } else { Piece::omit(gap) };
    vec![Piece::keep(0..head_end, "first lines"), omit, Piece::keep(tail_start..extent.bytes, "last lines")]
}

fn ends_line(text: &str) -> bool {
    text.is_empty() || text.ends_with(['\n', '\r'])
}

/// Where the kept beginning of `head` ends: whole lines, or a part of one that alone is too long.
fn keep_head(head: &str, mut ledger: Ledger) -> usize {
    let all = ledger.chars();
    for line in text::split(head) {
        let range = line.range();
        // A window may end inside a line: what is seen of it then is not a whole line.
        let whole = !line.end.is_empty() || range.end == head.len() && text::chars(head) <= all;
        if whole && ledger.spend(text::slice(head, range.clone())) {
            continue;
        }
        let too_long = text::chars(line.text) > all;
        return if too_long { part_of(head, range, &ledger) } else { line.start };
    }
    head.len()
}

fn part_of(head: &str, line: Range<usize>, ledger: &Ledger) -> usize {
    if ledger.is_empty() {
        return line.start;
    }
    let rest = text::slice(head, line.clone());
    let mut end = text::prefix(rest, ledger.left().chars);
    if let Some(bytes) = ledger.left().bytes {
        end = text::floor(rest, end.min(bytes as usize));
    }
    line.start + end
}

/// Where the kept end of `tail` starts: whole lines, or a part of one that alone is too long.
fn keep_tail(tail: &str, mut ledger: Ledger) -> usize {
    let all = ledger.chars();
    let lines: Vec<text::Line<'_>> = text::split(tail).collect();
    for (nth, line) in lines.iter().enumerate().rev() {
        let whole = nth > 0 || text::chars(tail) <= all;
        if whole && ledger.spend(text::slice(tail, line.range())) {
            continue;
        }
        if text::chars(line.text) > all && !ledger.is_empty() {
            let upto = text::slice(tail, line.range());
            let mut start = text::suffix(upto, ledger.left().chars);
            if let Some(bytes) = ledger.left().bytes {
                start = text::ceil(upto, start.max(upto.len().saturating_sub(bytes as usize)));
            }
            return line.start + start;
        }
        return line.range().end;
    }
    0
}
