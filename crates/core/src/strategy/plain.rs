//! Keeping the first or the last lines, each shortened within itself where it alone is too long.

use std::collections::VecDeque;
use std::ops::Range;

use crate::budget::{Budget, Ledger};
use crate::cut::{Cut, Piece};
use crate::document::{Document, Lines as Cursor};
use crate::extent::Position;
use crate::strategy::{CutContext, CutError, Cutter, Settings, Strategy};
use crate::text;

/// `head`: the first `head_lines` lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head;

/// `tail`: the last `tail_lines` lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tail;

/// `lines`: the first N whole lines, or the last N; a line that does not fit is not shown in part unless it is alone.
#[derive(Debug, Clone, Copy)]
pub enum WholeLines {
    /// From the beginning.
    First(u64),
    /// From the end.
    Last(u64),
}

impl Strategy for Head {
    fn name(&self) -> &str {
        "head"
    }

    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let &Settings { head_lines, max_line_length, .. } = context.settings;
        Ok(Box::new(move |budget: &Budget| first_lines("head", document, budget, head_lines, max_line_length)))
    }
}

impl Strategy for Tail {
    fn name(&self) -> &str {
        "tail"
    }

    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let &Settings { tail_lines, max_line_length, .. } = context.settings;
        Ok(Box::new(move |budget: &Budget| last_lines("tail", document, budget, tail_lines, max_line_length)))
    }
}

impl Strategy for WholeLines {
    fn name(&self) -> &str {
        "lines"
    }

    fn prepare<'a>(&'a self, document: &'a dyn Document, _: &CutContext<'a>) -> Result<Box<dyn Cutter + 'a>, CutError> {
        Ok(Box::new(move |budget: &Budget| self.cut_to(document, budget)))
    }
}

impl WholeLines {
    /// The cut to one budget.
    pub(super) fn cut_to(self, document: &dyn Document, budget: &Budget) -> Result<Cut, CutError> {
        match self {
            WholeLines::First(count) => first_lines("lines", document, budget, count, u64::MAX),
            WholeLines::Last(count) => last_lines("lines", document, budget, count, u64::MAX),
        }
    }
}

/// A line that is shortened to less than so many characters beside its marker is not worth showing.
const SLACK: u64 = 16;

/// A line as it would be shown: whole, or its beginning and its end.
struct ShortenedLine {
    head: Range<u64>,
    tail: Range<u64>,
    chars: u64,
    bytes: u64,
}

impl ShortenedLine {
    fn end(&self) -> u64 {
        self.tail.end
    }

    fn push_to(&self, pieces: &mut Vec<Piece>, why: &'static str) {
        pieces.push(Piece::keep(self.head.clone(), why));
        pieces.push(Piece::omit_inline(self.head.end..self.tail.start));
        pieces.push(Piece::keep(self.tail.clone(), why));
    }

    fn fits(&self, ledger: &mut Ledger) -> bool {
        ledger.spend_measured(self.chars, self.bytes, 1)
    }
}

/// The next line of `lines`, shortened to `longest` characters.
fn next_shown(lines: &mut Cursor<'_>, longest: u64, marker: u64) -> Result<Option<ShortenedLine>, CutError> {
    let room = longest.saturating_sub(marker).max(1);
    let head_room = room.saturating_mul(3) / 5;
    let tail_room = room - head_room;
    let mut start: Option<Position> = None;
    let mut head_end: Option<u64> = None;
    let mut seen = 0;
    let mut length = 0;
    // The last `tail_room` characters of the line so far, as byte lengths from the end.
    let mut tail = String::new();
    while let Some(part) = lines.next_line()? {
        let first = *start.get_or_insert(part.position);
        let part_chars = text::chars(part.text);
        if seen < head_room {
            let inside = text::prefix(part.text, head_room - seen);
            head_end = Some(part.position.byte + inside as u64);
        }
        seen += part_chars;
        length += part.text.len() as u64;
        if seen > longest || !part.last {
            tail.push_str(text::last_chars(part.text, tail_room));
            let surplus = text::suffix(&tail, tail_room);
            tail.drain(..surplus);
        }
        if !part.last {
            continue;
        }
        let words_end = first.byte + length;
        let end = words_end + part.end.len() as u64;
        let line_end = part.end.len() as u64;
        if seen <= longest {
            return Ok(Some(ShortenedLine {
                head: first.byte..end,
                tail: end..end,
                chars: seen + line_end,
                bytes: end - first.byte,
            }));
        }
        let head_end = head_end.unwrap_or(first.byte);
        let tail_start = words_end - tail.len() as u64;
        return Ok(Some(ShortenedLine {
            head: first.byte..head_end,
            tail: tail_start..end,
            chars: head_room + tail_room + marker + line_end,
            bytes: head_end - first.byte + marker + end - tail_start,
        }));
    }
    Ok(None)
}

