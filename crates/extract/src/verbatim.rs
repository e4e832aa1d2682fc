//! Whether what an abstract quotes stands in the document.
//!
//! Text in double quotes and lines in code fences are looked for in the artifact, as they stand and as JSON would write
//! them. What is not there is marked `(not verbatim)`.

use aho_corasick::AhoCorasick;
use offcut_core::text;
use offcut_store::{Artifact, BLOCK};

use super::context::ExtractContext;
use super::error::ExtractError;

/// What stands behind a quotation that is none.
const MARK: &str = "(not verbatim)";

/// Shorter texts in quotes are names and words, not quotations.
const SHORTEST: usize = 12;

/// The shortest line of a fence, or part of a quotation with an omission, that is looked for.
const SHORTEST_PART: usize = 4;

/// How much of a quotation is looked for, in bytes.
const LONGEST: usize = 1000;

/// The most texts that are looked for; further ones are left as they are.
const MOST: usize = 500;

/// A quotation, and where its mark would go.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Quotation {
    /// The texts that must all be there.
    parts: Vec<String>,
    /// The byte of the abstract behind it.
    end: usize,
    /// Whether it is a fence, whose mark has a line of its own.
    fence: bool,
}

/// The abstract with a mark behind every quotation that does not stand in the document.
pub(super) fn checked(context: &ExtractContext<'_>, report: &str) -> Result<String, ExtractError> {
    let source = &context.artifact.info().source;
    let mut quotations = quotations(report);
    // What the question or the call said may be quoted too.
    let known = |part: &str| context.question.extract.contains(part) || source.arguments.contains(part);
    quotations.iter_mut().for_each(|quotation| quotation.parts.retain(|part| !known(part)));
    let texts: Vec<&str> = quotations.iter().flat_map(|found| &found.parts).map(String::as_str).take(MOST).collect();
    let there = present(context.artifact, &texts)?;
    let mut marked = String::with_capacity(report.len() + 32);
    let (mut at, mut number, mut missing) = (0, 0, 0);
    for quotation in &quotations {
        let whole =
            quotation.parts.iter().enumerate().all(|(part, _)| there.get(number + part).copied().unwrap_or(true));
        number += quotation.parts.len();
        if whole {
            continue;
        }
        missing += 1;
        marked.push_str(text::slice(report, at..quotation.end));
        marked.push(if quotation.fence { '\n' } else { ' ' });
        marked.push_str(MARK);
        at = quotation.end;
    }
    marked.push_str(text::slice(report, at..report.len()));
    context.session.note(|account| account.not_verbatim = missing);
    Ok(marked)
}

/// The quotations of an abstract, in order.
fn quotations(report: &str) -> Vec<Quotation> {
    let mut found = Vec::new();
    let mut fence: Option<Vec<String>> = None;
    for line in text::split(report) {
        if line.text.trim_start().starts_with("```") {
            match fence.take() {
                None => fence = Some(Vec::new()),
                Some(parts) => found.push(Quotation { parts, end: line.start + line.text.len(), fence: true }),
            }
            continue;
        }
        match &mut fence {
            Some(parts) => {
                // Line numbers that a tool put before a line are not the document's.
                let words = line.text.trim().trim_start_matches(|c: char| c.is_ascii_digit());
                let words = if words.starts_with([':', '|']) { words } else { line.text.trim() };
                parts.extend(split(words.trim_start_matches([':', '|'])));
            }
            None => in_quotes(line.text, line.start, &mut found),
        }
    }
    found
}

fn in_quotes(line: &str, start: usize, found: &mut Vec<Quotation>) {
    let mut opened: Option<(usize, char)> = None;
    for (at, sign) in line.char_indices() {
        let closes = match sign {
            '"' => '"',
            '“' | '”' => '”',
            _ => continue,
        };
        match opened {
            None if sign != '”' => opened = Some((at + sign.len_utf8(), closes)),
            Some((from, wanted)) if wanted == closes => {
                let words = text::slice(line, from..at);
                opened = None;
                if words.len() >= SHORTEST && words.contains(' ') {
                    found.push(Quotation { parts: split(words), end: start + at + sign.len_utf8(), fence: false });
                }
            }
            _ => {}
        }
    }
}

/// The parts of a quotation between omissions.
fn split(words: &str) -> Vec<String> {
    let parts = words.split("...").flat_map(|part| part.split('…')).flat_map(|part| part.split("[…]"));
    parts
        .map(|part| part.trim().trim_end_matches([',', '.', ';']))
        .filter(|part| part.len() >= SHORTEST_PART)
        .map(|part| text::slice(part, 0..LONGEST).to_owned())
        .collect()
}

/// For each text, whether it stands in the artifact. Reads it once, block by block.
fn present(artifact: &dyn Artifact, texts: &[&str]) -> Result<Vec<bool>, ExtractError> {
    let mut there = vec![false; texts.len()];
    if texts.is_empty() {
        return Ok(there);
    }
    // Each as it stands, and as a JSON string holds it.
    let escaped = |text: &&str| {
        let json = serde_json::Value::from(*text).to_string();
        text::slice(&json, 1..json.len() - 1).to_owned()
    };
    let patterns: Vec<String> = texts.iter().map(|text| (*text).to_owned()).chain(texts.iter().map(escaped)).collect();
    let Ok(finder) = AhoCorasick::new(&patterns) else { return Ok(vec![true; texts.len()]) };
    let reach = patterns.iter().map(String::len).max().unwrap_or(1) - 1;
    let mut window: Vec<u8> = Vec::new();
    let mut at = 0;
    let size = artifact.info().extent.bytes;
    while at < size && there.iter().any(|found| !found) {
        let end = at.saturating_add(4 * BLOCK as u64).min(size);
        window.extend_from_slice(&artifact.read(at..end)?);
        for hit in finder.find_overlapping_iter(&window) {
            if let Some(found) = there.get_mut(hit.pattern().as_usize() % texts.len()) {
                *found = true;
            }
        }
        window.drain(..window.len().saturating_sub(reach));
        at = end;
    }
    Ok(there)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(report: &str) -> Vec<Vec<String>> {
        quotations(report).into_iter().map(|quotation| quotation.parts).collect()
    }

    #[test]
    fn quotations_are_told_from_names() {
        assert_eq!(quoted("It says \"disk is full on a\" and \"no\"."), [["disk is full on a"]]);
        assert_eq!(quoted("“error: cannot … the file foo”"), [["error: cannot", "the file foo"]]);
        assert_eq!(quoted("a \"short\" name and an open \"quotation that never ends"), [[""; 0]; 0]);
        assert_eq!(quoted("```\n12: error one\n  at b()\n```\n"), [["error one", "at b()"]]);
    }

    #[test]
    fn an_open_fence_is_no_quotation() {
        assert_eq!(quoted("```\nnever closed"), [[""; 0]; 0]);
    }
}
