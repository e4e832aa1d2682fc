//! What a gap of a large document holds, most of whose lines were not looked at one by one.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memrchr};

use crate::document::Document;
use crate::line::LineRules;
use crate::notice::counted;
use crate::prescan::{Counts, Tally, Telling};
use crate::strategy::lines::table;

/// Of a line that goes on behind a stretch so many bytes are read: classification looks at no more.
const BEYOND: u64 = 4096;

/// The most bytes that are read for one gap: two stretches of any document of ordinary size.
const MOST_READ: u64 = 1 << 20;

/// Counts the failing tests, errors and warnings of the lines in `gap`, which is whole lines. Reads no more than the
/// stretches of the tally that lie in it in part; `None` where lines are too long for that.
pub(super) fn say(
    document: &dyn Document,
    tally: &Tally,
    gap: &Range<u64>,
    rules: &Arc<LineRules>,
) -> io::Result<Option<String>> {
    let (inner, covered) = tally.within(gap).unwrap_or((Counts::default(), gap.end..gap.end));
    if (covered.start - gap.start) + (gap.end - covered.end) > MOST_READ {
        return Ok(None);
    }
    let before = starting_in(document, gap.start, covered.start, gap.end, rules)?;
    let after = match covered.end {
        end if end == gap.end => Counts::default(),
        end => {
            let first = table::line_start(document, end)?;
            if first < end {
                return Ok(None);
            }
            starting_in(document, first, gap.end, gap.end, rules)?
        }
    };
    Ok(said(before.plus(inner).plus(after)))
}

/// The counts of the lines that start from `start`, where one does, up to `to`.
fn starting_in(document: &dyn Document, start: u64, to: u64, end: u64, rules: &Arc<LineRules>) -> io::Result<Counts> {
    if start >= to {
        return Ok(Counts::default());
    }
    let text = document.read_around(start..(to + BEYOND).min(end))?;
    let bytes = text.as_bytes();
    let inside = usize::try_from(to - start).unwrap_or(usize::MAX).min(bytes.len());
    // The last line that starts inside goes on to its end.
    let last = memrchr(b'\n', bytes.get(..inside.saturating_sub(1)).unwrap_or_default()).map_or(0, |feed| feed + 1);
    let until = memchr(b'\n', bytes.get(last..).unwrap_or_default()).map_or(bytes.len(), |feed| last + feed + 1);
    Ok(Telling::counts_of(bytes.get(..until).unwrap_or(bytes), rules.clone()))
}

/// `3 failing tests, 12 errors, 1 warning`; nothing where there is none.
fn said(counts: Counts) -> Option<String> {
    let Counts { failed_tests, errors, warnings } = counts;
    let named = [(failed_tests, "failing test"), (errors, "error"), (warnings, "warning")];
    let said: Vec<String> =
        named.into_iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(count, noun)).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::TextDocument;
    use crate::prescan::Prescan;

    fn line(n: u64) -> String {
        match n % 50 {
            7 => format!("10:00:00 ERROR cannot reach shard {n}\n"),
            3 | 9 => format!("10:00:00 WARN shard {n} is slow, {}\n", "x".repeat(n as usize % 700)),
            _ => format!("10:00:00 INFO shard {n} answered\n"),
        }
    }

    /// What was counted of `text`, prescanned in blocks of whole lines of about `block` bytes.
    fn tally(text: &str, block: usize) -> Arc<Tally> {
        let mut prescan = Prescan::new(Arc::default());
        let mut at = 0;
        while at < text.len() {
            let part = &text.as_bytes()[at..(at + block).min(text.len())];
            let whole = if at + part.len() == text.len() { part.len() } else { Prescan::whole_lines(part) };
            prescan.push(&part[..whole], at as u64);
            at += whole;
        }
        prescan.finish().tally.unwrap()
    }

    #[test]
    fn what_a_gap_holds_is_counted_to_the_line() {
        let lines: Vec<String> = (0..60_000).map(line).collect();
        let text = lines.concat();
        let document = TextDocument::new(text.clone());
        let starts: Vec<u64> = lines
            .iter()
            .scan(0, |at, line| {
                let start = *at;
                *at += line.len() as u64;
                Some(start)
            })
            .collect();
        for block in [100_000, 1 << 20] {
            let tally = tally(&text, block);
            for (first, last) in [(0, 59_999), (1, 59_998), (7, 30_011), (1234, 1300), (20_000, 20_007), (500, 501)] {
                let count = |what: &str| lines[first..last].iter().filter(|line| line.contains(what)).count() as u64;
                let expected = Counts { failed_tests: 0, errors: count("ERROR"), warnings: count("WARN") };
                let gap = starts[first]..starts[last];
                let shown = say(&document, &tally, &gap, &Arc::default()).unwrap();
                assert_eq!(shown, said(expected), "lines {first} to {last} in blocks of {block}");
            }
        }
    }

    #[test]
    fn lines_that_end_otherwise_are_not_counted() {
        let text = (0..2000).map(line).collect::<String>().replace('\n', "\r");
        let mut prescan = Prescan::new(Arc::default());
        prescan.push(text.as_bytes(), 0);
        assert_eq!(prescan.finish().tally, None);
    }
}
