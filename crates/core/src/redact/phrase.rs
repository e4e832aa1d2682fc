//! Secrets made of words or of short codes, behind a line that announces them: seed phrases, recovery codes.

use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use crate::byte_set::among;

/// The words of a seed phrase between `from` and `end`, behind the words that announce it.
pub(super) fn behind(segment: &Segment<'_>, rules: &Rules, from: usize, end: usize, spans: &mut Vec<Span>) -> bool {
    let rest = segment.part(from, end);
    let skip = rest.iter().take_while(|b| !b.is_ascii_lowercase()).count();
    // `phrase is: …`, `phrase = "…"`
    let start = match memchr::memchr2(b':', b'=', rest.get(..rest.len().min(24)).unwrap_or_default()) {
        Some(operator) => from + operator + 1,
        None => from + skip,
    };
    // In a string it ends with the string: `"mnemonic": "…", "path": …`.
    let quoted = segment.part(start, end).trim_ascii_start().first().copied().filter(|b| among!(*b, b"\"'"));
    let end = quoted.map_or(end, |mark| {
        let mut marks = memchr::memchr_iter(mark, segment.part(start, end)).skip(1);
        marks.next().map_or(end, |close| start + close)
    });
    words(segment, rules, start, end, spans)
}

/// Takes the line `at..end` if it is a seed phrase: 12, 15, 18, 21 or 24 short words.
pub(super) fn words(segment: &Segment<'_>, rules: &Rules, at: usize, end: usize, spans: &mut Vec<Span>) -> bool {
    let Some(kind) = rules.detector(Detector::SeedPhrase) else { return false };
    let line = segment.part(at, end);
    let from = line.iter().take_while(|b| !b.is_ascii_lowercase()).count();
    let to = line.iter().rposition(u8::is_ascii_lowercase).map_or(from, |last| last + 1);
    let phrase = line.get(from..to).unwrap_or_default();
    let mut count = 0;
    for word in phrase.split(|b| b.is_ascii_whitespace()).filter(|word| !word.is_empty()) {
        if !(3..=8).contains(&word.len()) || !word.iter().all(u8::is_ascii_lowercase) {
            return false;
        }
        count += 1;
    }
    let seed = matches!(count, 12 | 15 | 18 | 21 | 24) && from <= 8;
    if seed {
        spans.push(Span { start: at + from, end: at + to, kind, weight: weight::BLOCK, with: With::Placeholder });
    }
    seed
}

/// Takes the codes in `from..end`, behind the words that announce them: `"recovery_codes": ["…", "…"]`.
pub(super) fn codes_behind(segment: &Segment<'_>, rules: &Rules, from: usize, end: usize, spans: &mut Vec<Span>) {
    let rest = segment.part(from, end);
    let Some(sign) = memchr::memchr2(b':', b'=', rest.get(..rest.len().min(8)).unwrap_or_default()) else { return };
    let list = rest.get(sign + 1..).unwrap_or_default();
    let length = memchr::memchr(b']', list).unwrap_or(list.len());
    let at = from + sign + 1;
    if !list.trim_ascii().is_empty() && at < segment.end {
        codes(segment, rules, at, at + length, spans);
    }
}

/// Takes the line `at..end` if it holds nothing but recovery codes: groups of letters and figures joined by a dash.
pub(super) fn codes(segment: &Segment<'_>, rules: &Rules, at: usize, end: usize, spans: &mut Vec<Span>) -> bool {
    let Some(kind) = rules.detector(Detector::RecoveryCode) else { return false };
    let line = segment.part(at, end);
    if line.trim_ascii().is_empty() {
        return line.is_empty();
    }
    let mut found = Vec::new();
    // Codes of figures alone come in groups, two and more of them on a line.
    let group = |word: &&[u8]| (4..=6).contains(&word.len()) && word.iter().all(u8::is_ascii_digit);
    let grouped = line.split(|b| *b == b' ').filter(group).count() >= 2;
    let mut from = 0;
    for word in line.split(|b| b.is_ascii_whitespace() || among!(*b, b"*,\"'[]")) {
        let start = from;
        from += word.len() + 1;
        let numbering = word.len() <= 3
            && !group(&word)
            && word.iter().all(|b| b.is_ascii_digit() || *b == b'.' || *b == b')' || *b == b'-');
        if word.is_empty() || numbering {
            continue;
        }
        let groups: Vec<&[u8]> = word.split(|&b| b == b'-').collect();
        let code =
            groups.iter().all(|group| (3..=10).contains(&group.len()) && group.iter().all(u8::is_ascii_alphanumeric))
                && (groups.len() >= 2 || word.len() >= 8)
                && word.iter().any(u8::is_ascii_digit)
                || grouped && group(&word);
        if !code || found.len() > 8 {
            return false;
        }
        found.push((start, start + word.len()));
    }
    for (start, end) in &found {
        spans.push(Span { start: at + start, end: at + end, kind, weight: weight::BLOCK, with: With::Placeholder });
    }
    !found.is_empty()
}

/// The word `from..to` if it is a key to recover a disk with: eight groups of six figures.
pub(super) fn recovery_key(segment: &Segment<'_>, rules: &Rules, from: usize, to: usize) -> Option<Span> {
    let to = if segment.before(to) == b'.' { to - 1 } else { to };
    let word = segment.part(from, to);
    let six = |group: &[u8]| group.len() == 6 && group.iter().all(u8::is_ascii_digit);
    let key = to - from == 55 && word.split(|&b| b == b'-').all(six) && !super::shape::monotonous(word);
    let kind = rules.detector(Detector::RecoveryCode).filter(|_| key)?;
    Some(Span { start: from, end: to, kind, weight: weight::NAMED, with: With::Placeholder })
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }

    #[test]
    fn codes_and_phrases_go_where_they_are_announced() {
        check(
            "Your backup codes:\n  1. 8hk2-9dkq\n  2. 71kd-p0zz\nKeep them.\n",
            "Your backup codes:\n  1. [REDACTED: RECOVERY_CODE]\n  2. [REDACTED: RECOVERY_CODE]\nKeep them.\n",
        );
        let words = "ripple canyon velvet lamp orbit siege maple thunder anchor pencil vivid goat";
        check(&format!("seed phrase: {words}\n"), "seed phrase: [REDACTED: SEED_PHRASE]\n");
        check(&format!("the mnemonic is\n\"{words}\"\n"), "the mnemonic is\n\"[REDACTED: SEED_PHRASE]\"\n");
    }

    #[test]
    fn a_sentence_stays() {
        for text in [
            "Write down your findings:\nthe canyon was dark and the lamp was out again so we left\n",
            "The seed phrase is twelve words that you must never show to anybody else at all\n",
            "Recovery options:\n2026-1116\n",
        ] {
            check(text, text);
        }
    }
}
