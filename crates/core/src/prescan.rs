//! A large text's promising lines, found in one quick pass in bounded memory, whatever the pieces it comes in.
//!
//! Two things pass: lines with a word or a sign that tells (the same that lines are classified by), up to a number for
//! each template (and the last of each), and lines whose beginning is rare. Lines that say much by themselves come
//! first.

mod candidate;
mod kinds;
mod rare;
mod tally;
mod telling;
mod template_cache;

use std::sync::Arc;

use memchr::memrchr;

use crate::kind::Kind;
use crate::line::LineRules;
pub(crate) use candidate::{Candidate, Promise, WITH_CONTEXT};
pub(crate) use rare::Beginnings;
pub(crate) use tally::{Counts, Tally};
pub(crate) use telling::Telling;

/// Looks through a large text for lines that tell, and for lines that are rare.
#[derive(Default)]
pub struct Prescan {
    beginnings: Beginnings,
    telling: Telling,
}

/// What a [`Prescan`] has found, the most promising first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    pub(crate) found: Vec<Candidate>,
    /// How many failing tests, errors and warnings there are where; none where lines do not end as this one takes them to.
    pub(crate) tally: Option<Arc<Tally>>,
}

impl Prescan {
    /// A prescan that knows `rules`.
    pub fn new(rules: Arc<LineRules>) -> Prescan {
        let mut prescan = Prescan::default();
        prescan.telling.rules = rules;
        prescan
    }

    /// How much it is given at a time.
    pub const BLOCK: usize = candidate::BLOCK;

    /// Whether what it finds serves to cut a large text of this kind.
    pub fn serves(kind: Kind) -> bool {
        use Kind::{Build, Code, Log, Test, Text, Trace};
        matches!(kind, Log | Test | Build | Trace | Text | Code(_))
    }

    /// How much of a full block it takes: its whole lines, or all of it where no line ends in it. The rest
    /// comes with the next one.
    pub fn whole_lines(block: &[u8]) -> usize {
        memrchr(b'\n', block).map_or(block.len(), |end| end + 1)
    }

    /// Takes in the next block, which starts at byte `at` of the text.
    pub fn push(&mut self, block: &[u8], at: u64) {
        self.beginnings.gather(block, at);
        self.telling.gather(block, at);
    }

    /// Its two searches, which do not know of each other.
    pub(crate) fn searches(&mut self) -> (&mut Beginnings, &mut Telling) {
        (&mut self.beginnings, &mut self.telling)
    }

    /// What was found.
    pub fn finish(self) -> Candidates {
        let (mut found, tally) = self.telling.finish();
        found.extend(self.beginnings.finish());
        found.sort_by_key(|found| (found.before + found.promise.handicap(), found.promise, found.start));
        Candidates { found, tally: tally.map(Arc::new) }
    }
}
