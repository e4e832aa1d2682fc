//! What was read back: which artifact, which part, by whom.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use offcut::event::{Event, Record};
use offcut_history::{EventRow, Period};

use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::{moment, named, thousands};
use crate::page::{Section, page as whole_page};
use crate::query::{Query, address};

/// How many rows a page lists.
const PAGE: u64 = 100;

/// `/ui/retrievals`.
pub(crate) async fn page(State(dashboard): State<Dashboard>, query: Query) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let (subject, before) = (query.text("artifact"), query.value("before"));
            let (events, statistics) = dashboard.history(|history| {
                let events = history.events(&["retrieval", "extraction"], subject, before, PAGE)?;
                Ok((events, history.statistics(Period::default(), None)?))
            })?;
            let retrievals = &statistics.retrievals;
            let body = html! {
                div.columns {
                    section {
                        h2 { "By what was asked for" }
                        table.small { tbody { @for (range, times) in &retrievals.by_range {
                            tr { td.name { (range) } td.number { (thousands(*times)) } }
                        } } }
                    }
                    section {
                        h2 { "Asked for most" }
                        table.small { tbody { @for (id, times) in &retrievals.most_asked {
                            tr { td.name { a href=(address("/ui/retrievals", &[("artifact", id)])) { (id) } } td.number { (thousands(*times)) } }
                        } } }
                    }
                }
                section {
                    h2 { "Latest" @if let Some(subject) = subject { " of " (subject) " " a href="/ui/retrievals" { "(all)" } } }
                    (table(&events))
                    @if let (Some(last), true) = (events.last(), events.len() as u64 == PAGE) {
                        p.more { a rel="next" href=(address("/ui/retrievals", &[("artifact", subject.unwrap_or_default()), ("before", &last.id.to_string())])) { "Older" } }
                    }
                }
            };
            Ok(whole_page(dashboard, Section::Retrievals, "Retrievals", body))
        })
        .await
}

/// A table of retrievals and questions.
pub(crate) fn table(events: &[EventRow]) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { "Time" } th { "Artifact" } th { "Asked for" } th { "By" } th { "Agent" } th.number { "Bytes" } th { "Outcome" } } }
            tbody { @for row in events { (line(&row.record)) } }
        } }
        @if events.is_empty() { p.empty { "Nothing was read back yet." } }
    }
}

fn line(record: &Record) -> Markup {
    let (id, session, asked, by, bytes, outcome) = match &record.event {
        Event::Retrieval { id, session, range, by, outcome, bytes } => {
            (id, session, range.clone(), by, Some(*bytes), outcome)
        }
        Event::Extraction { id, session, by, mode, model, outcome, .. } => {
            let model = if model.is_empty() { String::new() } else { format!(", {model}") };
            (id, session, format!("question ({mode}{model})"), by, None, outcome)
        }
        _ => return html! {},
    };
    html! {
        tr {
            td { time { (moment(record.at_ms)) } }
            td.name { a href={"/ui/artifacts/" (session) "/" (id)} { (id) } }
            td { (asked) } td { (by) } td { (named(&record.agent)) }
            td.number { @if let Some(bytes) = bytes { (thousands(bytes)) } }
            td { @if outcome == "ok" { "ok" } @else { span.mark.degraded { (outcome) } } }
        }
    }
}
