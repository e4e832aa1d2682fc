//! The conversations that the proxy passed on: tokens of each request, what was taken out, and what that saved.

use axum::extract::{Path, State};
use axum::response::Response;
use maud::{Markup, html};
use offcut::event::{Event, Record};

use crate::chart::{Bar, bars};
use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::{dollars, moment, named, thousands};
use crate::page::{Section, page as whole_page};

/// How many conversations are listed.
const LISTED: u64 = 100;

/// How many requests of a conversation are shown; the latest, where there are more.
const REQUESTS: u64 = 300;

/// How many bars the chart has at most.
const BARS: usize = 60;

/// `/ui/conversations`.
pub(crate) async fn page(State(dashboard): State<Dashboard>) -> Result<Response, PageError> {
    dashboard
        .make(|dashboard| {
            let listed = dashboard.history(|history| history.subjects("request", LISTED))?;
            let body = html! {
                @if listed.is_empty() {
                    p.empty { "No conversations yet: send an agent's requests through " code { "offcut serve" } "." }
                } @else {
                    div.scroll { table {
                        thead { tr { th { "Last request" } th { "Model" } th { "Format" } th.number { "Requests" } th.number { "Tokens now" } th.number { "Without Offcut" } th.number { "Cost" } th.number { "Saved" } } }
                        tbody { @for (times, row) in &listed { (summary(*times, &row.record)) } }
                    } }
                }
            };
            Ok(whole_page(dashboard, Section::Conversations, "Conversations", body))
        })
        .await
}

/// `/ui/conversations/{name}`.
pub(crate) async fn one(State(dashboard): State<Dashboard>, Path(name): Path<String>) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let rows = dashboard.history(|history| history.events(&["request"], Some(&name), None, REQUESTS))?;
            let last = rows.first().ok_or_else(|| PageError::NotFound("the conversation".to_owned()))?;
            let shown: Vec<Bar> = rows.iter().take(BARS).rev().filter_map(|row| bar(&row.record)).collect();
            let body = html! {
                (balance(&last.record))
                section { h2 { "Tokens by request" } (bars(&shown, ["sent", "taken out"], "Tokens of each request: sent, and taken out")) }
                section {
                    h2 { "Requests" }
                    div.scroll { table {
                        thead { tr { th { "Time" } th.number { "Request" } th.number { "Came with" } th.number { "Sent" } th.number { "Cut" } th.number { "Shortened" } th.number { "Cost as it came" } th.number { "Cost as sent" } } }
                        tbody { @for row in &rows { (request(&row.record)) } }
                    } }
                    p.note { "Costs are those of the price model: input tokens, with what the provider's cache reads and writes. Shortening an old result makes what stands behind it be read anew once, so a single request can cost more than it would have." }
                }
            };
            Ok(whole_page(dashboard, Section::Conversations, "Conversation", body))
        })
        .await
}

fn summary(times: u64, record: &Record) -> Markup {
    let Event::Request { conversation, model, format, tokens_before, tokens_after, total_before, total_after, .. } =
        &record.event
    else {
        return html! {};
    };
    let path = format!("/ui/conversations/{}", encoded(conversation));
    html! {
        tr data-href=(path) {
            td { a href=(path) { time { (moment(record.at_ms)) } } }
            td.name { (named(model)) } td { (format) } td.number { (thousands(times)) }
            td.number { (thousands(*tokens_after)) } td.number { (thousands(*tokens_before)) }
            td.number { (dollars(*total_after)) } td.number { (dollars(total_before - total_after)) }
        }
    }
}

/// What the conversation came to so far.
fn balance(record: &Record) -> Markup {
    let Event::Request { model, format, session, total_before, total_after, .. } = &record.event else {
        return html! {};
    };
    html! {
        dl.facts {
            div { dt { "Model" } dd { (named(model)) } }
            div { dt { "Format" } dd { (format) } }
            div { dt { "Session" } dd { (named(session)) } }
            div { dt { "Input cost so far" } dd { (dollars(*total_after)) } }
            div { dt { "Without Offcut" } dd { (dollars(*total_before)) } }
            div { dt { "Saved" } dd { (dollars(total_before - total_after)) } }
        }
    }
}

fn request(record: &Record) -> Markup {
    let Event::Request { request, tokens_before, tokens_after, cut, shortened, cost_before, cost_after, .. } =
        &record.event
    else {
        return html! {};
    };
    html! {
        tr data-request=(request) {
            td { time { (moment(record.at_ms)) } } td.number { (thousands(request + 1)) }
            td.number { (thousands(*tokens_before)) } td.number { (thousands(*tokens_after)) }
            td.number { (thousands(*cut)) } td.number { (thousands(*shortened)) }
            td.number { (dollars(*cost_before)) } td.number { (dollars(*cost_after)) }
        }
    }
}

fn bar(record: &Record) -> Option<Bar> {
    match &record.event {
        Event::Request { request, tokens_before, tokens_after, .. } => Some(Bar {
            name: (request + 1).to_string(),
            lower: *tokens_after,
            upper: tokens_before.saturating_sub(*tokens_after),
        }),
        _ => None,
    }
}

/// A name as a part of a path.
fn encoded(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}
