//! Where things are in a JSON-RPC message, found while its bytes stream by.
//!
//! The [`Scanner`] is pushed bytes in any chunks. It checks that they are JSON as far as brackets, strings and commas
//! go, and notes the ranges of the few values that a proxy looks at ([`Zone`]); everything else it only passes over.

use std::fmt;
use std::ops::Range;

use offcut_core::json::{Lexeme, LexemePart, Lexer};

/// How many members or elements of one container are noted; the rest are passed over.
const MOST_NOTED: usize = 4096;

/// Below this depth brackets are only counted, so that memory does not grow with the nesting.
const DEEPEST: usize = 10_000;

/// How many bytes of a key are held; a longer one is none that we know.
const LONGEST_KEY: usize = 128;

/// A value of the message, as far as it was looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    /// Its bytes in the message; of a string, with its quotes.
    pub(crate) range: Range<u64>,
    pub(crate) shape: Shape,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// An object that was looked into.
    Object(Vec<Member>),
    /// An array that was looked into; `rest` is where the elements are that were too many to be noted.
    Array {
        /// The first elements.
        elements: Vec<Value>,
        /// From the first element that is not noted to the last.
        rest: Option<Range<u64>>,
    },
    /// An object that was passed over.
    ClosedObject,
    /// An array that was passed over.
    ClosedArray,
    /// A string.
    Text,
    /// A number, `true`, `false` or `null`.
    Scalar,
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its key, without escapes.
    pub(crate) key: Box<str>,
    /// Where the key's opening quote is.
    pub(crate) start: u64,
    pub(crate) value: Value,
}

impl Member {
    /// The bytes of key and value.
    pub(crate) fn range(&self) -> Range<u64> {
        self.start..self.value.range.end
    }
}

impl Value {
    fn new(start: u64, shape: Shape) -> Value {
        Value { range: start..start, shape }
    }

    /// The member `key` of an object; of several the last, as most parsers have it.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.members().iter().rev().find(|member| *member.key == *key).map(|member| &member.value)
    }

    /// The members of an object that was looked into.
    pub(crate) fn members(&self) -> &[Member] {
        match &self.shape {
            Shape::Object(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array that was looked into.
    pub(crate) fn elements(&self) -> &[Value] {
        match &self.shape {
            Shape::Array { elements, .. } => elements,
            _ => &[],
        }
    }

    /// Whether it is a string.
    pub(crate) fn is_text(&self) -> bool {
        self.shape == Shape::Text
    }

    /// The bytes between a string's quotes.
    pub(crate) fn inner(&self) -> Range<u64> {
        self.range.start + 1..self.range.end.saturating_sub(1)
    }

    /// How many bytes it takes.
    pub(crate) fn len(&self) -> u64 {
        self.range.end - self.range.start
    }
}

/// A message, or a batch of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outline {
    pub(crate) root: Value,
}

impl Outline {
    /// The messages: one, or those of the batch.
    pub(crate) fn messages(&self) -> &[Value] {
        match &self.root.shape {
            Shape::Array { elements, .. } => elements,
            _ => std::slice::from_ref(&self.root),
        }
    }
}

/// Bytes that are not a JSON-RPC message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Where.
    pub(crate) at: u64,
    /// What was wrong there.
    pub(crate) why: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.why, self.at)
    }
}

/// Which containers are looked into: those on the way to what a proxy reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zone {
    Batch,
    Message,
    Params,
    Meta,
    Result,
    /// A list of content blocks, resource contents or tools.
    List,
    /// A content block, a resource's content, a tool.
    Item,
    /// An object whose members are noted and not looked into.
    Leaf,
}

impl Zone {
    /// The zone of a container in this one, under `key` where this is an object.
    fn inside(self, key: &str) -> Option<Zone> {
        match (self, key) {
            (Zone::Batch, _) => Some(Zone::Message),
            (Zone::Message, "params") => Some(Zone::Params),
            (Zone::Message, "result") => Some(Zone::Result),
            (Zone::Message, "error") => Some(Zone::Leaf),
            (Zone::Params, "_meta") => Some(Zone::Meta),
            (Zone::Params, "clientInfo" | "capabilities" | "ref" | "task") => Some(Zone::Leaf),
            (Zone::Meta, key) if key.ends_with("/clientInfo") || key.ends_with("/clientCapabilities") => {
                Some(Zone::Leaf)
            }
            (Zone::Result, "content" | "contents" | "tools") => Some(Zone::List),
            (Zone::Result, "_meta" | "task" | "capabilities") => Some(Zone::Leaf),
            // A task of the later revisions carries the tool's result inside.
            (Zone::Result, "result") => Some(Zone::Result),
            (Zone::List, _) => Some(Zone::Item),
            (Zone::Item, "resource") => Some(Zone::Leaf),
            _ => None,
        }
    }
}

