//! A question to all artifacts of a session: the passages that fit it best, wherever they stand.

use std::collections::BTreeSet;

use offcut::{Cancel, Offcut};
use offcut_core::notice::{self, Around};
use offcut_core::text;

use super::context::Answer;
use super::error::ExtractError;
use super::search::{self, FoundPassage};
use super::settings::Settings;

/// The handle that stands for all artifacts of the session.
pub(super) const ALL: &str = "all";

/// The most passages that are looked at.
const MOST: usize = 40;

/// The characters of one passage.
const LONGEST: u64 = 700;

/// Passages of the session's artifacts for what is asked, the best first, each with its artifact's handle and tool.
pub(super) fn run(
    offcut: &Offcut,
    extract: &str,
    settings: &Settings,
    cancel: &Cancel,
) -> Result<Answer, ExtractError> {
    let (found, artifacts) = search::search_all(offcut, extract, MOST, cancel)?;
    if cancel.is_cancelled() {
        return Err(ExtractError::Cancelled);
    }
    let Some(best) = found.first() else {
        let searched = notice::searched_artifacts(artifacts as u64);
        return Ok(Answer { text: notice::nothing_found(extract, &searched), nothing: true });
    };
    let around = Around {
        recall: offcut.recall_wording(),
        id: &offcut.recall().handle(&best.artifact.id),
        lines: best.artifact.extent.lines,
        best: Some((best.passage.first_line, best.passage.last_line)),
    };
    let under = |shown: u64, holding: u64| notice::passages_of_artifacts((shown, holding, artifacts as u64), &around);
    let mut room = settings.max_chars.saturating_sub(text::chars(&under(u64::MAX, u64::MAX)));
    let mut shown: Vec<String> = Vec::new();
    let mut holding = BTreeSet::new();
    for hit in &found {
        let written = written(offcut, hit);
        let taken = text::chars(&written) + 2;
        if taken > room && !shown.is_empty() {
            break;
        }
        room = room.saturating_sub(taken);
        holding.insert(hit.artifact.id.to_string());
        shown.push(written);
    }
    let under = under(shown.len() as u64, holding.len() as u64);
    Ok(Answer { text: format!("{}\n\n{under}", shown.join("\n\n")), nothing: false })
}

fn written(offcut: &Offcut, found: &FoundPassage) -> String {
    let FoundPassage { artifact, passage } = found;
    let bytes = passage.part.then_some((passage.bytes.start, passage.bytes.end));
    let place = notice::passage(passage.first_line, passage.last_line, bytes);
    let head = notice::passage_of(&offcut.recall().handle(&artifact.id), &artifact.source.tool, &place);
    format!("{head}\n{}", text::first_chars(passage.text.trim_end(), LONGEST))
}
