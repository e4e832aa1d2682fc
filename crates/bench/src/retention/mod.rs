//! `offcut bench retention`: conversations replayed request by request, with a bill of their own.

mod bill;
mod bodies;
mod talks;
mod texts;
mod ways;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use offcut_retain::prices::{Price, PriceList};
use offcut_retain::{Mode, RecallChannel, RetainOptions};
use serde::Serialize;

use crate::failure::Failure;
use crate::table::Table;
use bill::{Counter, Prompt, bill};
use talks::{Length, generated, recorded};
use ways::Replay;

/// What to replay, and what tokens cost.
#[derive(Debug, Args)]
pub(crate) struct RetentionArgs {
    /// Recorded conversations: request bodies, trajectories, or folders of them
    pub(crate) paths: Vec<PathBuf>,
    /// A file of prices to use instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Only this price; may be given several times [default: claude-sonnet, gpt-5 and gemini, or all of the file's]
    #[arg(long, value_name = "NAME")]
    pub(crate) price: Vec<String>,
    /// How many results keep-last keeps
    #[arg(long, value_name = "K", default_value_t = 5)]
    pub(crate) keep: usize,
    /// From how many tokens on Anthropic's clearing clears
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) clear_at: u64,
    /// How much may be spent ahead beyond cutting alone, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 0.5)]
    pub(crate) ahead: f64,
    /// How many conversations of each length are generated
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) generate: u64,
    /// What the generated ones begin from
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// A line for each conversation, not only the sums
    #[arg(long)]
    pub(crate) each: bool,
    /// As one JSON array of all conversations
    #[arg(long)]
    pub(crate) json: bool,
}

/// One conversation under one price: what it costs in each way, in dollars.
#[derive(Debug, Clone, Serialize)]
struct ConversationCost {
    conversation: String,
    #[serde(skip)]
    length: Length,
    price: String,
    pauses: bool,
    requests: usize,
    tokens: u64,
    never: f64,
    /// Large results cut when they come.
    cut: f64,
    /// Cut, and old results shortened when that pays.
    ours: f64,
    /// The window's rule at once, without the cut.
    strict: f64,
    /// All but the newest K, without the cut.
    keep_last: f64,
    /// Anthropic's clearing, without the cut.
    clearing: f64,
    /// Anthropic's clearing on our cut.
    cut_clearing: f64,
    /// Ours, had it known the end of the conversation and not been bound.
    oracle: f64,
    /// The most that the conversation had cost at any request, beside cutting alone until then.
    worst: f64,
}

/// Replays everything and prints what it would have cost; fails where ours costs more than it may.
pub(crate) fn retention(args: &RetentionArgs) -> Result<(), Failure> {
    let prices = prices(args.prices.as_deref())?;
    let mut talks = recorded(&args.paths)?;
    talks.extend(generated(args.seed, args.generate));
    let chosen = chosen(&prices, args)?;
    let mut rows = Vec::new();
    for talk in talks.iter().filter(|talk| !talk.turns.is_empty()) {
        let mut counter = Counter::default();
        let replay = Replay::of(talk, &mut counter)?;
        for price in &chosen {
            for pauses in [false, true] {
                if pauses && talk.length == Length::Recorded {
                    continue;
                }
                let row = row(&replay, price, &prices, pauses, args, &mut counter)?;
                rows.push(ConversationCost { conversation: talk.name.clone(), length: talk.length, ..row });
            }
        }
    }
    if rows.is_empty() {
        return Err(Failure::usage("there is no conversation to replay"));
    }
    if args.json {
        writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&rows)?)?;
    } else {
        print(&rows, &prices, args)?;
    }
    judge(&rows, args.ahead)
}

/// The prices in a file, or the built-in ones.
fn prices(file: Option<&Path>) -> Result<PriceList, Failure> {
    let Some(file) = file else { return Ok(PriceList::built_in()) };
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", file.display())))?;
    PriceList::read(&text).map_err(|error| Failure::usage(format!("`{}`: {error}", file.display())))
}

fn chosen<'p>(prices: &'p PriceList, args: &RetentionArgs) -> Result<Vec<&'p Price>, Failure> {
    let usual = ["claude-sonnet", "gpt-5", "gemini"].map(str::to_owned);
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

