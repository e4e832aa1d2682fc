//! What went wrong: degraded replies, outputs over the maximum size, ids that were refused.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use offcut::event::Event;
use offcut_core::limit::human_size;
use offcut_history::{CallFilter, CallOrder, EventRow};

use crate::calls::table;
use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::{moment, named};
use crate::page::{Section, page as whole_page};
use crate::query::{Query, address};

/// How many events a page lists.
const PAGE: u64 = 100;

/// How many calls each list has.
const CALLS: u64 = 15;

/// `/ui/problems`.
pub(crate) async fn page(State(dashboard): State<Dashboard>, query: Query) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let degraded = CallFilter { degraded: true, ..CallFilter::default() };
            let all = CallFilter::default();
            let (events, degraded, slowest, largest) = dashboard.history(|history| {
                Ok((
                    history.events(&["refusal", "oversize"], None, query.value("before"), PAGE)?,
                    history.calls(&degraded, CallOrder::Latest, CALLS)?,
                    history.calls(&all, CallOrder::Slowest, CALLS)?,
                    history.calls(&all, CallOrder::Largest, CALLS)?,
                ))
            })?;
            let body = html! {
                section {
                    h2 { "Degraded replies" }
                    @if degraded.is_empty() { p.empty { "None: every promise was kept." } } @else {
                        (table(&degraded, None))
                        p.more { a href="/ui/calls?only=degraded" { "All degraded replies" } }
                    }
                }
                section { h2 { "Refused ids, and outputs over the maximum size" } (incidents(&events)) }
                @if let (Some(last), true) = (events.last(), events.len() as u64 == PAGE) {
                    p.more { a rel="next" href=(address("/ui/problems", &[("before", &last.id.to_string())])) { "Older" } }
                }
                section { h2 { "Slowest replies" } (table(&slowest, None)) }
                section { h2 { "Largest outputs" } (table(&largest, None)) }
            };
            Ok(whole_page(dashboard, Section::Problems, "Problems", body))
        })
        .await
}

fn incidents(events: &[EventRow]) -> Markup {
    html! {
        @if events.is_empty() { p.empty { "None." } } @else {
            div.scroll { table {
                thead { tr { th { "Time" } th { "What" } th { "Session" } th { "Why" } } }
                tbody { @for row in events { (incident(row)) } }
            } }
        }
    }
}

fn incident(row: &EventRow) -> Markup {
    let (what, session, why) = match &row.record.event {
        Event::Refusal { id, session, by, reason } => (id, session, format!("{reason}, asked by {by}")),
        Event::Oversize { tool, session, bytes, max } => {
            (tool, session, format!("more than {} ({} came)", human_size(*max), human_size(*bytes)))
        }
        _ => return html! {},
    };
    html! {
        tr { td { time { (moment(row.record.at_ms)) } } td.name { (named(what)) } td { (named(session)) } td { (why) } }
    }
}
