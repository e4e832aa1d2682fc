//! Stack traces as what they are: a message, its frames, and what caused it, each with a message and frames of its own.
//!
//! Every line is first told by its beginning ([`TraceLine`]); a trace is then found from a line that only traces have, with
//! its message looked for a few lines around it. Traces of Python, Java, Kotlin, JavaScript, C#, Go, Rust, Ruby, PHP
//! and of debuggers are known. Every line is looked at a bounded number of times.

mod folds;

use std::ops::Range;

pub(super) use folds::Fold;

use crate::hash::Hash;
use crate::line::locations;
use crate::line::trace::{self, TraceLine};
use crate::strategy::lines::table::Table;

/// How far from a frame its message is looked for, in rows.
const MESSAGE_REACH: usize = 12;

/// The rows of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trace {
    pub(super) rows: Range<usize>,
    /// The exception itself and what caused it, in document order.
    pub(super) parts: Vec<TraceException>,
    /// Frames that repeat.
    pub(super) folds: Vec<Fold>,
    /// Traces with the same frames that say the same, but for numbers, have the same key.
    pub(super) key: u64,
}

/// An exception of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TraceException {
    /// What it says.
    pub(super) head: Range<usize>,
    pub(super) frames: Range<usize>,
    /// The user's own frame that is nearest to what happened, a call with its place; empty where there is none.
    pub(super) own: Range<usize>,
}

/// What is known of the rows that traces are looked for in.
pub(super) trait Rows {
    /// What the row is in a trace.
    fn line(&self, row: usize) -> TraceLine;

    /// Whether the row says that something went wrong.
    fn says(&self, row: usize) -> bool;
}

/// The traces among the rows of `table`, in order, disjoint.
pub(super) fn find(table: &Table<'_>, rows: &impl Rows) -> Vec<Trace> {
    let mut traces = Vec::new();
    let mut reader = TraceReader { table, rows, floor: 0 };
    let mut at = 0;
    while at < table.len() {
        let found = match rows.line(at) {
            TraceLine::Python => reader.python(at),
            TraceLine::At | TraceLine::Cause => reader.thrown(at),
            TraceLine::GoPanic | TraceLine::Goroutine => reader.go(at),
            TraceLine::RustPanic => reader.rust(at),
            TraceLine::Backtrace | TraceLine::Hashed => reader.numbered(at),
            TraceLine::RubyFrame => reader.ruby(at),
            _ => None,
        };
        match found {
            Some(trace) => {
                at = trace.rows.end.max(at + 1);
                reader.floor = trace.rows.end;
                traces.push(trace);
            }
            None => at += 1,
        }
    }
    traces
}

struct TraceReader<'t, R> {
    table: &'t Table<'t>,
    rows: &'t R,
    /// Where the last trace ended.
    floor: usize,
}

