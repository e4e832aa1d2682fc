//! Reading YAML and TOML into a tree of nodes.

use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::node::{ConfigEntry, Node, Value};

/// A file that is not YAML or not TOML.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnreadableConfig {
    pub(crate) line: Option<u64>,
    pub(crate) why: String,
}

/// The tree of a YAML document; an empty one is an empty table.
pub(crate) fn yaml(text: &str) -> Result<Node, UnreadableConfig> {
    let blank = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    if blank {
        return Ok(Node::empty());
    }
    let parsed: Spanned<Value> = serde_saphyr::from_str(text).map_err(|error| {
        let line = error.location().map(|location| location.line());
        let why = error.without_snippet().to_string();
        UnreadableConfig { line, why: first_line(&why) }
    })?;
    Ok(node_of(parsed))
}

/// The part of a YAML document under one key at its left edge, on the lines that it has in the document; nothing where
/// there is none. For a document that cannot be parsed as a whole.
pub(crate) fn section(text: &str, key: &str) -> String {
    let mut inside = false;
    let mut section = String::new();
    for line in text.lines() {
        if line.starts_with(|c: char| !c.is_whitespace() && c != '#' && c != '-') {
            inside = line.strip_prefix(key).is_some_and(|rest| rest.trim_end() == ":");
        }
        if inside {
            section.push_str(line);
        }
        section.push('\n');
    }
    section
}

/// The tree of a TOML document.
pub(crate) fn toml(text: &str) -> Result<Node, UnreadableConfig> {
    let table = DeTable::parse(text).map_err(|error| UnreadableConfig {
        line: error.span().map(|span| line_of(text, span.start)),
        why: first_line(error.message()),
    })?;
    Ok(Node { line: 1, value: table_of(text, table.get_ref()) })
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim().to_owned()
}

fn line_of(text: &str, byte: usize) -> u64 {
    let before = text.as_bytes().get(..byte).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1
}

fn table_of(text: &str, table: &DeTable<'_>) -> Value {
    let mut entries: Vec<(usize, ConfigEntry)> = Vec::new();
    for (key, value) in table {
        let line = line_of(text, key.span().start);
        let node = Node { line: line_of(text, value.span().start), value: value_of(text, value.get_ref()) };
        entries.push((key.span().start, ConfigEntry { key: key.get_ref().to_string(), line, node }));
    }
    entries.sort_by_key(|(start, _)| *start);
    Value::Table(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn value_of(text: &str, value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(value) => Value::Text(value.to_string()),
        DeValue::Integer(value) => match i64::from_str_radix(value.as_str(), value.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Text(value.as_str().to_owned()),
        },
        DeValue::Float(value) => match value.as_str().parse() {
            Ok(number) => Value::Float(number),
            Err(_) => Value::Text(value.as_str().to_owned()),
        },
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(value) => Value::Text(value.to_string()),
        DeValue::Array(values) => Value::List(
            values
                .iter()
                .map(|value| Node { line: line_of(text, value.span().start), value: value_of(text, value.get_ref()) })
                .collect(),
        ),
        DeValue::Table(table) => table_of(text, table),
    }
}

fn node_of(spanned: Spanned<Value>) -> Node {
    Node { line: spanned.referenced.line(), value: spanned.value }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or_else(|_| Value::Text(value.to_string()), Value::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(value) = access.next_element::<Spanned<Value>>()? {
            nodes.push(node_of(value));
        }
        Ok(Value::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key::<Spanned<String>>()? {
            let node = node_of(access.next_value()?);
            entries.push(ConfigEntry { key: key.value, line: key.referenced.line(), node });
        }
        Ok(Value::Table(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_formats_become_one_tree_with_lines() {
        let from_yaml = yaml("# c\ninline_limit: 8000\nline_truncation:\n  tail_lines: 5\nx: [1, two]\nn:\n").unwrap();
        let from_toml = toml("# c\ninline_limit = 8000\nx = [1, 'two']\n[line_truncation]\ntail_lines = 5\n").unwrap();
        let expected = json!({"inline_limit": 8000, "line_truncation": {"tail_lines": 5}, "x": [1, "two"]});
        assert_eq!(from_yaml.to_json(), expected);
        assert_eq!(from_toml.to_json(), expected);
        let lines = |node: &Node| node.leaves();
        let own = |key: &str, line| (key.to_owned(), line);
        assert_eq!(lines(&from_yaml), [own("inline_limit", 2), own("line_truncation.tail_lines", 4), own("x", 5)]);
        assert_eq!(lines(&from_toml), [own("inline_limit", 2), own("x", 3), own("line_truncation.tail_lines", 5)]);
    }

    #[test]
    fn a_section_of_a_broken_document_keeps_its_lines() {
        let text = "model: [broken\n# c\ntools:\n  truncation:\n    head_ratio: 0.5\n\nother: }\n";
        assert!(yaml(text).is_err());
        let node = yaml(&section(text, "tools")).unwrap();
        assert_eq!(node.leaves(), [("tools.truncation.head_ratio".to_owned(), 5)]);
        assert_eq!(yaml(&section("toolset:\n  a: 1\n", "tools")).unwrap(), Node::empty());
    }

    #[test]
    fn scalars_keep_their_types() {
        let node = yaml("a: 0.6\nb: true\nc: '8000'\nd: 2000 tokens\ne: -5\n").unwrap();
        assert_eq!(node.to_json(), json!({"a": 0.6, "b": true, "c": "8000", "d": "2000 tokens", "e": -5}));
        let node = toml("a = 0.6\nb = true\nc = '8000'\ne = -5\nh = 0x10\n").unwrap();
        assert_eq!(node.to_json(), json!({"a": 0.6, "b": true, "c": "8000", "e": -5, "h": 16}));
    }

    #[test]
    fn what_cannot_be_read_names_its_line() {
        assert_eq!(yaml("a: 1\nb: [1\nc: 2\n").unwrap_err().line.map(|line| line >= 2), Some(true));
        assert_eq!(toml("a = 1\nb = = 2\n").unwrap_err().line, Some(2));
        assert_eq!(yaml("").unwrap(), Node::empty());
        assert_eq!(yaml("# only a comment\n").unwrap(), Node::empty());
    }
}
