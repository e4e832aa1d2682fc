//! Reading back what was kept: whole, by lines, bytes, JSONPath or regular expression.
//!
//! A [`Request`] is what a model sends, a [`Selector`] what a program says. A program gets what it asked for whole
//! ([`Recall::read`]) or streamed ([`Recall::write`]); a model gets a [`Page`]. Reading a range costs the range, not the
//! artifact, and nothing that is read back is ever offloaded again: no handle leads to another handle.
//!
//! With `artifacts.enable_partial_retrieval: false` only the whole is given out: every other selector is refused, and a
//! page of something longer ends with a notice that says that the rest is not to be had.

mod document;
mod error;
mod handle;
mod request;

mod page;
mod part;
mod path;
mod pattern;
mod query;
mod scan;

#[cfg(test)]
mod tests;

use std::io;

use offcut_core::document::Document;
use offcut_core::text;
use offcut_store::{Artifact, ArtifactId, ArtifactInfo, Damaged, SessionId, Store, StoreError};

use crate::context::Context;
use crate::event::{Event, Requester};
use crate::policy::SMALLEST_LIMIT;

pub use document::ArtifactDocument;
pub use error::RecallError;
pub use page::Page;
pub use request::{DEFAULT_MATCHES, MOST_CONTEXT, Request, Selector};

use page::Pager;
use pattern::Search;
use query::Bounds;

/// The most characters of a line among the matches of a pattern.
const WIDTH: u64 = 500;

/// How many characters of a refused id are told.
const LONGEST_TOLD: usize = 80;

/// How many characters of a refused id are looked at for secrets: more than any secret has that begins in those that
/// are told.
const LONGEST_LOOKED_AT: u64 = 8192;

/// What a page weighs for a reader who does not count characters.
type Weight = fn(&str) -> u64;

/// Reads a session's artifacts. What it returns is paged, never offloaded again.
#[derive(Debug, Clone, Copy)]
pub struct Recall<'o> {
    context: &'o Context,
    /// Who asks, where somebody said so.
    by: Option<Requester>,
    /// The most characters of a page, where somebody wants less than the policy allows.
    page_chars: u64,
    /// How much a page may weigh, and how that is found.
    most: Option<(u64, Weight)>,
}

/// What was read back, and the facts about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recalled {
    /// The text.
    pub text: String,
    /// How much it is, of how much.
    pub tally: RecallCounts,
}

/// How much was read back, of how much.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecallCounts {
    /// Bytes that were returned.
    pub bytes: u64,
    /// The first and last line that were returned or searched, 1-based; absent for a query, and where there is none.
    pub lines: Option<(u64, u64)>,
    /// Lines of the artifact.
    pub total_lines: u64,
    /// Matching lines or nodes that were returned.
    pub shown: u64,
    /// Matching lines or nodes that there are.
    pub total: u64,
}

impl<'o> Recall<'o> {
    pub(crate) fn new(context: &'o Context) -> Recall<'o> {
        Recall { context, by: None, page_chars: u64::MAX, most: None }
    }

    /// On behalf of `by`, for those who watch. Without it pages are a model's, and everything else is the user's.
    #[must_use]
    pub fn by(self, by: Requester) -> Recall<'o> {
        Recall { by: Some(by), ..self }
    }

