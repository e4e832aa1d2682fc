//! What one line says: the name of a failing test, an error, a summary, a frame of a trace, or nothing in particular.
//!
//! This is the one place that knows what runners, compilers, loggers and CI systems print. Classification, the scan of
//! large streams, scoring and extraction ask here; what they make of the answer is their own. It knows nothing of
//! documents, kinds or strategies. What is known stands in `crates/core/rules/lines/*.toml`, one file a tool.

pub(crate) mod access;
mod classify;
pub(crate) mod columns;
pub mod definitions;
pub(crate) mod entries;
pub(crate) mod errors;
mod frames;
pub(crate) mod git;
mod heads;
pub(crate) mod left_off;
pub(crate) mod locations;
pub(crate) mod paths;
pub(crate) mod prefix;
pub(crate) mod records;
mod results;
mod role;
mod rules;
pub(crate) mod severity;
pub(crate) mod signals;
pub mod steps;
pub(crate) mod system;
pub(crate) mod template;
pub(crate) mod trace;
mod verdicts;
pub(crate) mod votes;
mod weights;
mod word_lists;

pub(crate) use classify::{FAILED_RUN, classify_line, evidence_of_failed_run};
pub use role::{LineScore, Role, Severity};
pub use rules::{LineRuleError, LineRuleSpec, LineRules};
pub(crate) use rules::{View, Vote};

/// The score of a line by itself, times and job names before it left out.
pub fn score(line: &str, rules: &LineRules) -> LineScore {
    let body = prefix::body(line);
    classify_line(body, signals::of_line(body), rules)
}
