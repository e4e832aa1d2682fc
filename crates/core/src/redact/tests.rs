//! The rules against their own examples, and the laws of redaction on random texts.

mod examples;
