//! Sections of lines that begin, and perhaps end, alike: what they share is said once above them.
//!
//! `[9kgw 40 lines begin with `test ` and end with ` ... ok`]` stands above forty lines without that.

use std::ops::Range;

use super::Compact;
use crate::text;

/// More lines are not looked through: every section is weighed against every other.
const MOST_LINES: usize = 1500;

/// Shorter beginnings and ends are not worth their words.
const SHORTEST: usize = 4;

/// Words have so many letters.
const LETTERS: usize = 2;

/// What the words around the shared parts take, about.
const BEGINS: usize = 24;
const ENDS: usize = 16;

const BEGIN: &str = " lines begin with `";
const END: &str = "` and end with `";

/// A section: where it starts, and how many bytes its lines share at both ends.
#[derive(Debug, Clone, Copy, Default)]
struct Section {
    start: usize,
    prefix: usize,
    suffix: usize,
}

/// The lines in sections, where that is shorter.
pub(super) fn sections(shown: &str, handle: &str) -> Option<Compact> {
    let body = shown.strip_suffix('\n')?;
    let lines: Vec<&str> = body.split('\n').collect();
    if lines.len() > MOST_LINES {
        return None;
    }
    let own = format!("[{handle} ");
    // For each line the least size of everything before it, and the section that it comes from.
    let mut best: Vec<(usize, Section)> = vec![(usize::MAX, Section::default()); lines.len() + 1];
    *best.first_mut()? = (0, Section::default());
    for (start, first) in lines.iter().enumerate() {
        let before = best.get(start)?.0;
        let alone = Section { start, prefix: 0, suffix: 0 };
        improve(best.get_mut(start + 1)?, before + first.len() + 1, alone);
        // The marks of another form are read by themselves.
        if first.starts_with(&own) {
            continue;
        }
        let (mut prefix, mut suffix, mut shortest, mut size) = (first.len(), first.len(), first.len(), first.len() + 1);
        for (at, line) in lines.iter().enumerate().skip(start + 1) {
            prefix = shared(first.bytes().zip(line.bytes()).take(prefix));
            suffix = shared(first.bytes().rev().zip(line.bytes().rev()).take(suffix));
            if prefix < SHORTEST || line.starts_with(&own) {
                break;
            }
            size += line.len() + 1;
            shortest = shortest.min(line.len());
            let section = trimmed(first, shortest, Section { start, prefix, suffix });
            let each = section.prefix + section.suffix;
            let words = BEGINS + handle.len() + each + if section.suffix > 0 { ENDS } else { 0 };
            let count = at + 1 - start;
            if section.prefix >= SHORTEST {
                improve(best.get_mut(at + 1)?, before + words + size - count * each, section);
            }
        }
    }
    let mut chosen: Vec<(Section, usize)> = Vec::new();
    let mut end = lines.len();
    while end > 0 {
        let section = best.get(end)?.1;
        chosen.push((section, end));
        end = section.start;
    }
    let mut made = String::with_capacity(best.last()?.0);
    for (section, end) in chosen.into_iter().rev() {
        let first = lines.get(section.start)?;
        let tail = first.len() - section.suffix;
        if section.prefix > 0 {
            let ends = if section.suffix > 0 {
                format!("{END}{}", text::slice(first, tail..first.len()))
            } else {
                String::new()
            };
            let begin = text::slice(first, 0..section.prefix);
            made.push_str(&format!("[{handle} {}{BEGIN}{begin}{ends}`]\n", end - section.start));
        }
        for line in lines.get(section.start..end)? {
            made.push_str(text::slice(line, section.prefix..line.len() - section.suffix));
            made.push('\n');
        }
    }
    let done = format!("[{handle} N{BEGIN}…`] says what N lines share");
    Some(Compact { text: made, done })
}

fn improve(best: &mut (usize, Section), size: usize, section: Section) {
    if size < best.0 {
        *best = (size, section);
    }
}

/// How many pairs are equal before the first that is not.
fn shared(pairs: impl Iterator<Item = (u8, u8)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}

