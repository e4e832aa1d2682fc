//! One call: what the model saw beside the whole output, line by line.

use axum::extract::{Path, State};
use axum::response::Response;
use maud::{Markup, html};
use offcut::event::{Event, Requester};
use offcut::recall::ArtifactDocument;
use offcut_core::document::Document;
use offcut_core::limit::human_size;
use offcut_history::CallRow;
use offcut_store::{Artifact, ArtifactInfo, StoreError};

use crate::chart::strip;
use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::{duration, named, percent, thousands};
use crate::lines;
use crate::page::{Section, fragment, page as whole_page};
use crate::query::{Query, address};
use crate::retrievals;

/// How many lines of the whole output a page shows.
const PAGE: u64 = 300;

/// How many lines a click on a gap opens.
const OPENED: u64 = 200;

/// The most lines of a reply that a page shows.
const SEEN: u64 = 3000;

/// How many retrievals of an artifact a page lists.
const RETRIEVALS: u64 = 20;

/// `/ui/calls/{id}`.
pub(crate) async fn page(
    State(dashboard): State<Dashboard>,
    Path(id): Path<i64>,
    query: Query,
) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let call = dashboard.history(|history| history.call(id))?;
            let call = call.ok_or_else(|| PageError::NotFound(format!("call {id}")))?;
            let artifact = call.artifact_id.as_deref().map(|id| open(dashboard, &call.session, id)).transpose();
            let artifact = match artifact {
                Err(PageError::Store(StoreError::NotFound { .. })) => None,
                artifact => artifact?,
            };
            let title = format!("{} call", named(&call.tool));
            let view = match &artifact {
                None => absent(&call),
                Some(artifact) => side_by_side(dashboard, artifact.as_ref(), Some(&call), &query)?,
            };
            let body = html! { (facts(&call)) (view) };
            Ok(whole_page(dashboard, Section::Calls, &title, body))
        })
        .await
}

/// `/ui/artifacts/{session}/{id}`.
pub(crate) async fn artifact_page(
    State(dashboard): State<Dashboard>,
    Path((session, id)): Path<(String, String)>,
    query: Query,
) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let artifact = open(dashboard, &session, &id)?;
            let call = dashboard.history(|history| history.call_of_artifact(&id))?;
            let view = side_by_side(dashboard, artifact.as_ref(), call.as_ref(), &query)?;
            let body = html! { (metadata(dashboard, artifact.info())) (view) };
            Ok(whole_page(dashboard, Section::Artifacts, "Artifact", body))
        })
        .await
}

/// `/ui/artifacts/{session}/{id}/lines`: rows of lines, for the script to put into a gap.
pub(crate) async fn lines(
    State(dashboard): State<Dashboard>,
    Path((session, id)): Path<(String, String)>,
    query: Query,
) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let artifact = open(dashboard, &session, &id)?;
            let document = ArtifactDocument::new(artifact.as_ref());
            let first = query.value("first").unwrap_or(1).max(1);
            let count = query.value("count").unwrap_or(OPENED).min(OPENED);
            Ok(fragment(lines::rows(&lines::read(&document, first, count)?, &[])))
        })
        .await
}

fn open(dashboard: &Dashboard, session: &str, id: &str) -> Result<Box<dyn Artifact>, PageError> {
    let (store, _) = dashboard.offcut().store().ok_or_else(|| PageError::NotFound("the store".to_owned()))?;
    Ok(store.open(&session.parse()?, &id.parse()?)?)
}

/// What the model saw, and all of it.
fn side_by_side(
    dashboard: &Dashboard,
    artifact: &dyn Artifact,
    call: Option<&CallRow>,
    query: &Query,
) -> Result<Markup, PageError> {
    let info = artifact.info();
    if info.binary {
        return Ok(html! { p.empty { "The output is not text (" (info.media_type) ")." } });
    }
    let document = ArtifactDocument::new(artifact);
    let total = document.extent().lines;
    let first = query.value::<u64>("first").unwrap_or(1).clamp(1, total.max(1));
    let kept = call.map(|call| call.kept.as_slice()).unwrap_or_default();
    let path = format!("/ui/artifacts/{}/{}", info.session, info.id);
    let here =
        call.filter(|_| query.text("artifact").is_none()).map_or(path.clone(), |call| format!("/ui/calls/{}", call.id));
    let page = lines::read(&document, first, PAGE)?;
    logged(dashboard, info, first, page.last().map_or(first, |line| line.number));
    let retrievals = dashboard
        .history(|history| history.events(&["retrieval", "extraction"], Some(info.id.as_str()), None, RETRIEVALS))?;
    let seen = match kept.is_empty() {
        true => None,
        false => Some(lines::seen(&document, kept, &format!("{path}/lines"), SEEN)?),
    };
    let link = |first: u64| address(&here, &[("first", &first.to_string())]);
    Ok(html! {
        @if !kept.is_empty() { (strip(kept, total)) }
        div.beside {
            @if let Some(seen) = seen {
                section.pane aria-label="What the model saw" {
                    h2 { "What the model saw" }
                    div.text tabindex="0" { table.lines { tbody { (seen) } } }
                }
            }
            section.pane #whole aria-label="The whole output" {
                h2 { "The whole output " span.note { "lines " (thousands(first)) "–" (thousands(page.last().map_or(first, |line| line.number))) " of " (thousands(total)) } }
                div.text tabindex="0" { table.lines { tbody { (lines::rows(&page, kept)) } } }
                (pager(first, total, link))
            }
        }
        @if !retrievals.is_empty() { section { h2 { "Read back" } (retrievals::table(&retrievals)) } }
    })
}

