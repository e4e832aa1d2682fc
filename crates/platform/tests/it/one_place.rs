//! Only this crate names an operating system.

use std::fs;
use std::path::{Path, PathBuf};

/// What names a system in Rust's text.
const IN_CODE: [&str; 15] = [
    "std::os::",
    "cfg(unix)",
    "cfg(windows)",
    "cfg(not(unix))",
    "cfg(not(windows))",
    "target_os",
    "target_family",
    "rustix",
    "libc::",
    "nix::",
    "windows_sys",
    "winapi",
    "signal_hook",
    "signal::unix",
    "0o",
];

/// Packages that only one system has.
const IN_MANIFESTS: [&str; 5] = ["rustix", "libc", "nix", "signal-hook", "winapi-util"];

/// The folders of the packages: `crates`, as far as they are here, which they are not where this one was packed alone.
fn packages() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let entries = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path());
    let is_other = |path: &PathBuf| path.join("Cargo.toml").is_file() && !path.ends_with("platform");
    entries.filter(is_other).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Whether `line` has `word` where no longer word begins with another letter before it: `unix::` is not `nix::`.
fn names(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

#[test]
fn no_other_crate_s_source_names_a_system() {
    let mut files = Vec::new();
    packages().iter().for_each(|package| sources(&package.join("src"), &mut files));
    let mut found = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            if IN_CODE.iter().any(|word| names(line, word)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "this belongs to offcut-platform:\n{}", found.join("\n"));
}

#[test]
fn no_other_crate_ships_a_package_of_one_system() {
    for package in packages() {
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap();
        let mut shipped = false;
        for line in manifest.lines() {
            if line.starts_with('[') {
                shipped = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
            }
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            let is_foreign = shipped && IN_MANIFESTS.contains(&name);
            assert!(!is_foreign, "{}: `{line}` belongs to offcut-platform", package.display());
        }
    }
}
