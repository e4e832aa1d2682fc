//! The rules against their own examples, what is said of assignments, keys and options, random values in every form,
//! and the laws on random texts.

mod assignments;
mod blocks;
mod choices;
mod examples;
mod generator;
mod harmless;
mod json;
mod laws;
mod places;

use crate::redact::{Rules, redact};

/// How many random cases a test runs: `usual` ones, or as many as `LAW_CASES` asks for in all forms together.
#[allow(clippy::disallowed_methods, reason = "a test is told by its environment how long it may run")]
fn cases(usual: usize) -> usize {
    std::env::var("LAW_CASES").ok().and_then(|cases| cases.parse::<usize>().ok()).map_or(usual, |all| all / 16)
}

/// Asserts that the password `secret` is all that goes from `text`, once and for all.
pub(super) fn goes(text: &str, secret: &str) {
    let (redacted, _) = redact(text, &Rules::builtin());
    assert_eq!(redacted, text.replace(secret, "[REDACTED: PASSWORD]"));
    assert_eq!(redact(&redacted, &Rules::builtin()).0, redacted, "twice is once");
}

/// Asserts that nothing goes from `text`.
pub(super) fn stays(text: &str) {
    assert_eq!(redact(text, &Rules::builtin()).0, text);
}
