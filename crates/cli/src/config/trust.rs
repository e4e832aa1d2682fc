//! Which keys of a project's own file need the user's trust, and which files have it.
//!
//! A project's file is somebody else's text: a cloned repository must not switch redaction off or send artifacts
//! elsewhere. `offcut config trust` remembers a file by its path and the hash of its content, so that a change of the
//! file ends the trust.

use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use offcut_platform::{create_private, create_private_folders};

use super::files;
use super::node::{Node, Value};

/// A key that a project's file may not set without trust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Withheld {
    /// The key: `redaction.mode`.
    pub(crate) key: String,
    pub(crate) line: u64,
    /// The value, as it is written.
    pub(crate) value: String,
    /// What it would do: `switches redaction off`.
    pub(crate) why: &'static str,
}

/// Takes the keys that need trust out of the tree of a project's file.
pub(crate) fn withhold(node: &mut Node, root: &Path) -> Vec<Withheld> {
    let mut withheld = Vec::new();
    node.retain(&mut |path, entry| {
        let Some(why) = needs_trust(path, &entry.node.value, root) else { return true };
        withheld.push(Withheld { key: path.join("."), line: entry.line, value: entry.node.name(), why });
        false
    });
    withheld
}

/// Why a key needs trust; `None` where it does not.
fn needs_trust(path: &[String], value: &Value, root: &Path) -> Option<&'static str> {
    if *value == Value::Null {
        return None;
    }
    // What is said for one tool is judged as what is said for all.
    let path = if path.first().is_some_and(|part| part == "overrides") { path.get(2..)? } else { path };
    let key: Vec<&str> = path.iter().map(String::as_str).collect();
    let text = match value {
        Value::Text(text) => text.as_str(),
        _ => "",
    };
    match key.as_slice() {
        ["redaction", "mode"] if text != "on" => Some("switches redaction off"),
        ["redaction", "disable" | "allow" | "allow_hashes"] if !is_empty(value) => Some("lets secrets pass"),
        ["artifacts", "storage"] => Some("stores artifacts outside of the project"),
        ["artifacts", "storage_path"] if is_outside(text, root) => Some("stores artifacts outside of the project"),
        ["line_rules"] if names_outside(value, root) => Some("reads rules outside of the project"),
        ["retention", "prices"] if is_outside(text, root) => Some("reads prices outside of the project"),
        ["telemetry", "otlp"] => Some("sends what happens here to an address"),
        ["extraction", "model"] => Some("chooses the model that reads artifacts"),
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    matches!(value, Value::List(nodes) if nodes.is_empty())
}

/// Whether a list names a file outside of the project.
fn names_outside(value: &Value, root: &Path) -> bool {
    let Value::List(nodes) = value else { return false };
    nodes.iter().any(|node| matches!(&node.value, Value::Text(path) if is_outside(path, root)))
}

