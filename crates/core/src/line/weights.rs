//! What seeing a line is worth by itself, from 0 to 100. Every number of `core::line` stands here, or beside the rule
//! that is an exception.

use super::role::{LineScore, Role, Severity};
use super::signals::Signals;

/// The worth of a line of each severity, from negligible to critical, by its role.
const fn by_severity(role: Role) -> [f32; 5] {
    match role {
        // The name of a failing test is what a reader of a test run looks for first; one that is expected to fail is not.
        Role::FailedTest => [2.0, 20.0, 45.0, 75.0, 100.0],
        // An error that ended the run comes before those that a tool labelled, and those before mere mentions.
        Role::Error => [5.0, 22.0, 45.0, 65.0, 90.0],
        // What was thrown tells more than that something was.
        Role::Message => [5.0, 30.0, 45.0, 80.0, 90.0],
        // Counts matter where they count failures.
        Role::Summary => [5.0, 30.0, 40.0, 60.0, 90.0],
        // An exit code other than 0 is a verdict; 0 says nothing new.
        Role::ProcessExit => [6.0, 20.0, 40.0, 80.0, 90.0],
        // A place is worth as much as what is said there.
        Role::Location => [8.0, 16.0, 35.0, 55.0, 75.0],
        // A library's frame, the user's own, one of a test.
        Role::Frame => [0.6, 9.0, 16.0, 30.0, 60.0],
        // Expected and actual values stand behind the message that they explain.
        Role::Detail => [5.0, 30.0, 45.0, 60.0, 75.0],
        // Warnings come in hundreds.
        Role::Warning => [3.0, 10.0, 20.0, 40.0, 60.0],
        // A heading is shown for what stands below it.
        Role::Heading => [5.0, 20.0, 45.0, 60.0, 75.0],
        // A command tells what the lines below it are.
        Role::Command => [4.0, 8.0, 20.0, 40.0, 60.0],
        // A login that succeeded is rare, and what one looks for.
        Role::AuditEvent => [5.0, 30.0, 46.0, 60.0, 75.0],
        // What went well is counted, not shown.
        Role::Pass => [0.0; 5],
        // A little more than nothing, so that it is shown where there is room for everything.
        Role::Boilerplate => [1.2; 5],
        Role::Plain => [0.0, 8.0, 20.0, 40.0, 60.0],
        Role::Blank => [0.0; 5],
    }
}

/// The score of a line of `role` and `severity`; `exception` is its worth where a rule says another one.
pub(super) fn score(role: Role, severity: Severity, exception: Option<f32>) -> LineScore {
    let [negligible, low, medium, high, critical] = by_severity(role);
    let worth = exception.unwrap_or(match severity {
        Severity::Negligible => negligible,
        Severity::Low => low,
        Severity::Medium => medium,
        Severity::High => high,
        Severity::Critical => critical,
    });
    LineScore { role, severity, worth }
}

/// What a word of a line that no rule knows adds to its worth.
pub(super) const MENTIONED: [(Signals, f32); 5] = [
    (Signals::FATAL, 12.0),
    (Signals::REFUSAL, 7.0),
    (Signals::EXPECT, 4.0),
    (Signals::WARN, 3.0),
    (Signals::CAUSE, 3.0),
];

/// What a word for a failure adds that stands alone, and one that is a part of a name.
pub(super) const SPOKEN: f32 = 14.0;
pub(super) const NAMED: f32 = 2.5;

/// A line that is worth less than this and says that something passed, did.
pub(super) const PASSING: f32 = 12.0;
