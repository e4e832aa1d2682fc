//! From a document to a reply: decide, cut, store, word.

use std::sync::Arc;

use offcut_core::binary;
use offcut_core::classify::{Hints, classify};
use offcut_core::document::Document;
use offcut_core::kind::{Classification, Kind};
use offcut_core::limit::Limit;
use offcut_core::notice::{self, Kept, Reference};
use offcut_core::render::{Markers, Rendered};
use offcut_core::report::{Report, VERSION};
use offcut_core::text;
use offcut_core::tokens::TokenCounter;
use offcut_store::{ArtifactInfo, Facts, Source};

use crate::call::Call;
use crate::event::Event;
use crate::frame::{Frame, Volume};
use crate::options::ArtifactView;
use crate::policy::Plan;
use crate::profile::Profile;
use crate::reply::Reply;
use crate::spool::{SharedDraft, Spooled};
use crate::view::{self, Scene, View};
use crate::{Offcut, clock};

/// The share of a limit that an artifact reference may take before it is left out: one in six.
const REFERENCE_SHARE: u64 = 6;

/// What notices may add on top of a limit that counts kept text only.
const ON_TOP: u64 = 1200;

/// Everything that is known about an output when it has ended.
pub(crate) struct Taken {
    pub(crate) call: Call,
    pub(crate) plan: Plan,
    pub(crate) spooled: Spooled,
    pub(crate) redactions: std::collections::BTreeMap<String, u64>,
    /// Bytes that came, where that was too many.
    pub(crate) oversize: Option<u64>,
}

/// One output on its way out.
struct Respond<'o> {
    offcut: &'o Offcut,
    call: Call,
    plan: Plan,
    document: Box<dyn Document>,
    draft: Option<SharedDraft>,
    lost: Option<String>,
    tokens: u64,
    classification: Classification,
    report: Report,
    info: Option<ArtifactInfo>,
}

/// Makes the reply to an output that has ended.
pub(crate) fn respond(offcut: &Offcut, taken: Taken) -> Reply {
    let Taken { call, plan, spooled, redactions, oversize } = taken;
    let Spooled { document, draft, lost } = spooled;
    let extent = *document.extent();
    let mut degraded = Vec::new();
    let tokens = plan.tokenizer.count_document(document.as_ref()).unwrap_or_else(|error| {
        degraded.push(format!("tokens are estimated: {error}"));
        extent.estimated_tokens()
    });
    let report = Report {
        version: VERSION,
        original_size: Some(extent.chars),
        original_bytes: Some(extent.bytes),
        original_lines: Some(extent.lines),
        original_tokens: Some(tokens),
        redactions,
        degraded,
        ..Report::default()
    };
    let classification = Classification::new(Kind::Text, 0.0, "not looked at");
    let respond = Respond { offcut, call, plan, document, draft, lost, tokens, classification, report, info: None };
    respond.reply(oversize)
}

