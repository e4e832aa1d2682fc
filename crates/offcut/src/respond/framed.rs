//! The profiles `auto` and `balanced`: a cut, and the notices around it.

use offcut_core::cut::{Cut, Piece};
use offcut_core::extent::Extent;
use offcut_core::kind::Kind;
use offcut_core::notice::{self, Kept, Reference};
use offcut_core::render::{Markers, Rendered, render};
use offcut_core::strategy::CutError;
use offcut_core::text;

use super::ReplyBuilder;
use crate::clock;
use crate::event::Event;
use crate::frame::{Frame, Volume};
use crate::options::ArtifactView;
use crate::profile::Profile;
use crate::storage::Storage;
use crate::view::{self, Reserved, Selection, View};

/// The share of a limit that an artifact reference may take before it is left out: one in six.
const REFERENCE_SHARE: u64 = 6;

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
        let id = self.storage.id();
        let created = clock::utc(clock::now_ms());
        let (view, volume) = self.while_written(|this| this.best_view(id.as_deref().unwrap_or(""), &created, oversize));
        if !view.cut.omits() && oversize.is_none() {
            self.storage = Storage::InMemory;
            self.report.limit = None;
            self.record_view(&view);
            return view.rendered.text;
        }
        let view = self.parseable(view, volume);
        let found = view.cut.about.clone().filter(|_| view.found());
        let about = match &found {
            Some(found) => format!("{}: {found}", self.summary()),
            None => view.cut.about.clone().unwrap_or_else(|| self.summary()),
        };
        self.commit(&about, None);
        // A commit that failed changes the notices: the view is fitted again around the new ones.
        let (view, volume) = match self.storage.lost().is_some() && id.is_some() {
            true => self.best_view("", &created, oversize),
            false => (view, volume),
        };
        let created = self.storage.info().map_or(created, |info| clock::utc(info.created_ms));
        let id = self.storage.info().map(|info| info.id.to_string()).unwrap_or_default();
        let source = self.call.source();
        let summary = self.summary();
        let label = if found.is_some() { &summary } else { &about };
        let mut frame = self.frame(&id, &created, &source, Some(label.as_str()), oversize);
        let mut text = match found.as_deref().filter(|_| view.found()) {
            Some(found) => frame.compose_found(&view, volume, found),
            None => frame.compose(&view, volume),
        };
        if self.over(&text).is_some() {
            // The view was fitted around the plainer summary: what the strategy says of the output may be longer.
            frame = self.frame(&id, &created, &source, Some(summary.as_str()), oversize);
            text = frame.compose(&view, volume);
        }
        let notice = (volume == Volume::Bare)
            .then(|| format!("{}\n{}", frame.header(&view.rendered), frame.footer(&view.rendered)));
        self.report.notice = notice;
        self.record_view(&view);
        text
    }

    /// The view that fits with the most said around it.
    fn best_view(&self, id: &str, created: &str, oversize: Option<u64>) -> (View, Volume) {
        let source = self.call.source();
        let about = self.summary();
        let frame = self.frame(id, created, &source, Some(&about), oversize);
        let all =
            view::room(self.document.as_ref(), &self.plan.limits, self.plan.tokenizer, &Reserved::default(), true);
        let selection = Selection::new(
            self.document.as_ref(),
            &self.plan,
            self.context.policy.registry(),
            &self.classification,
            self.candidates.as_ref(),
            all,
        )
        .among(self.condensed.as_ref());
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
        let room =
            view::room(self.document.as_ref(), &self.plan.limits, self.plan.tokenizer, &Reserved::default(), false);
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

    fn fitted(&self, selection: &Selection<'_>, frame: &Frame<'_>, volume: Volume) -> Result<View, CutError> {
        let inside = self.plan.profile.notices_count();
        let mut reserved = if inside { frame.reserve(volume) } else { Default::default() };
        // Crossing the artifact threshold must not shrink the view: below it the room of a reference stays free.
        if inside && volume == Volume::Notices && frame.reference.is_none() && self.storage.lost().is_none() {
            reserved = self.reserve_of_a_reference(frame).unwrap_or(reserved);
        }
        let room = view::room(self.document.as_ref(), &self.plan.limits, self.plan.tokenizer, &reserved, inside);
        if frame.reference.is_some() && self.plan.view != ArtifactView::Cut {
            return self.preview();
        }
        selection.view(room, Markers::Shown, |view| self.over(&frame.compose(view, volume)))
    }

    fn reserve_of_a_reference(&self, frame: &Frame<'_>) -> Option<Reserved> {
        if self.plan.artifact_threshold.is_none() || matches!(frame.kept, Kept::Lost(_)) {
            return None;
        }
        let id = match &frame.kept {
            Kept::Stored { id, .. } => *id,
            Kept::Lost(_) => return None,
        };
        let source = self.call.source();
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
            let rendered = render(self.document.as_ref(), &cut, Markers::Shown)?;
            Ok(View { cut, rendered, degraded: view.degraded.clone() })
        });
        stub.unwrap_or(view)
    }

    fn preview(&self) -> Result<View, CutError> {
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
        let rendered = render(document, &cut, Markers::Shown)?;
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
        id: &'f str,
        created: &'f str,
        source: &'f str,
        about: Option<&'f str>,
        oversize: Option<u64>,
    ) -> Frame<'f> {
        let extent = self.document.extent();
        let large = self.plan.artifact_threshold.is_some_and(|threshold| extent.chars >= threshold);
        let reference = (large && self.storage.lost().is_none())
            .then(|| self.reference(id, about.unwrap_or_default(), source, created));
        Frame {
            plan: &self.plan,
            kept: self.kept(id, None),
            recall: &self.context.wording,
            lines: extent.lines,
            bytes: extent.bytes,
            reference,
            query: (self.classification.kind == Kind::Json).then_some("$.*"),
            failed: self.failed,
            error: oversize.map(|bytes| notice::oversize(bytes, self.plan.max_artifact_bytes)),
        }
    }

    fn reference<'f>(&'f self, id: &'f str, summary: &'f str, source: &'f str, created: &'f str) -> Reference<'f> {
        let media_type = self.report.content_type.as_str();
        Reference { id, summary, media_type, bytes: self.document.extent().bytes, tokens: self.tokens, source, created }
    }
}
