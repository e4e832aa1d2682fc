//! Where values of JSON, XML and HTML begin and end among the lines of a text.

use std::ops::Range;

use super::value::Embedded;
use crate::document::{Document, TextDocument};
use crate::hash::Hash;
use crate::kind::Kind;
use crate::strategy::CutError;
use crate::strategy::element::json_value_end;
use crate::strategy::lines::table::{Size, Table};
use crate::text;

/// A value on lines of its own is cut by its kind from this size on, and one on a line from that.
const LEAST_BYTES: u64 = 400;
const LEAST_ROWS: usize = 5;
const LEAST_LINE: u64 = 500;

/// The longest value that is looked for.
const LONGEST: u64 = 1024 * 1024;

/// How many beginnings are followed.
const TRIES: usize = 256;
const MARKUP_TRIES: usize = 16;

/// The most that may stand before or behind a value in its lines.
const AROUND: u64 = 300;

/// How much of a line is searched for where a value begins.
const LEAD: usize = 200;

/// How much of values is compared to know which ones are alike.
const BEGINNING: usize = 16;

/// The values among the rows of `table` that are not `taken` already, in order, disjoint, and whether every place where
/// one could begin was tried.
pub(in crate::strategy::lines) fn values(
    document: &dyn Document,
    table: &Table<'_>,
    taken: &[Range<u32>],
) -> Result<(Vec<Embedded>, bool), CutError> {
    let mut found: Vec<Embedded> = Vec::new();
    if memchr::memchr3(b'{', b'[', b'<', table.text().as_bytes()).is_none() {
        return Ok((found, true));
    }
    let (mut tries, mut markup) = (TRIES, MARKUP_TRIES);
    // What lies before it was looked at, and where the rows end that follow each other.
    let (mut floor, mut run) = (0, 0);
    for row in 0..table.len() {
        let Some(here) = table.rows().get(row).filter(|here| here.byte >= floor) else { continue };
        let words = table.words(row);
        let Some((kind, at)) = begins(table, row, words) else { continue };
        let left = if kind == Kind::Json { &mut tries } else { &mut markup };
        if *left == 0 || is_taken(taken, row as u32) {
            continue;
        }
        *left -= 1;
        let start = here.byte + at as u64;
        if run <= row {
            run = (row + 1..table.len()).find(|next| table.breaks_before(*next)).unwrap_or(table.len());
        }
        let limit = end_within(table, row..run, start + LONGEST);
        let end = match kind {
            Kind::Json => match json_value_end(document, start..limit)? {
                Ok(end) => Some(end),
                Err(reached) => {
                    floor = reached;
                    None
                }
            },
            _ => markup_end(&document.read_around(start..limit)?).map(|length| start + length as u64),
        };
        let Some(end) = end else { continue };
        if let Some(embed) = embed(document, table, row, start..end, kind)? {
            floor = table.rows().get(embed.rows.end as usize - 1).map_or(end, |last| last.range().end);
            found.push(embed);
        }
    }
    Ok((found, tries > 0 && markup > 0))
}

/// What begins in a row, and where.
fn begins(table: &Table<'_>, row: usize, words: &str) -> Option<(Kind, usize)> {
    let trimmed = words.trim_end();
    let last = *trimmed.as_bytes().last()?;
    if matches!(last, b'{' | b'[') {
        let next = table.words(row + 1).trim_start().as_bytes().first().copied()?;
        let opens = if last == b'{' { next == b'"' } else { starts_value(next) };
        return opens.then(|| (Kind::Json, trimmed.len() - 1));
    }
    let is_long = table.rows().get(row).is_some_and(|row| row.chars > LEAST_LINE);
    let inner = words.trim_start();
    let first = *inner.as_bytes().first()?;
    if first == b'<' && inner.as_bytes().get(1).is_some_and(|next| next.is_ascii_alphabetic() || b"?!".contains(next)) {
        let kind = if is_html(inner) { Kind::Html } else { Kind::Xml };
        return Some((kind, words.len() - inner.len()));
    }
    // `{"a": 1,` may begin a value of many lines, and a long line may hold one.
    let opens = matches!(first, b'{' | b'[') && matches!(last, b',' | b'{' | b'[' | b'"' | b'}' | b']');
    if !is_long && !opens {
        return None;
    }
    let bytes = words.as_bytes();
    memchr::memchr2_iter(b'{', b'[', bytes.get(..LEAD).unwrap_or(bytes)).find_map(|at| {
        let rest = bytes.get(at + 1..)?;
        let next = rest.iter().copied().find(|byte| !matches!(byte, b' ' | b'\t'))?;
        let opens = if bytes.get(at) == Some(&b'{') { next == b'"' } else { matches!(next, b'{' | b'[' | b'"') };
        opens.then_some((Kind::Json, at))
    })
}

