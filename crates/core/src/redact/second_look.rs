//! A second look at lines that a secret is taken out of.
//!
//! What follows a header about authorization on its line helps to tell whether it holds credentials, and a secret that is
//! taken out there changes that. So such a line is read again as it will be handed on, until nothing more is found:
//! redacting twice finds what redacting once did.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::find_in_lines;
use super::rules::Rules;
use super::scan::{self, Segment, Span, With};

/// How often a line is read again at most.
const ROUNDS: usize = 4;

/// Adds what is found in the lines of `spans` once these are taken out; `spans` are in order and do not overlap.
pub(super) fn add(segment: &Segment<'_>, rules: &Rules, spans: &mut Vec<Span>) {
    static HEADERS: LazyLock<[Finder<'static>; 2]> =
        LazyLock::new(|| [Finder::new("uthorization"), Finder::new("UTHORIZATION")]);
    let has_header = |text: &[u8]| HEADERS.iter().any(|header| header.find(text).is_some());
    // Mostly no line of many has one.
    if spans.is_empty() || !has_header(segment.part(segment.start, segment.end)) {
        return;
    }
    let mut done = segment.start;
    while let Some(span) = spans.get(spans.partition_point(|span| span.start < done)) {
        let (start, end) = segment.line(span.start);
        done = end.max(span.end) + 1;
        let is_whole = start >= segment.start && end <= segment.end && span.end <= end;
        if !is_whole || !has_header(segment.part(start, end)) {
            continue;
        }
        for _ in 0..ROUNDS {
            let new = OutgoingLine::without(segment, start..end, rules, spans).found(rules);
            if new.is_empty() {
                break;
            }
            spans.extend(new);
            scan::join(spans);
        }
    }
}

/// A line as it will be handed on.
struct OutgoingLine {
    text: Vec<u8>,
    /// The pieces of `text`, and what each stands for.
    pieces: Vec<Piece>,
}

/// Where a piece ends, and the bytes of the segment that it stands for; those of a placeholder were taken out.
struct Piece {
    end: usize,
    from: usize,
    to: usize,
    taken_out: bool,
}

impl OutgoingLine {
    fn without(segment: &Segment<'_>, line: std::ops::Range<usize>, rules: &Rules, spans: &[Span]) -> OutgoingLine {
        let mut new = OutgoingLine { text: Vec::new(), pieces: Vec::new() };
        let mut at = line.start;
        let spans = spans.get(spans.partition_point(|span| span.start < line.start)..).unwrap_or_default();
        for span in spans.iter().take_while(|span| span.end <= line.end) {
            new.push(segment.part(at, span.start), at, span.start, false);
            let quotes = if span.with == With::Quoted { "\"" } else { "" };
            let placeholder = match span.with {
                With::Nothing => String::new(),
                With::Placeholder | With::Quoted => format!("{quotes}[REDACTED: {}]{quotes}", rules.kind(span.kind)),
            };
            new.push(placeholder.as_bytes(), span.start, span.end, true);
            at = span.end;
        }
        new.push(segment.part(at, line.end), at, line.end, false);
        new
    }

    fn push(&mut self, bytes: &[u8], from: usize, to: usize, taken_out: bool) {
        self.text.extend_from_slice(bytes);
        self.pieces.push(Piece { end: self.text.len(), from, to, taken_out });
    }

    /// What is found in it, as spans of the segment.
    fn found(&self, rules: &Rules) -> Vec<Span> {
        let end = self.text.len();
        let mut spans = Vec::new();
        find_in_lines(&Segment::new(&self.text, 0, 0, end, end), rules, &mut spans);
        spans.retain(|span| span.end <= end && !self.is_inside_placeholder(span));
        for span in &mut spans {
            (span.start, span.end) = (self.origin(span.start, false), self.origin(span.end, true));
        }
        spans
    }

    fn is_inside_placeholder(&self, span: &Span) -> bool {
        let first = self.pieces.iter().position(|piece| span.start < piece.end);
        let last = self.pieces.iter().position(|piece| span.end <= piece.end);
        first == last && first.and_then(|at| self.pieces.get(at)).is_some_and(|piece| piece.taken_out)
    }

    /// The byte of the segment that byte `at` of the text stands for; `behind` what ends there, if it is an end.
    fn origin(&self, at: usize, behind: bool) -> usize {
        let Some(piece) = self.pieces.iter().find(|piece| at < piece.end || behind && at == piece.end) else {
            return self.pieces.last().map_or(0, |piece| piece.to);
        };
        match (piece.taken_out, behind) {
            (true, false) => piece.from,
            (true, true) => piece.to,
            (false, _) => piece.to - (piece.end - at),
        }
    }
}
