//! The conditions of a rule: all that it names must hold.

use super::hooks::Hook;
use super::view::View;
use crate::line::signals::Signals;
use crate::text;

/// The indentation that a rule asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Indent {
    /// Whatever it is.
    #[default]
    Any,
    /// None.
    None,
    /// Some.
    Some,
    /// A tab.
    Tab,
}

/// What a line must be like; an empty list asks for nothing.
#[derive(Debug)]
pub(crate) struct Conditions<L> {
    /// Begins with one of these.
    pub(crate) starts: L,
    /// Begins with one of these (lower case), in any case.
    pub(crate) begins: L,
    /// Begins with one of these (lower case), in any case, behind brackets and marks.
    pub(crate) label: L,
    /// Is one of these.
    pub(crate) equals: L,
    /// Ends with one of these.
    pub(crate) ends: L,
    /// Ends with one of these as a word of its own.
    pub(crate) ends_word: L,
    /// Holds one of these.
    pub(crate) contains: L,
    /// Holds all of these.
    pub(crate) contains_all: L,
    /// Holds one of these (lower case), in any case.
    pub(crate) says: L,
    /// Does not begin with any of these.
    pub(crate) not_starts: L,
    /// Does not hold any of these.
    pub(crate) not_contains: L,
    /// Holds a word that signals one of these.
    pub(crate) signals: Signals,
    /// Is indented so.
    pub(crate) indent: Indent,
    /// Is indented by so many bytes at least.
    pub(crate) min_indent: usize,
    /// Is so many bytes long at most.
    pub(crate) max_length: usize,
    /// `label`, `contains`, `contains_all` and `says` look at so many bytes.
    pub(crate) reach: usize,
    /// What only code can tell.
    pub(crate) hook: Option<Hook>,
    /// Matches this.
    pub(crate) regex: Option<regex::Regex>,
}

/// Literals that a line is compared with.
pub(crate) trait Literals {
    fn is_empty(&self) -> bool;
    fn each(&self) -> impl Iterator<Item = &str>;
}

impl Literals for &'static [&'static str] {
    fn is_empty(&self) -> bool {
        <[_]>::is_empty(self)
    }

    fn each(&self) -> impl Iterator<Item = &str> {
        self.iter().copied()
    }
}

impl Literals for Vec<String> {
    fn is_empty(&self) -> bool {
        Vec::is_empty(self)
    }

    fn each(&self) -> impl Iterator<Item = &str> {
        self.iter().map(String::as_str)
    }
}

/// Brackets and marks that may stand before a label.
const MARKS: [char; 11] = ['[', '(', '*', '!', ' ', '<', '✘', '│', '|', '>', '╷'];

impl<L: Literals> Conditions<L> {
    /// Whether `view` satisfies all of them.
    pub(crate) fn hold(&self, view: &View<'_>) -> bool {
        let line = view.line;
        if self.signals != Signals::NONE && !view.signals.has(self.signals) {
            return false;
        }
        let indented = match self.indent {
            Indent::Any => true,
            Indent::None => view.indent == 0,
            Indent::Some => view.indent > 0,
            Indent::Tab => view.tabbed,
        };
        if !indented || view.indent < self.min_indent || line.len() > self.max_length {
            return false;
        }
        let any = |list: &L, test: &dyn Fn(&str) -> bool| list.is_empty() || list.each().any(test);
        let none = |list: &L, test: &dyn Fn(&str) -> bool| list.is_empty() || !list.each().any(test);
        let mut rest = line;
        if !self.starts.is_empty() {
            match self.starts.each().find_map(|start| line.strip_prefix(start)) {
                Some(behind) => rest = behind,
                None => return false,
            }
        }
        let reached = || if self.reach < line.len() { text::slice(line, 0..self.reach) } else { line };
        any(&self.ends, &|end| line.ends_with(end))
            && any(&self.equals, &|whole| line == whole)
            && any(&self.begins, &|start| begins(line, start))
            && any(&self.ends_word, &|word| ends_word(line, word))
            && (self.contains_all.is_empty() || self.contains_all.each().all(|part| reached().contains(part)))
            && any(&self.contains, &|part| reached().contains(part))
            && (self.label.is_empty() || {
                let label = reached().trim_start_matches(MARKS);
                self.label.each().any(|start| begins(label, start))
            })
            && (self.says.is_empty() || {
                let lower = view.lower();
                let lower = if self.reach < lower.len() { text::slice(lower, 0..self.reach) } else { lower };
                self.says.each().any(|part| lower.contains(part))
            })
            && none(&self.not_starts, &|start| line.starts_with(start))
            && none(&self.not_contains, &|part| line.contains(part))
            && self.hook.is_none_or(|hook| hook.holds(view, rest))
            && self.regex.as_ref().is_none_or(|regex| regex.is_match(line))
    }
}

/// Whether `line` begins with `start`, in any case.
fn begins(line: &str, start: &str) -> bool {
    line.as_bytes().get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start.as_bytes()))
}

/// Whether `line` ends with `word`, not as the end of a longer one.
fn ends_word(line: &str, word: &str) -> bool {
    line.strip_suffix(word).is_some_and(|rest| rest.is_empty() || rest.ends_with([' ', '\t', '.']))
}
