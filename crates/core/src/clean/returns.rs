//! The meaning of a carriage return inside a line: back to the start of it, or the end of it.
//!
//! A terminal goes back. But texts whose lines end with CR exist, and reading them so would lose all lines but the last
//! in silence. So the *states* of a line, which carriage returns separate, are compared. A progress display erases what
//! it overwrites, or shows the same words with other numbers; the lines of a text do neither. In doubt nothing is
//! overwritten.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::sequence::{self, Token};
use crate::text;

/// The meaning of a carriage return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Returns {
    /// Back to the start of the line; what follows overwrites it.
    Start,
    /// The end of a line.
    End,
}

/// A LF is near where at most so many states stand before it. Then the line is judged as a whole.
const NEAR: usize = 64;

/// A line of fewer states whose LF is near is what a terminal shows of it.
const FEW: usize = 4;

/// A state of more bytes fits no line of a terminal, so nothing overwrites it.
pub(super) const WIDEST: usize = 1000;

/// Where a line that carriage returns divide stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// The last state before the line's text, where a part of the line was written already.
    pub(super) before: Option<&'a str>,
    /// Whether the input has lines that end with LF.
    pub(super) feeds: bool,
    /// Whether the line has come to its end: by LF, or with the input.
    pub(super) ended: bool,
}

/// The meaning of each carriage return in `line`, in order.
pub(super) fn meanings(line: &str, around: &Surroundings<'_>) -> Vec<Returns> {
    let states: Vec<State<'_>> = line.split('\r').map(State::read).collect();
    let returns = states.len() - 1;
    let shown: Vec<usize> = (0..states.len()).filter(|&at| states.get(at).is_some_and(State::is_shown)).collect();
    if around.feeds && around.ended && around.before.is_none() && shown.len() <= NEAR {
        return vec![of_short(shown.iter().filter_map(|&at| states.get(at))); returns];
    }
    let before = around.before.map(State::read).filter(State::is_shown);
    let mut meanings: Vec<Option<Returns>> = Vec::with_capacity(returns);
    let mut last = before.as_ref();
    let mut meaning = None;
    for &at in &shown {
        let Some(state) = states.get(at) else { continue };
        meaning = last.map(|last| between(last, state));
        meanings.resize(at, meaning);
        last = Some(state);
    }
    // Those behind the last state go on as those before it did.
    let nothing_said = if around.feeds { Returns::Start } else { Returns::End };
    let alone = last.map_or(nothing_said, |last| if last.shows_progress() { Returns::Start } else { Returns::End });
    meanings.resize(returns, Some(meaning.unwrap_or(alone)));
    // Those before the first state overwrite nothing. Where no line ends with LF they may be empty lines.
    let first = meanings.iter().flatten().next().copied().unwrap_or(alone);
    let leading = if around.feeds { Returns::Start } else { first };
    meanings.into_iter().map(|meaning| meaning.unwrap_or(leading)).collect()
}

/// The meaning of all carriage returns of a line whose LF is near.
fn of_short<'s>(shown: impl Iterator<Item = &'s State<'s>>) -> Returns {
    let shown: Vec<&State<'_>> = shown.collect();
    let progress = || shown.iter().filter(|state| state.shows_progress()).count();
    if shown.len() < FEW || progress() * 2 >= shown.len() {
        return Returns::Start;
    }
    let overwrites = |pair: &&[&State<'_>]| matches!(pair, [one, next] if erased(one, next) || are_alike(one, next));
    let overwritten = shown.windows(2).filter(overwrites).count();
    if overwritten * 2 >= shown.len() - 1 { Returns::Start } else { Returns::End }
}

/// The meaning of the carriage returns between two states of a line whose LF is far, or never comes.
fn between(one: &State<'_>, next: &State<'_>) -> Returns {
    let progress = one.shows_progress() && next.shows_progress() && are_alike(one, next);
    if one.fits && next.fits && (progress || erased(one, next)) { Returns::Start } else { Returns::End }
}

/// Whether a program erased the line between two states.
fn erased(one: &State<'_>, next: &State<'_>) -> bool {
    one.erases_behind || next.erases_before
}

