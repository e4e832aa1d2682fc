//! Which parts of a large document are looked at as closely as a small one is: both ends, and what the prescan found.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;

use crate::document::Document;
use crate::executor::Executor;
use crate::hash::Counts;
use crate::kind::Kind;
use crate::line::access;
use crate::prescan::{Candidate, Candidates, Prescan, Promise, Tally, WITH_CONTEXT};
use crate::strategy::CutContext;
use crate::text;

/// How much passes, all in all.
const PASSES: u64 = 512 * 1024;

/// How much of each end always passes.
const HEAD: u64 = 16 * 1024;
const TAIL: u64 = 96 * 1024;

/// Lines with a mark that are remembered.
const MARKED: usize = 1 << 16;

/// What is worth a close look in a large document.
pub(super) struct Worthy {
    /// Where, in order, disjoint, each starting at a line.
    pub(super) ranges: Vec<Range<u64>>,
    /// What was counted on the way.
    pub(super) tally: Option<Arc<Tally>>,
}

/// What of `document` is worth a close look.
pub(super) fn worthy(document: &dyn Document, kind: Kind, context: &CutContext<'_>) -> io::Result<Worthy> {
    let executor = context.executor;
    let bytes = document.extent().bytes;
    let mut ranges = vec![0..HEAD.min(bytes), bytes.saturating_sub(TAIL)..bytes];
    let mut tally = None;
    let found = match kind {
        Kind::Diff => Cow::Owned(marked(document, executor, &[b"\ndiff --git ", b"\ncommit ", b"\nIndex: "])?),
        Kind::Markdown => Cow::Owned(marked(document, executor, &[b"\n# ", b"\n## ", b"\n### "])?),
        Kind::Search | Kind::Listing | Kind::Git => Cow::Borrowed(&[][..]),
        Kind::Log | Kind::Text if is_access_log(document)? => Cow::Owned(requests(document, executor)?),
        _ => match context.candidates {
            Some(candidates) => {
                tally = candidates.tally.clone();
                Cow::Borrowed(candidates.found.as_slice())
            }
            None => {
                let candidates = telling(document, context)?;
                tally = candidates.tally;
                Cow::Owned(candidates.found)
            }
        },
    };
    let mut left = PASSES - HEAD - TAIL;
    if found.len() < 64 {
        let windows = 48;
        for window in 1..windows {
            let start = bytes / windows * window;
            ranges.push(start..(start + left / windows / 2).min(bytes));
        }
        left /= 2;
    }
    for found in found.iter() {
        let context = found.before < WITH_CONTEXT && found.promise == Promise::Tells;
        let start = found.start.saturating_sub(if context { 600 } else { 0 });
        let end = (found.end + if context { 2000 } else { 0 }).min(found.start + 8192).min(bytes);
        let Some(after) = left.checked_sub(end - start) else { break };
        left = after;
        ranges.push(start..end);
    }
    Ok(Worthy { ranges: merged(ranges), tally })
}

