//! Where bytes enter: pushed in whatever chunks the world sends, then finished.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use memchr::{memchr, memrchr};
use offcut_core::binary::{self, BinaryType};
use offcut_core::clean::Cleaner;
use offcut_core::cut::Cut;
use offcut_core::document::TextDocument;
use offcut_core::extent::Extent;
use offcut_core::limit::Unit;
use offcut_core::redact::Redactor;
use offcut_core::report::{Report, VERSION};
use offcut_core::text;
use offcut_store::{Draft, Facts, Progress, Source};

use crate::call::Call;
use crate::context::Context;
use crate::event::Event;
use crate::outcome::Outcome;
use crate::overwritten::Overwritten;
use crate::policy::{Plan, PolicyError};
use crate::profile::Profile;
use crate::progress::Schedule;
use crate::reply::{Explanation, Reply};
use crate::respond::{BinaryOutput, FinishedOutput, binary_reply, respond};
use crate::spool::{Ahead, Spool};

/// Takes one output in. Write its bytes, then [`finish`](Intake::finish).
///
/// Writing never fails but for one reason: the output has reached `max_artifact_size`. Then the producer should be
/// ended; what came until then still becomes a reply.
pub struct Intake<'o> {
    context: &'o Context,
    call: Arc<Call>,
    plan: Plan,
    started: Instant,
    raw_bytes: u64,
    outcome: Outcome,
    sniffing: Option<Vec<u8>>,
    path: Path<'o>,
    schedule: Schedule,
}

/// How many characters a line has, about.
const LINE: u64 = 40;

/// How many bytes go from stage to stage at a time.
const PIECE: usize = 128 * 1024;

/// The way that the bytes take once it is known what they are.
enum Path<'o> {
    Text(Box<TextPath<'o>>),
    Binary(Box<BinaryPath>),
}

struct TextPath<'o> {
    cleaner: Cleaner,
    redactor: Option<Redactor>,
    cleaned: String,
    overwritten: Overwritten,
    spool: Spool<'o>,
    /// Whether the bytes so far end inside a line.
    inside_line: bool,
}

struct BinaryPath {
    kind: BinaryType,
    hasher: blake3::Hasher,
    small: Vec<u8>,
    draft: Result<Box<dyn Draft>, String>,
}

impl TextPath<'_> {
    /// Takes bytes in, at most a piece at a time: what one stage has looked at is still near when the next one does.
    /// The rest of a line comes first and alone, and then whole lines, which need not be joined to anything.
    fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let near = rest.get(..PIECE).unwrap_or(rest);
            let end = if self.inside_line { memchr(b'\n', near) } else { memrchr(b'\n', near) };
            let (piece, behind) = rest.split_at(end.map_or(near.len(), |end| end + 1));
            self.inside_line = end.is_none();
            self.push_piece(piece);
            rest = behind;
        }
    }

    fn push_piece(&mut self, bytes: &[u8]) {
        let text = self.cleaner.push(bytes, &mut self.cleaned);
        match &mut self.redactor {
            Some(redactor) => redactor.push(text, &mut |text| self.spool.push(text)),
            None => self.spool.push(text),
        }
        self.overwritten.take(&mut self.cleaner, self.redactor.as_ref());
    }

    /// The whole lines that are held back, with those of `next` behind them, if the output ended there. The line that
    /// is still coming may hold half a secret.
    fn tail(&self, next: &[u8]) -> String {
        let (mut cleaner, mut redactor) = (self.cleaner.clone(), self.redactor.clone());
        let (mut cleaned, mut scratch) = (String::new(), String::new());
        cleaned.push_str(cleaner.push(next, &mut scratch));
        cleaned.push_str(cleaner.finish(&mut scratch));
        let lines = memrchr(b'\n', cleaned.as_bytes()).map_or(0, |at| at + 1);
        cleaned.truncate(lines);
        let Some(redactor) = &mut redactor else { return cleaned };
        let mut clear = String::new();
        redactor.push(&cleaned, &mut |text| clear.push_str(text));
        redactor.finish(&mut |text| clear.push_str(text));
        clear
    }

    fn finish(&mut self) {
        let text = self.cleaner.finish(&mut self.cleaned);
        match &mut self.redactor {
            Some(redactor) => {
                redactor.push(text, &mut |text| self.spool.push(text));
                redactor.finish(&mut |text| self.spool.push(text));
            }
            None => self.spool.push(text),
        }
        self.overwritten.take(&mut self.cleaner, self.redactor.as_ref());
    }
}

