//! What a report claims of the document: quotations in every form, lines shown as its own, names, numbers.

use std::ops::Range;

use offcut_core::text;

use super::copied;
use super::presence::SoughtText;

/// The shortest part of a quotation with omissions that is looked for, in bytes.
const SHORTEST_PART: usize = 4;

/// How much of a quotation is looked for, in bytes.
const LONGEST: usize = 1000;

/// The most claims of a report.
const MOST: usize = 4000;

/// What a claim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimKind {
    /// Words within a line, between signs of quotation.
    Quotation,
    /// A line that is shown as one of the document's.
    Line,
    /// A name, a path, a number, or one word between signs of quotation.
    Name,
}

impl ClaimKind {
    /// Whether it is taken out where it does not hold, rather than marked.
    pub(super) fn is_quotation(self) -> bool {
        matches!(self, ClaimKind::Quotation | ClaimKind::Line)
    }
}

/// A claim of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claim {
    /// Its bytes in the report, with its signs of quotation.
    pub(super) range: Range<usize>,
    pub(super) kind: ClaimKind,
    /// It holds if all texts of one of these stand in the document. None at all: it holds.
    pub(super) forms: Vec<Vec<SoughtText>>,
}

/// The claims of a report about a document of so many lines, in order. A name counts where it first stands.
pub(super) fn claims(report: &str, lines: u64) -> Vec<Claim> {
    let mut found = Finder { lines, claims: Vec::new() };
    let mut fence: Option<&str> = None;
    let mut preformatted = false;
    for line in text::split(report) {
        let words = line.text.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| words.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) => found.line(line.text, line.start),
            (None, None) => {
                let opens = words.contains("<pre>");
                if preformatted && !words.contains("</pre>") {
                    found.line(line.text, line.start);
                } else if let Some(quoted) = words.strip_prefix('>') {
                    found.line(quoted, line.start + line.text.find('>').unwrap_or(0) + 1);
                } else {
                    found.prose(line.text, line.start);
                }
                preformatted = (preformatted || opens) && !words.contains("</pre>");
            }
        }
    }
    let mut claims = found.claims;
    let mut known: Vec<(Vec<Vec<SoughtText>>, ClaimKind)> = Vec::new();
    claims.retain(|claim| {
        let again = claim.kind == ClaimKind::Name && known.iter().any(|(forms, _)| *forms == claim.forms);
        known.push((claim.forms.clone(), claim.kind));
        !again
    });
    claims.truncate(MOST);
    claims
}

struct Finder {
    /// Lines of the document.
    lines: u64,
    claims: Vec<Claim>,
}

impl Finder {
    fn push(&mut self, range: Range<usize>, kind: ClaimKind, forms: Vec<Vec<SoughtText>>) {
        if forms.iter().any(|form| !form.is_empty()) {
            self.claims.push(Claim { range, kind, forms });
        }
    }

