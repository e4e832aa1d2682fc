//! Read and Grep, confined to one document.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use offcut_core::{notice, text};
use regex::RegexBuilder;
use serde_json::{Value, json};

use crate::error::ExtractError;
use crate::model::{ToolCall, ToolDefinition, ToolResult};
use crate::prompts::Subject;
use crate::view::{View, ViewLine};

/// Lines that Read returns where it is not told how many, and at most.
const LINES: u64 = 200;
const MOST_LINES: u64 = 2000;

/// Matches that Grep shows.
const MOST_MATCHES: u64 = 100;

/// The most lines of context around a match.
const MOST_CONTEXT: u64 = 20;

/// The characters of a line that are shown.
const WIDTH: u64 = 500;

/// The longest regular expression that is taken, in bytes.
const LONGEST_PATTERN: usize = 4096;

/// The memory that a compiled regular expression may take.
const COMPILED: usize = 4 * 1024 * 1024;

/// The two tools, as the model is told of them.
pub(super) fn definitions() -> Vec<ToolDefinition> {
    let define = |name: &str, description: &str, schema: Value| ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        schema,
    };
    vec![
        define(
            "Read",
            "Returns lines of the document, each with its number.",
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "offset": {"type": "integer", "minimum": 1, "description": "First line (1)"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_LINES, "description": "How many lines (200)"}
                }
            }),
        ),
        define(
            "Grep",
            "Returns the lines of the document that match a regular expression, each with its number.",
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["pattern"],
                "properties": {
                    "pattern": {"type": "string", "minLength": 1, "description": "Regular expression; (?i) ignores case"},
                    "context": {"type": "integer", "minimum": 0, "maximum": MOST_CONTEXT, "description": "Lines around each match (0)"}
                }
            }),
        ),
    ]
}

/// Carries out the calls of a model.
pub(super) struct Tools<'a> {
    pub(super) view: &'a View<'a>,
    /// The artifact's id, and the handle that it was asked for by: the only names that a call may give.
    pub(super) id: &'a str,
    pub(super) handle: &'a str,
}

impl Tools<'_> {
    /// Carries out a call; at most `chars` characters come back. What is wrong with a call is its result.
    pub(super) fn call(&self, call: &ToolCall, chars: u64, subject: &Subject<'_>) -> Result<ToolResult, ExtractError> {
        let chars = chars.max(400);
        let done = match self.refused(call) {
            Some(why) => Err(why),
            None if call.name == "Read" => self.read(&call.arguments, chars)?,
            None if call.name == "Grep" => self.grep(&call.arguments, chars)?,
            None => Err(format!("There is no tool `{}`: only Read and Grep.", notice::one_line(&call.name, 40))),
        };
        let (text, failed) = match done {
            Ok((lines, under)) => (format!("{}\n{under}", subject.document(lines.trim_end())), false),
            Err(why) => (why, true),
        };
        Ok(ToolResult { id: call.id.clone(), text, failed })
    }

    /// Why a call is not carried out: it names another document.
    fn refused(&self, call: &ToolCall) -> Option<String> {
        let names = ["path", "file", "filename", "file_path", "handle"].into_iter();
        let named = names.filter_map(|key| call.arguments.get(key)).find_map(Value::as_str)?;
        let ours = named == self.id || named == self.handle;
        (!ours).then(|| "There is no other document: Read and Grep need no path.".to_owned())
    }

    /// The lines that were asked for, and what stands under them; or why there are none.
    fn read(&self, arguments: &Value, chars: u64) -> Result<Result<(String, String), String>, ExtractError> {
        let first = number(arguments, "offset").unwrap_or(1).max(1);
        let most = number(arguments, "limit").unwrap_or(LINES).clamp(1, MOST_LINES);
        let mut shown = NumberedLines { chars, ..NumberedLines::default() };
        let (mut last, mut more) = (0, false);
        self.view.rows(first, &mut |row| {
            if !row.first {
                shown.more_of_line();
                return ControlFlow::Continue(());
            }
            if row.line >= first + most || !shown.add(row.line, ':', &excerpt(row.text, None)) {
                more = true;
                return ControlFlow::Break(());
            }
            last = row.line;
            ControlFlow::Continue(())
        })?;
        let total = self.view.lines().map_or(String::new(), |lines| format!(" of {lines}"));
        Ok(match last {
            0 => Err(format!("There is no line {first}: the document ends before it{}.", end(self.view.lines()))),
            last if more => {
                Ok((shown.lines, format!("[Lines {first}-{last}{total}. Read(offset={}) continues.]", last + 1)))
            }
            last => Ok((shown.lines, format!("[Lines {first}-{last}{total}, to the end.]"))),
        })
    }

    /// The lines that match, and what stands under them; or why there are none.
    fn grep(&self, arguments: &Value, chars: u64) -> Result<Result<(String, String), String>, ExtractError> {
        let Some(pattern) = arguments.get("pattern").and_then(Value::as_str).filter(|pattern| !pattern.is_empty())
        else {
            return Ok(Err("Grep needs a `pattern`: a regular expression.".to_owned()));
        };
        if pattern.len() > LONGEST_PATTERN {
            return Ok(Err(format!("The pattern has {} bytes, at most {LONGEST_PATTERN} are taken.", pattern.len())));
        }
        let context = number(arguments, "context").unwrap_or(0).min(MOST_CONTEXT);
        let regex = match RegexBuilder::new(pattern).size_limit(COMPILED).dfa_size_limit(COMPILED).build() {
            Ok(regex) => regex,
            Err(_) => {
                let literal = regex::escape(pattern);
                return Ok(Err(format!("The pattern is no regular expression. As a literal it is `{literal}`.")));
            }
        };
        let mut shown = NumberedLines { chars, ..NumberedLines::default() };
        let mut before: VecDeque<(u64, String)> = VecDeque::new();
        let (mut total, mut listed, mut after, mut matched) = (0u64, 0u64, 0u64, 0u64);
        let mut full = false;
        self.view.rows(1, &mut |row: ViewLine<'_>| {
            let hit = regex.find(row.text);
            if hit.is_some() && matched != row.line {
                matched = row.line;
                total += 1;
                full = full || total > MOST_MATCHES;
                if !full {
                    for (line, words) in before.drain(..) {
                        full = full || !shown.add(line, '-', &words);
                    }
                    full = full || !shown.add(row.line, ':', &excerpt(row.text, hit.map(|hit| hit.start())));
                    listed += u64::from(!full);
                    after = context;
                }
            } else if row.first && !full && context > 0 {
                let words = excerpt(row.text, None);
                if after > 0 {
                    after -= 1;
                    full = !shown.add(row.line, '-', &words);
                } else {
                    before.push_back((row.line, words));
                    if before.len() as u64 > context {
                        before.pop_front();
                    }
                }
            }
            ControlFlow::Continue(())
        })?;
        let under = match total {
            0 => "[No line matches.]".to_owned(),
            _ if listed == total => format!("[{total} matching lines.]"),
            _ => format!("[The first {listed} of {total} matching lines. A narrower pattern shows the others.]"),
        };
        Ok(Ok((shown.lines, under)))
    }
}