    /// With pages of at most so many characters, where the policy allows more: for a reader who shows no more.
    #[must_use]
    pub fn within(self, page_chars: u64) -> Recall<'o> {
        Recall { page_chars, ..self }
    }

    /// With pages that weigh at most `most`, however many characters that is: for a reader who counts otherwise.
    #[must_use]
    pub fn weighing(self, most: u64, weight: fn(&str) -> u64) -> Recall<'o> {
        Recall { most: Some((most, weight)), ..self }
    }

    /// Opens an artifact by its id, its short handle (`9kgw`), `last`, or a handle (`session-<session>/<id>`) of this
    /// session.
    pub fn open(&self, handle: &str) -> Result<Box<dyn Artifact>, RecallError> {
        self.open_for(self.by.unwrap_or(Requester::User), handle)
    }

    /// The short handle of an artifact of this session.
    pub fn handle(&self, id: &ArtifactId) -> String {
        self.context.handle(id)
    }

    /// The session's artifacts, oldest first.
    pub fn list(&self) -> Result<Vec<ArtifactInfo>, RecallError> {
        let (store, session) = self.context.store().ok_or(RecallError::NoStore)?;
        Ok(store.list(session)?)
    }

    /// The session's artifacts that [`Recall::list`] leaves out because they are damaged.
    pub fn damaged(&self) -> Result<Vec<Damaged>, RecallError> {
        let (store, session) = self.context.store().ok_or(RecallError::NoStore)?;
        Ok(store.damaged(session)?)
    }

    /// The whole content.
    pub fn whole(&self, handle: &str) -> Result<String, RecallError> {
        self.read(handle, &Selector::Whole).map(|found| found.text)
    }

    /// What `selector` selects, in memory.
    pub fn read(&self, handle: &str, selector: &Selector) -> Result<Recalled, RecallError> {
        let mut text = Vec::new();
        self.told(Requester::User, handle, &selector.to_string(), |artifact| {
            self.allowed(selector)?;
            let tally = select(artifact, selector, &mut text)?;
            let media_type = artifact.info().media_type.clone();
            let text = String::from_utf8(text).map_err(|_| RecallError::NotText { media_type })?;
            Ok(Recalled { text, tally })
        })
    }

    /// Writes what `selector` selects to `out`, in bounded memory however much it is; binary content as it came.
    pub fn write(
        &self,
        handle: &str,
        selector: &Selector,
        out: &mut dyn io::Write,
    ) -> Result<RecallCounts, RecallError> {
        self.told(Requester::User, handle, &selector.to_string(), |artifact| {
            self.allowed(selector)?;
            select(artifact, selector, out)
        })
    }

    /// What a model gets for `request`: at most `retrieval_limit` characters, with a notice that gives the next call.
    pub fn page(&self, request: &Request) -> Result<String, RecallError> {
        self.turn(request).map(|page| page.text())
    }

    /// The same in its parts, with the next call as a request.
    pub fn turn(&self, request: &Request) -> Result<Page, RecallError> {
        let selector = request.selector();
        let range = selector.as_ref().map_or_else(|error| error.code().to_owned(), ToString::to_string);
        self.told(Requester::Model, &request.id, &range, |artifact| {
            let selector = selector?;
            self.allowed(&selector)?;
            let policy = &self.context.policy;
            let source = ArtifactDocument::new(artifact);
            let wording = &self.context.wording;
            let mut limit = policy.retrieval_chars().min(self.page_chars).max(SMALLEST_LIMIT);
            let parts = policy.partial_retrieval();
            let handle = self.context.handle(&artifact.info().id);
            loop {
                let page =
                    Pager { source: &source, request, wording, handle: &handle, limit, parts }.page(&selector)?;
                let weight = self.most.map_or(0, |(_, weight)| weight(&page.text()));
                match self.most {
                    Some((most, _)) if weight > most && limit > SMALLEST_LIMIT => {
                        // A little less than in proportion, so that it comes to an end.
                        let smaller = limit.saturating_mul(most) / weight;
                        limit = (smaller - smaller / 50).clamp(SMALLEST_LIMIT, limit - 1);
                    }
                    _ => return Ok(page),
                }
            }
        })
    }

    /// Whether a text is small enough for one page.
    pub fn fits(&self, text: &str) -> bool {
        let limit = self.context.policy.retrieval_chars().min(self.page_chars).max(SMALLEST_LIMIT);
        let weighs_little = self.most.is_none_or(|(most, weight)| weight(text) <= most);
        weighs_little && offcut_core::text::chars(text) <= limit
    }

    /// Refuses a part where only whole artifacts are given out.
    pub fn allowed(&self, selector: &Selector) -> Result<(), RecallError> {
        if *selector == Selector::Whole || self.context.policy.partial_retrieval() {
            return Ok(());
        }
        Err(RecallError::WholeOnly { asked: selector.to_string() })
    }

    /// Opens an artifact for one retrieval, and tells those who watch how it went.
    fn told<T: ReadBack>(
        &self,
        usually: Requester,
        handle: &str,
        range: &str,
        read: impl FnOnce(&dyn Artifact) -> Result<T, RecallError>,
    ) -> Result<T, RecallError> {
        let by = self.by.unwrap_or(usually);
        let opened = self.open_for(by, handle);
        let id = opened.as_ref().map_or_else(|_| self.shown(handle), |artifact| artifact.info().id.to_string());
        let found = opened.and_then(|artifact| read(artifact.as_ref()));
        let outcome = found.as_ref().err().map_or("ok", RecallError::code).to_owned();
        let session = &self.context.session;
        let bytes = found.as_ref().map_or(0, ReadBack::bytes);
        let (session, range) = (session.to_string(), range.to_owned());
        self.context.emit(Event::Retrieval { id, session, range, by, outcome, bytes });
        found
    }

    /// Opens an artifact, and tells those who watch where a handle is refused.
    fn open_for(&self, by: Requester, handle: &str) -> Result<Box<dyn Artifact>, RecallError> {
        let (store, session) = self.context.store().ok_or(RecallError::NoStore)?;
        let id = handle::resolve(handle, store, session).inspect_err(|error| {
            let reason = match error {
                RecallError::InvalidId { .. } => "invalid_id",
                RecallError::Foreign { .. } => "other_session",
                _ => return,
            };
            self.context.emit(Event::Refusal {
                id: self.harmless(handle),
                session: session.to_string(),
                by,
                reason: reason.to_owned(),
            });
        })?;
        match store.open(session, &id) {
            Err(StoreError::NotFound { id }) => Err(missing(store, session, id)),
            opened => Ok(opened?),
        }
    }

    /// A handle as logs and answers may hold it.
    pub fn shown(&self, handle: &str) -> String {
        if handle::is_one(handle) { handle.to_owned() } else { self.harmless(handle) }
    }

    /// What was given for an id as logs may hold it: it may be anything, a secret or a terminal's commands too.
    fn harmless(&self, handle: &str) -> String {
        let redacted = self.context.redacted("", text::first_chars(handle, LONGEST_LOOKED_AT));
        redacted.chars().filter(|c| !c.is_control() && !is_invisible(*c)).take(LONGEST_TOLD).collect()
    }
}

