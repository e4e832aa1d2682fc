//! `offcut bench search`: whether a search finds what a description of it means.
//!
//! Each needle of a corpus is asked for by its description, and counts as found if it stands in the passages. A needle
//! that only somebody who knows the question could find is asked for by that question and the description.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use offcut::options::{ExtractionOptions, Options};
use offcut::{Call, Cancel, Offcut};
use offcut_core::limit::Limits;
use offcut_core::text;
use offcut_extract::{Mode, Question};
use serde::Serialize;

use crate::corpus::{self, Item};
use crate::failure::Failure;
use crate::questions::{self, Half, Run};

/// A corpus, and how much a search may show.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// A folder with a manifest.jsonl: one item a line, with needles and what each is; with --questions the folder that
    /// their files are below
    pub(crate) dir: PathBuf,
    /// Ask the questions of this TOML file instead, beside a grep for the obvious word and the first view
    #[arg(long, value_name = "FILE")]
    pub(crate) questions: Option<PathBuf>,
    /// Ask only the questions that are left out while the search is worked on, or only the others
    #[arg(long, value_enum, default_value_t, requires = "questions")]
    pub(crate) half: Half,
    /// Print each question with what it took, and whether each way answered it
    #[arg(long, requires = "questions")]
    pub(crate) per_item: bool,
    /// Print the answers of the search
    #[arg(long, requires = "questions")]
    pub(crate) answers: bool,
    /// How many characters of passages are shown
    #[arg(long, short, value_name = "CHARS", default_value_t = 4000)]
    pub(crate) limit: u64,
    /// Only items of these kinds, separated by commas
    #[arg(long, value_name = "KINDS")]
    pub(crate) kind: Option<String>,
    /// A line for each needle that was not found
    #[arg(long)]
    pub(crate) missed: bool,
    /// As one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Fail if a smaller share than this is found
    #[arg(long, value_name = "SHARE")]
    pub(crate) least: Option<f64>,
}

/// How often something was found.
#[derive(Debug, Default, Serialize)]
struct Score {
    needles: u64,
    found: u64,
    /// `found` ÷ `needles`.
    share: f64,
    /// Characters shown for a question, on average.
    chars: f64,
    /// Milliseconds for a question, on average.
    milliseconds: f64,
}

/// A way of finding things, and its scores by kind.
#[derive(Debug, Serialize)]
struct Scores {
    policy: &'static str,
    kinds: BTreeMap<String, Score>,
}