/// A container that is being looked into.
#[derive(Debug)]
struct Open {
    zone: Zone,
    value: Value,
    /// The key of the member whose value comes, and where it starts.
    key: Option<(Box<str>, u64)>,
    /// The rest of an array with too many elements.
    rest: Option<Range<u64>>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// A value must come, or is a string that goes on.
    #[default]
    Value,
    /// A value or the end of the array.
    ValueOrEnd,
    /// A key or the end of the object.
    KeyOrEnd,
    /// A key must come, or goes on.
    Key,
    Colon,
    /// A number or a literal goes on.
    Scalar,
    /// Below the depth at which brackets are told apart.
    Deep,
    /// A comma or the end of the container.
    CommaOrEnd,
    Done,
    Failed,
}

/// Makes an [`Outline`] of bytes that are pushed in any chunks.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    lexer: Lexer,
    /// The piece of a lexeme that is looked at.
    piece: Range<u64>,
    state: State,
    open: Vec<Open>,
    /// What is open below the innermost container that is looked into: `true` for an object.
    closed: Vec<bool>,
    /// How many brackets are open below those.
    deep: u64,
    key: Vec<u8>,
    key_start: u64,
    value_start: u64,
    root: Option<Value>,
    failure: Option<Malformed>,
}

impl Scanner {
    /// Takes the next bytes in.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(piece) = self.lexer.next(&mut rest) {
            self.piece = self.piece.end..self.piece.end + piece.bytes.len() as u64;
            match piece.lexeme {
                Lexeme::Space => {}
                Lexeme::Mark(byte) => self.mark(byte),
                Lexeme::Text => self.text(&piece),
                Lexeme::Word => self.word(&piece),
            }
        }
    }

    /// The end of the message.
    pub(crate) fn finish(mut self) -> Result<Outline, Malformed> {
        if self.state == State::Scalar {
            self.end_value(Shape::Scalar);
        }
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        match self.root {
            Some(root) if matches!(root.shape, Shape::Object(_) | Shape::Array { .. }) => Ok(Outline { root }),
            Some(_) => Err(Malformed { at: 0, why: "neither an object nor an array" }),
            None => Err(Malformed { at: self.piece.end, why: "the end comes too early" }),
        }
    }

    fn fail(&mut self, why: &'static str) {
        self.state = State::Failed;
        self.failure.get_or_insert(Malformed { at: self.piece.start, why });
    }

    /// What begins here has no place here.
    fn refuse(&mut self) {
        self.fail(if self.state == State::Done { "something follows the message" } else { "not JSON" });
    }

    fn text(&mut self, piece: &LexemePart<'_>) {
        let is_key = match self.state {
            State::Key | State::KeyOrEnd => true,
            State::Value | State::ValueOrEnd => false,
            State::Deep => return,
            _ => return self.refuse(),
        };
        if piece.begins {
            match is_key {
                true => self.key_start = self.piece.start,
                false => self.begin_value(),
            }
        }
        // The bytes of a key that we may know are kept.
        if is_key && self.closed.is_empty() {
            let room = LONGEST_KEY.saturating_sub(self.key.len());
            self.key.extend(piece.inside().iter().take(room));
        }
        match (piece.ends, is_key) {
            (false, _) => {}
            (true, true) => {
                self.state = State::Colon;
                self.end_key();
            }
            (true, false) => self.end_value(Shape::Text),
        }
    }

    fn word(&mut self, piece: &LexemePart<'_>) {
        match self.state {
            State::Value | State::ValueOrEnd => {
                self.begin_value();
                self.state = State::Scalar;
            }
            State::Scalar | State::Deep => {}
            _ => return self.refuse(),
        }
        if piece.ends && self.state == State::Scalar {
            self.end_value(Shape::Scalar);
        }
    }

    fn end_key(&mut self) {
        if !self.closed.is_empty() {
            return;
        }
        let key = decoded(&self.key);
        self.key.clear();
        if let Some(open) = self.open.last_mut() {
            open.key = Some((key, self.key_start));
        }
    }

    fn mark(&mut self, byte: u8) {
        match (self.state, byte) {
            (State::Value | State::ValueOrEnd, b'{') => self.open_container(true),
            (State::Value | State::ValueOrEnd, b'[') => self.open_container(false),
            (State::KeyOrEnd | State::CommaOrEnd, b'}') => self.close_container(true),
            (State::ValueOrEnd | State::CommaOrEnd, b']') => self.close_container(false),
            (State::CommaOrEnd, b',') => self.state = if self.in_object() { State::Key } else { State::Value },
            (State::Colon, b':') => self.state = State::Value,
            (State::Deep, b'{' | b'[') => self.deep += 1,
            (State::Deep, b'}' | b']') => {
                self.deep -= 1;
                if self.deep == 0 {
                    self.state = State::CommaOrEnd;
                }
            }
            // A form feed is passed over like white space.
            (State::Deep, _) | (_, b'\x0c') => {}
            _ => self.refuse(),
        }
    }

    /// Notes where a value begins, if it is one that will be noted.
    fn begin_value(&mut self) {
        if self.closed.is_empty() {
            self.value_start = self.piece.start;
        }
    }

    fn in_object(&self) -> bool {
        match self.closed.last() {
            Some(is_object) => *is_object,
            None => self.open.last().is_some_and(|open| matches!(open.value.shape, Shape::Object(_))),
        }
    }

    fn open_container(&mut self, is_object: bool) {
        if self.open.len() + self.closed.len() >= DEEPEST {
            self.deep = 1;
            self.state = State::Deep;
            return;
        }
        self.state = if is_object { State::KeyOrEnd } else { State::ValueOrEnd };
        match self.zone(is_object) {
            Some(zone) => {
                let shape = match is_object {
                    true => Shape::Object(Vec::new()),
                    false => Shape::Array { elements: Vec::new(), rest: None },
                };
                self.open.push(Open { zone, value: Value::new(self.piece.start, shape), key: None, rest: None });
            }
            None => {
                self.begin_value();
                self.closed.push(is_object);
            }
        }
    }

    /// The zone of the container that opens here; none where it is passed over.
    fn zone(&self, is_object: bool) -> Option<Zone> {
        if !self.closed.is_empty() {
            return None;
        }
        let Some(parent) = self.open.last() else {
            return Some(if is_object { Zone::Message } else { Zone::Batch });
        };
        if parent.noted() >= MOST_NOTED {
            return None;
        }
        let zone = parent.zone.inside(parent.key.as_ref().map_or("", |(key, _)| key))?;
        (is_object != matches!(zone, Zone::List)).then_some(zone)
    }

    fn close_container(&mut self, is_object: bool) {
        if self.in_object() != is_object || (self.open.is_empty() && self.closed.is_empty()) {
            return self.fail("brackets do not match");
        }
        if self.closed.pop().is_some() {
            self.state = State::CommaOrEnd;
            if self.closed.is_empty() {
                self.end_value(if is_object { Shape::ClosedObject } else { Shape::ClosedArray });
            }
            return;
        }
        if let Some(Open { mut value, rest: left, .. }) = self.open.pop() {
            value.range.end = self.piece.end;
            if let Shape::Array { rest, .. } = &mut value.shape {
                *rest = left;
            }
            self.note(value);
        }
    }

    /// The end of a value that is no container that is looked into.
    fn end_value(&mut self, shape: Shape) {
        if self.closed.is_empty() {
            self.note(Value { range: self.value_start..self.piece.end, shape });
        } else {
            self.state = State::CommaOrEnd;
        }
    }

    /// Gives a value to the container that it is in.
    fn note(&mut self, value: Value) {
        self.state = State::CommaOrEnd;
        let Some(parent) = self.open.last_mut() else {
            self.state = State::Done;
            self.root = Some(value);
            return;
        };
        let full = parent.noted() >= MOST_NOTED;
        match &mut parent.value.shape {
            Shape::Object(members) => {
                if let Some((key, start)) = parent.key.take()
                    && !full
                {
                    members.push(Member { key, start, value });
                }
            }
            Shape::Array { elements, .. } if !full => elements.push(value),
            _ => {
                let start = parent.rest.as_ref().map_or(value.range.start, |rest| rest.start);
                parent.rest = Some(start..value.range.end);
            }
        }
    }
}

impl Open {
    /// How many members or elements were noted.
    fn noted(&self) -> usize {
        match &self.value.shape {
            Shape::Object(members) => members.len(),
            Shape::Array { elements, .. } => elements.len(),
            _ => 0,
        }
    }
}

/// A key without its escapes.
fn decoded(raw: &[u8]) -> Box<str> {
    if raw.contains(&b'\\') {
        let quoted = [b"\"", raw, b"\""].concat();
        if let Ok(key) = serde_json::from_slice::<String>(&quoted) {
            return key.into();
        }
    }
    String::from_utf8_lossy(raw).into()
}

#[cfg(test)]
mod tests;
