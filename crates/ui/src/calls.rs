//! The calls, latest first: a page at a time, and those that are new.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use offcut_history::{CallFilter, CallOrder, CallRow};

use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::{duration, moment, named, percent, short, thousands};
use crate::page::{Section, fragment, page as whole_page};
use crate::query::{Query, address};

/// How many calls a page lists.
const PAGE: u64 = 100;

/// How many new calls are told at once; a watcher who missed more sees the latest.
const NEW: u64 = 50;

/// What a list of calls shows.
fn filter(query: &Query) -> CallFilter {
    CallFilter {
        tool: query.text("tool").map(str::to_owned),
        truncated: query.text("only") == Some("cut"),
        degraded: query.text("only") == Some("degraded"),
        redacted: query.text("only") == Some("secrets"),
        before: query.value("before"),
        after: query.value("after"),
    }
}

fn order(query: &Query) -> CallOrder {
    match query.text("order") {
        Some("largest") => CallOrder::Largest,
        Some("slowest") => CallOrder::Slowest,
        _ => CallOrder::Latest,
    }
}

/// `/ui/calls`.
pub(crate) async fn page(State(dashboard): State<Dashboard>, query: Query) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let (filter, order) = (filter(&query), order(&query));
            let (calls, tools) =
                dashboard.history(|history| Ok((history.calls(&filter, order, PAGE)?, history.tools()?)))?;
            let only = query.text("only").unwrap_or_default();
            let (tool, by) = (query.text("tool").unwrap_or_default(), query.text("order").unwrap_or_default());
            let is_live = order == CallOrder::Latest && filter.before.is_none();
            let body = html! {
                form.filters action="/ui/calls" {
                    label { "Tool " (select("tool", tool, &tools)) }
                    label { "Show " (choice("only", only, &[("", "all calls"), ("cut", "cut"), ("degraded", "degraded"), ("secrets", "with secrets")])) }
                    label { "Order " (choice("order", by, &[("", "latest"), ("largest", "largest"), ("slowest", "slowest")])) }
                    button { "Apply" }
                }
                (table(&calls, is_live.then(|| address("/ui/calls/new", &[("tool", tool), ("only", only)]))))
                @if let (CallOrder::Latest, Some(last), true) = (order, calls.last(), calls.len() as u64 == PAGE) {
                    p.more {
                        a href=(address("/ui/calls", &[("tool", tool), ("only", only), ("before", &last.id.to_string())])) rel="next" { "Older calls" }
                    }
                }
            };
            Ok(whole_page(dashboard, Section::Calls, "Calls", body))
        })
        .await
}

/// `/ui/calls/new`: the rows of the calls after one.
pub(crate) async fn new(State(dashboard): State<Dashboard>, query: Query) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let filter = filter(&query);
            let calls = dashboard.history(|history| history.calls(&filter, CallOrder::Latest, NEW))?;
            Ok(fragment(rows(&calls)))
        })
        .await
}

/// A table of calls; the script keeps it up to date from `live`.
pub(crate) fn table(calls: &[CallRow], live: Option<String>) -> Markup {
    html! {
        div.scroll {
            table.calls {
                thead { tr {
                    th { "Time" } th { "Tool" } th { "Agent" } th { "Kind" } th { "Strategy" }
                    th.number { "In" } th.number { "Shown" } th.number { "Saved" } th.number { "Took" } th { "" }
                } }
                tbody data-live=[live] { (rows(calls)) }
            }
        }
        @if calls.is_empty() { p.empty { "No calls yet. Pipe something through " code { "offcut" } " and it appears here." } }
    }
}

fn rows(calls: &[CallRow]) -> Markup {
    html! { @for call in calls { (row(call)) } }
}

fn row(call: &CallRow) -> Markup {
    let saved = call.original_size.saturating_sub(call.truncated_size);
    let share = if call.original_size == 0 { 0.0 } else { saved as f64 / call.original_size as f64 };
    let secrets: u64 = call.redactions.values().sum();
    html! {
        tr data-id=(call.id) data-href={"/ui/calls/" (call.id)} {
            td { a href={"/ui/calls/" (call.id)} { time { (moment(call.at_ms)) } } }
            td.name { (named(&call.tool)) }
            td { (named(&call.agent)) }
            td { (named(&call.kind)) }
            td { (named(&call.strategy)) }
            td.number title={(thousands(call.original_size)) " characters"} { (short(call.original_size)) }
            td.number title={(thousands(call.truncated_size)) " characters"} { (short(call.truncated_size)) }
            td.number { @if call.was_truncated { (percent(share)) } @else { "–" } }
            td.number { (duration(call.duration_us)) }
            td.marks {
                @if call.was_truncated { span.mark.cut { "cut" } }
                @if secrets > 0 { span.mark.secret title="Secrets were redacted" { (secrets) " secret" @if secrets > 1 { "s" } } }
                @if call.degraded > 0 { span.mark.degraded title="A promise could not be kept" { "degraded" } }
            }
        }
    }
}

/// A list of names to choose from, with one for all of them.
fn select(name: &str, chosen: &str, names: &[String]) -> Markup {
    html! {
        select name=(name) {
            option value="" { "all" }
            @for name in names { option value=(name) selected[name == chosen] { (named(name)) } }
        }
    }
}

/// A list of values to choose from, each with its words.
pub(crate) fn choice(name: &str, chosen: &str, values: &[(&str, &str)]) -> Markup {
    html! {
        select name=(name) {
            @for (value, words) in values { option value=(value) selected[*value == chosen] { (words) } }
        }
    }
}
