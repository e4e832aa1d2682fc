//! Cutting YAML by element.
//!
//! Block sequences and mappings are cut at their entries, by lines and indentation; a comment at the right
//! indentation says how many are left out. Flow collections stay whole or go. A block scalar is shortened at its line
//! ends. What comes out is parsed before it is given away, so a reading of the lines that was wrong shows nothing.

mod alias;
mod lines;
mod outline;

use saphyr_parser::{Event, Parser};

use super::choose::Chooser;
use super::format::{Format, Short};
use super::pieces::Pieces;
use super::room::within;
use super::tree::{Family, Form, Node};
use crate::budget::Budget;
use crate::cut::{Cut, Piece};
use crate::document::Document;
use crate::notice::counted;
use crate::strategy::{CutContext, CutError, Cutter, Settings};
use crate::text;

/// A document up to this size is parsed as a whole before it is cut.
const CHECKED: u64 = 1024 * 1024;

/// Reads a stream of YAML documents.
pub(super) fn prepare<'a>(
    document: &'a dyn Document,
    context: &CutContext<'a>,
) -> Result<Box<dyn Cutter + 'a>, CutError> {
    let extent = document.extent();
    let checked = extent.bytes <= CHECKED;
    if checked {
        check(&document.read(0..extent.bytes)?)?;
    }
    let (settings, sample) = (context.settings, sample(&context.budget));
    let mut read: Option<(Yaml<'a>, Option<String>)> = None;
    Ok(Box::new(move |budget: &Budget| {
        if checked && extent.chars <= budget.chars && budget.bytes.is_none_or(|bytes| extent.bytes <= bytes) {
            return Ok(Cut::whole(extent).named("element"));
        }
        let (yaml, about) = match &mut read {
            Some(read) => read,
            None => {
                let mut yaml = Yaml::read(document, settings, sample)?;
                let about = yaml.shape()?;
                read.insert((yaml, about))
            }
        };
        within(budget, document, |limit, in_bytes| {
            let mut refused = CutError::Shape("an alias would lose its anchor".into());
            for without_aliases in [false, true] {
                yaml.without_aliases = without_aliases;
                let mut cut = yaml.cut(limit, in_bytes)?;
                match check(&rendered(document, &cut)?) {
                    Ok(()) => {
                        cut.about = about.clone();
                        return Ok(cut);
                    }
                    Err(error) => refused = error,
                }
            }
            Err(refused)
        })
    }))
}

/// How many entries of a collection are remembered.
fn sample(budget: &Budget) -> usize {
    usize::try_from(budget.chars / 8).unwrap_or(usize::MAX).clamp(64, 2048)
}

/// Refuses what does not parse.
fn check(source: &str) -> Result<(), CutError> {
    for event in Parser::new_from_str(source) {
        match event {
            Ok((Event::StreamEnd, _)) => break,
            Ok(_) => {}
            Err(error) => {
                let (line, column) = (error.marker().line(), error.marker().col() + 1);
                return Err(CutError::Shape(format!(
                    "malformed YAML at line {line} column {column}: {}",
                    error.info()
                )));
            }
        }
    }
    Ok(())
}

fn rendered(document: &dyn Document, cut: &Cut) -> Result<String, CutError> {
    let mut shown = String::new();
    for piece in cut.pieces() {
        match piece {
            Piece::Keep { range, .. } => shown.push_str(&document.read(range.clone())?),
            Piece::Omit { .. } => {}
            Piece::Insert(inserted) => shown.push_str(inserted),
        }
    }
    Ok(shown)
}

/// YAML as the chooser sees it.
struct Yaml<'a> {
    document: &'a dyn Document,
    settings: &'a Settings,
    sample: usize,
    root: Node,
    /// The documents of the stream.
    top: Family,
    /// Whether entries with aliases are left out, because their anchors would be.
    without_aliases: bool,
}

