//! What a model reads when it asked an artifact a question.

use super::{Recall, one_line};

/// How much of what was asked for an answer repeats, in characters.
const LONGEST_REPEATED: u64 = 300;

/// How much of a reason is told, in characters.
const LONGEST_REASON: u64 = 300;

/// An answer.
pub fn extracted(tool: &str, handle: &str, mode: &str, answer: &str) -> String {
    format!("ABSTRACT FROM TOOL OUTPUT {tool} WITH HANDLE {handle}, STRATEGY:{mode}:\n\n{answer}")
}

/// No answer, and why.
pub fn extraction_failed(tool: &str, handle: &str, mode: &str, why: &str) -> String {
    format!("TOOL_OUTPUT FAILED FOR {tool} WITH HANDLE {handle}, STRATEGY:{mode}:\n\n{why}")
}

/// Before an answer that another way of looking had to give: which one failed, why, and which one answers.
pub fn fell_back(mode: &str, why: &str, next: &str) -> String {
    let why = one_line(why, LONGEST_REASON);
    match next {
        "search" => format!("WARNING: {mode} gave no answer ({why}). Search answers instead, without a model."),
        next => format!("WARNING: {mode} gave no answer ({why}). {next} answers instead."),
    }
}

/// The answer where there was nothing to find: what was searched for, and what there is instead.
pub fn nothing_found(wanted: &str, instead: &str) -> String {
    let mut answer = format!("NO RELEVANT DATA FOUND\nSearched for: {}", one_line(wanted, LONGEST_REPEATED));
    if !instead.trim().is_empty() {
        answer.push('\n');
        answer.push_str(instead.trim());
    }
    answer
}

/// The line over a passage: lines `first` to `last` of the document, 1-based and inclusive; with the bytes of a part of
/// one long line.
pub fn passage(first: u64, last: u64, bytes: Option<(u64, u64)>) -> String {
    match bytes {
        Some((start, end)) => format!("[line {first}, bytes {start}-{end}]"),
        None if first == last => format!("[line {first}]"),
        None => format!("[lines {first}-{last}]"),
    }
}

/// What stands under passages.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// How a reader asks for more.
    pub recall: &'a Recall,
    /// The artifact.
    pub id: &'a str,
    /// Lines of the document.
    pub lines: u64,
    /// The best passage, whose surroundings the call shows.
    pub best: Option<(u64, u64)>,
}

/// How many lines around the best passage the call under passages shows.
const SURROUNDINGS: u64 = 40;

/// Under passages: how many there are, and the call that shows more.
pub fn passages(shown: u64, around: &Around<'_>) -> String {
    let Around { recall, id, lines, best } = around;
    let count = if shown == 1 { "1 passage".to_owned() } else { format!("{shown} passages") };
    let more = match best {
        Some((first, last)) => {
            let first = first.saturating_sub(SURROUNDINGS).max(1);
            recall.part(id, &format!("{first}-{}", last.saturating_add(SURROUNDINGS).min(*lines)))
        }
        None => recall.all(id),
    };
    format!("[{count} of {lines} lines, best first. More: {more}]")
}

/// The line over a passage of one of several artifacts: its handle, the tool that printed it, and the place.
pub fn passage_of(handle: &str, tool: &str, place: &str) -> String {
    format!("[{handle} {tool}] {place}")
}

/// Under passages of several artifacts: how many there are, of how many artifacts, of all that were searched; and the call
/// that shows more of the best.
pub fn passages_of_artifacts((shown, holding, searched): (u64, u64, u64), around: &Around<'_>) -> String {
    let under = passages(shown, around);
    let (_, more) = under.split_once(" More: ").unwrap_or(("", &under));
    let passages = if shown == 1 { "passage" } else { "passages" };
    format!("[{shown} {passages} of {holding} of {searched} artifacts, best first. More of the first: {more}")
}

/// What was searched where nothing was found in any artifact.
pub fn searched_artifacts(searched: u64) -> String {
    match searched {
        0 => "The session has no artifacts.".to_owned(),
        1 => "Its words stand in none of the session's artifacts; there is 1.".to_owned(),
        searched => format!("Its words stand in none of the session's {searched} artifacts."),
    }
}

/// How many lines there are of what a question counts; `whole` says whether all lines were counted.
pub fn line_counts(counts: &[(String, u64)], whole: bool) -> String {
    let told: Vec<String> = counts
        .iter()
        .map(|(what, count)| format!("{count} {} {what}", if *count == 1 { "line" } else { "lines" }))
        .collect();
    let counted = if whole { "Counted" } else { "Counted in the parts that were read" };
    format!("[{counted}: {}]", told.join("; "))
}

/// Under a view of the whole output: how many lines it has, and the call that shows all of them.
pub fn overview(around: &Around<'_>) -> String {
    let Around { recall, id, lines, .. } = around;
    format!("[The whole output of {lines} lines, cut to what matters. More: {}]", recall.all(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_failures_have_their_exact_form() {
        assert_eq!(
            extracted("bash", "art_1_a", "read-grep", "It failed.\nTwice."),
            "ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE art_1_a, STRATEGY:read-grep:\n\nIt failed.\nTwice."
        );
        assert_eq!(
            extraction_failed("bash", "session-s/art_1_a", "search", "gone"),
            "TOOL_OUTPUT FAILED FOR bash WITH HANDLE session-s/art_1_a, STRATEGY:search:\n\ngone"
        );
    }

    #[test]
    fn a_fall_back_says_why_and_what_it_means() {
        assert_eq!(
            fell_back("full-chunked", "no\nroom", "read-grep"),
            "WARNING: full-chunked gave no answer (no room). read-grep answers instead."
        );
        assert_eq!(
            fell_back("read-grep", "the model did not answer in time", "search"),
            "WARNING: read-grep gave no answer (the model did not answer in time). Search answers instead, without a model."
        );
    }

    #[test]
    fn nothing_found_says_what_was_searched_for() {
        assert_eq!(nothing_found("a\nb", ""), "NO RELEVANT DATA FOUND\nSearched for: a b");
        assert_eq!(nothing_found("x", "  A log.\n"), "NO RELEVANT DATA FOUND\nSearched for: x\nA log.");
    }

    #[test]
    fn counts_say_what_was_counted() {
        let counts = [("with \"deleted\"".to_owned(), 45), ("with all of them".to_owned(), 1)];
        assert_eq!(line_counts(&counts, true), "[Counted: 45 lines with \"deleted\"; 1 line with all of them]");
        assert_eq!(line_counts(&counts[1..], false), "[Counted in the parts that were read: 1 line with all of them]");
    }

    #[test]
    fn passages_name_their_place_and_the_next_call() {
        assert_eq!(passage(3, 3, None), "[line 3]");
        assert_eq!(passage(3, 9, None), "[lines 3-9]");
        assert_eq!(passage(1, 1, Some((10, 90))), "[line 1, bytes 10-90]");
        let recall = Recall::default();
        let around = Around { recall: &recall, id: "art_1_a", lines: 500, best: Some((30, 32)) };
        assert_eq!(
            passages(2, &around),
            "[2 passages of 500 lines, best first. More: get_artifact(id=\"art_1_a\", lines=\"1-72\")]"
        );
    }
}
