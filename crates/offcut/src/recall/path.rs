//! A JSONPath, taken apart so that a large document can be walked one segment at a time.

use std::cell::OnceCell;
use std::ops::Range;

use serde_json_path::JsonPath;

use super::RecallError;

/// The longest JSONPath that is taken, in bytes.
const LONGEST: usize = 4096;

/// How deep brackets and parentheses may be nested; every level costs the parser more than the one before.
const DEEPEST: usize = 12;

/// A JSONPath that was checked, and its segments.
#[derive(Debug)]
pub(super) struct Path {
    segments: Vec<Segment>,
    /// The path from each segment on, as a query of its own; made when it is needed.
    suffixes: Vec<OnceCell<JsonPath>>,
    /// The same, with a descendant segment at the beginning made an ordinary one.
    plain: Vec<OnceCell<JsonPath>>,
}

/// One segment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Segment {
    /// As it was written, without the second dot of a descendant segment.
    text: String,
    /// Whether it applies to every descendant too.
    pub(super) descends: bool,
    /// What it selects.
    pub(super) step: Step,
    /// How many selectors it has.
    selectors: u64,
}

/// What a segment selects among the children of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// The member of this name.
    Name(String),
    /// The member of this number; negative ones count from the end.
    Index(i64),
    /// Members in order, by number.
    Slice { start: Option<i64>, end: Option<i64>, step: u64 },
    /// All members.
    All,
    /// Members that pass a filter which looks at nothing but the member.
    Filter,
    /// Anything else: it needs all the members at once.
    Other,
}

impl Path {
    /// Checks a JSONPath and takes it apart.
    pub(super) fn parse(path: &str) -> Result<Path, RecallError> {
        let bad = |why: String| RecallError::BadQuery { why };
        if path.len() > LONGEST {
            return Err(bad(format!("a JSONPath has at most {LONGEST} bytes, this one has {}", path.len())));
        }
        if nesting(path) > DEEPEST {
            return Err(bad(format!("brackets and parentheses may be nested {DEEPEST} deep, these are deeper")));
        }
        if !path.starts_with('$') {
            let shown = path.chars().take(80).flat_map(char::escape_debug).collect::<String>();
            return Err(bad(format!("`{shown}` does not begin with `$`, as in `$.users[?@.age > 30].name`")));
        }
        let whole = JsonPath::parse(path).map_err(|error| {
            let (position, message) = (error.position(), error.message());
            bad(format!(
                "at position {position}, {message}; a JSONPath (RFC 9535) looks like `$.users[?@.age > 30].name`"
            ))
        })?;
        let segments = segments(path);
        let cells = || -> Vec<OnceCell<JsonPath>> { (0..=segments.len()).map(|_| OnceCell::new()).collect() };
        let (suffixes, plain) = (cells(), cells());
        if let Some(first) = suffixes.first() {
            // A fresh cell takes its first value.
            let _ = first.set(whole);
        }
        Ok(Path { segments, suffixes, plain })
    }

    /// Segment number `at`; `None` behind the last.
    pub(super) fn segment(&self, at: usize) -> Option<&Segment> {
        self.segments.get(at)
    }

    /// The path from segment `at` on; `plainly` makes a descendant segment there an ordinary one.
    pub(super) fn suffix(&self, at: usize, plainly: bool) -> Result<&JsonPath, RecallError> {
        let cells = if plainly { &self.plain } else { &self.suffixes };
        let cell = cells.get(at).ok_or_else(|| RecallError::BadQuery { why: "it has no such segment".to_owned() })?;
        if let Some(path) = cell.get() {
            return Ok(path);
        }
        let mut path = "$".to_owned();
        for (number, segment) in self.segments.iter().enumerate().skip(at) {
            if segment.descends && !(plainly && number == at) {
                path.push_str(if segment.text.starts_with('.') { "." } else { ".." });
            }
            path.push_str(&segment.text);
        }
        let path = JsonPath::parse(&path).map_err(|error| RecallError::BadQuery { why: error.to_string() })?;
        Ok(cell.get_or_init(|| path))
    }

