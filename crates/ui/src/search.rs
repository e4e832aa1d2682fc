//! Search in the text of every artifact, latest first, for a bounded time.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use offcut::recall::ArtifactDocument;
use offcut_core::document::Document;
use offcut_core::text;
use offcut_store::ArtifactInfo;
use regex::{Regex, RegexBuilder};

use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::thousands;
use crate::page::{Section, page as whole_page};
use crate::query::{Query, address};

/// How long a search may take; what was not reached by then is said.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many lines of one artifact are listed.
const HITS: usize = 5;

/// How many artifacts are listed.
const ARTIFACTS: usize = 40;

/// The most characters of a line that are listed, and how many of them stand before the match.
const WIDTH: u64 = 240;
const BEFORE: u64 = 60;

/// The lines of one artifact that match.
#[derive(Debug)]
struct Hits {
    info: ArtifactInfo,
    /// Number and part of each line, and where in that part the match is.
    lines: Vec<(u64, String, (usize, usize))>,
}

/// `/ui/search`.
pub(crate) async fn page(State(dashboard): State<Dashboard>, query: Query) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let wanted = query.text("q").unwrap_or_default().to_owned();
            let body = match pattern(&wanted) {
                None => form(&wanted),
                Some(pattern) => {
                    let artifacts = dashboard.artifacts()?;
                    let (hits, searched) = search(dashboard, &artifacts, &pattern);
                    html! {
                        (form(&wanted))
                        p.note {
                            (thousands(hits.len() as u64)) " artifacts match; " (thousands(searched as u64)) " of " (thousands(artifacts.len() as u64)) " were searched"
                            @if searched < artifacts.len() { ": narrow the search to reach older ones" }
                        }
                        @for found in &hits { (listed(found)) }
                    }
                }
            };
            Ok(whole_page(dashboard, Section::Artifacts, "Search", body))
        })
        .await
}

/// A regular expression, or where it is none the text itself; case matters only where a capital is written.
fn pattern(wanted: &str) -> Option<Regex> {
    let build = |pattern: &str| {
        let ignore_case = !wanted.chars().any(char::is_uppercase);
        RegexBuilder::new(pattern).case_insensitive(ignore_case).size_limit(1 << 20).build().ok()
    };
    if wanted.is_empty() {
        return None;
    }
    build(wanted).filter(|regex| !regex.is_match("")).or_else(|| build(&regex::escape(wanted)))
}

/// What was found, and how many artifacts were searched.
fn search(dashboard: &Dashboard, artifacts: &[ArtifactInfo], pattern: &Regex) -> (Vec<Hits>, usize) {
    let (started, mut found) = (Instant::now(), Vec::new());
    let Some((store, _)) = dashboard.offcut().store() else { return (found, 0) };
    for (searched, info) in artifacts.iter().enumerate() {
        if started.elapsed() > PATIENCE || found.len() >= ARTIFACTS {
            return (found, searched);
        }
        let artifact = (!info.binary).then(|| store.open(&info.session, &info.id).ok()).flatten();
        let lines = artifact.map(|artifact| matching(&ArtifactDocument::new(artifact.as_ref()), pattern, started));
        if let Some(lines) = lines.filter(|lines| !lines.is_empty()) {
            found.push(Hits { info: info.clone(), lines });
        }
    }
    (found, artifacts.len())
}

/// The first lines of a document that match. A part that cannot be read ends the search in it.
fn matching(document: &dyn Document, pattern: &Regex, started: Instant) -> Vec<(u64, String, (usize, usize))> {
    let (mut lines, mut found, mut seen) = (document.lines(), Vec::new(), 0_u64);
    while let Ok(Some(line)) = lines.next_line() {
        seen += 1;
        if found.len() >= HITS || (seen.is_multiple_of(4096) && started.elapsed() > PATIENCE) {
            break;
        }
        if let Some(hit) = pattern.find(line.text) {
            let before = text::slice(line.text, 0..hit.start());
            let skipped = text::chars(before).saturating_sub(BEFORE);
            let start = text::prefix(line.text, skipped);
            let part = text::first_chars(text::slice(line.text, start..line.text.len()), WIDTH);
            let (from, to) = (hit.start() - start, (hit.end() - start).min(part.len()));
            found.push((line.position.line + 1, part.to_owned(), (from.min(to), to)));
        }
    }
    found
}

fn form(wanted: &str) -> Markup {
    html! {
        form.filters action="/ui/search" {
            label { "Text or regular expression " input type="search" name="q" value=(wanted) autofocus; }
            button { "Search" }
        }
    }
}

fn listed(found: &Hits) -> Markup {
    let path = format!("/ui/artifacts/{}/{}", found.info.session, found.info.id);
    html! {
        section.hits {
            h2 { a href=(path) { (found.info.id) } " " span.note { (found.info.source.tool) " · " (found.info.summary) } }
            table.lines { tbody {
                @for (number, part, (from, to)) in &found.lines {
                    tr { td.line { a href=(address(&path, &[("first", &number.saturating_sub(5).max(1).to_string())])) { (number) } }
                        td.words { code { (text::slice(part, 0..*from)) mark { (text::slice(part, *from..*to)) } (text::slice(part, *to..part.len())) } } }
                }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut_core::document::TextDocument;

    #[test]
    fn a_wrong_expression_is_searched_for_as_text() {
        assert!(pattern("a(b").unwrap().is_match("xA(bx"));
        assert!(pattern("err.*full").unwrap().is_match("ERROR: disk full"));
        assert!(!pattern("Err").unwrap().is_match("err"));
        assert!(pattern("").is_none());
        // An expression that matches everything says nothing.
        assert!(!pattern("x*").unwrap().is_match("abc"));
    }

    #[test]
    fn the_match_stands_in_the_part_that_is_shown() {
        let line = format!("{}needle<{}\n", "é".repeat(500), "z".repeat(500));
        let found = matching(&TextDocument::new(line.repeat(9)), &pattern("needle<").unwrap(), Instant::now());
        assert_eq!(found.len(), HITS);
        let (number, part, (from, to)) = &found[1];
        assert_eq!((*number, part.chars().count() as u64), (2, WIDTH));
        assert_eq!(text::slice(part, *from..*to), "needle<");
    }
}
