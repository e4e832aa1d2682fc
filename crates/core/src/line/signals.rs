//! Words that tell how something went, searched for in one pass over all lines.

use std::sync::LazyLock;

use crate::finder::{Finder, Hit};

/// A set of signals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Signals(u32);

impl Signals {
    pub(crate) const ERROR: Signals = Signals(1);
    pub(crate) const FAIL: Signals = Signals(1 << 1);
    pub(crate) const EXCEPTION: Signals = Signals(1 << 2);
    pub(crate) const FATAL: Signals = Signals(1 << 3);
    pub(crate) const WARN: Signals = Signals(1 << 4);
    pub(crate) const REFUSAL: Signals = Signals(1 << 5);
    pub(crate) const EXPECT: Signals = Signals(1 << 6);
    pub(crate) const EXIT: Signals = Signals(1 << 7);
    pub(crate) const COUNT: Signals = Signals(1 << 8);
    pub(crate) const CROSS: Signals = Signals(1 << 9);
    pub(crate) const PASS: Signals = Signals(1 << 10);
    pub(crate) const CAUSE: Signals = Signals(1 << 11);
    pub(crate) const EVENT: Signals = Signals(1 << 12);

    /// Whether any of `other` is among them.
    pub(crate) fn has(self, other: Signals) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn with(self, other: Signals) -> Signals {
        Signals(self.0 | other.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Each word, in lower case, and what it signals.
const WORDS: [(&str, Signals); 86] = [
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
    ("accepted ", Signals::EVENT),
    ("command=", Signals::EVENT),
    ("new user", Signals::EVENT),
    ("new group", Signals::EVENT),
    ("password changed", Signals::EVENT),
    ("delete user", Signals::EVENT),
    (" su for ", Signals::EVENT),
    ("segfault", Signals::FATAL),
    ("oom-kill", Signals::FATAL),
    ("break-in", Signals::FATAL),
    ("link is down", Signals::REFUSAL),
    ("[crit]", Signals::FATAL),
    (":crit]", Signals::FATAL),
    ("[alert]", Signals::FATAL),
    (":alert]", Signals::FATAL),
    ("code=exited", Signals::REFUSAL),
    ("code=killed", Signals::REFUSAL),
    ("code=dumped", Signals::REFUSAL),
    ("blocked for more", Signals::REFUSAL),
    ("remounting", Signals::REFUSAL),
    ("soft lockup", Signals::FATAL),
    ("repeated too quickly", Signals::REFUSAL),
];

/// Signs of failure that are no words.
const SIGNS: [char; 7] = ['✕', '✗', '×', '✘', '❌', '✖', '●'];

impl Signals {
    const fn with_const(self, other: Signals) -> Signals {
        Signals(self.0 | other.0)
    }

    /// What a word that was found signals.
    fn of(hit: Hit) -> Signals {
        WORDS.get(hit.word).map_or(Signals(0), |(_, signals)| *signals)
    }
}

static FINDER: LazyLock<Finder> = LazyLock::new(|| Finder::new(&WORDS.map(|(word, _)| word), true));

/// Where the first word that names a failure stands in `line`.
pub(crate) fn first_failure(line: &str) -> Option<usize> {
    let severe = Signals::ERROR.with(Signals::FAIL).with(Signals::EXCEPTION).with(Signals::FATAL).with(Signals::EXPECT);
    let mut first: Option<usize> = None;
    FINDER.each(line.as_bytes(), |hit| {
        if severe.has(Signals::of(hit)) && first.is_none_or(|first| hit.start < first) {
            first = Some(hit.start);
        }
    });
    first
}

/// The signals of one line.
pub(crate) fn of_line(line: &str) -> Signals {
    let mut found = Signals::default();
    each(line, |_, signals| found = found.with(signals));
    found
}

/// Calls `each` with every place in `text` that signals something: words, then signs.
pub(crate) fn each(text: &str, mut each: impl FnMut(usize, Signals)) {
    FINDER.each(text.as_bytes(), |hit| each(hit.start, Signals::of(hit)));
    // All signs begin with one of two bytes, which plain text does not have.
    let bytes = text.as_bytes();
    for at in memchr::memchr2_iter(0xe2, 0xc3, bytes) {
        if text.get(at..).is_some_and(|rest| rest.starts_with(SIGNS)) {
            each(at, Signals::CROSS);
        }
    }
}
