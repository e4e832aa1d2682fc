//! A corpus of tool outputs with what a model needs from them.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;

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
    #[serde(default)]
    compression: Option<String>,
    /// The question that some needles answer.
    #[serde(default)]
    pub(crate) query: Option<String>,
    /// What must still be seen.
    #[serde(default)]
    pub(crate) needles: Vec<Needle>,
    /// The output itself, as it came.
    #[serde(skip)]
    pub(crate) bytes: Vec<u8>,
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
        offcut::core::notice::one_line(written, 100)
    }

    /// Whether `shown` still has it; `plain` is the same without escape sequences and CR.
    fn is_in(&self, shown: &str, plain: &str) -> bool {
        let has = |text: &str| shown.contains(text) || plain.contains(text);
        if let Some(pattern) = &self.regex {
            // Python's syntax, near enough: what does not compile here is not there.
            return Regex::new(&format!("(?m){pattern}"))
                .is_ok_and(|regex| regex.is_match(shown) || regex.is_match(plain));
        }
        self.text.as_deref().is_some_and(has) || self.aliases.iter().any(|alias| has(alias))
    }
}

/// How much of an item's needles a text still shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) weight: u64,
    pub(crate) kept_weight: u64,
    pub(crate) critical: u64,
    pub(crate) kept_critical: u64,
}

impl Item {
    /// Whether `shown` has the needle of this number.
    pub(crate) fn has(&self, needle: usize, shown: &str) -> bool {
        self.needles.get(needle).is_some_and(|needle| needle.is_in(shown, &plain(shown)))
    }

    /// The needles that `shown` still has.
    pub(crate) fn found(&self, shown: &str) -> Found {
        let plain = plain(shown);
        let mut found = Found::default();
        for needle in self.needles.iter().filter(|needle| !needle.requires_query) {
            let kept = needle.is_in(shown, &plain);
            let critical = u64::from(needle.weight >= 3);
            found.weight += needle.weight;
            found.critical += critical;
            found.kept_weight += if kept { needle.weight } else { 0 };
            found.kept_critical += if kept { critical } else { 0 };
        }
        found
    }
}

/// `shown` without escape sequences, and with LF for CRLF.
fn plain(shown: &str) -> String {
    let mut cleaner = offcut::core::clean::Cleaner::default();
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
