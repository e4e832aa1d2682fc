//! How much of what a reader needs is kept of line-oriented and structured outputs, over a corpus with a manifest.
//!
//! `cargo run --release --example needles -- DIR [--limit 8000,4000,2000] [--kind K] [--half 0|1] [--items] [--show ID]`
//!
//! A needle is kept when its text (or its regular expression) is in the view; needles that need the question are left
//! out, and so are items that fit the largest limit. Columns: recall = mean over items of kept weight / weight;
//! crit = share of the weight-3 needles kept; lost = items that keep none of theirs; tok = characters ÷ 4.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use offcut_core::budget::Budget;
use offcut_core::classify::{Hints, classify};
use offcut_core::clean::Cleaner;
use offcut_core::cut::Cut;
use offcut_core::document::{Document, TextDocument};
use offcut_core::kind::{Classification, Kind};
use offcut_core::render::{Markers, render};
use offcut_core::strategy::element::Element;
use offcut_core::strategy::smart::Smart;
use offcut_core::strategy::{Brief, Settings, Strategy};
use regex::Regex;
use serde_json::Value;

/// What the lines before and behind a cut take of the limit.
const NOTICES: u64 = 300;

struct Item {
    id: String,
    kind: String,
    tool: String,
    command: String,
    fails: bool,
    document: TextDocument,
    raw_chars: u64,
    needles: Vec<Needle>,
}

struct Needle {
    weight: u64,
    why: String,
    texts: Vec<String>,
    regex: Option<Regex>,
}

#[derive(Default, Clone)]
struct Score {
    items: u64,
    recall: f64,
    critical: u64,
    critical_kept: u64,
    lost: u64,
    chars: u64,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let mut root = String::new();
    let (mut limits, mut kind, mut half, mut items, mut show) = (vec![8000, 4000, 2000], None, None, false, None);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--limit" => limits = args.next().unwrap().split(',').map(|n| n.parse().unwrap()).collect(),
            "--kind" => kind = args.next(),
            "--half" => half = args.next().map(|n| n.parse::<u64>().unwrap()),
            "--items" => items = true,
            "--show" => show = args.next(),
            other => root = other.into(),
        }
    }
    let corpus: Vec<Item> = load(Path::new(&root))
        .into_iter()
        .filter(|item| kind.as_ref().is_none_or(|kind| &item.kind == kind))
        .filter(|item| half.is_none_or(|half| hash(&item.id) % 2 == half))
        .filter(|item| show.as_ref().is_none_or(|id| &item.id == id))
        .collect();
    for limit in limits {
        run(&corpus, limit, items, show.is_some());
    }
}

