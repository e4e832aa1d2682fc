//! `offcut retain < conversation.json`: old tool results leave the conversation, not the world.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use offcut::options::Options;
use offcut_core::retention::Retention;
use offcut_retain::prices::PriceList;
use offcut_retain::{Format, Mode, RequestFacts, RetainOptions, RetainReport, Retainer, Rewritten};

use crate::failure::{Failure, while_doing};
use crate::flags::PlaceFlags;
use crate::setup::Setup;
use crate::table::{counted, thousands};

/// The largest conversation that is read.
const LARGEST: u64 = 1 << 30;

const EXAMPLES: &str = "\
Examples:
  offcut retain < request.json > shorter.json
  offcut retain --turn 7 --report report.json < conversation.json
  offcut retain --pays --price gpt-5 < request.json
  offcut trace art_1699234567890_a1b2c3d4e5f60718

The conversation is the body of a request to Anthropic's Messages, OpenAI's Chat
Completions or Responses, or a list of neutral messages. Tool results that are
two turns old or more are shortened to their first 3 lines and a line that names
their trace; each is kept whole. All other bytes are printed unchanged. A
conversation that cannot be read is printed unchanged, with exit code 1.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RetainArgs {
    /// The current turn [default: the last one in the conversation]
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<u64>,
    /// Always shorten, even if the result gets longer or cannot be kept
    #[arg(long, conflicts_with = "pays")]
    pub(crate) strict: bool,
    /// Shorten only when it saves money, given the provider's prompt cache and prices
    #[arg(long)]
    pub(crate) pays: bool,
    /// The format of the conversation: auto, anthropic, openai-chat, openai-responses or neutral
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = format)]
    pub(crate) format: Shape,
    /// Keep results whole for N turns [default: `retention.window`]
    #[arg(long, value_name = "N")]
    pub(crate) window: Option<u64>,
    /// Keep the first N lines of a shortened result [default: `retention.lines`]
    #[arg(long, value_name = "N")]
    pub(crate) lines: Option<u64>,
    /// Never shorten the results of this tool; can be given several times
    #[arg(long, value_name = "TOOL")]
    pub(crate) protect: Vec<String>,
    /// Write what was shortened, tokens before and after, and cost to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Use the prices in this file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Use this price [default: by the model]
    #[arg(long, value_name = "NAME")]
    pub(crate) price: Option<String>,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

/// A shape, or none: then it is recognised.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape(Option<Format>);

fn format(name: &str) -> Result<Shape, String> {
    match name {
        "auto" => Ok(Shape(None)),
        name => name.parse().map(|format| Shape(Some(format))),
    }
}

/// Reads a conversation from stdin and prints it with its old results shortened. Whatever goes wrong, what was read
/// is printed.
pub(crate) fn retain(args: &RetainArgs) -> Result<ExitCode, Failure> {
    let mut body = Vec::new();
    let read = io::stdin().lock().take(LARGEST + 1).read_to_end(&mut body);
    let rewritten = match read {
        Ok(_) if body.len() as u64 > LARGEST => Err(Failure::other("the conversation is larger than 1 GB")),
        Ok(_) => rewrite(&body, args),
        Err(error) => Err(while_doing("read all of stdin")(error)),
    };
    let mut out = io::stdout().lock();
    match rewritten {
        Ok((rewritten, degraded)) => {
            out.write_all(rewritten.body.as_deref().map_or(body.as_slice(), str::as_bytes))?;
            out.flush()?;
            tell(&rewritten.report, degraded, args)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(failure) => {
            out.write_all(&body)?;
            // The part that was too much to hold passes as it comes.
            io::copy(&mut io::stdin().lock(), &mut out)?;
            out.flush()?;
            Err(failure)
        }
    }
}

/// The conversation with its old results shortened, and the mistakes that it was made in spite of.
fn rewrite(body: &[u8], args: &RetainArgs) -> Result<(Rewritten, Vec<String>), Failure> {
    let setup = Setup::for_one_output(&args.place, None)?;
    let mode = if args.pays { Mode::Pays } else { Mode::Window };
    let configured = RetainOptions::of(&setup.config.options)?;
    let retention = Retention {
        window: args.window.unwrap_or(configured.retention.window),
        lines: args.lines.unwrap_or(configured.retention.lines),
        strict: args.strict,
        ..configured.retention
    };
    let prices = prices(args.prices.as_deref(), &setup.config.options)?;
    if let Some(name) = args.price.as_deref().filter(|name| prices.named(name).is_none()) {
        let known: Vec<&str> = prices.prices.iter().map(|price| price.name.as_str()).collect();
        return Err(Failure::usage(format!("unknown price `{name}`: expected one of {}", known.join(", "))));
    }
    let options = RetainOptions {
        retention,
        mode,
        cut: false,
        protected: args.protect.iter().chain(&configured.protected).cloned().collect(),
        prices,
        price: args.price.clone(),
        ..configured
    };
    let facts = RequestFacts { format: args.format.0, turn: args.turn, now_ms: None };
    let rewritten = Retainer::new(options).rewrite(&setup.offcut.keeping_once(), body, &facts);
    let rewritten =
        rewritten.map_err(|unread| Failure::other(format!("the conversation is printed unchanged: {unread}")))?;
    Ok((rewritten, setup.config.problems.reasons()))
}

/// The prices in a file that is named here or by `retention.prices`, or the built-in ones.
pub(crate) fn prices(file: Option<&Path>, options: &Options) -> Result<PriceList, Failure> {
    let configured = options.retention.prices.as_deref().map(Path::new);
    let Some(file) = file.or(configured) else { return Ok(PriceList::built_in()) };
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", file.display())))?;
    PriceList::read(&text).map_err(|error| Failure::usage(format!("`{}`: {error}", file.display())))
}

/// Tells what was done: in the file that is asked for, and on stderr what went wrong.
fn tell(report: &RetainReport, degraded: Vec<String>, args: &RetainArgs) -> Result<(), Failure> {
    if let Some(file) = &args.report {
        let mut json = serde_json::to_value(report)?;
        if !degraded.is_empty() {
            json["degraded"] = degraded.into();
        }
        fs::write(file, format!("{json:#}\n")).map_err(while_doing(format!("write `{}`", file.display())))?;
        let line = format!(
            "offcut: {} shortened, {} to {} tokens\n",
            counted(report.changes.len() as u64, "result"),
            thousands(report.tokens_before),
            thousands(report.tokens_after)
        );
        // The report is written; that this was not told is no reason to fail.
        let _ = io::stderr().write_all(line.as_bytes());
    }
    for skipped in &report.skipped {
        let _ = io::stderr().write_all(format!("offcut: result {}: {}\n", skipped.result, skipped.why).as_bytes());
    }
    Ok(())
}
