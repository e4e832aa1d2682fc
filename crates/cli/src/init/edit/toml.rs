//! TOML: sections at the end of the file, lines in a section, and what is between brackets.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Item, Table, TableLike, Value as TomlValue};

use super::bracketed::{Bracketed, NewItem};
use super::tree::{Body, Member, Node, Step, shown};
use super::{EditError, Format, Splice, line_end, lines};

/// The file with the places of its parts.
pub(super) fn tree(text: &str) -> Result<Node, EditError> {
    let document = Document::parse(text).map_err(|error| match error.span() {
        Some(span) => EditError::at(text, span.start, error.message()),
        None => EditError::new(error.message()),
    })?;
    Ok(of_table(document.as_table()))
}

fn of_table(table: &Table) -> Node {
    Node { span: 0..0, is_block: true, body: Body::Object(members(table)) }
}

fn members(table: &dyn TableLike) -> Vec<Member> {
    let keys: Vec<&str> = table.iter().map(|(key, _)| key).collect();
    let member = |name: &str| {
        let (key, item) = table.get_key_value(name)?;
        let place = key.span().unwrap_or_default();
        Some(Member { key: name.to_owned(), start: place.start, key_end: place.end, node: of_item(item) })
    };
    keys.into_iter().filter_map(member).collect()
}

fn of_item(item: &Item) -> Node {
    match item {
        Item::Table(table) => of_table(table),
        Item::ArrayOfTables(tables) => {
            Node { span: 0..0, is_block: true, body: Body::Array(tables.iter().map(of_table).collect()) }
        }
        Item::Value(value) => of_value(value),
        Item::None => Node { span: 0..0, is_block: false, body: Body::Scalar(Value::Null) },
    }
}

fn of_value(value: &TomlValue) -> Node {
    let body = match value {
        TomlValue::String(string) => Body::Scalar(Value::from(string.value().as_str())),
        TomlValue::Integer(integer) => Body::Scalar(Value::from(*integer.value())),
        TomlValue::Boolean(boolean) => Body::Scalar(Value::from(*boolean.value())),
        // Only compared with itself: numbers that JSON has not, and dates, are as good as their text.
        TomlValue::Float(float) => Body::Scalar(Value::from(format!("float {}", float.value()))),
        TomlValue::Datetime(date) => Body::Scalar(Value::from(format!("date {}", date.value()))),
        TomlValue::Array(array) => Body::Array(array.iter().map(of_value).collect()),
        TomlValue::InlineTable(table) => Body::Object(members(table)),
    };
    // A table that dotted keys make has no place of its own.
    let is_block = value.as_inline_table().is_some_and(toml_edit::InlineTable::is_dotted);
    Node { span: value.span().unwrap_or_default(), is_block, body }
}

/// A part of the file from a header to the next one.
#[derive(Debug)]
struct Section {
    path: Vec<String>,
    /// Whether it is an element of an array: `[[path]]`.
    is_element: bool,
    /// Where the header begins.
    start: usize,
    /// Where its last value, or its header, ends.
    end: usize,
}

/// The sections of the file, without what stands before the first header.
fn sections(text: &str, root: &Node) -> Vec<Section> {
    let mut values = Vec::new();
    leaves(root, &mut values);
    let mut sections: Vec<Section> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start + (line.len() - line.trim_start().len());
        start += line.len();
        if !line.trim_start().starts_with('[') || values.iter().any(|value| value.contains(&at)) {
            continue;
        }
        let (written, is_element) = header(line);
        let path = toml_edit::Key::parse(&written).unwrap_or_default();
        let path = path.iter().map(|key| key.get().to_owned()).collect();
        let end = at + line.trim_start().trim_end().len();
        sections.push(Section { path, is_element, start: at, end });
    }
    let starts: Vec<usize> = sections.iter().skip(1).map(|section| section.start).chain([text.len()]).collect();
    for (section, next) in sections.iter_mut().zip(starts) {
        let last = values.iter().filter(|value| (section.start..next).contains(&value.start)).map(|value| value.end);
        section.end = last.max().unwrap_or(section.end);
    }
    sections
}

