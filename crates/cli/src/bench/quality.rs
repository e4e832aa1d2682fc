//! `offcut bench quality`: needles kept, by kind, for tokens shown.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Instant;

use offcut::core::limit::Unit;
use offcut::core::text;
use offcut::options::Options;
use offcut::{Call, Offcut};
use serde::Serialize;

use super::QualityArgs;
use super::baselines::{self, Baseline};
use super::corpus::{self, Found, Item};
use super::parses::parses;
use crate::failure::Failure;

/// Items up to this size fit anyway and say nothing about a cut.
const LARGE: u64 = 8000;

/// What one cut did with one item.
#[derive(Debug, Clone)]
struct Row {
    id: String,
    kind: String,
    found: Found,
    tokens: f64,
    raw_tokens: f64,
    parses: Option<bool>,
    micros: u128,
}

/// What one cut did with many items.
#[derive(Debug, Clone, Serialize)]
struct Score {
    items: usize,
    /// The mean over items of kept weight ÷ weight.
    recall: f64,
    /// The share of weight-3 needles that is kept.
    critical: f64,
    /// Items that keep no weight-3 needle although they have one.
    lost: usize,
    /// The mean size of what is shown, in tokens of four characters.
    tokens: f64,
    /// The share of tokens that is not shown.
    saved: f64,
    /// The share of structured items whose cut parses.
    #[serde(skip_serializing_if = "Option::is_none")]
    parseable: Option<f64>,
    /// The mean time of a cut, in milliseconds.
    milliseconds: f64,
}

/// A policy's scores: the whole, and by kind.
#[derive(Debug, Serialize)]
struct Scores {
    policy: String,
    all: Option<Score>,
    kinds: BTreeMap<String, Score>,
}

/// Runs the corpus through our cut and the baselines, and prints the scores.
pub(crate) fn quality(args: &QualityArgs) -> Result<(), Failure> {
    let items = corpus::read(&args.dir, args.kind.as_deref())?;
    if items.is_empty() {
        return Err(Failure::usage("the corpus has no items of that kind"));
    }
    let limit = args.limit.of(Unit::Chars).unwrap_or(LARGE);
    let mut scores = Vec::new();
    let own = own_rows(&items, args)?;
    if args.per_item {
        print_items(&own)?;
    }
    scores.push(Scores::of("offcut", &own));
    for baseline in wanted(&args.baselines)? {
        scores.push(Scores::of(baseline.name, &baseline_rows(&items, baseline, limit)));
    }
    if args.json {
        let json = serde_json::to_string_pretty(&scores).map_err(|error| Failure::other(error.to_string()))?;
        writeln!(io::stdout(), "{json}")?;
    } else {
        print(&scores)?;
    }
    match (&args.ratchet, scores.first()) {
        (Some(file), Some(own)) => hold(file, own),
        _ => Ok(()),
    }
}

fn own_rows(items: &[Item], args: &QualityArgs) -> Result<Vec<Row>, Failure> {
    let offcut = Offcut::builder().options(Options::default()).in_memory().build()?;
    let mut rows = Vec::new();
    for item in items {
        let call = Call::new(&item.tool).arguments(&item.command).limits(args.limit.clone());
        let started = Instant::now();
        let reply = offcut.process(call, &item.bytes)?;
        let micros = started.elapsed().as_micros();
        rows.push(row(item, &reply.text, micros));
    }
    Ok(rows)
}

fn baseline_rows(items: &[Item], baseline: &Baseline, limit: u64) -> Vec<Row> {
    let cut = |item: &Item| {
        let output = String::from_utf8_lossy(&item.bytes);
        let started = Instant::now();
        let shown = baseline.cut(&output, &item.tool, limit);
        let micros = started.elapsed().as_micros();
        row(item, &shown, micros)
    };
    items.iter().map(cut).collect()
}

fn row(item: &Item, shown: &str, micros: u128) -> Row {
    let raw = String::from_utf8_lossy(&item.bytes);
    Row {
        id: item.id.clone(),
        kind: item.kind.clone(),
        found: item.found(shown),
        tokens: text::chars(shown) as f64 / 4.0,
        raw_tokens: text::chars(&raw) as f64 / 4.0,
        parses: parses(&item.content_type, shown),
        micros,
    }
}

fn wanted(names: &str) -> Result<Vec<&'static Baseline>, Failure> {
    match names {
        "none" | "" => Ok(Vec::new()),
        "all" => Ok(baselines::ALL.iter().collect()),
        names => names
            .split(',')
            .map(|name| {
                baselines::ALL.iter().find(|known| known.name == name.trim()).ok_or_else(|| {
                    let known: Vec<&str> = baselines::ALL.iter().map(|known| known.name).collect();
                    Failure::usage(format!("unknown baseline `{name}`"))
                        .hint(format!("expected `all`, `none`, or some of {}", known.join(", ")))
                })
            })
            .collect(),
    }
}

