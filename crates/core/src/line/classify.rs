//! Telling one line: by its beginning, the place before it, or its words, as the rules say.

use super::errors::{is_alone_behind_stroke, mention};
use super::locations;
use super::prefix;
use super::role::{LineScore, Role, Severity, Told};
use super::rules::{Candidates, LineRules, Stage, View};
use super::signals::{self, Signals};
use super::weights;
use crate::text;

/// The score of `body` (a line without its time), given the signals found in it.
pub(crate) fn classify_line(body: &str, signals: Signals, rules: &LineRules) -> LineScore {
    match told(body, signals, rules) {
        Told::Rule(_, score) | Told::Mention(score) => score,
    }
}

/// With so much evidence a text is what a run printed that failed: a count of failures or an exit status together with
/// what failed, or several that failed.
pub(crate) const FAILED_RUN: u32 = 3;

/// How strongly a line says that the text which it stands in is what a run printed that failed.
pub(crate) fn evidence_of_failed_run(score: LineScore) -> u32 {
    match (score.role, score.severity) {
        (Role::FailedTest | Role::Summary, Severity::Critical) => 2,
        (Role::ProcessExit, Severity::High | Severity::Critical) => 2,
        (Role::Message | Role::Error, Severity::High | Severity::Critical) => 1,
        _ => 0,
    }
}

/// The stages that lines with a signal go through behind those for every line, in order.
const SIGNALLED: [Stage; 7] =
    [Stage::Audit, Stage::Test, Stage::Summary, Stage::Exit, Stage::Message, Stage::System, Stage::Label];

/// What `body` is, and which rule says so.
pub(crate) fn told<'r>(body: &str, signals: Signals, rules: &'r LineRules) -> Told<'r> {
    let line = text::trim(body);
    let line = line.strip_prefix("[INFO] ").map_or(line, str::trim_start);
    if line.is_empty() {
        return Told::Mention(weights::score(Role::Blank, Severity::Negligible, None));
    }
    let view = View::new(body, line, signals);
    if let Some((name, score)) = rules.own_score(&view) {
        return Told::Rule(name, score);
    }
    let candidates = Candidates::of(&view);
    if let Some(found) = candidates.told(Stage::Beginning, &view) {
        return found;
    }
    if let Some(words) = locations::behind_place(line) {
        let view = view.of_part(words);
        if let Some(found) = Candidates::of(&view).told(Stage::Place, &view) {
            return found;
        }
    }
    if signals.is_empty() {
        let plain = Told::Mention(weights::score(Role::Plain, Severity::Negligible, None));
        return candidates.told(Stage::Quiet, &view).unwrap_or(plain);
    }
    // What a report quotes of a source is not what went wrong.
    if is_alone_behind_stroke(line) {
        return Told::Mention(mention(line, signals));
    }
    let unmarked = line.trim_start_matches("[ERROR]").trim_start_matches(['>', '*', ' ']);
    let unmarked = view.of_part(unmarked);
    if let Some(found) = Candidates::of(&unmarked).told(Stage::Boilerplate, &unmarked) {
        return found;
    }
    SIGNALLED
        .into_iter()
        .filter(|stage| *stage != Stage::Summary || may_sum_up(&view))
        .find_map(|stage| candidates.told(stage, &view))
        .unwrap_or_else(|| Told::Mention(mention(line, signals)))
}

impl LineRules {
    /// The name of the rule that says what `line` is; none for lines that no rule holds for.
    pub fn name_for(&self, line: &str) -> Option<&str> {
        let body = prefix::body(line);
        match told(body, signals::of_line(body), self) {
            Told::Rule(name, _) => Some(name),
            Told::Mention(_) => None,
        }
    }
}

/// Longer lines count nothing, in bytes.
const LONGEST_SUMMARY: usize = 220;

/// Whether a line may be one of counts.
fn may_sum_up(view: &View<'_>) -> bool {
    let counted = Signals::COUNT.with(Signals::FAIL).with(Signals::ERROR).with(Signals::PASS);
    view.line.len() <= LONGEST_SUMMARY && view.signals.has(counted)
}

#[cfg(test)]
mod tests;
