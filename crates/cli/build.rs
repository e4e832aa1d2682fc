//! Lists the agents that `offcut init` knows, and notes the commit that the program is built from.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let agents = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("agents");
    let out = Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("agents.rs");
    println!("cargo::rerun-if-changed={}", agents.display());
    if let Err(error) = fs::write(&out, list(&agents)) {
        println!("cargo::error=could not write {}: {error}", out.display());
    }
    // `cargo run` hands these on to the program, which takes every name that begins with OFFCUT_ for a setting.
    println!("cargo::rustc-env=BUILD_COMMIT={}", commit().unwrap_or_default());
    println!("cargo::rustc-env=BUILD_FEATURES={}", features());
    let has_own_libc = env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|features| features.contains("crt-static"));
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") && !has_own_libc {
        // Most calls are small: at a fixed place the program starts without 50,000 relocations, on pages that it shares.
        println!("cargo::rustc-link-arg-bins=-no-pie");
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
