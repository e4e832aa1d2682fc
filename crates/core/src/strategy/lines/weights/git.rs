//! What git prints beside diffs.

/// Worth below this is not shown: even the thousandth commit is worth its line where there is room.
pub(in crate::strategy::lines) const FLOOR: f32 = 0.01;

/// The newest commit, the others, and what each leaves of the next one's worth.
pub(in crate::strategy::lines) const NEWEST: f32 = 100.0;
pub(in crate::strategy::lines) const COMMIT: f32 = 60.0;
pub(in crate::strategy::lines) const OLDER: f32 = 0.96;

/// A commit that a branch or a tag points at, what each leaves of the next one's worth, and the oldest one.
pub(in crate::strategy::lines) const NAMED: f32 = 40.0;
pub(in crate::strategy::lines) const NEXT_NAMED: f32 = 0.85;
pub(in crate::strategy::lines) const OLDEST: f32 = 45.0;

/// A commit that takes another one back, and what each leaves of the next one's worth.
pub(in crate::strategy::lines) const REVERT: f32 = 58.0;
pub(in crate::strategy::lines) const NEXT_REVERT: f32 = 0.8;

/// What each commit leaves of the next one's worth whose subject is of the same form, so many times at most.
pub(in crate::strategy::lines) const SAME_SUBJECT: f32 = 0.93;
pub(in crate::strategy::lines) const MOST_ALIKE: u32 = 12;

/// A line of a commit's message behind its subject, at most: of old commits it is worth less.
pub(in crate::strategy::lines) const MESSAGE: f32 = 4.0;

/// How much a commit changed in all, a file that it changed, and the commit that changed most.
pub(in crate::strategy::lines) const TOTAL: f32 = 14.0;
pub(in crate::strategy::lines) const FILE: f32 = 3.0;
pub(in crate::strategy::lines) const LARGEST: f32 = 50.0;

/// Lines that only draw the graph.
pub(in crate::strategy::lines) const GRAPH: f32 = 0.05;

/// The branch and the headings of a state, and a file in conflict.
pub(in crate::strategy::lines) const STATE: f32 = 95.0;
pub(in crate::strategy::lines) const CONFLICT: f32 = 80.0;

/// The first file of a state in a section, what each leaves of the next one's worth, and what each of a folder does.
pub(in crate::strategy::lines) const CHANGED: f32 = 30.0;
pub(in crate::strategy::lines) const NEXT_CHANGED: f32 = 0.93;
pub(in crate::strategy::lines) const NEXT_OF_FOLDER: f32 = 0.8;

/// What git advises to do next.
pub(in crate::strategy::lines) const ADVICE: f32 = 0.5;

/// Blame: the first line of the newest commit, of the one that holds most lines, of any; a type and a function.
pub(in crate::strategy::lines) const LAST_CHANGE: f32 = 95.0;
pub(in crate::strategy::lines) const MOST_LINES: f32 = 70.0;
pub(in crate::strategy::lines) const BLAMED: f32 = 8.0;
pub(in crate::strategy::lines) const TYPE: f32 = 50.0;
pub(in crate::strategy::lines) const FUNCTION: f32 = 18.0;
pub(in crate::strategy::lines) const NEXT_BLAMED: f32 = 0.7;
pub(in crate::strategy::lines) const NEXT_DEFINITION: f32 = 0.95;

/// The author of most commits; others by the root of their share of that, and this much at least.
pub(in crate::strategy::lines) const AUTHOR: f32 = 95.0;
pub(in crate::strategy::lines) const ANY_AUTHOR: f32 = 3.0;

/// A commit of an author, and what each leaves of the next one's worth.
pub(in crate::strategy::lines) const SUBJECT: f32 = 2.0;
pub(in crate::strategy::lines) const NEXT_SUBJECT: f32 = 0.8;

/// A change of one line and the largest one, and what each of a folder leaves of the next one's worth.
pub(in crate::strategy::lines) const SMALL_CHANGE: f32 = 6.0;
pub(in crate::strategy::lines) const LARGE_CHANGE: f32 = 60.0;
pub(in crate::strategy::lines) const NEXT_CHANGE: f32 = 0.97;

/// A branch that parted from its upstream or lost it, and another one.
pub(in crate::strategy::lines) const PARTED: f32 = 50.0;
pub(in crate::strategy::lines) const BRANCH: f32 = 15.0;
