//! The entries of YAML's block collections.

use std::ops::Range;

use super::lines::{YamlEntry, YamlLine, YamlLines, content, entry, properties};
use crate::document::Document;
use crate::line::severity;
use crate::strategy::CutError;
use crate::strategy::element::census::{Census, Traits, hash};
use crate::strategy::element::format::Short;
use crate::strategy::element::numbers;
use crate::strategy::element::tree::{Family, Form, Node};
use crate::text;

/// A single-line value that is longer than this may be shortened inside.
const LONG_VALUE: u64 = 240;

/// The documents of the stream, each as the collection that it holds.
pub(super) fn documents(document: &dyn Document, sample: usize) -> Result<Family, CutError> {
    let mut census = Census::default();
    census.start(sample, sample / 4);
    let mut reader = YamlLines::new(document, 0..document.extent().bytes)?;
    let mut before = 0;
    let mut open: Option<(Node, u64)> = None;
    while let Some(line) = reader.next()? {
        if line.is_marker() || (open.is_none() && line.words.starts_with('%')) {
            if let Some((node, _)) = open.take() {
                census.add(Node { end: line.range.start, ..node });
                before = line.range.start;
            }
            // A value on the marker's own line is not looked into.
            if line.words.len() > 3
                && !content(line.words.get(3..).unwrap_or_default()).is_empty()
                && !line.words.starts_with('%')
            {
                let node = Node { before, index: census.count(), ..Node::at(line.range.clone(), Form::Scalar) };
                open = Some((node, line.indent));
            }
            continue;
        }
        if line.is_idle() || open.is_some() {
            continue;
        }
        let form = match entry(&line.words) {
            Some(YamlEntry::Item(_)) => Form::List,
            Some(YamlEntry::Member { .. }) => Form::Map,
            None => Form::Scalar,
        };
        open = Some((
            Node { before, index: census.count(), ..Node::at(line.range.start..line.range.start, form) },
            line.indent,
        ));
    }
    if let Some((node, _)) = open {
        census.add(Node { end: document.extent().bytes, ..node });
    }
    Ok(census.family())
}

/// An entry that is being read.
struct Open {
    node: Node,
    /// Where its own line begins or its dash stands.
    rest: String,
    first_line: Range<u64>,
    /// Whether lines below it are its children.
    block: bool,
    deeper: Option<u64>,
    lines: u64,
    traits: Traits,
    /// The hash of the name of the member that was read last.
    within: u64,
}

/// The entries of the block collection in `node`.
pub(super) fn family(document: &dyn Document, node: &Node, sample: usize) -> Result<Family, CutError> {
    let mut census = Census::default();
    census.start(sample, sample / 4);
    let mut reader = YamlLines::new(document, node.value..node.end)?;
    let mut indent = None;
    let mut open: Option<Open> = None;
    let mut pending: Option<(u64, u64)> = None;
    while let Some(line) = reader.next()? {
        if line.is_idle() {
            pending.get_or_insert((line.range.start, line.words_start()));
            continue;
        }
        let own = if indent.is_none_or(|indent| indent == line.indent) { entry(&line.words) } else { None };
        let fits = matches!(
            (own, node.form),
            (Some(YamlEntry::Item(_)), Form::List) | (Some(YamlEntry::Member { .. }), Form::Map)
        );
        if !fits {
            pending = None;
            if let Some(open) = &mut open {
                open.add(&line);
            }
            continue;
        }
        // A comment that stands deeper than the entries belongs to the one before it.
        let comment = pending.take().filter(|(start, words)| indent.is_some() && words - start <= line.spaces + 1);
        let begins = comment.map_or(line.range.start, |(start, _)| start);
        let start = comment.map_or(line.words_start(), |(_, words)| words);
        indent = Some(line.indent);
        if let Some(open) = open.take() {
            close(&mut census, open, begins);
        }
        open = Some(Open::new(&line, own, begins, start, census.count()));
    }
    if let Some(open) = open {
        close(&mut census, open, node.end);
    }
    Ok(census.family())
}

impl Open {
    fn new(line: &YamlLine, own: Option<YamlEntry>, before: u64, start: u64, index: u64) -> Open {
        let words = &line.words;
        let words_start = line.words_start();
        let (offset, name) = match own {
            Some(YamlEntry::Item(offset)) => (offset, None),
            Some(YamlEntry::Member { name, value }) => (value, words.get(..name)),
            None => (0, None),
        };
        let rest = words.get(offset..).unwrap_or_default().to_string();
        let mut traits = Traits { severity: severity::of(words.as_bytes()), ..Traits::default() };
        let value = words_start + (offset + properties(&rest)) as u64;
        let content = content(&rest);
        if name.is_none() {
            traits.note(content);
        }
        let node = Node { before, value, index, ..Node::at(start..line.range.end, Form::Scalar) };
        let block = content.is_empty() || (name.is_none() && entry(content).is_some());
        Open { node, rest, first_line: line.range.clone(), block, deeper: None, lines: 1, traits, within: 0 }
    }