impl Respond<'_> {
    fn reply(mut self, oversize: Option<u64>) -> Reply {
        let limit = view::exceeded(self.document.as_ref(), self.tokens, &self.plan.limits).copied();
        self.classify();
        let over_budget =
            self.plan.profile == Profile::Handle && self.call.token_budget.is_some_and(|left| self.tokens > left);
        if limit.is_none() && !over_budget && oversize.is_none() {
            match self.whole() {
                Ok(text) => return self.whole_reply(text),
                Err(error) => self.report.degraded.push(format!("the output could not be read back: {error}")),
            }
        }
        self.report.limit = limit.map(|limit: Limit| limit.to_string());
        let text = match (oversize, self.plan.profile) {
            (None, Profile::Paged) => self.paged(),
            (None, Profile::Handle) => self.handle(),
            (None, Profile::Bookends) => self.bookends(),
            _ => self.framed(oversize),
        };
        self.finish(text)
    }

    fn classify(&mut self) {
        let hints = Hints { tool: &self.call.tool, arguments: &self.call.arguments, forced: self.call.kind };
        match classify(self.document.as_ref(), &hints) {
            Ok(classification) => self.classification = classification,
            Err(error) => {
                self.classification = Classification::new(Kind::Text, 0.0, "could not be read");
                self.report.degraded.push(format!("the kind of the output is not known: {error}"));
            }
        }
        self.report.content_type = self.classification.kind.media_type().into_owned();
    }

    fn whole(&self) -> std::io::Result<String> {
        match self.document.text() {
            Some(text) => Ok(text.to_owned()),
            None => self.document.read(0..self.document.extent().bytes).map(std::borrow::Cow::into_owned),
        }
    }

    fn whole_reply(mut self, text: String) -> Reply {
        let lines = self.document.extent().lines;
        self.report.strategy = Some("none".to_owned());
        self.report.kept = if lines == 0 { Vec::new() } else { vec![(1, lines)] };
        self.report.truncated_tokens = Some(self.tokens);
        self.finish(text)
    }

    fn finish(mut self, text: String) -> Reply {
        let report = &mut self.report;
        report.truncated_size = text::chars(&text);
        if report.truncated_tokens.is_none() {
            report.truncated_tokens = Some(self.plan.tokenizer.count(&text));
        }
        report.kind = self.classification.kind.to_string();
        report.kind_confidence = self.classification.confidence;
        report.kind_reason = self.classification.reason.to_string();
        if let Some(info) = &self.info {
            report.artifact_created = true;
            report.artifact_id = Some(info.id.to_string());
            report.artifact_path = info.path.as_ref().map(|path| path.display().to_string());
        }
        Reply { text, report: self.report }
    }

    // ── Storing ──────────────────────────────────────────────────────────────────────────────────────────────────

    /// The draft that holds the whole output, made now where it was still in memory.
    fn drafted(&mut self) -> Option<SharedDraft> {
        if self.draft.is_some() || self.lost.is_some() {
            return self.draft.clone();
        }
        let Some((store, session)) = self.offcut.store() else {
            self.lost = Some("no store is configured".to_owned());
            return None;
        };
        let written = store.draft(session).and_then(|mut draft| {
            if let Some(text) = self.document.text() {
                draft.write(text.as_bytes())?;
            }
            Ok(draft)
        });
        match written {
            Ok(draft) => self.draft = Some(Arc::new(std::sync::Mutex::new(draft))),
            Err(error) => self.lost = Some(error.to_string()),
        }
        self.draft.clone()
    }

    /// Makes the whole output an artifact; afterwards `info` or `lost` says how it went.
    fn commit(&mut self, summary: &str, file_name: Option<String>) {
        let Some(draft) = self.drafted() else { return };
        let facts = Facts {
            source: Source {
                tool: self.call.tool.clone(),
                arguments: self.offcut.redacted(&self.call.tool, &self.call.arguments),
            },
            media_type: self.classification.kind.media_type().into_owned(),
            kind: self.classification.kind.to_string(),
            summary: notice::one_line(summary, 100),
            extent: *self.document.extent(),
            index: self.document.index().clone(),
            tokens: self.tokens,
            file_name,
            binary: false,
        };
        let committed = match draft.lock() {
            Ok(mut draft) => draft.commit(facts).map_err(|error| error.to_string()),
            Err(_) => Err("the draft was left locked".to_owned()),
        };
        match committed {
            Ok(info) => {
                self.offcut.emit(Event::Artifact {
                    id: info.id.to_string(),
                    session: info.session.to_string(),
                    tool: self.call.tool.clone(),
                    bytes: info.extent.bytes,
                });
                self.info = Some(info);
            }
            Err(error) => self.lost = Some(error),
        }
    }

    fn kept<'k>(&'k self, id: &'k str, path: Option<&'k str>) -> Kept<'k> {
        match &self.lost {
            Some(why) => Kept::Lost(why),
            None => Kept::Stored { id, path },
        }
    }

    /// What the artifact is about, where no strategy has said.
    fn summary(&self) -> String {
        let extent = self.document.extent();
        format!("{} output, {} lines", self.classification.kind, extent.lines)
    }

    // ── The profiles `auto` and `balanced` ───────────────────────────────────────────────────────────────────────

    fn framed(&mut self, oversize: Option<u64>) -> String {
        if let Some(bytes) = oversize {
            self.lost = Some("the output exceeds the maximum artifact size".to_owned());
            self.draft = None;
            self.report.is_error = true;
            self.offcut.emit(Event::Oversize {
                tool: self.call.tool.clone(),
                bytes,
                max: self.plan.max_artifact_bytes,
            });
        }
        let id = self.drafted().and_then(|draft| draft.lock().ok().map(|draft| draft.id().to_string()));
        let created = clock::utc(clock::now_ms());
        let (view, volume) = self.best_view(id.as_deref().unwrap_or(""), &created, oversize);
        let about = view.cut.about.clone().unwrap_or_else(|| self.summary());
        if self.lost.is_none() {
            self.commit(&about, None);
        }
        // A commit that failed changes the notices: the view is fitted again around the new ones.
        let (view, volume) = match (&self.info, self.lost.is_some() && id.is_some()) {
            (None, true) => self.best_view("", &created, oversize),
            _ => (view, volume),
        };
        let created = self.info.as_ref().map_or(created, |info| clock::utc(info.created_ms));
        let id = self.info.as_ref().map(|info| info.id.to_string()).unwrap_or_default();
        let source = self.offcut.redacted(&self.call.tool, &self.call.source());
        let frame = self.frame(&id, &created, &source, Some(about.as_str()), oversize);
        let text = frame.compose(&view, volume);
        let notice = (volume == Volume::Bare)
            .then(|| format!("{}\n{}", frame.header(&view.rendered), frame.footer(&view.rendered)));
        self.report.notice = notice;
        self.tell(&view);
        text
    }

    /// The view that fits with the most said around it.
    fn best_view(&self, id: &str, created: &str, oversize: Option<u64>) -> (View, Volume) {
        let source = self.offcut.redacted(&self.call.tool, &self.call.source());
        let about = self.summary();
        let frame = self.frame(id, created, &source, Some(&about), oversize);
        let scene = Scene {
            document: self.document.as_ref(),
            plan: &self.plan,
            registry: self.offcut.policy().registry(),
            classification: &self.classification,
        };
        let mut last = None;
        for volume in self.volumes(&frame) {
            match self.fitted(&scene, &frame, volume) {
                Ok(view) if self.over(&frame.compose(&view, volume)).is_none() => return (view, volume),
                Ok(view) => last = Some((view, volume)),
                Err(error) => tracing::warn!(%error, "no strategy served"),
            }
        }
        last.map_or_else(|| (self.blind(), Volume::Short), |(view, _)| (view, Volume::Bare))
    }

    /// How much may be said, most first.
    fn volumes(&self, frame: &Frame<'_>) -> Vec<Volume> {
        let json = self.classification.kind == Kind::Json;
        if self.plan.profile == Profile::Balanced {
            return match (frame.reference.is_some(), json) {
                (true, _) => vec![Volume::Reference, Volume::Notices, Volume::Short, Volume::Bare],
                // A cut of JSON below the threshold is JSON alone.
                (false, true) => vec![Volume::Bare],
                (false, false) => vec![Volume::Notices, Volume::Short, Volume::Bare],
            };
        }
        match frame.reference {
            Some(_) if self.roomy(frame) => vec![Volume::Reference, Volume::Notices, Volume::Short],
            _ => vec![Volume::Notices, Volume::Short],
        }
    }

    /// Whether an artifact reference would leave most of the limit to the view.
    fn roomy(&self, frame: &Frame<'_>) -> bool {
        let room =
            view::room(self.document.as_ref(), &self.plan.limits, self.plan.tokenizer, &Default::default(), true);
        frame.reserve(Volume::Reference).chars * REFERENCE_SHARE <= room.chars
            && room.lines.is_none_or(|lines| lines >= 60)
    }

    fn fitted(
        &self,
        scene: &Scene<'_>,
        frame: &Frame<'_>,
        volume: Volume,
    ) -> Result<View, offcut_core::strategy::NoCut> {
        let inside = self.plan.profile.notices_count();
        let mut reserved = if inside { frame.reserve(volume) } else { Default::default() };
        // Crossing the artifact threshold must not shrink the view: below it the room of a reference stays free.
        if inside && volume == Volume::Notices && frame.reference.is_none() && self.lost.is_none() {
            reserved = self.reserve_of_a_reference(frame).unwrap_or(reserved);
        }
        let room = view::room(self.document.as_ref(), &self.plan.limits, self.plan.tokenizer, &reserved, inside);
        if frame.reference.is_some() && self.plan.view != ArtifactView::Cut {
            return self.preview();
        }
        scene.view(room, Markers::Shown, |view| self.over(&frame.compose(view, volume)))
    }

    fn reserve_of_a_reference(&self, frame: &Frame<'_>) -> Option<view::Reserved> {
        if self.plan.artifact_threshold.is_none() || matches!(frame.kept, Kept::Lost(_)) {
            return None;
        }
        let id = match &frame.kept {
            Kept::Stored { id, .. } => *id,
            Kept::Lost(_) => return None,
        };
        let source = self.offcut.redacted(&self.call.tool, &self.call.source());
        let summary = "x".repeat(100);
        let reference = self.reference(id, &summary, &source, "2024-11-06 14:22:47 UTC");
        let with = Frame { reference: Some(reference), error: None, kept: frame.kept.clone(), ..*frame };
        self.roomy(&with).then(|| with.reserve(Volume::Reference))
    }

    /// By how many characters a reply is too long, if it is: the limit, or the output that it stands for.
    fn over(&self, reply: &str) -> Option<u64> {
        let extent = self.document.extent();
        let longer = text::chars(reply).saturating_sub(extent.chars);
        let longer = if self.report.is_error { 0 } else { longer };
        // Where notices come on top, what a strategy keeps was bounded by its budget.
        let on_top = if self.plan.profile.notices_count() { 0 } else { ON_TOP };
        let limit = view::over(reply, &self.plan.limits, self.plan.tokenizer, on_top);
        let over = limit.unwrap_or(0).max(longer);
        (over > 0).then_some(over)
    }

    fn preview(&self) -> Result<View, offcut_core::strategy::NoCut> {
        use offcut_core::cut::{Cut, Piece};
        let document = self.document.as_ref();
        let extent = document.extent();
        let end = match self.plan.view {
            ArtifactView::Preview => document.char_start(self.plan.preview_chars)?.byte,
            ArtifactView::Cut | ArtifactView::None => 0,
        };
        let mut pieces = Vec::new();
        if end > 0 {
            let title = format!("Preview (first {} characters):\n", self.plan.preview_chars);
            pieces.push(Piece::Insert(title));
        }
        pieces.push(Piece::keep(0..end, "preview"));
        pieces.push(Piece::omit_silently(end..extent.bytes));
        let cut = Cut::of("preview", pieces, extent)?;
        let rendered = offcut_core::render::render(document, &cut, Markers::Shown)?;
        Ok(View { cut, rendered, degraded: Vec::new() })
    }

    /// The view of an output of which nothing can be read back.
    fn blind(&self) -> View {
        use offcut_core::cut::{Cut, Piece};
        let extent = self.document.extent();
        let cut = Cut::of("none", vec![Piece::omit(0..extent.bytes)], extent)
            .unwrap_or_else(|_| Cut::whole(&offcut_core::extent::Extent::default()));
        let text = notice::marker(extent.lines, extent.chars, None);
        let rendered = Rendered { text, ..Rendered::default() };
        View { cut, rendered, degraded: vec!["nothing of the output could be read back".to_owned()] }
    }

    fn frame<'f>(
        &'f self,
        id: &'f str,
        created: &'f str,
        source: &'f str,
        about: Option<&'f str>,
        oversize: Option<u64>,
    ) -> Frame<'f> {
        let extent = self.document.extent();
        let large = self.plan.artifact_threshold.is_some_and(|threshold| extent.chars >= threshold);
        let reference =
            (large && self.lost.is_none()).then(|| self.reference(id, about.unwrap_or_default(), source, created));
        Frame {
            plan: &self.plan,
            kept: self.kept(id, None),
            recall: self.offcut.recall_wording(),
            lines: extent.lines,
            bytes: extent.bytes,
            reference,
            query: (self.classification.kind == Kind::Json).then_some("$.*"),
            error: oversize.map(|bytes| notice::oversize(bytes, self.plan.max_artifact_bytes)),
        }
    }

    fn reference<'f>(&'f self, id: &'f str, summary: &'f str, source: &'f str, created: &'f str) -> Reference<'f> {
        let media_type = self.report.content_type.as_str();
        Reference { id, summary, media_type, bytes: self.document.extent().bytes, tokens: self.tokens, source, created }
    }

    /// Puts the facts of a view into the report.
    fn tell(&mut self, view: &View) {
        let report = &mut self.report;
        let rendered = &view.rendered;
        report.was_truncated = view.cut.omits();
        report.strategy = Some(view.cut.strategy.to_string());
        report.omitted_lines = rendered.omitted_lines();
        report.omitted_characters = rendered.omitted_chars();
        report.omitted_elements = view.cut.omitted_elements;
        report.kept = rendered.shown.clone();
        report.degraded.extend(view.degraded.iter().cloned());
        if let Some(why) = &self.lost {
            report.degraded.push(format!("the full output was not kept: {why}"));
        }
        report.omission_summary = view.cut.omits().then(|| {
            format!(
                "{} lines / {} characters / ~{} tokens left out in {} places",
                report.omitted_lines,
                report.omitted_characters,
                report.omitted_characters.div_ceil(4),
                rendered.gaps.len()
            )
        });
    }
}

