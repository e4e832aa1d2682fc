//! A line with what it is worth.

use crate::line::trace::TraceLine;
use crate::line::{Role, Severity};

/// What is known of a row.
#[derive(Debug, Clone, Copy)]
pub(in crate::strategy::lines) struct WeighedLine {
    pub(in crate::strategy::lines) role: Role,
    pub(in crate::strategy::lines) severity: Severity,
    pub(in crate::strategy::lines) worth: f32,
    /// What it would be worth if no other said the same.
    pub(super) told: f32,
    /// What it gets from its neighbours.
    pub(in crate::strategy::lines) lent: f32,
    /// What it is in a stack trace.
    pub(in crate::strategy::lines) line: TraceLine,
    pub(in crate::strategy::lines) template: u64,
    /// How its template begins.
    pub(super) prefix: u64,
    /// The ids of its template and of its prefix.
    pub(super) template_id: u32,
    pub(super) prefix_id: u32,
    pub(super) indent: u16,
    /// Whether it repeats what stands before it, and is never shown by itself.
    pub(super) folded: bool,
    /// Whether it belongs to a trace that came before.
    pub(super) again: bool,
    /// What it says what it is about, where it does: the more of those are shown, the less it fades for looking alike.
    pub(super) heads: Option<Role>,
}

impl WeighedLine {
    /// Whether it is an error that counts as one.
    pub(in crate::strategy::lines) fn is_error(&self) -> bool {
        matches!(self.role, Role::Error | Role::Message) && self.severity >= Severity::Medium
    }

    /// Whether it names a test that failed.
    pub(in crate::strategy::lines) fn is_failed_test(&self) -> bool {
        self.role == Role::FailedTest && self.severity == Severity::Critical
    }

    /// Whether it is a frame of the user's own code.
    pub(super) fn is_own_frame(&self) -> bool {
        self.role == Role::Frame && self.severity > Severity::Negligible
    }
}
