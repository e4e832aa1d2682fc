//! The containers of a JSON document and their children, in one pass and bounded memory.
//!
//! The first pass checks the whole document and remembers the families of its large containers; those of small ones
//! are read again when they are wanted.

use std::collections::BTreeMap;
use std::ops::Range;

use super::alike::{Alike, Read};
use super::names::{GRAVE, Name, Names};
use super::scalar::{Member, Scalar};
use crate::bytes::Bytes;
use crate::document::Document;
use crate::json::{Malformed, Scanner, SpannedToken, Token};
use crate::line::records::Says;
use crate::strategy::element::census::{Census, Traits, hash};
use crate::strategy::element::tree::{Family, Form, Node};

/// How deep containers are looked into.
pub(super) const DEEPEST: usize = 14;
/// A container below this size is never remembered.
const SMALL: u64 = 64 * 1024;
/// Behind so many elements of a list, what is inside an element is not remembered.
const MANY: u64 = 256;
/// So far into a document the parts of an element whose inside is not remembered still tell about it, and so deep.
const NESTED: u64 = 16 * 1024 * 1024;
const NESTED_DEPTH: usize = 4;

/// How many children of a container are remembered from each end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) firsts: usize,
    pub(super) lasts: usize,
}

impl Sample {
    /// As many as may be seen in a cut of so many characters.
    pub(super) fn for_chars(chars: u64) -> Sample {
        let most = usize::try_from(chars / 6).unwrap_or(usize::MAX).clamp(64, 4096);
        Sample { firsts: most, lasts: (most / 4).max(64) }
    }
}

/// How much the message of a record stands out.
const MESSAGE: i8 = 3;

/// The families of a document's containers.
pub(super) struct Outline<'a> {
    document: &'a dyn Document,
    sample: Sample,
    families: Families,
    /// Whether the document may end inside a value: what is open then ends behind the last token that is whole.
    torn: bool,
}

/// The families of large containers, by where their values start.
#[derive(Debug, Clone, Default)]
pub(super) struct Families {
    known: BTreeMap<u64, Large>,
    /// Those that are too small beside a text of this size were forgotten.
    forgotten_at: u64,
}

/// A container that is remembered.
#[derive(Debug, Clone)]
struct Large {
    bytes: u64,
    family: Family,
}

impl Families {
    /// How many bytes a container in a text of so many must have to be remembered.
    fn least(text: u64) -> u64 {
        SMALL.max(text / 256)
    }

    /// Remembers the family of a container that closes at byte `at`, if it is large beside what came before.
    fn add(&mut self, node: &Node, at: u64, family: impl FnOnce() -> Family) {
        if node.bytes() < Families::least(at) {
            return;
        }
        self.known.insert(node.value, Large { bytes: node.bytes(), family: family() });
        if at > self.forgotten_at.saturating_mul(2) {
            self.forget(at);
        }
    }

    /// Forgets what is small in a text of so many bytes, so that there never are very many.
    fn forget(&mut self, text: u64) {
        self.forgotten_at = text;
        self.known.retain(|_, large| large.bytes >= Families::least(text));
    }
}

/// The texts of a document: one value, or many.
#[derive(Debug, Clone)]
pub(super) struct Roots {
    /// The values, as children of the document itself.
    pub(super) family: Family,
    /// Where the last of them ends.
    pub(super) end: u64,
    /// What is wrong at the end of the text, if the last of them ends too early.
    pub(super) torn: Option<Torn>,
}

/// What is wrong where a text ends too early, and at which byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct Torn {
    byte: u64,
    why: &'static str,
}

impl From<Torn> for Malformed {
    fn from(torn: Torn) -> Malformed {
        Malformed::At(torn.byte, torn.why)
    }
}

/// The name of a member whose value comes next.
#[derive(Clone, Copy)]
struct Key {
    start: u64,
    /// Its hash.
    name: u64,
    /// Whether it is a grave word: `error`.
    is_grave: bool,
    says: Says,
}

