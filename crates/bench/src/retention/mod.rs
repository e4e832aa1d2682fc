//! `offcut bench retention`: conversations replayed request by request against a price model.

mod talks;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use offcut_retain::CacheMarks;
use offcut_retain::plan::{Plan, Rules, UsagePattern, plan};
use offcut_retain::prices::{Price, PriceList};
use serde::Serialize;

use crate::failure::Failure;
use crate::table::Table;
use talks::{Talk, generated, recorded};

/// Conversations with more tokens must cost this share less.
const LONG: u64 = 100_000;
const SHARE: f64 = 0.30;

/// What to replay, and what tokens cost.
#[derive(Debug, Args)]
pub(crate) struct RetentionArgs {
    /// Recorded conversations: request bodies, trajectories, or folders of them
    pub(crate) paths: Vec<PathBuf>,
    /// A file of prices to use instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Only this price; may be given several times [default: claude-sonnet and gpt-5, or all of the file's]
    #[arg(long, value_name = "NAME")]
    pub(crate) price: Vec<String>,
    /// How many results keep-last-K keeps
    #[arg(long, value_name = "K", default_value_t = 5)]
    pub(crate) keep: u64,
    /// How many conversations of each length are generated
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) generate: u64,
    /// What the generated ones begin from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Before so many requests nothing is spent ahead of what was saved
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(crate) settled: u64,
    /// What is spent ahead must come back within this part of the requests so far
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) patience: u64,
    /// How much may ever be spent ahead, in thousandths of the cost of never shortening
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) lead: u64,
    /// As one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

/// One conversation under one price: dollars, and what each habit takes of them.
#[derive(Debug, Serialize)]
struct Row {
    conversation: String,
    price: String,
    requests: u64,
    tokens: u64,
    /// Dollars, had nothing ever been shortened.
    never: f64,
    /// The shares of that: the window's rule at once, all but the newest K at once, ours without the cut, ours.
    strict: f64,
    keep_last: f64,
    retention: f64,
    ours: f64,
    batches: u64,
}

/// Replays everything and prints what it would have cost; fails where ours costs more than it may.
pub(crate) fn retention(args: &RetentionArgs) -> Result<(), Failure> {
    let prices = prices(args.prices.as_deref())?;
    let mut talks = recorded(&args.paths)?;
    talks.extend(generated(args.seed, args.generate));
    let mut rows = Vec::new();
    for price in chosen(&prices, args)? {
        rows.extend(talks.iter().map(|talk| row(talk, price, args)));
    }
    if rows.is_empty() {
        return Err(Failure::usage("there is no conversation to replay"));
    }
    if args.json {
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&rows)?)?;
    } else {
        print(&rows, &prices)?;
    }
    judge(&rows)
}

/// The prices in a file, or the built-in ones.
fn prices(file: Option<&Path>) -> Result<PriceList, Failure> {
    let Some(file) = file else { return Ok(PriceList::built_in()) };
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", file.display())))?;
    PriceList::read(&text).map_err(|error| Failure::usage(format!("`{}`: {error}", file.display())))
}

