//! Looking into an agent's event.

use serde_json::Value;

/// The text on the way `path` (a JSON pointer), unless it is missing or empty.
pub(super) fn text<'e>(event: &'e Value, path: &str) -> Option<&'e str> {
    event.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The number on the way `path`.
pub(super) fn number(event: &Value, path: &str) -> Option<i64> {
    event.pointer(path).and_then(Value::as_i64)
}
