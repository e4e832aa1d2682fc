//! The lines that tell a model what Offcut's notices mean, between two marks in a file of the user's.

/// The line before ours.
const BEGIN: &str = "<!-- offcut: begin (`offcut init` wrote this; `offcut init --undo` removes it) -->";

/// How a line before ours begins, whatever else an older version said in it.
const BEGIN_MARK: &str = "<!-- offcut: begin";

/// The line behind ours.
const END: &str = "<!-- offcut: end -->";

/// What the model is told.
const LINES: &str = "\
Outputs of commands and tools may come shortened by Offcut: a notice then says what is missing and names a handle. Nothing is lost.
To read a missing part, run the command in the notice (`offcut show HANDLE 200-260`, `offcut grep HANDLE PATTERN`) or call the MCP tool `get_artifact`; do not run the original command again for it.
Commands need no `| head` or `| tail` to keep their output short.";

/// The text with our lines at its end, or in the place of older ones.
pub(super) fn set(text: &str) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = [BEGIN, LINES, END].join("\n").replace('\n', newline);
    if let Some((before, _, after)) = parts(text) {
        return format!("{before}{block}{after}");
    }
    match text {
        "" => format!("{block}{newline}"),
        text if text.ends_with('\n') => format!("{text}{newline}{block}{newline}"),
        text => format!("{text}{newline}{newline}{block}"),
    }
}

/// The text without our lines: the inverse of [`set`].
pub(super) fn unset(text: &str) -> String {
    let Some((before, _, after)) = parts(text) else { return text.to_owned() };
    let cut = |text: &str| {
        let shorter = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'));
        shorter.map(str::to_owned)
    };
    let rest = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n'));
    match (rest, cut(before)) {
        // One blank line was added before.
        (Some(rest), before_blank) => format!("{}{rest}", before_blank.unwrap_or_default()),
        // The text had no line end, and got two.
        (None, Some(once)) => format!("{}{after}", cut(&once).unwrap_or(once)),
        (None, None) => format!("{before}{after}"),
    }
}

/// What stands before our block, the block, and what stands behind it.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find(BEGIN_MARK)?;
    let (before, rest) = text.split_at_checked(start)?;
    let end = rest.find(END)? + END.len();
    let (block, after) = rest.split_at_checked(end)?;
    Some((before, block, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_and_go_without_a_trace() {
        for text in ["", "\n", "# Mine\n", "# Mine", "# Mine\n\n\n", "# Mine\r\n\r\nx\r\n", "a\nb"] {
            let once = set(text);
            assert!(once.contains(BEGIN) && once.contains(END) && set(&once) == once, "{once:?}");
            assert_eq!(unset(&once), text, "by way of {once:?}");
            assert_eq!(unset(text), text);
        }
    }

    #[test]
    fn what_was_written_around_them_stays() {
        let once = set("# Mine\n");
        let edited = format!("first\n{once}last\n");
        assert_eq!(unset(&edited), "first\n# Mine\nlast\n");
        let older = once.replace("Nothing is lost.", "Old words.");
        assert_eq!(set(&older), once);
    }
}
