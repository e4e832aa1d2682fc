//! What is asked of an artifact: as a tool's arguments, and as its definition.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The name of the tool, as models know it.
pub const TOOL_NAME: &str = "tool_output";

const DESCRIPTION: &str = "Answers a question about a stored tool output, or all of them: handle=all.";

/// How an answer is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The document's size and shape decide; without a model it is [`Mode::Search`].
    #[default]
    Auto,
    /// A model reads all of it, chunk by chunk, and puts together what it found.
    FullChunked,
    /// A model looks around in it with Read and Grep.
    ReadGrep,
    /// Its beginning and its end, with nothing looked for.
    Truncate,
    /// The passages that fit the words best; needs no model.
    Search,
}

impl Mode {
    /// Every mode, in the order in which they are told.
    pub const ALL: [Mode; 5] = [Mode::Auto, Mode::FullChunked, Mode::ReadGrep, Mode::Truncate, Mode::Search];

    /// The name, as arguments and results write it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Auto => "auto",
            Mode::FullChunked => "full-chunked",
            Mode::ReadGrep => "read-grep",
            Mode::Truncate => "truncate",
            Mode::Search => "search",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Mode {
    type Err = BadQuestion;

    fn from_str(name: &str) -> Result<Mode, BadQuestion> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
            let shown: String = name.chars().take(40).flat_map(char::escape_debug).collect();
            BadQuestion { why: format!("`mode` is `{shown}`: expected one of {}", names()) }
        })
    }
}

fn names() -> String {
    Mode::ALL.map(Mode::name).join(", ")
}

/// A question to an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Question {
    /// The artifact: its id, `session-<session>/<id>`, or `all` for every artifact of the session.
    pub handle: String,
    /// What to look for.
    pub extract: String,
    /// How to look for it.
    pub mode: Mode,
}

/// Arguments that are no question: what is wrong, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct BadQuestion {
    /// The sentence.
    pub why: String,
}

impl Question {
    /// A question in the mode `auto`.
    pub fn new(handle: impl Into<String>, extract: impl Into<String>) -> Question {
        Question { handle: handle.into(), extract: extract.into(), mode: Mode::Auto }
    }

    /// The same question in another mode.
    #[must_use]
    pub fn mode(self, mode: Mode) -> Question {
        Question { mode, ..self }
    }

    /// A question from a tool's arguments. Other keys than its three are refused, and so are empty texts.
    pub fn from_json(arguments: &Value) -> Result<Question, BadQuestion> {
        let refuse = |why: String| Err(BadQuestion { why });
        let Some(object) = arguments.as_object() else {
            return refuse("the arguments are no object: expected `handle` and `extract`".to_owned());
        };
        if let Some(key) = object.keys().find(|key| !matches!(key.as_str(), "handle" | "extract" | "mode")) {
            let shown: String = key.chars().take(40).flat_map(char::escape_debug).collect();
            return refuse(format!("unknown key `{shown}`: expected `handle`, `extract` and, if wanted, `mode`"));
        }
        let text = |key: &str| match object.get(key) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
            Some(Value::String(_)) => Err(BadQuestion { why: format!("`{key}` is empty: expected text") }),
            Some(_) => Err(BadQuestion { why: format!("`{key}` is not text") }),
            None => Err(BadQuestion { why: format!("`{key}` is missing: expected `handle` and `extract`") }),
        };
        let mode = match object.get("mode") {
            // Many clients fill in every key.
            None | Some(Value::Null) => Mode::Auto,
            Some(Value::String(name)) if name.is_empty() => Mode::Auto,
            Some(Value::String(name)) => name.parse()?,
            Some(_) => return refuse(format!("`mode` is not text: expected one of {}", names())),
        };
        Ok(Question { handle: text("handle")?, extract: text("extract")?, mode })
    }
}

/// The tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// The JSON Schema of its arguments, as short as it can be: a model pays for it in every turn.
    pub schema: Value,
}

/// The definition of `tool_output`, for the interfaces that offer it. It is offered only while the session has artifacts, and
/// not in a final turn.
pub fn definition() -> Definition {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["handle", "extract"],
        "properties": {
            "handle": {"type": "string", "minLength": 1},
            "extract": {"type": "string", "minLength": 1, "description": "What to look for, in detail"},
            "mode": {"enum": Mode::ALL.map(Mode::name)}
        }
    });
    Definition { name: TOOL_NAME, description: DESCRIPTION, schema }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_short() {
        let Definition { name, description, schema } = definition();
        let bytes = name.len() + description.len() + schema.to_string().len();
        assert!(bytes <= 400, "{bytes} bytes");
        assert_eq!(
            schema.to_string(),
            r#"{"type":"object","additionalProperties":false,"required":["handle","extract"],"properties":{"handle":{"type":"string","minLength":1},"extract":{"type":"string","minLength":1,"description":"What to look for, in detail"},"mode":{"enum":["auto","full-chunked","read-grep","truncate","search"]}}}"#
        );
    }

    #[test]
    fn a_question_is_read_from_arguments_and_what_is_none_is_refused_with_what_would_be_right() {
        let read = |arguments: Value| Question::from_json(&arguments);
        assert_eq!(
            read(json!({"handle": "art_1_a", "extract": "the error"})),
            Ok(Question::new("art_1_a", "the error"))
        );
        assert_eq!(
            read(json!({"handle": "art_1_a", "extract": "x", "mode": "read-grep"})),
            Ok(Question::new("art_1_a", "x").mode(Mode::ReadGrep))
        );
        assert_eq!(read(json!({"handle": "h", "extract": "x", "mode": null})).unwrap().mode, Mode::Auto);
        let why = |arguments: Value| read(arguments).unwrap_err().why;
        assert_eq!(why(json!({"extract": "x"})), "`handle` is missing: expected `handle` and `extract`");
        assert_eq!(why(json!({"handle": "h"})), "`extract` is missing: expected `handle` and `extract`");
        assert_eq!(why(json!({"handle": "", "extract": "x"})), "`handle` is empty: expected text");
        assert_eq!(why(json!({"handle": "h", "extract": ""})), "`extract` is empty: expected text");
        assert_eq!(why(json!({"handle": 1, "extract": "x"})), "`handle` is not text");
        assert_eq!(
            why(json!({"handle": "h", "extract": "x", "lines": 3})),
            "unknown key `lines`: expected `handle`, `extract` and, if wanted, `mode`"
        );
        assert_eq!(
            why(json!({"handle": "h", "extract": "x", "mode": "keep-top"})),
            "`mode` is `keep-top`: expected one of auto, full-chunked, read-grep, truncate, search"
        );
        assert_eq!(why(json!([])), "the arguments are no object: expected `handle` and `extract`");
    }

    #[test]
    fn every_mode_is_read_by_its_name() {
        for mode in Mode::ALL {
            assert_eq!(mode.name().parse(), Ok(mode));
            assert_eq!(serde_json::to_value(mode).unwrap(), mode.name());
        }
    }
}
