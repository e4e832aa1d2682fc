//! What is asked for: as a tool's arguments, and as a selector.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::RecallError;

/// How many matches a request shows where it does not say.
pub const DEFAULT_MATCHES: u64 = 100;

/// The most lines of context around a match.
pub const MOST_CONTEXT: u64 = 100;

/// Reads a stored output back: whole (in pages), or by one of lines, bytes, query, pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The artifact's id as a notice gives it (`9kgw`), or `last`.
    #[serde(alias = "handle")]
    pub id: String,
    /// Lines as a gap prints them: `1422-1832`; `b39-4983` are bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// First line, from 1.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u64>,
    /// Last line, inclusive.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u64>,
    /// First byte, from 0.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub start_byte: Option<u64>,
    /// The byte behind the last one.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub end_byte: Option<u64>,
    /// A JSONPath (RFC 9535), for JSON and NDJSON (whose records are the members of `$`); tools also take a small `SELECT`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// A regular expression; lines that match, within `start_line` and `end_line` where given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Lines shown before and after a match (0).
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Most matches shown (100).
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub max_matches: Option<u64>,
    /// Nodes of the query's result to pass over.
    #[serde(default, deserialize_with = "count", skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

/// Which part of an artifact is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// All of it.
    Whole,
    /// Lines, 1-based and inclusive; an open end reaches to the first or last line.
    Lines {
        /// The first line.
        start: Option<u64>,
        /// The last line; one behind the end of the artifact means its last.
        end: Option<u64>,
    },
    /// Bytes, 0-based, the end exclusive. A place inside a character means that character's start, and a range that
    /// lies inside one character is that character.
    Bytes {
        /// The first byte.
        start: Option<u64>,
        /// The byte behind the last; one behind the end of the artifact means its end.
        end: Option<u64>,
    },
    /// The last lines.
    Tail(u64),
    /// What a JSONPath selects, as a JSON array with one node a line.
    Query {
        /// The JSONPath.
        path: String,
        /// How many nodes are passed over.
        offset: u64,
    },
    /// The lines that a regular expression matches.
    Pattern {
        /// The regular expression.
        pattern: String,
        /// How many lines are shown before and after a match, at most [`MOST_CONTEXT`].
        context: u64,
        /// How many matches are shown; all without it. All are counted.
        max_matches: Option<u64>,
        /// The first line that is searched.
        start: Option<u64>,
        /// The last line that is searched.
        end: Option<u64>,
    },
}

impl Request {
    /// A request for the whole.
    pub fn whole(id: impl Into<String>) -> Request {
        Request { id: id.into(), ..Request::default() }
    }

    /// A request from a tool's arguments. Numbers may come as whole floats or as digits in a string.
    pub fn from_json(arguments: serde_json::Value) -> Result<Request, RecallError> {
        serde_json::from_value(arguments).map_err(|error| RecallError::BadRequest { why: error.to_string() })
    }

