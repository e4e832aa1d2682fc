//! What lines tell about the output that they stand in, for guessing its kind.

use std::sync::LazyLock;

use super::rules::{VOTES, View, Vote, VoteRule};
use crate::finder::{Finder, Hit};

/// The rules that vote, by how they are found.
struct Tables {
    /// Those that a line's first byte may satisfy, and its last.
    by_first: Vec<Vec<&'static VoteRule>>,
    by_last: Vec<Vec<&'static VoteRule>>,
    /// Those that every line may satisfy.
    always: Vec<&'static VoteRule>,
    /// Parts of lines that vote by themselves, found in one pass, and whose they are.
    parts: Finder,
    owners: Vec<&'static VoteRule>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let mut by_first: Vec<Vec<&'static VoteRule>> = (0..256).map(|_| Vec::new()).collect();
    let mut by_last: Vec<Vec<&'static VoteRule>> = (0..256).map(|_| Vec::new()).collect();
    let (mut always, mut parts, mut owners) = (Vec::new(), Vec::new(), Vec::new());
    let put = |table: &mut Vec<Vec<&'static VoteRule>>, byte: Option<u8>, rule: &'static VoteRule| {
        let list = byte.and_then(|byte| table.get_mut(usize::from(byte)));
        list.into_iter().filter(|list| !list.iter().any(|known| std::ptr::eq(*known, rule))).for_each(|l| l.push(rule));
    };
    for rule in VOTES {
        let (starts, ends) = rule.edges();
        if !starts.is_empty() {
            starts.iter().for_each(|start| put(&mut by_first, start.bytes().next(), rule));
        } else if !ends.is_empty() {
            ends.iter().for_each(|end| put(&mut by_last, end.bytes().last(), rule));
        } else if let Some(words) = rule.parts() {
            parts.extend(words.iter().copied());
            owners.extend(words.iter().map(|_| rule));
        } else {
            always.push(rule);
        }
    }
    Tables { by_first, by_last, always, parts: Finder::new(parts, false), owners }
});

/// Calls `each` with every part of `text` that votes by itself, roughly in order.
pub(crate) fn each_part(text: &[u8], each: impl FnMut(Hit)) {
    TABLES.parts.each(text, each);
}

/// What a part that was found speaks for, and whether it does so only beside a number.
pub(crate) fn of_part(hit: Hit) -> Option<(Vote, bool)> {
    TABLES.owners.get(hit.word).map(|rule| (rule.vote, rule.numbered))
}

/// Calls `each` with what `view` speaks for by its beginning or its end.
pub(crate) fn each_vote(view: &View<'_>, mut each: impl FnMut(Vote)) {
    let bytes = view.line.as_bytes();
    let of = |table: &'static [Vec<&'static VoteRule>], byte: Option<&u8>| {
        byte.and_then(|&byte| table.get(usize::from(byte))).map_or(&[][..], Vec::as_slice)
    };
    let rules = of(&TABLES.by_first, bytes.first()).iter().chain(of(&TABLES.by_last, bytes.last()));
    rules.chain(&TABLES.always).filter(|rule| rule.holds(view)).for_each(|rule| each(rule.vote));
}