    /// A line that is quoted as a whole.
    fn line(&mut self, line: &str, start: usize) {
        let words = line.trim();
        let from = start + (line.len() - line.trim_start().len());
        if words.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
            return;
        }
        let forms = copied::readings(words).into_iter().map(parts).collect();
        self.push(from..from + words.len(), ClaimKind::Line, forms);
    }

    /// A line of the model's own, in which words may be quoted.
    fn prose(&mut self, line: &str, start: usize) {
        let from = copied::words_start(line);
        let words = text::slice(line, from..line.len());
        if copied::is_copied(words) {
            return self.line(words, start + from);
        }
        let mut at = from;
        let mut plain = from;
        while let Some(next) = text::slice(line, at..line.len()).chars().next() {
            match quoted(line, at) {
                Some(Quoted { inner, end }) => {
                    self.names(text::slice(line, plain..at), start + plain);
                    self.quotation(text::slice(line, inner), start + at..start + end);
                    at = end;
                    plain = end;
                }
                None => at += next.len_utf8(),
            }
        }
        self.names(text::slice(line, plain..line.len()), start + plain);
    }

    fn quotation(&mut self, words: &str, range: Range<usize>) {
        let words = words.trim();
        if words.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
            return;
        }
        if words.contains(char::is_whitespace) {
            let forms = copied::readings(words).into_iter().map(parts).collect();
            return self.push(range, ClaimKind::Quotation, forms);
        }
        // One word is a name; where nothing but letters is in it, its case does not count.
        let mut forms = self.name(words).unwrap_or_else(|| vec![vec![word(words)]]);
        if words.chars().all(char::is_alphabetic) {
            let lower = words.to_lowercase();
            let mut letters = lower.chars();
            let capital: String = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
            forms.extend([lower, capital, words.to_uppercase()].map(|form| vec![word(&form)]));
        }
        self.push(range, ClaimKind::Name, forms);
    }

    /// The names and numbers of a text.
    fn names(&mut self, text: &str, start: usize) {
        let mut before = "";
        let mut rest = 0;
        for written in text.split_whitespace() {
            let at = rest + text::slice(text, rest..text.len()).find(written).unwrap_or(0);
            rest = at + written.len();
            let (left, trimmed) = trim(written);
            let name = trimmed.strip_suffix("'s").or(trimmed.strip_suffix("’s")).unwrap_or(trimmed);
            let places = matches!(before.to_lowercase().as_str(), "line" | "lines" | "and" | "to" | "byte" | "bytes");
            let forms = match self.is_place(name, places) {
                true => None,
                false => self.name(name),
            };
            if let Some(forms) = forms {
                let from = start + at + left;
                self.push(from..from + name.len(), ClaimKind::Name, forms);
            }
            // `lines 3 and 9`: the word that tells what the numbers are goes on counting.
            if !(places && name.starts_with(|c: char| c.is_ascii_digit())) {
                before = name;
            }
        }
    }

    /// Whether a word is the number of a line that there is, or a range of such.
    fn is_place(&self, name: &str, told: bool) -> bool {
        let number = name.strip_prefix('L').or(told.then_some(name));
        number.is_some_and(|number| {
            number.split(['-', '–']).all(|part| part.parse::<u64>().is_ok_and(|line| line >= 1 && line <= self.lines))
        })
    }

    /// The forms of a word that is a name or a number; none if it is a plain word.
    fn name(&self, name: &str) -> Option<Vec<Vec<SoughtText>>> {
        if let Some(number) = number(name) {
            let mut forms = vec![vec![word(name)], vec![word(&number)]];
            if number.contains(',') {
                forms.push(vec![word(&number.replace(',', ""))]);
            }
            return Some(forms);
        }
        if !is_name(name) {
            return None;
        }
        let mut forms = vec![vec![word(name)]];
        // `src/a.rs:12:5` is a path and a line of it.
        let (path, _) = name.split_once(':').filter(|(_, line)| is_line_and_column(line)).unwrap_or((name, ""));
        let bare = path.trim_end_matches("()");
        if bare != name && !bare.is_empty() {
            forms.push(vec![word(bare)]);
        }
        // `3-5` and `a.b=c` are told by their parts.
        let pieces: Vec<&str> = name.split(['=', '–']).filter(|part| !part.is_empty()).collect();
        if pieces.len() > 1 {
            forms.push(pieces.into_iter().map(word).collect());
        } else if name.split('-').count() == 2 && name.split('-').all(|part| number(part).is_some()) {
            forms.push(name.split('-').map(word).collect());
        }
        Some(forms)
    }
}

fn word(text: &str) -> SoughtText {
    SoughtText { text: text.to_owned(), word: true }
}

/// The parts of a quotation between omissions.
fn parts(words: &str) -> Vec<SoughtText> {
    let whole = words.trim().trim_end_matches([',', '.', ';']);
    let cut = |part: &str| SoughtText { text: text::slice(part, 0..LONGEST).to_owned(), word: false };
    let omits = ["...", "…"].iter().any(|sign| whole.contains(sign));
    if !omits {
        return vec![cut(whole)];
    }
    let parts = whole.split("...").flat_map(|part| part.split('…'));
    let parts =
        parts.map(|part| part.trim().trim_end_matches([',', '.', ';', '[', '(']).trim_start_matches([']', ')']));
    parts.map(str::trim).filter(|part| part.len() >= SHORTEST_PART).map(cut).collect()
}

