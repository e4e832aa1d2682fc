//! A line that may be worth showing, and what it promises.

/// How much of a text is looked at at a time.
pub(super) const BLOCK: usize = 1024 * 1024;

/// Lines of a kind that bring their neighbours along.
pub(crate) const WITH_CONTEXT: u32 = 3;

/// What a line promises, the most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Promise {
    /// It says by itself that something failed, or how something ended.
    Tells,
    /// It mentions something that may be the reason.
    Mentions,
    /// It begins as few others do.
    Rare,
    /// It counts, or says that something went well.
    Counts,
}

impl Promise {
    pub(super) const COUNT: usize = 4;

    /// How many of a kind that tells pass before one of a kind that promises this.
    pub(super) fn handicap(self) -> u32 {
        match self {
            Promise::Tells | Promise::Rare => 0,
            Promise::Mentions => 1,
            Promise::Counts => 8,
        }
    }
}

/// A line that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// How many of its kind came before it.
    pub(crate) before: u32,
    pub(crate) promise: Promise,
}