/// A container that is open.
struct Frame {
    node: Node,
    census: Census,
    traits: Traits,
    /// For the elements of a list that are not containers; here to be used again.
    scalars: Traits,
    key: Option<Key>,
    before: u64,
    /// How many members were read.
    members: usize,
    /// Whether its children are not remembered, only what they tell about it: so many were before it in a list.
    light: bool,
}

impl<'a> Outline<'a> {
    /// Reads all of `range` and checks it; `many` values may follow each other, and the last may be `torn`: it then ends
    /// behind the last token that is whole.
    pub(super) fn read(
        document: &'a dyn Document,
        range: Range<u64>,
        many: bool,
        torn: bool,
        sample: Sample,
    ) -> Result<(Outline<'a>, Roots), Malformed> {
        let mut scanner = Scanner::of(Bytes::new(document, range.clone())?, many);
        let (families, roots) = scan(&mut scanner, range.start, torn, sample)?;
        Ok((Outline { document, sample, families, torn }, roots))
    }

    /// What was found in the document while it came; it may end inside a value if it is `torn`.
    pub(super) fn known(document: &'a dyn Document, sample: Sample, families: Families, torn: bool) -> Outline<'a> {
        Outline { document, sample, families, torn }
    }

    /// The children of a container.
    pub(super) fn family(&mut self, node: &Node) -> Result<Family, Malformed> {
        if let Some(large) = self.families.known.get(&node.value) {
            return Ok(large.family.clone());
        }
        let mut scanner = Scanner::one(self.document, node.value..node.end)?;
        let mut outermost = None;
        let mut frames = Frames::new(self.sample, Node::at(node.value..node.value, Form::List));
        each_container(&mut scanner, &mut frames, self.torn, |container, open, family| {
            if open == 1 {
                outermost = Some((container.value, family()));
            }
        })?;
        Ok(outermost.filter(|(value, _)| *value == node.value).map(|(_, family)| family).unwrap_or_default())
    }
}

/// Reads to the end; what is found are the families of large containers, and the texts.
pub(super) fn scan(
    scanner: &mut Scanner<'_>,
    start: u64,
    torn: bool,
    sample: Sample,
) -> Result<(Families, Roots), Malformed> {
    let mut families = Families::default();
    let mut frames = Frames::new(sample, Node::at(start..start, Form::List));
    let (end, torn) = each_container(scanner, &mut frames, torn, |container, _, family| {
        families.add(container, container.end - start, family);
    })?;
    families.forget(end - start);
    Ok((families, Roots { family: frames.top().census.family(), end, torn }))
}

/// Reads to the end, and calls `each` with every container that closes, how many are open around it, and its family.
/// Says where the last token ends, and what is wrong if the text ends too early, which it may if it may be `torn`.
fn each_container(
    scanner: &mut Scanner<'_>,
    frames: &mut Frames,
    may_be_torn: bool,
    mut each: impl FnMut(&Node, usize, &mut dyn FnMut() -> Family),
) -> Result<(u64, Option<Torn>), Malformed> {
    let mut end = frames.top().node.end;
    let mut names = Names::default();
    loop {
        if scanner.depth() < frames.deepest
            && let Some(found) = scanner.expected_name(names.expected())
            && let Some(name) = names.take_expected()
        {
            end = found.end;
            frames.name(found.start, name);
            continue;
        }
        let found = match scanner.next_token() {
            Ok(Some(found)) => found,
            Ok(None) => return Ok((end, None)),
            Err(Malformed::At(byte, why)) if may_be_torn && scanner.at_end()? => {
                while frames.open > 1 {
                    frames.close(end, &mut each);
                }
                return Ok((end, Some(Torn { byte, why })));
            }
            Err(malformed) => return Err(malformed),
        };
        end = found.end;
        let depth = match found.token {
            Token::OpenArray | Token::OpenObject => scanner.depth(),
            _ => scanner.depth() + 1,
        };
        if depth > frames.deepest {
            continue;
        }
        match found.token {
            Token::Key => {
                let bytes = scanner.bytes_since(found.start).unwrap_or_default();
                let length = usize::try_from(found.end - found.start).unwrap_or(usize::MAX);
                let written = bytes.get(..length).unwrap_or_default();
                frames.name(found.start, names.of(written));
            }
            Token::OpenArray => frames.open(&found, Form::List),
            Token::OpenObject => frames.open(&found, Form::Map),
            Token::Close => {
                frames.close(found.end, &mut each);
                if frames.is_among_many() {
                    frames.learn(scanner, &mut names);
                    while let Some(length) = frames.take_alike(scanner.window(), scanner.position()) {
                        scanner.skip_values(length);
                    }
                    end = scanner.position();
                }
            }
            Token::Text | Token::Number | Token::Word => {
                frames.scalar(&found, scanner.bytes_since(found.start).unwrap_or_default());
            }
        }
    }
}

/// The open containers, the document itself first; those that were closed are used again.
struct Frames {
    frames: Vec<Frame>,
    open: usize,
    sample: Sample,
    /// The depth below which nothing is looked at.
    deepest: usize,
    /// From which byte on the parts of records of long lists are not looked at.
    nested: u64,
    alike: Alike,
}

impl Frames {
    fn new(sample: Sample, whole: Node) -> Frames {
        let mut frames =
            Frames { frames: Vec::new(), open: 0, sample, deepest: DEEPEST, nested: NESTED, alike: Alike::default() };
        frames.push(whole, false);
        frames
    }

