//! Frames that repeat, as recursion leaves them.

use std::ops::Range;

use crate::hash::Hash;
use crate::line::trace;
use crate::strategy::lines::table::Table;

/// The longest cycle that is recognised, in lines: eight frames of three lines.
const LONGEST: usize = 24;

/// How often a cycle must come before it counts as one.
const TIMES: usize = 3;

/// Rows that repeat the rows before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::strategy::lines) struct Fold {
    /// All of the repetitions, without the first time.
    pub(in crate::strategy::lines) rows: Range<usize>,
    /// How many lines are repeated.
    pub(in crate::strategy::lines) lines: usize,
    /// Whether they are the same to the letter, and not only but for numbers and addresses.
    pub(in crate::strategy::lines) same: bool,
}

impl Fold {
    /// What it says of itself where a gap holds nothing else.
    pub(in crate::strategy::lines) fn said(&self) -> String {
        let (named, often) = (self.named(), format!("{} more times", self.times()));
        if self.same {
            format!("the same {named} {often}")
        } else {
            format!("the {named} before, other numbers, {often}")
        }
    }

    /// What it says of itself where a gap holds more.
    pub(in crate::strategy::lines) fn said_among_others(&self) -> String {
        format!("among them {} repeated {} times", self.named(), self.times())
    }

    fn named(&self) -> String {
        if self.lines == 1 { "line".to_owned() } else { format!("{} lines", self.lines) }
    }

    /// How often they are repeated, the first time not counted.
    fn times(&self) -> usize {
        self.rows.len() / self.lines.max(1)
    }
}

/// Finds what repeats among the rows of `frames`.
pub(super) fn find(table: &Table<'_>, frames: Range<usize>, folds: &mut Vec<Fold>) {
    let words: Vec<u64> = frames.clone().map(|row| Hash::of(trace::words(table.body(row)).as_bytes())).collect();
    let alike = |at: usize, cycle: usize| words.get(at).is_some_and(|word| words.get(at + cycle) == Some(word));
    let mut at = 0;
    while at < words.len() {
        let run = (1..=LONGEST).find_map(|cycle| {
            let mut end = at;
            while alike(end, cycle) {
                end += 1;
            }
            let times = (end - at) / cycle;
            (times + 1 >= TIMES).then_some((cycle, times))
        });
        let Some((lines, times)) = run else {
            at += 1;
            continue;
        };
        let start = frames.start + at + lines;
        let rows = start..start + lines * times;
        let same = rows.clone().all(|row| table.words(row) == table.words(row - lines));
        folds.push(Fold { rows, lines, same });
        at += lines * (times + 1);
    }
}
