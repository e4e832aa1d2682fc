//! Lists the agents that `offcut init` knows and those that run us, and notes the commit that the program is built from.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let source = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let (agents, callers) = (source.join("agents"), source.join("src/caller/agents.toml"));
    println!("cargo::rerun-if-changed={}", agents.display());
    println!("cargo::rerun-if-changed={}", callers.display());
    write("agents.rs", Ok(list(&agents)));
    write("callers.rs", list_callers(&callers));
    // `cargo run` hands these on to the program, which takes every name that begins with OFFCUT_ for a setting.
    println!("cargo::rustc-env=BUILD_COMMIT={}", commit().unwrap_or_default());
    println!("cargo::rustc-env=BUILD_FEATURES={}", features());
    let has_own_libc = env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") && !has_own_libc {
        // Most calls are small: at a fixed place the program starts without 50,000 relocations, on pages that it shares.
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// Writes a file for the program to include, or says what is wrong.
fn write(name: &str, text: Result<String, String>) {
    let out = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join(name);
    if let Err(why) = text.and_then(|text| fs::write(out, text).map_err(|error| error.to_string())) {
        println!("cargo::error=could not write {name}: {why}");
    }
}

/// The features of this build, as `--version` names them: ` +code +otlp`.
fn features() -> String {
    let is_on = |name: &&str| env::var_os(format!("CARGO_FEATURE_{}", name.to_uppercase())).is_some();
    ["cloud", "code", "otlp", "tokenizers"].into_iter().filter(is_on).map(|name| format!(" +{name}")).collect()
}

/// A constant with the name and the text of every file of agents.
fn list(agents: &Path) -> String {
    let entries = fs::read_dir(agents).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|end| end == "toml")).collect();
    files.sort();
    let mut list = String::from("const AGENTS: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(list, "    ({name:?}, include_str!({file:?})),");
    }
    list + "];\n"
}

/// The agents of a table, as a constant: a small call has no time to read it.
fn list_callers(table: &Path) -> Result<String, String> {
    let text = fs::read_to_string(table).map_err(|error| format!("{}: {error}", table.display()))?;
    let table: toml::Table = text.parse().map_err(|error| format!("{}: {error}", table.display()))?;
    let mut list = String::from("const AGENTS: &[Agent] = &[\n");
    for agent in table.get("agent").and_then(toml::Value::as_array).into_iter().flatten() {
        let agent = agent.as_table().ok_or("an agent must be a table")?;
        let known = ["name", "variables", "interim", "startup"];
        if let Some(key) = agent.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(format!("unknown key `{key}`"));
        }
        let name = agent.get("name").and_then(toml::Value::as_str).ok_or("`name` is missing")?;
        let variables = agent.get("variables").and_then(toml::Value::as_array).ok_or("`variables` is missing")?;
        let variables: Option<Vec<&str>> = variables.iter().map(toml::Value::as_str).collect();
        let variables = variables.ok_or("`variables` must hold strings")?;
        let interim = agent.get("interim").and_then(toml::Value::as_integer);
        let startup = agent.get("startup").and_then(toml::Value::as_bool).unwrap_or(false);
        // Writing to a string cannot fail.
        let _ = writeln!(
            list,
            "    Agent {{ name: {name:?}, variables: &{variables:?}, interim: {interim:?}, startup: {startup} }},"
        );
    }
    Ok(list + "];\n")
}

/// The commit: as the environment says, else that of the checkout in a build for release. Other builds would be made
/// again at every commit.
fn commit() -> Option<String> {
    println!("cargo::rerun-if-env-changed=BUILD_COMMIT");
    if let Some(commit) = env::var("BUILD_COMMIT").ok().filter(|commit| !commit.is_empty()) {
        return Some(commit);
    }
    if env::var("PROFILE").ok()? != "release" {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
    };
    // This file grows with every commit.
    println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    git(&["rev-parse", "--short=10", "HEAD"])
}
