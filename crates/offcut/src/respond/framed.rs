//! The profiles `auto` and `balanced`: a cut, and the notices around it.

use offcut_core::budget::{Budget, Marks};
use offcut_core::cut::{Cut, Piece};
use offcut_core::extent::Extent;
use offcut_core::kind::Kind;
use offcut_core::notice::{self, Reference};
use offcut_core::render::{Markers, Rendered, render};
use offcut_core::strategy::CutError;
use offcut_core::strategy::compact::{Compact, compact};
use offcut_core::strategy::registry::AUTO;
use offcut_core::text;
use offcut_store::ArtifactId;

use super::ReplyBuilder;
use crate::clock;
use crate::context::Context;
use crate::event::Event;
use crate::frame::{Frame, Volume};
use crate::options::ArtifactView;
use crate::outcome::Outcome;
use crate::profile::Profile;
use crate::storage::Storage;
use crate::view::{self, Reserved, Selection, View};

/// An output of more than so many times the limit is not tried in a lossless form: none of them saves so much.
const MOST_COMPACTED: u64 = 2;

/// The same for JSON, whose tables save more.
const MOST_TABULATED: u64 = 6;

/// An output of fewer characters is shown whole where no cut of it is shorter and says that it is one.
const SHORTEST_CUT: u64 = 100;

/// What notices may add on top of a limit that counts kept text only.
const ON_TOP: u64 = 1200;