fn starts_value(byte: u8) -> bool {
    matches!(byte, b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
}

fn is_html(line: &str) -> bool {
    let start = text::slice(line, 0..16).to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// Where the last of these rows ends that lie before `limit`.
fn end_within(table: &Table<'_>, rows: Range<usize>, limit: u64) -> u64 {
    let rows = table.rows().get(rows).unwrap_or_default();
    let within = rows.partition_point(|row| row.range().end <= limit);
    // A line longer than the limit holds a value that is too long.
    let last = within.checked_sub(1).map_or(rows.first(), |last| rows.get(last));
    last.map_or(0, |row| row.range().end.min(limit))
}

/// Whether a row belongs to one of `taken`.
pub(super) fn is_taken(taken: &[Range<u32>], row: u32) -> bool {
    let next = taken.partition_point(|range| range.end <= row);
    taken.get(next).is_some_and(|range| range.start <= row)
}

/// The embed of a value that is large enough and has little around it.
fn embed(
    document: &dyn Document,
    table: &Table<'_>,
    first: usize,
    value: Range<u64>,
    kind: Kind,
) -> Result<Option<Embedded>, CutError> {
    let end = table.rows().partition_point(|row| row.byte < value.end);
    let (Some(start), Some(last)) = (table.rows().get(first), table.rows().get(end.saturating_sub(1))) else {
        return Ok(None);
    };
    let bytes = value.end - value.start;
    let large = bytes >= LEAST_BYTES && (end - first >= LEAST_ROWS || bytes >= LEAST_LINE);
    let (before, behind) = (value.start - start.byte, last.range().end.saturating_sub(value.end));
    if !large || before > AROUND || behind > AROUND {
        return Ok(None);
    }
    let around = [start.byte..value.start, value.end..last.range().end];
    let mut size = Size { chars: 0, bytes: (before + behind) as i64, lines: 1 };
    for range in around {
        size.chars += text::chars(&document.read(range)?) as i64;
    }
    let whole = document.read(value.clone())?;
    let embed = Embedded {
        rows: first as u32..end as u32,
        worth: 0.0,
        share: 0.0,
        key: Hash::of(text::slice(&whole, 0..BEGINNING).as_bytes()),
        kind,
        document: TextDocument::new(whole),
        value,
        around: size,
    };
    // What is not well-formed is no value; JSON was read to its end already.
    let probe = Size { chars: 2000, bytes: 8000, lines: 0 }.plus(size);
    let settings = crate::strategy::Settings::default();
    let serves = kind == Kind::Json || embed.cut(probe, false, &settings).is_some();
    Ok(serves.then_some(embed))
}

/// How long the element is that `markup` begins with, what stands before its root included.
fn markup_end(markup: &str) -> Option<usize> {
    let bytes = markup.as_bytes();
    let mut at = 0;
    // Instructions, comments and the document type.
    let name = loop {
        let rest = markup.get(at..)?;
        at += rest.len() - rest.trim_start().len();
        let rest = markup.get(at..)?;
        let close = match () {
            () if rest.starts_with("<?") => "?>",
            () if rest.starts_with("<!--") => "-->",
            () if rest.starts_with("<!") => ">",
            () => {
                let name = rest.strip_prefix('<')?;
                let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.')))?;
                break name.get(..end).filter(|name| !name.is_empty())?;
            }
        };
        at += rest.find(close)? + close.len();
    };
    // Elements of the root's name may lie in each other.
    let mut depth = 0u32;
    let tag = format!("<{name}");
    let closing = format!("</{name}");
    let mut opens = memchr::memmem::find_iter(bytes, tag.as_bytes()).filter(|&open| open >= at).peekable();
    let ends =
        |from: usize| bytes.get(from).is_none_or(|byte| matches!(byte, b'>' | b'/' | b' ' | b'\n' | b'\t' | b'\r'));
    for close in memchr::memmem::find_iter(bytes, closing.as_bytes()) {
        while let Some(open) = opens.next_if(|&open| open < close) {
            let end = memchr::memchr(b'>', bytes.get(open..)?)? + open;
            let empty = bytes.get(end.wrapping_sub(1)) == Some(&b'/');
            depth += u32::from(ends(open + tag.len()) && !empty);
        }
        if ends(close + closing.len()) {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return memchr::memchr(b'>', bytes.get(close..)?).map(|end| close + end + 1);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_ends_with_its_root() {
        let check = |markup: &str, expected: Option<&str>| {
            assert_eq!(markup_end(markup).and_then(|end| markup.get(..end)), expected, "{markup}");
        };
        check("<a><b/></a> more", Some("<a><b/></a>"));
        check("<a><a x='1'></a ></a>\n<a></a>", Some("<a><a x='1'></a ></a>"));
        check(
            "<?xml version='1.0'?>\n<!-- <a> -->\n<a><ab></ab></a>",
            Some("<?xml version='1.0'?>\n<!-- <a> -->\n<a><ab></ab></a>"),
        );
        check("<a><b></a", None);
        check("<a>", None);
        check("<", None);
        check("<!-- open", None);
    }
}
