//! The notices around a view, in the wording of the profiles `auto` and `balanced`.

use offcut_core::notice::{self, Footer, Kept, Recall, Reference};
use offcut_core::render::{Gap, Rendered, end_line};
use offcut_core::text;

use crate::policy::Plan;
use crate::profile::Profile;
use crate::view::{Reserved, View};

/// What the notices say beside the view.
pub(crate) struct Frame<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) kept: Kept<'a>,
    pub(crate) recall: &'a Recall,
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    /// The artifact reference, where the output is large enough for one and could be stored.
    pub(crate) reference: Option<Reference<'a>>,
    /// A JSONPath that selects something, where the output is JSON.
    pub(crate) query: Option<&'a str>,
    /// Whether the tool itself failed.
    pub(crate) failed: bool,
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
    /// Header, footer, and the call for the largest gap.
    Notices,
    /// All of it: the artifact reference and its retrieval options too.
    Reference,
}

impl Frame<'_> {
    /// The whole reply around `view`, without what was found in a text: that is said where room is left.
    pub(crate) fn compose(&self, view: &View, volume: Volume) -> String {
        let about = view.cut.about.as_deref().filter(|_| !view.found());
        self.compose_with(view, volume, about, None)
    }

    /// The whole reply around `view`, with what was found in it: in the artifact reference where there is one, else
    /// below the header.
    pub(crate) fn compose_found(&self, view: &View, volume: Volume, found: &str) -> String {
        match self.reference.as_ref().filter(|_| volume == Volume::Reference) {
            Some(reference) => self.compose_with(view, volume, None, Some(&format!("{}: {found}", reference.summary))),
            None => self.compose_with(view, volume, Some(found), None),
        }
    }

    fn compose_with(&self, view: &View, volume: Volume, about: Option<&str>, summary: Option<&str>) -> String {
        let mut reply = String::with_capacity(view.rendered.text.len() + 1024);
        if let Some(error) = &self.error {
            reply.push_str(error);
            reply.push_str("\n\n");
        }
        let reference = self.reference.as_ref().filter(|_| volume == Volume::Reference);
        if let Some(reference) = reference {
            let summary = summary.unwrap_or(reference.summary);
            reply.push_str(&notice::reference(&Reference { summary, ..*reference }));
            reply.push_str("\n\n");
        }
        if volume >= Volume::Notices && self.plan.profile != Profile::Balanced {
            self.push_header(&mut reply, view, about);
        }
        reply.push_str(&view.rendered.text);
        match volume {
            Volume::Bare => {}
            Volume::Short => {
                end_line(&mut reply);
                reply.push_str(&self.short());
            }
            Volume::Notices | Volume::Reference => {
                end_line(&mut reply);
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
        reply
    }

    fn push_header(&self, reply: &mut String, view: &View, about: Option<&str>) {
        reply.push_str(&self.header(&view.rendered));
        // Between header and footer of structured data nothing may stand that is not the data: what else there is to
        // say goes on the header's own line.
        let separator = if view.cut.parses { ' ' } else { '\n' };
        if let Some(about) = about {
            reply.push(separator);
            reply.push_str(&format!("[{}]", notice::one_line(about, 300)));
        }
        reply.push(separator);
        reply.push_str(notice::untold(self.failed, &self.kept));
        reply.push('\n');
    }

    /// The first line.
    pub(crate) fn header(&self, rendered: &Rendered) -> String {
        notice::header(rendered.shown_lines(), self.lines, &self.kept)
    }

    /// The last line.
    pub(crate) fn footer(&self, rendered: &Rendered) -> String {
        let parts = self.plan.partial_retrieval;
        notice::footer(&Footer { rendered, lines: self.lines, kept: &self.kept, recall: self.recall, parts })
    }

    fn short(&self) -> String {
        match &self.kept {
            Kept::Stored { id, .. } => format!("[Full output: {id}]"),
            Kept::Lost(_) => "[Full output was not kept]".to_owned(),
        }
    }

    /// What the notices can take at most, whatever the view.
    pub(crate) fn reserve(&self, volume: Volume) -> Reserved {
        let widest = Rendered {
            shown: vec![(self.lines, self.lines); 7],
            gaps: vec![
                Gap { bytes: self.bytes..self.bytes, lines: self.lines..self.lines + 1, chars: 1 },
                Gap { bytes: self.bytes..self.bytes, lines: 0..0, chars: 0 },
            ],
            ..Rendered::default()
        };
        let extent = offcut_core::extent::Extent::default();
        let view = View { cut: offcut_core::cut::Cut::whole(&extent), rendered: widest, degraded: Vec::new() };
        let reply = self.compose(&view, volume);
        Reserved { chars: text::chars(&reply) + 8, lines: text::lines(&reply) }
    }
}