    /// The one selector of the request. Empty strings count as absent: many clients fill in every key.
    pub fn selector(&self) -> Result<Selector, RecallError> {
        let query = self.query.as_deref().filter(|query| !query.is_empty());
        let pattern = self.pattern.as_deref().filter(|pattern| !pattern.is_empty());
        let lines = self.lines.as_deref().map(str::trim).filter(|lines| !lines.is_empty());
        if let Some(lines) = lines {
            let others = [
                ("start_line", self.start_line),
                ("end_line", self.end_line),
                ("start_byte", self.start_byte),
                ("end_byte", self.end_byte),
            ];
            if let Some(second) = first_of(&others).or(query.map(|_| "query")) {
                return Err(RecallError::TwoSelectors { first: "lines", second });
            }
            return match (Selector::at(lines)?, pattern) {
                (part, None) => Ok(part),
                (Selector::Lines { start, end }, Some(_)) => {
                    Request { lines: None, start_line: start, end_line: end, ..self.clone() }.selector()
                }
                (_, Some(_)) => Err(RecallError::TwoSelectors { first: "lines", second: "pattern" }),
            };
        }
        let line = first_of(&[("start_line", self.start_line), ("end_line", self.end_line)]);
        let byte = first_of(&[("start_byte", self.start_byte), ("end_byte", self.end_byte)]);
        let two = |first, second| Err(RecallError::TwoSelectors { first, second });
        match (query, pattern, line, byte) {
            (Some(_), Some(_), _, _) => two("query", "pattern"),
            (Some(_), None, Some(line), _) => two("query", line),
            (Some(_), None, None, Some(byte)) => two("query", byte),
            (None, Some(_), _, Some(byte)) => two("pattern", byte),
            (None, None, Some(line), Some(byte)) => two(line, byte),
            (Some(path), None, None, None) => {
                Ok(Selector::Query { path: path.to_owned(), offset: self.offset.unwrap_or(0) })
            }
            (None, Some(pattern), _, None) => Ok(Selector::Pattern {
                pattern: pattern.to_owned(),
                context: self.context.unwrap_or(0),
                max_matches: Some(self.max_matches.unwrap_or(DEFAULT_MATCHES)),
                start: self.start_line,
                end: self.end_line,
            }),
            (None, None, Some(_), None) => Ok(Selector::Lines { start: self.start_line, end: self.end_line }),
            (None, None, None, Some(_)) => Ok(Selector::Bytes { start: self.start_byte, end: self.end_byte }),
            (None, None, None, None) => Ok(Selector::Whole),
        }
    }
}

impl Selector {
    /// The part at an address as a gap prints it: lines `1422-1832`, `1422-` or `1422`, bytes `b39-4983`. A gap may be
    /// given as a whole: `[9kgw 1422-1832]`.
    pub fn at(address: &str) -> Result<Selector, RecallError> {
        let bad = || RecallError::BadRange {
            why: format!(
                "`{}` is not a range: expected lines such as `1422-1832`, or bytes such as `b39-4983`",
                address.chars().take(40).flat_map(char::escape_debug).collect::<String>()
            ),
        };
        let inside = address.trim().trim_start_matches('[').trim_end_matches(']');
        let span = inside.rsplit(' ').next().unwrap_or_default();
        let (span, in_bytes) = span.strip_prefix('b').map_or((span, false), |span| (span, true));
        let number = |digits: &str| digits.parse::<u64>().map_err(|_| bad());
        let (start, end) = match span.split_once(['-', ':']) {
            None if in_bytes => return Err(bad()),
            None => (number(span)?, Some(number(span)?)),
            Some((start, "")) => (number(start)?, None),
            Some((start, end)) => (number(start)?, Some(number(end)?)),
        };
        let start = Some(start);
        Ok(if in_bytes { Selector::Bytes { start, end } } else { Selector::Lines { start, end } })
    }
}

fn first_of(named: &[(&'static str, Option<u64>)]) -> Option<&'static str> {
    named.iter().find(|(_, value)| value.is_some()).map(|(name, _)| *name)
}

/// The selector as events name it: without content.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = |end: Option<u64>| end.map_or(String::new(), |end| end.to_string());
        match self {
            Selector::Whole => f.write_str("whole"),
            Selector::Lines { start, end } => write!(f, "lines {}-{}", start.unwrap_or(1), open(*end)),
            Selector::Bytes { start, end } => write!(f, "bytes {}-{}", start.unwrap_or(0), open(*end)),
            Selector::Tail(lines) => write!(f, "tail {lines}"),
            Selector::Query { .. } => f.write_str("query"),
            Selector::Pattern { .. } => f.write_str("pattern"),
        }
    }
}

/// A whole number, however a client writes it.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u64),
        Float(f64),
        Text(String),
    }
    let refuse =
        |written: String| Err(serde::de::Error::custom(format!("`{written}` is not a whole number of 0 or more")));
    match Option::<Written>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Written::Number(number)) => Ok(Some(number)),
        Some(Written::Float(float)) if float.fract() == 0.0 && (0.0..9e15).contains(&float) => Ok(Some(float as u64)),
        Some(Written::Float(float)) => refuse(float.to_string()),
        Some(Written::Text(text)) if text.trim().is_empty() => Ok(None),
        Some(Written::Text(text)) => match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => refuse(text.chars().take(40).flat_map(char::escape_debug).collect()),
        },
    }
}
