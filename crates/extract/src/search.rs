//! Ranked passages for the words of a question, without a model.
//!
//! Three things decide what is shown: the words that occur (BM25 over overlapping windows of lines, phrases, definitions
//! of names), the words that tell what kind of line is meant ([`intent`]), and what is worth seeing of the document
//! whatever is asked ([`outline`]). The more of the question's own words the best passages have, the more room they get.

mod candidates;
mod counts;
mod extremes;
mod index;
mod intent;
mod outline;
mod page;
mod query;
mod rank;
mod roles;
mod synonyms;
mod units;
mod wording;

use std::ops::Range;

use offcut_core::document::Document;
use offcut_core::notice::{self, Around};
use offcut_core::text;
use offcut_store::{Artifact, ArtifactId, ArtifactInfo};
use serde::Serialize;

use super::context::{Answer, ExtractContext};
use super::error::ExtractError;
use super::settings::Settings;
use offcut::recall::ArtifactDocument;
use offcut::recall::RecallError;
use offcut::{Call, Cancel, Offcut};
use offcut_core::kind::{Classification, Kind};
use offcut_core::limit::Unit;

use extremes::Extreme;
use index::Index;
use outline::Outline;
use page::{Findings, PassagePage};
use query::Query;
use roles::Kinds;
use units::Units;

/// A part of a document that fits what was asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Passage {
    /// Its first line, 1-based.
    pub first_line: u64,
    /// Its last line, inclusive.
    pub last_line: u64,
    /// Its bytes.
    pub bytes: Range<u64>,
    /// Whether it is a part of one long line.
    pub part: bool,
    /// What is shown of it.
    pub text: String,
    /// How well it fits, to be compared with others of the same search.
    pub score: f64,
}

/// A passage of one of a session's artifacts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundPassage {
    /// The artifact.
    pub artifact: ArtifactInfo,
    /// The passage.
    pub passage: Passage,
}

/// How many artifacts are read at a time, where reading is waiting.
const TOGETHER: usize = 16;

/// The room that outlines are made for: it depends on nothing but the configuration, so that an index serves every
/// question.
fn outline_room(max_chars: u64) -> u64 {
    max_chars - max_chars / 10
}

/// Passages for the words of a question, within the room for them; the view of the whole where it asks for nothing else.
pub(super) fn run(context: &ExtractContext<'_>) -> Result<Answer, ExtractError> {
    let source = context.document();
    let asked = context.question.extract.as_str();
    let info = context.artifact.info();
    let recall = context.offcut.recall_wording();
    let lines = info.extent.lines;
    let id = context.offcut.recall().handle(&info.id);
    let id = id.as_str();
    if wording::is_generic(asked)
        && let Some(view) = first_view(context.offcut, info, &source)
    {
        let under = notice::overview(&Around { recall, id, lines, best: None });
        return Ok(Answer { text: format!("{}\n\n{under}", view.trim_end()), nothing: false });
    }
    let query = Query::read(asked);
    let longest = notice::passages(u64::MAX, &Around { recall, id, lines, best: Some((lines, lines)) });
    let heading = notice::extracted(&info.source.tool, &context.question.handle, "search", "");
    let taken = text::chars(&longest) + text::chars(&heading) + 2;
    let room = context.settings.max_chars.saturating_sub(taken).max(200);
    let outlined = outline_room(context.settings.max_chars);
    let results = results(context.offcut, context.artifact, &source, (asked, &query), (room, outlined))?;
    let best = results.page.passages().first().map(|passage| (passage.first_line, passage.last_line));
    let shown = results.page.count();
    let under = notice::passages(shown, &Around { recall, id, lines, best });
    let counted = results.counted.map_or(String::new(), |counted| counted + "\n\n");
    let body = counted + &results.page.written();
    if results.nothing {
        let what = format!("None of these words stands in its {lines} lines. What stands out in them:");
        let text = format!("{}\n\n{body}\n\n{under}", notice::nothing_found(asked, &what));
        return Ok(Answer { text, nothing: true });
    }
    Ok(Answer { text: format!("{body}\n\n{under}"), nothing: false })
}

/// The document as the reply to its call showed it: cut to the limit of such a reply.
fn first_view(offcut: &Offcut, info: &ArtifactInfo, document: &dyn Document) -> Option<String> {
    let policy = offcut.policy();
    let limits = policy.plan(&Call::new(&info.source.tool)).ok()?.limits;
    let limit = limits.of(Unit::Chars).unwrap_or(policy.retrieval_chars());
    let kind: Kind = info.kind.parse().unwrap_or(Kind::Text);
    let classification = Classification::new(kind, 1.0, "kept with the artifact");
    let chars = limit.min(policy.retrieval_chars());
    offcut.excerpt(&info.source.tool, document, &classification, chars).map(|excerpt| excerpt.text)
}

/// What a search found in one document.
struct Results {
    page: PassagePage,
    /// How many lines there are of what the question counts.
    counted: Option<String>,
    /// Whether nothing of what was asked stands in the document.
    nothing: bool,
}

