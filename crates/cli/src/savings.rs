//! `offcut savings`: what was saved in this project, net, from the history.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use clap::Args;
use offcut_history::{Balance, Period, Savings};
use offcut_retain::prices::{Price, PriceList};

use crate::duration;
use crate::failure::Failure;
use crate::flags::PlaceFlags;
use crate::stats;
use crate::table::{Table, counted, thousands};

const EXAMPLES: &str = "\
Examples:
  offcut savings
  offcut savings --since 7d --price claude-sonnet
  offcut savings --json

Tokens not sent are those that replies have less than their outputs, each counted
once: a reply that stays in a conversation is sent again every turn, so the real
saving is larger. What models read back of an output is taken off. Requests through
`offcut serve` are counted by themselves, at their price, with what the provider's
cache reads and writes.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SavingsArgs {
    /// Count only the last `24h` or `7d`, or since a date (`2026-11-01`)
    #[arg(long, value_name = "TIME", value_parser = duration::since)]
    since: Option<u64>,
    /// Show tokens in money too, at this model's price for input
    #[arg(long, value_name = "MODEL")]
    price: Option<String>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceFlags,
}

/// Prints what was saved in the project.
pub(crate) fn savings(args: &SavingsArgs) -> Result<(), Failure> {
    let prices = PriceList::built_in();
    let price = args.price.as_deref().map(|name| priced(&prices, name)).transpose()?;
    let savings = stats::history(&args.place)?.savings(Period { since_ms: args.since.unwrap_or(0) })?;
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        serde_json::to_writer_pretty(&mut out, &savings)?;
        writeln!(out)?;
    } else {
        write(&savings, price, &mut out)?;
    }
    out.flush()?;
    Ok(())
}

fn priced<'p>(prices: &'p PriceList, name: &str) -> Result<&'p Price, Failure> {
    prices.named(name).ok_or_else(|| {
        let names: Vec<&str> = prices.prices.iter().map(|price| price.name.as_str()).collect();
        Failure::usage(format!("no price is known for `{name}`")).hint(format!("one of {}", names.join(", ")))
    })
}

fn write(savings: &Savings, price: Option<&Price>, out: &mut dyn Write) -> io::Result<()> {
    let (Some(from), Some(to)) = (savings.from_ms, savings.to_ms) else {
        return writeln!(out, "Nothing counted yet: counting starts with the first output that is kept.");
    };
    writeln!(out, "{} to {}", offcut::clock::utc(from), offcut::clock::utc(to))?;
    table("~Agent", &savings.by_agent, None, out)?;
    writeln!(out)?;
    table("~Tool", &savings.by_tool, Some(&savings.total), out)?;
    let total = &savings.total;
    if let Some(price) = price {
        let dollars = total.net_tokens as f64 * price.input / 1e6;
        writeln!(out, "Net at {}'s input price: {}", price.name, money(dollars))?;
    }
    if total.costlier_calls > 0 {
        let (calls, cut) = (counted(total.costlier_calls, "call"), thousands(total.truncated));
        writeln!(
            out,
            "Cost more than they saved: {calls} of {cut} cut, of which models read back more than was left out"
        )?;
    }
    let requests = &savings.requests;
    if requests.requests > 0 {
        writeln!(
            out,
            "Through the proxy: {}, {} tokens taken out; input {} instead of {}, with the provider's cache: {} saved",
            counted(requests.requests, "request"),
            thousands(requests.taken_out_tokens),
            money(requests.cost_after),
            money(requests.cost_before),
            money(requests.cost_before - requests.cost_after),
        )?;
        if requests.costlier_requests > 0 {
            let costlier = counted(requests.costlier_requests, "request");
            writeln!(
                out,
                "  {costlier} cost more than unchanged: the cache behind a shortened result is written anew once"
            )?;
        }
    }
    let asked = &savings.extractions;
    if asked.total > 0 {
        let (input, output) = (thousands(asked.input_tokens), thousands(asked.output_tokens));
        writeln!(
            out,
            "Questions: {}, for which models read {input} tokens and wrote {output}",
            thousands(asked.total)
        )?;
    }
    Ok(())
}

/// A table of balances, those with the largest saving first.
fn table(
    heading: &'static str,
    balances: &BTreeMap<String, Balance>,
    total: Option<&Balance>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table =
        Table::new(&[heading, ">Calls", ">Cut", ">Tokens in", ">Not sent", ">Fetches", ">Fetched", ">Net", ">Share"]);
    let mut rows: Vec<_> = balances.iter().collect();
    rows.sort_by_key(|(_, balance)| std::cmp::Reverse(balance.net_tokens));
    for (name, balance) in rows {
        table.row([name.clone()].into_iter().chain(cells(balance)));
    }
    if let Some(total) = total {
        table.row(["total".to_owned()].into_iter().chain(cells(total)));
    }
    table.write(out)
}

fn cells(balance: &Balance) -> [String; 8] {
    let share = balance.net_tokens as f64 / (balance.original_tokens.max(1)) as f64;
    [
        thousands(balance.calls),
        thousands(balance.truncated),
        thousands(balance.original_tokens),
        thousands(balance.not_sent_tokens),
        thousands(balance.fetches),
        thousands(balance.fetched_tokens),
        signed(balance.net_tokens),
        format!("{:.1}%", share * 100.0),
    ]
}

fn signed(tokens: i64) -> String {
    let sign = if tokens < 0 { "-" } else { "" };
    format!("{sign}{}", thousands(tokens.unsigned_abs()))
}

fn money(dollars: f64) -> String {
    let sign = if dollars < 0.0 { "-" } else { "" };
    format!("{sign}${:.2}", dollars.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_said_as_one() {
        assert_eq!(
            (signed(-1200), money(-0.5), money(1.0)),
            ("-1,200".to_owned(), "-$0.50".to_owned(), "$1.00".to_owned())
        );
        let balance = Balance {
            calls: 1,
            truncated: 1,
            original_tokens: 900,
            not_sent_tokens: 800,
            fetches: 3,
            fetched_tokens: 1000,
            net_tokens: -200,
            costlier_calls: 1,
        };
        let by = BTreeMap::from([("bash".to_owned(), balance.clone())]);
        let savings = Savings {
            from_ms: Some(0),
            to_ms: Some(1),
            total: balance,
            by_agent: by.clone(),
            by_tool: by,
            ..Savings::default()
        };
        let mut out = Vec::new();
        write(&savings, None, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains(" -200  -22.2%\n"), "{text}");
        assert!(text.contains("Cost more than they saved: 1 call of 1 cut"), "{text}");
    }
}
