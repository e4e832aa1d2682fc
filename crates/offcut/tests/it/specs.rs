//! Runs `specs/*.md`: each section's output, under its options, must become the whole reply that it shows.
//! `OFFCUT_SPECS=update` writes the replies that come out into the files instead, to be read before they are kept.

use std::collections::BTreeMap;
use std::path::Path;

use offcut::options::Options;
use offcut::{Call, Offcut};

use crate::outputs::{without_ids, without_times};

#[test]
fn every_section_of_every_spec_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut sections = 0;
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "md")) {
        let text = std::fs::read_to_string(file).unwrap();
        let mut updated = text.clone();
        for section in text.split("\n## ").skip(1) {
            sections += 1;
            let (expected, shown) = run(&file.file_name().unwrap().to_string_lossy(), section);
            if std::env::var_os("OFFCUT_SPECS").is_some_and(|mode| mode == "update") {
                let block = |reply: &str| format!("```reply\n{}\n```", reply.trim_end_matches('\n'));
                updated = updated.replace(section, &section.replace(&block(&expected), &block(&shown)));
            } else {
                let title = section.lines().next().unwrap_or_default();
                let (expected, shown) = (expected.trim_end_matches('\n'), shown.trim_end_matches('\n'));
                assert_eq!(shown, expected, "{}: `{title}`:\n{shown}", file.display());
            }
        }
        if updated != text {
            std::fs::write(file, updated).unwrap();
        }
    }
    assert!(sections >= 10, "only {sections} sections were found");
}

/// The reply that a section shows, and the one that comes out.
fn run(file: &str, section: &str) -> (String, String) {
    let title = section.lines().next().unwrap_or_default();
    let blocks = blocks(section);
    let Some(expected) = blocks.get("reply") else {
        panic!("{file}: `{title}` shows no reply");
    };
    let options: Options = blocks.get("options").map_or_else(Options::default, |said| {
        toml::from_str(said).unwrap_or_else(|error| panic!("{file}: `{title}`: {error}"))
    });
    let offcut = Offcut::builder().options(options).in_memory().build().unwrap();
    let mut call = Call::new("execute_command");
    if let Some(said) = blocks.get("call") {
        let said: BTreeMap<String, String> = toml::from_str(said).unwrap();
        for (key, value) in said {
            match key.as_str() {
                "tool" => call.tool = value,
                "arguments" => call.arguments = value,
                "limit" => call.limits = Some(value.parse().unwrap()),
                "strategy" => call.strategy = Some(value),
                "kind" => call.kind = Some(value.parse().unwrap()),
                other => panic!("{file}: `{title}`: unknown key `{other}` in a call"),
            }
        }
    }
    let reply = offcut.process(call, recipe(&blocks["output"])).unwrap();
    (expected.clone(), without_times(&without_ids(&reply.text)))
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
    let (before, rest) = line.split_once('{')?;
    let (inside, after) = rest.split_once('}')?;
    let (first, last) = inside.split_once("..")?;
    Some((before, first.parse().ok()?, last.parse().ok()?, after))
}

fn repeated(line: &str) -> String {
    let found = line.split_once("{\"").and_then(|(before, rest)| {
        let (text, rest) = rest.split_once("\"*")?;
        let (times, after) = rest.split_once('}')?;
        Some(format!("{before}{}{after}", text.repeat(times.parse().ok()?)))
    });
    found.unwrap_or_else(|| line.to_owned())
}
