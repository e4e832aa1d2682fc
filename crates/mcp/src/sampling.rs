//! What is assumed of a client's own model, however it is asked.

use std::time::Duration;

/// What a request and its answer may have together. A client does not say how much its model takes; this much every
/// model in use does.
pub(crate) const CONTEXT_TOKENS: u64 = 32_000;

/// What an answer may have.
pub(crate) const OUTPUT_TOKENS: u64 = 4000;

/// How often a request that waits looks whether it is still wanted.
pub(crate) const BEAT: Duration = Duration::from_millis(100);