impl BinaryPath {
    fn push(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        if self.small.len() < binary::INLINE_LIMIT as usize {
            self.small.extend(bytes.iter().take(binary::INLINE_LIMIT as usize - self.small.len()));
        }
        if let Ok(draft) = &mut self.draft
            && let Err(error) = draft.write(bytes)
        {
            self.draft = Err(error.to_string());
        }
    }
}

impl<'o> Intake<'o> {
    pub(crate) fn new(context: &'o Context, call: Call) -> Result<Intake<'o>, PolicyError> {
        let plan = context.policy.plan(&call)?;
        let redactor = context.redactor(&call.tool);
        let call = Arc::new(context.admit(call));
        let shown = plan.limits.of(Unit::Chars).or(plan.limits.of(Unit::Bytes)).unwrap_or(50_000);
        let ahead = Ahead {
            call: call.clone(),
            lines: plan.may_be_smart().then(|| plan.settings.line_rules.clone()),
            elements: plan.may_be_element().then_some(shown),
        };
        let text = TextPath {
            cleaner: Cleaner::default(),
            redactor,
            cleaned: String::new(),
            overwritten: Overwritten::default(),
            spool: Spool::new(context.store(), context.memory_bound, shown, ahead, context.policy.line_rules().clone()),
            inside_line: false,
        };
        let started = Instant::now();
        Ok(Intake {
            context,
            call,
            plan,
            started,
            schedule: Schedule::new(started),
            raw_bytes: 0,
            outcome: Outcome::Unsaid,
            sniffing: Some(Vec::new()),
            path: Path::Text(Box::new(text)),
        })
    }

    /// Makes room for an output of `bytes` bytes, as far as it is going to lie in memory.
    pub fn reserve(&mut self, bytes: usize) {
        if let Path::Text(text) = &mut self.path {
            text.spool.reserve(bytes);
        }
    }

    /// Bytes taken in so far.
    pub fn taken(&self) -> u64 {
        self.raw_bytes
    }

    /// How big the text is so far, cleaned; all zero for binary content.
    pub fn extent(&self) -> Extent {
        match &self.path {
            Path::Text(text) => text.spool.extent(),
            Path::Binary(_) => Extent::default(),
        }
    }

    /// Says how the call ended, for the header of a reply that is cut.
    pub fn ended(&mut self, outcome: Outcome) {
        self.outcome = outcome;
    }

    /// Keeps so many characters and lines of the limit free, for what the caller writes around the reply. Where the
    /// profile's limit counts kept text only, that is on top of it anyway.
    pub fn leave_room(&mut self, chars: u64, lines: u64) {
        if self.plan.profile.notices_count() {
            self.plan.limits = self.plan.limits.less(chars, lines);
        }
    }

    /// Brings what came so far to the store, if it is time to: a process that is killed leaves an unfinished artifact
    /// then, and not nothing. To be called several times a second while an output is coming; mostly it does nothing.
    pub fn save_progress(&mut self) {
        let source = || {
            let Call { tool, arguments, .. } = self.call.as_ref();
            Source { tool: tool.clone(), arguments: arguments.clone() }
        };
        let (path, sniffing) = (&mut self.path, &self.sniffing);
        self.schedule.save(self.raw_bytes, || match path {
            Path::Text(text) => {
                let first = sniffing.as_deref().unwrap_or_default();
                if binary::sniff(first).is_none() {
                    let progress = Progress { source: source(), binary: false, tail: text.tail(first) };
                    text.spool.save_progress(&progress);
                }
            }
            Path::Binary(binary) => {
                if let Ok(draft) = &mut binary.draft {
                    // A draft that cannot be written says so with the next write.
                    let _ = draft.save_progress(&Progress { source: source(), binary: true, tail: String::new() });
                }
            }
        });
    }

    /// The beginning of the text that is known by now, whole lines within one part in `share` of the limit, for a reader
    /// who cannot wait; none where it has left memory or is not text. A program that overwrites its own lines can still
    /// change it.
    pub fn text_so_far(&self, share: u64) -> Option<String> {
        let Path::Text(text) = &self.path else { return None };
        let first = self.sniffing.as_deref().unwrap_or_default();
        if binary::sniff(first).is_some() {
            return None;
        }
        let room = usize::try_from(self.room() / share.max(1)).unwrap_or(usize::MAX);
        let kept = text.spool.in_memory()?;
        // No character takes more than four bytes.
        let mut so_far = text::slice(kept, 0..kept.len().min(room.saturating_mul(4))).to_owned();
        if so_far.len() == kept.len() {
            so_far.push_str(&text.tail(first));
        }
        let end = so_far.char_indices().nth(room).map_or(so_far.len(), |(at, _)| at);
        so_far.truncate(memrchr(b'\n', text::slice(&so_far, 0..end).as_bytes()).map_or(0, |at| at + 1));
        Some(so_far)
    }

    /// Whether there is more than certainly fits.
    pub fn may_be_cut(&self) -> bool {
        self.raw_bytes > self.room()
    }

    /// The limit in characters, about.
    fn room(&self) -> u64 {
        let limits = &self.plan.limits;
        let lines = limits.of(Unit::Lines).map(|lines| lines.saturating_mul(LINE));
        let tokens = limits.of(Unit::Tokens).map(|tokens| tokens.saturating_mul(3));
        let all = [limits.of(Unit::Chars), limits.of(Unit::Bytes), tokens, lines];
        all.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// Whether the output has reached `max_artifact_size`.
    pub fn is_full(&self) -> bool {
        self.raw_bytes >= self.plan.max_artifact_bytes
    }

    /// The end of the output: the reply to it. There always is one.
    pub fn finish(self) -> Reply {
        self.finish_explained().reply
    }

    /// The same, with what the reply was made from.
    pub fn finish_explained(mut self) -> Explanation {
        self.decide();
        let oversize = self.is_full().then_some(self.raw_bytes);
        let mut journal = None;
        // What is counted in lines or tokens is full as it is.
        let counts_size = self.plan.limits.of(Unit::Lines).is_none() && self.plan.limits.of(Unit::Tokens).is_none();
        let room = if counts_size { self.room() } else { 0 };
        let explanation = match self.path {
            Path::Text(mut text) => {
                text.finish();
                let overwritten = std::mem::take(&mut text.overwritten);
                let overwritten_chars = text.cleaner.changes().overwritten_chars;
                let (extent, profile) = (text.spool.extent(), self.plan.profile);
                journal = text.spool.take_journal();
                let redactions = text.redactor.as_ref().map(|redactor| redactor.counts().clone()).unwrap_or_default();
                let taken = FinishedOutput {
                    call: self.call.clone(),
                    plan: self.plan,
                    spooled: text.spool.finish(),
                    redactions,
                    oversize,
                    outcome: self.outcome,
                };
                let mut explanation = respond(self.context, taken);
                let Reply { text, report } = &mut explanation.reply;
                let said = overwritten.keep(overwritten_chars, &extent, self.context, &self.call, report);
                // The other profiles have their wording to the letter.
                if let Some(line) = said.filter(|_| profile == Profile::Auto)
                    && ((text.len() + line.len()) as u64) < room
                {
                    // The header of a cut stays the first line.
                    match report.was_truncated || report.compacted {
                        true => text.push_str(&format!("\n{line}")),
                        false => text.insert_str(0, &format!("{line}\n")),
                    }
                    report.truncated_size = text::chars(text);
                }
                explanation
            }
            Path::Binary(binary) => Explanation {
                reply: binary.finish(
                    self.context,
                    &self.call,
                    self.raw_bytes,
                    oversize.map(|_| self.plan.max_artifact_bytes),
                ),
                document: Box::new(TextDocument::new("")),
                cut: Cut::whole(&Extent::default()),
            },
        };
        // Until here there may have been no artifact.
        drop(journal);
        Explanation { reply: self.context.told(&self.call, explanation.reply, self.started), ..explanation }
    }

    /// Decides on what was looked at whether this is text, and sends it on its way.
    fn decide(&mut self) {
        let Some(first) = self.sniffing.take() else { return };
        if let Some(kind) = binary::sniff(&first) {
            let draft = match self.context.store() {
                None => Err("no store is configured".to_owned()),
                Some((store, session)) => store.draft(session).map_err(|error| error.to_string()),
            };
            let path = BinaryPath { kind, hasher: blake3::Hasher::new(), small: Vec::new(), draft };
            self.path = Path::Binary(Box::new(path));
        }
        self.push(&first);
    }

    fn push(&mut self, bytes: &[u8]) {
        match &mut self.path {
            Path::Text(text) => text.push(bytes),
            Path::Binary(binary) => binary.push(bytes),
        }
    }
}

impl BinaryPath {
    /// The reply; `exceeded` is the maximum size, where that was reached.
    fn finish(self, context: &Context, call: &Call, bytes: u64, exceeded: Option<u64>) -> Reply {
        let hash = self.hasher.finalize().to_hex().to_string();
        let small = bytes < binary::INLINE_LIMIT;
        let facts = Facts {
            source: Source { tool: call.tool.clone(), arguments: call.arguments.clone() },
            media_type: self.kind.media_type.to_owned(),
            kind: "binary".to_owned(),
            summary: self.kind.name.to_owned(),
            extent: Extent { bytes, ..Extent::default() },
            index: Default::default(),
            tokens: 0,
            file_name: None,
            binary: true,
            trace_id: None,
            terms: Some(Vec::new()),
        };
        if let Some(max) = exceeded {
            let session = context.session.to_string();
            context.emit(Event::Oversize { tool: call.tool.clone(), session, bytes, max });
        }
        let stored = match (small, exceeded, self.draft) {
            (true, _, _) => Err("small".to_owned()),
            // A part of a file would pass for the whole.
            (false, Some(_), _) => Err("the output exceeds the maximum artifact size".to_owned()),
            (false, None, Err(why)) => Err(why),
            (false, None, Ok(mut draft)) => draft.commit(facts).map_err(|error| error.to_string()),
        };
        let inline = small.then_some(self.small);
        let report = Report { version: VERSION, is_error: exceeded.is_some(), ..Report::default() };
        binary_reply(context, call, BinaryOutput { kind: self.kind, bytes, hash, inline, stored }, report)
    }
}

impl Write for Intake<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = usize::try_from(self.plan.max_artifact_bytes.saturating_sub(self.raw_bytes)).unwrap_or(usize::MAX);
        let Some(bytes) = bytes.get(..bytes.len().min(room)).filter(|taken| !taken.is_empty() || bytes.is_empty())
        else {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the output has reached `max_artifact_size`"));
        };
        self.raw_bytes += bytes.len() as u64;
        match &mut self.sniffing {
            None => self.push(bytes),
            Some(first) => {
                let wanted = binary::HEAD.saturating_sub(first.len()).min(bytes.len());
                let (now, later) = bytes.split_at(wanted);
                first.extend_from_slice(now);
                if first.len() >= binary::HEAD {
                    self.decide();
                    self.push(later);
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Context {
    /// Puts the time into a reply's report, and tells the observers of it.
    fn told(&self, call: &Call, mut reply: Reply, started: Instant) -> Reply {
        reply.report.duration_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        reply.report.degraded.extend(self.degraded.iter().cloned());
        self.emit(Event::reply(&call.tool, &self.session, &reply.report));
        self.trim(&mut reply.report);
        reply
    }

    /// Takes out of a report what the configuration does not want in it.
    fn trim(&self, report: &mut Report) {
        let metadata = &self.policy.options().metadata;
        if metadata.include_original_size == Some(false) {
            (report.original_size, report.original_bytes, report.original_lines) = (None, None, None);
        }
        if metadata.include_token_estimate == Some(false) {
            (report.original_tokens, report.truncated_tokens) = (None, None);
        }
        if metadata.include_strategy == Some(false) {
            report.strategy = None;
        }
    }
}
