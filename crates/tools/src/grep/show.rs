//! Matches on their way out: `path:12: text`, lines around them `path-11- text`, and what is to be said about them.

use std::io::Write as _;
use std::time::Instant;

use offcut::Call;
use offcut_core::{notice, text};
use serde_json::{Map, Value, json};

use super::found::MatchesByFile;
use super::search::{HitLine, Hits};
use super::{Bounds, HELD};
use crate::Toolbox;
use crate::error::ToolError;
use crate::order::key_path;
use crate::page::{EndedBy, PageLimits, Paged, truncation};
use crate::place::printable;
use crate::reply::{Content, ToolReply};
use crate::text::Wash;
use crate::tool::Tool;
use crate::toolbox::{room_of, with_notices};

/// Everything that was found, and how it is to be shown.
pub(super) struct Showing {
    pub(super) call: Call,
    pub(super) bounds: Bounds,
    pub(super) found: MatchesByFile,
    /// What stands before every path.
    pub(super) prefix: String,
    /// What is said about files that could not be read.
    pub(super) unreadable: Option<String>,
    pub(super) started: Instant,
}

/// A line of the answer.
enum AnswerLine<'a> {
    /// Between lines that do not follow one another.
    Break,
    Line(&'a str, &'a HitLine),
    Binary(&'a str),
}

impl Toolbox {
    pub(super) fn show(&self, showing: Showing) -> Result<ToolReply, ToolError> {
        let Showing { call, bounds, found, prefix, unreadable, started } = showing;
        let (over, short) = (found.is_over(), found.is_short());
        let shown = found.shown();
        let files: Vec<(String, Hits)> =
            shown.into_iter().map(|(key, hits)| (prefix.clone() + &printable(&key_path(key)), hits)).collect();
        let mut details = Map::new();
        if over {
            details.insert("matchLimitReached".to_owned(), json!(bounds.matches));
        }
        if files.is_empty() {
            let mut content = vec!["No matches found".to_owned()];
            content.extend(unreadable);
            let content = vec![Content::Text(content.join("\n\n"))];
            return Ok(ToolReply { content, details: Value::Object(details), is_error: false, report: None });
        }
        let matches = Matches { files, bounds, over, short, unreadable, details };
        if self.pages() { self.match_page(matches, started) } else { self.match_output(call, matches) }
    }

    /// All of them, through the library.
    fn match_output(&self, call: Call, mut matches: Matches) -> Result<ToolReply, ToolError> {
        let mut intake = self.offcut().intake(call)?;
        let mut lines_truncated = false;
        let mut first = true;
        matches.each_row(|row| {
            let mut line = if first { Vec::new() } else { b"\n".to_vec() };
            first = false;
            match row {
                AnswerLine::Line(path, hit) => {
                    line.extend_from_slice(place(path, hit).as_bytes());
                    if hit.bytes.len() as u64 > matches.bounds.chars {
                        // Secrets go before the line is cut, lest half of one is left that nobody recognises.
                        let mut wash = Wash::new(self.offcut(), Tool::Grep);
                        wash.line(&hit.bytes, "");
                        let (text, cut) = shortened(&wash.finish().0, hit, matches.bounds.chars);
                        lines_truncated |= cut;
                        line.extend_from_slice(text.as_bytes());
                    } else {
                        line.extend_from_slice(&hit.bytes);
                    }
                }
                AnswerLine::Break => line.extend_from_slice(b"--"),
                AnswerLine::Binary(path) => line.extend_from_slice(notice::binary_matches(path).as_bytes()),
            }
            // What is over the maximum size is left, and the reply says so.
            intake.write_all(&line).is_ok()
        });
        let mut notices = Vec::new();
        if matches.over {
            notices.push(notice::match_limit(matches.bounds.matches));
        } else if matches.short {
            let count = matches.count();
            notices.push(notice::match_byte_limit(HELD as u64, count, count, true));
        }
        matches.tell_truncated(lines_truncated, &mut notices);
        let (chars, lines) = room_of(&notices);
        intake.leave_room(chars, lines);
        Ok(with_notices(intake.finish(), &notices, matches.details))
    }

