//! Turns the rule files into Rust tables, so that starting up parses nothing.
//!
//! The examples stay behind: only the tests read them.
#![allow(clippy::disallowed_methods, reason = "a build script reads files and the environment")]

#[path = "build/lines.rs"]
mod lines;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

#[path = "build/steps.rs"]
mod steps;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("rules");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?.iter().map(|f| f.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "toml"));
    files.sort();

    let mut table = String::from("&[\n");
    let mut sources = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let parsed: toml::Table = fs::read_to_string(file)?.parse().map_err(|e| format!("{}: {e}", file.display()))?;
        let rules = parsed.get("rule").and_then(toml::Value::as_array).ok_or("a rule file needs [[rule]]")?;
        for rule in rules {
            writeln!(table, "    {},", entry(rule).map_err(|e| format!("{}: {e}: {rule:?}", file.display()))?)?;
        }
        writeln!(sources, "    include_str!({:?}),", file.display().to_string())?;
    }
    table.push(']');
    sources.push(']');
    let out = Path::new(&env::var("OUT_DIR")?).to_owned();
    fs::write(out.join("rules.rs"), table)?;
    fs::write(out.join("rule_files.rs"), sources)?;
    lines::compile(&folder.join("lines"), &out)?;
    steps::generate(&folder, &out)
}

/// One rule as a Rust expression.
fn entry(rule: &toml::Value) -> Result<String, String> {
    let text = |key: &str| rule.get(key).and_then(toml::Value::as_str).ok_or(format!("`{key}` is missing"));
    let list = |key: &str| -> Result<String, String> {
        let Some(value) = rule.get(key) else { return Ok("&[]".into()) };
        let items = value.as_array().ok_or(format!("`{key}` must be a list"))?;
        let words: Option<Vec<String>> = items.iter().map(|i| i.as_str().map(|s| format!("{s:?}"))).collect();
        Ok(format!("&[{}]", words.ok_or(format!("`{key}` must hold strings"))?.join(", ")))
    };
    let entropy = match rule.get("entropy") {
        None => 0.0,
        Some(value) => value.as_float().ok_or("`entropy` must be a number with a point")?,
    };
    let flag = |key: &str| rule.get(key).and_then(toml::Value::as_bool).unwrap_or(false);
    Ok(format!(
        "Raw {{ id: {:?}, kind: {:?}, prefixes: {}, infixes: {}, after: {:?}, names: {}, keywords: {}, regex: {:?}, entropy: {entropy:?}, allow: {}, beside: {}, dummies: {}, short: {} }}",
        text("id")?,
        text("kind")?,
        list("prefixes")?,
        list("infixes")?,
        rule.get("after").and_then(toml::Value::as_str).unwrap_or_default(),
        list("names")?,
        list("keywords")?,
        text("regex")?,
        list("allow")?,
        list("beside")?,
        flag("dummies"),
        flag("short"),
    ))
}