/// Whether two states are the same words, but for a few, with other numbers and signs.
fn are_alike<'a>(one: &'a State<'_>, next: &'a State<'_>) -> bool {
    if one.words.is_ascii() && next.words.is_ascii() {
        let letters = |words: &'a str| words.bytes().filter(u8::is_ascii_alphabetic);
        letters_are_alike(letters(&one.words), letters(&next.words))
    } else {
        let letters = |words: &'a str| words.chars().filter(|c| c.is_alphabetic());
        letters_are_alike(letters(&one.words), letters(&next.words))
    }
}

fn letters_are_alike<T: PartialEq>(
    one: impl DoubleEndedIterator<Item = T> + Clone,
    next: impl DoubleEndedIterator<Item = T> + Clone,
) -> bool {
    let same = |pair: &(T, T)| pair.0 == pair.1;
    let shorter = one.clone().count().min(next.clone().count());
    let same_start = one.clone().zip(next.clone()).take_while(same).count();
    // Most often nothing but numbers differs.
    if shorter <= 3 || same_start * 4 >= shorter * 3 {
        return true;
    }
    let same_end = one.rev().zip(next.rev()).take_while(same).count();
    (same_start + same_end) * 4 >= shorter * 3
}

/// Parts of bars, rates and sizes that progress displays show.
static PROGRESS: LazyLock<[Finder<'static>; 12]> = LazyLock::new(|| {
    ["==", "##", "--:--", "[>", "B/s", "it/s", "ETA", "eta ", " kB", " MB", "KiB", "MiB"].map(Finder::new)
});

/// What stands between two carriage returns.
struct State<'a> {
    /// Its text, without sequences and the blanks at its end.
    words: Cow<'a, str>,
    /// Whether it fits a line of a terminal.
    fits: bool,
    /// Whether it begins by erasing, or by moving elsewhere.
    erases_before: bool,
    /// Whether it ends so.
    erases_behind: bool,
}

impl<'a> State<'a> {
    fn read(state: &'a str) -> State<'a> {
        let fits = state.len() <= WIDEST;
        if !sequence::has_special(state) {
            return State { words: Cow::Borrowed(state.trim_end()), fits, erases_before: false, erases_behind: false };
        }
        let mut words = String::new();
        let (mut erases_before, mut erases_behind, mut coloured) = (false, false, false);
        let mut rest = text::slice(state, 0..text::floor(state, WIDEST));
        while let Some((token, width)) = sequence::next(rest, true) {
            let behind_colour = std::mem::replace(&mut coloured, matches!(token, Token::Sequence));
            match token {
                Token::Text(more) => {
                    words.push_str(more);
                    erases_behind = false;
                }
                // Compilers and searches erase the rest of the line behind each colour, whatever stands there.
                Token::Command(_) if behind_colour => {}
                Token::Command(command) if command.letter != 0 => {
                    erases_before |= words.is_empty();
                    erases_behind = true;
                }
                Token::Command(_) | Token::Return | Token::Back | Token::Nul | Token::Control | Token::Sequence => {}
            }
            rest = text::slice(rest, width..rest.len());
        }
        words.truncate(words.trim_end().len());
        State { words: Cow::Owned(words), fits, erases_before, erases_behind }
    }

    fn is_shown(&self) -> bool {
        !self.words.is_empty()
    }

    /// Whether it has what progress displays have: a percentage, a bar, a count of a total, a rate.
    fn shows_progress(&self) -> bool {
        let words = self.words.as_ref();
        let bytes = words.as_bytes();
        memchr_iter(b'%', bytes).any(|at| at > 0 && bytes.get(at - 1).is_some_and(u8::is_ascii_digit))
            || counts_a_total(bytes)
            || PROGRESS.iter().any(|part| part.find(bytes).is_some())
            || !words.is_ascii()
                && words.contains(['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '░', '▒', '▓', '━', '╸', '⣿'])
    }
}

/// Whether a text holds `7/20`, and not as a part of a date (`2024/11/06`).
fn counts_a_total(bytes: &[u8]) -> bool {
    memchr_iter(b'/', bytes).any(|slash| {
        let (before, behind) = (bytes.get(..slash).unwrap_or_default(), bytes.get(slash + 1..).unwrap_or_default());
        let left = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let right = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let goes_on = behind.get(right) == Some(&b'/') || before.iter().rev().nth(left) == Some(&b'/');
        left > 0 && right > 0 && !goes_on
    })
}
