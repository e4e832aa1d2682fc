//! The rules by which lines are told: what tools, runners and CI systems print, as data.
//!
//! They stand in `crates/core/rules/lines/*.toml`, one file a tool, with examples that are tests, and are turned into
//! tables when the crate is built. A line is compared with the few that its first byte and its signals leave.

mod candidates;
mod conditions;
mod hooks;
mod own;
mod view;

use candidates::{ByEdges, RuleSet};
pub(super) use candidates::{Candidates, trace_part};
pub(super) use conditions::{Conditions, Indent};
pub(super) use hooks::Hook;
pub use own::{LineRuleError, LineRuleSpec, LineRules};
pub(crate) use view::View;

use super::frames::TraceLine;
use super::heads::Head;
use super::role::{LineScore, Role, Severity};
use super::signals::Signals;
use super::weights;

/// Literals of a built-in rule.
type Listed = &'static [&'static str];

/// A rule that says what a line is.
#[derive(Debug)]
pub(super) struct RoleRule {
    id: &'static str,
    /// How a line begins that satisfies the conditions; none where it may begin anyhow.
    heads: &'static [Head],
    when: Conditions<Listed>,
    role: Role,
    /// Frames without one are told apart by whose they are.
    severity: Option<Severity>,
    /// What seeing the line is worth, where that is not what its role and its severity are worth.
    weight: Option<f32>,
}

impl RoleRule {
    /// Whether `view` satisfies it.
    fn holds(&self, view: &View<'_>) -> bool {
        view.may_begin(self.heads) && self.when.hold(view)
    }

    fn score(&self, view: &View<'_>) -> LineScore {
        match (self.severity, self.role) {
            (None, Role::Frame) => super::locations::frame(view.line),
            (severity, role) => weights::score(role, severity.unwrap_or(Severity::Negligible), self.weight),
        }
    }
}

/// A rule that says for which kind of output a line speaks.
#[derive(Debug)]
pub(super) struct VoteRule {
    id: &'static str,
    heads: &'static [Head],
    when: Conditions<Listed>,
    pub(super) vote: Vote,
    /// Whether it counts only beside a number.
    pub(super) numbered: bool,
}

impl VoteRule {
    /// Whether `view` satisfies it.
    pub(super) fn holds(&self, view: &View<'_>) -> bool {
        view.may_begin(self.heads)
            && self.when.hold(view)
            && (!self.numbered || view.line.bytes().any(|byte| byte.is_ascii_digit()))
    }
}

/// What a line tells about the output that it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vote {
    /// A result of a test.
    Test,
    /// Sums a run of tests up.
    TestSummary,
    /// A message of a compiler or a build tool.
    Build,
    /// A frame of a stack trace.
    Frame,
    /// Begins a stack trace.
    Trace,
    /// Bears the level of a logger.
    Level,
    /// Only a CI system writes it.
    Ci,
}

/// A rule that says what a line is in a stack trace.
#[derive(Debug)]
pub(super) struct TraceRule {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the rule where its examples are tested"))]
    id: &'static str,
    heads: &'static [Head],
    when: Conditions<Listed>,
    part: TraceLine,
}

include!(concat!(env!("OUT_DIR"), "/line_rules.rs"));

/// The stages in which a line is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// By its beginning, whatever words follow. Every line is looked at so.
    Beginning,
    /// By the words behind a place: `path:12: words`.
    Place,
    /// Lines without a word that signals anything.
    Quiet,
    /// The others, in this order.
    Boilerplate,
    Audit,
    Test,
    Summary,
    Exit,
    Message,
    System,
    Label,
}

/// Whether a built-in rule has this name.
fn is_builtin(id: &str) -> bool {
    ROLES.iter().any(|rule| rule.id == id) || VOTES.iter().any(|rule| rule.id == id)
}

#[cfg(test)]
mod tests;
