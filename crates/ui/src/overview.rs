//! The first page: figures, savings by day, and the calls as they come.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use offcut_core::limit::human_size;
use offcut_history::{CallFilter, CallOrder, GroupBy, Period, Statistics};

use crate::calls::table;
use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::{duration, percent, short, thousands};
use crate::page::{Section, fragment, page as whole_page};
use crate::savings::{by_day, group_table};

/// How many calls the page lists.
const LATEST: u64 = 20;

/// `/`.
pub(crate) async fn page(State(dashboard): State<Dashboard>) -> Result<Response, PageError> {
    dashboard
        .make(|dashboard| {
            let (statistics, calls) = dashboard.history(|history| {
                let statistics = history.figures(Period::default(), Some(GroupBy::Tool))?;
                Ok((statistics, history.calls(&CallFilter::default(), CallOrder::Latest, LATEST)?))
            })?;
            let body = html! {
                (tiles(&statistics))
                div.columns {
                    section { h2 { "Tokens by day" } (by_day(&statistics.days)) }
                    section { h2 { "By tool" } (group_table("Tool", &statistics)) }
                }
                section {
                    h2 { "Latest calls " span.live data-live-mark="" { "live" } }
                    (table(&calls, Some("/ui/calls/new".to_owned())))
                    p.more { a href="/ui/calls" { "All calls" } }
                }
            };
            Ok(whole_page(dashboard, Section::Overview, "Overview", body))
        })
        .await
}

/// `/ui/overview/figures`: the figures at the top, for the script to renew.
pub(crate) async fn figures(State(dashboard): State<Dashboard>) -> Result<Response, PageError> {
    dashboard
        .make(|dashboard| {
            let statistics = dashboard.history(|history| history.figures(Period::default(), None))?;
            Ok(fragment(tiles(&statistics)))
        })
        .await
}

fn tiles(statistics: &Statistics) -> Markup {
    let total = &statistics.total;
    let retrievals = &statistics.retrievals;
    html! {
        div.tiles data-renew="/ui/overview/figures" {
            (tile("Calls", &thousands(total.calls), &format!("{} cut ({})", thousands(total.truncated), percent(total.truncation_rate))))
            (tile("Tokens saved", &short(total.saved_tokens()), &format!("of {} that tools printed", short(total.original_tokens))))
            (tile("Outputs kept", &thousands(total.artifacts), &human_size(total.artifact_bytes)))
            (tile("Read back by models", &thousands(retrievals.by_models), &format!("{} retrievals in all, {} failed", thousands(retrievals.total), thousands(retrievals.failed))))
            (tile("Secrets redacted", &thousands(total.redactions), &kinds(statistics.redactions_by_kind.len())))
            (tile("Median time", &duration(total.median_us), &format!("95% within {}", duration(total.p95_us))))
        }
    }
}

fn tile(name: &str, figure: &str, about: &str) -> Markup {
    html! { div.tile { span.name { (name) } strong { (figure) } span.about { (about) } } }
}

fn kinds(count: usize) -> String {
    if count == 1 { "1 kind".to_owned() } else { format!("{count} kinds") }
}