fn first_lines(
    name: &'static str,
    document: &dyn Document,
    budget: &Budget,
    count: u64,
    longest: u64,
) -> Result<Cut, CutError> {
    let extent = document.extent();
    let mut ledger = budget.ledger();
    ledger.spend_chars(budget.marker(extent));
    let longest = longest.min(ledger.chars().saturating_sub(2)).max(1);
    let mut lines = document.lines();
    let mut pieces = Vec::new();
    let mut end = 0;
    for _ in 0..count {
        match next_shown(&mut lines, longest, budget.marks.inline(extent.chars, extent) + SLACK)? {
            Some(shown) if shown.fits(&mut ledger) => {
                end = shown.end();
                shown.push_to(&mut pieces, "first lines");
            }
            _ => break,
        }
    }
    pieces.push(Piece::omit(end..extent.bytes));
    Ok(Cut::of(name, pieces, extent)?)
}

fn last_lines(
    name: &'static str,
    document: &dyn Document,
    budget: &Budget,
    count: u64,
    longest: u64,
) -> Result<Cut, CutError> {
    let extent = document.extent();
    let mut ledger = budget.ledger();
    ledger.spend_chars(budget.marker(extent));
    let longest = longest.min(ledger.chars().saturating_sub(2)).max(1);
    // No more lines can be shown than there are characters to show them with.
    let count = count.min(budget.chars).min(budget.lines.unwrap_or(u64::MAX));
    let mut lines = document.lines_from(document.line_start(extent.lines.saturating_sub(count))?);
    let mut last: VecDeque<ShortenedLine> = VecDeque::new();
    while let Some(shown) = next_shown(&mut lines, longest, budget.marks.inline(extent.chars, extent) + SLACK)? {
        last.push_back(shown);
    }
    let mut first = last.len();
    for (nth, shown) in last.iter().enumerate().rev() {
        if !shown.fits(&mut ledger) {
            break;
        }
        first = nth;
    }
    let start = last.get(first).map_or(extent.bytes, |shown| shown.head.start);
    let mut pieces = vec![Piece::omit(0..start)];
    for shown in last.iter().skip(first) {
        shown.push_to(&mut pieces, "last lines");
    }
    Ok(Cut::of(name, pieces, extent)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::TextDocument;
    use crate::kind::{Classification, Kind};
    use crate::render::{Markers, render};

    fn shown(strategy: &dyn Strategy, text: &str, chars: u64, settings: &Settings) -> String {
        let document = TextDocument::new(text);
        let classification = Classification::new(Kind::Text, 1.0, "said so");
        let context = CutContext::new(Budget::chars(chars), settings, &classification);
        let cut = strategy.cut(&document, &context).unwrap();
        render(&document, &cut, Markers::Counts).unwrap().text
    }

    #[test]
    fn the_last_lines_are_kept_up_to_their_count() {
        let settings = Settings { tail_lines: 2, ..Settings::default() };
        assert_eq!(shown(&Tail, "a\nb\nc\nd\n", 100, &settings), "... [2 lines / 4 chars omitted] ...\nc\nd\n");
        let settings = Settings { head_lines: 2, ..Settings::default() };
        assert_eq!(shown(&Head, "a\nb\nc\nd\n", 100, &settings), "a\nb\n... [2 lines / 4 chars omitted] ...\n");
    }

    #[test]
    fn a_long_line_is_shortened_within_itself() {
        let settings = Settings { max_line_length: 60, ..Settings::default() };
        let text = format!("start{}end\n", "x".repeat(200));
        let reply = shown(&Tail, &text, 1000, &settings);
        assert!(reply.starts_with("startxxx") && reply.ends_with("xend\n"), "{reply}");
        assert!(reply.contains(" chars omitted] ... "), "{reply}");
    }

    #[test]
    fn no_budget_is_too_small_for_a_cut() {
        let text = "x".repeat(500) + "\n" + &"y".repeat(500);
        for chars in 0..300 {
            for strategy in [&Head as &dyn Strategy, &Tail, &WholeLines::First(3), &WholeLines::Last(3)] {
                let reply = shown(strategy, &text, chars, &Settings::default());
                assert!(text::chars(&reply) <= chars.max(60), "{} at {chars}: {reply}", strategy.name());
            }
        }
    }
}