impl<'a> Yaml<'a> {
    fn read(document: &'a dyn Document, settings: &'a Settings, sample: usize) -> Result<Yaml<'a>, CutError> {
        let top = outline::documents(document, sample)?;
        let root = match top.children.as_slice() {
            [] => return Err(CutError::Shape("there is no YAML document in it".into())),
            [(only, _)] if top.count == 1 => *only,
            _ => Node::at(0..document.extent().bytes, Form::List),
        };
        if !root.holds() {
            return Err(CutError::Shape("the YAML document is neither a sequence nor a mapping".into()));
        }
        Ok(Yaml { document, settings, sample, root, top, without_aliases: false })
    }

    fn cut(&mut self, limit: u64, in_bytes: bool) -> Result<Cut, CutError> {
        let (document, root) = (self.document, self.root);
        let end = document.extent().bytes;
        // A long comment before the first entry is cut at a line end, and only its beginning stays.
        let (head, mark) = if root.start > limit / 4 {
            let head = document.read_around(0..limit / 8)?;
            (memchr::memrchr(b'\n', head.as_bytes()).map_or(0, |at| at as u64 + 1), "# comment omitted\n")
        } else {
            (root.start, "")
        };
        let tail = Some(end - root.end).filter(|&bytes| bytes <= limit / 8).unwrap_or(0);
        let Some(room) = limit.checked_sub(head + mark.len() as u64 + tail) else {
            return Err(CutError::Shape(format!(
                "what stands around the document alone is longer than {limit} characters"
            )));
        };
        let shown = Chooser::choose(document, self.settings, self, root, room, in_bytes)?;
        let mut pieces = Pieces::default();
        pieces.keep_to(head, "first lines");
        if !mark.is_empty() {
            pieces.omit_to(root.start, mark);
        }
        pieces.keep_to(root.start, "structure");
        pieces.node(document, self, &shown, 0)?;
        if tail > 0 {
            pieces.keep_to(end, "structure");
        }
        pieces.omit_to(end, "");
        pieces.cut("element", document)
    }

    fn is_stream(&self, node: &Node) -> bool {
        self.top.count > 1 && *node == self.root
    }

    fn shape(&mut self) -> Result<Option<String>, CutError> {
        let root = self.root;
        let family = self.family(&root)?;
        let line = match root.form {
            _ if self.is_stream(&root) => format!("{} documents", family.count),
            Form::List => match family.shapes.different {
                0 | 1 => format!("sequence of {} items", family.count),
                different => format!("sequence of {} items; {different} shapes", family.count),
            },
            _ => {
                let mut names = Vec::new();
                for (node, _) in family.children.iter().take(12) {
                    let name = self.document.read_around(node.start..node.value.min(node.start + 400))?;
                    let name = name.lines().rfind(|line| !line.trim_start().starts_with('#')).unwrap_or_default();
                    names.push(text::first_chars(name.trim().trim_end_matches(':'), 40).to_string());
                }
                format!("mapping of {} keys: {}", family.count, names.join(", "))
            }
        };
        Ok(Some(text::first_chars(&line, 240).to_string()))
    }
}

impl Format for Yaml<'_> {
    fn family(&mut self, node: &Node) -> Result<Family, CutError> {
        let mut family =
            if self.is_stream(node) { self.top.clone() } else { outline::family(self.document, node, self.sample)? };
        if self.without_aliases {
            let last = family.children.len().saturating_sub(1);
            let mut kept = Vec::new();
            for (at, child) in family.children.iter().enumerate() {
                // The first and the last must stay known; they are refused when they are to be shown.
                if at == 0 || at == last || !alias::inside(self.document, &child.0)? {
                    kept.push(*child);
                }
            }
            family.children = kept;
        }
        Ok(family)
    }

    fn folded(&self, node: &Node, family: &Family) -> String {
        let gap = self.gap(node, family, family.count, 0);
        let before = self.document.read_around(node.value.saturating_sub(1)..node.value);
        let spaced = before.is_ok_and(|before| before.ends_with([' ', '\n']) || before.is_empty());
        if spaced { gap } else { format!(" {gap}") }
    }

    fn gap(&self, parent: &Node, _family: &Family, count: u64, _nth: usize) -> String {
        let what = match parent.form {
            _ if self.is_stream(parent) => "document",
            Form::List => "item",
            _ => "key",
        };
        format!("# {} omitted\n", counted(count, what))
    }

    fn shorten(&self, node: &Node, room: u64) -> Result<Option<Short>, CutError> {
        outline::shorten(self.document, node, room)
    }

    fn may_show(&self, node: &Node) -> bool {
        !self.without_aliases || alias::inside(self.document, node).is_ok_and(|inside| !inside)
    }

    fn frame_stays(&self, node: &Node) -> bool {
        self.is_stream(node)
    }
}