/// The key in a header, and whether it has two brackets.
fn header(line: &str) -> (String, bool) {
    let line = line.trim_start();
    let is_element = line.starts_with("[[");
    let (mut key, mut quote) = (String::new(), None);
    for c in line.trim_start_matches('[').chars() {
        match (quote, c) {
            (None, ']') => break,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        key.push(c);
    }
    (key, is_element)
}

/// The places of all values that are not tables.
fn leaves(node: &Node, into: &mut Vec<Range<usize>>) {
    if !node.is_block {
        into.push(node.span.clone());
        return;
    }
    match &node.body {
        Body::Object(members) => members.iter().for_each(|member| leaves(&member.node, into)),
        Body::Array(nodes) => nodes.iter().for_each(|node| leaves(node, into)),
        Body::Scalar(_) => {}
    }
}

/// The splices that add a member to the table at `path`.
pub(super) fn add_member(text: &str, path: &[Step], key: &str, value: &Value) -> Result<Vec<Splice>, EditError> {
    let root = tree(text)?;
    let container = descend(root.clone(), path)?;
    if !container.is_block {
        return add_between(text, &container, path, &format!("{} = {}", bare(key), inline(value)));
    }
    let mut keys = keys_of(path)?;
    keys.push(key.to_owned());
    let mut value = value;
    // `a = { b = { c = 1 } }` is written as a section `[a.b]`.
    while let Value::Object(members) = value {
        let mut only = members.iter().filter(|_| members.len() == 1);
        match only.next() {
            Some((key, below)) if below.is_object() || is_tables(below) => {
                keys.push(key.clone());
                value = below;
            }
            _ => break,
        }
    }
    match value {
        Value::Object(members) => Ok(vec![section(text, &format!("[{}]", dotted(&keys)), members)]),
        Value::Array(tables) if is_tables(value) => {
            let members = tables.first().and_then(Value::as_object).filter(|_| tables.len() == 1);
            let members = members.ok_or_else(|| EditError::new("only one table can be added at a time"))?;
            Ok(vec![section(text, &format!("[[{}]]", dotted(&keys)), members)])
        }
        plain => add_line(text, &root, &keys_of(path)?, &format!("{} = {}", bare(key), inline(plain))),
    }
}

/// The splices that add an element to the array at `path`.
pub(super) fn add_element(text: &str, path: &[Step], value: &Value) -> Result<Vec<Splice>, EditError> {
    let array = descend(tree(text)?, path)?;
    match value {
        Value::Object(members) if array.is_block => {
            Ok(vec![section(text, &format!("[[{}]]", dotted(&keys_of(path)?)), members)])
        }
        value => add_between(text, &array, path, &inline(value)),
    }
}

fn add_between(text: &str, node: &Node, path: &[Step], written: &str) -> Result<Vec<Splice>, EditError> {
    if let Body::Scalar(_) = node.body {
        let message = format!("`{}` is neither a table nor an array", shown(path));
        return Err(EditError::at(text, node.span.start, message));
    }
    let item = NewItem { inline: written.to_owned(), in_lines: &|_| written.to_owned(), expands: false, unit: "  " };
    Ok(Bracketed::of(text, Format::Toml, node).add(&item))
}

/// The splice that adds a section at the end, after a blank line.
fn section(text: &str, header: &str, members: &serde_json::Map<String, Value>) -> Splice {
    let newline = line_end(text);
    let lines = members.iter().map(|(key, value)| format!("{} = {}", bare(key), inline(value)));
    let body = [header.to_owned()].into_iter().chain(lines).collect::<Vec<_>>().join(newline);
    lines::add_at_end(text, &if text.is_empty() { body } else { format!("{newline}{body}") })
}

/// The splice that adds a line to the section of the table `keys`.
fn add_line(text: &str, root: &Node, keys: &[String], line: &str) -> Result<Vec<Splice>, EditError> {
    let sections = sections(text, root);
    if let Some(section) = sections.iter().find(|section| section.path == keys && !section.is_element) {
        return Ok(vec![lines::add_after(text, section.end, line)]);
    }
    if !keys.is_empty() {
        return Err(EditError::new(format!("`{}` has no section of its own", dotted(keys))));
    }
    let first = sections.first().map_or(text.len(), |section| section.start);
    let mut values = Vec::new();
    leaves(root, &mut values);
    match values.iter().filter(|value| value.start < first).map(|value| value.end).max() {
        Some(end) => Ok(vec![lines::add_after(text, end, line)]),
        None if sections.is_empty() => Ok(vec![lines::add_at_end(text, line)]),
        None => Ok(vec![Splice::insert(lines::start_of_line(text, first), format!("{line}{}", line_end(text)))]),
    }
}

/// The splices that remove what is at `path`.
pub(super) fn remove(text: &str, path: &[Step]) -> Result<Vec<Splice>, EditError> {
    let missing = || EditError::new(format!("no `{}` in it", shown(path)));
    let root = tree(text)?;
    let (last, before) = path.split_last().ok_or_else(missing)?;
    let container = descend(root.clone(), before)?;
    let at = container.position(last).ok_or_else(missing)?;
    if !container.is_block {
        return Ok(Bracketed::of(text, Format::Toml, &container).remove(at));
    }
    if let Body::Object(members) = &container.body
        && let Some(member) = members.get(at).filter(|member| !member.node.is_block)
    {
        return Ok(vec![lines::remove(text, member.start, member.node.span.end)]);
    }
    let sections = sections(text, &root);
    let chosen = match last {
        Step::Key(_) => {
            let keys = keys_of(path)?;
            sections.iter().filter(|section| section.path.starts_with(&keys)).collect()
        }
        Step::Index(index) => element(&sections, &keys_of(before)?, *index),
    };
    Ok(without(text, &chosen))
}

/// The sections of one element of an array of tables.
fn element<'a>(sections: &'a [Section], keys: &[String], index: usize) -> Vec<&'a Section> {
    let mut seen = 0;
    let of_array = sections.iter().filter(|section| section.path.starts_with(keys));
    let numbered = of_array.map(|section| {
        seen += usize::from(section.is_element && section.path == keys);
        (seen, section)
    });
    numbered.filter(|(number, _)| *number == index + 1).map(|(_, section)| section).collect()
}

