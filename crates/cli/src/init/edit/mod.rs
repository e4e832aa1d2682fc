//! Changing a configuration file of somebody else's program: only the bytes of our entry, nothing around them.
//!
//! Every change is an insertion or a removal at a place that the file's own parser gives, and removing is the exact
//! inverse of adding. After each change the file is read again: what it says must be what it said before, and our
//! entry. Where that does not hold, the change is refused and nothing is written.

mod bracketed;
mod json;
mod lines;
mod toml;
mod tree;
mod yaml;

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use tree::{Body, Node};
pub(super) use tree::{Step, value_at};

/// The syntax of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// JSON, with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML, one document.
    Yaml,
}

/// Why a file cannot be read or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EditError {
    /// The line, from 1, where there is one to point at.
    pub(super) line: Option<usize>,
    /// What is wrong.
    pub(super) message: String,
}

impl EditError {
    fn new(message: impl Into<String>) -> EditError {
        EditError { line: None, message: message.into() }
    }

    /// An error at a byte of the text.
    fn at(text: &str, byte: usize, message: impl Into<String>) -> EditError {
        let line = part(text, 0..byte).matches('\n').count() + 1;
        EditError { line: Some(line), message: message.into() }
    }
}

/// A replacement of some bytes of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Splice {
    range: Range<usize>,
    text: String,
}

impl Splice {
    fn insert(at: usize, text: impl Into<String>) -> Splice {
        Splice { range: at..at, text: text.into() }
    }

    fn remove(range: Range<usize>) -> Splice {
        Splice { range, text: String::new() }
    }
}

/// The text with all splices made; they are in order and do not overlap.
fn spliced(text: &str, splices: &[Splice]) -> String {
    let (mut result, mut from) = (String::new(), 0);
    for splice in splices {
        result.push_str(part(text, from..splice.range.start));
        result.push_str(&splice.text);
        from = splice.range.end;
    }
    result.push_str(part(text, from..text.len()));
    result
}

/// A part of a text; empty where the range is not one of its.
fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The line end that the text uses.
fn line_end(text: &str) -> &'static str {
    if text.split_once('\n').is_some_and(|(first, _)| first.ends_with('\r')) { "\r\n" } else { "\n" }
}

impl Format {
    /// What the file says; an empty file says `null`.
    pub(super) fn read(self, text: &str) -> Result<Value, EditError> {
        Ok(self.tree(text)?.map_or(Value::Null, |node| node.value()))
    }

    /// The text with `key` added to the object at `path`, which must exist unless it is the root.
    pub(super) fn add_member(self, text: &str, path: &[Step], key: &str, value: &Value) -> Result<String, EditError> {
        let splices = match self {
            Format::Json => json::add_member(text, path, key, value),
            Format::Toml => toml::add_member(text, path, key, value),
            Format::Yaml => yaml::add_member(text, path, key, value),
        }?;
        self.checked(text, &splices, |root| add_to(root, path, Some(key), value))
    }

    /// The text with an element added at the end of the array at `path`, which must exist.
    pub(super) fn add_element(self, text: &str, path: &[Step], value: &Value) -> Result<String, EditError> {
        let splices = match self {
            Format::Json => json::add_element(text, path, value),
            Format::Toml => toml::add_element(text, path, value),
            Format::Yaml => yaml::add_element(text, path, value),
        }?;
        self.checked(text, &splices, |root| add_to(root, path, None, value))
    }

    /// The text without what is at `path`.
    pub(super) fn remove(self, text: &str, path: &[Step]) -> Result<String, EditError> {
        let splices = match self {
            Format::Json => json::remove(text, path),
            Format::Toml => toml::remove(text, path),
            Format::Yaml => yaml::remove(text, path),
        }?;
        self.checked(text, &splices, |root| tree::remove_from(root, path))
    }

    /// The text with another string in place of the one at `path`.
    pub(super) fn replace_string(self, text: &str, path: &[Step], new: &str) -> Result<String, EditError> {
        let node = self.node(text, path)?;
        let splice = Splice { range: node.span, text: self.string(new) };
        self.checked(text, &[splice], |root| {
            if let Some(value) = tree::value_at_mut(root, path) {
                *value = Value::from(new);
            }
        })
    }

    /// The text with another value at `path`: in the same place where the format allows it, else at the end.
    pub(super) fn replace(self, text: &str, path: &[Step], value: &Value) -> Result<String, EditError> {
        if self == Format::Json {
            let splice = Splice { range: self.node(text, path)?.span, text: json::in_place_of(text, path, value)? };
            return self.checked(text, &[splice], |root| {
                if let Some(old) = tree::value_at_mut(root, path) {
                    *old = value.clone();
                }
            });
        }
        let without = self.remove(text, path)?;
        match path.split_last() {
            Some((Step::Key(key), parent)) => self.add_member(&without, parent, key, value),
            Some((Step::Index(_), parent)) => self.add_element(&without, parent, value),
            None => Ok(without),
        }
    }

