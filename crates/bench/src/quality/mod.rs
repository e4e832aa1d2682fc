//! `offcut bench quality`: how much of what a model needs a cut still shows, and what it spends its room on.

mod baselines;
mod measure;
mod parses;
mod print;
mod score;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use offcut_core::limit::{Limits, Unit};
use serde::Serialize;

use crate::corpus;
use crate::failure::Failure;
use crate::split::Split;
use baselines::Baseline;
use measure::ItemResult;
use score::{Scores, Shares};

/// A corpus and how to cut it.
#[derive(Debug, Args)]
pub(crate) struct QualityArgs {
    /// A folder with a manifest.jsonl: one item a line, with the needles that a reader needs
    dir: PathBuf,
    /// How much may be shown of an item
    #[arg(long, short, value_name = "LIMIT", default_value = "8000")]
    limit: Limits,
    /// The cuts to compare with: `all`, `none`, or names separated by commas
    #[arg(long, value_name = "NAMES", default_value = "none")]
    baselines: String,
    #[command(flatten)]
    split: Split,
    /// Also score the projects (or tools) in this many parts, each by itself
    #[arg(long, value_name = "N")]
    folds: Option<u64>,
    /// A line for each project (or tool) too
    #[arg(long)]
    groups: bool,
    /// A line for each item too, and what it misses
    #[arg(long)]
    per_item: bool,
    /// As one JSON object
    #[arg(long)]
    json: bool,
    /// Fail if a score is below this file's (a JSON object: kind to least recall, `all` for the whole)
    #[arg(long, value_name = "FILE")]
    ratchet: Option<PathBuf>,
}

/// All that was measured.
#[derive(Debug, Serialize)]
struct Measured {
    corpus: String,
    limit: String,
    policies: Vec<Scores>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<ItemResult>>,
}

/// Runs the corpus through our cut and the baselines, and prints the scores.
pub(crate) fn quality(args: &QualityArgs) -> Result<(), Failure> {
    let items = args.split.of(corpus::read(&args.dir, args.split.kind.as_deref())?)?;
    if items.is_empty() {
        return Err(Failure::usage("the corpus has no items of that kind"));
    }
    let limit = args.limit.of(Unit::Chars).unwrap_or(measure::LARGE);
    let shares = Shares { by: args.split.by, groups: args.groups, folds: args.folds };
    let own = measure::own_rows(&items, &args.limit)?;
    let mut policies = vec![Scores::of("offcut", &own, &shares)];
    for baseline in wanted(&args.baselines)? {
        policies.push(Scores::of(baseline.name, &measure::baseline_rows(&items, baseline, limit), &shares));
    }
    let corpus = args.dir.display().to_string();
    let items = args.per_item.then_some(own);
    let measured = Measured { corpus, limit: args.limit.to_string(), policies, items };
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&measured)?)?;
    } else {
        print::print(&mut out, &measured)?;
    }
    match (&args.ratchet, measured.policies.first()) {
        (Some(file), Some(own)) => hold(file, own),
        _ => Ok(()),
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

/// Fails where a score fell below what the file holds it to.
fn hold(file: &Path, own: &Scores) -> Result<(), Failure> {
    let text = fs::read_to_string(file)
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