/// Whether a directory, written as in `artifacts.storage_path`, lies outside of the project.
fn is_outside(written: &str, root: &Path) -> bool {
    if ["none", "temp"].contains(&written) {
        return false;
    }
    let path = Path::new(written);
    let below = path.strip_prefix(root).unwrap_or(path);
    written.contains("://") || !below.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The files that the user trusts.
#[derive(Debug)]
pub(crate) struct Trust {
    /// The list: a line for each file, its hash and its path.
    list: PathBuf,
}

impl Trust {
    /// The list in the user's own configuration directory.
    pub(crate) fn in_directory(directory: &Path) -> Trust {
        Trust { list: directory.join("trusted") }
    }

    /// Whether the user trusts this file with this content.
    pub(crate) fn holds(&self, path: &Path, text: &str) -> bool {
        let name = name_of(path, text);
        self.lines().iter().any(|line| line.split(' ').next() == Some(&name))
    }

    /// Trusts a file with this content, and no longer with another.
    pub(crate) fn add(&self, path: &Path, text: &str) -> io::Result<()> {
        let line = format!("{} {}", name_of(path, text), shown(path));
        self.write(self.others(path).into_iter().chain([line]))
    }

    /// Ends the trust in a file, whatever it holds; whether there was any.
    pub(crate) fn remove(&self, path: &Path) -> io::Result<bool> {
        let (before, others) = (self.lines().len(), self.others(path));
        let was_trusted = others.len() < before;
        if was_trusted {
            self.write(others)?;
        }
        Ok(was_trusted)
    }

    fn others(&self, path: &Path) -> Vec<String> {
        let path = shown(path);
        let is_other = |line: &String| line.split_once(' ').is_none_or(|(_, listed)| listed != path);
        self.lines().into_iter().filter(is_other).collect()
    }

    fn lines(&self) -> Vec<String> {
        // A list that cannot be read trusts nothing.
        let text = files::read(&self.list).ok().flatten().filter(|file| !file.is_foreign);
        text.map(|file| file.text.lines().map(str::to_owned).collect()).unwrap_or_default()
    }

    fn write(&self, lines: impl IntoIterator<Item = String>) -> io::Result<()> {
        if let Some(directory) = self.list.parent() {
            create_private_folders(directory)?;
        }
        let text: String = lines.into_iter().map(|line| line + "\n").collect();
        let staging = self.list.with_extension(format!("{}.new", std::process::id()));
        let mut file = create_private(&staging)?;
        let written = file.write_all(text.as_bytes()).and_then(|()| fs::rename(&staging, &self.list));
        if written.is_err() {
            // Half a list would be worse than the old one.
            let _ = fs::remove_file(&staging);
        }
        written
    }
}

/// A file and its content, as one hash.
fn name_of(path: &Path, text: &str) -> String {
    let path = resolved(path);
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_os_str().as_encoded_bytes()).update(b"\0").update(text.as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// The directory's links are followed, the file's own are not: a file that is moved elsewhere is another one.
fn resolved(path: &Path) -> PathBuf {
    let directory = path.parent().and_then(|parent| parent.canonicalize().ok());
    match (directory, path.file_name()) {
        (Some(directory), Some(name)) => directory.join(name),
        _ => path.to_owned(),
    }
}

fn shown(path: &Path) -> String {
    resolved(path).to_string_lossy().replace('\n', "?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    #[test]
    fn only_what_weakens_safety_or_leads_outside_needs_trust() {
        let check = |line: &str, expected: &[&str]| {
            let mut node = parse::yaml(line).unwrap();
            let withheld = withhold(&mut node, Path::new("/project"));
            let keys: Vec<&str> = withheld.iter().map(|withheld| withheld.key.as_str()).collect();
            assert_eq!(keys, expected, "{line}");
        };
        check("redaction: {mode: 'off'}", &["redaction.mode"]);
        check("redaction: {mode: report}", &["redaction.mode"]);
        check("redaction: {mode: 'on', numbered: true}", &[]);
        check("redaction: {allow: ['.*'], disable: []}", &["redaction.allow"]);
        check("overrides: {bash: {redaction: {disable: [jwt]}}}", &["overrides.bash.redaction.disable"]);
        check("artifacts: {storage: 's3://bucket'}", &["artifacts.storage"]);
        for outside in ["/elsewhere", "../beside", "kept/../../beside", "s3://bucket", "/project/../elsewhere"] {
            check(&format!("artifacts: {{storage_path: '{outside}'}}"), &["artifacts.storage_path"]);
        }
        for inside in ["kept", "./kept", "none", "temp", "/project/kept"] {
            check(&format!("artifacts: {{storage_path: '{inside}'}}"), &[]);
        }
        check("extraction: {model: large, max_chunks: 3}", &["extraction.model"]);
        check("retention: {prices: /etc/passwd, newest: 3}", &["retention.prices"]);
        check("retention: {prices: prices.json}", &[]);
        check("telemetry: {otlp: 'http://collector:4318', traces: false}", &["telemetry.otlp"]);
        check("history: {max_days: 3}", &[]);
        check("inline_limit: 5000", &[]);
    }

    #[test]
    fn trust_ends_with_the_content_and_the_place() {
        let directory = tempfile::tempdir().unwrap();
        let trust = Trust::in_directory(&directory.path().join("config/offcut"));
        let (one, other) = (directory.path().join("offcut.toml"), directory.path().join("config/offcut.toml"));
        assert!(!trust.holds(&one, "a"));
        trust.add(&one, "a").unwrap();
        assert!(trust.holds(&one, "a") && !trust.holds(&one, "b") && !trust.holds(&other, "a"));
        trust.add(&other, "a").unwrap();
        trust.add(&one, "b").unwrap();
        assert!(trust.holds(&one, "b") && !trust.holds(&one, "a") && trust.holds(&other, "a"));
        assert!(trust.remove(&one).unwrap() && !trust.remove(&one).unwrap());
        assert!(!trust.holds(&one, "b") && trust.holds(&other, "a"));
    }
}