/// The section with what its lines can share at both ends at once, cut between characters and clear to read; the
/// shortest of its lines has so many bytes.
fn trimmed(first: &str, shortest: usize, section: Section) -> Section {
    let prefix = before_path(first, text::floor(first, section.prefix));
    let suffix = section.suffix.min(shortest - prefix);
    let suffix = first.len() - behind_path(first, text::ceil(first, first.len() - suffix));
    let clear = |part: &str| !part.contains('`') && !part.contains(char::is_control) && is_said(part);
    let prefix = if clear(text::slice(first, 0..prefix)) { prefix } else { 0 };
    let has_suffix = suffix >= SHORTEST && clear(text::slice(first, first.len() - suffix..first.len()));
    Section { prefix, suffix: if has_suffix { suffix } else { 0 }, ..section }
}

/// Where a beginning that ends at `at` leaves the path around it whole: a path is looked for as it is written.
fn before_path(line: &str, at: usize) -> usize {
    let word = word_around(line, at);
    if text::slice(line, word.clone()).contains('/') { word.start } else { at }
}

/// Where an end that starts at `at` leaves the path around it whole.
fn behind_path(line: &str, at: usize) -> usize {
    let word = word_around(line, at);
    if text::slice(line, word.clone()).contains('/') { word.end } else { at }
}

/// The word that `at` lies inside of; nothing between two words.
fn word_around(line: &str, at: usize) -> Range<usize> {
    let (before, behind) = (text::slice(line, 0..at), text::slice(line, at..line.len()));
    let start = before.rfind(' ').map_or(0, |blank| blank + 1);
    let end = at + behind.find(' ').unwrap_or(behind.len());
    if start == at || end == at { at..at } else { start..end }
}

/// Whether a part is words, or indentation: figures are data, and are read in their columns.
fn is_said(part: &str) -> bool {
    part.chars().filter(|c| c.is_alphabetic()).count() >= LETTERS || part.bytes().all(|byte| byte == b' ')
}

/// The lines that sections stand for.
pub(super) fn undo_sections(made: &Compact, handle: &str) -> Option<String> {
    let start = format!("[{handle} ");
    let mut text = String::new();
    let mut lines = made.text.strip_suffix('\n')?.split('\n');
    while let Some(line) = lines.next() {
        let said = line.strip_prefix(&start).and_then(|said| said.strip_suffix("`]")?.split_once(BEGIN));
        let Some((count, shared)) = said else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        let (prefix, suffix) = shared.split_once(END).unwrap_or((shared, ""));
        for _ in 0..count.parse::<usize>().ok()? {
            text.push_str(&format!("{prefix}{}{suffix}\n", lines.next()?));
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let made = sections(text, "a123").unwrap();
        assert_eq!(made.text, expected);
        assert_eq!(undo_sections(&made, "a123").unwrap(), text);
    }

    #[test]
    fn what_lines_share_is_said_once_above_them() {
        let names = ["parses_a_number", "parses_a_word", "fails_on_nothing", "keeps_spaces", "takes_it_all"];
        let tests: String = names.iter().map(|name| format!("test parser::tests::{name} ... ok\n")).collect();
        let short: String = names.iter().map(|name| format!("{name}\n")).collect();
        check(
            &format!("running 5 tests\n{tests}done\n"),
            &format!(
                "running 5 tests\n[a123 5 lines begin with `test parser::tests::` and end with ` ... ok`]\n{short}done\n"
            ),
        );
        check("nothing\nalike\nhere\n", "nothing\nalike\nhere\n");
    }

    #[test]
    fn a_path_is_not_taken_apart() {
        let path = |n: usize| format!("/builds/workspace/shop/src/main/Part{n}.java:[{n},7]");
        let text: String = (0..9).map(|n| format!("[ERROR] {} cannot find symbol\n", path(n))).collect();
        let short: String = (0..9).map(|n| path(n) + "\n").collect();
        check(&text, &format!("[a123 9 lines begin with `[ERROR] ` and end with ` cannot find symbol`]\n{short}"));
        let paths = "src/main/java/org/shop/Cart.java\nsrc/main/java/org/shop/Order.java\n".repeat(4);
        check(&paths, &paths);
    }

    #[test]
    fn lines_that_are_all_shared_and_other_scripts_come_back() {
        for text in
            ["aaaaaaaa\n".repeat(30), "åäö世界世界 x\nåäö世界世界 y\n".repeat(12), "a `b` c d e f g\n".repeat(20)]
        {
            let made = sections(&text, "a123").unwrap();
            assert_eq!(undo_sections(&made, "a123").as_deref(), Some(text.as_str()), "{}", made.text);
        }
    }
}
