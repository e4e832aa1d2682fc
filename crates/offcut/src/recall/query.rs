//! JSONPath over an artifact: which parts of its text are the nodes.
//!
//! A node is a range of bytes of the artifact, so numbers, key order and duplicate keys come out as they went in. A
//! document, or a part of one, of up to [`Bounds::tree`] bytes is parsed and queried as a tree. A larger one is walked:
//! the scanner finds its members, and the rest of the path is asked of each alone. Only a segment that needs all
//! members at once (several selectors, a filter that looks at `$`, a slice backwards) makes a tree of more, up to
//! [`Bounds::whole`].

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::{ControlFlow, Range};

use offcut_core::document::Document;
use offcut_core::json::{Lexeme, Lexer};
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json_path::PathElement;

use super::RecallError;
use super::document::ArtifactDocument;
use super::path::{Path, Segment, Step, selected};
use super::scan::{Form, Held, children};

/// How much is made a tree at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// The most bytes where walking is possible; a tree takes about ten times its text.
    pub(super) tree: u64,
    /// The most bytes where it is not.
    pub(super) whole: u64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { tree: 2 * 1024 * 1024, whole: 32 * 1024 * 1024 }
    }
}

/// How many nodes a tree may be asked to visit, repeats included.
const MOST_VISITS: u64 = 20_000_000;

/// How many levels of large values are walked, each of which costs a pass over what is below it.
const MOST_LEVELS: usize = 64;

/// The longest line that is looked at to tell NDJSON from JSON.
const LONGEST_RECORD: u64 = 16 * 1024 * 1024;

/// A node: a part of the artifact's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    /// Where it stands.
    pub(super) span: Range<u64>,
    /// How it is written: the root of NDJSON is [`Form::Records`].
    pub(super) form: Form,
}

/// Takes nodes in, in the order of the result.
pub(super) type NodeSink<'f> = dyn FnMut(Node) -> Result<(), RecallError> + 'f;

/// Finds the nodes that `path` selects.
pub(super) fn nodes(
    source: &ArtifactDocument<'_>,
    path: &str,
    bounds: Bounds,
    found: &mut NodeSink<'_>,
) -> Result<(), RecallError> {
    let path = Path::parse(path)?;
    let (start, form) = root(source)?;
    let root = Node { span: start..source.size(), form };
    let (walk, rest) = (Walk { source, path: &path, bounds }, Rest { at: 0, plainly: false, level: 0 });
    if path.looks_at_root() {
        return walk.held(&root, rest, found);
    }
    walk.select(root, rest, found)
}

/// Where the document begins, and whether it is one value or several.
pub(super) fn root(source: &ArtifactDocument<'_>) -> Result<(u64, Form), RecallError> {
    let bom = source.bytes(0..3)? == [0xEF, 0xBB, 0xBF];
    let start = if bom { 3 } else { 0 };
    if source.extent().lines < 2 {
        return Ok((start, Form::Value));
    }
    // NDJSON is a document whose first line with anything on it is a value by itself, and which goes on behind it.
    let document: &dyn Document = source;
    let mut lines = document.lines_from(offcut_core::extent::Position { byte: start, ..Default::default() });
    let mut line = String::new();
    while let Some(part) = lines.next_line().map_err(RecallError::unwrapped)? {
        line.push_str(part.text);
        let long = line.len() as u64 > LONGEST_RECORD;
        if long || (part.last && !line.trim().is_empty()) {
            let behind = part.range().end;
            let alone = !long && serde_json::from_str::<IgnoredAny>(&line).is_ok();
            let more = alone && !source.bytes(behind..behind + 4096)?.trim_ascii().is_empty();
            return Ok((start, if more { Form::Records } else { Form::Value }));
        }
    }
    Ok((start, Form::Value))
}

/// The part of the path that is still to be asked.
#[derive(Debug, Clone, Copy)]
struct Rest {
    /// From this segment on.
    at: usize,
    /// Whether that segment, if it is a descendant segment, is meant without its descent.
    plainly: bool,
    /// How many levels were walked already.
    level: usize,
}