/// Runs the corpus through the search and the baselines, and prints how often each finds what was asked for.
pub(crate) fn search(args: &SearchArgs) -> Result<(), Failure> {
    let extraction = ExtractionOptions { max_chars: i64::try_from(args.limit).ok(), ..ExtractionOptions::default() };
    let options = Options { extraction, ..Options::default() };
    let offcut = Offcut::builder().options(options).in_memory().build()?;
    if let Some(questions) = &args.questions {
        let asked = Run {
            folder: &args.dir,
            questions,
            half: args.half,
            each: args.per_item,
            answers: args.answers,
            json: args.json,
        };
        return least(args, questions::run(&offcut, &asked)?, "questions were answered");
    }
    let items = corpus::read(&args.dir, args.kind.as_deref())?;
    let mut policies =
        ["search", "grep first word", "head", "tail"].map(|policy| Scores { policy, kinds: BTreeMap::new() });
    let mut out = io::stdout().lock();
    for item in &items {
        let small: Limits = "400".parse().map_err(|_| Failure::other("400 is no limit"))?;
        let call = Call::new(&item.tool).arguments(&item.command).limits(small);
        let Some(id) = offcut.process(call, &item.bytes)?.report.artifact_id else { continue };
        let Ok(whole) = offcut.recall().whole(&id) else { continue };
        let mut answers: BTreeMap<String, (Vec<String>, f64)> = BTreeMap::new();
        for (number, needle) in item.needles.iter().enumerate() {
            let asked = match (&item.query, needle.requires_query) {
                (Some(query), true) => format!("{query}: {}", needle.why),
                _ => needle.why.clone(),
            };
            let (shown, milliseconds) = answers.entry(asked.clone()).or_insert_with(|| {
                let started = Instant::now();
                let question = Question::new(&id, &asked).mode(Mode::Search);
                let found = offcut_extract::extract(&offcut, &question, None, &Cancel::new()).text;
                let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
                let head = text::first_chars(&whole, args.limit).to_owned();
                let tail = text::last_chars(&whole, args.limit).to_owned();
                (vec![found, first_word(&whole, &asked, args.limit), head, tail], milliseconds)
            });
            for (at, (policy, shown)) in policies.iter_mut().zip(shown.iter()).enumerate() {
                let found = item.has(number, shown);
                for kind in ["all", &item.kind] {
                    let score = policy.kinds.entry(kind.to_owned()).or_default();
                    score.needles += 1;
                    score.found += u64::from(found);
                    score.chars += text::chars(shown) as f64;
                    score.milliseconds += if at == 0 { *milliseconds } else { 0.0 };
                }
                if args.missed && at == 0 && !found {
                    missed(&mut out, item, &asked, number)?;
                }
            }
        }
    }
    for score in policies.iter_mut().flat_map(|policy| policy.kinds.values_mut()) {
        let count = score.needles.max(1) as f64;
        (score.share, score.chars, score.milliseconds) =
            (score.found as f64 / count, score.chars / count, score.milliseconds / count);
    }
    if args.json {
        serde_json::to_writer_pretty(&mut out, &policies)?;
        writeln!(out)?;
    } else {
        print(&mut out, &policies)?;
    }
    let share = policies.first().and_then(|own| own.kinds.get("all")).map_or(0.0, |all| all.share);
    least(args, share, "needles were found")
}

/// Fails if a smaller share than asked for did well.
fn least(args: &SearchArgs, share: f64, what: &str) -> Result<(), Failure> {
    match args.least {
        Some(least) if share < least => {
            Err(Failure::other(format!("{share:.3} of the {what}; at least {least} were asked for")))
        }
        _ => Ok(()),
    }
}

fn missed(out: &mut impl Write, item: &Item, asked: &str, number: usize) -> Result<(), Failure> {
    let needle = item.needles.get(number).map(|needle| needle.shown()).unwrap_or_default();
    writeln!(out, "{:<12} {:<36} {asked:?} -> {needle:?}", item.kind, item.id)?;
    Ok(())
}

/// What somebody gets who greps for the first word of the description: matching lines, as many as fit.
fn first_word(whole: &str, asked: &str, limit: u64) -> String {
    let word = asked.split(|c: char| !c.is_alphanumeric()).find(|word| word.len() > 2).unwrap_or(asked).to_lowercase();
    let mut shown = String::new();
    let mut left = limit;
    for line in whole.lines().filter(|line| line.to_lowercase().contains(&word)) {
        let chars = text::chars(line) + 1;
        if chars > left {
            break;
        }
        left -= chars;
        shown.push_str(line);
        shown.push('\n');
    }
    shown
}

fn print(out: &mut impl Write, policies: &[Scores]) -> io::Result<()> {
    writeln!(
        out,
        "{:<11} {:<16} {:>7} {:>7} {:>7} {:>8} {:>8}",
        "kind", "policy", "needles", "found", "share", "chars", "ms"
    )?;
    let kinds: Vec<&String> = policies.first().map(|own| own.kinds.keys().collect()).unwrap_or_default();
    for kind in kinds {
        for policy in policies {
            let Some(score) = policy.kinds.get(kind) else { continue };
            writeln!(
                out,
                "{kind:<11} {:<16} {:>7} {:>7} {:>7.3} {:>8.0} {:>8.2}",
                policy.policy, score.needles, score.found, score.share, score.chars, score.milliseconds
            )?;
        }
    }
    Ok(())
}
