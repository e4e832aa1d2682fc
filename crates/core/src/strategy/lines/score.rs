//! What lines are worth, a scorer a kind.

pub(super) mod diff;
pub(super) mod listing;
pub(super) mod log;
pub(super) mod markdown;
mod neighbours;
pub(super) mod prose;
pub(super) mod scored;
pub(super) mod search;
pub(super) mod search_line;
pub(super) mod weighed;
mod whole_traces;
