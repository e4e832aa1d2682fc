//! The notices around a view: the one header line of `auto`, and the header, footer and reference of `balanced`.

use offcut_core::cut::{Cut, Elements, Mark, Piece};
use offcut_core::extent::Extent;
use offcut_core::notice::{self, Address, BriefHeader, Footer, FullOutput, Recall, Reference, ShownCount};
use offcut_core::render::{Gap, Markers, Rendered, end_line};
use offcut_core::text;

use crate::policy::Plan;
use crate::profile::Profile;
use crate::view::{Reserved, View};

/// From so many characters of limit on the header of `auto` also names the search, and the shape of data.
const ROOMY: u64 = 4000;

/// The most characters of what a header says about the whole.
const LONGEST_ABOUT: u64 = 160;

/// What the notices say beside the view.
pub(crate) struct Frame<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) kept: FullOutput<'a>,
    /// The artifact's short handle, where it is stored.
    pub(crate) handle: Option<&'a str>,
    pub(crate) recall: &'a Recall,
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    /// Whether the output is data, whose gaps are its own.
    pub(crate) is_data: bool,
    /// The most characters that there are for the reply.
    pub(crate) room: u64,
    /// The artifact reference of `balanced`, where the output is large enough for one and could be stored.
    pub(crate) reference: Option<Reference<'a>>,
    /// A JSONPath that selects something, where the output is JSON.
    pub(crate) query: Option<&'a str>,
    /// How the call ended, where that is known and was not well.
    pub(crate) outcome: Option<&'a str>,
    /// The error of an output that is larger than anything that may be kept.
    pub(crate) error: Option<String>,
}

/// How much is said around a view; less where there is little room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Volume {
    /// Nothing: the view speaks for itself, and the notice goes to the report.
    Bare,
    /// Where the whole is, and no more.
    Short,
    /// Everything that is needed to ask for a gap.
    Notices,
    /// The artifact reference and its retrieval options too (`balanced`).
    Reference,
}

