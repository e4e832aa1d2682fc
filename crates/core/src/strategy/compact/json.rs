//! Lossless forms of JSON: without white space, and like objects as a table.
//!
//! A table has a line of keys and a line for each object: the values as JSON, separated by commas, nothing where a key
//! is missing. Keys of objects inside are joined by dots.

use std::collections::BTreeMap;

use super::Compact;
use crate::json::{Lexeme, Lexer, Scanner, Token};

/// Fewer objects are no table.
const SHORTEST_TABLE: usize = 3;

/// A table of more columns is no easier to read than its objects.
const MOST_COLUMNS: usize = 64;

/// The value of a JSON text without white space; `None` if it is not JSON.
pub(super) fn minified(text: &str) -> Option<String> {
    serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
    let (mut lexer, mut rest) = (Lexer::default(), text.as_bytes());
    let mut short = Vec::with_capacity(text.len());
    while let Some(piece) = lexer.next(&mut rest) {
        if piece.lexeme != Lexeme::Space {
            short.extend_from_slice(piece.bytes);
        }
    }
    String::from_utf8(short).ok()
}

/// The same for each line of NDJSON.
pub(super) fn minified_records(text: &str) -> Option<String> {
    let records = text.split('\n').filter(|line| !line.trim().is_empty()).map(minified);
    records.collect::<Option<Vec<String>>>().map(|records| records.join("\n"))
}

/// What is shown stands for itself.
pub(super) fn same(made: &Compact, _handle: &str) -> Option<String> {
    Some(made.text.clone())
}

pub(super) fn without_space(text: &str, _handle: &str) -> Option<Compact> {
    Some(Compact { text: minified(text)?, done: "JSON without white space".to_owned() })
}

pub(super) fn records_without_space(text: &str, _handle: &str) -> Option<Compact> {
    Some(Compact { text: minified_records(text)?, done: "JSON without white space".to_owned() })
}

/// An array of like objects, or an object with one, as a table.
pub(super) fn table(text: &str, _handle: &str) -> Option<Compact> {
    let value = minified(text)?;
    let (around, array) = match value.as_bytes().first()? {
        b'[' => (None, value.as_str()),
        b'{' => {
            let arrays = members(&value)?.into_iter().map(|(_, value)| value).filter(|value| value.starts_with("[{"));
            let array = arrays.max_by_key(|array| array.len())?;
            (value.split_once(array), array)
        }
        _ => return None,
    };
    let objects = elements(array)?;
    let (rows, done) = rows(&objects)?;
    let text = match around {
        Some((before, after)) => format!("{before}[{} rows below]{after}\n{rows}", objects.len()),
        None => rows,
    };
    Some(Compact { text, done })
}

/// NDJSON of like objects as a table.
pub(super) fn records_table(text: &str, _handle: &str) -> Option<Compact> {
    let records = minified_records(text)?;
    let (text, done) = rows(&records.split('\n').collect::<Vec<_>>())?;
    Some(Compact { text, done })
}

/// The line of keys and the lines of values of like objects, and what was done.
fn rows(objects: &[&str]) -> Option<(String, String)> {
    if objects.len() < SHORTEST_TABLE {
        return None;
    }
    let flat: Vec<Vec<(String, &str)>> = objects.iter().map(|object| flattened(object)).collect::<Option<_>>()?;
    let mut columns: BTreeMap<&str, usize> = BTreeMap::new();
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in flat.iter().flatten() {
        if !columns.contains_key(key.as_str()) {
            columns.insert(key, keys.len());
            keys.push(key);
        }
    }
    if keys.is_empty() || keys.len() > MOST_COLUMNS {
        return None;
    }
    let mut text = keys.join(",");
    for object in &flat {
        let mut cells = vec![""; keys.len()];
        for (key, value) in object {
            *cells.get_mut(*columns.get(key.as_str())?)? = value;
        }
        text.push('\n');
        text.push_str(&cells.join(","));
    }
    Some((text, format!("{} objects as a table, a column for each key", objects.len())))
}