fn row(
    replay: &Replay,
    price: &Price,
    prices: &PriceList,
    pauses: bool,
    args: &RetentionArgs,
    counter: &mut Counter,
) -> Result<ConversationCost, Failure> {
    let cost = |prompts: &[Prompt]| bill(price, prompts).iter().sum::<f64>();
    let cut = bill(price, &replay.cut(pauses));
    let options = RetainOptions {
        mode: Mode::Pays,
        cut: true,
        channel: RecallChannel::Declared(String::new()),
        prices: prices.clone(),
        price: Some(price.name.clone()),
        ahead: (args.ahead * 100.0).round() as u64,
        ..RetainOptions::default()
    };
    let ours = bill(price, &replay.ours(options, pauses, counter)?);
    Ok(ConversationCost {
        conversation: String::new(),
        length: Length::Recorded,
        price: price.name.clone(),
        pauses,
        requests: replay.requests(),
        tokens: replay.tokens(),
        never: cost(&replay.never(pauses)),
        cut: cut.iter().sum(),
        ours: ours.iter().sum(),
        strict: cost(&replay.strict(pauses)),
        keep_last: cost(&replay.keep_last(args.keep, pauses, counter)),
        clearing: cost(&replay.clearing(args.clear_at, false, pauses, counter)),
        cut_clearing: cost(&replay.clearing(args.clear_at, true, pauses, counter)),
        oracle: cost(&replay.oracle(price, pauses)),
        worst: worst(&ours, &cut),
    })
}

/// The largest share that the one bill ever had of the other, request by request.
fn worst(ours: &[f64], alone: &[f64]) -> f64 {
    let (mut spent, mut budget) = (0.0, 0.0);
    let shares = ours.iter().zip(alone).map(|(ours, alone)| {
        (spent, budget) = (spent + ours, budget + alone);
        spent / budget
    });
    shares.fold(0.0, f64::max)
}

/// What a row says of one way.
type Dollars = fn(&ConversationCost) -> f64;

const WAYS: [(&str, Dollars); 7] = [
    ("cut", |row| row.cut),
    ("ours", |row| row.ours),
    ("oracle", |row| row.oracle),
    ("cut+clearing", |row| row.cut_clearing),
    ("clearing", |row| row.clearing),
    ("keep last", |row| row.keep_last),
    ("strict", |row| row.strict),
];

fn print(rows: &[ConversationCost], prices: &PriceList, args: &RetentionArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let heads = ["price", "conversations", "pauses", "count", "never"];
    let ways = WAYS.map(|(name, _)| name);
    let heads: Vec<&str> = heads.into_iter().chain(ways).chain(["ours/cut", "worst turn"]).collect();
    let mut table = Table::new(3, &heads);
    if args.each {
        for row in rows {
            table.row(cells(&row.conversation, &[row]));
        }
    }
    let mut groups: BTreeMap<(Length, &str, bool), Vec<&ConversationCost>> = BTreeMap::new();
    for row in rows {
        groups.entry((row.length, &row.price, row.pauses)).or_default().push(row);
    }
    for ((length, ..), rows) in &groups {
        let name = match length {
            Length::Short => "5-29 turns",
            Length::Long => "30-120 turns",
            Length::Recorded => "recorded",
        };
        table.row(cells(name, rows));
    }
    table.write(&mut out)?;
    writeln!(
        out,
        "Shares of the dollars that all conversations of a line cost without any shortening. `worst turn` is the most that \
         one of them had cost at any request, beside `cut` until then. Prices as of {}; tokens by o200k.",
        prices.as_of
    )?;
    Ok(())
}

fn cells(name: &str, rows: &[&ConversationCost]) -> Vec<String> {
    let sum = |way: fn(&ConversationCost) -> f64| rows.iter().map(|row| way(row)).sum::<f64>();
    let never = sum(|row| row.never);
    let share = |part: f64, whole: f64| format!("{:.3}", part / whole);
    let first = rows.first();
    let pauses = if first.is_some_and(|row| row.pauses) { "yes" } else { "no" };
    let worst = rows.iter().map(|row| row.worst).fold(0.0, f64::max);
    let mut cells = vec![first.map(|row| row.price.clone()).unwrap_or_default(), name.to_owned(), pauses.to_owned()];
    cells.extend([rows.len().to_string(), format!("${never:.2}")]);
    cells.extend(WAYS.map(|(_, way)| share(sum(way), never)));
    cells.extend([share(sum(|row| row.ours), sum(|row| row.cut)), format!("{worst:.4}")]);
    cells
}

/// The bar: at no request more than the bound dearer than cutting alone.
fn judge(rows: &[ConversationCost], ahead: f64) -> Result<(), Failure> {
    let dearer = rows.iter().filter(|row| row.worst > 1.0 + ahead / 100.0);
    let dearer: Vec<String> = dearer.map(|row| format!("{} ({})", row.conversation, row.price)).collect();
    if dearer.is_empty() {
        return Ok(());
    }
    let named = dearer.join(", ");
    Err(Failure::other(format!("more than {ahead} % dearer than cutting alone at some request: {named}")))
}
