//! Cutting XML and HTML by element.
//!
//! Repeated siblings are cut like the elements of a list, and a comment says how many are left out; what lies deep is
//! folded to its tags. The prolog stays, and XML stays well-formed.

mod attributes;
mod outline;
mod scan;

use std::ops::Range;

use self::outline::Outline;
use self::scan::Token;
use super::choose::Chooser;
use super::format::{Format, Short};
use super::pieces::{Pieces, read_some};
use super::room::within;
use super::tree::{Family, Form, Node};
use crate::budget::Budget;
use crate::document::Document;
use crate::notice::counted;
use crate::strategy::{CutContext, CutError, Cutter};
use crate::text;

/// A comment before the root that is longer than this is left out where there is not much room.
const LONG_COMMENT: u64 = 200;

/// Reads a document of XML, or of HTML.
pub(super) fn prepare<'a>(
    document: &'a dyn Document,
    context: &CutContext<'a>,
    html: bool,
) -> Result<Box<dyn Cutter + 'a>, CutError> {
    let end = document.extent().bytes;
    let start = if document.read_around(0..end.min(4))?.starts_with('\u{feff}') { 3 } else { 0 };
    let sample = usize::try_from(context.budget.chars / 8).unwrap_or(usize::MAX).clamp(64, 2048);
    let (outline, top) = Outline::read(document, start..end, html, sample)?;
    let Some((first, _)) = top.family.children.first().copied() else {
        return Err(CutError::Shape("there is no element in it".into()));
    };
    let mut markup = Markup { document, outline, html, top: None };
    let root = if html {
        let last = top.family.children.last().map_or(end, |(last, _)| last.end);
        let whole = Node::at(first.start..last, Form::Map);
        markup.top = Some((whole, top.family));
        whole
    } else {
        first
    };
    let about = markup.shape(&root)?;
    let settings = context.settings;
    let cut = move |budget: &Budget| {
        within(budget, document, |limit, in_bytes| {
            let (prolog, cost) = prolog(&top.prolog, start..root.start, limit);
            let Some(room) = limit.checked_sub(cost + 2) else {
                return Err(CutError::Shape(format!("the prolog alone is longer than {limit} characters")));
            };
            let shown = Chooser::choose(document, settings, &mut markup, root, room, in_bytes)?;
            let mut pieces = Pieces::default();
            pieces.omit_to(start, "");
            for comment in &prolog {
                pieces.keep_to(comment.start, "structure");
                pieces.omit_to(comment.end, "<!-- comment omitted -->");
            }
            pieces.keep_to(root.start, "structure");
            pieces.node(document, &markup, &shown, 0)?;
            if end - root.end <= 2 {
                pieces.keep_to(end, "structure");
            }
            pieces.omit_to(end, "");
            let mut cut = pieces.cut("element", document)?;
            cut.about = about.clone();
            Ok(cut)
        })
    };
    Ok(Box::new(cut))
}

/// Which comments of the prolog to leave out, and what the rest of it costs.
fn prolog(tokens: &[(Token, Range<u64>)], before: Range<u64>, limit: u64) -> (Vec<Range<u64>>, u64) {
    let bytes = before.end - before.start;
    if bytes <= limit / 8 {
        return (Vec::new(), bytes);
    }
    let long = |token: &Token, range: &Range<u64>| *token == Token::Comment && range.end - range.start > LONG_COMMENT;
    let before_root = tokens.iter().filter(|(token, range)| long(token, range) && range.end <= before.end);
    let comments: Vec<Range<u64>> = before_root.map(|(_, range)| range.clone()).collect();
    let saved: u64 = comments.iter().map(|range| range.end - range.start - 24).sum();
    (comments, bytes - saved)
}

/// Markup as the chooser sees it.
struct Markup<'a> {
    document: &'a dyn Document,
    outline: Outline<'a>,
    html: bool,
    /// In HTML: the document itself, as what holds everything.
    top: Option<(Node, Family)>,
}

