//! Lines that stand out by a number: the slowest, the largest, the fewest.
//!
//! What is compared depends on the question and on the document: a column of CSV whose heading is asked for, a number
//! behind a key that is asked for, else how long something took, how large it is, or the largest whole number of a line.

use std::io;

use offcut_core::document::Document;
use offcut_core::text;

use super::query::Query;
use super::roles::RoleHit;
use offcut::words::WordSplitter;

/// How many lines are told.
const MOST: usize = 5;

/// Documents of more bytes are not compared line by line.
const LARGEST: u64 = 64 * 1024 * 1024;

/// How much of a line is read, in bytes.
const REACH: usize = 4000;

/// What a question compares by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extreme {
    measure: Measure,
    least: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Time,
    Size,
    Number,
}

/// Words that compare, what they compare, and whether the least is meant.
const WORDS: [(&str, Measure, bool); 25] = [
    ("slowest", Measure::Time, false),
    ("longest", Measure::Time, false),
    ("fastest", Measure::Time, true),
    ("quickest", Measure::Time, true),
    ("shortest", Measure::Time, true),
    ("largest", Measure::Size, false),
    ("biggest", Measure::Size, false),
    ("heaviest", Measure::Size, false),
    ("smallest", Measure::Size, true),
    ("highest", Measure::Number, false),
    ("greatest", Measure::Number, false),
    ("maximum", Measure::Number, false),
    ("most", Measure::Number, false),
    ("oldest", Measure::Number, false),
    ("hottest", Measure::Number, false),
    ("warmest", Measure::Number, false),
    ("costliest", Measure::Number, false),
    ("dearest", Measure::Number, false),
    ("busiest", Measure::Number, false),
    ("lowest", Measure::Number, true),
    ("least", Measure::Number, true),
    ("fewest", Measure::Number, true),
    ("minimum", Measure::Number, true),
    ("cheapest", Measure::Number, true),
    ("coldest", Measure::Number, true),
];