    /// Whether a filter looks at the whole document, so that the path cannot be asked of a part.
    pub(super) fn looks_at_root(&self) -> bool {
        self.segments.iter().any(|segment| unquoted(segment.text.as_bytes()).any(|(_, byte)| byte == b'$'))
    }

    /// How many values are visited at most from segment `at` on, repeats included, in a tree of `count` values.
    pub(super) fn visits(&self, at: usize, count: u64, depth: u64) -> u64 {
        // A filter that searches the whole document does so for each of its members.
        let searches = self
            .segments
            .iter()
            .any(|segment| ["$..", "$[*", "$.*", "$[?"].iter().any(|search| segment.text.contains(search)));
        let count = if searches { count.saturating_mul(count) } else { count };
        count.saturating_mul(self.multiplicity(at, depth))
    }

    /// How often one node can come up at most.
    fn multiplicity(&self, at: usize, depth: u64) -> u64 {
        let rest = self.segments.iter().skip(at);
        let times = rest.clone().fold(1u64, |times, segment| times.saturating_mul(segment.selectors));
        let descents = rest.filter(|segment| segment.descends).count().saturating_sub(1);
        (0..descents).fold(times, |times, _| times.saturating_mul(depth.max(1)))
    }
}

/// How deep brackets and parentheses are nested outside of strings.
fn nesting(path: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for (_, byte) in unquoted(path.as_bytes()) {
        match byte {
            b'[' | b'(' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The bytes that stand outside of string literals, with their places.
fn unquoted(path: &[u8]) -> impl Iterator<Item = (usize, u8)> + '_ {
    let (mut quote, mut escaped) = (None, false);
    path.iter().enumerate().filter_map(move |(at, &byte)| match quote {
        Some(_) if escaped => {
            escaped = false;
            None
        }
        Some(_) if byte == b'\\' => {
            escaped = true;
            None
        }
        Some(open) => {
            if byte == open {
                quote = None;
            }
            None
        }
        None if byte == b'"' || byte == b'\'' => {
            quote = Some(byte);
            None
        }
        None => Some((at, byte)),
    })
}

/// The segments of a path that is known to be a JSONPath.
fn segments(path: &str) -> Vec<Segment> {
    let bytes = path.as_bytes();
    let mut segments = Vec::new();
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let descends = bytes.get(at..at + 2) == Some(b"..");
        let start = if descends && bytes.get(at + 2) == Some(&b'[') { at + 2 } else { at + usize::from(descends) };
        let end = if bytes.get(start) == Some(&b'[') { closing(bytes, start) } else { name_end(bytes, start) };
        let Some(text) = path.get(start..end) else { break };
        let (step, selectors) = step(text);
        segments.push(Segment { text: text.to_owned(), descends, step, selectors });
        at = end;
    }
    segments
}

fn name_end(bytes: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| matches!(byte, b'.' | b'[') || byte.is_ascii_whitespace();
    let rest = bytes.get(start + 1..).unwrap_or_default();
    start + 1 + rest.iter().position(ends).unwrap_or(rest.len())
}

/// Behind the bracket that closes the one at `start`.
fn closing(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0usize;
    for (offset, byte) in unquoted(bytes.get(start..).unwrap_or_default()) {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return start + offset + 1;
        }
    }
    bytes.len()
}

fn step(text: &str) -> (Step, u64) {
    if let Some(name) = text.strip_prefix('.') {
        return (if name == "*" { Step::All } else { Step::Name(name.to_owned()) }, 1);
    }
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text).trim();
    let selectors = 1 + top_level(inside, b',').len() as u64;
    if selectors > 1 {
        return (Step::Other, selectors);
    }
    let step = match inside.as_bytes().first() {
        Some(b'*') => Step::All,
        Some(b'?') => Step::Filter,
        Some(b'"' | b'\'') => literal(inside).map_or(Step::Other, Step::Name),
        Some(b'-' | b'0'..=b'9' | b':') if inside.contains(':') => slice(inside),
        Some(b'-' | b'0'..=b'9') => inside.parse().map_or(Step::Other, Step::Index),
        _ => Step::Other,
    };
    (step, 1)
}