/// The values of an object by their paths; `None` where a path would not be clear.
fn flattened(object: &str) -> Option<Vec<(String, &str)>> {
    let mut flat = Vec::new();
    for (key, value) in members(object)? {
        let key = key.strip_prefix('"')?.strip_suffix('"')?;
        if key.is_empty() || key.contains([',', '.', '"', '\\', ' ']) {
            return None;
        }
        if value.starts_with('{') && value != "{}" {
            flat.extend(flattened(value)?.into_iter().map(|(path, value)| (format!("{key}.{path}"), value)));
        } else {
            flat.push((key.to_owned(), value));
        }
    }
    Some(flat)
}

pub(super) fn from_table(made: &Compact, _handle: &str) -> Option<String> {
    let text = made.text.as_str();
    if !text.starts_with('{') {
        return Some(format!("[{}]", objects(text)?.join(",")));
    }
    let (first, rows) = text.split_once('\n')?;
    let (before, mark) = first.rsplit_once(" rows below]").map(|(before, after)| (before.rsplit_once('['), after))?;
    let (before, _) = before?;
    Some(format!("{before}[{}]{mark}", objects(rows)?.join(",")))
}

pub(super) fn records_from_table(made: &Compact, _handle: &str) -> Option<String> {
    Some(objects(&made.text)?.join("\n"))
}

/// The objects that a table stands for.
fn objects(table: &str) -> Option<Vec<String>> {
    let (keys, rows) = table.split_once('\n')?;
    let keys: Vec<Vec<&str>> = keys.split(',').map(|key| key.split('.').collect()).collect();
    rows.split('\n').map(|row| object(&keys, &pieces(row)?)).collect()
}

/// The object of one row.
fn object(keys: &[Vec<&str>], cells: &[&str]) -> Option<String> {
    if keys.len() != cells.len() {
        return None;
    }
    let mut text = "{".to_owned();
    let mut open: Vec<&str> = Vec::new();
    for (path, value) in keys.iter().zip(cells).filter(|(_, value)| !value.is_empty()) {
        let (name, folders) = path.split_last()?;
        let shared = open.iter().zip(folders).take_while(|(one, other)| one == other).count();
        text.push_str(&"}".repeat(open.len() - shared));
        open.truncate(shared);
        if !text.ends_with('{') {
            text.push(',');
        }
        for folder in folders.iter().skip(shared) {
            text.push_str(&format!("\"{folder}\":{{"));
            open.push(folder);
        }
        text.push_str(&format!("\"{name}\":{value}"));
    }
    text.push_str(&"}".repeat(open.len() + 1));
    Some(text)
}

/// The members of an object or the elements of an array, whole: the key with its quotes (none in an array) and the value.
fn members(container: &str) -> Option<Vec<(&str, &str)>> {
    let text = |start: u64, end: u64| container.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?);
    let mut scanner = Scanner::whole(container);
    let (mut members, mut key, mut start) = (Vec::new(), "", 0);
    while let Some(found) = scanner.next_token().ok()? {
        match (found.token, scanner.depth()) {
            (Token::Key, 1) => key = text(found.start, found.end)?,
            (Token::OpenArray | Token::OpenObject, 2) => start = found.start,
            (Token::Close, 1) => members.push((key, text(start, found.end)?)),
            (Token::Text | Token::Number | Token::Word, 1) => members.push((key, text(found.start, found.end)?)),
            _ => {}
        }
    }
    Some(members)
}

/// The elements of an array, which must all be objects.
fn elements(array: &str) -> Option<Vec<&str>> {
    let elements: Vec<&str> = members(array)?.into_iter().map(|(_, element)| element).collect();
    elements.iter().all(|element| element.starts_with('{')).then_some(elements)
}

/// The parts between the commas that are inside of nothing.
fn pieces(text: &str) -> Option<Vec<&str>> {
    let (mut lexer, mut rest) = (Lexer::default(), text.as_bytes());
    let (mut pieces, mut depth, mut start) = (Vec::new(), 0_i64, 0);
    while let Some(piece) = lexer.next(&mut rest) {
        match piece.lexeme {
            Lexeme::Mark(b'[' | b'{') => depth += 1,
            Lexeme::Mark(b']' | b'}') => depth -= 1,
            Lexeme::Mark(b',') if depth == 0 => {
                let behind = text.len() - rest.len();
                pieces.push(text.get(start..behind - 1)?);
                start = behind;
            }
            _ => {}
        }
    }
    pieces.push(text.get(start..)?);
    Some(pieces)
}
