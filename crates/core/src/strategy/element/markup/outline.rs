//! The elements of a markup document and their children, in one pass and bounded memory.

use std::collections::BTreeMap;
use std::ops::Range;

use super::scan::{MarkupToken, Scanner, Token};
use crate::document::Document;
use crate::strategy::CutError;
use crate::strategy::element::census::{Census, Traits, hash};
use crate::strategy::element::markup::attributes;
use crate::strategy::element::numbers;
use crate::strategy::element::tree::{Family, Form, Node};

/// How deep elements are looked into.
pub(super) const DEEPEST: usize = 40;
/// How deep XML may be nested at all.
const TOO_DEEP: usize = 4_000_000;
/// Comments and declarations outside of the root element.
const MOST_PROLOG: usize = 1000;
/// An element below this size is never remembered.
const SMALL: u64 = 64 * 1024;
/// A part of HTML without blocks that is not longer than this is shown whole or not at all.
const PHRASE: u64 = 800;
/// An element of XML that holds nothing but text, and not more than this, is a plain value.
const VALUE: u64 = 160;
/// The elements of HTML that stand within a line.
const INLINE: [&str; 28] = [
    "a", "abbr", "acronym", "b", "bdi", "big", "cite", "code", "dfn", "del", "em", "font", "i", "ins", "kbd", "label",
    "mark", "q", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "var",
];
/// The elements of HTML whose children are alike.
const LISTS: [&str; 8] = ["ul", "ol", "dl", "table", "tbody", "thead", "select", "menu"];
/// How many names of children are told apart.
const NAMES: usize = 8;

/// The families of a document's elements.
pub(super) struct Outline<'a> {
    document: &'a dyn Document,
    html: bool,
    sample: usize,
    families: BTreeMap<u64, Family>,
    /// Frames to be used again.
    closed: Vec<Frame>,
}

/// What stands at the top of a document.
pub(super) struct Top {
    /// The tokens before the root: declarations, comments, instructions.
    pub(super) prolog: Vec<(Token, Range<u64>)>,
    /// The elements (and in HTML also texts) that are in no other; one in XML.
    pub(super) family: Family,
}

#[derive(Default)]
struct Frame {
    node: Node,
    name: String,
    census: Census,
    traits: Traits,
    names: Vec<(u64, u64, String)>,
    texts: u64,
    /// Whether it is for finding one's way, and not what the page says.
    is_aside: bool,
    /// Elements inside, at any depth, that stand on lines of their own.
    blocks: u64,
    before: u64,
}

impl<'a> Outline<'a> {
    /// Reads all of `range` and checks it.
    pub(super) fn read(
        document: &'a dyn Document,
        range: Range<u64>,
        html: bool,
        sample: usize,
    ) -> Result<(Outline<'a>, Top), CutError> {
        let mut outline = Outline { document, html, sample, families: BTreeMap::new(), closed: Vec::new() };
        let large = SMALL.max((range.end - range.start) / 256);
        let top = outline.scan(range, large)?;
        Ok((outline, top))
    }

    /// The children of an element.
    pub(super) fn family(&mut self, node: &Node) -> Result<Family, CutError> {
        if let Some(family) = self.families.get(&node.start) {
            return Ok(family.clone());
        }
        self.scan(node.range(), 0)?;
        Ok(self.families.remove(&node.start).unwrap_or_default())
    }