    /// The text with strings added at the beginning of the array at `path`.
    pub(super) fn add_front(self, text: &str, path: &[Step], new: &[&str]) -> Result<String, EditError> {
        let node = self.node(text, path)?;
        let written: Vec<String> = new.iter().map(|new| self.string(new)).collect();
        let splice = match (&node.body, node.is_block) {
            (Body::Array(items), true) => yaml::add_front(text, items, &written),
            (Body::Array(_), false) => bracketed::Bracketed::of(text, self, &node).add_front(&written),
            _ => return Err(EditError::at(text, node.span.start, "expected an array")),
        };
        self.checked(text, &[splice], |root| {
            if let Some(Value::Array(values)) = tree::value_at_mut(root, path) {
                values.splice(0..0, new.iter().map(|new| Value::from(*new)));
            }
        })
    }

    /// The text without the first `count` elements of the array at `path`.
    pub(super) fn remove_front(self, text: &str, path: &[Step], count: usize) -> Result<String, EditError> {
        let node = self.node(text, path)?;
        let splice = match (&node.body, node.is_block) {
            (Body::Array(items), true) => yaml::remove_front(text, items, count),
            (Body::Array(_), false) => bracketed::Bracketed::of(text, self, &node).remove_front(count),
            _ => return Err(EditError::at(text, node.span.start, "expected an array")),
        };
        self.checked(text, &[splice], |root| {
            if let Some(Value::Array(values)) = tree::value_at_mut(root, path) {
                values.drain(..count.min(values.len()));
            }
        })
    }

    /// The text with the bytes of `from`'s value at `path` in place of its own.
    pub(super) fn copy_value(self, text: &str, path: &[Step], from: &str) -> Result<String, EditError> {
        let (mine, theirs) = (self.node(text, path)?, self.node(from, path)?);
        let splice = Splice { range: mine.span, text: part(from, theirs.span.clone()).to_owned() };
        self.checked(text, &[splice], |root| {
            if let Some(value) = tree::value_at_mut(root, path) {
                *value = theirs.value();
            }
        })
    }

    /// The text without an object that holds nothing, and the line end behind it; only JSON has such a thing.
    pub(super) fn without_empty_root(self, text: &str) -> String {
        let root = if self == Format::Json { json::tree(text).ok().flatten() } else { None };
        let Some(root) = root.filter(|root| root.items().is_empty()) else { return text.to_owned() };
        let rest = part(text, root.span.end..text.len());
        let newline = rest.len() - rest.strip_prefix(line_end(text)).unwrap_or(rest).len();
        spliced(text, &[Splice::remove(root.span.start..root.span.end + newline)])
    }

    fn tree(self, text: &str) -> Result<Option<Node>, EditError> {
        match self {
            Format::Json => json::tree(text),
            Format::Toml => toml::tree(text).map(Some),
            Format::Yaml => yaml::tree(text),
        }
    }

    fn node(self, text: &str, path: &[Step]) -> Result<Node, EditError> {
        let missing = || EditError::new(format!("no `{}` in it", tree::shown(path)));
        let mut node = self.tree(text)?.ok_or_else(missing)?;
        for step in path {
            node = node.into_child(step).ok_or_else(missing)?;
        }
        Ok(node)
    }

    /// A string as it is written in this format.
    fn string(self, text: &str) -> String {
        match self {
            Format::Json => Value::from(text).to_string(),
            Format::Toml => toml::string(text),
            Format::Yaml => yaml::string(text),
        }
    }

    /// Makes the splices, and refuses the result where it does not say what `change` makes of what the text says.
    fn checked(self, text: &str, splices: &[Splice], change: impl FnOnce(&mut Value)) -> Result<String, EditError> {
        let mut expected = self.read(text)?;
        change(&mut expected);
        let result = spliced(text, splices);
        match self.read(&result) {
            Ok(found) if said(&found) == said(&expected) => Ok(result),
            _ => Err(EditError::new("it is written in a way that cannot be changed safely")),
        }
    }
}

/// What a value says: an empty file, an empty object and a key without a value say the same.
fn said(value: &Value) -> Value {
    match value {
        Value::Object(members) if members.is_empty() => Value::Null,
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), said(value))).collect(),
        Value::Array(values) if values.is_empty() => Value::Null,
        Value::Array(values) => values.iter().map(said).collect(),
        other => other.clone(),
    }
}

/// Adds a member to the object at `path`, or an element to the array there.
fn add_to(root: &mut Value, path: &[Step], key: Option<&str>, value: &Value) {
    let Some(container) = tree::value_at_mut(root, path) else { return };
    match (key, container) {
        (Some(key), Value::Object(members)) => {
            members.insert(key.to_owned(), value.clone());
        }
        (None, Value::Array(values)) => values.push(value.clone()),
        (Some(key), empty @ Value::Null) => *empty = serde_json::json!({ key: value }),
        (None, empty @ Value::Null) => *empty = serde_json::json!([value]),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
