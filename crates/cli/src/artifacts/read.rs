//! `offcut artifacts show`, `grep` and `query`: reading back.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::Args;
use offcut::recall::{Selector, Tally};

use super::{id_of, stored};
use crate::failure::{Failure, OTHER};
use crate::filter::CHUNK;
use crate::flags::PlaceFlags;
use crate::ranges::Span;
use crate::setup::Setup;

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The artifact's id, or `last`
    id: String,
    /// Print only these lines, counted from 1: `200-260`, `200-`, `200`
    #[arg(long, value_name = "A-B", group = "part")]
    lines: Option<Span>,
    /// Print only these bytes, counted from 0, end not included: `0-10240`
    #[arg(long, value_name = "A-B", group = "part")]
    bytes: Option<Span>,
    /// Print only the last N lines
    #[arg(long, value_name = "N", group = "part")]
    tail: Option<u64>,
    #[command(flatten)]
    place: PlaceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct GrepArgs {
    /// The artifact's id, or `last`
    id: String,
    /// The regular expression
    pattern: String,
    /// Print N lines before and after each match
    #[arg(long, short = 'C', value_name = "N", default_value_t = 0)]
    context: u64,
    /// Print at most N matches
    #[arg(long, short, value_name = "N")]
    max: Option<u64>,
    /// Ignore case
    #[arg(long, short)]
    ignore_case: bool,
    /// Search only these lines: `200-260`, `200-`
    #[arg(long, value_name = "A-B")]
    lines: Option<Span>,
    #[command(flatten)]
    place: PlaceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// The artifact's id, or `last`
    id: String,
    /// The JSONPath: `$.items[?@.error].name`
    path: String,
    /// Skip the first N nodes
    #[arg(long, value_name = "N", default_value_t = 0)]
    offset: u64,
    #[command(flatten)]
    place: PlaceFlags,
}

/// Prints an artifact, or a part of it.
pub(crate) fn show(args: &ShowArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    let selector = match (args.lines, args.bytes, args.tail) {
        (Some(span), _, _) => Selector::Lines { start: Some(span.first), end: span.last },
        (_, Some(span), _) => Selector::Bytes { start: Some(span.first), end: span.last },
        (_, _, Some(lines)) => Selector::Tail(lines),
        (None, None, None) => Selector::Whole,
    };
    if io::stdout().is_terminal() {
        let recall = setup.offcut.recall();
        let artifact = recall.open(&id_of(&recall, &args.id)?)?;
        if artifact.info().binary {
            let failure = Failure::other(format!("`{}` is {}, not text", args.id, artifact.info().media_type));
            return Err(failure.hint(format!("offcut artifacts export {} FILE{}", args.id, setup.place.suffix)));
        }
    }
    print(&setup, &args.id, &selector).map(|_| ())
}

/// Prints matching lines; exits with 1 where there are none.
pub(crate) fn grep(args: &GrepArgs) -> Result<ExitCode, Failure> {
    let setup = stored(&args.place)?;
    let pattern = if args.ignore_case { format!("(?i){}", args.pattern) } else { args.pattern.clone() };
    let selector = Selector::Pattern {
        pattern,
        context: args.context,
        max_matches: args.max,
        start: args.lines.map(|span| span.first),
        end: args.lines.and_then(|span| span.last),
    };
    let tally = print(&setup, &args.id, &selector)?;
    if tally.shown < tally.total {
        let message = format!("offcut: {} of {} matches shown; use --max to show more\n", tally.shown, tally.total);
        // The matches themselves are printed; a stderr that cannot be written is no reason to fail.
        let _ = io::stderr().write_all(message.as_bytes());
    }
    // As with any grep: 1 says that nothing was found.
    Ok(if tally.total == 0 { ExitCode::from(OTHER) } else { ExitCode::SUCCESS })
}

/// Prints the nodes that a JSONPath selects.
pub(crate) fn query(args: &QueryArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    print(&setup, &args.id, &Selector::Query { path: args.path.clone(), offset: args.offset }).map(|_| ())
}

/// Prints what `selector` selects, as it was stored.
fn print(setup: &Setup, id: &str, selector: &Selector) -> Result<Tally, Failure> {
    if *selector != Selector::Whole && setup.config.options.artifacts.enable_partial_retrieval == Some(false) {
        let failure =
            Failure::usage("parts of artifacts cannot be read here: `artifacts.enable_partial_retrieval` is `false`");
        return Err(failure.hint(format!("read all of it: offcut artifacts show {id}{}", setup.place.suffix)));
    }
    let recall = setup.offcut.recall();
    let mut out = BufWriter::with_capacity(CHUNK, io::stdout().lock());
    let tally = recall.write(&id_of(&recall, id)?, selector, &mut out)?;
    out.flush()?;
    Ok(tally)
}
