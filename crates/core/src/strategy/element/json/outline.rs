//! The containers of a JSON document and their children, in one pass and bounded memory.
//!
//! The first pass checks the whole document and remembers the families of its large containers; those of small ones
//! are read again when they are wanted.

use std::collections::BTreeMap;
use std::ops::Range;

use super::scan::{Found, Malformed, Scanner, Token};
use crate::document::Document;
use crate::strategy::element::census::{Census, Traits, hash};
use crate::strategy::element::severity;
use crate::strategy::element::tree::{Family, Form, Node};

/// How deep containers are looked into.
pub(super) const DEEPEST: usize = 14;
/// A container below this size is never remembered.
const SMALL: u64 = 64 * 1024;
/// Scalars up to this length are compared with each other.
const COMPARED: usize = 256;
/// Documents up to this size are searched for severe words.
const SEARCHED: u64 = 64 * 1024 * 1024;

/// How many children of a container are remembered from each end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) firsts: usize,
    pub(super) lasts: usize,
}

/// The families of a document's containers.
pub(super) struct Outline<'a> {
    document: &'a dyn Document,
    sample: Sample,
    search: bool,
    families: BTreeMap<u64, Family>,
}

/// The texts of a document: one value, or many.
pub(super) struct Roots {
    /// The values, as children of the document itself.
    pub(super) family: Family,
}

struct Frame {
    node: Node,
    census: Census,
    traits: Traits,
    key: Option<(u64, u64)>,
    before: u64,
}

impl<'a> Outline<'a> {
    /// Reads all of `range` and checks it; `many` values may follow each other.
    pub(super) fn read(
        document: &'a dyn Document,
        range: Range<u64>,
        many: bool,
        sample: Sample,
    ) -> Result<(Outline<'a>, Roots), Malformed> {
        let search = range.end - range.start <= SEARCHED;
        let mut outline = Outline { document, sample, search, families: BTreeMap::new() };
        let large = (SMALL).max((range.end - range.start) / 256);
        let scanner =
            if many { Scanner::many(document, range.clone())? } else { Scanner::one(document, range.clone())? };
        let family = outline.scan(scanner, range.start, large)?;
        Ok((outline, Roots { family }))
    }

    /// The children of a container.
    pub(super) fn family(&mut self, node: &Node) -> Result<Family, Malformed> {
        if let Some(family) = self.families.get(&node.value) {
            return Ok(family.clone());
        }
        let scanner = Scanner::one(self.document, node.value..node.end)?;
        self.scan(scanner, node.value, 0)?;
        Ok(self.families.remove(&node.value).unwrap_or_default())
    }

    /// Reads to the end; remembers the families of containers of `large` bytes and more (if 0: of the root alone).
    fn scan(&mut self, mut scanner: Scanner<'a>, start: u64, large: u64) -> Result<Family, Malformed> {
        let mut pool: Vec<Frame> = Vec::new();
        let whole = Node::at(start..start, Form::List);
        let mut frames: Vec<Frame> = vec![self.frame(&mut pool, whole)];
        while let Some(found) = scanner.next()? {
            let depth = match found.token {
                Token::OpenArray | Token::OpenObject => scanner.depth(),
                Token::Close => scanner.depth() + 1,
                _ => scanner.depth() + 1,
            };
            if depth > DEEPEST {
                continue;
            }
            match found.token {
                Token::Key => {
                    let name = scanner.bytes_since(found.start).map_or(0, |bytes| {
                        let length = usize::try_from(found.end - found.start).unwrap_or(usize::MAX);
                        hash(bytes.get(..length.min(bytes.len())).unwrap_or_default())
                    });
                    if let Some(frame) = frames.last_mut() {
                        frame.key = Some((found.start, name));
                        frame.traits.shape = frame.traits.shape.wrapping_add(name | 1);
                    }
                }
                Token::OpenArray | Token::OpenObject => {
                    let form = if found.token == Token::OpenArray { Form::List } else { Form::Map };
                    let Some(parent) = frames.last() else { continue };
                    let node = child(parent, &found, form);
                    let frame = self.frame(&mut pool, node);
                    frames.push(frame);
                }
                Token::Close => {
                    if frames.len() < 2 {
                        continue;
                    }
                    let Some(mut frame) = frames.pop() else { continue };
                    frame.node.end = found.end;
                    let is_large = if large == 0 { frames.len() == 1 } else { frame.node.bytes() >= large };
                    if is_large {
                        self.families.insert(frame.node.value, frame.census.family());
                    }
                    if let Some(parent) = frames.last_mut() {
                        if frame.node.form == Form::List {
                            frame.traits.shape = u64::from(b'[');
                        }
                        // What is severe inside a part is severe inside the whole, a little less.
                        parent.traits.severity = parent.traits.severity.max(frame.traits.severity.saturating_sub(1));
                        parent.census.add_with(frame.node, &frame.traits);
                        parent.before = found.end;
                        parent.key = None;
                    }
                    pool.push(frame);
                }
                Token::Text | Token::Number | Token::Word => {
                    if let Some(frame) = frames.last_mut() {
                        self.scalar(frame, &found, &scanner);
                    }
                }
            }
        }
        Ok(frames.first().map(|frame| frame.census.family()).unwrap_or_default())
    }

    fn scalar(&self, frame: &mut Frame, found: &Found, scanner: &Scanner<'a>) {
        let form = if found.token == Token::Text { Form::Text } else { Form::Scalar };
        let node = child(frame, found, form);
        let bytes = scanner.bytes_since(found.start).unwrap_or_default();
        let value = (bytes.len() <= COMPARED).then(|| hash(bytes));
        let severity = if self.search && form == Form::Text { severity::of(bytes) } else { 0 };
        frame.traits.severity = frame.traits.severity.max(severity);
        match (frame.node.form, frame.key) {
            (Form::Map, Some((_, name))) => {
                if let Some(value) = value {
                    frame.traits.values.push((name, value));
                }
                frame.census.add(node);
            }
            _ => {
                let shape = match found.token {
                    Token::Text => 1,
                    Token::Number => 2,
                    _ => 3,
                };
                let traits = Traits { shape, values: value.map(|value| (0, value)).into_iter().collect(), severity };
                frame.census.add_with(node, &traits);
            }
        }
        frame.before = found.end;
        frame.key = None;
    }

    fn frame(&self, pool: &mut Vec<Frame>, node: Node) -> Frame {
        let before = node.end;
        let mut frame = match pool.pop() {
            Some(frame) => Frame { node, before, key: None, ..frame },
            None => Frame { node, census: Census::default(), traits: Traits::default(), key: None, before },
        };
        frame.census.start(self.sample.firsts, self.sample.lasts);
        frame.traits.clear();
        frame
    }
}

/// The child of `parent` that was found; a container's end is not known yet and stands behind its bracket.
fn child(parent: &Frame, found: &Found, form: Form) -> Node {
    let start = parent.key.map_or(found.start, |(start, _)| start);
    Node { before: parent.before, value: found.start, index: parent.census.count(), ..Node::at(start..found.end, form) }
}
