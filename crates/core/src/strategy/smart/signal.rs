//! Words that tell how something went, searched for in one pass over all lines.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

use super::table::Table;

/// A set of signals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Signals(u32);

impl Signals {
    pub(super) const ERROR: Signals = Signals(1);
    pub(super) const FAIL: Signals = Signals(1 << 1);
    pub(super) const EXCEPTION: Signals = Signals(1 << 2);
    pub(super) const FATAL: Signals = Signals(1 << 3);
    pub(super) const WARN: Signals = Signals(1 << 4);
    pub(super) const REFUSAL: Signals = Signals(1 << 5);
    pub(super) const EXPECT: Signals = Signals(1 << 6);
    pub(super) const EXIT: Signals = Signals(1 << 7);
    pub(super) const COUNT: Signals = Signals(1 << 8);
    pub(super) const CROSS: Signals = Signals(1 << 9);
    pub(super) const PASS: Signals = Signals(1 << 10);
    pub(super) const CAUSE: Signals = Signals(1 << 11);

    /// Whether any of `other` is among them.
    pub(super) fn has(self, other: Signals) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn with(self, other: Signals) -> Signals {
        Signals(self.0 | other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Each word, in lower case, and what it signals.
const WORDS: [(&str, Signals); 64] = [
    ("err_", Signals::ERROR),
    ("crashloop", Signals::FATAL),
    ("error", Signals::ERROR),
    ("err!", Signals::ERROR),
    ("erro ", Signals::ERROR),
    ("fail", Signals::FAIL),
    ("fehler", Signals::ERROR),
    ("exception", Signals::EXCEPTION),
    ("throw", Signals::EXCEPTION),
    ("traceback", Signals::EXCEPTION),
    ("fatal", Signals::FATAL),
    ("panic", Signals::FATAL),
    ("critical", Signals::FATAL),
    ("emerg", Signals::FATAL),
    ("segmentation fault", Signals::FATAL),
    ("core dumped", Signals::FATAL),
    ("aborted", Signals::FATAL),
    ("killed", Signals::FATAL),
    ("out of memory", Signals::FATAL),
    ("oomkill", Signals::FATAL),
    ("warn", Signals::WARN),
    ("deprecat", Signals::WARN),
    ("denied", Signals::REFUSAL),
    ("refused", Signals::REFUSAL),
    ("timed out", Signals::REFUSAL),
    ("timeout", Signals::REFUSAL),
    ("cannot", Signals::REFUSAL),
    ("can't", Signals::REFUSAL),
    ("could not", Signals::REFUSAL),
    ("couldn't", Signals::REFUSAL),
    ("unable to", Signals::REFUSAL),
    ("not found", Signals::REFUSAL),
    ("no such", Signals::REFUSAL),
    ("does not exist", Signals::REFUSAL),
    ("is not", Signals::REFUSAL),
    ("undefined", Signals::REFUSAL),
    ("unresolved", Signals::REFUSAL),
    ("invalid", Signals::REFUSAL),
    ("unexpected", Signals::REFUSAL),
    ("mismatch", Signals::REFUSAL),
    ("missing", Signals::REFUSAL),
    ("violat", Signals::REFUSAL),
    ("conflict", Signals::REFUSAL),
    ("no space left", Signals::FATAL),
    ("unsuccessful", Signals::FAIL),
    ("broken", Signals::REFUSAL),
    ("assert", Signals::EXPECT),
    ("expect", Signals::EXPECT),
    ("exit code", Signals::EXIT),
    ("exit status", Signals::EXIT),
    ("exited with", Signals::EXIT),
    ("exit_group", Signals::EXIT),
    ("non-zero", Signals::EXIT),
    ("elifecycle", Signals::EXIT),
    ("not ok", Signals::FAIL),
    ("passed", Signals::PASS.with_const(Signals::COUNT)),
    ("passing", Signals::PASS.with_const(Signals::COUNT)),
    ("tests", Signals::COUNT),
    ("success", Signals::PASS),
    ("finished", Signals::COUNT),
    ("problem", Signals::COUNT),
    ("caused", Signals::CAUSE),
    ("complet", Signals::COUNT),
    ("ran ", Signals::COUNT),
];

/// Signs of failure that are no ASCII words.
const SIGNS: [&str; 7] = ["✕", "✗", "×", "✘", "❌", "✖", "●"];

impl Signals {
    const fn with_const(self, other: Signals) -> Signals {
        Signals(self.0 | other.0)
    }

    /// What pattern `pattern` of the finder signals.
    fn of_pattern(pattern: usize) -> Signals {
        WORDS.get(pattern).map_or(Signals::CROSS, |(_, signals)| *signals)
    }
}

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(WORDS.iter().map(|(word, _)| *word).chain(SIGNS))
        .ok()
});

/// Where the first word that names a failure stands in `line`.
pub(super) fn first_failure(line: &str) -> Option<usize> {
    let severe = Signals::ERROR.with(Signals::FAIL).with(Signals::EXCEPTION).with(Signals::FATAL).with(Signals::EXPECT);
    let found = |hit: &aho_corasick::Match| severe.has(Signals::of_pattern(hit.pattern().as_usize()));
    FINDER.as_ref()?.find_iter(line.as_bytes()).find(found).map(|hit| hit.start())
}

/// The signals of one line.
pub(super) fn of_line(line: &str) -> Signals {
    let hits = FINDER.as_ref().into_iter().flat_map(|finder| finder.find_iter(line.as_bytes()));
    hits.fold(Signals::default(), |found, hit| found.with(Signals::of_pattern(hit.pattern().as_usize())))
}

/// The signals of each row.
pub(super) fn signals(table: &Table<'_>) -> Vec<Signals> {
    let mut found = vec![Signals::default(); table.len()];
    let Some(finder) = FINDER.as_ref() else { return found };
    let mut row = 0;
    for hit in finder.find_iter(table.text().as_bytes()) {
        while row + 1 < table.len() && table.start(row + 1) <= hit.start() {
            row += 1;
        }
        if let Some(signals) = found.get_mut(row) {
            *signals = signals.with(Signals::of_pattern(hit.pattern().as_usize()));
        }
    }
    found
}
