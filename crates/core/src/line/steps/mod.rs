//! The steps of a log: which commands ran, where each begins and ends, and which of them failed.
//!
//! A [`StepFinder`] is fed the lines of a cleaned text in order. What the lines of CI systems, image builders and
//! shells mean stands in `rules/steps/*.toml`, a file a system; here is what follows from them.

mod finder;
mod rules;

use std::ops::Range;

pub use finder::StepFinder;
pub use rules::Level;

/// A command that ran, and the lines that it printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What the log calls it, mostly the command itself; shortened to 200 characters.
    pub name: String,
    /// The system whose line opened it, as its rules name it.
    pub system: &'static str,
    /// Whether it is a step of the system, or a command inside one.
    pub level: Level,
    /// Its lines, 0-based: from its heading to the line that closes it.
    pub lines: Range<usize>,
    /// How it ended, as far as the log says.
    pub outcome: Outcome,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The log does not say.
    Unknown,
    /// With status 0.
    Passed,
    /// It did not run, because an earlier one failed.
    Skipped,
    /// It failed.
    Failed {
        /// How that is known.
        evidence: Evidence,
        /// The line that says so, 0-based.
        line: usize,
    },
}

/// How it is known that a step failed, the best evidence first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// Its exit status is given, and is not 0.
    Exit(i64),
    /// Everything was broken off while it ran.
    Stopped,
    /// A line inside it says that something failed.
    Said,
    /// The log ends inside it, although the system prints how every step ends.
    BrokenOff,
}

impl Evidence {
    /// Its place among the others, 0 for the best; a status is as good as another.
    fn rank(self) -> u8 {
        match self {
            Evidence::Exit(_) | Evidence::Stopped => 0,
            Evidence::Said => 1,
            Evidence::BrokenOff => 2,
        }
    }
}

/// All steps of a text, in the order of their beginnings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steps {
    /// The steps; commands inside a step follow it.
    pub steps: Vec<Step>,
}

impl Steps {
    /// The steps that failed, by the best evidence that there is: steps of the system before commands inside them.
    /// Empty where the text has no steps or does not tell which failed.
    pub fn failed(&self) -> Vec<&Step> {
        let rank = |step: &Step| match step.outcome {
            Outcome::Failed { evidence, .. } => Some((step.level, evidence.rank())),
            Outcome::Unknown | Outcome::Passed | Outcome::Skipped => None,
        };
        let best = self.steps.iter().filter_map(rank).min();
        self.steps.iter().filter(|step| best.is_some() && rank(step) == best && !step.lines.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests;
