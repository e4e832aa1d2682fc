//! Cutting JSON and NDJSON by element.

mod alike;
mod embedded;
mod names;
mod outline;
mod scalar;
mod shape;
mod text;

use std::io;
use std::ops::Range;

use self::outline::{Families, Outline, Roots, Sample};
use super::choose::Chooser;
use super::format::{Format, Short};
use super::pieces::Pieces;
use super::room::{place, within};
use super::tree::{Family, Form, Node};
use crate::budget::Budget;
use crate::bytes::{Blocks, Bytes};
use crate::cut::Elements;
use crate::document::Document;
use crate::json::{Malformed, Scanner};
use crate::notice::counted;
use crate::strategy::{CutContext, CutError, Cutter};

/// Reads one JSON document, or one a line if there are `many`, unless it was read while it came.
pub(super) fn prepare<'a>(
    document: &'a dyn Document,
    context: &CutContext<'a>,
    many: bool,
    known: Option<&Streamed>,
) -> Result<Box<dyn Cutter + 'a>, CutError> {
    let body = body(document)?;
    let sample = Sample::for_chars(context.budget.chars);
    let read = match known.and_then(|known| known.of(document, many, &body, sample)) {
        Some((_, Roots { torn: Some(torn), .. })) => Err(torn.into()),
        Some(read) => Ok(read),
        None => Outline::read(document, body.clone(), many, false, sample),
    };
    let (outline, roots, value) = match read {
        Ok((outline, roots)) => (outline, roots, body.clone()),
        Err(Malformed::Unreadable(error)) => return Err(CutError::Unreadable(error)),
        Err(malformed) => match embedded::find(document, body.clone(), &malformed, many)? {
            None => return Err(no_cut(malformed, document)),
            Some(value) => match Outline::read(document, value.clone(), false, false, sample) {
                Ok((outline, roots)) => (outline, roots, value),
                Err(_) => return Err(no_cut(malformed, document)),
            },
        },
    };
    cutter(document, context, many, Read { outline, roots, body, value })
}

/// The sentence that names line and column.
fn no_cut(malformed: Malformed, document: &dyn Document) -> CutError {
    match malformed {
        Malformed::Unreadable(error) => CutError::Unreadable(error),
        Malformed::At(byte, why) => match place(document, byte) {
            Ok(place) => CutError::Shape(format!("malformed JSON at {place}: {why}")),
            Err(error) => CutError::Unreadable(error),
        },
    }
}

/// Reads JSON that ends inside a value, as where a program was stopped or its output was cut before it came here, unless
/// it was read while it came.
pub(super) fn prepare_torn<'a>(
    document: &'a dyn Document,
    context: &CutContext<'a>,
    many: bool,
    known: Option<&Streamed>,
) -> Result<Box<dyn Cutter + 'a>, CutError> {
    let body = body(document)?;
    if body.end - body.start < embedded::LEAST {
        return Err(CutError::Shape("too short to tell JSON that ends too early".into()));
    }
    let sample = Sample::for_chars(context.budget.chars);
    let read = match known.and_then(|known| known.of(document, many, &body, sample)) {
        Some(read) => Ok(read),
        None => Outline::read(document, body.clone(), many, true, sample),
    };
    let (outline, roots) = match read {
        Ok((outline, roots)) if roots.torn.is_some() => (outline, roots),
        Ok(_) => return Err(CutError::Shape("the JSON is whole".into())),
        Err(malformed) => return Err(no_cut(malformed, document)),
    };
    let value = body.start..roots.end;
    cutter(document, context, many, Read { outline, roots, body, value })
}

/// Reads JSON texts that come only once, one or `many`, for a cut of at most so many characters: what is known of them,
/// and the range that they take. The last may end too early; nothing where they are malformed otherwise.
pub(super) fn read_stream(blocks: &mut dyn Blocks, many: bool, chars: u64) -> Option<Streamed> {
    let mut bytes = Bytes::streamed(blocks);
    let start = if bytes.window().starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    bytes.advance(start);
    let sample = Sample::for_chars(chars);
    let mut scanner = Scanner::of(bytes, many);
    let (families, roots) = outline::scan(&mut scanner, start as u64, true, sample).ok()?;
    Some(Streamed { many, body: start as u64..scanner.position(), sample, families, roots })
}

/// What is known of JSON that was read while it came.
#[derive(Debug)]
pub(super) struct Streamed {
    many: bool,
    body: Range<u64>,
    sample: Sample,
    families: Families,
    roots: Roots,
}

impl Streamed {
    /// What is known of `document`, if this is its `body`, read in this way, and if enough was remembered.
    fn of<'a>(
        &self,
        document: &'a dyn Document,
        many: bool,
        body: &Range<u64>,
        sample: Sample,
    ) -> Option<(Outline<'a>, Roots)> {
        let same = self.many == many && self.body == *body && self.sample.firsts >= sample.firsts;
        let outline = || Outline::known(document, sample, self.families.clone(), self.roots.torn.is_some());
        same.then(|| (outline(), self.roots.clone()))
    }
}

/// What was read of a document.
struct Read<'a> {
    outline: Outline<'a>,
    roots: Roots,
    body: Range<u64>,
    /// Where in the body the value is.
    value: Range<u64>,
}

