//! The lines under a page of retrieved content, and the calls that go on from there.

use super::{Recall, Shell};
use crate::text;

impl Recall {
    /// The call for the matches of a regular expression from line `first` on, with the words of the call before it.
    /// One of more than `longest` characters is not written out: the reader is told what to change in the last one.
    pub fn matches_from(&self, id: &str, again: &MatchesFrom<'_>, longest: u64) -> String {
        let MatchesFrom { pattern, context, max_matches, first, last } = again;
        let call = match self {
            Recall::Tool(name) => {
                let context = context.map_or(String::new(), |context| format!(", context={context}"));
                let most = max_matches.map_or(String::new(), |most| format!(", max_matches={most}"));
                let end = last.map_or(String::new(), |last| format!(", end_line={last}"));
                format!("{name}(id=\"{id}\", pattern={}, start_line={first}{end}{context}{most})", quoted(pattern))
            }
            Recall::Shell(Shell { program, place }) => {
                let context = context.map_or(String::new(), |context| format!(" -C {context}"));
                let most = max_matches.map_or(String::new(), |most| format!(" --max {most}"));
                let end = last.map_or(String::new(), |last| last.to_string());
                let pattern = shell_quoted(pattern);
                format!("{program} grep {id} {pattern} --lines {first}-{end}{context}{most}{place}")
            }
        };
        short(call, longest, || format!("the same call with start_line={first}"))
    }

    /// The call for the nodes of a query behind the first `offset`; written out like [`Recall::matches_from`].
    pub fn nodes_from(&self, id: &str, path: &str, offset: u64, longest: u64) -> String {
        let call = match self {
            Recall::Tool(name) => format!("{name}(id=\"{id}\", query={}, offset={offset})", quoted(path)),
            Recall::Shell(Shell { program, place }) => {
                format!("{program} artifacts query {id} {} --offset {offset}{place}", shell_quoted(path))
            }
        };
        short(call, longest, || format!("the same call with offset={offset}"))
    }
}

/// The words of a call that goes on with a search.
#[derive(Debug, Clone, Copy)]
pub struct MatchesFrom<'a> {
    /// The regular expression.
    pub pattern: &'a str,
    /// Lines of context, where the call before it asked for them.
    pub context: Option<u64>,
    /// The most matches, where the call before it said.
    pub max_matches: Option<u64>,
    /// The line to go on with.
    pub first: u64,
    /// The last line to search, where the call before it said.
    pub last: Option<u64>,
}

fn short(call: String, longest: u64, instead: impl Fn() -> String) -> String {
    if text::chars(&call) <= longest && !call.contains('\n') { call } else { instead() }
}

/// A text as an argument of a call: in double quotes, escaped as JSON is.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            control if control < ' ' => quoted.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A text as one word of a shell.
fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Under a page that ends at a line end: lines `first` to `last` of `lines`; without a `next` call the rest is not to
/// be had.
pub fn lines_page(first: u64, last: u64, lines: u64, next: Option<&str>) -> String {
    format!("[Lines {first}-{last} of {lines} shown. {}]", onward(next))
}

/// Under a page of bytes `start` to `end` (exclusive) of `bytes`, the last of them in line `line`; without a `next`
/// call the rest is not to be had.
pub fn bytes_page(start: u64, end: u64, bytes: u64, line: u64, next: Option<&str>) -> String {
    format!("[Bytes {start}-{end} of {bytes} shown, up to line {line}. {}]", onward(next))
}

fn onward(next: Option<&str>) -> String {
    match next {
        Some(next) => format!("Next: {next}"),
        None => "The rest is not to be read: partial retrieval is switched off.".to_owned(),
    }
}

/// What stands under the matches of a pattern.
#[derive(Debug, Clone, Copy)]
pub struct MatchesPage<'a> {
    /// How many matching lines are shown.
    pub shown: u64,
    /// How many there are in the lines that were searched.
    pub total: u64,
    /// The lines that were searched, 1-based and inclusive; `None` where there are none.
    pub searched: Option<(u64, u64)>,
    /// The call that goes on, where not all are shown.
    pub next: Option<&'a str>,
    /// Where lines were shortened: to how many characters.
    pub shortened: Option<u64>,
}

/// Under the lines that a pattern matched.
pub fn matches_page(page: &MatchesPage<'_>) -> String {
    let (first, last) = page.searched.unwrap_or((0, 0));
    let mut notice = match page.total {
        0 => format!("[No matches in lines {first}-{last}."),
        total => format!("[{} of {total} matches shown, in lines {first}-{last}.", page.shown),
    };
    if let Some(width) = page.shortened {
        notice.push_str(&format!(" Long lines are cut to {width} chars."));
    }
    if let Some(next) = page.next {
        notice.push_str(" Next: ");
        notice.push_str(next);
    }
    notice.push(']');
    notice
}

