//! A corpus of tool outputs with what a model needs from them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use offcut_core::clean::Cleaner;
use offcut_core::text;
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// One output of a corpus, as its manifest describes it.
#[derive(Debug, Deserialize)]
pub(crate) struct Item {
    /// Its name.
    pub(crate) id: String,
    file: PathBuf,
    /// What sort of output it is.
    pub(crate) kind: String,
    /// The tool that printed it.
    #[serde(default)]
    pub(crate) tool: String,
    /// The command line, for the tool's arguments.
    #[serde(default)]
    pub(crate) command: String,
    /// The format in detail: `json`, `log/travis`, …
    #[serde(default)]
    pub(crate) content_type: String,
    /// The repository or program that it was printed for.
    #[serde(default)]
    project: Option<String>,
    /// The test runner, compiler or linter that printed it, first of all.
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    compression: Option<String>,
    /// The question that some needles answer.
    #[serde(default)]
    pub(crate) query: Option<String>,
    /// What must still be seen.
    #[serde(default)]
    pub(crate) needles: Vec<Needle>,
    /// The parts that somebody would copy to report the failure.
    #[serde(default)]
    block_chars: Blocks,
    /// The output itself, as it came.
    #[serde(skip)]
    pub(crate) bytes: Vec<u8>,
}

/// Ranges of characters of the raw text: one pair, or a list of pairs.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Blocks {
    One([u64; 2]),
    Many(Vec<[u64; 2]>),
}

impl Default for Blocks {
    fn default() -> Blocks {
        Blocks::Many(Vec::new())
    }
}

/// Something that a model needs.
#[derive(Debug, Deserialize)]
pub(crate) struct Needle {
    text: Option<String>,
    regex: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
    /// 3: the task fails without it; 2: the place, the summary; 1: context.
    pub(crate) weight: u64,
    /// Whether only somebody who knows the question could have kept it.
    #[serde(default)]
    pub(crate) requires_query: bool,
    /// What it is, in words.
    #[serde(default)]
    pub(crate) why: String,
}

impl Needle {
    /// What is looked for, shortened.
    pub(crate) fn shown(&self) -> String {
        let written = self.text.as_deref().or(self.regex.as_deref()).unwrap_or_default();
        offcut_core::notice::one_line(written, 100)
    }

    /// Whether `shown` still has it; `plain` is the same without escape sequences and CR.
    fn is_in(&self, shown: &str, plain: &str) -> bool {
        // A line that is shown may have lost what nearly every line begins with.
        let has = |text: &str| {
            let bare = bare(text);
            shown.contains(text) || plain.contains(text) || bare.len() < text.len() && shown.contains(bare)
        };
        if let Some(pattern) = &self.regex {
            // Python's syntax, near enough: what does not compile here is not there.
            return Regex::new(&format!("(?m){pattern}"))
                .is_ok_and(|regex| regex.is_match(shown) || regex.is_match(plain));
        }
        self.text.as_deref().is_some_and(has) || self.aliases.iter().any(|alias| has(alias))
    }
}

/// The line without the time before it and what stands before that.
fn bare(line: &str) -> &str {
    static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let time = r"(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d[\d.,]*Z?";
        Regex::new(&format!(r"^(?:[^\t\n]{{1,100}}\t[^\t\n]{{1,100}}\t|[A-Z][a-z]{{2}} +\d+ |\[)?{time}\]? ?")).ok()
    });
    let found = TIME.as_ref().and_then(|time| time.find(line)).map_or(0, |found| found.end());
    line.get(found..).unwrap_or(line)
}

/// How much of an item's needles and blocks a text still shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct NeedlesFound {
    pub(crate) weight: u64,
    pub(crate) kept_weight: u64,
    pub(crate) critical: u64,
    pub(crate) kept_critical: u64,
    pub(crate) blocks: u64,
    pub(crate) whole_blocks: u64,
    /// The needles that are not shown.
    pub(crate) missed: Vec<Missed>,
}

/// A needle that is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Missed {
    pub(crate) weight: u64,
    /// What it is, in words.
    pub(crate) why: String,
    /// Its text, shortened.
    pub(crate) text: String,
}

impl Item {
    /// Whether `shown` has the needle of this number.
    pub(crate) fn has(&self, needle: usize, shown: &str) -> bool {
        self.needles.get(needle).is_some_and(|needle| needle.is_in(shown, &plain(shown)))
    }

    /// The needles and blocks that `shown` still has.
    pub(crate) fn found(&self, shown: &str) -> NeedlesFound {
        let plain = plain(shown);
        let mut found = NeedlesFound::default();
        for needle in self.needles.iter().filter(|needle| !needle.requires_query) {
            let kept = needle.is_in(shown, &plain);
            let critical = u64::from(needle.weight >= 3);
            found.weight += needle.weight;
            found.critical += critical;
            found.kept_weight += if kept { needle.weight } else { 0 };
            found.kept_critical += if kept { critical } else { 0 };
            if !kept {
                found.missed.push(Missed { weight: needle.weight, why: needle.why.clone(), text: needle.shown() });
            }
        }
        for block in self.blocks() {
            // A line that is shown may have lost what nearly every line begins with, but nothing at its end.
            let whole = block.lines().map(str::trim).all(|line| plain.contains(line) || plain.contains(bare(line)));
            found.blocks += 1;
            found.whole_blocks += u64::from(whole);
        }
        found
    }