fn results(
    offcut: &Offcut,
    artifact: &dyn Artifact,
    document: &dyn Document,
    (asked, query): (&str, &Query),
    (room, outlined): (u64, u64),
) -> Result<Results, ExtractError> {
    let info = artifact.info();
    let whole = info.extent.bytes <= index::SMALL;
    let (outline, kinds, units) = if whole {
        let outline = Outline::of(offcut, info, document, outlined)?;
        (outline, Kinds::of(document, offcut.policy().line_rules())?, Units::find(document, query)?)
    } else {
        let index = Index::of(offcut, artifact, outlined)?;
        let units = known_units(&index, document, query)?;
        (index.outline, index.kinds, units)
    };
    let ranking = rank::rank(query, &units, &outline, room);
    let hits = kinds.meant_by(query.intents);
    let extremes = match Extreme::read(asked) {
        Some(extreme) => extremes::lines(document, query, extreme)?,
        None => Vec::new(),
    };
    let nothing = ranking.ranked.is_empty() && query.intents.is_empty() && extremes.is_empty();
    let counted = counts::is_asked(asked).then(|| counts::told(query, &units, &kinds, whole)).flatten();
    let taken = counted.as_ref().map_or(0, |counted| text::chars(counted) + 2);
    let found = Findings { units: &units, ranking: &ranking, hits: &hits, outline: &outline, extremes: &extremes };
    let page = PassagePage::fill(document, query, &found, room.saturating_sub(taken))?;
    Ok(Results { page, counted, nothing })
}

/// The units of the blocks that an index names for a question.
fn known_units(index: &Index, document: &dyn Document, query: &Query) -> Result<Units, ExtractError> {
    let ranges = index.ranges(query, document.extent().bytes);
    let position = |start: u64| index.position(start).map_or_else(|| document.position(start), Ok);
    Ok(Units::find_in(document, query, &ranges, &position)?)
}

/// The passages of all the session's artifacts that fit `words` best, at most `most`, best first. Artifacts that are
/// not text, or cannot be read, are passed over. Where the store finds artifacts by their terms, only those that fit best
/// are read, several at a time.
pub fn search(offcut: &Offcut, words: &str, most: usize, cancel: &Cancel) -> Result<Vec<FoundPassage>, RecallError> {
    Ok(search_all(offcut, words, most, cancel)?.0)
}

/// As [`search`], and of how many artifacts.
pub(super) fn search_all(
    offcut: &Offcut,
    words: &str,
    most: usize,
    cancel: &Cancel,
) -> Result<(Vec<FoundPassage>, usize), RecallError> {
    let query = Query::read(words);
    let (mut all, artifacts) = match candidates::candidates(offcut, &query)? {
        Some((chosen, artifacts)) => (read_together(offcut, &query, &chosen, cancel), artifacts),
        None => {
            let listed: Vec<ArtifactId> = offcut.recall().list()?.into_iter().rev().map(|info| info.id).collect();
            (read_each(offcut, &query, &listed, cancel), listed.len())
        }
    };
    // Sorting is stable: of equal ones, those of the newest artifact stand first.
    all.sort_by(|a, b| b.passage.score.total_cmp(&a.passage.score));
    all.truncate(most);
    Ok((all, artifacts))
}

/// Reads artifacts that lie far away, several at a time.
fn read_together(offcut: &Offcut, query: &Query, ids: &[ArtifactId], cancel: &Cancel) -> Vec<FoundPassage> {
    std::thread::scope(|scope| {
        let parts: Vec<_> = ids
            .chunks(ids.len().div_ceil(TOGETHER).max(1))
            .map(|part| scope.spawn(move || read_each(offcut, query, part, cancel)))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    })
}

/// The passages of artifacts, in their order.
fn read_each(offcut: &Offcut, query: &Query, ids: &[ArtifactId], cancel: &Cancel) -> Vec<FoundPassage> {
    let mut all: Vec<FoundPassage> = Vec::new();
    for id in ids {
        if cancel.is_cancelled() {
            break;
        }
        let Ok(artifact) = offcut.recall().open(id.as_str()) else { continue };
        let info = artifact.info();
        if info.binary || info.extent.bytes == 0 {
            continue;
        }
        match passages(offcut, artifact.as_ref(), query) {
            Ok(passages) => {
                all.extend(passages.into_iter().map(|passage| FoundPassage { artifact: info.clone(), passage }))
            }
            Err(error) => tracing::warn!(%id, code = error.code(), "an artifact could not be searched"),
        }
    }
    all
}

/// The passages of one artifact in which words of `query` occur.
fn passages(offcut: &Offcut, artifact: &dyn Artifact, query: &Query) -> Result<Vec<Passage>, ExtractError> {
    let source = ArtifactDocument::new(artifact);
    let document: &dyn Document = &source;
    let bytes = artifact.info().extent.bytes;
    let units = match bytes <= index::SMALL {
        true => Units::find(document, query)?,
        false => {
            let settings = Settings::of(offcut.policy().options())
                .map_err(|error| ExtractError::BadQuestion(error.to_string()))?;
            known_units(&Index::of(offcut, artifact, outline_room(settings.max_chars))?, document, query)?
        }
    };
    let ranking = rank::rank(query, &units, &Outline::default(), 2000);
    let share = f64::from(ranking.coverage.max(0.05));
    let best = ranking.ranked.iter().take(20);
    let mut passages = Vec::new();
    for ranked in best {
        if let Some(mut passage) = page::passage(document, &units, ranked, 1000)? {
            passage.score *= share;
            passages.push(passage);
        }
    }
    Ok(passages)
}