fn run(corpus: &[Item], limit: u64, items: bool, show: bool) {
    let mut by_kind: BTreeMap<String, Score> = BTreeMap::new();
    let mut time = Duration::ZERO;
    let mut bytes = 0;
    for item in corpus {
        if item.raw_chars <= 8000 && !show || item.needles.is_empty() {
            continue;
        }
        let classification = classification(item);
        let settings = Settings::default();
        let fits = item.document.extent().chars <= limit;
        let budget = Budget::chars(limit - NOTICES);
        let brief = Brief { budget, settings: &settings, classification: &classification };
        let start = Instant::now();
        let cut = if fits {
            Ok(Cut::whole(item.document.extent()))
        } else {
            strategy(&item.document, classification.kind).cut(&item.document, &brief)
        };
        time += start.elapsed();
        bytes += item.document.extent().bytes;
        // What has no shape of its own is shown as text.
        let cut = cut.or_else(|_| Smart.cut(&item.document, &brief)).unwrap();
        let view = render(&item.document, &cut, Markers::Shown).unwrap().text;
        let chars = view.chars().count() as u64;
        assert!(fits || chars <= limit - NOTICES, "{}: {chars} of {}", item.id, limit - NOTICES);
        if show {
            println!("{view}");
        }
        let (mut weight, mut kept, mut critical, mut critical_kept) = (0, 0, 0, 0);
        for needle in &item.needles {
            let found = needle.texts.iter().any(|text| view.contains(text.as_str()))
                || needle.regex.as_ref().is_some_and(|regex| regex.is_match(&view));
            weight += needle.weight;
            critical += u64::from(needle.weight >= 3);
            if found {
                kept += needle.weight;
                critical_kept += u64::from(needle.weight >= 3);
            } else if items || show {
                let text = needle.texts.first().map(String::as_str).unwrap_or("(regex)");
                let text: String = text.chars().take(150).collect();
                println!("  MISS {} {} {} | {} | {text}", limit, item.id, needle.weight, needle.why);
            }
        }
        if items {
            println!(
                "{limit} {} {} as {} {kept}/{weight} crit {critical_kept}/{critical} chars {chars}",
                item.kind, item.id, classification.kind
            );
        }
        let failing = (item.kind == "ci-log" || item.kind == "gen-log") && item.fails;
        let kinds = [Some("~all"), Some(item.kind.as_str()), failing.then_some("~failing logs")];
        for name in kinds.into_iter().flatten() {
            let score = by_kind.entry(name.into()).or_default();
            score.items += 1;
            score.recall += kept as f64 / weight.max(1) as f64;
            score.critical += critical;
            score.critical_kept += critical_kept;
            score.lost += u64::from(critical > 0 && critical_kept == 0);
            score.chars += chars + NOTICES;
        }
    }
    println!("{limit:>6} characters         items  recall    crit  lost     tok");
    for (name, score) in by_kind {
        println!(
            "{name:24} {:6} {:7.3} {:7.3} {:5} {:7}",
            score.items,
            score.recall / score.items as f64,
            score.critical_kept as f64 / score.critical.max(1) as f64,
            score.lost,
            score.chars / 4 / score.items,
        );
    }
    println!("{:.0} MB/s", bytes as f64 / 1e6 / time.as_secs_f64());
}

/// What the output looks like to the classifier, which is told what a caller would tell it.
fn classification(item: &Item) -> Classification {
    classify(&item.document, &Hints { tool: &item.tool, arguments: &item.command, forced: None }).unwrap()
}

/// The strategy that `auto` takes for a kind.
fn strategy(document: &dyn Document, kind: Kind) -> &'static dyn Strategy {
    match kind {
        kind if Smart::knows(document, kind) => &Smart,
        Kind::Json | Kind::Ndjson | Kind::Xml | Kind::Html | Kind::Yaml | Kind::Csv | Kind::Tsv => &Element,
        _ => &Smart,
    }
}

fn load(root: &Path) -> Vec<Item> {
    let manifest = std::fs::read_to_string(root.join("manifest.jsonl")).expect("a corpus with manifest.jsonl");
    let mut items = Vec::new();
    for line in manifest.lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| item[key].as_str().unwrap_or("").to_owned();
        if item["compression"].is_string() || matches!(text("kind").as_str(), "code" | "binary") {
            continue;
        }
        let bytes = std::fs::read(root.join(text("file"))).unwrap();
        let raw = String::from_utf8_lossy(&bytes).into_owned();
        let needles = item["needles"].as_array().unwrap().iter().filter(|n| n["requires_query"] != true);
        items.push(Item {
            id: text("id"),
            kind: text("kind"),
            fails: item["outcome"] != "pass",
            raw_chars: raw.chars().count() as u64,
            document: TextDocument::new(clean(&bytes)),
            tool: text("tool"),
            command: text("command"),
            needles: needles.map(needle).collect(),
        });
    }
    items
}

fn needle(needle: &Value) -> Needle {
    let mut texts: Vec<String> = needle["text"].as_str().map(str::to_owned).into_iter().collect();
    for alias in needle["aliases"].as_array().into_iter().flatten() {
        texts.extend(alias.as_str().map(str::to_owned));
    }
    let regex = needle["regex"].as_str().map(|regex| Regex::new(&format!("(?m){regex}")).unwrap());
    let why = needle["why"].as_str().unwrap_or("").into();
    Needle { weight: needle["weight"].as_u64().unwrap_or(1), why, texts, regex }
}

/// The text that the cleaner makes of raw bytes.
fn clean(raw: &[u8]) -> String {
    let (mut cleaner, mut scratch) = (Cleaner::default(), String::new());
    let mut text = cleaner.push(raw, &mut scratch).to_owned();
    text.push_str(cleaner.finish(&mut scratch));
    text
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)) >> 7
}
