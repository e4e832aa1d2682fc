//! Lines that stand above already: said by the numbers of the lines that they repeat.
//!
//! `[9kgw 3-11 again]` stands for lines 3 to 11 of the output once more. The lines that a mark names are always shown, so
//! that a reader never follows a mark to another one.

use std::collections::HashMap;

use super::Compact;
use super::lines::without_end;

/// What a mark must save, in bytes, to be worth reading.
const LEAST_SAVED: usize = 16;

/// So many earlier places of a line are compared, the first ones first.
const MOST_PLACES: usize = 32;

/// Lines that are the same this often in a row are a run, which has a form of its own.
const RUN: usize = 3;

const AGAIN: &str = " again]";

/// The lines with those that stand above in full said by their numbers.
pub(super) fn blocks(shown: &str, handle: &str) -> Option<Compact> {
    let (body, end) = without_end(shown);
    let lines: Vec<&str> = body.split('\n').collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut is_shown = vec![false; lines.len()];
    let mut text: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let rest = lines.get(at..)?;
        let run = rest.iter().take_while(|other| *other == line).count();
        let earlier = places.get(line).map_or(&[][..], Vec::as_slice);
        let longest = earlier.iter().map(|&place| (repeated(&lines, &is_shown, place, at), place));
        let (count, place) = longest.reduce(|best, next| if next.0 > best.0 { next } else { best }).unwrap_or_default();
        let mark = mark(handle, place, count);
        let size: usize = rest.iter().take(count).map(|line| line.len() + 1).sum();
        if count > 0 && run < RUN && size >= mark.len() + 1 + LEAST_SAVED {
            text.push(mark);
            at += count;
            continue;
        }
        for _ in 0..if run < RUN { 1 } else { run } {
            let known = places.entry(line).or_default();
            if known.len() < MOST_PLACES {
                known.push(at);
            }
            *is_shown.get_mut(at)? = true;
            text.push((*line).to_owned());
            at += 1;
        }
    }
    let done = format!("[{handle} A-B{AGAIN} repeats those lines");
    (text.len() < lines.len() || text.iter().zip(&lines).any(|(one, other)| one != other))
        .then(|| Compact { text: text.join("\n") + end, done })
}

/// How many lines from `at` on are those from `place` on, which are shown.
fn repeated(lines: &[&str], is_shown: &[bool], place: usize, at: usize) -> usize {
    let earlier = lines.iter().zip(is_shown).take(at).skip(place);
    earlier.zip(lines.iter().skip(at)).take_while(|((one, shown), other)| **shown && one == other).count()
}

/// The mark of `count` lines that stand at `place` already.
fn mark(handle: &str, place: usize, count: usize) -> String {
    match count {
        0 | 1 => format!("[{handle} {}{AGAIN}", place + 1),
        _ => format!("[{handle} {}-{}{AGAIN}", place + 1, place + count),
    }
}

/// The lines that marks stand for.
pub(super) fn undo_blocks(made: &Compact, handle: &str) -> Option<String> {
    let start = format!("[{handle} ");
    let (body, end) = without_end(&made.text);
    let mut lines: Vec<&str> = Vec::new();
    for line in body.split('\n') {
        let Some(said) = line.strip_prefix(&start).and_then(|said| said.strip_suffix(AGAIN)) else {
            lines.push(line);
            continue;
        };
        let (first, last) = said.split_once('-').unwrap_or((said, said));
        let first = first.parse::<usize>().ok()?.checked_sub(1)?;
        let again = lines.get(first..last.parse().ok()?)?.to_vec();
        lines.extend(again);
    }
    Some(lines.join("\n") + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let made = blocks(text, "a123").unwrap();
        assert_eq!(made.text, expected);
        assert_eq!(undo_blocks(&made, "a123").unwrap(), text);
    }

    #[test]
    fn lines_that_stand_above_are_said_by_their_numbers() {
        let group = "  #total\n    is zero when empty\n    sums price times quantity\n";
        check(
            &format!("Artist\n{group}\nBadge\n{group}\nCalendar\n{group}"),
            &format!("Artist\n{group}\nBadge\n[a123 2-5 again]\nCalendar\n[a123 2-4 again]\n"),
        );
        let long = "warning: conversion from `ulg` to `uInt` may change value";
        check(&format!("{long}\na.c:1\n{long}\na.c:2"), &format!("{long}\na.c:1\n[a123 1 again]\na.c:2"));
    }

    #[test]
    fn what_saves_little_or_is_a_run_stays() {
        for text in ["ok\nno\nok\nno\n", "one\ntwo\nthree\n"] {
            assert_eq!(blocks(text, "a123"), None);
        }
        let run = "waiting for the server to come up\n".repeat(9);
        assert_eq!(blocks(&run, "a123"), None);
    }

    #[test]
    fn a_mark_names_lines_that_are_shown() {
        let part = |n: usize| (0..6).map(|row| format!("a line of part {n}, number {row}\n")).collect::<String>();
        let text = format!("{0}{1}{0}{1}{0}{0}{1}", part(1), part(2));
        let made = blocks(&text, "a123").unwrap();
        assert_eq!(
            made.text,
            format!("{}{}[a123 1-12 again]\n[a123 1-6 again]\n[a123 1-12 again]\n", part(1), part(2))
        );
        assert_eq!(undo_blocks(&made, "a123").unwrap(), text);
    }

    #[test]
    fn an_imitation_does_not_come_back_as_it_was() {
        let group = "  #total\n    is zero when empty\n    sums price times quantity\n";
        let forged = format!("{group}[a123 1-2 again]\n{group}");
        let made = blocks(&forged, "a123").unwrap();
        assert_ne!(undo_blocks(&made, "a123").as_deref(), Some(forged.as_str()));
    }
}
