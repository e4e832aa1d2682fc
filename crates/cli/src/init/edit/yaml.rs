//! YAML: lines in a block, and what is between brackets.

use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput};
use serde_json::Value;

use super::bracketed::{Bracketed, NewItem};
use super::json;
use super::tree::{Body, Member, Node, Step, shown};
use super::{EditError, Format, Splice, line_end, lines, part};

/// The file with the places of its parts; `None` where there is nothing but space and comments.
pub(super) fn tree(text: &str) -> Result<Option<Node>, EditError> {
    let mut reader = YamlReader { text, starts: line_starts(text), parser: Parser::new_from_str(text) };
    loop {
        match reader.next()?.0 {
            Event::StreamEnd => return Ok(None),
            Event::DocumentStart(_) => break,
            _ => {}
        }
    }
    let first = reader.next()?;
    let node = reader.node(first)?;
    reader.next()?;
    let (event, span) = reader.next()?;
    if event != Event::StreamEnd {
        return Err(EditError::at(text, reader.byte(&span.start), "a second document begins"));
    }
    let is_empty = matches!(&node.body, Body::Scalar(Value::Null)) && node.span.is_empty();
    Ok((!is_empty).then_some(node))
}

fn line_starts(text: &str) -> Vec<usize> {
    [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

struct YamlReader<'a> {
    text: &'a str,
    starts: Vec<usize>,
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> YamlReader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), EditError> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(EditError { line: Some(error.marker().line()), message: error.info().to_owned() }),
            None => Err(EditError::new("the file ends too early")),
        }
    }

    /// The byte of a place that is given by line and column.
    fn byte(&self, marker: &Marker) -> usize {
        let Some(start) = self.starts.get(marker.line().saturating_sub(1)) else { return self.text.len() };
        let line = part(self.text, *start..self.text.len());
        let column = line.char_indices().nth(marker.col()).map_or(line.len(), |(at, _)| at);
        (start + column).min(self.text.len())
    }

    fn place(&self, span: Span) -> Range<usize> {
        let start = self.byte(&span.start);
        start..self.byte(&span.end).max(start)
    }

    fn node(&mut self, (event, span): (Event<'a>, Span)) -> Result<Node, EditError> {
        let place = self.place(span);
        let begins = |open: char| part(self.text, place.start..self.text.len()).starts_with(open);
        match event {
            Event::Scalar(value, style, ..) => {
                let written = part(self.text, place.clone());
                // A block of text is given up to the next token.
                let span = place.start..place.start + written.trim_end().len();
                let value = if style == ScalarStyle::Plain { plain(&value) } else { Value::from(value.as_ref()) };
                Ok(Node { span, is_block: false, body: Body::Scalar(value) })
            }
            Event::Alias(_) => {
                let name = Value::from(part(self.text, place.clone()));
                Ok(Node { span: place, is_block: false, body: Body::Scalar(name) })
            }
            Event::MappingStart(..) => {
                let is_block = !begins('{');
                let (members, end) = self.members()?;
                let end = if is_block { members.last().map_or(end, end_of) } else { end };
                Ok(Node { span: place.start..end, is_block, body: Body::Object(members) })
            }
            Event::SequenceStart(..) => {
                let is_block = !begins('[');
                let (nodes, end) = self.nodes()?;
                let end = if is_block { nodes.last().map_or(end, |node| node.span.end) } else { end };
                Ok(Node { span: place.start..end, is_block, body: Body::Array(nodes) })
            }
            _ => Err(EditError::at(self.text, place.start, "expected a value")),
        }
    }

    fn members(&mut self) -> Result<(Vec<Member>, usize), EditError> {
        let mut members: Vec<Member> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            let place = self.place(span);
            let key = match event {
                // The end of the event is that of the comment behind the bracket.
                Event::MappingEnd => return Ok((members, place.start + 1)),
                Event::Scalar(key, ..) => key.into_owned(),
                _ => return Err(EditError::at(self.text, place.start, "a key that is not a text")),
            };
            if members.iter().any(|member| member.key == key) {
                return Err(EditError::at(self.text, place.start, format!("`{key}` stands there twice")));
            }
            let value = self.next()?;
            let mut node = self.node(value)?;
            if node.span.is_empty() {
                // A value that is not there is wherever the parser noticed.
                node.span = place.end..place.end;
            }
            members.push(Member { key, start: place.start, key_end: place.end, node });
        }
    }

    fn nodes(&mut self) -> Result<(Vec<Node>, usize), EditError> {
        let mut nodes = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if event == Event::SequenceEnd {
                return Ok((nodes, self.place(span).start + 1));
            }
            nodes.push(self.node((event, span))?);
        }
    }
}

