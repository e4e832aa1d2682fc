//! Which texts stand in an artifact.
//!
//! White space does not count: a run of it is one blank, in what is looked for and in what is read.

use aho_corasick::AhoCorasick;
use offcut_core::text;
use offcut_store::{Artifact, BLOCK};

use super::super::error::ExtractError;

/// A text that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SoughtText {
    pub(super) text: String,
    /// Whether it must stand there as a word of its own, not as a part of a longer one.
    pub(super) word: bool,
}

/// For each text, whether it stands in the artifact: as it is, or as a JSON string or compact JSON would write it. Reads
/// the artifact once, block by block.
pub(super) fn of(artifact: &dyn Artifact, wanted: &[&SoughtText]) -> Result<Vec<bool>, ExtractError> {
    let mut there = vec![false; wanted.len()];
    let mut patterns: Vec<String> = Vec::new();
    let mut owners: Vec<usize> = Vec::new();
    for (at, wanted) in wanted.iter().enumerate() {
        for form in written(&wanted.text) {
            patterns.push(form);
            owners.push(at);
        }
    }
    if patterns.is_empty() {
        return Ok(there);
    }
    // Texts that no search can be built for are not seen, so they do not count as there.
    let Ok(finder) = AhoCorasick::new(&patterns) else { return Ok(there) };
    let reach = patterns.iter().map(String::len).max().unwrap_or(1) + 2;
    let size = artifact.info().extent.bytes;
    let mut window: Vec<u8> = Vec::new();
    let (mut at, mut blank, mut begins) = (0, true, true);
    while at < size && there.iter().any(|found| !found) {
        let end = at.saturating_add(4 * BLOCK as u64).min(size);
        for byte in artifact.read(at..end)? {
            let space = byte.is_ascii_whitespace();
            if !(space && blank) {
                window.push(if space { b' ' } else { byte });
            }
            blank = space;
        }
        at = end;
        for hit in finder.find_overlapping_iter(&window) {
            let Some(&owner) = owners.get(hit.pattern().as_usize()) else { continue };
            let word = wanted.get(owner).is_some_and(|wanted| wanted.word);
            let edges = Edges { first: begins, last: at >= size };
            if (!word || stands_alone(&window, hit.start()..hit.end(), edges))
                && let Some(found) = there.get_mut(owner)
            {
                *found = true;
            }
        }
        let carried = window.len().saturating_sub(reach);
        begins = begins && carried == 0;
        window.drain(..carried);
    }
    Ok(there)
}

/// Whether a window begins and ends where the document does.
#[derive(Debug, Clone, Copy)]
struct Edges {
    first: bool,
    last: bool,
}

/// Whether the bytes of `range` are not a part of a longer word. At an edge behind which there is more, they are not: the
/// neighbouring window shows them whole.
fn stands_alone(window: &[u8], range: std::ops::Range<usize>, edges: Edges) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let inner = window.get(range.clone()).unwrap_or_default();
    let (starts, ends) = (inner.first().copied().is_some_and(is_word), inner.last().copied().is_some_and(is_word));
    let before = match range.start.checked_sub(1).and_then(|at| window.get(at)) {
        Some(byte) => !(starts && is_word(*byte)),
        None => edges.first,
    };
    let behind = match window.get(range.end) {
        Some(byte) => !(ends && is_word(*byte)),
        None => edges.last,
    };
    before && behind
}

/// A text as it may be written in a document.
fn written(wanted: &str) -> Vec<String> {
    let plain = squeezed(wanted);
    let json = serde_json::Value::from(plain.as_str()).to_string();
    let escaped = text::slice(&json, 1..json.len() - 1).to_owned();
    let compact = plain.replace(": ", ":").replace(", ", ",");
    let mut forms = vec![plain];
    for form in [escaped, compact] {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms.retain(|form| !form.is_empty());
    forms
}

/// A text with each run of white space as one blank.
fn squeezed(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use offcut::{Call, Offcut};

    fn there(document: &str, wanted: &[(&str, bool)]) -> Vec<bool> {
        let offcut = Offcut::builder().in_memory().build().unwrap();
        let call = Call::new("bash").limits("400".parse::<offcut_core::limit::Limits>().unwrap());
        let id = offcut.process(call, document).unwrap().report.artifact_id.unwrap();
        let artifact = offcut.recall().open(&id).unwrap();
        let wanted: Vec<SoughtText> =
            wanted.iter().map(|(text, word)| SoughtText { text: (*text).to_owned(), word: *word }).collect();
        of(artifact.as_ref(), &wanted.iter().collect::<Vec<_>>()).unwrap()
    }

    fn filled(text: &str) -> String {
        "all is well here\n".repeat(100) + text
    }

    #[test]
    fn white_space_and_the_ways_of_json_do_not_count() {
        let document = filled("a  quoted\n\ttext\n{\"id\":1,\"say\":\"a \\\"b\\\"\"}\n");
        assert_eq!(
            there(&document, &[("a quoted text", false), ("a \"b\"", false), ("\"id\": 1, \"say\"", false)]),
            [true; 3]
        );
        assert_eq!(there(&document, &[("a quote text", false), ("A quoted text", false)]), [false; 2]);
    }

    #[test]
    fn a_word_is_not_found_inside_another() {
        let document = filled("took 3124 ms in parse_file2, see src/a.rs");
        let found = [("3124", true), ("12", true), ("parse_file", true), ("parse_file2", true), ("a.rs", true)];
        assert_eq!(there(&document, &found), [true, false, false, true, true]);
        assert_eq!(there(&document, &[("parse_file", false)]), [true]);
    }

    #[test]
    fn what_two_blocks_share_is_found() {
        let mut document = "x".repeat(4 * BLOCK - 3) + " 4711 ";
        document.push_str(&"y".repeat(BLOCK));
        assert_eq!(there(&document, &[("4711", true), ("471", true), ("711", true)]), [true, false, false]);
    }
}
