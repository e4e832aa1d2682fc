//! Measuring what a model still sees (`quality`), which step of a log failed (`steps`), what a search finds
//! (`search`), and what conversations cost (`retention`).
//!
//! A program of its own, so that neither the shipped binary nor its tests carry the measurements. `offcut bench` runs
//! it where it stands beside `offcut`.

mod failure;
mod table;

mod corpus;
mod split;

mod quality;

mod steps;

mod questions;
mod search;

mod retention;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// Measures how much of what a model needs is still shown.
#[derive(Debug, Parser)]
#[command(name = "offcut-bench", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What to measure.
#[derive(Debug, Subcommand)]
enum Command {
    /// How much of what a model needs is still shown, by kind, beside the cuts of today's agents
    Quality(quality::QualityArgs),
    /// How many logs name the step that failed, whether the reason lies inside it, and how large it is
    Steps(steps::StepsArgs),
    /// How often a search finds what a description of it means, beside head, tail and a grep for its first word
    Search(search::SearchArgs),
    /// What conversations would have cost with old results shortened, beside never, at once, and all but the newest
    Retention(retention::RetentionArgs),
}

fn main() -> ExitCode {
    match run(&Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(),
    }
}

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Quality(args) => quality::quality(args),
        Command::Steps(args) => steps::steps(args),
        Command::Search(args) => search::search(args),
        Command::Retention(args) => retention::retention(args),
    }
}