fn chosen<'p>(prices: &'p PriceList, args: &RetentionArgs) -> Result<Vec<&'p Price>, Failure> {
    let usual = ["claude-sonnet".to_owned(), "gpt-5".to_owned()];
    let names: &[String] = match (args.price.as_slice(), &args.prices) {
        ([], None) => &usual,
        ([], Some(_)) => return Ok(prices.prices.iter().collect()),
        (names, _) => names,
    };
    let find = |name: &String| {
        prices.named(name).ok_or_else(|| {
            let known: Vec<&str> = prices.prices.iter().map(|price| price.name.as_str()).collect();
            Failure::usage(format!("unknown price `{name}`: expected one of {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

fn row(talk: &Talk, price: &Price, args: &RetentionArgs) -> Row {
    let tariff = price.tariff(CacheMarks { marked: true, long: false });
    let rules = Rules { settled: args.settled, patience: args.patience, lead: args.lead, ..Rules::new(tariff) };
    let uncut = Talk {
        pieces: talk.pieces.iter().map(|piece| offcut_retain::plan::Piece { tokens: piece.raw, ..*piece }).collect(),
        ..talk.clone()
    };
    let never = play(&uncut, &rules, UsagePattern::Never).spent;
    let share = |plan: &Plan| plan.spent as f64 / never as f64;
    let ours = play(talk, &rules, UsagePattern::Pays);
    Row {
        conversation: talk.name.clone(),
        price: price.name.clone(),
        requests: talk.turn_at.len() as u64,
        tokens: talk.tokens(),
        never: never as f64 / 1e12,
        strict: share(&play(&uncut, &rules, UsagePattern::Window)),
        keep_last: share(&play(&uncut, &rules, UsagePattern::KeepLast(args.keep))),
        retention: share(&play(&uncut, &rules, UsagePattern::Pays)),
        ours: share(&ours),
        batches: ours.batches,
    }
}

fn play(talk: &Talk, rules: &Rules, habit: UsagePattern) -> Plan {
    let cold: BTreeSet<u64> = (0..)
        .zip(&talk.pauses)
        .filter(|(_, pause)| **pause * 1000 > rules.tariff.lifetime_ms)
        .map(|(request, _)| request)
        .collect();
    plan(&talk.pieces, &talk.turn_at, &cold, rules, habit)
}

fn print(rows: &[Row], prices: &PriceList) -> Result<(), Failure> {
    let mut table = Table::new(
        2,
        &["conversation", "price", "requests", "tokens", "never", "strict", "keep last", "uncut", "ours", "batches"],
    );
    let percent = |share: f64| format!("{:.1}%", share * 100.0);
    for row in rows {
        table.row([
            row.conversation.clone(),
            row.price.clone(),
            row.requests.to_string(),
            row.tokens.to_string(),
            format!("${:.4}", row.never),
            percent(row.strict),
            percent(row.keep_last),
            percent(row.retention),
            percent(row.ours),
            row.batches.to_string(),
        ]);
    }
    let mut out = io::stdout().lock();
    table.write(&mut out)?;
    let long: Vec<&Row> = rows.iter().filter(|row| row.tokens > LONG).collect();
    let mean = |rows: &[&Row], share: fn(&Row) -> f64| {
        rows.iter().map(|row| share(row)).sum::<f64>() / rows.len().max(1) as f64
    };
    for (name, rows) in [("all", rows.iter().collect::<Vec<_>>()), ("over 100,000 tokens", long)] {
        writeln!(
            out,
            "{name}: {} replays; mean cost of never shortening: strict {}, keep last {}, ours uncut {}, ours {}",
            rows.len(),
            percent(mean(&rows, |row| row.strict)),
            percent(mean(&rows, |row| row.keep_last)),
            percent(mean(&rows, |row| row.retention)),
            percent(mean(&rows, |row| row.ours)),
        )?;
    }
    writeln!(
        out,
        "Prices as of {}. Ours cuts results over 8,000 characters when they come, Uncut does not.",
        prices.as_of
    )?;
    Ok(())
}

/// The two bars.
fn judge(rows: &[Row]) -> Result<(), Failure> {
    let dearer: Vec<&str> = rows.iter().filter(|row| row.ours > 1.0).map(|row| row.conversation.as_str()).collect();
    if !dearer.is_empty() {
        return Err(Failure::other(format!("dearer than never shortening: {}", dearer.join(", "))));
    }
    let long = rows.iter().filter(|row| row.tokens > LONG && row.ours > 1.0 - SHARE);
    let long: Vec<&str> = long.map(|row| row.conversation.as_str()).collect();
    if !long.is_empty() {
        return Err(Failure::other(format!("less than 30% saved on a long conversation: {}", long.join(", "))));
    }
    Ok(())
}
