//! Which mode answers a question, and which one stands in where it cannot.

use offcut_core::notice;

use super::context::{Answer, ExtractContext};
use super::error::ExtractError;
use super::{Mode, full_chunked, read_grep, search, truncate};

/// The abstract. Where a mode cannot run, the next one does, and the abstract begins with a warning.
pub(super) fn answer(context: &ExtractContext<'_>) -> Result<String, ExtractError> {
    let mut mode = routed(context)?;
    let mut warnings = String::new();
    loop {
        context.session.note(|account| account.mode = mode);
        context.session.check()?;
        let error = match run(context, mode) {
            Ok(finding) => {
                context.session.note(|account| account.not_found = finding.nothing);
                return Ok(warnings + &finding.text);
            }
            Err(error) => error,
        };
        let Some(next) = next(mode, &error) else { return Err(error) };
        context.session.fell_back(mode, next, &error);
        warnings.push_str(&notice::fell_back(mode.name(), &error.to_string(), next.name()));
        warnings.push_str("\n\n");
        mode = next;
    }
}

/// The mode that the question means: `auto` is decided by the document's size and shape.
fn routed(context: &ExtractContext<'_>) -> Result<Mode, ExtractError> {
    if context.question.mode != Mode::Auto {
        return Ok(context.question.mode);
    }
    if !context.session.has_model() {
        return Ok(Mode::Search);
    }
    let extent = &context.artifact.info().extent;
    if extent.bytes > context.settings.max_average_line_bytes.saturating_mul(extent.lines.max(1)) {
        return Ok(Mode::FullChunked);
    }
    let fits = full_chunked::fits(context, context.settings.max_chunks_for_full_mode)?;
    // A model without tools cannot look around: it reads as much as may be read.
    let reads = fits || !context.session.model(Mode::Auto)?.takes_tools();
    Ok(if reads { Mode::FullChunked } else { Mode::ReadGrep })
}

fn run(context: &ExtractContext<'_>, mode: Mode) -> Result<Answer, ExtractError> {
    if context.artifact.info().extent.bytes == 0 {
        let text = notice::nothing_found(&context.question.extract, "The output is empty.");
        return Ok(Answer { text, nothing: true });
    }
    match mode {
        Mode::FullChunked => full_chunked::run(context),
        Mode::ReadGrep => read_grep::run(context),
        Mode::Truncate => truncate::run(context),
        Mode::Search | Mode::Auto => search::run(context),
    }
}

/// The mode that stands in for one that could not run. A model that fails leaves at least what a search finds.
fn next(mode: Mode, error: &ExtractError) -> Option<Mode> {
    if !error.may_fall_back() {
        return None;
    }
    match mode {
        Mode::FullChunked if error.is_too_much() => Some(Mode::ReadGrep),
        Mode::FullChunked | Mode::ReadGrep | Mode::Auto => Some(Mode::Search),
        Mode::Truncate | Mode::Search => None,
    }
}
