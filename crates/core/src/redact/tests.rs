//! The rules against their own examples, what is said of assignments, keys and options, and the laws on random texts.

mod assignments;
mod blocks;
mod choices;
mod examples;
mod json;
mod laws;