/// Words between signs of quotation: their bytes, and the end behind the closing sign.
struct Quoted {
    inner: Range<usize>,
    end: usize,
}

/// The quotation that opens at byte `at` of a line, if one does.
fn quoted(line: &str, at: usize) -> Option<Quoted> {
    let rest = text::slice(line, at..line.len());
    for (open, close) in [("<code>", "</code>"), ("<pre>", "</pre>"), ("``", "``"), ("`", "`")] {
        if let Some(inner) = rest.strip_prefix(open) {
            let length = inner.find(close)?;
            let from = at + open.len();
            return (length > 0).then_some(Quoted { inner: from..from + length, end: from + length + close.len() });
        }
    }
    let sign = rest.chars().next()?;
    let close = match sign {
        '"' => '"',
        '\'' => '\'',
        '“' | '„' => '”',
        '‘' => '’',
        '«' => '»',
        _ => return None,
    };
    let from = at + sign.len_utf8();
    let inner = text::slice(line, from..line.len());
    // A sign inside a word is an apostrophe, one before a blank closes, or stands for inches.
    let before = text::slice(line, 0..at).chars().next_back();
    let opens = before.is_none_or(|c| !c.is_alphanumeric()) && inner.chars().next().is_some_and(|c| !c.is_whitespace());
    if !opens {
        return None;
    }
    let closes = |place: usize| {
        let behind = text::slice(inner, place + close.len_utf8()..inner.len()).chars().next();
        close != '\'' && close != '’' || behind.is_none_or(|c| !c.is_alphanumeric())
    };
    let end = inner.match_indices(close).map(|(place, _)| place).find(|place| closes(*place));
    match end {
        Some(length) => Some(Quoted { inner: from..from + length, end: from + length + close.len_utf8() }),
        // A quotation that nobody closes goes to the end of the line; an apostrophe does not.
        None if !matches!(close, '\'' | '’') => Some(Quoted { inner: from..line.len(), end: line.len() }),
        None => None,
    }
}

/// A word without the signs around it, and how many bytes of them stand before it.
fn trim(written: &str) -> (usize, &str) {
    let starts = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '$' | '@' | '.' | '~' | '-'));
    let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/' | ')' | '%'));
    let left = written.len() - written.trim_start_matches(starts).len();
    let rest = written.trim_start_matches(starts).trim_end_matches(ends);
    let rest = if rest.ends_with(')') && !rest.ends_with("()") { rest.trim_end_matches(')') } else { rest };
    (left, rest.trim_end_matches(ends))
}

/// The digits of a number, with a unit or without.
fn number(word: &str) -> Option<String> {
    let word = word.trim_start_matches(['-', '+', '$', '€', '~']);
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '.')).len();
    let (number, unit) = (text::slice(word, 0..digits), text::slice(word, digits..word.len()));
    let number = number.trim_end_matches([',', '.']);
    let plain = number.starts_with(|c: char| c.is_ascii_digit()) && number.matches('.').count() <= 1;
    let ordinal = matches!(unit, "st" | "nd" | "rd" | "th");
    let unit = unit.len() <= 3 && unit.chars().all(|c| c.is_alphabetic() || c == '%') && !ordinal;
    (plain && unit).then(|| number.to_owned())
}

