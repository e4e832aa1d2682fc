//! Keeping the beginning and the end of an output.
//!
//! [`HeadTail`] is what every plan falls back on: it needs no knowledge of the content and reads only the two ends.

use std::io;
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
            let ends = Ends { head: &head, tail: &tail, extent };
            Ok(Cut::of("head_tail", ends.cut(document, head_ratio, budget), &extent)?)
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

impl Ends<'_> {
    /// The pieces that show both ends. Where a line is shown in part, the mark of what is missing stands in it.
    fn cut(&self, document: &dyn Document, head_ratio: f64, budget: &Budget) -> Vec<Piece> {
        let cheapest = self.gap(head_ratio, budget, 0);
        let in_one_line = match BrokenLines::around(&cheapest, document) {
            Ok(broken) if broken.is_empty() => return self.pieces(&cheapest, &broken),
            Ok(broken) => broken.head.is_some() && broken.head == broken.tail,
            // What lies between the ends cannot be read: which lines the cut goes through is not known.
            Err(_) => return self.pieces(&cheapest, &BrokenLines::default()),
        };
        // The line end behind the mark is kept with it.
        let in_line_mark = budget.marks.inline(self.extent.chars, &self.extent) + 2;
        let marked = self.gap(head_ratio, budget, in_line_mark);
        let shows_something = marked != (0..self.extent.bytes);
        match BrokenLines::around(&marked, document) {
            Ok(broken) if !in_one_line && shows_something => self.pieces(&marked, &broken),
            // One mark stands for all that is missing, in the line where it begins.
            _ => vec![
                Piece::keep(0..cheapest.start, FIRST),
                Piece::omit_inline(cheapest.clone()),
                Piece::keep(cheapest.end..self.extent.bytes, LAST),
            ],
        }
    }

    /// What lies between the ends that fit, where each line that is shown in part costs `in_line_mark` more.
    fn gap(&self, head_ratio: f64, budget: &Budget, in_line_mark: u64) -> Range<u64> {
        let for_text = budget.chars.saturating_sub(budget.marker(&self.extent));
        let head_share = (for_text as f64 * head_ratio.clamp(0.0, 1.0)) as u64;
        let share = |chars: u64, ratio: f64| {
            let of = |whole: Option<u64>| whole.map(|whole| (whole as f64 * ratio) as u64);
            Budget { chars, bytes: of(budget.bytes), lines: of(budget.lines), ..*budget }
        };
        let head = keep_head(self.head, share(head_share, head_ratio).ledger(), in_line_mark);
        let tail_keeps = keep_tail(self.tail, share(for_text - head.cost, 1.0 - head_ratio).ledger(), in_line_mark);
        let tail_start = self.extent.bytes - self.tail.len() as u64 + tail_keeps as u64;
        head.at as u64..tail_start.max(head.at as u64)
    }

    /// The pieces around `gap`, which breaks the lines `broken`.
    fn pieces(&self, gap: &Range<u64>, broken: &BrokenLines) -> Vec<Piece> {
        let mut pieces = vec![Piece::keep(0..gap.start, FIRST)];
        let mut whole_lines = gap.clone();
        if let Some(line) = &broken.head {
            pieces.push(Piece::omit_inline(gap.start..line.words_end));
            pieces.push(Piece::keep(line.words_end..line.end, FIRST));
            whole_lines.start = line.end;
        }
        let tail_line = broken.tail.as_ref().map_or(gap.end, |line| line.start);
        whole_lines.end = tail_line;
        pieces.push(Piece::omit(whole_lines));
        pieces.push(Piece::omit_inline(tail_line..gap.end));
        pieces.push(Piece::keep(gap.end..self.extent.bytes, LAST));
        pieces
    }
}

/// Why each end is kept.
const FIRST: &str = "first lines";
const LAST: &str = "last lines";

/// The lines of which a gap hides a part.
#[derive(Default)]
struct BrokenLines {
    /// The line that the gap begins in.
    head: Option<BrokenLine>,
    /// The line that the gap ends in.
    tail: Option<BrokenLine>,
}

/// Where a line that is shown in part lies.
#[derive(PartialEq, Eq)]
struct BrokenLine {
    start: u64,
    /// Where its line end begins.
    words_end: u64,
    end: u64,
}

impl BrokenLines {
    fn around(gap: &Range<u64>, document: &dyn Document) -> io::Result<BrokenLines> {
        if gap.is_empty() {
            return Ok(BrokenLines::default());
        }
        Ok(BrokenLines { head: BrokenLine::at(gap.start, document)?, tail: BrokenLine::at(gap.end, document)? })
    }

    fn is_empty(&self) -> bool {
        self.head.is_none() && self.tail.is_none()
    }
}