impl<R: Rows> TraceReader<'_, R> {
    /// What the row is that goes on from the row before; nothing where text is missing between them.
    fn next(&self, at: usize) -> Option<TraceLine> {
        (at < self.table.len() && !self.table.breaks_before(at)).then(|| self.rows.line(at))
    }

    fn body(&self, row: usize) -> &str {
        self.table.body(row)
    }

    fn indent(&self, row: usize) -> usize {
        let body = self.body(row);
        body.len() - body.trim_start().len()
    }

    /// The first row from `at` on that `holds`, within reach and before what `stops` it.
    fn ahead(&self, at: usize, holds: impl Fn(TraceLine) -> bool, stops: impl Fn(TraceLine) -> bool) -> Option<usize> {
        for row in at..at + MESSAGE_REACH {
            let line = self.next(row)?;
            if holds(line) {
                return Some(row);
            }
            if stops(line) {
                return None;
            }
        }
        None
    }

    /// Where the message of frames that begin at `first` begins, and whether there is one.
    fn message(&self, first: usize) -> (usize, bool) {
        let mut row = first;
        while row > self.floor && first - row < MESSAGE_REACH && !self.table.breaks_before(row) {
            row -= 1;
            let line = self.rows.line(row);
            if line.is_frame() || line == TraceLine::More {
                break;
            }
            if line != TraceLine::Cause && self.rows.says(row) {
                // A logger's own line stands before the exception that it logs.
                let logged = row > self.floor && !self.table.breaks_before(row) && self.rows.says(row - 1);
                return (row - usize::from(logged), true);
            }
        }
        let near = first > self.floor && self.next(first).is_some();
        let near = near && !matches!(self.rows.line(first - 1), TraceLine::Blank | TraceLine::More);
        (first - usize::from(near), false)
    }

    /// The part of `head` and `frames`; `last` where the frames end with the call that failed.
    fn part(&self, head: Range<usize>, frames: Range<usize>, last: bool) -> TraceException {
        let is_own = |row: &usize| {
            let line = self.rows.line(*row);
            let words = self.body(*row);
            line.is_frame()
                && line != TraceLine::Numbered
                && !words.contains("/go/src/")
                && locations::is_own_frame(words)
        };
        let own = if last { frames.clone().rev().find(is_own) } else { frames.clone().find(is_own) };
        let own = own.map_or(frames.start..frames.start, |row| {
            match self.rows.line(row) {
                // The call stands above its place.
                TraceLine::GoPlace => row.saturating_sub(1).max(frames.start)..row + 1,
                TraceLine::At if row > frames.start && self.rows.line(row - 1) == TraceLine::Numbered => {
                    row - 1..row + 1
                }
                _ => row..row + 1,
            }
        });
        TraceException { head, frames, own }
    }

    fn trace(&self, rows: Range<usize>, parts: Vec<TraceException>) -> Trace {
        let mut hash = Hash::new();
        let mut repeats = Vec::new();
        for part in &parts {
            for row in part.frames.clone() {
                hash.push(Hash::of(trace::words(self.body(row)).as_bytes()));
            }
            // What is said may differ in its numbers.
            for row in part.head.clone() {
                let words: String = self.body(row).chars().filter(|c| !c.is_ascii_digit()).collect();
                hash.push(Hash::of(words.as_bytes()));
            }
            folds::find(self.table, part.frames.clone(), &mut repeats);
        }
        Trace { rows, parts, folds: repeats, key: hash.value() }
    }

    /// Frames below a `Traceback`, then the message; another `Traceback` may follow a sentence that links them.
    fn python(&self, start: usize) -> Option<Trace> {
        let base = self.indent(start);
        let mut parts = Vec::new();
        let mut at = start + 1;
        loop {
            let first = at;
            while self.next(at).is_some_and(|line| line != TraceLine::Blank) && self.indent(at) > base {
                at += 1;
            }
            let frames = first..at;
            if self.next(at).is_some_and(|line| line == TraceLine::Other) {
                at += 1;
            }
            let end = at + MESSAGE_REACH;
            while at > frames.end && at < end && self.next(at) == Some(TraceLine::Other) && self.indent(at) > base {
                at += 1;
            }
            if frames.is_empty() && at == frames.end {
                break;
            }
            parts.push(self.part(frames.end..at, frames, true));
            let link = self.ahead(at, |line| line == TraceLine::PythonLink, |line| line == TraceLine::Python);
            let again = link.and_then(|link| {
                self.ahead(link + 1, |line| line == TraceLine::Python, |line| line != TraceLine::Blank)
            });
            match again {
                Some(again) => at = again + 1,
                None => break,
            }
        }
        (!parts.is_empty()).then(|| self.trace(start..at, parts))
    }

    /// A message, frames that begin with `at`, and causes with frames of their own.
    fn thrown(&self, first: usize) -> Option<Trace> {
        let (start, told) = self.message(first);
        let mut parts = Vec::new();
        let mut head = start..first;
        let mut at = first;
        // Causes that are named before the first frame are heads of their own.
        if let Some(cause) = (start + 1..first).find(|&row| self.rows.line(row) == TraceLine::Cause) {
            parts.push(self.part(start..cause, cause..cause, false));
            head = cause..first;
        }
        let mut count = 0;
        loop {
            let frames = at..self.frames_end(at);
            count += frames.len();
            at = frames.end;
            parts.push(self.part(head.clone(), frames, false));
            if self.next(at) != Some(TraceLine::Cause) {
                break;
            }
            let is_frame = |line: TraceLine| line.is_frame() || line == TraceLine::More;
            let next = self.ahead(at + 1, |line| is_frame(line) || line == TraceLine::Cause, |_| false);
            head = at..next.unwrap_or(at + 1);
            at = head.end;
        }
        (count >= 2 || told && count > 0 || parts.len() > 2).then(|| self.trace(start..at, parts))
    }

    /// Where frames that begin at `at` end, with what is written between them.
    fn frames_end(&self, mut at: usize) -> usize {
        while let Some(line) = self.next(at) {
            let closes = |row: &usize| self.body(*row).trim() == "}" || self.body(*row).trim() == "},";
            match line {
                TraceLine::At | TraceLine::More | TraceLine::Numbered => at += 1,
                // Node writes the fields of an error behind its last frame, in braces.
                TraceLine::Other if at > 0 && self.rows.line(at - 1) == TraceLine::At && self.opens(at - 1) => {
                    let end = (at..at + MESSAGE_REACH).take_while(|&row| self.next(row).is_some()).find(closes);
                    let cause = self.ahead(at, |line| line == TraceLine::Cause, |line| line != TraceLine::Other);
                    match (cause, end) {
                        (Some(cause), _) => return cause,
                        (None, Some(end)) => at = end + 1,
                        (None, None) => break,
                    }
                }
                TraceLine::Other if at > 0 && self.rows.line(at - 1) == TraceLine::At && closes(&at) => at += 1,
                _ => break,
            }
        }
        // What closes the braces around causes goes with them.
        while self.next(at) == Some(TraceLine::Other) && self.body(at).trim() == "}" {
            at += 1;
        }
        at
    }

    fn opens(&self, row: usize) -> bool {
        self.body(row).trim_end().ends_with('{')
    }

    /// A panic with the goroutine that panicked, or another goroutine.
    fn go(&self, start: usize) -> Option<Trace> {
        let header = match self.rows.line(start) {
            TraceLine::Goroutine => start,
            _ => self.ahead(
                start + 1,
                |line| line == TraceLine::Goroutine,
                |line| line == TraceLine::GoPanic || line.is_frame(),
            )?,
        };
        let mut at = header + 1;
        loop {
            let goes_on = match self.next(at) {
                Some(TraceLine::GoPlace) => true,
                Some(TraceLine::Blank) | None => false,
                Some(_) => {
                    self.next(at + 1) == Some(TraceLine::GoPlace) || self.body(at).starts_with("...additional frames")
                }
            };
            if !goes_on {
                break;
            }
            at += 1;
        }
        let part = self.part(start..header + 1, header + 1..at, false);
        (at > header + 1).then(|| self.trace(start..at, vec![part]))
    }

    /// A panic, what it says, and the frames of its backtrace where there is one.
    fn rust(&self, start: usize) -> Option<Trace> {
        let stops = |line: TraceLine| matches!(line, TraceLine::RustPanic | TraceLine::Blank);
        let (head, mut at) = match self.ahead(start + 1, |line| line == TraceLine::Backtrace, stops) {
            Some(header) => (start..header + 1, header + 1),
            None => {
                let note = |row: &usize| self.body(*row).starts_with("note: ");
                let end = (start + 1..start + MESSAGE_REACH)
                    .take_while(|&row| self.next(row).is_some_and(|line| !stops(line)))
                    .find(note)?;
                (start..end, end)
            }
        };
        let first = at;
        while self.next(at).is_some_and(|line| matches!(line, TraceLine::Numbered | TraceLine::At)) {
            at += 1;
        }
        let frames = first..at;
        if self.next(at) == Some(TraceLine::Other) && self.body(at).starts_with("note: ") {
            at += 1;
        }
        let part = self.part(head, frames, false);
        Some(self.trace(start..at, vec![part]))
    }

    /// Frames with numbers, below a heading or their message.
    fn numbered(&self, first: usize) -> Option<Trace> {
        let (start, told) = self.message(first);
        let headed = self.rows.line(first) == TraceLine::Backtrace;
        let mut at = first + usize::from(headed);
        let frames = at;
        while self.next(at).is_some_and(|line| matches!(line, TraceLine::Numbered | TraceLine::Hashed | TraceLine::At))
        {
            at += 1;
        }
        let part = self.part(start..frames, frames..at, false);
        (at >= frames + 2 && (told || headed)).then(|| self.trace(start..at, vec![part]))
    }

    /// The line that says what was raised and where, and the calls that led there; causes follow in the same form.
    fn ruby(&self, first: usize) -> Option<Trace> {
        let mut head = first.checked_sub(1).filter(|&row| row >= self.floor && self.next(first).is_some())?;
        let start = head;
        let mut parts = Vec::new();
        let mut at = first;
        loop {
            let frames = at;
            while self.next(at) == Some(TraceLine::RubyFrame) {
                at += 1;
            }
            let mut part = self.part(head..frames, frames..at, false);
            // The first line is the innermost frame, too.
            part.own = if locations::is_own_frame(self.body(head)) { head..head + 1 } else { part.own };
            parts.push(part);
            if self.next(at) != Some(TraceLine::RubyHead) || self.next(at + 1) != Some(TraceLine::RubyFrame) {
                break;
            }
            head = at;
            at += 1;
        }
        Some(self.trace(start..at, parts))
    }
}

#[cfg(test)]
pub(super) mod tests;
