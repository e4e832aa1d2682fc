//! Entries in a configuration file: setting them, and taking them out again.
//!
//! Taking out knows the file as it was before (the backup beside it), so that a container that the user had stays and
//! one that came with the entry goes, and so that a value that the entry replaced comes back.

use serde_json::Value;

use super::edit::{EditError, Format, Step, value_at};

/// Something that Offcut writes into a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Insertion {
    /// The path to it; for an element of an array, to the array.
    pub(super) at: Vec<String>,
    pub(super) value: Value,
    /// By what an element of an array is known as ours: a text in it, or `name=offcut` for a member with that value;
    /// `None` for the member of an object.
    pub(super) element: Option<String>,
}

/// What a file says about an entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Standing {
    /// It is there, as it should be.
    Set,
    /// It is not there.
    Missing,
    /// Something of ours is there, and is not what it should be.
    Outdated,
    /// Something of the user's own is in its place.
    Foreign(Value),
}

impl Insertion {
    /// What the file says about the entry.
    pub(super) fn standing(&self, root: &Value) -> Standing {
        let Some(found) = self.find(root).and_then(|path| value_at(root, &path).cloned()) else {
            return Standing::Missing;
        };
        if covers(&found, &self.value) {
            return Standing::Set;
        }
        // A name of ours is ours, whatever it holds; a setting of the agent's is ours only if it names us.
        let is_named = self.at.last().is_some_and(|name| name == "offcut") || self.element.is_some();
        if is_named || mentions(&found, "offcut") { Standing::Outdated } else { Standing::Foreign(found) }
    }

    /// The path to the entry in this file, if it is there.
    fn find(&self, root: &Value) -> Option<Vec<Step>> {
        let mut path: Vec<Step> = self.at.iter().cloned().map(Step::Key).collect();
        let Some(mark) = &self.element else { return value_at(root, &path).map(|_| path) };
        let index = value_at(root, &path)?.as_array()?.iter().position(|value| is_marked(value, mark))?;
        path.push(Step::Index(index));
        Some(path)
    }

    /// The text with the entry set.
    pub(super) fn set(&self, format: Format, text: &str) -> Result<String, EditError> {
        let root = format.read(text)?;
        match self.standing(&root) {
            Standing::Set | Standing::Foreign(_) => Ok(text.to_owned()),
            Standing::Missing => self.add(format, text, &root),
            Standing::Outdated => {
                let path = self.find(&root).unwrap_or_default();
                match format.replace(text, &path, &self.value) {
                    Ok(replaced) => Ok(replaced),
                    Err(_) => {
                        let without = format.remove(text, &path)?;
                        self.add(format, &without, &format.read(&without)?)
                    }
                }
            }
        }
    }

    fn add(&self, format: Format, text: &str, root: &Value) -> Result<String, EditError> {
        let mut value = self.value.clone();
        let mut keys = self.at.clone();
        let path = |keys: &[String]| -> Vec<Step> { keys.iter().cloned().map(Step::Key).collect() };
        if self.element.is_some() {
            if value_at(root, &path(&keys)).is_some() {
                return format.add_element(text, &path(&keys), &value);
            }
            value = Value::Array(vec![value]);
        }
        while let Some(key) = keys.pop() {
            if keys.is_empty() || value_at(root, &path(&keys)).is_some() {
                return format.add_member(text, &path(&keys), &key, &value);
            }
            value = serde_json::json!({ key: value });
        }
        Ok(text.to_owned())
    }

    /// The text without the entry; `before` is the text from before it was set, where it is known.
    pub(super) fn unset(&self, format: Format, text: &str, before: Option<&str>) -> Result<String, EditError> {
        let root = format.read(text)?;
        let past = before.map(|before| format.read(before)).transpose()?;
        let standing = self.standing(&root);
        let Some(path) = self.find(&root).filter(|_| !matches!(standing, Standing::Foreign(_))) else {
            return Ok(text.to_owned());
        };
        // What was there before comes back.
        if let (Some(before), Some(past)) = (before, &past)
            && let Some(theirs) = self.find(past)
        {
            if value_at(past, &theirs) == value_at(&root, &path) {
                return Ok(text.to_owned());
            }
            if theirs == path
                && let Ok(restored) = format.copy_value(text, &path, before)
            {
                return Ok(restored);
            }
            let theirs = Insertion { value: value_at(past, &theirs).cloned().unwrap_or_default(), ..self.clone() };
            let without = format.remove(text, &path)?;
            return theirs.add(format, &without, &format.read(&without)?);
        }
        let mut path = path;
        while let Some((_, parent)) = path.split_last().filter(|(_, parent)| !parent.is_empty()) {
            let is_only = value_at(&root, parent).is_some_and(|value| size(value) == 1);
            let was_there = past.as_ref().is_some_and(|past| value_at(past, parent).is_some());
            if !is_only || was_there {
                break;
            }
            path = parent.to_vec();
        }
        let without = format.remove(text, &path)?;
        if past == Some(Value::Null) && format.read(&without).is_ok_and(|root| size(&root) == 0) {
            return Ok(format.without_empty_root(&without));
        }
        Ok(as_empty_as_before(format, without, before, path.split_last().map_or(&[], |(_, parent)| parent)))
    }
}

/// The text with the empty container at `path` written as it was.
fn as_empty_as_before(format: Format, text: String, before: Option<&str>, path: &[Step]) -> String {
    let Some(before) = before else { return text };
    let is_empty = |text: &str| {
        let root = format.read(text).unwrap_or_default();
        value_at(&root, path).is_some_and(|value| size(value) == 0 && !value.is_null())
    };
    if !is_empty(&text) || !is_empty(before) {
        return text;
    }
    format.copy_value(&text, path, before).unwrap_or(text)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Object(members) => members.len(),
        Value::Array(values) => values.len(),
        _ => 0,
    }
}

/// Whether `found` has all that `wanted` has; what the user added to it is theirs.
fn covers(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| found.get(key).is_some_and(|found| covers(found, wanted)))
        }
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| covers(found, wanted))
        }
        (found, wanted) => found == wanted,
    }
}

fn is_marked(value: &Value, mark: &str) -> bool {
    match mark.split_once('=') {
        Some((key, text)) => value.get(key).and_then(Value::as_str) == Some(text),
        None => mentions(value, mark),
    }
}

/// Whether a string anywhere in the value contains `text`.
fn mentions(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(values) => values.iter().any(|value| mentions(value, text)),
        Value::Object(members) => members.values().any(|value| mentions(value, text)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
