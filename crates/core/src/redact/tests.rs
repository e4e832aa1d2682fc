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

/// How many random cases a test runs: `usual` ones, or as many as `LAW_CASES` asks for in all forms together.
#[allow(clippy::disallowed_methods, reason = "a test is told by its environment how long it may run")]
fn cases(usual: usize) -> usize {
    std::env::var("LAW_CASES").ok().and_then(|cases| cases.parse::<usize>().ok()).map_or(usual, |all| all / 16)
}
