//! What was saved: by day, tool, kind, strategy and agent, in tokens and in money.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use offcut_history::{Day, GroupBy, Period, Statistics};
use offcut_retain::prices::{Price, PriceList};

use crate::calls::choice;
use crate::chart::{Bar, bars};
use crate::dashboard::Dashboard;
use crate::error::PageError;
use crate::format::{dollars, percent, short, thousands};
use crate::page::{Section, page as whole_page};
use crate::query::Query;

/// How many days a chart shows.
const DAYS: usize = 30;

/// How many groups a table lists.
const ROWS: usize = 50;

/// Bytes of a token, about: what was read back is known in bytes.
const TOKEN_BYTES: u64 = 4;

/// The price that is taken unless the reader chooses another.
const USUAL: &str = "claude-sonnet";

/// `/ui/savings`.
pub(crate) async fn page(State(dashboard): State<Dashboard>, query: Query) -> Result<Response, PageError> {
    dashboard
        .make(move |dashboard| {
            let days = query.value::<u64>("days").unwrap_or(0);
            let since_ms = match days {
                0 => 0,
                days => offcut::clock::now_ms().saturating_sub(days.saturating_mul(86_400_000)),
            };
            let (by, heading) = match query.text("by") {
                Some("kind") => (GroupBy::Kind, "Kind"),
                Some("strategy") => (GroupBy::Strategy, "Strategy"),
                Some("agent") => (GroupBy::Agent, "Agent"),
                _ => (GroupBy::Tool, "Tool"),
            };
            let statistics = dashboard.history(|history| history.figures(Period { since_ms }, Some(by)))?;
            let prices = PriceList::built_in();
            let chosen = query.text("price").unwrap_or(USUAL);
            let price = prices.named(chosen).or_else(|| prices.prices.first());
            let names: Vec<(&str, &str)> =
                prices.prices.iter().map(|price| (price.name.as_str(), price.name.as_str())).collect();
            let days = days.to_string();
            let body = html! {
                form.filters action="/ui/savings" {
                    label { "Period " (choice("days", &days, &[("0", "all"), ("1", "24 hours"), ("7", "7 days"), ("30", "30 days"), ("90", "90 days")])) }
                    label { "By " (choice("by", query.text("by").unwrap_or("tool"), &[("tool", "tool"), ("kind", "kind"), ("strategy", "strategy"), ("agent", "agent")])) }
                    label { "Price " (choice("price", price.map_or("", |price| &price.name), &names)) }
                    button { "Apply" }
                }
                (balance(&statistics, price, &prices.as_of))
                section { h2 { "Tokens by day" } (by_day(&statistics.days)) }
                section { h2 { "By " (heading.to_lowercase()) } (group_table(heading, &statistics)) }
                section { h2 { "Redactions by kind" } (redactions(&statistics)) }
            };
            Ok(whole_page(dashboard, Section::Savings, "Savings", body))
        })
        .await
}

/// What was saved, less what it took to read some of it back.
fn balance(statistics: &Statistics, price: Option<&Price>, as_of: &str) -> Markup {
    let saved = statistics.total.saved_tokens();
    let fetched = statistics.retrievals.model_bytes / TOKEN_BYTES;
    let net = saved.saturating_sub(fetched);
    let row = |name: &str, tokens: u64, sign: &str| {
        let sign = if tokens == 0 { "" } else { sign };
        let money = price.map(|price| dollars(tokens as f64 * price.input / 1e6));
        html! { tr { th scope="row" { (name) } td.number { (sign) (thousands(tokens)) } td.number { @if let Some(money) = money { (sign) (money) } } } }
    };
    html! {
        section {
            h2 { "Balance" }
            table.small {
                thead { tr { th { "" } th.number { "Tokens" } th.number { "Input price" } } }
                tbody {
                    (row("Left out of replies", saved, ""))
                    (row("Read back by models", fetched, "−"))
                    (row("Net", net, ""))
                }
            }
            p.note {
                "Each token is counted once, at the price of uncached input"
                @if let Some(price) = price { " of " (price.name) " (" (dollars(price.input)) " a million, published " (as_of) ")" }
                ". A reply that stays in a conversation is sent again every turn, so the real saving is larger; a provider's cache makes the later turns cheaper."
            }
        }
    }
}

/// Tokens that were shown and saved, by day.
pub(crate) fn by_day(days: &[Day]) -> Markup {
    let first = days.len().saturating_sub(DAYS);
    let bar = |day: &Day| Bar {
        name: day.day.chars().skip(5).collect(),
        lower: day.counts.truncated_tokens,
        upper: day.counts.saved_tokens(),
    };
    let drawn: Vec<Bar> = days.iter().skip(first).map(bar).collect();
    if drawn.is_empty() {
        return html! { p.empty { "Nothing counted yet." } };
    }
    bars(&drawn, ["shown to the model", "saved"], "Tokens by day: shown to the model, and saved")
}

/// What each group came to; those with the most saved first.
pub(crate) fn group_table(heading: &str, statistics: &Statistics) -> Markup {
    let mut groups: Vec<_> = statistics.groups.iter().flatten().collect();
    groups.sort_by_key(|(name, counts)| (std::cmp::Reverse((counts.saved_tokens(), counts.calls)), name.to_owned()));
    html! {
        div.scroll { table.small {
            thead { tr { th { (heading) } th.number { "Calls" } th.number { "Cut" } th.number { "Rate" } th.number { "Saved" } th.number { "Tokens saved" } } }
            tbody {
                @for (name, counts) in groups.iter().take(ROWS) {
                    tr {
                        td.name { (name) } td.number { (thousands(counts.calls)) } td.number { (thousands(counts.truncated)) }
                        td.number { (percent(counts.truncation_rate)) } td.number { (percent(counts.size_reduction)) }
                        td.number { (short(counts.saved_tokens())) }
                    }
                }
            }
        } }
        @if groups.len() > ROWS { p.note { (groups.len() - ROWS) " more" } }
    }
}

fn redactions(statistics: &Statistics) -> Markup {
    let mut kinds: Vec<_> = statistics.redactions_by_kind.iter().collect();
    kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(**count), kind.to_owned()));
    html! {
        @if kinds.is_empty() { p.empty { "No secrets were found." } } @else {
            table.small {
                thead { tr { th { "Kind" } th.number { "Found" } } }
                tbody { @for (kind, count) in kinds { tr { td.name { (kind) } td.number { (thousands(*count)) } } } }
            }
            p.note { "Only kinds and counts are kept, never a secret. " a href="/ui/calls?only=secrets" { "Calls with secrets" } }
        }
    }
}
