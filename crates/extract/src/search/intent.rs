//! Words that tell what kind of line is meant, rather than what stands in it.
//!
//! Somebody who asks for "the failing test" or "the final summary" rarely uses the words of the output. So such words
//! stand for features of lines, as the cut that was shown first knows them (an error, a summary, the end of a process),
//! and for places (the beginning, the end). `docs/extraction.md` lists them. They say nothing about any one program.

/// A set of meanings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Intents(u32);

impl Intents {
    pub(super) const FAILURE: Intents = Intents(1);
    pub(super) const ERROR: Intents = Intents(1 << 1);
    pub(super) const SUMMARY: Intents = Intents(1 << 2);
    pub(super) const EXIT: Intents = Intents(1 << 3);
    pub(super) const PLACE: Intents = Intents(1 << 4);
    pub(super) const WARNING: Intents = Intents(1 << 5);
    pub(super) const COMMAND: Intents = Intents(1 << 6);
    pub(super) const BEGINNING: Intents = Intents(1 << 7);
    pub(super) const END: Intents = Intents(1 << 8);
    pub(super) const STRUCTURE: Intents = Intents(1 << 9);
    pub(super) const RARE: Intents = Intents(1 << 10);
    pub(super) const DEFINITION: Intents = Intents(1 << 11);
    pub(super) const BODY: Intents = Intents(1 << 12);
    pub(super) const DURATION: Intents = Intents(1 << 13);