impl Markup<'_> {
    /// The name of an element, from its start tag.
    fn name(&self, node: &Node) -> Result<String, CutError> {
        let tag = read_some(self.document, node.start..node.value, 160)?;
        let name =
            tag.trim_start_matches('<').split(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/')).next();
        Ok(name.unwrap_or_default().to_string())
    }

    fn is_top(&self, node: &Node) -> bool {
        self.top.as_ref().is_some_and(|(top, _)| top == node)
    }

    /// A line about the root and the largest list in it.
    fn shape(&mut self, root: &Node) -> Result<Option<String>, CutError> {
        if self.is_top(root) || !root.holds() {
            return Ok(None);
        }
        let family = self.family(root)?;
        let mut line = format!("<{}> with {}", self.name(root)?, counted(family.count, &family.label));
        let lists = family.children.iter().map(|(node, _)| *node).filter(|node| node.form == Form::List);
        if let Some(list) = lists.max_by_key(|node| (node.bytes(), u64::MAX - node.index)) {
            let members = self.family(&list)?;
            line = format!("{line}; <{}> with {}", self.name(&list)?, counted(members.count, &members.label));
        }
        if family.shapes.different > 1 && root.form == Form::List {
            line = format!("{line}; {} shapes", family.shapes.different);
        }
        Ok(Some(text::first_chars(&line, 240).to_string()))
    }
}

impl Format for Markup<'_> {
    fn family(&mut self, node: &Node) -> Result<Family, CutError> {
        match &self.top {
            Some((top, family)) if top == node => Ok(family.clone()),
            _ => self.outline.family(node),
        }
    }

    fn folded(&self, node: &Node, family: &Family) -> String {
        let gap = self.gap(node, family, family.count, 0);
        match self.name(node) {
            Ok(name) if !self.is_top(node) => format!("{gap}</{name}>"),
            _ => gap,
        }
    }

    fn gap(&self, _parent: &Node, family: &Family, count: u64, _nth: usize) -> String {
        format!("<!-- {} omitted -->", counted(count, &family.label))
    }

    fn deepest(&self) -> u64 {
        outline::DEEPEST as u64
    }

    fn depth_counts(&self) -> bool {
        !self.html
    }

    fn has_named_records(&self) -> bool {
        false
    }

    fn shorten(&self, node: &Node, room: u64) -> Result<Option<Short>, CutError> {
        let bytes = node.end - node.value;
        if bytes <= room || bytes < 80 {
            return Ok(None);
        }
        // Neither the opening of a comment or a section nor its closing may be touched, nor a reference such as
        // `&amp;`: a place in the middle of plain text is looked for.
        let head = self.document.read_around(node.value + 12..(node.value + 12 + room * 2 / 3).min(node.end))?;
        let from = self.document.position(node.end - 12 - (room / 4).min(bytes / 2))?.byte;
        let tail = self.document.read(from..node.end)?;
        let start = node.value + 12 + clear_end(&head) as u64;
        let end = from + clear_start(&tail) as u64;
        if end <= start {
            return Ok(None);
        }
        let omitted = self.document.position(end)?.char - self.document.position(start)?.char;
        Ok(Some(Short { omit: start..end, mark: format!("... [{omitted} chars omitted] ...") }))
    }
}

/// The last place in `head` that is not inside a reference.
fn clear_end(head: &str) -> usize {
    let end = head.len();
    match memchr::memrchr(b'&', head.as_bytes()) {
        Some(at) if end - at < 12 && !head.as_bytes().get(at..).unwrap_or_default().contains(&b';') => at,
        _ => end,
    }
}

/// The first place in `tail` that is not inside a reference.
fn clear_start(tail: &str) -> usize {
    let start = tail.as_bytes().iter().take(12).position(|&byte| byte == b';');
    start.map_or(0, |at| at + 1)
}