/// What a retrieval returns, for those who count.
trait ReadBack {
    /// Its bytes.
    fn bytes(&self) -> u64;
}

impl ReadBack for Recalled {
    fn bytes(&self) -> u64 {
        self.text.len() as u64
    }
}

impl ReadBack for RecallCounts {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl ReadBack for Page {
    fn bytes(&self) -> u64 {
        self.text().len() as u64
    }
}

/// Characters that show nothing themselves, or turn the direction of others.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Why this session has no such artifact.
fn missing(store: &dyn Store, own: &SessionId, id: ArtifactId) -> RecallError {
    let others = store.sessions().unwrap_or_default();
    let mut others = others.iter().map(|other| &other.session).filter(|other| *other != own);
    if others.any(|other| store.open(other, &id).is_ok()) {
        return RecallError::Foreign { id };
    }
    match store.list(own) {
        Ok(kept) if kept.is_empty() => RecallError::NothingStored { id },
        _ => RecallError::NotFound { id },
    }
}

/// Writes what `selector` selects of an artifact.
fn select(artifact: &dyn Artifact, selector: &Selector, out: &mut dyn io::Write) -> Result<RecallCounts, RecallError> {
    let source = ArtifactDocument::new(artifact);
    let total_lines = source.extent().lines;
    let mut out = CountedWriter { out, bytes: 0 };
    let mut tally = RecallCounts { total_lines, ..RecallCounts::default() };
    if source.is_binary() && matches!(selector, Selector::Query { .. } | Selector::Pattern { .. }) {
        return Err(RecallError::NotText { media_type: source.media_type() });
    }
    match selector {
        Selector::Query { path, offset } => {
            query::nodes(&source, path, Bounds::default(), &mut |node| {
                tally.total += 1;
                if tally.total > *offset {
                    put(&mut out, if tally.shown == 0 { "[\n" } else { ",\n" })?;
                    query::write(&source, &node, &mut out)?;
                    tally.shown += 1;
                }
                Ok(())
            })?;
            put(&mut out, if tally.shown == 0 { "[]\n" } else { "\n]\n" })?;
        }
        Selector::Pattern { pattern, context, max_matches, start, end } => {
            let lines = if total_lines == 0 { (1, 0) } else { part::checked_lines(total_lines, *start, *end)? };
            let search = Search::new(pattern, *context, lines, WIDTH)?;
            let most = max_matches.unwrap_or(u64::MAX);
            let (mut last, mut last_hit) = (None, None);
            tally.total = search.run(&source, &mut |entry| {
                // Behind the last match that is shown only its own context follows.
                let follows = last_hit.is_some_and(|hit| entry.line <= context.saturating_add(hit));
                if tally.shown >= most && (entry.hit || !follows) {
                    return Ok(false);
                }
                last_hit = if entry.hit { Some(entry.line) } else { last_hit };
                if *context > 0 && last.is_some_and(|last| entry.line > last + 1) {
                    put(&mut out, "--\n")?;
                }
                last = Some(entry.line);
                tally.shown += u64::from(entry.hit);
                put(&mut out, &entry.written())?;
                Ok(true)
            })?;
            tally.lines = (total_lines > 0).then_some(lines);
        }
        lines_or_bytes => {
            if let Some(part) = part::part(&source, lines_or_bytes)? {
                source.copy(part.bytes(), &mut out)?;
                tally.lines = if source.is_binary() { None } else { part.lines(&source)? };
            }
        }
    }
    tally.bytes = out.bytes;
    Ok(tally)
}

fn put(out: &mut dyn io::Write, text: &str) -> Result<(), RecallError> {
    out.write_all(text.as_bytes()).map_err(RecallError::Output)
}

/// Counts what is written.
struct CountedWriter<'w> {
    out: &'w mut dyn io::Write,
    bytes: u64,
}

impl io::Write for CountedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
