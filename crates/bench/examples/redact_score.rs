//! Measures redaction on a labelled corpus: recall on the secrets of scanners' test cases, precision on real outputs.
//!
//! `cargo run --release -p offcut-bench --example redact_score -- CORPUS [--list]`
//!
//! The corpus is a folder with `manifest.jsonl` (one file a line: `file`, `kind`, `labels`). Files of the kind
//! `secrets` are gzipped, with their labels (`start`, `end`, `label`, `secret`) beside them. All other files are real
//! outputs; what is redacted there is printed with `--list`, to be judged by eye.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a measuring command reads files and prints")]

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use offcut_core::redact::{Rules, redact};
use serde_json::Value;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let corpus = arguments.first().ok_or("usage: redact_score CORPUS [--list]")?;
    let corpus = Path::new(corpus);
    let list = arguments.iter().any(|argument| argument == "--list");
    let rules = Rules::builtin();
    let (mut caught, mut positives, mut spared, mut negatives) = (0, 0, 0, 0);
    let mut real = Real::default();
    for line in fs::read_to_string(corpus.join("manifest.jsonl"))?.lines() {
        let entry: Value = serde_json::from_str(line)?;
        let file = corpus.join(entry["file"].as_str().ok_or("a manifest line has no `file`")?);
        if entry["kind"] == "secrets" {
            let labels = corpus.join(entry["labels"].as_str().ok_or("a file of secrets has no `labels`")?);
            let score = labelled(&unpack(&file)?, &unpack(&labels)?, &rules, list)?;
            println!(
                "{:34} recall {:4}/{:<4} {:.3}   left alone {:4}/{:<4}",
                entry["id"].as_str().unwrap_or(""),
                score[0],
                score[1],
                ratio(score[0], score[1]),
                score[2],
                score[3]
            );
            caught += score[0];
            positives += score[1];
            spared += score[2];
            negatives += score[3];
        } else {
            real.add(entry["id"].as_str().unwrap_or(""), &String::from_utf8_lossy(&fs::read(&file)?), &rules, list);
        }
    }
    println!(
        "labelled: recall {caught}/{positives} = {:.3}; benign left alone {spared}/{negatives} = {:.3}",
        ratio(caught, positives),
        ratio(spared, negatives)
    );
    println!(
        "real outputs: {} files, {} bytes, {} redactions in {} files",
        real.files, real.bytes, real.redactions, real.hit
    );
    for (kind, count) in &real.kinds {
        println!("  {kind}: {count}");
    }
    Ok(())
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn unpack(file: &Path) -> Outcome<String> {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&fs::read(file)?[..]).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Caught and all positives, spared and all negatives.
fn labelled(text: &str, labels: &str, rules: &Arc<Rules>, list: bool) -> Outcome<[usize; 4]> {
    let mut score = [0; 4];
    let bytes = text.as_bytes();
    for line in labels.lines() {
        let label: Value = serde_json::from_str(line)?;
        let at = |key: &str| label[key].as_u64().map(|n| n as usize);
        let (Some(start), Some(end)) = (at("start"), at("end")) else { continue };
        let case = String::from_utf8_lossy(bytes.get(start..end).unwrap_or_default()).into_owned();
        let (redacted, counts) = redact(&case, rules);
        let rule = label["rule"].as_str().unwrap_or("");
        match label["label"].as_str() {
            Some("secret") => {
                score[1] += 1;
                let secret = label["secret"].as_str().unwrap_or(&case);
                let gone = redacted != case && !redacted.contains(secret);
                score[0] += usize::from(gone);
                if list && !gone {
                    println!("MISSED {rule}: {case:?}");
                }
            }
            Some("benign") => {
                score[3] += 1;
                score[2] += usize::from(redacted == case);
                if list && redacted != case {
                    println!("BENIGN {rule}: {case:.200} {counts:?}");
                }
            }
            _ => {
                println!(
                    "  {}: {} of {} risky lines",
                    label["path"].as_str().unwrap_or(""),
                    counts.values().sum::<u64>(),
                    label["risk_lines"]
                );
            }
        }
    }
    Ok(score)
}

/// What was redacted in real outputs.
#[derive(Default)]
struct Real {
    files: usize,
    bytes: usize,
    hit: usize,
    redactions: u64,
    kinds: BTreeMap<String, u64>,
}

impl Real {
    fn add(&mut self, id: &str, text: &str, rules: &Arc<Rules>, list: bool) {
        let (redacted, counts) = redact(text, rules);
        self.files += 1;
        self.bytes += text.len();
        self.hit += usize::from(!counts.is_empty());
        for (kind, count) in &counts {
            self.redactions += count;
            *self.kinds.entry(kind.clone()).or_default() += count;
        }
        if list && !counts.is_empty() {
            for (before, after) in text.split('\n').zip(redacted.split('\n')).filter(|(before, after)| before != after)
            {
                println!("REAL {id}: {}", around(before, after));
            }
        }
    }
}

/// The part of two lines in which they differ, with a little before it.
fn around(before: &str, after: &str) -> String {
    let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let from = before.floor_char_boundary(same.saturating_sub(60));
    let excerpt: String = before.get(from..).unwrap_or("").chars().take(180).collect();
    let kind: String = after.get(after.floor_char_boundary(same)..).unwrap_or("").chars().take(30).collect();
    format!("{excerpt}   => {kind}")
}