impl Frame<'_> {
    /// How gaps are marked inside this frame.
    pub(crate) fn markers(&self) -> Markers<'_> {
        match self.plan.profile {
            Profile::Balanced => Markers::Counts,
            _ => Markers::Addresses(self.handle.unwrap_or(notice::NOT_KEPT)),
        }
    }

    /// The whole reply around `view`.
    pub(crate) fn compose(&self, view: &View, volume: Volume) -> String {
        let mut reply = String::with_capacity(view.rendered.text.len() + 1024);
        if let Some(error) = &self.error {
            reply.push_str(error);
            reply.push_str("\n\n");
        }
        match self.plan.profile {
            Profile::Balanced => self.push_balanced(&mut reply, view, volume),
            _ => self.push_brief(&mut reply, view, volume),
        }
        reply
    }

    // ── auto ─────────────────────────────────────────────────────────────────────────────────────────────────────

    fn push_brief(&self, reply: &mut String, view: &View, volume: Volume) {
        match volume {
            Volume::Bare => {}
            Volume::Short => {
                reply.push_str(&self.short_header(view));
                reply.push('\n');
            }
            Volume::Notices | Volume::Reference => {
                reply.push_str(&self.brief_header(view));
                reply.push('\n');
            }
        }
        reply.push_str(&view.rendered.text);
    }

    fn brief_header(&self, view: &View) -> String {
        let roomy = self.room >= ROOMY;
        let counted = view.cut.parses || view.cut.elements.is_some();
        let about = view.cut.about.as_deref().filter(|_| counted && roomy);
        let about = about.map(|about| notice::one_line(about, LONGEST_ABOUT));
        notice::brief_header(&BriefHeader {
            handle: self.handle,
            lost: self.lost(),
            shown: self.shown(view),
            outcome: self.outcome,
            left_off: view.cut.left_off.as_deref(),
            about: about.as_deref(),
            recall: self.recall,
            parts: self.plan.partial_retrieval,
            largest: unmarked(view),
            roomy,
        })
    }

    fn short_header(&self, view: &View) -> String {
        let ShownCount { shown, total, noun } = self.shown(view);
        let named = self.handle.map(|handle| format!(" {handle}")).unwrap_or_default();
        let lost = if self.handle.is_none() { "; the rest was not kept" } else { "" };
        format!("[offcut{named}: {shown} of {}{lost}]", notice::counted(total, noun))
    }

    /// How much is shown: elements where the output is a list of them, else lines.
    fn shown(&self, view: &View) -> ShownCount<'static> {
        match view.cut.elements {
            Some(Elements { total, omitted, noun }) => ShownCount { shown: total.saturating_sub(omitted), total, noun },
            None => ShownCount { shown: view.rendered.shown_lines(), total: self.lines, noun: "line" },
        }
    }

    fn lost(&self) -> Option<&str> {
        match self.kept {
            FullOutput::Stored { .. } => None,
            FullOutput::Lost(why) => Some(why),
        }
    }

    // ── balanced ─────────────────────────────────────────────────────────────────────────────────────────────────

    fn push_balanced(&self, reply: &mut String, view: &View, volume: Volume) {
        let reference = self.reference.as_ref().filter(|_| volume == Volume::Reference);
        if let Some(reference) = reference {
            reply.push_str(&notice::reference(reference));
            reply.push_str("\n\n");
        }
        reply.push_str(&view.rendered.text);
        match volume {
            Volume::Bare => {}
            Volume::Short => {
                end_line(reply);
                reply.push_str(&self.short_footer());
            }
            Volume::Notices | Volume::Reference => {
                end_line(reply);
                reply.push_str(&self.footer(&view.rendered));
            }
        }
        if let Some(reference) = reference.filter(|_| self.plan.retrieval_options) {
            let options = if self.plan.partial_retrieval {
                notice::retrieval_options(reference.id, self.recall, self.lines, self.bytes, self.query)
            } else {
                notice::whole_retrieval_option(reference.id, self.recall)
            };
            reply.push_str("\n\n");
            reply.push_str(&options);
        }
    }

    /// The notices of a view that stands alone.
    pub(crate) fn notice(&self, view: &View) -> String {
        match self.plan.profile {
            Profile::Balanced => {
                let header = notice::header(view.rendered.shown_lines(), self.lines, &self.kept);
                format!("{header}\n{}", self.footer(&view.rendered))
            }
            _ => self.brief_header(view),
        }
    }

    fn footer(&self, rendered: &Rendered) -> String {
        let parts = self.plan.partial_retrieval;
        notice::footer(&Footer { rendered, lines: self.lines, kept: &self.kept, recall: self.recall, parts })
    }

    fn short_footer(&self) -> String {
        match &self.kept {
            FullOutput::Stored { id, .. } => format!("[Full output: {id}]"),
            FullOutput::Lost(_) => "[Full output was not kept]".to_owned(),
        }
    }

    /// What the notices can take at most, whatever the view.
    pub(crate) fn reserve(&self, volume: Volume) -> Reserved {
        let widest = Rendered {
            shown: vec![(self.lines, self.lines); 7],
            gaps: vec![
                Gap { bytes: self.bytes..self.bytes, lines: self.lines..self.lines + 1, chars: 1, whole_lines: false },
                Gap { bytes: self.bytes..self.bytes, lines: 0..0, chars: 0, whole_lines: false },
            ],
            ..Rendered::default()
        };
        let extent = Extent { bytes: self.bytes, lines: self.lines, ..Extent::default() };
        let whole = Cut::whole(&extent);
        let marked = || Cut::of("", vec![Piece::omit(0..self.bytes)], &extent);
        let cut = if self.is_data { whole } else { marked().unwrap_or(whole) };
        let view = View { cut, rendered: widest, degraded: Vec::new() };
        let reply = self.compose(&view, volume);
        Reserved { chars: text::chars(&reply), lines: text::lines(&reply) }
    }
}

/// The largest gap of a view whose gaps have no marks that could be asked for: those of data are the data's own.
fn unmarked(view: &View) -> Option<Address> {
    let marked = |piece: &Piece| matches!(piece, Piece::Omit { mark: Mark::Line(_) | Mark::Inline | Mark::Body, .. });
    if view.cut.pieces().iter().any(marked) {
        return None;
    }
    view.rendered.largest_gap().map(Gap::address)
}
