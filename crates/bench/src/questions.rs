//! `offcut bench search --questions`: whether questions in people's own words are answered, and at what cost.
//!
//! Each question names a file, what is asked, the word that one would grep for, and a regular expression that an answer
//! matches. Half of them are kept: they are left out while the search is worked on.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use offcut::{Call, Cancel, Offcut};
use offcut_core::limit::Limits;
use offcut_core::tokens::{TokenCounter, Tokenizer};
use offcut_extract::{Mode, Question};
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::table::Table;

/// The questions of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Questions {
    question: Vec<AskedQuestion>,
}

/// A question, and what answers it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedQuestion {
    /// The output, below the folder that the bench is given.
    file: PathBuf,
    /// What is asked.
    ask: String,
    /// The word that one would grep for.
    word: String,
    /// What an answer matches.
    answer: String,
    /// Whether it is left out while the search is worked on.
    #[serde(default)]
    kept: bool,
}

/// Which questions are asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Half {
    /// All of them.
    #[default]
    Both,
    /// Those that the search is worked on with.
    Tuned,
    /// Those that are left out meanwhile.
    Kept,
}

/// How one way of answering did.
#[derive(Debug, Serialize)]
struct Outcome {
    policy: &'static str,
    questions: usize,
    answered: usize,
    answered_tuned: usize,
    answered_kept: usize,
    median_tokens: u64,
    mean_tokens: u64,
}

/// What one way of answering gave for each question.
#[derive(Debug, Default)]
struct Given {
    answered: Vec<bool>,
    tokens: Vec<u64>,
}

const POLICIES: [&str; 3] = ["search", "grep", "first view"];

/// What is asked, where, and how it is printed.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) questions: &'a Path,
    pub(crate) half: Half,
    /// Prints each question, its tokens, and whether it was answered.
    pub(crate) each: bool,
    /// Prints the answers of the search too.
    pub(crate) answers: bool,
    pub(crate) json: bool,
}

/// Asks the questions of a file, and prints how often each way of answering held the answer. Returns the share that the
/// search answered.
pub(crate) fn run(offcut: &Offcut, run: &Run<'_>) -> Result<f64, Failure> {
    let mut asked = read(run.questions)?;
    asked.retain(|asked| match run.half {
        Half::Both => true,
        Half::Tuned => !asked.kept,
        Half::Kept => asked.kept,
    });
    let mut given: [Given; 3] = Default::default();
    let mut out = io::stdout().lock();
    for question in &asked {
        let wanted = Regex::new(&question.answer).map_err(|error| Failure::other(format!("a bad answer: {error}")))?;
        let shown = answers(offcut, run.folder, question)?;
        for (given, shown) in given.iter_mut().zip(&shown) {
            given.answered.push(wanted.is_match(shown));
            given.tokens.push(Tokenizer::O200k.count(shown));
        }
        if run.each {
            let cells = given.iter().map(|given| {
                let word = if given.answered.last() == Some(&true) { "yes" } else { "no" };
                format!("{word} {:>6}", given.tokens.last().copied().unwrap_or(0))
            });
            writeln!(
                out,
                "{:<32} {}  {}",
                cells.collect::<Vec<_>>().join("  "),
                question.file.display(),
                question.ask
            )?;
        }
        if run.answers {
            writeln!(out, "{}\n", shown[0])?;
        }
    }
    let outcomes: Vec<Outcome> =
        POLICIES.iter().zip(&given).map(|(policy, given)| outcome(policy, given, &asked)).collect();
    if run.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&outcomes)?)?;
    } else {
        let heads = ["policy", "questions", "answered", "tuned", "kept", "median tokens", "mean tokens"];
        let mut table = Table::new(1, &heads);
        for outcome in &outcomes {
            let numbers = [outcome.questions, outcome.answered, outcome.answered_tuned, outcome.answered_kept];
            let tokens = [outcome.median_tokens, outcome.mean_tokens].map(|tokens| tokens.to_string());
            let numbers = numbers.map(|number| number.to_string());
            table.row([outcome.policy.to_owned()].into_iter().chain(numbers).chain(tokens));
        }
        table.write(&mut out)?;
    }
    let own = outcomes.first();
    Ok(own.map_or(0.0, |own| own.answered as f64 / own.questions.max(1) as f64))
}

fn read(path: &Path) -> Result<Vec<AskedQuestion>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::other(format!("`{}` cannot be read: {error}", path.display())))?;
    let questions: Questions = toml::from_str(&text)
        .map_err(|error| Failure::other(format!("`{}` holds no questions: {error}", path.display())))?;
    Ok(questions.question)
}

/// What a search, a grep and the first view show.
fn answers(offcut: &Offcut, folder: &Path, question: &AskedQuestion) -> Result<[String; 3], Failure> {
    let path = folder.join(&question.file);
    let bytes = std::fs::read(&path)
        .map_err(|error| Failure::other(format!("`{}` cannot be read: {error}", path.display())))?;
    let call = || Call::new("bash").arguments(format!("cat {}", question.file.display()));
    let view = offcut.process(call(), &bytes)?;
    let small: Limits = "400".parse().map_err(|_| Failure::other("400 is no limit"))?;
    let stored = match view.report.artifact_id.clone() {
        Some(id) => Some(id),
        None => offcut.process(call().limits(small), &bytes)?.report.artifact_id,
    };
    let id = stored.ok_or_else(|| Failure::other(format!("`{}` is too small", path.display())))?;
    let asked = Question::new(&id, &question.ask).mode(Mode::Search);
    let found = offcut_extract::extract(offcut, &asked, None, &Cancel::new()).text;
    let whole = offcut.recall().whole(&id).map_err(|error| Failure::other(error.to_string()))?;
    Ok([found, grep(&whole, &question.word), view.text])
}

/// The lines with a word in any case, all of them, as `grep -i` shows them.
fn grep(whole: &str, word: &str) -> String {
    let word = word.to_lowercase();
    let lines = whole.lines().filter(|line| line.to_lowercase().contains(&word));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn outcome(policy: &'static str, given: &Given, asked: &[AskedQuestion]) -> Outcome {
    let count = |kept: Option<bool>| {
        let counted = given.answered.iter().zip(asked);
        counted.filter(|(answered, asked)| **answered && kept.is_none_or(|kept| kept == asked.kept)).count()
    };
    let mut tokens = given.tokens.clone();
    tokens.sort_unstable();
    Outcome {
        policy,
        questions: asked.len(),
        answered: count(None),
        answered_tuned: count(Some(false)),
        answered_kept: count(Some(true)),
        median_tokens: tokens.get(tokens.len() / 2).copied().unwrap_or(0),
        mean_tokens: tokens.iter().sum::<u64>() / tokens.len().max(1) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grep_shows_the_lines_with_the_word_in_any_case() {
        assert_eq!(grep("An Error\nfine\nerrors\n", "error"), "An Error\nerrors\n");
    }

    #[test]
    fn the_questions_are_forty_on_as_many_files_and_half_of_them_are_kept() {
        let asked = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("questions/open.toml")).unwrap();
        let files: std::collections::BTreeSet<&PathBuf> = asked.iter().map(|asked| &asked.file).collect();
        assert_eq!((asked.len(), files.len(), asked.iter().filter(|asked| asked.kept).count()), (40, 40, 20));
        assert!(asked.iter().all(|asked| Regex::new(&asked.answer).is_ok()));
    }
}