/// Units of time in seconds, as they stand behind a number.
const SECONDS: [(&str, f64); 14] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("ms", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
    ("secs", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("m", 60.0),
    ("min", 60.0),
    ("minutes", 60.0),
    ("h", 3600.0),
    ("hours", 3600.0),
];

/// Units of size in bytes.
const BYTES: [(&str, f64); 13] = [
    ("b", 1.0),
    ("bytes", 1.0),
    ("k", 1e3),
    ("kb", 1e3),
    ("kib", 1024.0),
    ("m", 1e6),
    ("mb", 1e6),
    ("mib", 1_048_576.0),
    ("g", 1e9),
    ("gb", 1e9),
    ("gib", 1_073_741_824.0),
    ("t", 1e12),
    ("tb", 1e12),
];

/// Keys of times that have no unit.
const TIME_KEYS: [&str; 9] =
    ["rt", "time", "duration", "elapsed", "took", "latency", "responsetime", "response_time", "seconds"];

impl Extreme {
    /// What a question compares by, if it does.
    pub(super) fn read(asked: &str) -> Option<Extreme> {
        let lower = asked.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        let (_, measure, least) = words.find_map(|word| WORDS.iter().find(|(known, ..)| *known == word))?;
        // `the most time`, `the largest delay`: what is compared decides.
        let has = |signs: &[&str]| signs.iter().any(|sign| lower.contains(sign));
        let measure = match measure {
            Measure::Number if has(&[" time", "took", "duration", "latency", "seconds"]) => Measure::Time,
            Measure::Number if has(&["memory", "space", "size", "bytes"]) => Measure::Size,
            other => *other,
        };
        Some(Extreme { measure, least: *least })
    }
}

/// The lines of a document that stand out by what a question compares, the most first.
pub(super) fn lines(document: &dyn Document, query: &Query, extreme: Extreme) -> io::Result<Vec<RoleHit>> {
    if document.extent().bytes > LARGEST {
        return Ok(Vec::new());
    }
    let mut reader = WordSplitter::default();
    let mut comparison = Comparison { extreme, column: None, found: Default::default() };
    let mut lines = document.lines();
    while let Some(line) = lines.next_line()? {
        if !line.first {
            continue;
        }
        let words = text::slice(line.text, 0..REACH);
        if line.position.line == 0 {
            comparison.column = column(words, query, &mut reader);
        }
        let asked = asked_share(words, query, &mut reader);
        let bytes = line.range();
        let hit =
            RoleHit { line: line.position.line, start: bytes.start, end: bytes.end, worth: 0.0, shape: 0, count: 1 };
        comparison.push(words, asked, query, &mut reader, hit);
    }
    Ok(comparison.finish())
}

/// The best lines so far, for each way of comparing, the surest first.
struct Comparison {
    extreme: Extreme,
    column: Option<usize>,
    /// By a column or key that is asked for; in lines that have a word of the question; in any line.
    found: [Vec<(f64, RoleHit)>; 3],
}

impl Comparison {
    fn push(&mut self, words: &str, asked: bool, query: &Query, reader: &mut WordSplitter, hit: RoleHit) {
        let keyed = match self.column {
            Some(column) => words.split(',').nth(column).and_then(|field| field.trim().parse::<f64>().ok()),
            None => by_key(words, query, reader),
        };
        let plain = || measure(words, self.extreme.measure);
        let (place, value) = match (keyed, asked) {
            (Some(value), _) => (0, Some(value)),
            (None, true) => (1, plain()),
            (None, false) => (2, plain()),
        };
        let Some(value) = value else { return };
        let value = if self.extreme.least { -value } else { value };
        let Some(best) = self.found.get_mut(place) else { return };
        let at = best.partition_point(|(known, _)| *known >= value);
        if at < MOST {
            best.insert(at, (value, hit));
            best.truncate(MOST);
        }
    }

    fn finish(self) -> Vec<RoleHit> {
        let best = self.found.into_iter().find(|best| best.len() > 1).unwrap_or_default();
        best.into_iter().map(|(_, hit)| hit).collect()
    }
}

/// Whether a line has a word that is looked for.
fn asked_share(words: &str, query: &Query, reader: &mut WordSplitter) -> bool {
    let mut found = false;
    reader.each(words.as_bytes(), |token| {
        found = found || query.terms_of(token).iter().any(|at| query.terms.get(*at).is_some_and(|term| !term.meant));
    });
    found
}

/// Which column of CSV has a heading with a word that is looked for.
fn column(heading: &str, query: &Query, reader: &mut WordSplitter) -> Option<usize> {
    let fields = heading.split(',');
    (heading.matches(',').count() >= 2).then_some(())?;
    fields.enumerate().find(|(_, field)| asked_share(field, query, reader)).map(|(at, _)| at)
}

/// The number behind a key with a word that is looked for: `"Worldwide Gross": 12`, `size=12`.
fn by_key(words: &str, query: &Query, reader: &mut WordSplitter) -> Option<f64> {
    let quoted = words.split(',').find_map(|member| {
        let (key, value) = member.split_once("\":")?;
        let key = key.rsplit('"').next()?;
        let value = value.trim().trim_end_matches(['}', ']', ' ']);
        value.parse::<f64>().ok().filter(|_| asked_share(key, query, reader))
    });
    quoted.or_else(|| {
        words.split_whitespace().find_map(|word| {
            let (key, value) = word.split_once('=')?;
            value.parse::<f64>().ok().filter(|_| asked_share(key, query, reader))
        })
    })
}

/// The number by which a line is compared.
fn measure(words: &str, measure: Measure) -> Option<f64> {
    match measure {
        Measure::Time => in_units(words, &SECONDS).or_else(|| timed_key(words)),
        Measure::Size => in_units(words, &BYTES).or_else(|| whole_number(words)),
        Measure::Number => whole_number(words),
    }
}

/// The last number of a line that has one of these units, in the smallest of them.
fn in_units(words: &str, units: &[(&str, f64)]) -> Option<f64> {
    let unit_of = |unit: &str| units.iter().find(|(known, _)| known.eq_ignore_ascii_case(unit)).map(|(_, size)| *size);
    let parted = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '[' | ']' | '=' | ';' | '"' | '\'');
    let parts: Vec<&str> = words.split(parted).filter(|part| !part.is_empty()).collect();
    let mut found = None;
    for (at, part) in parts.iter().enumerate() {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (number, unit) = (text::slice(part, 0..digits), text::slice(part, digits..part.len()));
        let unit = if unit.is_empty() { parts.get(at + 1).copied().unwrap_or("") } else { unit };
        if let (Ok(number), Some(size)) = (number.parse::<f64>(), unit_of(unit.trim_end_matches(['.', ':', ';']))) {
            found = Some(number * size);
        }
    }
    found
}

