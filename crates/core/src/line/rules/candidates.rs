//! The few built-in rules that a line can satisfy, told by its first and its last byte and by its signals.

use super::view::View;
use super::{ROLES, ROLES_BY_FIRST, ROLES_BY_LAST, ROLES_BY_SIGNAL, ROLES_UNSIGNALLED, RoleSet, STAGES, Stage};
use crate::line::role::Told;

/// The rules that a line may satisfy.
pub(crate) struct Candidates(RoleSet);

impl Candidates {
    /// Those that the line of `view` may satisfy.
    pub(crate) fn of(view: &View<'_>) -> Candidates {
        let bytes = view.line.as_bytes();
        let of = |sets: &'static [RoleSet; 256], byte: Option<&u8>| sets[usize::from(byte.copied().unwrap_or(0))];
        let mut allowed = ROLES_UNSIGNALLED;
        if !view.signals.is_empty() {
            for (_, set) in ROLES_BY_SIGNAL.iter().filter(|(signal, _)| view.signals.has(*signal)) {
                allowed.iter_mut().zip(set).for_each(|(allowed, set)| *allowed |= set);
            }
        }
        let (first, last) = (of(&ROLES_BY_FIRST, bytes.first()), of(&ROLES_BY_LAST, bytes.last()));
        for ((allowed, first), last) in allowed.iter_mut().zip(first).zip(last) {
            *allowed &= first & last;
        }
        Candidates(allowed)
    }

    /// What the first rule of `stage` says that `view` satisfies, whose candidates these are.
    pub(crate) fn told(&self, stage: Stage, view: &View<'_>) -> Option<Told<'static>> {
        let (mut at, to) = STAGES.get(stage as usize).copied().unwrap_or_default();
        while at < to {
            let rest = self.0.get(at / 64)? >> (at % 64);
            if rest == 0 {
                at = (at / 64 + 1) * 64;
                continue;
            }
            at += rest.trailing_zeros() as usize;
            if let Some(rule) = ROLES.get(at).filter(|rule| at < to && rule.holds(view)) {
                return Some(Told::Rule(rule.id, rule.score(view)));
            }
            at += 1;
        }
        None
    }
}