/// Whether a word is written as programs write: signs inside, a hump, digits among letters.
fn is_name(word: &str) -> bool {
    if word.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
        return false;
    }
    let letters: Vec<char> = word.chars().collect();
    let inside = |sign: char| word.trim_matches(sign).contains(sign);
    let hump = letters.windows(2).any(|pair| matches!(pair, [a, b] if a.is_lowercase() && b.is_uppercase()));
    let ordinal = word.starts_with(|c: char| c.is_ascii_digit())
        && ["st", "nd", "rd", "th"].iter().any(|end| word.ends_with(end));
    let digits = letters.iter().any(char::is_ascii_digit) && !ordinal;
    let dotted = inside('.') && word.split('.').any(|part| part.chars().count() > 1);
    // `and/or` is no path, `src/lib` may be none; `a/b/c` and `./a` are.
    let path = word.matches('/').count() >= 2 || ["/", "./", "../", "~/"].iter().any(|start| word.starts_with(start));
    let flag = word.starts_with("--") && word.len() > 3;
    hump || digits
        || dotted
        || path
        || flag
        || inside('_')
        || word.contains("::")
        || word.ends_with("()")
        || word.starts_with(['$', '@']) && word.len() > 2
}

fn is_line_and_column(text: &str) -> bool {
    !text.is_empty() && text.split(':').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(report: &str, kinds: &[ClaimKind]) -> Vec<String> {
        let all = claims(report, 100);
        let wanted = all.into_iter().filter(|claim| kinds.contains(&claim.kind));
        wanted.map(|claim| report.get(claim.range).unwrap().to_owned()).collect()
    }

    fn quotations(report: &str) -> Vec<String> {
        found(report, &[ClaimKind::Quotation, ClaimKind::Line])
    }

    fn names(report: &str) -> Vec<String> {
        found(report, &[ClaimKind::Name])
    }

    #[test]
    fn quotations_are_found_in_every_form() {
        assert_eq!(quotations("It says \"disk is full\" and \"no\"."), ["\"disk is full\""]);
        assert_eq!(quotations("It says 'a b', don't it, at the users' place 'c d'"), ["'a b'", "'c d'"]);
        assert_eq!(
            quotations("see `a b` and ``c ` d`` and <code>e f</code>"),
            ["`a b`", "``c ` d``", "<code>e f</code>"]
        );
        assert_eq!(quotations("“a b” ‘c d’ «e f»"), ["“a b”", "‘c d’", "«e f»"]);
        assert_eq!(quotations("```rust\nlet a;\n\nb\n```\nand\n~~~\nc d"), ["let a;", "c d"]);
        assert_eq!(quotations("It says:\n> one two\n>three"), ["one two", "three"]);
        assert_eq!(quotations("<pre>\none two\n</pre>\nplain words"), ["one two"]);
        assert_eq!(quotations("an open \"quotation that never ends"), ["\"quotation that never ends"]);
        assert_eq!(quotations("- Line 3: error: no room\nThe disk is full."), ["error: no room"]);
        assert_eq!(quotations("a 5\" disk and a 3\" disk"), [""; 0]);
    }

    #[test]
    fn omissions_part_a_quotation() {
        let all = claims("“error: cannot … the file foo”", 1);
        let texts: Vec<&str> = all[0].forms[0].iter().map(|wanted| wanted.text.as_str()).collect();
        assert_eq!(texts, ["error: cannot", "the file foo"]);
    }

    #[test]
    fn names_and_numbers_are_told_from_plain_words() {
        assert_eq!(
            names("In src/net/a.rs:12, parse_file() and DbPool failed 37 times (40%) with E0425, took 3.5s."),
            ["src/net/a.rs:12", "parse_file()", "DbPool", "37", "40%", "E0425", "3.5s"]
        );
        assert_eq!(
            names("A read/write error, e.g. of the 1st disk, and/or more. See --all-targets."),
            ["--all-targets"]
        );
        assert_eq!(names("1. first\n2) second\n"), [""; 0]);
        assert_eq!(names("`redis` is \"down\", `redis` is"), ["`redis`", "\"down\""]);
    }

    #[test]
    fn numbers_of_lines_that_there_are_need_not_stand_in_the_document() {
        assert_eq!(names("lines 12-15, line 99 and L7, lines 3 and 9"), [""; 0]);
        assert_eq!(names("line 101"), ["101"]);
    }
}