fn end_of(member: &Member) -> usize {
    member.node.span.end.max(member.key_end)
}

/// What a text without quotes means.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::from(true),
        "false" | "False" | "FALSE" => Value::from(false),
        other => match other.parse::<i64>() {
            Ok(number) => Value::from(number),
            // Only compared with itself: other numbers are as good as their text.
            Err(_) => Value::from(other),
        },
    }
}

/// The splices that add a member to the mapping at `path`.
pub(super) fn add_member(text: &str, path: &[Step], key: &str, value: &Value) -> Result<Vec<Splice>, EditError> {
    let written = |indent: &str| member_lines(key, value, indent, line_end(text));
    let Some(root) = tree(text)? else { return Ok(vec![lines::add_at_end(text, &written(""))]) };
    let place = YamlValue::of(text, root, path)?;
    match &place.node.body {
        Body::Object(members) if place.node.is_block => {
            let (Some(first), Some(last)) = (members.first(), members.last()) else {
                return Err(EditError::new(format!("`{}` is empty", shown(path))));
            };
            Ok(vec![lines::add_after(text, end_of(last), &written(&column(text, first.start)))])
        }
        Body::Object(_) => Ok(place.add_between(text, format!("{}: {}", Value::from(key), json::inline(value)))),
        Body::Scalar(Value::Null) if place.node.span.is_empty() => {
            Ok(vec![lines::add_after(text, place.node.span.end, &written(&(place.indent + "  ")))])
        }
        _ => Err(EditError::at(text, place.node.span.start, format!("`{}` is not a mapping", shown(path)))),
    }
}

/// The splices that add an element to the sequence at `path`.
pub(super) fn add_element(text: &str, path: &[Step], value: &Value) -> Result<Vec<Splice>, EditError> {
    let root = tree(text)?.ok_or_else(|| EditError::new("the file is empty"))?;
    let place = YamlValue::of(text, root, path)?;
    let newline = line_end(text);
    match &place.node.body {
        Body::Array(nodes) if place.node.is_block => {
            let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
                return Err(EditError::new(format!("`{}` is empty", shown(path))));
            };
            let indent = column(text, dash(text, first));
            Ok(vec![lines::add_after(text, last.span.end, &element_lines(value, &indent, newline))])
        }
        Body::Array(_) => Ok(place.add_between(text, json::inline(value))),
        Body::Scalar(Value::Null) if place.node.span.is_empty() => {
            let lines = element_lines(value, &(place.indent + "  "), newline);
            Ok(vec![lines::add_after(text, place.node.span.end, &lines)])
        }
        _ => Err(EditError::at(text, place.node.span.start, format!("`{}` is not a sequence", shown(path)))),
    }
}

/// The splices that remove what is at `path`.
pub(super) fn remove(text: &str, path: &[Step]) -> Result<Vec<Splice>, EditError> {
    let missing = || EditError::new(format!("no `{}` in it", shown(path)));
    let (last, before) = path.split_last().ok_or_else(missing)?;
    let root = tree(text)?.ok_or_else(missing)?;
    let container = YamlValue::of(text, root, before)?.node;
    let at = container.position(last).ok_or_else(missing)?;
    if !container.is_block {
        return Ok(Bracketed::of(text, Format::Yaml, &container).remove(at));
    }
    let (start, end) = match &container.body {
        Body::Object(members) => members.get(at).map(|member| (member.start, end_of(member))),
        Body::Array(nodes) => nodes.get(at).map(|node| (dash(text, node), node.span.end)),
        Body::Scalar(_) => None,
    }
    .ok_or_else(missing)?;
    Ok(vec![lines::remove(text, start, end)])
}

