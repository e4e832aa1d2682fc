//! `offcut stats`: what was cut, kept and fetched, from the history.

mod csv;
mod text;

use std::io::{self, BufWriter, IsTerminal, Write};

use clap::{Args, ValueEnum};
use offcut_core::causes::with_causes;
use offcut_history::{Bounds, GroupBy, History, HistoryError, Period};

use crate::duration;
use crate::failure::Failure;
use crate::flags::PlaceFlags;
use crate::setup;

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Print a row for each of these
    #[arg(long, value_enum)]
    pub(crate) by: Option<StatsBy>,
    /// Count only the last `24h` or `7d`, or since a date (`2026-11-01`)
    #[arg(long, value_name = "TIME", value_parser = duration::since)]
    pub(crate) since: Option<u64>,
    /// Print a JSON object
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values, a line a group
    #[arg(long)]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

/// What to group statistics by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsBy {
    /// The tool whose output it was
    Tool,
    /// The kind of content
    Kind,
    /// The strategy that was used
    Strategy,
    /// The coding agent
    Agent,
    /// The day (UTC)
    Day,
}

impl StatsBy {
    fn group_by(self) -> GroupBy {
        match self {
            StatsBy::Tool => GroupBy::Tool,
            StatsBy::Kind => GroupBy::Kind,
            StatsBy::Strategy => GroupBy::Strategy,
            StatsBy::Agent => GroupBy::Agent,
            StatsBy::Day => GroupBy::Day,
        }
    }

    fn heading(self) -> &'static str {
        match self {
            StatsBy::Tool => "~Tool",
            StatsBy::Kind => "~Kind",
            StatsBy::Strategy => "~Strategy",
            StatsBy::Agent => "~Agent",
            StatsBy::Day => "~Day",
        }
    }
}

/// Prints the statistics of the project's store.
pub(crate) fn stats(args: &StatsArgs) -> Result<(), Failure> {
    let history = history(&args.place)?;
    let period = Period { since_ms: args.since.unwrap_or(0) };
    let statistics = history.statistics(period, args.by.map(StatsBy::group_by))?;
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        serde_json::to_writer_pretty(&mut out, &statistics)?;
        writeln!(out)?;
    } else if args.csv {
        csv::write(&statistics, args.by, &mut out)?;
    } else {
        text::write(&statistics, args.by, io::stdout().is_terminal(), &mut out)?;
    }
    out.flush()?;
    Ok(())
}

/// The history of the project's store, with everything that was logged so far.
pub(crate) fn history(flags: &PlaceFlags) -> Result<History, Failure> {
    let (config, place) = setup::load(flags, None)?;
    let Some(directory) = place.log_directory() else {
        return Err(
            Failure::usage("no statistics are kept here: the store is `none`").hint("name one with `--store DIR`")
        );
    };
    let mut history = History::open(directory)?.bounded(Bounds::of(&config.options)?);
    history.refresh()?;
    Ok(history)
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Failure {
        Failure::other(with_causes(&error))
    }
}
