//! Keeping a text that is whole and in memory, without a reply to it.

use offcut_core::classify::{Hints, classify};
use offcut_core::clean::Cleaner;
use offcut_core::document::{Document, TextDocument};
use offcut_core::kind::{Classification, Kind};
use offcut_core::tokens::TokenCounter;
use offcut_store::{ArtifactId, Facts, Source, StoreError};

use crate::context::Context;

/// A text without what only a terminal understands, and without secrets.
pub(crate) fn cleaned(context: &Context, tool: &str, text: &str) -> String {
    let (mut cleaner, mut scratch) = (Cleaner::default(), String::new());
    let mut clean = cleaner.push(text.as_bytes(), &mut scratch).to_owned();
    clean.push_str(cleaner.finish(&mut scratch));
    let Some(mut redactor) = context.redactor(tool) else { return clean };
    let mut redacted = String::with_capacity(clean.len());
    redactor.push(&clean, &mut |text| redacted.push_str(text));
    redactor.finish(&mut |text| redacted.push_str(text));
    redacted
}

/// Makes a cleaned text an artifact; where equal outputs share one, the artifact that is there already.
pub(crate) fn keep(
    context: &Context,
    text: &str,
    tool: &str,
    arguments: &str,
    trace_id: Option<&str>,
) -> Result<ArtifactId, StoreError> {
    if let Some(info) = context.kept_text(text, trace_id) {
        return Ok(info.id);
    }
    let (store, session) = context
        .store()
        .ok_or_else(|| StoreError::Unavailable { what: "a store".to_owned(), why: "none is configured".to_owned() })?;
    let document = TextDocument::new(text);
    let hints = Hints { tool, arguments, ..Hints::default() };
    let kind =
        classify(&document, &hints).unwrap_or_else(|_| Classification::new(Kind::Text, 0.0, "could not be read")).kind;
    let facts = Facts {
        source: Source { tool: context.redacted(tool, tool), arguments: context.redacted(tool, arguments) },
        media_type: kind.media_type().into_owned(),
        kind: kind.to_string(),
        summary: format!("{kind} output, {} lines", document.extent().lines),
        extent: *document.extent(),
        index: document.index().clone(),
        tokens: context.policy.tokenizer().count(text),
        file_name: None,
        binary: false,
        trace_id: trace_id.map(str::to_owned),
        terms: context.terms(text),
    };
    let mut draft = store.draft(session)?;
    draft.write(text.as_bytes())?;
    let info = draft.commit(facts)?;
    Ok(context.created(info).id)
}
