//! Arguments as a model sends them: checked against what the tool takes, and named where they are wrong.

use std::time::Duration;

use offcut_core::notice::one_line;
use serde_json::{Map, Value};

use crate::error::ToolError;
use crate::tool::{Parameter, Shape, Tool};

/// Arguments of which every key is known and every value has the right type.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    tool: Tool,
    given: Option<&'a Map<String, Value>>,
}

impl<'a> Arguments<'a> {
    /// Checks `given` against what `tool` takes. A `null` is as good as nothing.
    pub(crate) fn of(tool: Tool, given: &'a Value) -> Result<Arguments<'a>, ToolError> {
        let map = match given {
            Value::Null => None,
            Value::Object(map) => Some(map),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                let (tool, found, expected) = (tool.name(), told(given), names(tool));
                return Err(ToolError::NotAnObject { tool, found, expected });
            }
        };
        let arguments = Arguments { tool, given: map };
        for (key, value) in map.into_iter().flatten() {
            let Some(parameter) = tool.parameters().iter().find(|parameter| parameter.name == key) else {
                let argument = one_line(key, 80);
                return Err(ToolError::UnknownArgument { tool: tool.name(), argument, expected: names(tool) });
            };
            if !value.is_null() && !parameter.shape.takes(value) {
                return Err(arguments.bad(parameter, value));
            }
        }
        let missing = tool.parameters().iter().find(|one| one.required && arguments.value(one.name).is_none());
        match missing {
            Some(Parameter { name: argument, shape, .. }) => {
                Err(ToolError::MissingArgument { tool: tool.name(), argument, expected: shape.expected() })
            }
            None => Ok(arguments),
        }
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        self.given?.get(name).filter(|value| !value.is_null())
    }

    fn bad(&self, parameter: &Parameter, value: &Value) -> ToolError {
        ToolError::BadArgument {
            tool: self.tool.name(),
            argument: parameter.name,
            found: told(value),
            expected: parameter.shape.expected().to_owned(),
        }
    }

    /// A string, empty where there is none.
    pub(crate) fn text(&self, name: &str) -> String {
        self.optional_text(name).unwrap_or_default()
    }

    /// A string, where there is one.
    pub(crate) fn optional_text(&self, name: &str) -> Option<String> {
        self.value(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// A whole number, where there is one.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.value(name).and_then(whole)
    }

    /// A time, where there is one.
    pub(crate) fn seconds(&self, name: &str) -> Option<Duration> {
        self.value(name).and_then(Value::as_f64).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    /// Whether something is asked for.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(false)
    }
}

impl Shape {
    fn takes(self, value: &Value) -> bool {
        match self {
            Shape::Text => value.is_string(),
            Shape::Count => whole(value).is_some_and(|number| number > 0),
            Shape::Number => whole(value).is_some(),
            Shape::Seconds => {
                value.as_f64().is_some_and(|seconds| seconds > 0.0 && Duration::try_from_secs_f64(seconds).is_ok())
            }
            Shape::Flag => value.is_boolean(),
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Shape::Text => "a string",
            Shape::Count => "a whole number from 1 on",
            Shape::Number => "a whole number from 0 on",
            Shape::Seconds => "a positive number of seconds",
            Shape::Flag => "true or false",
        }
    }
}

/// A whole number; `3.0` is one, as JSON Schema has it.
fn whole(value: &Value) -> Option<u64> {
    let float = |number: f64| (number >= 0.0 && number.fract() == 0.0 && number < 1e15).then_some(number as u64);
    value.as_u64().or_else(|| value.as_f64().and_then(float))
}

/// A value as an error message shows it.
fn told(value: &Value) -> String {
    one_line(&value.to_string(), 80)
}

fn names(tool: Tool) -> String {
    let names: Vec<String> = tool.parameters().iter().map(|parameter| format!("`{}`", parameter.name)).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.join(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_come_out_as_they_went_in() {
        let given = json!({"pattern": "x", "context": 0, "limit": 3.0, "literal": true, "glob": null});
        let arguments = Arguments::of(Tool::Grep, &given).unwrap();
        assert_eq!(arguments.text("pattern"), "x");
        assert_eq!(arguments.number("context"), Some(0));
        assert_eq!(arguments.number("limit"), Some(3));
        assert!(arguments.flag("literal"));
        assert_eq!(arguments.optional_text("glob"), None);
        let given = json!({"command": "true", "timeout": 0.5});
        let arguments = Arguments::of(Tool::Bash, &given).unwrap();
        assert_eq!(arguments.seconds("timeout"), Some(Duration::from_millis(500)));
        assert!(Arguments::of(Tool::Ls, &Value::Null).is_ok());
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        let check = |tool, given: Value, expected: &str| {
            assert_eq!(Arguments::of(tool, &given).unwrap_err().to_string(), expected);
        };
        check(Tool::Read, json!({}), "read: missing argument `path`: expected a string");
        check(Tool::Read, json!({"path": null}), "read: missing argument `path`: expected a string");
        check(
            Tool::Read,
            json!({"path": "a", "lines": 3}),
            "read: unknown argument `lines`: expected `path`, `offset` or `limit`",
        );
        check(Tool::Read, json!({"path": 7}), "read: `path` is 7: expected a string");
        for wrong in [json!(0), json!(-1), json!(1.5), json!("10"), json!(true)] {
            let expected = format!("read: `offset` is {wrong}: expected a whole number from 1 on");
            check(Tool::Read, json!({"path": "a", "offset": wrong}), &expected);
        }
        check(
            Tool::Bash,
            json!({"command": "x", "timeout": 0}),
            "bash: `timeout` is 0: expected a positive number of seconds",
        );
        check(Tool::Grep, json!({"pattern": "x", "literal": 1}), "grep: `literal` is 1: expected true or false");
        check(Tool::Ls, json!([1]), "ls: the arguments are [1]: expected an object with `path` or `limit`");
    }
}