    /// The innermost open container.
    fn top(&mut self) -> &mut Frame {
        // The document itself is never closed.
        let top = self.open.saturating_sub(1);
        &mut self.frames[top]
    }

    /// Whether a record was closed of whose parts nothing is looked at, in a list that is long.
    #[inline]
    fn is_among_many(&self) -> bool {
        let Some([list, record]) = self.frames.get(self.open.saturating_sub(1)..=self.open) else { return false };
        record.light && record.node.start >= self.nested && !list.light && list.node.form == Form::List
    }

    /// Remembers how the record is written that was closed last.
    fn learn(&mut self, scanner: &Scanner<'_>, names: &mut Names) {
        let Some(record) = self.frames.get(self.open) else { return };
        if let Some(written) = scanner.bytes_since(record.node.before) {
            self.alike.learn(written, &record.node, &record.traits, names);
        }
    }

    /// Takes in the record with which `window` begins, at byte `at` of the document, if it is written like one before; says
    /// how long it is.
    #[inline]
    fn take_alike(&mut self, window: &[u8], at: u64) -> Option<usize> {
        let list = self.frames.get_mut(self.open.saturating_sub(1))?;
        let Read { separator, length, form, traits } = self.alike.read(window, at, &list.census)?;
        let (start, end) = (at + separator as u64, at + length as u64);
        list.traits.severity = list.traits.severity.max(inherited(traits.severity));
        let index = list.census.count();
        let node = Node { before: at, index, is_severe: traits.severity >= GRAVE, ..Node::at(start..end, form) };
        list.census.add_with(node, traits);
        list.members += 1;
        list.before = end;
        Some(length)
    }

    /// Takes the name of a member whose value comes next.
    #[inline]
    fn name(&mut self, start: u64, Name { hash, is_grave, says }: Name) {
        let frame = self.top();
        frame.key = Some(Key { start, name: hash, is_grave: is_grave && !frame.light, says });
        frame.traits.shape = frame.traits.shape.wrapping_add(hash);
    }

    fn push(&mut self, node: Node, light: bool) {
        if self.open == self.frames.len() {
            self.frames.push(Frame {
                node,
                census: Census::default(),
                traits: Traits::default(),
                scalars: Traits::default(),
                key: None,
                before: 0,
                members: 0,
                light,
            });
        }
        if let Some(frame) = self.frames.get_mut(self.open) {
            frame.node = node;
            // Where children are not remembered there is nothing to count.
            if !light {
                frame.census.start(self.sample.firsts, self.sample.lasts);
            }
            frame.traits.clear();
            frame.key = None;
            frame.before = node.end;
            frame.members = 0;
            frame.light = light;
        }
        self.open += 1;
    }

