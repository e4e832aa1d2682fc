//! `offcut bench steps`: how many logs name the step that failed, and whether the reason lies inside it.

use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use offcut_core::document::{Document, TextDocument};
use offcut_core::line::steps::StepFinder;
use serde::Serialize;

use crate::corpus::{self, Item};
use crate::failure::Failure;
use crate::split::Split;

/// A corpus of logs with the reason of each failure marked.
#[derive(Debug, Args)]
pub(crate) struct StepsArgs {
    /// A folder with a manifest.jsonl: one log a line, with the `block_chars` of the reason
    dir: PathBuf,
    #[command(flatten)]
    split: Split,
    /// A line for each log too
    #[arg(long)]
    per_item: bool,
    /// As one JSON object
    #[arg(long)]
    json: bool,
}

/// What the steps of many logs tell.
#[derive(Debug, Default, Serialize)]
struct StepTotals {
    logs: u32,
    /// Logs that name a step that failed.
    named: u32,
    /// Of those, the logs whose marked reason begins inside it.
    inside: u32,
    /// Of those, the logs in which it takes at most 7,500 bytes.
    fits: u32,
    /// Its mean share of the log.
    share: f64,
}

/// Finds the steps of all logs of a corpus, and prints what they tell.
pub(crate) fn steps(args: &StepsArgs) -> Result<(), Failure> {
    let items = args.split.of(corpus::read(&args.dir, args.split.kind.as_deref())?)?;
    let mut out = io::stdout().lock();
    let mut told = StepTotals::default();
    for item in items.iter().filter(|item| !item.before_blocks().is_empty()) {
        told.logs += 1;
        let document = TextDocument::new(corpus::plain(&String::from_utf8_lossy(&item.bytes)));
        let failed = failed(&document)?;
        let size: u64 = failed.iter().map(|step| step.end - step.start).sum();
        let inside = reason_is_inside(item, &failed);
        if !failed.is_empty() {
            told.named += 1;
            told.inside += u32::from(inside);
            told.fits += u32::from(size <= 7500);
            told.share += size as f64 / document.extent().bytes.max(1) as f64;
        }
        if args.per_item && !args.json {
            let found = if failed.is_empty() {
                "not named"
            } else if inside {
                "inside"
            } else {
                "outside"
            };
            writeln!(out, "{}: {found}, {size} of {} bytes", item.id, document.extent().bytes)?;
        }
    }
    told.share /= f64::from(told.named.max(1));
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&told)?)?;
        return Ok(());
    }
    let percent = |part: u32, whole: u32| f64::from(part) * 100.0 / f64::from(whole.max(1));
    let StepTotals { logs, named, inside, fits, share } = told;
    writeln!(out, "{logs} logs; {named} name a step that failed ({:.1}%)", percent(named, logs))?;
    writeln!(out, "the reason lies inside it in {inside} ({:.1}%)", percent(inside, named))?;
    writeln!(
        out,
        "it takes {:.1}% of the log, and 7,500 bytes or less in {fits} ({:.1}%)",
        share * 100.0,
        percent(fits, named)
    )?;
    Ok(())
}

/// The bytes of the steps that failed.
pub(crate) fn failed(document: &dyn Document) -> Result<Vec<Range<u64>>, Failure> {
    let (mut finder, mut starts) = (StepFinder::default(), Vec::new());
    let mut lines = document.lines();
    while let Some(line) = lines.next_line()? {
        if line.first {
            starts.push(line.position.byte);
            finder.push(line.text);
        }
    }
    let byte = |line: usize| starts.get(line).copied().unwrap_or(document.extent().bytes);
    Ok(finder.finish().failed().iter().map(|step| byte(step.lines.start)..byte(step.lines.end)).collect())
}

/// Whether one of the marked blocks begins inside one of the steps.
fn reason_is_inside(item: &Item, steps: &[Range<u64>]) -> bool {
    item.before_blocks().iter().any(|before| steps.iter().any(|step| step.contains(&(before.len() as u64))))
}