    fn scan(&mut self, range: Range<u64>, large: u64) -> Result<Top, CutError> {
        let mut scanner = Scanner::new(self.document, range.clone(), self.html)?;
        let whole = Node { value: range.start, end: range.start, ..Node::at(range.start..range.start, Form::Map) };
        let mut frames = vec![self.frame(whole, String::new())];
        // Names below the deepest frame, as hashes.
        let mut below: Vec<u64> = Vec::new();
        let mut prolog = Vec::new();
        while let Some(found) = scanner.next()? {
            if prolog.len() > MOST_PROLOG {
                return Err(scanner.malformed(found.range.start, "too many comments outside of the root element"));
            }
            let top = frames.len() == 1;
            match found.token {
                Token::Open => {
                    if self.html && below.is_empty() {
                        self.close_implied(&mut frames, &found, large);
                    }
                    if top && !self.html && frames.first().is_some_and(|frame| frame.census.count() > 0) {
                        return Err(scanner.malformed(found.range.start, "a second root element"));
                    }
                    if frames.len() > DEEPEST || !below.is_empty() {
                        if below.len() > TOO_DEEP {
                            return Err(scanner.malformed(found.range.start, "nested too deep"));
                        }
                        below.push(hash(found.name.as_bytes()));
                        continue;
                    }
                    let Some(parent) = frames.last() else { continue };
                    let mut node = child(parent, found.range.clone(), Form::Map);
                    node.value = found.range.end;
                    let tag = scanner.tag_since(found.range.start);
                    let mut frame = self.frame(node, found.name);
                    match tag {
                        Some(tag) if self.html => frame.is_aside = attributes::are_aside(tag),
                        Some(tag) => attributes::note(tag, &mut frame.traits),
                        None => {}
                    }
                    frame.traits.severity = found.severity;
                    frame.traits.shape = hash(frame.name.as_bytes());
                    frames.push(frame);
                }
                Token::Close => self.close(&mut frames, &mut below, &found, &scanner, large)?,
                Token::Doctype => prolog.push((found.token, found.range)),
                Token::Comment | Token::Instruction if top && !self.html => prolog.push((found.token, found.range)),
                Token::Text | Token::Data if top && !self.html => {
                    return Err(scanner.malformed(found.range.start, "text outside of the root element"));
                }
                _ if below.is_empty() => {
                    if let Some(frame) = frames.last_mut() {
                        let words = scanner.words(&found).filter(|_| found.token == Token::Text);
                        let empty = found.token == Token::Empty && !self.html;
                        let tag = scanner.tag_since(found.range.start).filter(|_| empty);
                        leaf(frame, &found, words, tag, self.html);
                    }
                }
                _ => {}
            }
        }
        if !self.html && (frames.len() > 1 || !below.is_empty()) {
            let open = frames.last().map_or(range.start, |frame| frame.node.start);
            return Err(scanner.malformed(open, "an element that is never closed"));
        }
        while frames.len() > 1 {
            let end = frames.last().map_or(range.end, |frame| frame.before.max(frame.node.value));
            self.pop(&mut frames, end, large);
        }
        Ok(Top { prolog, family: frames.first().map(family_of).unwrap_or_default() })
    }

    fn close(
        &mut self,
        frames: &mut Vec<Frame>,
        below: &mut Vec<u64>,
        found: &MarkupToken,
        scanner: &Scanner<'a>,
        large: u64,
    ) -> Result<(), CutError> {
        let name = hash(found.name.as_bytes());
        if !below.is_empty() {
            match below.iter().rposition(|open| *open == name) {
                Some(at) if self.html || at + 1 == below.len() => below.truncate(at),
                _ if self.html => {}
                _ => return Err(scanner.malformed(found.range.start, "an end tag of another name")),
            }
            return Ok(());
        }
        let open = frames.iter().rposition(|frame| frame.name == found.name).filter(|&at| at > 0);
        match open {
            Some(at) if self.html || at + 1 == frames.len() => {
                while frames.len() > at + 1 {
                    let end = frames.last().map_or(found.range.start, |frame| frame.before);
                    self.pop(frames, end, large);
                }
                self.pop(frames, found.range.end, large);
                Ok(())
            }
            // An end tag that closes nothing is left alone.
            _ if self.html => Ok(()),
            _ => Err(scanner.malformed(found.range.start, "an end tag of another name")),
        }
    }

    /// Closes the elements of HTML that the start of another one closes.
    fn close_implied(&mut self, frames: &mut Vec<Frame>, found: &MarkupToken, large: u64) {
        let closes = |open: &str| match found.name.as_str() {
            "li" => open == "li",
            "tr" => matches!(open, "tr" | "td" | "th"),
            "td" | "th" => matches!(open, "td" | "th"),
            "dt" | "dd" => matches!(open, "dt" | "dd"),
            "option" => open == "option",
            "p" | "div" | "ul" | "ol" | "table" | "pre" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "section" => {
                open == "p"
            }
            _ => false,
        };
        while frames.len() > 1 && frames.last().is_some_and(|frame| closes(&frame.name)) {
            let end = frames.last().map_or(found.range.start, |frame| frame.before);
            self.pop(frames, end, large);
        }
    }

    /// Closes the innermost element at `end`.
    fn pop(&mut self, frames: &mut Vec<Frame>, end: u64, large: u64) {
        let Some(mut frame) = frames.pop() else { return };
        frame.node.end = end.max(frame.node.value);
        frame.node.form = form_of(&frame, self.html);
        let remember = if large == 0 { frames.len() == 1 } else { frame.node.bytes() >= large };
        if remember {
            self.families.insert(frame.node.start, family_of(&frame));
        }
        if let Some(parent) = frames.last_mut() {
            frame.node.salience = match salience(&frame.name, self.html) {
                _ if frame.is_aside => -1,
                least @ ..0 => least,
                own => frame.node.salience.max(own),
            };
            parent.node.salience = parent.node.salience.max(frame.node.salience);
            parent.blocks += frame.blocks + u64::from(!INLINE.contains(&frame.name.as_str()));
            parent.traits.severity = parent.traits.severity.max(frame.traits.severity.saturating_sub(1));
            parent.traits.inherit_message(&frame.traits);
            note_values(parent, &frame);
            note_name(parent, &frame.name);
            parent.traits.shape = parent.traits.shape.wrapping_add(hash(frame.name.as_bytes()));
            parent.census.add_with(frame.node, &frame.traits);
            parent.before = frame.node.end;
        }
        self.closed.push(frame);
    }

