//! Reads specs: files of sections, each with blocks that say what goes in, and a block `reply` with what comes out.
//! `OFFCUT_SPECS=update` writes what comes out into the files instead, to be read before it is kept.
// Each of the crates that run specs takes what it needs.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;

/// A section of a spec.
pub(crate) struct Section {
    /// Its file and title, for messages.
    pub(crate) place: String,
    blocks: BTreeMap<String, String>,
}

impl Section {
    /// The text of a block as it is written.
    pub(crate) fn block(&self, name: &str) -> Option<&str> {
        self.blocks.get(name).map(String::as_str)
    }

    /// The text that a block is a recipe for.
    pub(crate) fn made(&self, name: &str) -> Option<String> {
        self.block(name).map(recipe)
    }

    /// The lines `key = "value"` or `key = 'value'` of the block `call`.
    pub(crate) fn call(&self) -> BTreeMap<&str, &str> {
        let line = |line| -> Option<(&str, &str)> {
            let (key, value) = str::split_once(line, " = ")?;
            let quoted = |mark: char| value.strip_prefix(mark)?.strip_suffix(mark);
            Some((key, quoted('"').or_else(|| quoted('\''))?))
        };
        let lines = self.block("call").unwrap_or_default().lines();
        lines
            .map(|said| line(said).unwrap_or_else(|| panic!("{}: `{said}` is no `key = \"value\"`", self.place)))
            .collect()
    }
}

/// Compares what `run` gives for each section with its `reply`, in the files that are `wanted`; how many there were.
pub(crate) fn check(wanted: impl Fn(&str) -> bool, run: impl Fn(&Section) -> String) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut sections = 0;
    for file in files {
        let Some(name) = file.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".md"))
        else {
            continue;
        };
        if !wanted(name) {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let mut updated = text.clone();
        for written in text.split("\n## ").skip(1) {
            sections += 1;
            let place = format!("{name}: `{}`", written.lines().next().unwrap_or_default());
            let section = Section { place, blocks: blocks(written) };
            let expected = section.block("reply").unwrap_or_else(|| panic!("{} shows no reply", section.place));
            let shown = run(&section);
            if std::env::var_os("OFFCUT_SPECS").is_some_and(|mode| mode == "update") {
                let block = |reply: &str| format!("```reply\n{}\n```", reply.trim_end_matches('\n'));
                updated = updated.replace(written, &written.replace(&block(expected), &block(&shown)));
            } else {
                let (expected, shown) = (expected.trim_end_matches('\n'), shown.trim_end_matches('\n'));
                assert_eq!(shown, expected, "{}:\n{shown}", section.place);
            }
        }
        if updated != text {
            std::fs::write(file, updated).unwrap();
        }
    }
    sections
}

/// The fenced blocks of a section, by their name.
fn blocks(section: &str) -> BTreeMap<String, String> {
    let mut blocks = BTreeMap::new();
    let mut open: Option<(String, String)> = None;
    for line in section.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(name)) => open = Some((name.to_owned(), String::new())),
            (Some((name, text)), Some("")) => {
                blocks.insert(std::mem::take(name), std::mem::take(text));
                open = None;
            }
            (Some((_, text)), _) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Expands a recipe: a line with `{a..b}` stands for one line for each number, `{"x"*n}` for a repeated text.
fn recipe(written: &str) -> String {
    let mut output = String::new();
    for line in written.lines() {
        match range(line) {
            Some((before, first, last, after)) => {
                for number in first..=last {
                    output.push_str(&format!("{before}{number}{after}\n"));
                }
            }
            None => {
                output.push_str(&repeated(line));
                output.push('\n');
            }
        }
    }
    output
}

fn range(line: &str) -> Option<(&str, u64, u64, &str)> {
    line.match_indices('{').find_map(|(at, _)| {
        let (before, from) = line.split_at(at);
        let (inside, after) = from.strip_prefix('{')?.split_once('}')?;
        let (first, last) = inside.split_once("..")?;
        Some((before, first.parse().ok()?, last.parse().ok()?, after))
    })
}

fn repeated(line: &str) -> String {
    let found = line.split_once("{\"").and_then(|(before, rest)| {
        let (text, rest) = rest.split_once("\"*")?;
        let (times, after) = rest.split_once('}')?;
        Some(format!("{before}{}{after}", text.repeat(times.parse().ok()?)))
    });
    found.unwrap_or_else(|| line.to_owned())
}