impl ReplyBuilder<'_> {
    pub(super) fn framed(&mut self, oversize: Option<u64>) -> String {
        if let Some(bytes) = oversize {
            self.storage = Storage::Lost("the output exceeds the maximum artifact size".to_owned());
            self.report.is_error = true;
            self.context.emit(Event::Oversize {
                tool: self.call.tool.clone(),
                session: self.context.session.to_string(),
                bytes,
                max: self.plan.max_artifact_bytes,
            });
        }
        self.begin_storing();
        let names = NoticeNames::new(self.context, self.storage.id().as_ref(), self.outcome);
        self.names = [names.id.clone()].into_iter().chain(names.handle.clone()).collect();
        if let Some(text) = self.compacted(&names).filter(|_| oversize.is_none()) {
            return text;
        }
        let created = clock::utc(clock::now_ms());
        let (view, volume) = self.while_written(|this| this.best_view(&names, &created, oversize));
        if !view.cut.omits() && oversize.is_none() {
            self.storage = Storage::InMemory;
            self.report.limit = None;
            self.record_view(&view);
            return view.rendered.text;
        }
        let view = self.parseable(view, volume);
        let summary = self.summary();
        let about = match &view.cut.about {
            // What was found in a text is told beside what it is; the shape of data says both.
            Some(found) if view.cut.strategy == "smart" => format!("{summary}: {found}"),
            Some(shape) => shape.clone(),
            None => summary.clone(),
        };
        self.commit(&about, None);
        // A commit that failed changes the notices: the view is fitted again around the new ones.
        let (view, volume) = match self.storage.lost().is_some() && names.handle.is_some() {
            true => self.best_view(&names, &created, oversize),
            false => (view, volume),
        };
        let created = self.storage.info().map_or(created, |info| clock::utc(info.created_ms));
        let source = self.call.source();
        let mut frame = self.frame(&names, &created, &source, &about, oversize);
        let mut text = frame.compose(&view, volume);
        if self.over(&text).is_some() {
            // The view was fitted around the plainer summary: what the strategy says of the output may be longer.
            frame = self.frame(&names, &created, &source, &summary, oversize);
            text = frame.compose(&view, volume);
        }
        let notice = (volume == Volume::Bare).then(|| frame.notice(&view));
        self.report.notice = notice;
        self.report.artifact_handle = names.handle.clone().filter(|_| self.storage.info().is_some());
        self.record_view(&view);
        text
    }

    /// The whole output in a lossless form, where one fits and the original is kept.
    fn compacted(&mut self, names: &NoticeNames) -> Option<String> {
        let applies = self.plan.profile == Profile::Auto && self.plan.strategy == AUTO && !self.report.is_error;
        let room = self.room(&Reserved::default(), Marks::Free).chars;
        let extent = *self.document.extent();
        let most = match self.classification.kind {
            Kind::Json | Kind::Ndjson => MOST_TABULATED,
            _ => MOST_COMPACTED,
        };
        let text = self.document.text().filter(|_| applies && extent.chars <= room.saturating_mul(most))?;
        let handle = names.handle.as_deref().filter(|_| self.storage.lost().is_none())?;
        let outcome = names.outcome.as_deref();
        let reply = |made: &Compact| {
            let header = notice::compact_header(handle, &made.done, outcome, &self.context.wording);
            format!("{header}\n{}", made.text)
        };
        let fits = |made: &Compact| self.over(&reply(made)).is_none();
        let reply = reply(&compact(text, self.classification.kind, handle, &fits)?);
        self.commit(&self.summary(), None);
        self.storage.info()?;
        self.report.compacted = true;
        self.report.strategy = Some("compact".to_owned());
        self.report.kept = vec![(1, extent.lines)];
        self.report.artifact_handle = Some(handle.to_owned());
        Some(reply)
    }

    /// The view that fits with the most said around it.
    fn best_view(&self, names: &NoticeNames, created: &str, oversize: Option<u64>) -> (View, Volume) {
        let source = self.call.source();
        let about = self.summary();
        let frame = self.frame(names, created, &source, &about, oversize);
        let all = self.room(&Reserved::default(), frame.markers().marks());
        let selection = Selection::new(
            self.document.as_ref(),
            &self.plan,
            self.context.policy.registry(),
            &self.classification,
            &self.prescanned,
            all,
        )
        .among(self.condensed.as_ref())
        .parsing(self.volumes(&frame) == [Volume::Bare]);
        let (mut hollow, mut last) = (None, None);
        for volume in self.volumes(&frame) {
            match self.fitted(&selection, &frame, volume) {
                Ok(view) if self.over(&frame.compose(&view, volume)).is_some() => last = Some((view, volume)),
                // Notices that leave no room for what they are about give way to shorter ones.
                Ok(view) if view.rendered.shown.is_empty() && self.plan.view == ArtifactView::Cut => {
                    hollow = hollow.or(Some((view, volume)));
                }
                Ok(view) => return (view, volume),
                Err(error) => tracing::warn!(%error, "no strategy served"),
            }
        }
        if let Some(hollow) = hollow {
            return hollow;
        }
        let bare = last.map_or_else(|| self.blind(), |(view, _)| view);
        let fits = |view: &View| self.over(&frame.compose(view, Volume::Bare));
        if fits(&bare).is_none() {
            return (bare, Volume::Bare);
        }
        let whole = Cut::whole(self.document.extent());
        if self.document.extent().chars < SHORTEST_CUT
            && let Ok(rendered) = render(self.document.as_ref(), &whole, Markers::Hidden)
        {
            return (View { cut: whole, rendered, degraded: Vec::new() }, Volume::Bare);
        }
        let room = self.room(&Reserved::default(), Marks::Free);
        (selection.view(room, Markers::Hidden, fits).unwrap_or(bare), Volume::Bare)
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
        vec![Volume::Notices, Volume::Short]
    }

    fn fitted(&self, selection: &Selection<'_>, frame: &Frame<'_>, volume: Volume) -> Result<View, CutError> {
        let inside = self.plan.profile.notices_count();
        let reserved = if inside { frame.reserve(volume) } else { Default::default() };
        let room = self.room(&reserved, if inside { frame.markers().marks() } else { Marks::Free });
        if self.is_large() && self.storage.lost().is_none() && self.plan.view != ArtifactView::Cut {
            return self.preview(frame.markers());
        }
        selection.view(room, frame.markers(), |view| self.over(&frame.compose(view, volume)))
    }

    /// The room that the limits leave once `reserved` is taken off, with such marks.
    fn room(&self, reserved: &Reserved, marks: Marks) -> Budget {
        view::room(self.document.as_ref(), &self.plan.limits, self.plan.limit_tokenizer, reserved, marks)
    }

    /// Whether the output is so large that a reply stands for its artifact.
    fn is_large(&self) -> bool {
        self.plan.artifact_threshold.is_some_and(|threshold| self.document.extent().chars >= threshold)
    }

    /// By how many characters a reply is too long, if it is: the limit, or the output that it stands for.
    fn over(&self, reply: &str) -> Option<u64> {
        let extent = self.document.extent();
        let longer = text::chars(reply).saturating_sub(extent.chars);
        let longer = if self.report.is_error { 0 } else { longer };
        // Where notices come on top, what a strategy keeps was bounded by its budget.
        let on_top = if self.plan.profile.notices_count() { 0 } else { ON_TOP };
        let limit = view::over(reply, &self.plan.limits, self.plan.limit_tokenizer, on_top, &self.names);
        let over = limit.unwrap_or(0).max(longer);
        (over > 0).then_some(over)
    }

    /// The view, or one that parses where JSON stands alone and no cut of it that parses is small enough.
    fn parseable(&self, view: View, volume: Volume) -> View {
        let alone = volume == Volume::Bare && self.classification.kind == Kind::Json && !view.cut.parses;
        let Some(text) = self.document.text().filter(|_| alone) else { return view };
        if serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
            return view;
        }
        let extent = self.document.extent();
        let said = format!("\"... {} chars omitted ...\"", extent.chars);
        let pieces = vec![Piece::Insert(said), Piece::omit_silently(0..extent.bytes)];
        let stub = Cut::of("element", pieces, extent).map_err(CutError::from).and_then(|mut cut| {
            cut.parses = true;
            let rendered = render(self.document.as_ref(), &cut, Markers::Counts)?;
            Ok(View { cut, rendered, degraded: view.degraded.clone() })
        });
        stub.unwrap_or(view)
    }

    fn preview(&self, markers: Markers<'_>) -> Result<View, CutError> {
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
        let rendered = render(document, &cut, markers)?;
        Ok(View { cut, rendered, degraded: Vec::new() })
    }

    /// The view of an output of which nothing can be read back.
    fn blind(&self) -> View {
        let extent = self.document.extent();
        let cut = Cut::of("none", vec![Piece::omit(0..extent.bytes)], extent)
            .unwrap_or_else(|_| Cut::whole(&Extent::default()));
        let text = notice::marker(extent.lines, extent.chars, None);
        let rendered = Rendered { text, ..Rendered::default() };
        View { cut, rendered, degraded: vec!["nothing of the output could be read back".to_owned()] }
    }

    fn frame<'f>(
        &'f self,
        names: &'f NoticeNames,
        created: &'f str,
        source: &'f str,
        about: &'f str,
        oversize: Option<u64>,
    ) -> Frame<'f> {
        let extent = self.document.extent();
        let large = self.plan.profile == Profile::Balanced && self.is_large();
        let reference =
            (large && self.storage.lost().is_none()).then(|| self.reference(&names.id, about, source, created));
        Frame {
            plan: &self.plan,
            kept: self.kept(&names.id, None),
            handle: names.handle.as_deref().filter(|_| self.storage.lost().is_none()),
            recall: &self.context.wording,
            lines: extent.lines,
            bytes: extent.bytes,
            is_data: self.classification.kind.is_data(),
            room: self.room(&Reserved::default(), Marks::Free).chars,
            reference,
            query: (self.classification.kind == Kind::Json).then_some("$.*"),
            outcome: names.outcome.as_deref(),
            error: oversize.map(|bytes| notice::oversize(bytes, self.plan.max_artifact_bytes)),
        }
    }

    fn reference<'f>(&'f self, id: &'f str, summary: &'f str, source: &'f str, created: &'f str) -> Reference<'f> {
        let media_type = self.report.content_type.as_str();
        Reference { id, summary, media_type, bytes: self.document.extent().bytes, tokens: self.tokens, source, created }
    }
}

/// What the notices call the artifact, and how the call ended.
struct NoticeNames {
    id: String,
    handle: Option<String>,
    outcome: Option<String>,
}

impl NoticeNames {
    fn new(context: &Context, id: Option<&ArtifactId>, outcome: Outcome) -> NoticeNames {
        NoticeNames {
            id: id.map(ArtifactId::to_string).unwrap_or_default(),
            handle: id.map(|id| context.handle(id)),
            outcome: Some(outcome.to_string()).filter(|said| !said.is_empty()),
        }
    }
}