impl BrokenLine {
    /// The line that `byte` lies inside of; `None` where a line starts there. Costs two strides of reading.
    fn at(byte: u64, document: &dyn Document) -> io::Result<Option<BrokenLine>> {
        let total = document.extent().bytes;
        let line = document.position(byte)?.line;
        let start = document.line_start(line)?.byte;
        if start >= byte || byte >= total {
            return Ok(None);
        }
        let end = document.line_start(line + 1)?.byte;
        let last_two = document.read_bytes(end.saturating_sub(2).max(byte)..end, Vec::new())?;
        let line_end = match &*last_two {
            b"\r\n" => 2,
            [.., b'\n' | b'\r'] => 1,
            _ => 0,
        };
        Ok(Some(BrokenLine { start, words_end: end - line_end, end }))
    }
}

/// Where a kept beginning ends.
struct KeptHead {
    at: usize,
    /// Its characters, and those of the mark in a line that is shown in part.
    cost: u64,
}

/// Where the kept beginning of `head` ends: whole lines, or a part of one that alone is too long.
fn keep_head(head: &str, mut ledger: Ledger, in_line_mark: u64) -> KeptHead {
    let all = ledger.chars();
    for line in text::split(head) {
        let range = line.range();
        // A window may end inside a line: what is seen of it then is not a whole line.
        let whole = !line.end.is_empty() || range.end == head.len() && text::chars(head) <= all;
        if whole && ledger.spend(text::slice(head, range.clone())) {
            continue;
        }
        let too_long = text::chars(line.text) > all;
        if !too_long || ledger.is_empty() || !ledger.spend_chars(in_line_mark) {
            return KeptHead { at: line.start, cost: text::chars(text::slice(head, 0..line.start)) };
        }
        let rest = text::slice(head, range);
        let mut end = text::prefix(rest, ledger.left().chars);
        if let Some(bytes) = ledger.left().bytes {
            end = text::floor(rest, end.min(bytes as usize));
        }
        let at = line.start + end;
        let mark = if end > 0 { in_line_mark } else { 0 };
        return KeptHead { at, cost: text::chars(text::slice(head, 0..at)) + mark };
    }
    KeptHead { at: head.len(), cost: text::chars(head) }
}

/// Where the kept end of `tail` starts: whole lines, or a part of one that alone is too long.
fn keep_tail(tail: &str, mut ledger: Ledger, in_line_mark: u64) -> usize {
    let all = ledger.chars();
    let lines: Vec<text::Line<'_>> = text::split(tail).collect();
    for (nth, line) in lines.iter().enumerate().rev() {
        let whole = nth > 0 || text::chars(tail) <= all;
        if whole && ledger.spend(text::slice(tail, line.range())) {
            continue;
        }
        if text::chars(line.text) > all && !ledger.is_empty() && ledger.spend_chars(in_line_mark) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::TextDocument;
    use crate::kind::{Classification, Kind};
    use crate::render::{Markers, Rendered, render};
    use crate::strategy::Settings;

    fn shown(text: &str, chars: u64) -> Rendered {
        let document = TextDocument::new(text);
        let classification = Classification::new(Kind::Text, 1.0, "said so");
        let settings = Settings::default();
        let context = CutContext::new(Budget::chars(chars), &settings, &classification);
        render(&document, &HeadTail.cut(&document, &context).unwrap(), Markers::Counts).unwrap()
    }

    #[test]
    fn lines_that_are_shown_in_part_are_marked_and_only_hidden_lines_are_counted() {
        let text = format!("{}\nb\nc\n{}\n", "a".repeat(300), "d".repeat(300));
        let rendered = shown(&text, 200);
        let a = "a".repeat(65);
        let d = "d".repeat(33);
        assert_eq!(
            rendered.text,
            format!(
                "{a} ... [235 chars omitted] ... \n... [2 lines / 4 chars omitted] ...\n ... [267 chars omitted] ... {d}\n"
            )
        );
        assert_eq!(rendered.omitted_lines(), 2);
        assert_eq!(rendered.shown, [(1, 1), (4, 4)]);
    }

    #[test]
    fn a_gap_within_one_line_is_marked_in_that_line() {
        let text = format!("first\n{}\nlast\n", "x".repeat(5_000));
        let rendered = shown(&text, 200);
        assert!(rendered.text.starts_with("first\nxxx") && rendered.text.ends_with("xxx\nlast\n"), "{}", rendered.text);
        assert_eq!((rendered.text.lines().count(), rendered.omitted_lines()), (3, 0));
    }

    #[test]
    fn every_break_in_a_line_is_marked_at_every_budget() {
        let lines: Vec<String> = (1..60).map(|n| format!("{n:02}{}", "é".repeat(n * 37 % 90))).collect();
        for end in ["\n", "\r\n", "\r"] {
            let text = lines.join(end);
            for chars in 0..400 {
                let rendered = shown(&text, chars);
                assert!(text::chars(&rendered.text) <= chars.max(60), "at {chars}: {}", rendered.text);
                for line in text::split(&rendered.text) {
                    let whole = lines.iter().any(|known| known == line.text);
                    assert!(whole || line.text.contains(" omitted] ..."), "at {chars}: {:?}", line.text);
                }
            }
        }
    }
}
