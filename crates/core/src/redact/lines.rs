//! Rules that are searched for in whole lines: those of users, and the few built-in ones with keywords.

use super::rule::Approach;
use super::rules::Rules;
use super::scan::{Segment, Span, With, weight};
use super::tokens;
use crate::byte_set::among;

/// Which lines were searched for which rule, so that a line with many keywords is searched once.
#[derive(Debug, Default)]
pub(super) struct Searched {
    lines: Vec<(u16, usize)>,
}

impl Searched {
    /// Whether this is the first time for `rule` and the line that starts at `line`.
    fn first(&mut self, rule: u16, line: usize) -> bool {
        match self.lines.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, known)) if *known == line => false,
            Some((_, known)) => {
                *known = line;
                true
            }
            None => {
                self.lines.push((rule, line));
                true
            }
        }
    }
}

/// Where the string ends that begins with the secret `start..end`, if one does and it goes on behind a blank: `-P 'a b'`.
fn to_its_quote(line: &[u8], start: usize, end: usize) -> usize {
    let mark = start.checked_sub(1).and_then(|before| line.get(before)).copied().unwrap_or(b' ');
    let opens = among!(mark, b"\"'") && start.checked_sub(2).is_none_or(|at| line.get(at) != Some(&b'\\'));
    if !opens || line.get(end) != Some(&b' ') {
        return end;
    }
    let rest = line.get(end..line.len().min(end + 64)).unwrap_or_default();
    memchr::memchr(mark, rest).map_or(end, |close| end + close)
}

/// Searches for the users' rules.
pub(super) fn scan(segment: &Segment<'_>, rules: &Rules, spans: &mut Vec<Span>) {
    if !rules.has_user_rules() {
        return;
    }
    let mut searched = Searched::default();
    rules.user_hits(segment.part(segment.start, segment.end), |at, rule| {
        search(segment, rules, rule, segment.start + at, &mut searched, spans);
    });
    let mut at = segment.start;
    while at < segment.end && !rules.always.is_empty() {
        for &rule in &rules.always {
            search(segment, rules, rule, at, &mut searched, spans);
        }
        at = segment.line(at).1 + 1;
    }
}

/// Searches the line around `at` for everything that `rule` finds.
pub(super) fn search(
    segment: &Segment<'_>,
    rules: &Rules,
    number: u16,
    at: usize,
    searched: &mut Searched,
    spans: &mut Vec<Span>,
) {
    let Some(rule) = rules.rule(number).filter(|rule| rule.approach == Approach::Line) else { return };
    let (line_start, _) = segment.line(at);
    let line_end = segment.line_end(at);
    if !searched.first(number, line_start) {
        return;
    }
    let line = segment.part(line_start, line_end);
    if !rule.may_be_in(line) {
        return;
    }
    let Some(regex) = rule.regex() else { return };
    let mut from = 0;
    while from < line.len() {
        let Some(captures) = regex.captures_at(line, from) else { break };
        let Some((start, end)) = tokens::secret_of(&captures) else { break };
        let whole = captures.get(0).map_or(end, |whole| whole.end());
        let end = to_its_quote(line, start, end);
        let (first, last) = (line_start + start, line_start + end);
        from = end.max(whole).max(from + 1);
        if first < segment.start || first >= segment.end || start == end {
            continue;
        }
        let secret = segment.part(first, last);
        if rule.accepts(secret) && memchr::memmem::find(secret, b"[REDACTED").is_none() && !rules.allowed(secret) {
            spans.push(Span {
                start: first,
                end: last,
                kind: rule.kind,
                weight: if rule.builtin { weight::NAMED } else { weight::USER },
                with: With::Placeholder,
            });
        }
    }
}