    fn open(&mut self, found: &SpannedToken, form: Form) {
        let parent = self.top();
        let node = child(parent, found, form);
        let inside_light = parent.light;
        let light = inside_light || (parent.node.form == Form::List && parent.census.count() >= MANY);
        self.push(node, light);
        if light && !inside_light {
            self.deepest = self.open + if found.start < self.nested { NESTED_DEPTH } else { 0 };
        }
    }

    /// Closes the innermost container at `end`, and tells `each` of it if its children are known.
    #[inline]
    fn close(&mut self, end: u64, each: &mut impl FnMut(&Node, usize, &mut dyn FnMut() -> Family)) {
        if self.open < 2 {
            return;
        }
        self.open -= 1;
        let (parents, closed) = self.frames.split_at_mut(self.open);
        let (Some(parent), Some(frame)) = (parents.last_mut(), closed.first_mut()) else { return };
        frame.node.end = end;
        if frame.light && !parent.light {
            self.deepest = DEEPEST;
        }
        if !frame.light {
            each(&frame.node, self.open, &mut || frame.census.family());
        }
        if frame.node.form == Form::List {
            frame.traits.shape = u64::from(b'[');
            frame.traits.push_empty(frame.members == 0);
        }
        let severity = frame.traits.severity;
        parent.traits.severity = parent.traits.severity.max(inherited(severity));
        let named = parent.key.is_some_and(|key| key.is_grave) && frame.members > 0;
        frame.node.is_severe = severity >= GRAVE || named;
        if parent.key.is_some_and(|key| key.says == Says::Cause) {
            parent.traits.inherit_cause(&frame.traits);
        }
        match (parent.node.form, parent.key) {
            (Form::Map, Some(key)) => parent.traits.nest(key.name, &frame.traits),
            // Of a list's elements the first tells what they are like.
            _ if parent.members == 0 => parent.traits.nest(0, &frame.traits),
            _ => {}
        }
        if parent.node.form == Form::Map {
            frame.traits.forget_parts();
        }
        parent.members += 1;
        if !parent.light {
            parent.census.add_with(frame.node, &frame.traits);
        }
        parent.before = end;
        parent.key = None;
    }