mod pages;

/// The reply to content that is not text.
pub(crate) fn binary_reply(offcut: &Offcut, call: &Call, binary: BinaryOutput, redactions: Report) -> Reply {
    let BinaryOutput { kind, bytes, hash, inline, stored } = binary;
    let mut report = redactions;
    report.kind = Kind::Binary.to_string();
    report.content_type = kind.media_type.to_owned();
    report.kind_confidence = 1.0;
    report.kind_reason = format!("the first bytes are those of {}", kind.name);
    let text = match &inline {
        Some(raw) => binary::inline(raw),
        None => {
            report.was_truncated = true;
            match stored {
                Ok(info) => {
                    report.artifact_created = true;
                    report.artifact_id = Some(info.id.to_string());
                    report.artifact_path = info.path.as_ref().map(|path| path.display().to_string());
                    offcut.emit(Event::Artifact {
                        id: info.id.to_string(),
                        session: info.session.to_string(),
                        tool: call.tool.clone(),
                        bytes,
                    });
                    format!("{} Full output: {}", binary::summary(kind, bytes, &hash), info.id)
                }
                Err(why) => {
                    report.degraded.push(format!("the full output was not kept: {why}"));
                    format!("{} Full output was not kept: {why}", binary::summary(kind, bytes, &hash))
                }
            }
        }
    };
    report.strategy = Some(if inline.is_some() { "none" } else { "summary" }.to_owned());
    report.original_bytes = Some(bytes);
    report.truncated_size = text::chars(&text);
    Reply { text, report }
}

/// Content that is not text, when it has ended.
pub(crate) struct BinaryOutput {
    pub(crate) kind: binary::BinaryType,
    pub(crate) bytes: u64,
    pub(crate) hash: String,
    /// The content itself where it is small enough to be shown as base64.
    pub(crate) inline: Option<Vec<u8>>,
    pub(crate) stored: Result<ArtifactInfo, String>,
}
