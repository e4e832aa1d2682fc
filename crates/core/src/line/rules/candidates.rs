//! The few built-in rules that a line can satisfy, told by its first two bytes, its last one and its signals.

use super::view::View;
use super::{
    ROLES, ROLES_BY_EDGES, ROLES_BY_SIGNAL, ROLES_UNSIGNALLED, ROLES_WORDS, STAGES, Stage, TRACES, TRACES_BY_EDGES,
    TraceRule,
};
use crate::line::frames::TraceLine;
use crate::line::role::Told;
use crate::line::signals::Signals;

/// A set of rules of a table, a bit each.
pub(super) type RuleSet<const WORDS: usize> = [u64; WORDS];

/// The rules that a line may satisfy with some byte at its beginning, behind that and at its end. What a shorter line
/// lacks counts as zero, which no rule asks for.
pub(super) struct ByEdges<const WORDS: usize> {
    pub(super) first: [RuleSet<WORDS>; 256],
    pub(super) second: [RuleSet<WORDS>; 256],
    pub(super) last: [RuleSet<WORDS>; 256],
}

impl<const WORDS: usize> ByEdges<WORDS> {
    /// Leaves of `rules` those that `line` may satisfy.
    fn narrow(&self, rules: &mut RuleSet<WORDS>, line: &str) {
        let bytes = line.as_bytes();
        let [first, second, last] =
            [bytes.first(), bytes.get(1), bytes.last()].map(|byte| byte.map_or(0, |&byte| usize::from(byte)));
        let sets = self.first[first].iter().zip(&self.second[second]).zip(&self.last[last]);
        rules.iter_mut().zip(sets).for_each(|(rules, ((first, second), last))| *rules &= first & second & last);
    }
}

/// The first rule of a set that holds; `rules` are its bits.
#[inline]
fn first_of<R>(
    rules: impl Iterator<Item = u64>,
    table: &'static [R],
    holds: impl Fn(&R) -> bool,
) -> Option<&'static R> {
    for (word, mut bits) in rules.enumerate() {
        while bits != 0 {
            let number = word * 64 + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            if let Some(rule) = table.get(number).filter(|rule| holds(rule)) {
                return Some(rule);
            }
        }
    }
    None
}

/// The rules that a line may satisfy.
pub(crate) struct Candidates(RuleSet<ROLES_WORDS>);

impl Candidates {
    /// Those that the line of `view` may satisfy.
    pub(crate) fn of(view: &View<'_>) -> Candidates {
        let mut allowed = ROLES_UNSIGNALLED;
        if !view.signals.is_empty() {
            for (_, set) in ROLES_BY_SIGNAL.iter().filter(|(signal, _)| view.signals.has(*signal)) {
                allowed.iter_mut().zip(set).for_each(|(allowed, set)| *allowed |= set);
            }
        }
        ROLES_BY_EDGES.narrow(&mut allowed, view.line);
        Candidates(allowed)
    }

    /// What the first rule of `stage` says that `view` satisfies, whose candidates these are.
    pub(crate) fn told(&self, stage: Stage, view: &View<'_>) -> Option<Told<'static>> {
        let rules = self.0.iter().zip(STAGES.get(stage as usize)?).map(|(rules, stage)| rules & stage);
        let rule = first_of(rules, ROLES, |rule| rule.holds(view))?;
        Some(Told::Rule(rule.id, rule.score(view)))
    }
}

/// What `line` (what is left of `body` without the space around it) is in a stack trace, by its beginning.
pub(crate) fn trace_part(body: &str, line: &str) -> Option<TraceLine> {
    let mut rules = [u64::MAX; _];
    TRACES_BY_EDGES.narrow(&mut rules, line);
    if rules.iter().all(|rules| *rules == 0) {
        return None;
    }
    let view = View::new(body, line, Signals::NONE);
    let holds = |rule: &TraceRule| view.may_begin(rule.heads) && rule.when.hold(&view);
    first_of(rules.into_iter(), TRACES, holds).map(|rule| rule.part)
}