    fn scalar(&mut self, found: &SpannedToken, bytes: &[u8]) {
        let top = self.open.saturating_sub(1);
        let (parents, open) = self.frames.split_at_mut(top);
        let Some(frame) = open.first_mut() else { return };
        let scalar = Scalar { token: found.token, start: found.start, bytes };
        let form = if found.token == Token::Text { Form::Text } else { Form::Scalar };
        match (frame.node.form, frame.key) {
            (Form::Map, Some(Key { name, is_grave, says, .. })) => {
                let around = parents.last().filter(|parent| !parent.light).map(|parent| &parent.census);
                let mut member = Member::named(name, says, frame.members);
                let severity = scalar.tell(&mut member, around, &mut frame.traits);
                if !frame.light {
                    let named = is_grave && found.token == Token::Text && bytes.len() > 2;
                    let salience = if says == Says::Message { MESSAGE } else { 0 };
                    let node = Node { is_severe: severity >= GRAVE || named, salience, ..child(frame, found, form) };
                    frame.census.add(node);
                }
            }
            _ => {
                let severity = scalar.tell(&mut Member::at(frame.members), None, &mut frame.traits);
                if !frame.light {
                    let node = child(frame, found, form);
                    frame.scalars.clear();
                    frame.scalars.severity = severity;
                    frame.scalars.shape = match found.token {
                        Token::Text => 1,
                        Token::Number => 2,
                        _ => 3,
                    };
                    scalar.number().into_iter().for_each(|number| frame.scalars.push_number(0, number));
                    if scalar.is_compared(frame.census.column(0, 0).map(|(_, column)| column)) {
                        frame.scalars.push(0, hash(bytes));
                    }
                    frame.census.add_with(node, &frame.scalars);
                }
            }
        }
        frame.members += 1;
        frame.before = found.end;
        frame.key = None;
    }
}

/// What is severe inside a part is severe inside the whole, a little less; what is grave stays so, however deep.
fn inherited(severity: u32) -> u32 {
    severity.saturating_sub(1).max(if severity >= GRAVE { GRAVE } else { 0 })
}

/// The child of `parent` that was found; a container's end is not known yet and stands behind its bracket.
fn child(parent: &Frame, found: &SpannedToken, form: Form) -> Node {
    let start = parent.key.map_or(found.start, |key| key.start);
    let index = parent.census.count();
    Node { before: parent.before, value: found.start, index, ..Node::at(start..found.end, form) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value() -> impl Strategy<Value = String> {
        let text = r#"[a-z :,{}\[\]é]{0,12}|(\\\\|\\"|\\n|\\u00e9|a){0,5}|error|could not open"#;
        let text = text.prop_map(|text| format!("\"{text}\""));
        prop_oneof![text, "-?(0|[1-9][0-9]{0,4})(\\.[0-9]{1,3})?([eE][+-]?[0-9])?", "true|false|null|50[0-3]"]
    }

    /// How records are written, with a `%` for each value.
    fn layout() -> impl Strategy<Value = String> {
        let part = concat!(
            r#""[a-c]": %|"(status|msg|level|err)": %|"deep": \{"a": %,  "b": \[%, %\]\}|"list":\[\]|"l" : \[ %\]"#,
            r#"|"many": \[%(, %){0,4}\]|"more": \[\{"a": %\}(, \{"a": %\}){0,3}\]|"in": \[%(, \[%){2}\]{3}"#,
        );
        let members = prop::collection::vec(part, 0..6).prop_map(|parts| format!("{{{}}}", parts.join(", ")));
        prop_oneof![3 => members, 1 => Just("[%, %, [%], %]".to_owned())]
    }

    /// Many records of a few layouts, some of which are written in a way of their own.
    fn records() -> impl Strategy<Value = String> {
        let one = (any::<prop::sample::Index>(), prop::collection::vec(value(), 4), 0..40);
        let separator = ",|, |,\n|\n";
        (prop::collection::vec(layout(), 1..7), prop::collection::vec(one, 270..330), separator).prop_map(
            |(layouts, records, separator)| {
                let written = records.iter().map(|(layout, values, odd)| {
                    let mut values = values.iter().cycle();
                    let fill = |record: String, (nth, part): (usize, &str)| {
                        let value = values.next().filter(|_| nth > 0).map_or("", String::as_str);
                        record + value + part
                    };
                    let record = layouts[layout.index(layouts.len())].split('%').enumerate().fold(String::new(), fill);
                    if *odd == 0 { record.replacen(' ', "\t", 1) } else { record }
                });
                let all = written.collect::<Vec<_>>().join(&separator);
                if separator == "\n" { all } else { format!("[{all}]") }
            },
        )
    }

    /// What is found in `text`, and where it ends or is malformed; each record read token by token if they are not compared.
    fn found(text: &str, are_compared: bool) -> String {
        let mut scanner =
            Scanner::of(Bytes::whole(text.as_bytes()), !text.starts_with("[{") && !text.starts_with("[["));
        let sample = Sample { firsts: 8, lasts: 8 };
        let mut frames = Frames::new(sample, Node::at(0..0, Form::List));
        frames.nested = 0;
        if !are_compared {
            frames.alike = Alike::never();
        }
        let mut families = Vec::new();
        let end = each_container(&mut scanner, &mut frames, true, |node, _, family| families.push((*node, family())));
        format!("{end:?} {families:?} {:?}", frames.top().census.family())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 16 } else { 256 }))]
        #[test]
        fn a_list_tells_the_same_however_its_records_are_read(
            text in records(),
            at: prop::sample::Index,
            byte in prop::option::of("[\"\\\\{}a1, -]"),
        ) {
            let mut text = text;
            if let Some(byte) = byte {
                text.insert_str(text.floor_char_boundary(at.index(text.len())), &byte);
            }
            prop_assert_eq!(found(&text, true), found(&text, false));
        }
    }
}
