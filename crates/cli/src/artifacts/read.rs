//! `offcut artifacts show`, `grep` and `query`: reading back.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::Args;
use offcut::Call;
use offcut::event::Requester;
use offcut::recall::{RecallCounts, Request, Selector};
use offcut_core::limit::Unit;
use offcut_extract::{Aggregation, Measure, is_sql};

use crate::caller;
use crate::failure::{Failure, OTHER};
use crate::filter::CHUNK;
use crate::flags::PlaceFlags;
use crate::ranges::Span;
use crate::setup::{Setup, stored};

/// The tool whose limits a page keeps.
const SHELL: &str = "execute_command";

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The artifact's id as a notice gives it, or `last`
    id: String,
    /// Print only these lines, as a gap gives them: `200-260`; `b39-4983` are bytes
    #[arg(value_name = "FROM-TO", group = "part")]
    at: Option<String>,
    /// Print everything, also where the output is not a terminal; without it a pipe gets one page and the next call
    #[arg(long)]
    all: bool,
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
    /// The artifact's id as a notice gives it, or `last`
    id: String,
    /// The regular expression
    pattern: String,
    /// Print N lines before and after each match
    #[arg(long, short = 'C', value_name = "N", default_value_t = 0)]
    context: u64,
    /// Print at most N matches
    #[arg(long, short, value_name = "N")]
    max: Option<u64>,
    /// Print every match, also where the output is not a terminal; without it a pipe gets one page and the next call
    #[arg(long)]
    all: bool,
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
    /// The artifact's id as a notice gives it, or `last`
    id: String,
    /// The JSONPath: `$.items[?@.error].name`; or a small `SELECT level, count(*) FROM rows GROUP BY level`, over JSON,
    /// NDJSON, CSV and TSV. For counts and sums it may be left out, and means every record
    #[arg(required_unless_present_any = ["count", "group_by", "sum", "mean", "min", "max"])]
    path: Option<String>,
    /// Count the records that are selected, rather than print them
    #[arg(long)]
    count: bool,
    /// Count them by the values of this member or column; `user.id` is a member of a member
    #[arg(long, value_name = "KEY")]
    group_by: Option<String>,
    /// Add up the numbers of this member or column, by group
    #[arg(long, value_name = "KEY", group = "measure")]
    sum: Option<String>,
    /// Show the mean of these numbers
    #[arg(long, value_name = "KEY", group = "measure")]
    mean: Option<String>,
    /// Show the least of these numbers
    #[arg(long, value_name = "KEY", group = "measure")]
    min: Option<String>,
    /// Show the greatest of these numbers
    #[arg(long, value_name = "KEY", group = "measure")]
    max: Option<String>,
    /// How many groups are shown, the greatest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Skip the first N nodes
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with_all = ["count", "group_by", "measure"])]
    offset: u64,
    /// Print every node, also where the output is not a terminal; without it a pipe gets one page and the next call
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    place: PlaceFlags,
}

/// Prints an artifact, or a part of it.
pub(crate) fn show(args: &ShowArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    let selector = match (&args.at, args.lines, args.bytes, args.tail) {
        (Some(at), ..) => Selector::at(at)?,
        (_, Some(span), ..) => Selector::Lines { start: Some(span.first), end: span.last },
        (_, _, Some(span), _) => Selector::Bytes { start: Some(span.first), end: span.last },
        (.., Some(lines)) => Selector::Tail(lines),
        (None, None, None, None) => Selector::Whole,
    };
    // One that cannot be opened is told, and logged, by what reads it.
    let artifact = setup.offcut.recall().open(&args.id).ok();
    let info = artifact.as_ref().map(|artifact| artifact.info());
    let is_terminal = io::stdout().is_terminal();
    let binary = info.filter(|info| info.binary);
    if let Some(info) = binary.filter(|_| is_terminal) {
        let failure = Failure::other(format!("`{}` is {}, not text", args.id, info.media_type));
        return Err(failure.hint(format!("offcut artifacts export {} FILE{}", args.id, setup.place.suffix)));
    }
    if args.all || is_terminal || binary.is_some() {
        return print(&setup, &args.id, &selector).map(|_| ());
    }
    let lines = match selector {
        Selector::Lines { start, end } => Some(span(start.unwrap_or(1), end)),
        Selector::Bytes { start, end } => Some(format!("b{}", span(start.unwrap_or(0), end))),
        Selector::Tail(last) => Some(span(info.map_or(0, |info| info.extent.lines).saturating_sub(last) + 1, None)),
        Selector::Whole | Selector::Query { .. } | Selector::Pattern { .. } => None,
    };
    page(&setup, &Request { lines, ..Request::whole(&args.id) }).map(|_| ())
}

