//! A JSON value between lines of text: what a program printed when it warned before or after its answer.

use std::ops::Range;

use crate::document::Document;
use crate::json::{FOLLOWED, Malformed, Scanner};
use crate::strategy::CutError;
use crate::strategy::element::pieces::Pieces;
use crate::text;

/// Below this size a document is either JSON or it is not.
pub(super) const LEAST: u64 = 1000;
/// How far into a document a value may begin.
const FARTHEST: u64 = 64 * 1024;

/// The range of the one value that makes up most of a document that is `malformed` as a whole.
pub(super) fn find(
    document: &dyn Document,
    body: Range<u64>,
    malformed: &Malformed,
    many: bool,
) -> Result<Option<Range<u64>>, CutError> {
    let size = body.end - body.start;
    if many || size < LEAST {
        return Ok(None);
    }
    let followed = |malformed: &Malformed| match malformed {
        Malformed::At(byte, why) if *why == FOLLOWED => Some(*byte),
        _ => None,
    };
    let mut found = None;
    if let Some(end) = followed(malformed) {
        found = Some(body.start..end);
    } else {
        let opening = document.read_around(body.start..body.end.min(body.start + FARTHEST))?;
        let candidates = text::split(&opening).filter(|line| line.text.starts_with(['{', '[']) && line.start > 0);
        for line in candidates.take(4) {
            let start = body.start + line.start as u64;
            match check(document, start..body.end) {
                Ok(()) => found = Some(start..body.end),
                Err(Malformed::Unreadable(error)) => return Err(CutError::Unreadable(error)),
                Err(malformed) => found = followed(&malformed).map(|end| start..end),
            }
            if found.is_some() {
                break;
            }
        }
    }
    let Some(value) = found else { return Ok(None) };
    let mostly = (value.end - value.start) * 4 >= size * 3;
    let own_line =
        value.end == body.end || document.read_around(value.end.saturating_sub(1)..value.end)?.ends_with(['\n', '\r']);
    Ok((mostly && own_line).then_some(value))
}

fn check(document: &dyn Document, range: Range<u64>) -> Result<(), Malformed> {
    let mut scanner = Scanner::one(document, range)?;
    while scanner.next_token()?.is_some() {}
    Ok(())
}

/// Which of the lines around a value are shown.
pub(super) struct Around {
    before: Side,
    after: Side,
    /// What they cost, their markers included.
    pub(super) cost: u64,
}

struct Side {
    head: u64,
    tail: u64,
    end: u64,
}

impl Around {
    /// Chooses lines before and after; each side has a tenth of the room for its beginning and for its end.
    pub(super) fn choose(
        document: &dyn Document,
        before: Range<u64>,
        after: Range<u64>,
        limit: u64,
    ) -> Result<Around, CutError> {
        let (before, first) = side(document, before, limit / 10)?;
        let (after, second) = side(document, after, limit / 10)?;
        Ok(Around { before, after, cost: first + second })
    }

    pub(super) fn before(&self, pieces: &mut Pieces) {
        self.before.write(pieces);
    }

    pub(super) fn after(&self, pieces: &mut Pieces) {
        self.after.write(pieces);
    }
}

impl Side {
    fn write(&self, pieces: &mut Pieces) {
        pieces.keep_to(self.head, "text around the value");
        pieces.omit_lines_to(self.tail);
        pieces.keep_to(self.end, "text around the value");
    }
}

/// The lines of `range` to keep at its beginning and at its end, and what that costs.
fn side(document: &dyn Document, range: Range<u64>, room: u64) -> Result<(Side, u64), CutError> {
    let whole = range.end - range.start;
    if whole <= room * 2 {
        return Ok((Side { head: range.end, tail: range.end, end: range.end }, whole));
    }
    let head = document.read_around(range.start..(range.start + room).min(range.end))?;
    let kept = memchr::memrchr(b'\n', head.as_bytes()).map_or(0, |at| at + 1);
    let from = document.position(range.end - room)?.byte;
    let tail = document.read(from..range.end)?;
    let left = memchr::memchr(b'\n', tail.as_bytes()).map_or(tail.len(), |at| at + 1);
    let side = Side { head: range.start + kept as u64, tail: from + left as u64, end: range.end };
    let cost = (side.head - range.start) + (range.end - side.tail) + 70;
    Ok((side, cost))
}
