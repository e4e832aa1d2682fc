//! Every sentence that a model reads, made from data: what is shown, what is missing, the next step.
//!
//! Markers, and the marks inside of data, can be recognised by one pattern, [`MARKER_PATTERN`], so that a host can
//! refuse to write them into a user's file.

mod address;
mod again;
mod bookends;
mod brief;
mod extraction;
mod frame;
mod paged;
mod recall;
mod retention;
mod tools;

pub use address::{Address, NOT_KEPT, gap};
pub use again::run_again;
pub use bookends::{bookends, bookends_head_only};
pub use brief::{BriefHeader, ShownCount, brief_header, compact_header};
pub use extraction::{
    Around, extracted, extraction_failed, fell_back, line_counts, nothing_found, overview, passage, passage_of,
    passages, passages_of_artifacts, searched_artifacts,
};
pub use frame::{Footer, Reference, footer, header, oversize, reference, retrieval_options, whole_retrieval_option};
pub use paged::{Next, Paged, paged};
pub use recall::{
    MatchesFrom, MatchesPage, binary_page, bytes_page, lines_page, matches_page, node_left_out, nodes_page,
    records_hint,
};
pub use retention::{is_retained, retained, task_trace};
pub use tools::{
    CommandEnd, LINE_TRUNCATED, binary_file, binary_matches, byte_limit, command_end, entry_limit, lines_truncated,
    match_byte_limit, match_limit, result_limit, unreadable,
};

use crate::{hidden, text};

/// The regular expression that every mark of an omission matches, those inside of data included. A host that finds it
/// in what a model writes to a file can refuse: the model copied a cut, and the file would lose what was left out.
///
/// | where | mark |
/// | --- | --- |
/// | between and inside of lines | `[9kgw 12-90]`, `[9kgw 12-90: 2 warnings]`, `[9kgw b39-4983]`, `[gap 12-90]` |
/// | the same in other profiles | `... [12 lines / 340 chars omitted] ...`, `... [340 chars omitted] ...` |
/// | in lossless forms | `[9kgw +39]`, `[9kgw +53 counting on]`, `[9kgw 3-11 again]`, ``[9kgw 4 lines begin with `test `]`` |
/// | JSON | `"... 49990 items omitted ..."`, `"...": "12 keys omitted"`; with `preserve_json: false` `... [12 keys omitted] ...` |
/// | XML, HTML | `<!-- 12 rows omitted -->`, `<!-- comment omitted -->` |
/// | YAML | `# 12 items omitted`, `# comment omitted` |
/// | CSV, TSV | `... 12 rows omitted ...` |
/// | code | ` ... [12 lines]` at the end of a line |
/// | nodes of a query | `"... 100 bytes omitted: start_byte=10, end_byte=110 ..."` |
pub const MARKER_PATTERN: &str = concat!(
    r"(?m:",
    r"\.\.\. \[(?:\d+ lines? / )?\d+ (?:chars?|items?|keys?) omitted(?:: [^\n]*)?\] \.\.\.",
    // A short handle has a letter and a digit among its first four characters.
    r"|\[(?:\d[a-z][0-9a-z]{2}|\d{2}[a-z][0-9a-z]|\d{3}[a-z]|[a-z]\d[0-9a-z]{2}|[a-z]{2}\d[0-9a-z]|[a-z]{3}\d)",
    r"[0-9a-z]{0,12} (?:b?\d+-\d+(?:: [^\n]*)?|\+\d+(?: counting on)?|\d+(?:-\d+)? again|\d+ lines begin with `[^\n]*`)\]",
    r"|\[gap b?\d+-\d+(?:: [^\n]*)?\]",
    r"|\.\.\. \d+ (?:items?|rows?|lines?) omitted \.\.\.",
    r#"|"\.\.\.\d*": "\d+ keys? omitted""#,
    r"|<!-- (?:\d+ [^\n<>]{1,200}|comment) omitted -->",
    r"|# (?:\d+ (?:items?|keys?|documents?)|comment) omitted\r?$",
    r"|\.\.\. \d+ bytes omitted: start_byte=\d+, end_byte=\d+ \.\.\.",
    r"| \.\.\. \[\d+ lines?\]\r?$",
    r")",
);

