//! What lines are worth, a scorer a kind.

pub(super) mod access;
pub(super) mod columns;
pub(super) mod diff;
pub(super) mod failures;
mod far_numbers;
pub(super) mod git;
pub(super) mod listing;
pub(super) mod log;
pub(super) mod markdown;
mod neighbours;
pub(super) mod prose;
pub(super) mod records;
pub(super) mod scored;
pub(super) mod search;
pub(super) mod search_line;
mod values;
pub(super) mod weighed;
mod whole_traces;