    /// The cleaned text of each labelled block.
    fn blocks(&self) -> Vec<String> {
        let raw = self.raw();
        let cut = |[start, end]: [u64; 2]| plain(text::first_chars(after(&raw, start), end.saturating_sub(start)));
        self.block_ranges().into_iter().map(cut).collect()
    }

    /// The cleaned text before each labelled block.
    pub(crate) fn before_blocks(&self) -> Vec<String> {
        let raw = self.raw();
        self.block_ranges().into_iter().map(|[start, _]| plain(text::first_chars(&raw, start))).collect()
    }

    /// The text in which blocks are counted: an invalid byte is a character.
    fn raw(&self) -> String {
        let mut raw = String::new();
        for chunk in self.bytes.utf8_chunks() {
            raw.push_str(chunk.valid());
            raw.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
        }
        raw
    }

    fn block_ranges(&self) -> Vec<[u64; 2]> {
        match &self.block_chars {
            Blocks::One(range) => vec![*range],
            Blocks::Many(ranges) => ranges.clone(),
        }
    }

    /// The project that it belongs to; without one its name, less the number that tells it from its like.
    pub(crate) fn project(&self) -> &str {
        let numbered = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        let family = match self.id.rsplit_once('-') {
            Some((family, number)) if numbered(number) => family,
            _ => &self.id,
        };
        self.project.as_deref().unwrap_or(family)
    }

    /// The tool that really printed it: its first tag, or the first word of its command.
    pub(crate) fn program(&self) -> &str {
        let tag = self.tags.first().map(String::as_str);
        tag.or_else(|| self.command.split_whitespace().next()).unwrap_or(&self.kind)
    }
}

/// What stands behind the first characters of a text.
fn after(text: &str, chars: u64) -> &str {
    text.strip_prefix(text::first_chars(text, chars)).unwrap_or_default()
}

/// `shown` without escape sequences, and with LF for CRLF.
pub(crate) fn plain(shown: &str) -> String {
    let mut cleaner = Cleaner::default();
    let mut scratch = String::new();
    let mut out = cleaner.push(shown.as_bytes(), &mut scratch).to_owned();
    out.push_str(cleaner.finish(&mut scratch));
    out.replace("\r\n", "\n")
}

/// Reads the items of a corpus; compressed ones are left out.
pub(crate) fn read(dir: &Path, kinds: Option<&str>) -> Result<Vec<Item>, Failure> {
    let manifest = dir.join("manifest.jsonl");
    let text = fs::read_to_string(&manifest).map_err(|error| {
        Failure::usage(format!("`{}` cannot be read: {error}", manifest.display()))
            .hint("a corpus is a folder with a manifest.jsonl and the files that it names")
    })?;
    let wanted: Option<Vec<&str>> = kinds.map(|kinds| kinds.split(',').map(str::trim).collect());
    let mut items = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut item: Item = serde_json::from_str(line)
            .map_err(|error| Failure::usage(format!("`{}` line {}: {error}", manifest.display(), number + 1)))?;
        let compressed = item.compression.is_some();
        if compressed || wanted.as_ref().is_some_and(|wanted| !wanted.contains(&item.kind.as_str())) {
            continue;
        }
        let path = dir.join(&item.file);
        item.bytes =
            fs::read(&path).map_err(|error| Failure::other(format!("`{}` cannot be read: {error}", path.display())))?;
        items.push(item);
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(json: &str, bytes: &str) -> Item {
        let mut item: Item = serde_json::from_str(json).unwrap();
        item.bytes = bytes.as_bytes().to_vec();
        item
    }

    #[test]
    fn a_block_is_whole_when_every_line_of_it_is_shown() {
        let json = r#"{"id": "x", "file": "x", "kind": "log", "block_chars": [[3, 9], [15, 19]]}"#;
        let item = item(json, "é\r\nab\u{1b}[0m\r\ncd\r\nefgh\r\n");
        assert_eq!(item.blocks(), ["ab", "efgh"].map(str::to_owned));
        let found = item.found("ab\n");
        assert_eq!((found.blocks, found.whole_blocks), (2, 1));
    }

    #[test]
    fn the_project_of_an_item_without_one_is_its_name_without_the_number() {
        let project =
            |id: &str| item(&format!(r#"{{"id": "{id}", "file": "x", "kind": "log"}}"#), "").project().to_owned();
        assert_eq!(project("maven-7"), "maven");
        assert_eq!(project("cargo-test"), "cargo-test");
    }
}