impl Scores {
    /// Scores over the items that are large enough to be cut.
    fn of(policy: &str, rows: &[Row]) -> Scores {
        let large: Vec<&Row> = rows.iter().filter(|row| row.raw_tokens * 4.0 > LARGE as f64).collect();
        let mut by_kind: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
        for row in &large {
            by_kind.entry(row.kind.clone()).or_default().push(row);
        }
        let kinds = by_kind.into_iter().filter_map(|(kind, rows)| Some((kind, Score::of(&rows)?))).collect();
        Scores { policy: policy.to_owned(), all: Score::of(&large), kinds }
    }
}

impl Score {
    fn of(rows: &[&Row]) -> Option<Score> {
        let parsed: Vec<bool> = rows.iter().filter_map(|row| row.parses).collect();
        let rows: Vec<&&Row> = rows.iter().filter(|row| row.found.weight > 0).collect();
        let count = rows.len() as f64;
        if rows.is_empty() {
            return None;
        }
        let sum = |value: &dyn Fn(&Row) -> f64| rows.iter().map(|row| value(row)).sum::<f64>();
        let critical = sum(&|row| row.found.critical as f64);
        Some(Score {
            items: rows.len(),
            recall: sum(&|row| row.found.kept_weight as f64 / row.found.weight as f64) / count,
            critical: if critical > 0.0 { sum(&|row| row.found.kept_critical as f64) / critical } else { 1.0 },
            lost: rows.iter().filter(|row| row.found.critical > 0 && row.found.kept_critical == 0).count(),
            tokens: sum(&|row| row.tokens) / count,
            saved: 1.0 - sum(&|row| row.tokens) / sum(&|row| row.raw_tokens),
            parseable: (!parsed.is_empty())
                .then(|| parsed.iter().filter(|parsed| **parsed).count() as f64 / parsed.len() as f64),
            milliseconds: sum(&|row| row.micros as f64) / count / 1000.0,
        })
    }
}

fn print(scores: &[Scores]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let title = ["kind", "policy", "items", "recall", "weight-3", "lost", "tokens", "saved", "parses", "ms"];
    writeln!(
        out,
        "{:<11} {:<12} {:>5} {:>7} {:>8} {:>5} {:>8} {:>7} {:>7} {:>8}",
        title[0], title[1], title[2], title[3], title[4], title[5], title[6], title[7], title[8], title[9]
    )?;
    let kinds: Vec<&String> = scores.first().map(|own| own.kinds.keys().collect()).unwrap_or_default();
    for kind in std::iter::once(None).chain(kinds.into_iter().map(Some)) {
        for policy in scores {
            let score = match kind {
                None => policy.all.as_ref(),
                Some(kind) => policy.kinds.get(kind),
            };
            let Some(score) = score else { continue };
            let parses = score.parseable.map_or("-".to_owned(), |share| format!("{share:.2}"));
            writeln!(
                out,
                "{:<11} {:<12} {:>5} {:>7.3} {:>8.3} {:>5} {:>8.0} {:>6.1}% {:>7} {:>8.2}",
                kind.map_or("all", String::as_str),
                policy.policy,
                score.items,
                score.recall,
                score.critical,
                score.lost,
                score.tokens,
                score.saved * 100.0,
                parses,
                score.milliseconds
            )?;
        }
    }
    let named = |name: &str| baselines::ALL.iter().find(|known| known.name == name);
    for baseline in scores.iter().filter_map(|policy| named(&policy.policy)) {
        writeln!(out, "{}: {}", baseline.name, baseline.about)?;
    }
    Ok(())
}

fn print_items(rows: &[Row]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for row in rows.iter().filter(|row| row.found.weight > 0) {
        let Found { weight, kept_weight, critical, kept_critical } = row.found;
        writeln!(
            out,
            "{:<40} {:<10} {kept_weight}/{weight} weight-3 {kept_critical}/{critical} {:.0} tokens",
            row.id, row.kind, row.tokens
        )?;
    }
    Ok(())
}

/// Fails where a score fell below what the file holds it to.
fn hold(file: &std::path::Path, own: &Scores) -> Result<(), Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", file.display())))?;
    let least: BTreeMap<String, f64> =
        serde_json::from_str(&text).map_err(|error| Failure::usage(format!("`{}`: {error}", file.display())))?;
    for (kind, least) in least {
        let score = if kind == "all" { own.all.as_ref() } else { own.kinds.get(&kind) };
        let recall = score.map_or(0.0, |score| score.recall);
        if recall < least {
            return Err(Failure::other(format!(
                "recall of {kind} fell to {recall:.3}; the ratchet holds it at {least}"
            )));
        }
    }
    Ok(())
}