/// The splices that remove sections, each with the blank line before it; neighbours become one.
fn without(text: &str, sections: &[&Section]) -> Vec<Splice> {
    let mut splices: Vec<Splice> = Vec::new();
    for section in sections {
        let start = lines::start_of_line(text, section.start);
        let start = if lines::follows_blank(text, start) { start.saturating_sub(1) } else { start };
        let splice = lines::remove(text, start, section.end);
        match splices.last_mut() {
            Some(before) if before.range.end >= splice.range.start => before.range.end = splice.range.end,
            _ => splices.push(splice),
        }
    }
    splices
}

fn descend(root: Node, path: &[Step]) -> Result<Node, EditError> {
    let mut node = root;
    for step in path {
        node = node.into_child(step).ok_or_else(|| EditError::new(format!("no `{}` in it", shown(path))))?;
    }
    Ok(node)
}

/// The keys of a path through tables.
fn keys_of(path: &[Step]) -> Result<Vec<String>, EditError> {
    let key = |step: &Step| match step {
        Step::Key(key) => Ok(key.clone()),
        Step::Index(_) => Err(EditError::new(format!("`{}` is in an array of tables", shown(path)))),
    };
    path.iter().map(key).collect()
}

fn is_tables(value: &Value) -> bool {
    value.as_array().is_some_and(|values| !values.is_empty() && values.iter().all(Value::is_object))
}

fn dotted(keys: &[String]) -> String {
    keys.iter().map(|key| bare(key)).collect::<Vec<_>>().join(".")
}

/// A key without quotes where it needs none.
fn bare(key: &str) -> String {
    let is_bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || ['-', '_'].contains(&c));
    if is_bare { key.to_owned() } else { string(key) }
}

/// A string in quotes.
pub(super) fn string(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// A value on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Array(values) => format!("[{}]", values.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("{} = {}", bare(key), inline(value));
            format!("{{ {} }}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        // TOML has no null; whoever writes one gets an error from the check of the result.
        plain => plain.to_string(),
    }
}

#[cfg(test)]
pub(super) fn headers(text: &str) -> Vec<String> {
    let root = tree(text).unwrap();
    let sections = sections(text, &root);
    sections.iter().map(|section| super::part(text, section.start..section.end).to_owned()).collect()
}
