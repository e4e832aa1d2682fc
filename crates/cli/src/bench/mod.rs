//! Measuring what a model still sees (`offcut bench quality`), what a search finds (`offcut bench search`), and what
//! conversations cost (`offcut bench retention`).

mod baselines;
mod corpus;
mod parses;
mod quality;
mod retention;
mod retention_talks;
mod search;

use clap::{Args, Subcommand};
use offcut::core::limit::Limits;
use std::path::PathBuf;

use crate::failure::Failure;

/// What to measure.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// How much of what a model needs is still shown, by kind, beside the cuts of today's agents
    Quality(QualityArgs),
    /// How often a search finds what a description of it means, beside head, tail and a grep for its first word
    Search(search::SearchArgs),
    /// What conversations would have cost with old results shortened, beside never, at once, and all but the newest
    Retention(retention::RetentionArgs),
}

/// A corpus and how to cut it.
#[derive(Debug, Args)]
pub(crate) struct QualityArgs {
    /// A folder with a manifest.jsonl: one item a line, with the needles that a reader needs
    pub(crate) dir: PathBuf,
    /// How much may be shown of an item
    #[arg(long, short, value_name = "LIMIT", default_value = "8000")]
    pub(crate) limit: Limits,
    /// The cuts to compare with: `all`, `none`, or names separated by commas
    #[arg(long, value_name = "NAMES", default_value = "none")]
    pub(crate) baselines: String,
    /// Only items of these kinds, separated by commas
    #[arg(long, value_name = "KINDS")]
    pub(crate) kind: Option<String>,
    /// A line for each item too
    #[arg(long)]
    pub(crate) per_item: bool,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail if a score is below this file's (a JSON object: kind to least recall, `all` for the whole)
    #[arg(long, value_name = "FILE")]
    pub(crate) ratchet: Option<PathBuf>,
}

/// Runs a benchmark.
pub(crate) fn bench(command: &BenchCommand) -> Result<(), Failure> {
    match command {
        BenchCommand::Quality(args) => quality::quality(args),
        BenchCommand::Search(args) => search::search(args),
        BenchCommand::Retention(args) => retention::retention(args),
    }
}