/// A span as an address writes it.
fn span(first: u64, last: Option<u64>) -> String {
    format!("{first}-{}", last.map(|last| last.to_string()).unwrap_or_default())
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
    if !args.all && !io::stdout().is_terminal() {
        let Selector::Pattern { pattern, context, max_matches, start, end } = selector else {
            return Ok(ExitCode::SUCCESS);
        };
        let request = Request {
            pattern: Some(pattern),
            context: (context > 0).then_some(context),
            max_matches: Some(max_matches.unwrap_or(u64::MAX)),
            start_line: start,
            end_line: end,
            ..Request::whole(&args.id)
        };
        let found = page(&setup, &request)?;
        return Ok(if found { ExitCode::SUCCESS } else { ExitCode::from(OTHER) });
    }
    let tally = print(&setup, &args.id, &selector)?;
    if tally.shown < tally.total {
        let message = format!("offcut: {} of {} matches shown; use --max to show more\n", tally.shown, tally.total);
        // The matches themselves are printed; a stderr that cannot be written is no reason to fail.
        let _ = io::stderr().write_all(message.as_bytes());
    }
    // As with any grep: 1 says that nothing was found.
    Ok(if tally.total == 0 { ExitCode::from(OTHER) } else { ExitCode::SUCCESS })
}

/// Prints the nodes that a JSONPath selects, or what is computed of them.
pub(crate) fn query(args: &QueryArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    if let Some(sql) = args.path.as_deref().filter(|path| is_sql(path)) {
        let aggregation = Aggregation::from_sql(sql).map_err(|error| Failure::usage(error.to_string()))?;
        return aggregate(&setup, args, None, aggregation);
    }
    if let Some(aggregation) = args.aggregation() {
        return aggregate(&setup, args, args.path.as_deref(), aggregation);
    }
    let path = args.path.clone().unwrap_or_default();
    if !args.all && !io::stdout().is_terminal() {
        let (query, offset) = (Some(path), (args.offset > 0).then_some(args.offset));
        return page(&setup, &Request { query, offset, ..Request::whole(&args.id) }).map(|_| ());
    }
    print(&setup, &args.id, &Selector::Query { path, offset: args.offset }).map(|_| ())
}

impl QueryArgs {
    /// What is to be computed, if anything.
    fn aggregation(&self) -> Option<Aggregation> {
        let measures = [
            (Measure::Sum, &self.sum),
            (Measure::Mean, &self.mean),
            (Measure::Min, &self.min),
            (Measure::Max, &self.max),
        ];
        let measure = measures.into_iter().find_map(|(measure, key)| Some((measure, key.as_deref()?)));
        let wanted = self.count || self.group_by.is_some() || measure.is_some();
        wanted.then(|| Aggregation::grouped(self.group_by.as_deref(), measure, self.top))
    }
}

/// Prints what is computed over the records, or the rows, of an artifact.
fn aggregate(setup: &Setup, args: &QueryArgs, path: Option<&str>, aggregation: Aggregation) -> Result<(), Failure> {
    let part = path.map_or(Selector::Whole, |path| Selector::Query { path: path.to_owned(), offset: 0 });
    allowed(setup, &args.id, &part)?;
    let table = offcut_extract::aggregate(&setup.offcut.recall().by(requester()), &args.id, path, aggregation)?;
    let mut out = io::stdout().lock();
    out.write_all(table.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints what `selector` selects, as it was stored.
fn print(setup: &Setup, id: &str, selector: &Selector) -> Result<RecallCounts, Failure> {
    allowed(setup, id, selector)?;
    let mut out = BufWriter::with_capacity(CHUNK, io::stdout().lock());
    let tally = setup.offcut.recall().by(requester()).write(id, selector, &mut out)?;
    out.flush()?;
    Ok(tally)
}

/// Prints one page of what is asked for and the next call, for a reader who takes no more at once; says whether there
/// was anything to print.
fn page(setup: &Setup, request: &Request) -> Result<bool, Failure> {
    allowed(setup, &request.id, &request.selector()?)?;
    let page = setup.offcut.recall().by(requester()).within(page_chars(setup)?).turn(request)?;
    let text = if page.next.is_some() { page.text() } else { page.body.clone() };
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if page.next.is_some() && !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(!page.body.is_empty())
}

/// Who reads: in the shell of a coding agent its model does.
fn requester() -> Requester {
    if caller::agent_name().is_some() { Requester::Model } else { Requester::User }
}

/// The most characters of a page: what an output of a shell is shown of, so that a page is not cut in its turn.
fn page_chars(setup: &Setup) -> Result<u64, Failure> {
    let plan = setup.offcut.policy().plan(&Call::new(SHELL))?;
    let sizes = plan.limits.each().iter().filter_map(|limit| match limit.unit() {
        Unit::Chars | Unit::Bytes => Some(limit.amount()),
        Unit::Tokens => Some(limit.amount().saturating_mul(2)),
        Unit::Lines => None,
    });
    Ok(sizes.min().unwrap_or(u64::MAX))
}

/// Refuses a part where only whole artifacts are given out.
fn allowed(setup: &Setup, id: &str, selector: &Selector) -> Result<(), Failure> {
    if *selector == Selector::Whole || setup.config.options.artifacts.enable_partial_retrieval != Some(false) {
        return Ok(());
    }
    let failure =
        Failure::usage("parts of artifacts cannot be read here: `artifacts.enable_partial_retrieval` is `false`");
    Err(failure.hint(format!("read all of it: offcut show {id} --all{}", setup.place.suffix)))
}
