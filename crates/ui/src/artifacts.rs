//! The artifacts of every session, latest first.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use offcut_core::limit::human_size;
use offcut_store::ArtifactInfo;

use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::{moment, named, thousands};
use crate::page::{Section, page as whole_page};
use crate::query::{Query, address};

/// How many artifacts a page lists.
const PAGE: usize = 50;

impl Dashboard {
    /// The artifacts of every session, latest first; those of a session that cannot be listed are left out.
    pub(crate) fn artifacts(&self) -> Result<Vec<ArtifactInfo>, PageError> {
        let Some((store, _)) = self.offcut().store() else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for session in store.sessions()? {
            match store.list(&session.session) {
                Ok(artifacts) => all.extend(artifacts),
                Err(error) => tracing::warn!(%error, "the artifacts of a session cannot be listed"),
            }
        }
        all.sort_by(|one, other| (other.created_ms, other.id.as_str()).cmp(&(one.created_ms, one.id.as_str())));
        Ok(all)
    }
}

/// `/ui/artifacts`.
pub(crate) async fn page(State(dashboard): State<Dashboard>, query: Query) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let wanted = query.text("about").unwrap_or_default();
            let from = query.value::<usize>("from").unwrap_or(0);
            let mut artifacts = dashboard.artifacts()?;
            artifacts.retain(|info| is_about(info, wanted));
            let bytes: u64 = artifacts.iter().map(|info| info.extent.bytes).sum();
            let shown: Vec<&ArtifactInfo> = artifacts.iter().skip(from).take(PAGE).collect();
            let body = html! {
                form.filters action="/ui/artifacts" {
                    label { "About " input type="search" name="about" value=(wanted) placeholder="tool, kind, summary or id"; }
                    button { "Apply" }
                    span.note { (thousands(artifacts.len() as u64)) " artifacts, " (human_size(bytes)) }
                }
                form.filters action="/ui/search" {
                    label { "In their text " input type="search" name="q" placeholder="text or regular expression"; }
                    button { "Search" }
                }
                (table(&shown))
                nav.pager aria-label="Pages" {
                    @if from > 0 { a rel="prev" href=(address("/ui/artifacts", &[("about", wanted), ("from", &from.saturating_sub(PAGE).to_string())])) { "Newer" } }
                    @if from + PAGE < artifacts.len() { a rel="next" href=(address("/ui/artifacts", &[("about", wanted), ("from", &(from + PAGE).to_string())])) { "Older" } }
                }
            };
            Ok(whole_page(dashboard, Section::Artifacts, "Artifacts", body))
        })
        .await
}

fn is_about(info: &ArtifactInfo, wanted: &str) -> bool {
    let wanted = wanted.to_lowercase();
    let facts =
        [info.id.as_str(), info.session.as_str(), &info.source.tool, &info.source.arguments, &info.kind, &info.summary];
    facts.iter().any(|fact| fact.to_lowercase().contains(&wanted))
}

fn table(artifacts: &[&ArtifactInfo]) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { "Created" } th { "Artifact" } th { "Tool" } th { "Kind" } th.number { "Size" } th.number { "Lines" } th { "Summary" } } }
            tbody {
                @for info in artifacts {
                    @let path = format!("/ui/artifacts/{}/{}", info.session, info.id);
                    tr data-href=(path) {
                        td { time { (moment(info.created_ms)) } }
                        td.name { a href=(path) { (info.id) } }
                        td { (named(&info.source.tool)) }
                        td { (named(&info.kind)) @if info.unfinished { " " span.mark.degraded { "unfinished" } } }
                        td.number { (human_size(info.extent.bytes)) }
                        td.number { @if info.binary { "–" } @else { (thousands(info.extent.lines)) } }
                        td.about { (info.summary) }
                    }
                }
            }
        } }
        @if artifacts.is_empty() { p.empty { "No artifacts." } }
    }
}