    /// A frame for an element that opens; those of closed elements are used again.
    fn frame(&mut self, node: Node, name: String) -> Frame {
        let mut frame = self.closed.pop().unwrap_or_default();
        frame.node = node;
        frame.name = name;
        frame.census.start(self.sample, self.sample / 4);
        frame.traits.clear();
        frame.names.clear();
        frame.texts = 0;
        frame.is_aside = false;
        frame.blocks = 0;
        frame.before = node.value;
        frame
    }
}

fn child(parent: &Frame, range: Range<u64>, form: Form) -> Node {
    Node { before: parent.before, index: parent.census.count(), ..Node::at(range, form) }
}

fn leaf(frame: &mut Frame, found: &MarkupToken, words: Option<&[u8]>, tag: Option<&[u8]>, html: bool) {
    let form = match found.token {
        Token::Text | Token::Comment | Token::Data => Form::Text,
        _ => Form::Scalar,
    };
    let mut node = child(frame, found.range.clone(), form);
    match found.token {
        Token::Text | Token::Data => {
            frame.texts += 1;
            if let Some(words) = words {
                frame.traits.push(0, hash(words));
                numbers::parse(words).into_iter().for_each(|number| frame.traits.push_number(0, number));
            }
        }
        Token::Empty => {
            note_name(frame, &found.name);
            frame.traits.shape = frame.traits.shape.wrapping_add(hash(found.name.as_bytes()));
        }
        _ => {}
    }
    if found.token == Token::Comment {
        node.salience = -1;
    }
    if html && found.token == Token::Text && !matches!(found.name.as_str(), "script" | "style") {
        node.salience = 1;
        frame.node.salience = frame.node.salience.max(1);
    }
    frame.traits.severity = frame.traits.severity.max(found.severity);
    let shape = hash(found.name.as_bytes()).wrapping_add(found.token as u64);
    let mut traits = Traits { shape, severity: found.severity, ..Traits::default() };
    tag.into_iter().for_each(|tag| attributes::note(tag, &mut traits));
    frame.traits.inherit_message(&traits);
    frame.census.add_with(node, &traits);
    frame.before = found.range.end;
}

/// How much an element of HTML stands out: headings most, what nobody reads least.
fn salience(name: &str, html: bool) -> i8 {
    match name {
        _ if !html => 0,
        "h1" | "h2" | "h3" | "h4" | "title" | "caption" => 3,
        "h5" | "h6" | "th" | "dt" => 2,
        "script" | "style" | "svg" | "nav" | "footer" | "iframe" | "template" | "noscript" => -1,
        _ => 0,
    }
}

/// Notes what a part of an element says: the text of one that holds nothing else is the element's own value, of a name
/// that counts those before it, as the cells of a row have the same one.
fn note_values(parent: &mut Frame, part: &Frame) {
    let hashed = hash(part.name.as_bytes());
    let before = parent.names.iter().find(|(known, _, _)| *known == hashed).map_or(0, |(_, count, _)| *count);
    let name = hashed.wrapping_add(before);
    if part.texts == 1 && part.names.is_empty() {
        part.traits.values.iter().for_each(|(_, value)| parent.traits.push(name, *value));
        part.traits.numbers.iter().for_each(|(_, number)| parent.traits.push_number(name, *number));
    } else {
        parent.traits.nest(name, &part.traits);
    }
}

fn note_name(frame: &mut Frame, name: &str) {
    let hashed = hash(name.as_bytes());
    if let Some((_, count, _)) = frame.names.iter_mut().find(|(known, _, _)| *known == hashed) {
        *count += 1;
    } else if frame.names.len() < NAMES {
        frame.names.push((hashed, 1, name.to_string()));
    }
}

/// Repeated children make a list, different ones a map. In HTML a part without blocks is read as one.
fn form_of(frame: &Frame, html: bool) -> Form {
    let most = frame.names.iter().map(|(_, count, _)| *count).max().unwrap_or(0);
    let list = match html {
        true => LISTS.contains(&frame.name.as_str()) || most > 15,
        false => true,
    };
    let plain = match html {
        true => frame.blocks == 0 && frame.node.bytes() <= PHRASE,
        false => frame.names.is_empty() && frame.node.bytes() <= VALUE,
    };
    if plain {
        Form::Scalar
    } else if list && most > 2 && most * 2 + 2 >= frame.census.count() {
        Form::List
    } else {
        Form::Map
    }
}

fn family_of(frame: &Frame) -> Family {
    let mut family = frame.census.family();
    let only = frame.names.first().filter(|(_, count, name)| *count == family.count && !name.contains("--"));
    family.label = match only {
        Some((_, _, name)) => format!("{name} element"),
        None if frame.texts > 0 => "node".into(),
        None => "element".into(),
    };
    family
}
