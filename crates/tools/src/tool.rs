//! The tools by name: what each is for, and which arguments it takes.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};

/// One of the five tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tool {
    /// Shows a file.
    Read,
    /// Runs a command.
    Bash,
    /// Searches the contents of files.
    Grep,
    /// Searches for files by name.
    Find,
    /// Lists a directory.
    Ls,
}

/// An argument of a tool. Schema and checks are both made from these, so that they agree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) required: bool,
    about: &'static str,
}

/// What an argument looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A string.
    Text,
    /// A whole number from 1 on.
    Count,
    /// A whole number from 0 on.
    Number,
    /// A positive number of seconds.
    Seconds,
    /// `true` or `false`.
    Flag,
}

const fn required(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, shape: Shape::Text, required: true, about }
}

const fn optional(name: &'static str, shape: Shape, about: &'static str) -> Parameter {
    Parameter { name, shape, required: false, about }
}

const READ: [Parameter; 3] = [
    required("path", ""),
    optional("offset", Shape::Count, "first line, from 1"),
    optional("limit", Shape::Count, "lines"),
];

const BASH: [Parameter; 2] = [required("command", ""), optional("timeout", Shape::Seconds, "seconds")];

const GREP: [Parameter; 7] = [
    required("pattern", "regex"),
    optional("path", Shape::Text, ""),
    optional("glob", Shape::Text, "*.ts"),
    optional("ignore_case", Shape::Flag, ""),
    optional("literal", Shape::Flag, ""),
    optional("context", Shape::Number, "lines around"),
    optional("limit", Shape::Count, ""),
];

const FIND: [Parameter; 3] =
    [required("pattern", "*.ts, src/**/*.rs"), optional("path", Shape::Text, ""), optional("limit", Shape::Count, "")];

const LS: [Parameter; 2] = [optional("path", Shape::Text, ""), optional("limit", Shape::Count, "")];

impl Tool {
    /// Every tool, in the order of the documentation.
    pub const ALL: [Tool; 5] = [Tool::Read, Tool::Bash, Tool::Grep, Tool::Find, Tool::Ls];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Read => "read",
            Tool::Bash => "bash",
            Tool::Grep => "grep",
            Tool::Find => "find",
            Tool::Ls => "ls",
        }
    }

    /// What it is for, in a sentence for the model.
    pub fn description(self) -> &'static str {
        match self {
            Tool::Read => "Read a text file or image.",
            Tool::Bash => "Run a shell command.",
            Tool::Grep => "Search file contents. Respects .gitignore.",
            Tool::Find => "Find files by glob. Respects .gitignore.",
            Tool::Ls => "List a directory.",
        }
    }

    /// The JSON Schema of its arguments. It is small on purpose: what it does not say (unknown keys, numbers below 1) is
    /// refused by name when the tool is called.
    pub fn input_schema(self) -> Value {
        let mut properties = Map::new();
        for parameter in self.parameters() {
            let mut schema = Map::new();
            schema.insert("type".to_owned(), json!(parameter.shape.json_type()));
            if !parameter.about.is_empty() {
                schema.insert("description".to_owned(), json!(parameter.about));
            }
            properties.insert(parameter.name.to_owned(), Value::Object(schema));
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(properties));
        let required: Vec<&str> = self.parameters().iter().filter(|one| one.required).map(|one| one.name).collect();
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        Value::Object(schema)
    }

    /// Whether it changes nothing.
    pub fn reads_only(self) -> bool {
        match self {
            Tool::Read | Tool::Grep | Tool::Find | Tool::Ls => true,
            Tool::Bash => false,
        }
    }

    /// The arguments that it takes, in the order of the documentation.
    pub(crate) fn parameters(self) -> &'static [Parameter] {
        match self {
            Tool::Read => &READ,
            Tool::Bash => &BASH,
            Tool::Grep => &GREP,
            Tool::Find => &FIND,
            Tool::Ls => &LS,
        }
    }
}

impl Shape {
    fn json_type(self) -> &'static str {
        match self {
            Shape::Text => "string",
            Shape::Count | Shape::Number => "integer",
            Shape::Seconds => "number",
            Shape::Flag => "boolean",
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A tool that nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown tool `{0}`: expected one of {names}", names = Tool::ALL.map(Tool::name).join(", "))]
pub struct UnknownTool(pub String);

impl FromStr for Tool {
    type Err = UnknownTool;

    fn from_str(name: &str) -> Result<Tool, UnknownTool> {
        Tool::ALL.into_iter().find(|tool| tool.name() == name).ok_or_else(|| UnknownTool(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_five_definitions_cost_little_context() {
        let definition = |tool: Tool| json!({"name": tool.name(), "description": tool.description(), "inputSchema": tool.input_schema()});
        let size = serde_json::to_string(&Tool::ALL.map(definition)).unwrap().len();
        assert!(size <= 1300, "{size} bytes");
    }

    #[test]
    fn a_schema_says_what_is_taken() {
        assert_eq!(
            Tool::Read.input_schema(),
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "offset": {"type": "integer", "description": "first line, from 1"},
                    "limit": {"type": "integer", "description": "lines"}
                },
                "required": ["path"]
            })
        );
        assert_eq!(Tool::Ls.input_schema().get("required"), None);
    }

    #[test]
    fn a_tool_is_found_by_its_name() {
        for tool in Tool::ALL {
            assert_eq!(tool.name().parse(), Ok(tool));
        }
        let error = "cat".parse::<Tool>().unwrap_err();
        assert_eq!(error.to_string(), "unknown tool `cat`: expected one of read, bash, grep, find, ls");
    }
}