/// Overlapping and touching ranges made one, in order.
fn merged(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(before) if range.start <= before.end => before.end = before.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Calls `here` and `aside` with every block of whole lines (a line longer than a block comes in parts) and where it
/// starts. While `aside` still looks at one, the next one is read.
fn blocks(
    document: &dyn Document,
    executor: &dyn Executor,
    mut here: impl FnMut(&[u8], u64),
    mut aside: impl FnMut(&[u8], u64) + Send,
) -> io::Result<()> {
    let bytes = document.extent().bytes;
    let block_at = |at: u64, buffer: Vec<u8>| document.read_bytes(at..(at + Prescan::BLOCK as u64).min(bytes), buffer);
    let mut block = block_at(0, Vec::new())?;
    let mut spare = Vec::new();
    let mut at = 0;
    while at < bytes {
        let whole = if at + block.len() as u64 >= bytes { block.len() } else { Prescan::whole_lines(&block) };
        let lines = block.get(..whole).unwrap_or(&block);
        let next_at = at + whole.max(1) as u64;
        let mut next = Ok(Cow::Borrowed(&[][..]));
        executor.join(
            &mut || {
                here(lines, at);
                if next_at < bytes {
                    next = block_at(next_at, std::mem::take(&mut spare));
                }
            },
            &mut || aside(lines, at),
        );
        if let Cow::Owned(buffer) = std::mem::replace(&mut block, next?) {
            spare = buffer;
        }
        at = next_at;
    }
    Ok(())
}

/// Lines that begin with one of `marks` (each with its line feed before it), the first of each file in full.
fn marked(document: &dyn Document, executor: &dyn Executor, marks: &[&[u8]]) -> io::Result<Vec<Candidate>> {
    let mut found = Vec::new();
    let finders: Vec<_> = marks.iter().map(memchr::memmem::Finder::new).collect();
    let gather = |block: &[u8], at: u64| {
        for finder in &finders {
            for hit in finder.find_iter(block) {
                if found.len() < MARKED {
                    let start = hit + 1;
                    let end =
                        memchr(b'\n', block.get(start..).unwrap_or(&[])).map_or(block.len(), |end| start + end + 1);
                    let before = found.len() as u32 / 100;
                    found.push(Candidate {
                        start: at + start as u64,
                        end: at + end as u64,
                        before,
                        promise: Promise::Tells,
                    });
                }
            }
        }
    };
    blocks(document, executor, |_, _| {}, gather)?;
    Ok(found)
}

/// How many lines are kept of requests for the same that were answered alike.
const ALIKE: u32 = 2;

/// Whether the first lines of a document are requests with their answers.
fn is_access_log(document: &dyn Document) -> io::Result<bool> {
    let head = document.read_around(0..HEAD.min(document.extent().bytes))?;
    let (all, requests) = text::split(&head)
        .take(100)
        .fold((0, 0), |(all, requests), line| (all + 1, requests + u32::from(access::request(line.text).is_some())));
    Ok(requests * 10 >= all * 8)
}

/// Requests of every status and every path that was answered so. Each half of a block is read on its own core.
fn requests(document: &dyn Document, executor: &dyn Executor) -> io::Result<Vec<Candidate>> {
    let (mut first, mut second) = (Requests::default(), Requests::default());
    let halves = |block: &[u8]| {
        let middle = block.len() / 2;
        memchr(b'\n', block.get(middle..).unwrap_or_default()).map_or(block.len(), |feed| middle + feed + 1)
    };
    blocks(
        document,
        executor,
        |block, at| first.gather(block.get(..halves(block)).unwrap_or(block), at),
        |block, at| second.gather(block.get(halves(block)..).unwrap_or_default(), at + halves(block) as u64),
    )?;
    Ok(Requests::joined(first, second))
}

/// Requests with their answers, the first few of each sort.
#[derive(Default)]
struct Requests {
    seen: Counts,
    found: Vec<(u64, Range<u64>)>,
}

impl Requests {
    fn gather(&mut self, block: &[u8], at: u64) {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', block).chain([block.len()]) {
            let line = block.get(start..end).unwrap_or_default();
            let request = std::str::from_utf8(line).ok().and_then(access::request);
            if let Some(request) = request {
                self.add(request.answer(), at + start as u64..at + (end + 1).min(block.len()) as u64);
            }
            start = end + 1;
        }
    }

    fn add(&mut self, answer: u64, line: Range<u64>) {
        let before = self.seen.entry(answer).or_default();
        *before += 1;
        if *before <= ALIKE && self.found.len() < MARKED {
            self.found.push((answer, line));
        }
    }

    /// What both found, as if one had read all of it.
    fn joined(first: Requests, second: Requests) -> Vec<Candidate> {
        let mut all = first.found;
        all.extend(second.found);
        all.sort_by_key(|(_, line)| line.start);
        let mut seen = Counts::default();
        let mut found: Vec<Candidate> = all
            .into_iter()
            .filter_map(|(answer, Range { start, end })| {
                let before = seen.entry(answer).or_default();
                *before += 1;
                (*before <= ALIKE).then_some(Candidate { start, end, before: *before, promise: Promise::Rare })
            })
            .collect();
        // Where there are too many, those that are alike are left out first.
        found.sort_by_key(|candidate| (candidate.before, candidate.start));
        found
    }
}

/// Lines that tell, and lines that are rare.
fn telling(document: &dyn Document, context: &CutContext<'_>) -> io::Result<Candidates> {
    let mut prescan = Prescan::new(context.settings.line_rules.clone());
    let (beginnings, telling) = prescan.searches();
    blocks(
        document,
        context.executor,
        |block, at| beginnings.gather(block, at),
        |block, at| telling.gather(block, at),
    )?;
    Ok(prescan.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_find_what_one_reader_finds() {
        let line =
            |n: u64| format!("1.2.3.4 - - [x] \"GET /{}/{n} HTTP/1.1\" {} 12", n % 7, [200, 404, 500][n as usize % 3]);
        let text: String = (0..500).map(|n| line(n * n) + "\n").collect();
        let middle = text.len() / 2 + memchr(b'\n', &text.as_bytes()[text.len() / 2..]).unwrap() + 1;
        let gathered = |part: &[u8], at: usize| {
            let mut requests = Requests::default();
            requests.gather(part, at as u64);
            requests
        };
        let (first, second) = text.as_bytes().split_at(middle);
        let whole = Requests::joined(gathered(text.as_bytes(), 0), Requests::default());
        let halves = Requests::joined(gathered(first, 0), gathered(second, middle));
        let places = |found: &[Candidate]| found.iter().map(|found| (found.before, found.start, found.end)).collect();
        let (whole, halves): (Vec<_>, Vec<_>) = (places(&whole), places(&halves));
        assert_eq!(whole, halves);
        assert_eq!(whole.len(), 2 * whole.iter().filter(|(before, _, _)| *before == 1).count());
    }
}
