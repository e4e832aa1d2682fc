//! From a document to a reply: decide, cut, store, word.

mod binary;
mod earlier;
mod framed;
mod pages;

pub(crate) use binary::{BinaryOutput, binary_reply};

use std::sync::Arc;

use offcut_core::classify::{Hints, classify};
use offcut_core::condensed::Condensed;
use offcut_core::cut::Cut;
use offcut_core::document::Document;
use offcut_core::kind::{Classification, Kind};
use offcut_core::limit::Limit;
use offcut_core::notice::{self, FullOutput};
use offcut_core::report::{Report, VERSION};
use offcut_core::text;
use offcut_core::tokens::TokenCounter;
use offcut_store::{Facts, Source};

use crate::call::Call;
use crate::context::Context;
use crate::outcome::Outcome;
use crate::policy::Plan;
use crate::profile::Profile;
use crate::reply::{Explanation, Reply};
use crate::spool::{Prescanned, Spooled};
use crate::storage::{self, Storage};
use crate::threads::both;
use crate::view::{self, View};

/// An output of so many bytes is written to its draft by a thread of its own while it is cut.
const WRITTEN_ASIDE: usize = 256 * 1024;

/// Everything that is known about an output when it has ended.
pub(crate) struct FinishedOutput {
    pub(crate) call: Arc<Call>,
    pub(crate) plan: Plan,
    pub(crate) spooled: Spooled,
    pub(crate) redactions: std::collections::BTreeMap<String, u64>,
    /// Bytes that came, where that was too many.
    pub(crate) oversize: Option<u64>,
    /// How the call ended.
    pub(crate) outcome: Outcome,
}

/// One output on its way out.
struct ReplyBuilder<'o> {
    context: &'o Context,
    call: Arc<Call>,
    plan: Plan,
    document: Box<dyn Document>,
    /// What was found in it while it came.
    prescanned: Prescanned,
    /// The parts of the document that can be read, where that is not all of it.
    condensed: Option<Condensed>,
    storage: Storage,
    tokens: u64,
    classification: Classification,
    report: Report,
    /// What is shown, where not all of it is.
    cut: Option<Cut>,
    /// How the call ended.
    outcome: Outcome,
    /// The artifact's id and handle, as the notices name it.
    names: Vec<String>,
}

/// Makes the reply to an output that has ended.
pub(crate) fn respond(context: &Context, taken: FinishedOutput) -> Explanation {
    let FinishedOutput { call, plan, spooled, redactions, oversize, outcome } = taken;
    let Spooled { document, condensed, storage, prescanned } = spooled;
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
        escaped_characters: call.hidden(),
        degraded,
        ..Report::default()
    };
    let classification = Classification::new(Kind::Text, 0.0, "not looked at");
    let respond = ReplyBuilder {
        context,
        call,
        plan,
        document,
        prescanned,
        condensed,
        storage,
        tokens,
        classification,
        report,
        cut: None,
        outcome,
        names: Vec::new(),
    };
    respond.reply(oversize)
}