/// The splice that adds elements, as they are written, before the first of a block.
pub(super) fn add_front(text: &str, items: &[Node], new: &[String]) -> Splice {
    let newline = line_end(text);
    let Some(first) = items.first() else { return Splice::insert(0, String::new()) };
    let dash = dash(text, first);
    let indent = column(text, dash);
    let lines: String = new.iter().map(|new| format!("- {new}{newline}{indent}")).collect();
    Splice::insert(dash, lines)
}

/// The splice that removes the first `count` elements of a block: the inverse of [`add_front`].
pub(super) fn remove_front(text: &str, items: &[Node], count: usize) -> Splice {
    match (items.first(), items.get(count), items.last()) {
        (Some(first), Some(next), _) => Splice::remove(dash(text, first)..dash(text, next)),
        (Some(first), None, Some(last)) => lines::remove(text, dash(text, first), last.span.end),
        _ => Splice::insert(0, String::new()),
    }
}

/// A value in the file, and the indentation of the key that it belongs to.
struct YamlValue {
    node: Node,
    indent: String,
}

impl YamlValue {
    fn of(text: &str, root: Node, path: &[Step]) -> Result<YamlValue, EditError> {
        let mut place = YamlValue { node: root, indent: String::new() };
        for step in path {
            if let (Body::Object(members), Step::Key(key)) = (&place.node.body, step)
                && let Some(member) = members.iter().find(|member| member.key == *key)
            {
                place.indent = column(text, member.start);
            }
            let missing = || EditError::new(format!("no `{}` in it", shown(path)));
            place.node = place.node.into_child(step).ok_or_else(missing)?;
        }
        Ok(place)
    }

    fn add_between(&self, text: &str, written: String) -> Vec<Splice> {
        let item = NewItem { in_lines: &|_| written.clone(), inline: written.clone(), expands: false, unit: "  " };
        Bracketed::of(text, Format::Yaml, &self.node).add(&item)
    }
}

/// Spaces up to the column of a byte.
fn column(text: &str, at: usize) -> String {
    let line = lines::start_of_line(text, at);
    " ".repeat(part(text, line..at).chars().count())
}

/// The dash of an element of a block.
fn dash(text: &str, node: &Node) -> usize {
    part(text, 0..node.span.start).rfind('-').unwrap_or(node.span.start)
}

fn member_lines(key: &str, value: &Value, indent: &str, newline: &str) -> String {
    let below = format!("{indent}  ");
    match value {
        Value::Object(members) if !members.is_empty() => {
            let lines = members.iter().map(|(key, value)| member_lines(key, value, &below, newline));
            let lines = lines.collect::<Vec<_>>().join(newline);
            format!("{indent}{}:{newline}{lines}", string(key))
        }
        Value::Array(values) if !values.is_empty() => {
            let lines = values.iter().map(|value| element_lines(value, &below, newline));
            let lines = lines.collect::<Vec<_>>().join(newline);
            format!("{indent}{}:{newline}{lines}", string(key))
        }
        plain => format!("{indent}{}: {}", string(key), scalar(plain)),
    }
}

fn element_lines(value: &Value, indent: &str, newline: &str) -> String {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let below = format!("{indent}  ");
            let lines = members.iter().map(|(key, value)| member_lines(key, value, &below, newline));
            let lines = lines.collect::<Vec<_>>().join(newline);
            format!("{indent}- {}", lines.trim_start())
        }
        plain => format!("{indent}- {}", scalar(plain)),
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        other => json::inline(other),
    }
}

/// A string without quotes where it needs none.
pub(super) fn string(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || ['_', '-', '.', '/'].contains(&c))
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_lowercase().as_str());
    if is_plain { text.to_owned() } else { Value::from(text).to_string() }
}
