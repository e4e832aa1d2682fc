//! What every mode needs to answer a question.

use offcut::Offcut;
use offcut::recall::ArtifactDocument;
use offcut_store::Artifact;

use super::Question;
use super::model_session::ModelSession;
use super::settings::Settings;

/// A question about one artifact, and what is needed to answer it.
#[derive(Clone, Copy)]
pub(super) struct ExtractContext<'a> {
    pub(super) offcut: &'a Offcut,
    pub(super) artifact: &'a dyn Artifact,
    pub(super) question: &'a Question,
    pub(super) settings: &'a Settings,
    pub(super) session: &'a ModelSession<'a>,
}

/// The answer of a mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// The abstract.
    pub(super) text: String,
    /// True if it says that there was nothing to find.
    pub(super) nothing: bool,
}

impl<'a> ExtractContext<'a> {
    /// The artifact's text.
    pub(super) fn document(&self) -> ArtifactDocument<'a> {
        ArtifactDocument::new(self.artifact)
    }
}