/// Where `wanted` stands outside of strings and brackets.
fn top_level(text: &str, wanted: u8) -> Vec<usize> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for (at, byte) in unquoted(text.as_bytes()) {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.saturating_sub(1),
            _ if byte == wanted && depth == 0 => found.push(at),
            _ => {}
        }
    }
    found
}

fn slice(text: &str) -> Step {
    let mut numbers = text.split(':').map(|number| match number.trim() {
        "" => Some(None),
        digits => digits.parse::<i64>().ok().map(Some),
    });
    let mut next = || numbers.next().unwrap_or(Some(None));
    match (next(), next(), next()) {
        (Some(start), Some(end), Some(step)) => match u64::try_from(step.unwrap_or(1)) {
            Ok(step) if step > 0 => Step::Slice { start, end, step },
            _ => Step::Other,
        },
        _ => Step::Other,
    }
}

/// The name that a string literal of a JSONPath stands for.
fn literal(text: &str) -> Option<String> {
    let inside = text.get(1..text.len().checked_sub(1)?)?;
    if text.starts_with('"') {
        return serde_json::from_str(text).ok();
    }
    // In single quotes a double one stands for itself and a single one is escaped: turned round it is JSON.
    let mut json = "\"".to_owned();
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next()? {
                '\'' => json.push('\''),
                other => json.extend(['\\', other]),
            },
            '"' => json.push_str("\\\""),
            other => json.push(other),
        }
    }
    json.push('"');
    serde_json::from_str(&json).ok()
}

/// The numbers that a slice selects of `count` members, as a range and a step.
pub(super) fn selected(start: Option<i64>, end: Option<i64>, count: u64) -> Range<u64> {
    let place = |index: i64| match u64::try_from(index) {
        Ok(index) => index.min(count),
        Err(_) => count.saturating_sub(index.unsigned_abs()),
    };
    start.map_or(0, place)..end.map_or(count, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(path: &str) -> Vec<(bool, Step)> {
        let path = Path::parse(path).unwrap();
        path.segments.iter().map(|segment| (segment.descends, segment.step.clone())).collect()
    }

    #[test]
    fn a_path_is_taken_apart_into_what_its_segments_select() {
        let name = |name: &str| Step::Name(name.to_owned());
        assert_eq!(steps("$"), []);
        assert_eq!(
            steps("$.users[?@.age > 30]\n .name"),
            [(false, name("users")), (false, Step::Filter), (false, name("name"))]
        );
        assert_eq!(steps("$..*..['a.]b']"), [(true, Step::All), (true, name("a.]b"))]);
        assert_eq!(
            steps(r#"$['it\'s "x"'][-1]["\u0041"]"#),
            [(false, name("it's \"x\"")), (false, Step::Index(-1)), (false, name("A"))]
        );
        assert_eq!(
            steps("$[ 1 : -2 ]..é[1,2]"),
            [(false, Step::Slice { start: Some(1), end: Some(-2), step: 1 }), (true, name("é")), (false, Step::Other)]
        );
        assert_eq!(
            steps("$[?@.a == $.b][::-1][?@['x,$'] == 1]"),
            [(false, Step::Filter), (false, Step::Other), (false, Step::Filter)]
        );
    }

    #[test]
    fn a_filter_that_looks_at_the_root_is_noticed() {
        assert!(Path::parse("$.a[?@.b == $.c]").unwrap().looks_at_root());
        assert!(!Path::parse("$.a[?@.b == '$.c']['$']").unwrap().looks_at_root());
    }

    #[test]
    fn what_is_no_json_path_is_refused_with_its_place() {
        let why = |path: &str| Path::parse(path).unwrap_err().to_string();
        assert_eq!(why("users"), "bad query: `users` does not begin with `$`, as in `$.users[?@.age > 30].name`");
        assert!(why("$[").contains("a JSONPath (RFC 9535) looks like `$.users[?@.age > 30].name`"));
        assert!(why(&format!("${}", ".a".repeat(5000))).contains("at most 4096 bytes"));
        let deep = format!("$[?{}@.a{}]", "(".repeat(100), ")".repeat(100));
        assert!(why(&deep).contains("nested 12 deep"), "{}", why(&deep));
    }
}
