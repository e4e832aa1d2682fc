//! What lines tell about the output that they stand in, for guessing its kind.

use super::rules::{VOTE_OWNERS, VOTES, VOTES_ALWAYS, VOTES_BY_FIRST, VOTES_BY_LAST, View, Vote, VoteRule};
use crate::finder::{self, Hit};

/// Calls `each` with every part of `text` that votes by itself, roughly in order.
pub(crate) fn each_part(text: &[u8], each: impl FnMut(Hit)) {
    finder::VOTE_PARTS.each(text, each);
}

/// What a part that was found speaks for, and whether it does so only beside a number.
pub(crate) fn of_part(hit: Hit) -> Option<(Vote, bool)> {
    VOTE_OWNERS.get(hit.word).and_then(rule).map(|rule| (rule.vote, rule.numbered))
}

/// The rule of this number.
fn rule(number: &u16) -> Option<&'static VoteRule> {
    VOTES.get(usize::from(*number))
}

/// Calls `each` with what `view` speaks for by its beginning or its end.
pub(crate) fn each_vote(view: &View<'_>, mut each: impl FnMut(Vote)) {
    let bytes = view.line.as_bytes();
    let of = |table: &'static [&'static [u16]; 256], byte: Option<&u8>| {
        byte.and_then(|&byte| table.get(usize::from(byte))).copied().unwrap_or_default()
    };
    let numbers = of(&VOTES_BY_FIRST, bytes.first()).iter().chain(of(&VOTES_BY_LAST, bytes.last()));
    let rules = numbers.chain(VOTES_ALWAYS).filter_map(rule);
    rules.filter(|rule| rule.holds(view)).for_each(|rule| each(rule.vote));
}