    fn add(&mut self, line: &YamlLine) {
        self.lines += 1;
        self.traits.severity = self.traits.severity.max(severity::of(line.words.as_bytes()));
        let level = *self.deeper.get_or_insert(line.indent);
        if level == line.indent && self.block {
            self.within = self.traits.note(&line.words).unwrap_or(self.within);
        } else if level < line.indent && self.block {
            self.traits.note_inside(self.within, &line.words);
        }
        if self.lines == 2 && self.block && content(&self.rest).is_empty() {
            self.node.form = match entry(&line.words) {
                Some(YamlEntry::Item(_)) => Form::List,
                Some(YamlEntry::Member { .. }) => Form::Map,
                None => Form::Scalar,
            };
        }
    }
}

impl YamlLine {
    fn words_start(&self) -> u64 {
        self.range.start + self.spaces
    }
}

impl Traits {
    /// Notes the name and the value of a member; the hash of its name.
    fn note(&mut self, words: &str) -> Option<u64> {
        let (name, value) = member(words)?;
        self.shape = self.shape.wrapping_add(name);
        if let Some(value) = value {
            self.push(name, hash(value.as_bytes()));
            numbers::parse(value.as_bytes()).into_iter().for_each(|number| self.push_number(name, number));
        }
        Some(name)
    }

    /// Notes a member that is somewhere in the part `within`.
    fn note_inside(&mut self, within: u64, words: &str) {
        if let Some((name, Some(value))) = member(words.trim_start_matches("- ")) {
            self.push_inside(within, name, hash(value.as_bytes()));
        }
    }
}

/// The hash of a member's name, and its value if that is short and stands beside it.
fn member(words: &str) -> Option<(u64, Option<&str>)> {
    let Some(YamlEntry::Member { name, value }) = entry(words) else { return None };
    let value = content(words.get(value..).unwrap_or_default());
    let name = hash(words.get(..name).unwrap_or_default().as_bytes());
    Some((name, Some(value).filter(|value| !value.is_empty() && value.len() <= 64)))
}

fn close(census: &mut Census, open: Open, end: u64) {
    let mut node = Node { end, ..open.node };
    let content = content(&open.rest);
    match entry(content) {
        // `- name: value` and `- - item`: the collection begins on the dash's own line.
        Some(inner) if open.block && !content.is_empty() => {
            node.form = if matches!(inner, YamlEntry::Item(_)) { Form::List } else { Form::Map };
            let inside = open.rest.len() - open.rest.trim_start().len();
            let skipped = properties(&open.rest);
            // Properties before an inner entry would be ambiguous: such an item stays whole.
            if skipped > 0 {
                node.form = Form::Scalar;
            }
            node.value += inside as u64 * u64::from(skipped == 0);
        }
        _ if content.starts_with(['|', '>']) && open.lines > 4 => {
            node.form = Form::Text;
            node.value = open.first_line.end;
        }
        _ if open.lines == 1 && node.bytes() > LONG_VALUE && !content.starts_with(['[', '{', '*', '&', '!']) => {
            node.form = Form::Text;
        }
        _ => {}
    }
    census.add_with(node, &open.traits);
}

/// How to shorten a block scalar (at its line ends) or a value on one line (between words).
pub(super) fn shorten(document: &dyn Document, node: &Node, room: u64) -> Result<Option<Short>, CutError> {
    let bytes = node.end - node.value;
    if bytes <= room + 60 {
        return Ok(None);
    }
    let head = document.read_around(node.value..node.value + room * 2 / 3)?;
    let from = document.position(node.end - (room / 4).min(bytes / 2))?.byte;
    let tail = document.read(from..node.end)?;
    let on_own_lines = document.read_around(node.value.saturating_sub(1)..node.value)?.ends_with('\n');
    let (start, end, indent) = if on_own_lines {
        let Some(start) = memchr::memrchr(b'\n', head.as_bytes()) else { return Ok(None) };
        let Some(end) = memchr::memchr(b'\n', tail.as_bytes()) else { return Ok(None) };
        let first = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let indent = first.len() - first.trim_start_matches(' ').len();
        (start + 1, end + 1, Some(indent))
    } else {
        // Between two letters: never beside a quote, an escape, a colon, a `#` or white space.
        let clear = |text: &str, at: usize| {
            let around = text.as_bytes().get(at.saturating_sub(8)..(at + 2).min(text.len())).unwrap_or_default();
            let plain = around.iter().all(|byte| !matches!(byte, b'\\' | b'"' | b'\''));
            let letters = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
            let bytes = text.as_bytes();
            plain && at > 8 && letters(bytes.get(at - 1)) && letters(bytes.get(at))
        };
        let start = head.char_indices().map(|(at, _)| at).rfind(|&at| clear(&head, at));
        let end = tail.char_indices().map(|(at, _)| at).find(|&at| clear(&tail, at));
        let (Some(start), Some(end)) = (start, end) else { return Ok(None) };
        (start, end, None)
    };
    let omit = node.value + start as u64..from + end as u64;
    if omit.end <= omit.start {
        return Ok(None);
    }
    let omitted = document.position(omit.end)?.char - document.position(omit.start)?.char;
    let mark = match indent {
        Some(indent) => format!("{}... [{omitted} chars omitted] ...\n", " ".repeat(indent)),
        None => format!("... [{omitted} chars omitted] ..."),
    };
    let saves = text::chars(&mark) < omitted;
    Ok(saves.then_some(Short { omit, mark }))
}