fn cutter<'a>(
    document: &'a dyn Document,
    context: &CutContext<'a>,
    many: bool,
    read: Read<'a>,
) -> Result<Box<dyn Cutter + 'a>, CutError> {
    let Read { outline, roots, body, value } = read;
    let torn = roots.torn.is_some();
    let settings = context.settings;
    let mut json = Json { document, outline, root: None, valid: settings.preserve_json };
    let root = match (many, roots.family.children.first()) {
        (_, None) => return Err(CutError::Shape("there is no JSON value in it".into())),
        (true, Some(_)) if value == body || torn => {
            let last = roots.family.children.last().map_or(body.end, |(last, _)| last.end);
            let whole = Node::at(body.start..last, Form::List);
            json.root = Some((whole, roots.family));
            whole
        }
        (_, Some((root, _))) => *root,
    };
    let mut about = shape::line(&mut json, &root)?;
    if let (Some(about), true) = (&mut about, torn) {
        about.push_str("; it ends too early");
    }
    let total = if root.form == Form::List { Some(json.family(&root)?.count) } else { None };
    let end = document.extent().bytes;
    let cut = move |budget: &Budget| {
        within(budget, document, |limit, in_bytes| {
            let around = embedded::Around::choose(document, body.start..value.start, value.end..end, limit)?;
            let shown =
                Chooser::choose(document, settings, &mut json, root, limit.saturating_sub(around.cost + 2), in_bytes)?;
            let mut pieces = Pieces::default();
            pieces.omit_to(body.start, "");
            around.before(&mut pieces);
            pieces.omit_to(root.start, "");
            pieces.node(document, &json, &shown, 0)?;
            // What follows the value is white space: a final line end stays.
            if value.end - root.end <= 2 {
                pieces.keep_to(value.end, "structure");
            }
            pieces.omit_to(value.end, "");
            around.after(&mut pieces);
            let omitted = pieces.omitted_outermost;
            let noun = if many { "record" } else { "item" };
            let mut cut = pieces.cut("element", document)?;
            cut.elements = total.map(|total| Elements { total, omitted, noun });
            cut.parses = value == body && !torn && settings.preserve_json;
            cut.about = about.clone();
            Ok(cut)
        })
    };
    Ok(Box::new(cut))
}

/// Where the value that begins at the start of `range` ends; otherwise how far what is there could be one.
pub(super) fn value_end(document: &dyn Document, range: Range<u64>) -> io::Result<Result<u64, u64>> {
    let mut scanner = Scanner::one(document, range)?;
    let mut reached = 0;
    loop {
        match scanner.next_token() {
            Ok(Some(found)) if scanner.depth() == 0 => return Ok(Ok(found.end)),
            Ok(Some(found)) => reached = found.end,
            Ok(None) => return Ok(Err(reached)),
            Err(Malformed::At(byte, _)) => return Ok(Err(byte.max(reached))),
            Err(Malformed::Unreadable(error)) => return Err(error),
        }
    }
}

/// The document without a byte order mark.
fn body(document: &dyn Document) -> Result<Range<u64>, CutError> {
    let end = document.extent().bytes;
    let start = document.read_around(0..end.min(4))?;
    Ok(if start.starts_with('\u{feff}') { 3..end } else { 0..end })
}

/// JSON as the chooser sees it.
pub(super) struct Json<'a> {
    document: &'a dyn Document,
    outline: Outline<'a>,
    /// Where there are many values: the document itself as their list.
    root: Option<(Node, Family)>,
    /// Whether what is shown stays JSON. Otherwise the marks stand outside of the data, and nobody takes them for it.
    valid: bool,
}

impl Json<'_> {
    /// Whether `node` is the list of the lines of NDJSON.
    fn is_root(&self, node: &Node) -> bool {
        self.root.as_ref().is_some_and(|(root, _)| root == node)
    }
}

impl Format for Json<'_> {
    fn family(&mut self, node: &Node) -> Result<Family, CutError> {
        match &self.root {
            Some((root, family)) if root == node => Ok(family.clone()),
            _ => self.outline.family(node).map_err(|malformed| no_cut(malformed, self.document)),
        }
    }

    fn folded(&self, node: &Node, family: &Family) -> String {
        let gap = self.gap(node, family, family.count, 0);
        match node.form {
            _ if self.is_root(node) => gap,
            Form::Map => format!("{{{gap}}}"),
            _ => format!("[{gap}]"),
        }
    }

    fn gap(&self, parent: &Node, _family: &Family, count: u64, nth: usize) -> String {
        let count = counted(count, if parent.form == Form::Map { "key" } else { "item" });
        match (parent.form, nth) {
            _ if !self.valid => format!("... [{count} omitted] ..."),
            (Form::Map, 0) => format!("\"...\": \"{count} omitted\""),
            (Form::Map, nth) => format!("\"...{}\": \"{count} omitted\"", nth + 1),
            _ => format!("\"... {count} omitted ...\""),
        }
    }

    fn name_of(&self, node: &Node) -> Result<Option<String>, CutError> {
        if node.value == node.start || node.value - node.start > 400 {
            return Ok(None);
        }
        let name = self.document.read(node.start..node.value)?;
        let name = name.trim_end_matches(|c: char| c == ':' || c.is_ascii_whitespace());
        Ok(Some(name.trim_matches('"').to_string()))
    }

    fn shorten(&self, node: &Node, room: u64) -> Result<Option<Short>, CutError> {
        text::shorten(self.document, node, room)
    }
}