    /// As many of them as fit a page.
    fn match_page(&self, mut matches: Matches, started: Instant) -> Result<ToolReply, ToolError> {
        // Matches have a limit of their own in place of the one of lines.
        let limits = PageLimits { lines: u64::MAX, ..PageLimits::of(&self.plan(Tool::Grep)?) };
        let (mut total, mut taken) = (0, 0);
        let mut rows = Vec::new();
        let mut wash = Wash::new(self.offcut(), Tool::Grep);
        matches.each_row(|row| {
            total += 1;
            // A little more than fits is enough to know what does.
            if taken <= limits.bytes.saturating_mul(2) {
                if let AnswerLine::Line(_, hit) = &row {
                    taken += (hit.bytes.len() as u64).min(matches.bounds.chars);
                    wash.line(&hit.bytes, "\n");
                }
                rows.push(row);
            }
            true
        });
        let (washed, redactions) = wash.finish();
        let mut washed = washed.split('\n');
        let mut lines: Vec<(String, bool, bool)> = Vec::new();
        for row in &rows {
            lines.push(match row {
                AnswerLine::Break => ("--\n".to_owned(), false, false),
                AnswerLine::Binary(path) => (notice::binary_matches(path) + "\n", true, false),
                AnswerLine::Line(path, hit) => {
                    let (text, cut) = shortened(washed.next().unwrap_or_default(), hit, matches.bounds.chars);
                    (format!("{}{text}\n", place(path, hit)), hit.is_match, cut)
                }
            });
        }
        let fit = limits.fit(lines.iter().map(|(line, _, _)| line.as_str()));
        lines.truncate(usize::try_from(fit).unwrap_or(usize::MAX));
        let shown = lines.iter().filter(|(_, is_match, _)| *is_match).count() as u64;
        let mut notices = Vec::new();
        if fit < total {
            let (count, more) = (matches.count(), matches.over || matches.short);
            notices.push(notice::match_byte_limit(limits.bytes, shown, count, more));
            matches.details.insert("truncation".to_owned(), truncation(EndedBy::Bytes, fit, total, false));
        } else if matches.over {
            notices.push(notice::match_limit(matches.bounds.matches));
        }
        let lines_truncated = lines.iter().any(|(_, _, cut)| *cut);
        matches.tell_truncated(lines_truncated, &mut notices);
        let text: String = lines.iter().map(|(line, _, _)| line.as_str()).collect();
        Ok(self.paged(Paged {
            tool: Tool::Grep,
            bytes: text.len() as u64,
            text: text.trim_end_matches('\n').to_owned(),
            notices,
            details: matches.details,
            first: 1,
            lines: fit,
            total,
            redactions,
            started,
        }))
    }
}

/// The matches that are shown, by file.
struct Matches {
    files: Vec<(String, Hits)>,
    bounds: Bounds,
    over: bool,
    short: bool,
    unreadable: Option<String>,
    details: Map<String, Value>,
}

impl Matches {
    fn count(&self) -> u64 {
        self.files.iter().map(|(_, hits)| hits.matches).sum()
    }

    /// Hands every row to `take`, in order, while that wants more.
    fn each_row<'a>(&'a self, mut take: impl FnMut(AnswerLine<'a>) -> bool) {
        let mut last = None;
        for (path, hits) in &self.files {
            if hits.binary && !take(AnswerLine::Binary(path)) {
                return;
            }
            for hit in &hits.lines {
                let follows = last.is_none_or(|(file, number)| file == path && number + 1 == hit.number);
                if self.bounds.context > 0 && !follows && !take(AnswerLine::Break) {
                    return;
                }
                last = Some((path, hit.number));
                if !take(AnswerLine::Line(path, hit)) {
                    return;
                }
            }
        }
    }

    /// Says what is to be said apart from limits.
    fn tell_truncated(&mut self, lines_truncated: bool, notices: &mut Vec<String>) {
        if lines_truncated {
            notices.push(notice::lines_truncated(self.bounds.chars));
            self.details.insert("linesTruncated".to_owned(), json!(true));
        }
        notices.extend(self.unreadable.take());
    }
}

/// Where a line stands.
fn place(path: &str, hit: &HitLine) -> String {
    let mark = if hit.is_match { ':' } else { '-' };
    format!("{path}{mark}{}{mark} ", hit.number)
}

/// A line within so many characters, and whether it had more.
fn shortened(line: &str, hit: &HitLine, chars: u64) -> (String, bool) {
    if text::chars(line) <= chars && !hit.longer {
        return (line.to_owned(), false);
    }
    (text::first_chars(line, chars).to_owned() + notice::LINE_TRUNCATED, true)
}