/// A time behind a key that tells one, in seconds; in milliseconds where the key says so.
fn timed_key(words: &str) -> Option<f64> {
    let parted = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}' | '"' | ';');
    let parts: Vec<&str> = words.split(parted).filter(|part| !part.is_empty()).collect();
    let pairs = parts.iter().filter_map(|part| part.split_once(['=', ':']));
    let beside = parts.windows(2).filter_map(|pair| match pair {
        [key, value] => Some((*key, value.trim_start_matches(':'))),
        _ => None,
    });
    let named = |key: &str| {
        let key = key.trim_end_matches(':').to_ascii_lowercase();
        match key.strip_suffix("_ms").or(key.strip_suffix("ms")) {
            Some(_) => Some(1e-3),
            None => TIME_KEYS.contains(&key.as_str()).then_some(1.0),
        }
    };
    pairs.chain(beside).find_map(|(key, value)| Some(value.parse::<f64>().ok()? * named(key)?))
}

/// The largest whole number that stands by itself in a line.
fn whole_number(words: &str) -> Option<f64> {
    let numbers = words.split([' ', '\t', '|', ',', '(', ')']).filter_map(|word| word.parse::<u64>().ok());
    numbers.max().map(|number| number as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut_core::document::TextDocument;

    fn first(text: &str, asked: &str) -> u64 {
        let extreme = Extreme::read(asked).unwrap();
        lines(&TextDocument::new(text), &Query::read(asked), extreme).unwrap().first().map_or(0, |hit| hit.line + 1)
    }

    #[test]
    fn times_are_compared_whatever_their_unit() {
        let text = "0.31s call a\n1.25s call b\n900ms call c\n";
        assert_eq!(first(text, "which test was the slowest?"), 2);
        assert_eq!(first(text, "the fastest test"), 1);
        assert_eq!(first("[9.0s] Pause 8.2ms\n[9.1s] Pause 7.1ms\n[9.2s] Mark 90ms\n", "longest pause"), 1);
        assert_eq!(first("GET /a rt=0.01 x\nGET /b rt=2.0 y\nGET /c rt=1.5 z\n", "which took the most time?"), 2);
    }

    #[test]
    fn sizes_and_columns_are_compared() {
        assert_eq!(first("-rw 1 u 300 a\n-rw 1 u 9000 b\n-rw 1 u 20 c\n", "largest file"), 2);
        assert_eq!(first("4K a\n2M b\n900K c\n", "biggest folder"), 2);
        assert_eq!(first("day,rain,heat\n1,0.5,30\n2,9.5,10\n3,1.5,20\n", "the highest rain"), 3);
        let json = "{\"name\": \"a\", \"Gross Sales\": 5}\n{\"name\": \"b\", \"Gross Sales\": 70}\n";
        assert_eq!(first(json, "who has the lowest gross?"), 1);
    }

    #[test]
    fn a_question_that_compares_nothing_is_none() {
        assert_eq!(Extreme::read("why did it fail?"), None);
    }
}