/// Links to the other pages of the output.
fn pager(first: u64, total: u64, link: impl Fn(u64) -> String) -> Markup {
    html! {
        nav.pager aria-label="Lines" {
            @if first > 1 { a href=(link(1)) { "First" } a rel="prev" href=(link(first.saturating_sub(PAGE).max(1))) { "Previous" } }
            @if first + PAGE <= total {
                a rel="next" href=(link(first + PAGE)) { "Next" }
                a href=(link(total.saturating_sub(PAGE) + 1)) { "Last" }
            }
            form { label { "Line " input type="number" name="first" min="1" max=(total) value=(first); } button { "Go" } }
        }
    }
}

/// A person's look at an artifact is a retrieval like any other.
fn logged(dashboard: &Dashboard, info: &ArtifactInfo, first: u64, last: u64) {
    dashboard.offcut().emit(Event::Retrieval {
        id: info.id.to_string(),
        session: info.session.to_string(),
        range: format!("lines {first}-{last}"),
        by: Requester::User,
        outcome: "ok".to_owned(),
        bytes: 0,
    });
}

fn facts(call: &CallRow) -> Markup {
    let saved = call.original_size.saturating_sub(call.truncated_size);
    let share = if call.original_size == 0 { 0.0 } else { saved as f64 / call.original_size as f64 };
    html! {
        dl.facts {
            (fact("Time", &offcut::clock::utc(call.at_ms)))
            (fact("Agent", named(&call.agent)))
            (fact("Session", named(&call.session)))
            (fact("Kind", named(&call.kind)))
            (fact("Strategy", named(&call.strategy)))
            (fact("Output", &format!("{} characters, {} tokens", thousands(call.original_size), thousands(call.original_tokens))))
            (fact("Reply", &format!("{} characters, {} tokens", thousands(call.truncated_size), thousands(call.truncated_tokens))))
            (fact("Saved", &percent(share)))
            (fact("Took", &duration(call.duration_us)))
            @for (kind, count) in &call.redactions { (fact("Redacted", &format!("{kind}: {count}"))) }
            @if call.degraded > 0 { (fact("Degraded", &format!("{} promises could not be kept", call.degraded))) }
            @if let Some(id) = &call.artifact_id {
                div { dt { "Artifact" } dd { a href={"/ui/artifacts/" (call.session) "/" (id)} { (id) } } }
            }
        }
    }
}

fn metadata(dashboard: &Dashboard, info: &ArtifactInfo) -> Markup {
    let command = format!("offcut artifacts show {}{}", info.id, dashboard.suffix());
    html! {
        dl.facts {
            (fact("Id", info.id.as_str()))
            (fact("Created", &offcut::clock::utc(info.created_ms)))
            (fact("Session", info.session.as_str()))
            (fact("Source", &format!("{} {}", info.source.tool, info.source.arguments)))
            (fact("Type", &format!("{} ({})", info.kind, info.media_type)))
            (fact("Size", &format!("{}, {} lines, {} tokens", human_size(info.extent.bytes), thousands(info.extent.lines), thousands(info.tokens))))
            (fact("Summary", named(&info.summary)))
            @if info.unfinished { (fact("Unfinished", "its writer ended before the output did")) }
        }
        p.actions {
            a.button href=(address("/ui/playground", &[("artifact", &format!("{}/{}", info.session, info.id))])) { "Open in the playground" }
            " " code data-copy="" { (command) }
        }
    }
}

fn fact(name: &str, value: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

fn absent(call: &CallRow) -> Markup {
    html! {
        p.empty {
            @if call.artifact_id.is_some() { "The output is not in the store any more." }
            @else if call.was_truncated { "The output was cut, and could not be kept." }
            @else { "The output fitted and was passed on whole; what fits is not kept." }
        }
    }
}
