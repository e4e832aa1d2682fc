//! One question to one artifact: which mode answers it, and what happens where that one cannot.

use offcut_core::notice;
use offcut_store::Artifact;

use super::desk::Desk;
use super::settings::Settings;
use super::trouble::Trouble;
use super::{Mode, Question, full_chunked, read_grep, search, truncate};
use crate::Offcut;
use crate::recall::source::Source;

/// A question, and everything that is needed to answer it.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) offcut: &'a Offcut,
    pub(super) artifact: &'a dyn Artifact,
    pub(super) question: &'a Question,
    pub(super) settings: &'a Settings,
    pub(super) desk: &'a Desk<'a>,
}

/// What a mode found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// The abstract.
    pub(super) text: String,
    /// Whether it says that there was nothing to find.
    pub(super) nothing: bool,
}

impl Case<'_> {
    /// The abstract. Where a mode cannot run, the next one does, and the abstract begins with a warning.
    pub(super) fn answer(&self) -> Result<String, Trouble> {
        let mut mode = self.routed()?;
        let mut warnings = String::new();
        loop {
            self.desk.note(|account| account.mode = mode);
            self.desk.check()?;
            let trouble = match self.run(mode) {
                Ok(finding) => {
                    self.desk.note(|account| account.not_found = finding.nothing);
                    return Ok(warnings + &finding.text);
                }
                Err(trouble) => trouble,
            };
            let Some(next) = self.next(mode, &trouble) else { return Err(trouble) };
            self.desk.fell_back(mode, next, &trouble);
            warnings.push_str(&notice::fell_back(mode.name(), &trouble.to_string(), next == Mode::Truncate));
            warnings.push_str("\n\n");
            mode = next;
        }
    }

    /// The mode that the question means: `auto` is decided by the document's size and shape.
    fn routed(&self) -> Result<Mode, Trouble> {
        if self.question.mode != Mode::Auto {
            return Ok(self.question.mode);
        }
        if !self.desk.has_model() {
            return Ok(Mode::Search);
        }
        let extent = &self.artifact.info().extent;
        if extent.bytes > self.settings.max_average_line_bytes.saturating_mul(extent.lines.max(1)) {
            return Ok(Mode::FullChunked);
        }
        let fits = full_chunked::fits(self, self.settings.max_chunks_for_full_mode)?;
        // A model without tools cannot look around: it reads as much as may be read.
        let reads = fits || !self.desk.model(Mode::Auto)?.takes_tools();
        Ok(if reads { Mode::FullChunked } else { Mode::ReadGrep })
    }

    fn run(&self, mode: Mode) -> Result<Finding, Trouble> {
        if self.artifact.info().extent.bytes == 0 {
            let text = notice::nothing_found(&self.question.extract, "The output is empty.");
            return Ok(Finding { text, nothing: true });
        }
        match mode {
            Mode::FullChunked => full_chunked::run(self),
            Mode::ReadGrep => read_grep::run(self),
            Mode::Truncate => truncate::run(self),
            Mode::Search | Mode::Auto => search::run(self),
        }
    }

    /// The mode that stands in for one that could not run.
    fn next(&self, mode: Mode, trouble: &Trouble) -> Option<Mode> {
        if !trouble.may_fall_back() {
            return None;
        }
        match mode {
            Mode::FullChunked if trouble.is_too_much() => Some(Mode::ReadGrep),
            Mode::FullChunked | Mode::ReadGrep | Mode::Auto => Some(Mode::Truncate),
            Mode::Truncate | Mode::Search => None,
        }
    }

    pub(super) fn source(&self) -> Source<'_> {
        Source::new(self.artifact)
    }
}