impl ReplyBuilder<'_> {
    fn reply(mut self, oversize: Option<u64>) -> Explanation {
        let limit = view::exceeded(self.document.as_ref(), &self.plan).copied();
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
        if oversize.is_none()
            && let Some(info) = self.context.kept_before(self.document.as_ref())
        {
            self.storage = Storage::Stored(Box::new(info));
        }
        let text = match (oversize, self.plan.profile) {
            (None, Profile::Paged) => self.paged(),
            (None, Profile::Handle) => self.handle(),
            (None, Profile::Bookends) => self.bookends(),
            _ => self.framed_beside_earlier(oversize),
        };
        self.finish(text)
    }

    fn classify(&mut self) {
        let hints = Hints {
            tool: &self.call.tool,
            arguments: &self.call.arguments,
            forced: self.call.kind,
            rules: Some(&self.plan.settings.line_rules),
        };
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

    fn whole_reply(mut self, text: String) -> Explanation {
        let lines = self.document.extent().lines;
        self.report.strategy = Some("none".to_owned());
        self.report.kept = if lines == 0 { Vec::new() } else { vec![(1, lines)] };
        self.report.truncated_tokens = Some(self.tokens);
        self.finish(text)
    }

    fn finish(mut self, text: String) -> Explanation {
        let report = &mut self.report;
        report.truncated_size = text::chars(&text);
        if report.truncated_tokens.is_none() {
            report.truncated_tokens = Some(self.plan.tokenizer.count(&text));
        }
        report.kind = self.classification.kind.to_string();
        report.kind_confidence = self.classification.confidence;
        report.kind_reason = self.classification.reason.to_string();
        if let Some(info) = self.storage.info() {
            report.artifact_created = true;
            report.artifact_id = Some(info.id.to_string());
            report.artifact_path = info.path.as_ref().map(|path| path.display().to_string());
        }
        let cut = self.cut.unwrap_or_else(|| Cut::whole(self.document.extent()));
        Explanation { reply: Reply { text, report: self.report }, document: self.document, cut }
    }

    // ── Storing ──────────────────────────────────────────────────────────────────────────────────────────────────

    /// Begins to keep the output, where that was not begun while it came.
    fn begin_storing(&mut self) {
        self.storage.begin(self.context);
    }

    /// Makes a part of the reply with `make`, and in the meantime writes a large text to its draft.
    fn while_written<T>(&mut self, make: impl FnOnce(&Self) -> T) -> T {
        let text = self.document.text().filter(|text| text.len() >= WRITTEN_ASIDE);
        let (Some(draft), Some(text)) = (self.storage.unwritten(), text) else { return make(self) };
        let mut written = Ok(());
        let made = both(|| make(self), &mut || written = storage::write(draft, text));
        self.storage.note_written(written);
        made
    }

    /// Makes the whole output an artifact; afterwards `storage` says how it went.
    fn commit(&mut self, summary: &str, file_name: Option<String>) {
        self.begin_storing();
        if let (Some(draft), Some(text)) = (self.storage.unwritten(), self.document.text()) {
            let written = storage::write(draft, text);
            self.storage.note_written(written);
        }
        let facts = Facts {
            source: Source { tool: self.call.tool.clone(), arguments: self.call.arguments.clone() },
            media_type: self.classification.kind.media_type().into_owned(),
            kind: self.classification.kind.to_string(),
            summary: notice::one_line(summary, 100),
            extent: *self.document.extent(),
            index: self.document.index().clone(),
            tokens: self.tokens,
            file_name,
            binary: false,
            trace_id: None,
            terms: self.document.text().and_then(|text| self.context.terms(text)),
        };
        self.storage.commit(self.context, facts);
    }

    fn kept<'k>(&'k self, id: &'k str, path: Option<&'k str>) -> FullOutput<'k> {
        match self.storage.lost() {
            Some(why) => FullOutput::Lost(why),
            None => FullOutput::Stored { id, path },
        }
    }

    /// What the artifact is about, where no strategy has said.
    fn summary(&self) -> String {
        let extent = self.document.extent();
        format!("{} output, {} lines", self.classification.kind, extent.lines)
    }

    /// Puts the facts of a view into the report.
    fn record_view(&mut self, view: &View) {
        self.cut = Some(view.cut.clone());
        let report = &mut self.report;
        let rendered = &view.rendered;
        report.was_truncated = view.cut.omits();
        report.strategy = Some(view.cut.strategy.to_string());
        report.omitted_lines = rendered.omitted_lines();
        report.omitted_characters = rendered.omitted_chars();
        report.omitted_elements = view.cut.omitted_elements;
        report.kept = rendered.shown.clone();
        report.degraded.extend(view.degraded.iter().cloned());
        if let Some(why) = self.storage.lost() {
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