/// Under the nodes that a query selected: nodes `first` to `last` of `total`.
pub fn nodes_page(first: u64, last: u64, total: u64, left_out: u64, next: Option<&str>) -> String {
    let mut notice = format!("[Nodes {first}-{last} of {total} shown.");
    match left_out {
        0 => {}
        1 => notice.push_str(" One is too long for a page: read it by its bytes."),
        more => notice.push_str(&format!(" {more} are too long for a page: read them by their bytes.")),
    }
    if let Some(next) = next {
        notice.push_str(" Next: ");
        notice.push_str(next);
    }
    notice.push(']');
    notice
}

/// In the place of a node that is too long for a page: a JSON string that says where it stands.
pub fn node_left_out(start: u64, end: u64) -> String {
    format!("\"... {} bytes omitted: start_byte={start}, end_byte={end} ...\"", end.saturating_sub(start))
}

/// Why a query of NDJSON that begins with a name finds nothing.
pub fn records_hint() -> &'static str {
    "[No nodes. The artifact is NDJSON: its records are the members of `$`, so begin with `$[*]` or `$[?…]`.]"
}

/// Under a page of binary content, which stands there as base64.
pub fn binary_page(media_type: &str, start: u64, end: u64, bytes: u64, next: Option<&str>) -> String {
    let next = next.map_or(String::new(), |next| format!(" Next: {next}"));
    format!("[Binary content ({media_type}) as base64: bytes {start}-{end} of {bytes} shown.{next}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_call_can_be_made_as_it_stands() {
        let again = MatchesFrom { pattern: r#"a"b\d"#, context: Some(2), max_matches: None, first: 9, last: Some(70) };
        assert_eq!(
            Recall::default().matches_from("art_1_a", &again, 240),
            r#"get_artifact(id="art_1_a", pattern="a\"b\\d", start_line=9, end_line=70, context=2)"#
        );
        let shell = Recall::Shell(Shell { place: " --session s".to_owned(), ..Shell::default() });
        let again = MatchesFrom { pattern: "it's", context: None, max_matches: Some(5), first: 9, last: None };
        assert_eq!(
            shell.matches_from("art_1_a", &again, 240),
            r"offcut grep art_1_a 'it'\''s' --lines 9- --max 5 --session s"
        );
        assert_eq!(
            Recall::default().nodes_from("art_1_a", "$[?@.a == \"x\"]", 120, 240),
            r#"get_artifact(id="art_1_a", query="$[?@.a == \"x\"]", offset=120)"#
        );
        assert_eq!(
            shell.nodes_from("art_1_a", "$['a']", 120, 240),
            r"offcut artifacts query art_1_a '$['\''a'\'']' --offset 120 --session s"
        );
    }

    #[test]
    fn a_long_call_is_not_repeated() {
        let path = format!("$[?@.a == '{}']", "x".repeat(300));
        assert_eq!(Recall::default().nodes_from("art_1_a", &path, 120, 240), "the same call with offset=120");
    }

    #[test]
    fn matches_are_counted_exactly() {
        let mut page =
            MatchesPage { shown: 50, total: 441, searched: Some((1, 9000)), next: Some("CALL"), shortened: None };
        assert_eq!(matches_page(&page), "[50 of 441 matches shown, in lines 1-9000. Next: CALL]");
        page.shortened = Some(500);
        assert_eq!(
            matches_page(&page),
            "[50 of 441 matches shown, in lines 1-9000. Long lines are cut to 500 chars. Next: CALL]"
        );
        let none = MatchesPage { shown: 0, total: 0, searched: Some((1, 10)), next: None, shortened: None };
        assert_eq!(matches_page(&none), "[No matches in lines 1-10.]");
    }

    #[test]
    fn nodes_and_bytes_are_counted_exactly() {
        assert_eq!(nodes_page(1, 12, 50, 0, Some("CALL")), "[Nodes 1-12 of 50 shown. Next: CALL]");
        assert_eq!(
            nodes_page(13, 14, 14, 1, None),
            "[Nodes 13-14 of 14 shown. One is too long for a page: read it by its bytes.]"
        );
        assert_eq!(node_left_out(10, 110), "\"... 100 bytes omitted: start_byte=10, end_byte=110 ...\"");
        assert_eq!(lines_page(1, 9, 70, Some("CALL")), "[Lines 1-9 of 70 shown. Next: CALL]");
        assert_eq!(bytes_page(0, 9, 70, 1, Some("CALL")), "[Bytes 0-9 of 70 shown, up to line 1. Next: CALL]");
    }

    #[test]
    fn a_page_whose_rest_is_not_to_be_had_says_so_and_names_no_call() {
        assert_eq!(
            lines_page(1, 9, 70, None),
            "[Lines 1-9 of 70 shown. The rest is not to be read: partial retrieval is switched off.]"
        );
    }
}