    pub(super) fn has(self, other: Intents) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn with(self, other: Intents) -> Intents {
        Intents(self.0 | other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The meanings of what was asked.
    pub(super) fn read(asked: &str) -> Intents {
        let words = asked.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let found =
            words.fold(Intents::default(), |found, word| meaning(word).map_or(found, |meant| found.with(meant)));
        let lower = asked.to_lowercase();
        let place = ["file:line", "file and line", "line number", "which file", "which line"];
        if place.iter().any(|place| lower.contains(place)) { found.with(Intents::PLACE) } else { found }
    }

    /// Whether a part that was kept for the reason `why` is what is meant.
    pub(super) fn means(self, why: &str) -> bool {
        let wanted = match why {
            "failing test" => Intents::FAILURE,
            "error" => Intents::ERROR.with(Intents::FAILURE),
            "expected and found" => Intents::ERROR.with(Intents::FAILURE),
            "summary" => Intents::SUMMARY,
            "exit code" => Intents::EXIT.with(Intents::SUMMARY),
            "location" | "stack trace" => Intents::PLACE,
            "warning" => Intents::WARNING,
            "command" => Intents::COMMAND,
            "rare line" => Intents::RARE,
            _ => return false,
        };
        self.has(wanted)
    }
}

/// Each meaning and the words for it, in lower case.
const MEANINGS: [(Intents, &[&str]); 15] = [
    (
        Intents::FAILURE,
        &["fail", "fails", "failed", "failing", "failure", "failures", "broken", "broke", "regression", "collection"],
    ),
    (
        Intents::ERROR,
        &[
            "error",
            "errors",
            "exception",
            "exceptions",
            "panic",
            "panicked",
            "crash",
            "crashed",
            "assertion",
            "assertions",
            "fatal",
            "traceback",
            "cause",
            "causes",
            "reason",
            "wrong",
            "problem",
            "problems",
            "message",
            "messages",
            "conflict",
            "unresolved",
            "missing",
            "symbol",
            "compiler",
            "linker",
            "syntax",
            "diagnostic",
            "diagnostics",
            "why",
            "bug",
            "issue",
            "issues",
            "denied",
            "refused",
            "invalid",
            "critical",
            "severe",
        ],
    ),
    (
        Intents::SUMMARY,
        &[
            "summary",
            "summaries",
            "total",
            "totals",
            "count",
            "counts",
            "number",
            "verdict",
            "result",
            "results",
            "overall",
            "outcome",
            "status",
            "conclusion",
            "passed",
            "passes",
            "statistics",
            "stats",
            "report",
            "many",
            "succeeded",
            "successful",
        ],
    ),
    (Intents::EXIT, &["exit", "exited", "status", "code", "verdict", "terminated", "killed", "signal", "consequence"]),
    (
        Intents::PLACE,
        &[
            "location",
            "locations",
            "where",
            "place",
            "stack",
            "trace",
            "frame",
            "frames",
            "backtrace",
            "located",
            "position",
        ],
    ),
    (Intents::WARNING, &["warning", "warnings", "warn", "deprecated", "deprecation", "deprecations"]),
    (Intents::COMMAND, &["command", "commands", "step", "steps", "stage", "job", "invoked", "ran", "executed"]),
    (
        Intents::BEGINNING,
        &[
            "first",
            "beginning",
            "start",
            "top",
            "header",
            "headers",
            "banner",
            "import",
            "imports",
            "title",
            "root",
            "initial",
            "name",
        ],
    ),
    (
        Intents::END,
        &[
            "last", "final", "finally", "end", "ending", "bottom", "newest", "latest", "closing", "verdict", "overall",
            "trailing",
        ],
    ),
    (
        Intents::STRUCTURE,
        &[
            "key",
            "commit",
            "commits",
            "subject",
            "subjects",
            "keys",
            "field",
            "fields",
            "schema",
            "structure",
            "section",
            "sections",
            "heading",
            "headings",
            "column",
            "columns",
            "outline",
            "element",
            "elements",
            "record",
            "records",
            "row",
            "rows",
            "path",
            "paths",
            "shape",
            "format",
            "properties",
            "property",
            "attributes",
            "nested",
            "metadata",
            "list",
            "kind",
            "item",
            "items",
        ],
    ),
    (
        Intents::RARE,
        &["rare", "outlier", "outliers", "unusual", "odd", "distinct", "unique", "different", "anomaly", "anomalies"],
    ),
    (
        Intents::DEFINITION,
        &[
            "definition",
            "definitions",
            "defined",
            "define",
            "declaration",
            "declared",
            "signature",
            "signatures",
            "function",
            "functions",
            "method",
            "methods",
            "type",
            "types",
            "class",
            "classes",
            "struct",
            "interface",
            "enum",
            "trait",
        ],
    ),
    (
        Intents::BODY,
        &["body", "implementation", "implemented", "implements", "show", "source", "function", "method", "code"],
    ),
    (
        Intents::DURATION,
        &["time", "times", "duration", "took", "elapsed", "seconds", "minutes", "slow", "slowest", "wall", "long"],
    ),
    (Intents::FAILURE, &["test", "tests", "suite"]),
];

fn meaning(word: &str) -> Option<Intents> {
    let lower = word.to_lowercase();
    let meant = MEANINGS.iter().filter(|(_, words)| words.contains(&lower.as_str()));
    meant.map(|(intents, _)| *intents).reduce(Intents::with)
}

/// Words of outputs for what is meant: they are looked for as well, and count little.
pub(super) fn words_for(intents: Intents) -> impl Iterator<Item = &'static str> {
    const WORDS: [(Intents, &[&str]); 4] = [
        (Intents::FAILURE, &["fail", "failed", "failure"]),
        (Intents::ERROR, &["error", "exception", "fatal", "panic"]),
        (Intents::WARNING, &["warning", "warn"]),
        (Intents::SUMMARY, &["total", "passed", "failed"]),
    ];
    WORDS.iter().filter(move |(meant, _)| intents.has(*meant)).flat_map(|(_, words)| words.iter().copied())
}

/// Whether a word tells what kind of line is meant.
pub(super) fn is_meaning(word: &str) -> bool {
    meaning(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_for_features_of_lines() {
        assert!(Intents::read("the failing tests").means("failing test"));
        assert!(Intents::read("why did it crash").means("error"));
        assert!(Intents::read("Final verdict").means("exit code"));
        assert!(Intents::read("location of the panic").means("stack trace"));
        assert!(!Intents::read("users of redis").means("error"));
        assert!(Intents::read("").is_empty());
    }
}