/// The longest detail that a marker carries, in characters; longer ones are shortened.
pub const LONGEST_DETAIL: u64 = 200;

/// The marker between kept pieces, for a line of its own.
pub fn marker(lines: u64, chars: u64, detail: Option<&str>) -> String {
    let (lines, chars) = (counted(lines, "line"), counted(chars, "char"));
    match detail {
        None => format!("... [{lines} / {chars} omitted] ..."),
        Some(detail) => format!("... [{lines} / {chars} omitted: {}] ...", one_line(detail, LONGEST_DETAIL)),
    }
}

/// The line about text that was overwritten on its lines, where that was most of an output: where it is kept (`all` of
/// it, or its beginning), or why it is not.
pub fn overwritten(chars: u64, all: bool, kept: Result<&str, &str>) -> String {
    let kept = match (kept, all) {
        (Ok(id), true) => format!("kept as {id}"),
        (Ok(id), false) => format!("the beginning is kept as {id}"),
        (Err(why), _) => format!("not kept: {}", one_line(why, LONGEST_DETAIL)),
    };
    format!("[{chars} characters were overwritten on their lines, as on a terminal; {kept}]")
}

/// The marker inside a line that alone was too long.
pub fn inline_marker(chars: u64) -> String {
    format!(" ... [{} omitted] ... ", counted(chars, "char"))
}

/// The marker at the end of a line, for the body that it opens.
pub fn body_marker(lines: u64) -> String {
    format!(" ... [{}]", counted(lines, "line"))
}

/// A number with its noun, which agrees with it: `1 line`, `2 lines`.
pub fn counted(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// How a recipient asks for what was cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recall {
    /// By a tool call, under the name that the model knows the tool by.
    Tool(String),
    /// By a command.
    Shell(Shell),
}

/// The commands that work in a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// How the program is called: by its name, or by its path where its name would not find it.
    pub program: String,
    /// The words that name session and store, with a space before them, where the defaults would not do.
    pub place: String,
}

impl Default for Shell {
    fn default() -> Shell {
        Shell { program: "offcut".to_owned(), place: String::new() }
    }
}

impl Default for Recall {
    fn default() -> Recall {
        Recall::Tool("get_artifact".to_owned())
    }
}

impl Recall {
    /// The call for the whole.
    pub fn whole(&self, id: &str) -> String {
        match self {
            Recall::Tool(name) => format!("{name}(id=\"{id}\")"),
            Recall::Shell(Shell { program, place }) => format!("{program} artifacts show {id}{place}"),
        }
    }

    /// The call for lines `first` to `last`, 1-based and inclusive.
    pub fn lines(&self, id: &str, first: u64, last: u64) -> String {
        match self {
            Recall::Tool(name) => format!("{name}(id=\"{id}\", start_line={first}, end_line={last})"),
            Recall::Shell(Shell { program, place }) => {
                format!("{program} artifacts show {id} --lines {first}-{last}{place}")
            }
        }
    }

    /// The call for bytes `start` to `end`, 0-based, the end exclusive.
    pub fn bytes(&self, id: &str, start: u64, end: u64) -> String {
        match self {
            Recall::Tool(name) => format!("{name}(id=\"{id}\", start_byte={start}, end_byte={end})"),
            Recall::Shell(Shell { program, place }) => {
                format!("{program} artifacts show {id} --bytes {start}-{end}{place}")
            }
        }
    }

    /// The call for the lines that match a regular expression.
    pub fn search(&self, id: &str, pattern: &str) -> String {
        match self {
            Recall::Tool(name) => format!("{name}(id=\"{id}\", pattern=\"{pattern}\")"),
            Recall::Shell(Shell { program, place }) => format!("{program} artifacts grep {id} '{pattern}'{place}"),
        }
    }

    /// The call for what a JSONPath selects.
    pub fn query(&self, id: &str, path: &str) -> String {
        match self {
            Recall::Tool(name) => format!("{name}(id=\"{id}\", query=\"{path}\")"),
            Recall::Shell(Shell { program, place }) => format!("{program} artifacts query {id} '{path}'{place}"),
        }
    }
}

/// Where the whole output is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FullOutput<'a> {
    /// Stored under this id, and as this file where it is one.
    Stored {
        /// The artifact's id.
        id: &'a str,
        /// The plain file, where the store has one.
        path: Option<&'a str>,
    },
    /// Not stored, for this reason.
    Lost(&'a str),
}

