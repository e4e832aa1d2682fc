//! What a line of search results is.

use std::borrow::Cow;

/// A line of search results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::strategy::lines) enum SearchLine<'a> {
    /// The path above its matches.
    File(&'a str),
    /// A match: its file where the line names it, and the line's words.
    Match(Option<&'a str>, Cow<'a, str>),
    /// A line around a match.
    Context(Option<&'a str>),
    /// `--`, an empty line.
    Break,
    /// What sums the search up.
    Summary,
    /// Something else: a message, a count.
    Other,
}
