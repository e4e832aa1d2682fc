//! Every JSON, NDJSON, XML, YAML and CSV file of the corpus, cut to many sizes: the cut fits, parses, and counts right.
//!
//! The corpus lies beside the repository, or where `OFFCUT_CORPUS` says; without it these tests say that they skip.

use std::path::{Path, PathBuf};

use offcut_core::kind::Kind;

use crate::cuts::{check_csv, check_json, check_ndjson, check_xml, check_yaml, cut};

const LIMITS: [u64; 9] = [500, 800, 1_300, 2_000, 4_000, 8_000, 16_000, 30_000, 50_000];

fn files(extensions: &[&str]) -> Vec<(String, String)> {
    let named = std::env::var_os("OFFCUT_CORPUS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"));
    let mut found = Vec::new();
    for kind in ["data", "json", "search", "trajectory", "utf8"] {
        let Ok(entries) = std::fs::read_dir(folder.join(kind)) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if extensions.contains(&extension.as_str()) {
                found.push((path.display().to_string(), String::from_utf8(std::fs::read(&path).unwrap()).unwrap()));
            }
        }
    }
    found.sort();
    if found.is_empty() {
        eprintln!("skipped: no corpus in {} (OFFCUT_CORPUS names another folder)", folder.display());
    }
    found
}

fn check_each(extensions: &[&str], check: impl Fn(&str, u64)) {
    for (path, text) in files(extensions) {
        for chars in LIMITS {
            eprintln!("{path} at {chars}");
            check(&text, chars);
        }
    }
}

#[test]
fn json_of_the_corpus_fits_parses_and_counts_right_at_every_limit() {
    check_each(&["json", "map"], |text, chars| {
        if serde_json::from_str::<serde_json::Value>(text).is_ok() {
            check_json(text, chars);
        } else if let Ok((_, cut)) = cut(Kind::Json, text, chars) {
            // JSON between lines of text: cut as such, and not said to parse.
            assert!(!cut.parses);
        }
    });
}

#[test]
fn ndjson_of_the_corpus_fits_parses_and_counts_right_at_every_limit() {
    check_each(&["ndjson"], check_ndjson);
}

#[test]
fn xml_of_the_corpus_fits_parses_and_counts_right_at_every_limit() {
    check_each(&["xml"], check_xml);
}

#[test]
fn yaml_of_the_corpus_fits_parses_and_counts_right_at_every_limit() {
    check_each(&["yaml", "yml"], |text, chars| check_yaml(text, chars).unwrap_or_else(|error| panic!("{error}")));
}

#[test]
fn csv_of_the_corpus_fits_parses_and_counts_right_at_every_limit() {
    check_each(&["csv"], check_csv);
}