/// The message that stands for an output under the profile `handle`.
pub fn handle(bytes: u64, lines: u64, tokens: u64, handle: &str) -> String {
    format!(
        "Tool output is too large ({bytes} bytes, {lines} lines, {tokens} tokens).\n\
         Call tool_output(handle = \"{handle}\", extract = \"what to extract\").\n\
         Provide precise and detailed instructions in `extract` about what you are looking for."
    )
}

/// `sentence` on one line, at most `longest` characters long, with what is not seen written out.
pub fn one_line(sentence: &str, longest: u64) -> String {
    let joined: String = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    let joined = hidden::visible(&joined);
    if text::chars(&joined) <= longest {
        return joined.into_owned();
    }
    format!("{}...", text::first_chars(&joined, longest.saturating_sub(3)).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_count_lines_and_characters_in_plain_digits() {
        assert_eq!(marker(1234, 56789, None), "... [1234 lines / 56789 chars omitted] ...");
        assert_eq!(marker(2, 9, Some("parse\n(3-4)")), "... [2 lines / 9 chars omitted: parse (3-4)] ...");
        assert_eq!(inline_marker(7), " ... [7 chars omitted] ... ");
    }

    #[test]
    fn every_mark_of_an_omission_is_recognised_and_nothing_else() {
        let pattern = regex::Regex::new(MARKER_PATTERN).unwrap();
        for mark in [
            &marker(12, 340, None),
            &marker(2, 9, Some("fn parse (3-4)")),
            &inline_marker(7),
            &marker(1, 1, None),
            &body_marker(1),
            &gap("9kgw", Address::Lines { first: 12, last: 90 }, None),
            &gap("kgw9a", Address::Lines { first: 12, last: 90 }, Some("2 warnings")),
            &gap("000a", Address::Bytes { start: 0, end: 90 }, None),
            &gap(NOT_KEPT, Address::Lines { first: 12, last: 90 }, None),
            &node_left_out(10, 110),
            "[9kgw +39]",
            "[9kgw +53 counting on]",
            "[9kgw 3-11 again]",
            "[a123 7 again]",
            "[a123 40 lines begin with `test ` and end with ` ... ok`]",
            "[1, \"... 49990 items omitted ...\", 2]",
            "{\"a\": 1, \"...\": \"12 keys omitted\"}",
            "{\"...2\": \"12 keys omitted\"}",
            "[1, ... [12 items omitted] ..., 2]",
            "<ul><!-- 12 li omitted --></ul>",
            "<!-- comment omitted -->",
            "  # 12 items omitted\n",
            "a: 1\r\n# 3 keys omitted\r\nb: 2",
            "# 2 documents omitted",
            "... 248 rows omitted ...,,",
            "fn main() { ... [12 lines]\n}",
        ] {
            assert!(pattern.is_match(mark), "{mark}");
        }
        for text in [
            "... and 12 more items",
            "// 12 lines omitted here",
            "items omitted",
            "# 12 items omitted from the list",
            "<!-- TODO: omitted -->",
            "let [a, ..] = rest; // ... [12 lines] of it",
            "{\"...\": \"keys\"}",
            "[page 12-90]",
            "[2024 10-12]",
            "[v8 10-12]",
            "[v8x7 10 lines]",
            "[sha1 again]",
        ] {
            assert!(!pattern.is_match(text), "{text}");
        }
    }

    #[test]
    fn an_omission_text_longer_than_a_line_is_itself_shortened() {
        let long = marker(1, 1, Some(&"name ".repeat(500)));
        assert!(text::chars(&long) < 260, "{long}");
        assert!(long.ends_with("...] ..."), "{long}");
    }

    #[test]
    fn the_handle_message_says_how_large_and_what_to_call() {
        assert_eq!(
            handle(123456, 789, 45678, "session-s/art_1_a"),
            "Tool output is too large (123456 bytes, 789 lines, 45678 tokens).\n\
             Call tool_output(handle = \"session-s/art_1_a\", extract = \"what to extract\").\n\
             Provide precise and detailed instructions in `extract` about what you are looking for."
        );
    }
}