impl Rest {
    fn next(self) -> Rest {
        Rest { at: self.at + 1, plainly: false, level: self.level + 1 }
    }
}

struct Walk<'a> {
    source: &'a ArtifactDocument<'a>,
    path: &'a Path,
    bounds: Bounds,
}

impl Walk<'_> {
    /// Asks the rest of the path of `node`.
    fn select(&self, node: Node, rest: Rest, found: &mut NodeSink<'_>) -> Result<(), RecallError> {
        let Some(segment) = self.path.segment(rest.at) else {
            self.check(&node)?;
            return found(node);
        };
        let bytes = node.span.end - node.span.start;
        if bytes <= self.bounds.tree {
            return self.tree(&node, rest, found);
        }
        if rest.level > MOST_LEVELS {
            return Err(RecallError::QueryTooLarge { bytes, max: self.bounds.tree });
        }
        if segment.descends && !rest.plainly {
            self.select(node.clone(), Rest { plainly: true, ..rest }, found)?;
            let below = Rest { level: rest.level + 1, ..rest };
            return self.each(&node, &mut |child| self.select(value(child), below, found));
        }
        self.step(&node, segment, rest, found)
    }

    /// Applies one segment to a value that is too large for a tree.
    fn step(&self, node: &Node, segment: &Segment, rest: Rest, found: &mut NodeSink<'_>) -> Result<(), RecallError> {
        match &segment.step {
            Step::All => self.each(node, &mut |child| self.select(value(child), rest.next(), found)),
            Step::Filter => self.each(node, &mut |child| self.filter(child, rest, found)),
            Step::Name(name) => {
                let mut last = None;
                self.members(node, &mut |key, _, span| {
                    if key.as_deref() == Some(name) {
                        last = Some(span);
                    }
                    Ok(ControlFlow::Continue(()))
                })?;
                last.map_or(Ok(()), |span| self.select(value(span), rest.next(), found))
            }
            Step::Index(index) => {
                let end = index.checked_add(1).filter(|end| *end != 0);
                self.slice(node, (Some(*index), end, 1), rest, found)
            }
            Step::Slice { start, end, step } => self.slice(node, (*start, *end, *step), rest, found),
            Step::Other => self.held(node, rest, found),
        }
    }

    /// Asks the rest of the path, which begins with a filter, of one member.
    fn filter(&self, span: Range<u64>, rest: Rest, found: &mut NodeSink<'_>) -> Result<(), RecallError> {
        // Alone among its siblings: a member by itself reads like a document of one record.
        self.held(&Node { span, form: Form::Records }, rest, found)
    }

    /// Asks the rest of the path of a tree, where walking is not possible.
    fn held(&self, node: &Node, rest: Rest, found: &mut NodeSink<'_>) -> Result<(), RecallError> {
        let (bytes, max) = (node.span.end - node.span.start, self.bounds.whole.max(self.bounds.tree));
        if bytes > max {
            return Err(RecallError::QueryTooLarge { bytes, max });
        }
        self.tree(node, rest, found)
    }

    fn slice(
        &self,
        node: &Node,
        (start, end, step): (Option<i64>, Option<i64>, u64),
        rest: Rest,
        found: &mut NodeSink<'_>,
    ) -> Result<(), RecallError> {
        let mut count = 0;
        let from_the_end = |index: Option<i64>| index.is_some_and(|index| index < 0);
        if from_the_end(start) || from_the_end(end) {
            self.members(node, &mut |key, _, _| {
                count += u64::from(key.is_none());
                Ok(ControlFlow::Continue(()))
            })?;
        } else {
            count = u64::MAX;
        }
        let wanted = selected(start, end, count);
        self.members(node, &mut |key, index, span| {
            if key.is_some() || index >= wanted.end {
                return Ok(ControlFlow::Break(()));
            }
            if index >= wanted.start && (index - wanted.start).is_multiple_of(step) {
                self.select(value(span), rest.next(), found)?;
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Visits every member of `node`.
    fn each(
        &self,
        node: &Node,
        visit: &mut dyn FnMut(Range<u64>) -> Result<(), RecallError>,
    ) -> Result<(), RecallError> {
        self.members(node, &mut |_, _, span| visit(span).map(ControlFlow::Continue))
    }

    fn members(
        &self,
        node: &Node,
        visit: &mut dyn FnMut(Option<String>, u64, Range<u64>) -> Result<ControlFlow<()>, RecallError>,
    ) -> Result<(), RecallError> {
        children(self.source, node.span.clone(), node.form, &mut |child| visit(child.key, child.index, child.span))
    }

    /// Asks the rest of the path of `node` as a tree, and finds the places of what it selects.
    fn tree(&self, node: &Node, rest: Rest, found: &mut NodeSink<'_>) -> Result<(), RecallError> {
        let bytes = self.source.bytes(node.span.clone())?;
        let tree = parse(&bytes, node)?;
        let (count, depth) = measure(&tree);
        if self.path.visits(rest.at, count, depth) > MOST_VISITS {
            let why = "it can select the same values too many times over: use fewer `..`, fewer selectors in one \
                       pair of brackets, and no `$..` inside a filter";
            return Err(RecallError::BadQuery { why: why.to_owned() });
        }
        let suffix = self.path.suffix(rest.at, rest.plainly)?;
        let nodes = suffix.query_located(&tree);
        let mut places = Places::default();
        for node in nodes.iter() {
            places.want(node.location().iter());
        }
        let held = Held { start: node.span.start, bytes: bytes.into() };
        places.find(&held, node.clone())?;
        for node in nodes.iter() {
            if let Some(place) = places.place(node.location().iter()) {
                found(place)?;
            }
        }
        Ok(())
    }

    /// Makes sure that a node that was only scanned is JSON.
    fn check(&self, node: &Node) -> Result<(), RecallError> {
        let size = node.span.end - node.span.start;
        if size <= self.bounds.tree {
            let bytes = self.source.bytes(node.span.clone())?;
            let values = serde_json::Deserializer::from_slice(&bytes).into_iter::<IgnoredAny>();
            return well_formed(values, node);
        }
        let reader =
            io::BufReader::with_capacity(64 * 1024, ArtifactReader { source: self.source, span: node.span.clone() });
        well_formed(serde_json::Deserializer::from_reader(reader).into_iter::<IgnoredAny>(), node)
    }
}

fn value(span: Range<u64>) -> Node {
    Node { span, form: Form::Value }
}

fn well_formed(values: impl Iterator<Item = serde_json::Result<IgnoredAny>>, node: &Node) -> Result<(), RecallError> {
    let mut count = 0u64;
    for value in values {
        value.map_err(|error| not_json(&error, node))?;
        count += 1;
    }
    if node.form == Form::Value && count != 1 {
        let why = format!("{count} values where one was expected, from byte {} on", node.span.start);
        return Err(RecallError::NotJson { why });
    }
    Ok(())
}

fn parse(bytes: &[u8], node: &Node) -> Result<Value, RecallError> {
    match node.form {
        Form::Value => serde_json::from_slice(bytes),
        Form::Records => {
            serde_json::Deserializer::from_slice(bytes).into_iter().collect::<Result<_, _>>().map(Value::Array)
        }
    }
    .map_err(|error| not_json(&error, node))
}

fn not_json(error: &serde_json::Error, node: &Node) -> RecallError {
    if error.is_io()
        && let Some(kind) = error.io_error_kind()
    {
        return RecallError::unwrapped(io::Error::new(kind, error.to_string()));
    }
    let why = match node.span.start {
        0 => error.to_string(),
        start => format!("{error} of what starts at byte {start}"),
    };
    RecallError::NotJson { why }
}

/// How many values a tree has, and how deep it is.
fn measure(tree: &Value) -> (u64, u64) {
    let below = |children: &mut dyn Iterator<Item = &Value>| {
        children
            .map(measure)
            .fold((1, 1), |(count, depth): (u64, u64), (more, deep)| (count + more, depth.max(deep + 1)))
    };
    match tree {
        Value::Array(members) => below(&mut members.iter()),
        Value::Object(members) => below(&mut members.values()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (1, 1),
    }
}

/// The places of the nodes that are wanted, as a tree of their paths.
#[derive(Debug, Default)]
struct Places {
    place: Option<Node>,
    names: BTreeMap<String, Places>,
    indexes: BTreeMap<u64, Places>,
}

impl Places {
    fn want<'e>(&mut self, path: impl Iterator<Item = &'e PathElement<'e>>) {
        let mut at = self;
        for element in path {
            at = match element {
                PathElement::Name(name) => {
                    if !at.names.contains_key(*name) {
                        at.names.insert((*name).to_owned(), Places::default());
                    }
                    at.names.entry((*name).to_owned()).or_default()
                }
                PathElement::Index(index) => at.indexes.entry(*index as u64).or_default(),
            };
        }
    }

    /// Walks over the text once, as deep as anything is wanted. Of several members of a name the last one counts, as
    /// it does in a tree.
    fn find(&mut self, held: &Held, node: Node) -> Result<(), RecallError> {
        self.place = Some(node.clone());
        if self.names.is_empty() && self.indexes.is_empty() {
            return Ok(());
        }
        children(held, node.span, node.form, &mut |child| {
            let below = match &child.key {
                Some(key) => self.names.get_mut(key),
                None => self.indexes.get_mut(&child.index),
            };
            if let Some(below) = below {
                below.find(held, value(child.span))?;
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    fn place<'e>(&self, path: impl Iterator<Item = &'e PathElement<'e>>) -> Option<Node> {
        let mut at = self;
        for element in path {
            at = match element {
                PathElement::Name(name) => at.names.get(*name)?,
                PathElement::Index(index) => at.indexes.get(&(*index as u64))?,
            };
        }
        at.place.clone()
    }
}

/// A part of the artifact as a reader.
pub(super) struct ArtifactReader<'a> {
    pub(super) source: &'a ArtifactDocument<'a>,
    pub(super) span: Range<u64>,
}

impl Read for ArtifactReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let wanted = self.span.start..self.span.end.min(self.span.start.saturating_add(buffer.len() as u64));
        let bytes = self.source.bytes(wanted).map_err(io::Error::other)?;
        self.span.start += bytes.len() as u64;
        for (to, from) in buffer.iter_mut().zip(&bytes) {
            *to = *from;
        }
        Ok(bytes.len())
    }
}

/// Writes a node without the white space between its tokens.
pub(super) fn write(source: &ArtifactDocument<'_>, node: &Node, out: &mut dyn io::Write) -> Result<(), RecallError> {
    if node.form == Form::Records {
        let mut first = true;
        out.write_all(b"[").map_err(RecallError::Output)?;
        children(source, node.span.clone(), node.form, &mut |child| {
            if !std::mem::take(&mut first) {
                out.write_all(b",").map_err(RecallError::Output)?;
            }
            write(source, &value(child.span), out)?;
            Ok(ControlFlow::Continue(()))
        })?;
        return out.write_all(b"]").map_err(RecallError::Output);
    }
    let mut lexer = Lexer::default();
    let mut at = node.span.start;
    let mut kept = Vec::new();
    while at < node.span.end {
        let part = source.bytes(at..node.span.end.min(at + offcut_store::BLOCK as u64))?;
        at += part.len() as u64;
        kept.clear();
        let mut rest = part.as_slice();
        while let Some(piece) = lexer.next(&mut rest) {
            if piece.lexeme != Lexeme::Space {
                kept.extend_from_slice(piece.bytes);
            }
        }
        out.write_all(&kept).map_err(RecallError::Output)?;
    }
    Ok(())
}