fn end(lines: Option<u64>) -> String {
    lines.map_or(String::new(), |lines| format!(", with line {lines}"))
}

/// A whole number among a call's arguments, however the model writes it.
fn number(arguments: &Value, key: &str) -> Option<u64> {
    let value = arguments.get(key)?;
    value
        .as_u64()
        .or_else(|| value.as_f64().filter(|float| (0.0..9e15).contains(float)).map(|float| float as u64))
        .or_else(|| value.as_str().and_then(|digits| digits.trim().parse().ok()))
}

/// Numbered lines, as long as there is room.
#[derive(Debug, Default)]
struct NumberedLines {
    lines: String,
    chars: u64,
    taken: u64,
}

impl NumberedLines {
    fn add(&mut self, number: u64, sign: char, words: &str) -> bool {
        let line = format!("{number}{sign} {words}\n");
        let cost = text::chars(&line);
        if self.taken + cost > self.chars && self.taken > 0 {
            return false;
        }
        self.taken += cost;
        self.lines.push_str(&line);
        true
    }

    /// A line goes on behind what is shown of it.
    fn more_of_line(&mut self) {
        if !self.lines.ends_with("[more] ...\n") {
            self.lines.truncate(self.lines.trim_end_matches('\n').len());
            self.lines.push_str(" ... [more] ...\n");
        }
    }
}

/// What is shown of a line: all of it, or the part around a match.
fn excerpt(line: &str, at: Option<usize>) -> String {
    let chars = text::chars(line);
    if chars <= WIDTH {
        return line.to_owned();
    }
    let lead = text::slice(line, 0..at.unwrap_or(0));
    let start = text::suffix(lead, WIDTH / 4);
    let words = text::first_chars(text::slice(line, start..line.len()), WIDTH);
    let before = text::chars(text::slice(line, 0..start));
    let behind = chars - before - text::chars(words);
    let mark = |chars: u64| if chars > 0 { notice::inline_marker(chars) } else { String::new() };
    format!("{}{words}{}", mark(before).trim_start(), mark(behind).trim_end())
}
