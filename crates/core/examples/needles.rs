//! How much of what a reader needs `smart` keeps, over a corpus with a manifest.
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
use offcut_core::cut::{Cut, Mark, Piece};
use offcut_core::document::{Document, TextDocument};
use offcut_core::kind::{Classification, Kind};
use offcut_core::strategy::smart::Smart;
use offcut_core::strategy::{Brief, Settings, Strategy};
use regex::Regex;
use serde_json::Value;

/// What the lines before and behind a cut take of the limit.
const NOTICES: u64 = 300;

struct Item {
    id: String,
    kind: String,
    content_type: String,
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
        let classification = Classification::new(guess(item), 0.9, "by manifest");
        let settings = Settings::default();
        let fits = item.document.extent().chars <= limit;
        let budget = Budget::chars(limit - NOTICES);
        let brief = Brief { budget, settings: &settings, classification: &classification };
        let start = Instant::now();
        let cut = if fits { Ok(Cut::whole(item.document.extent())) } else { Smart.cut(&item.document, &brief) };
        time += start.elapsed();
        bytes += item.document.extent().bytes;
        let Ok(cut) = cut else { continue };
        let view = render(&item.document, &cut);
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
            println!("{limit} {} {} {kept}/{weight} crit {critical_kept}/{critical} chars {chars}", item.kind, item.id);
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

/// What the classifier would say, roughly.
fn guess(item: &Item) -> Kind {
    match (item.kind.as_str(), item.content_type.as_str()) {
        ("diff", _) => Kind::Diff,
        ("listing", _) | (_, "text/tree") => Kind::Listing,
        ("search", "text/search") => Kind::Search,
        (_, "markdown") => Kind::Markdown,
        ("ci-log" | "gen-log" | "syslog" | "terminal", _) => Kind::Log,
        _ => Kind::Text,
    }
}

/// Kept text and markers as the renderer writes them, without notices.
fn render(document: &dyn Document, cut: &Cut) -> String {
    let mut out = String::new();
    for piece in cut.pieces() {
        match piece {
            Piece::Keep { range, .. } => out.push_str(&document.read(range.clone()).unwrap()),
            Piece::Insert(text) => out.push_str(text),
            Piece::Omit { range, mark } => {
                let gap = document.read(range.clone()).unwrap();
                let (lines, chars) = (offcut_core::text::lines(&gap), offcut_core::text::chars(&gap));
                match mark {
                    Mark::Silent => {}
                    Mark::Inline => out.push_str(&format!(" ... [{chars} chars omitted] ... ")),
                    Mark::Line(detail) => {
                        if !out.is_empty() && !out.ends_with('\n') {
                            out.push('\n');
                        }
                        let detail = detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
                        out.push_str(&format!("... [{lines} lines / {chars} chars omitted{detail}] ...\n"));
                    }
                }
            }
        }
    }
    out
}

fn load(root: &Path) -> Vec<Item> {
    let manifest = std::fs::read_to_string(root.join("manifest.jsonl")).expect("a corpus with manifest.jsonl");
    let mut items = Vec::new();
    for line in manifest.lines() {
        let item: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| item[key].as_str().unwrap_or("").to_owned();
        if item["compression"].is_string() || matches!(text("kind").as_str(), "code" | "json" | "binary") {
            continue;
        }
        let bytes = std::fs::read(root.join(text("file"))).unwrap();
        let raw = String::from_utf8_lossy(&bytes).into_owned();
        let needles = item["needles"].as_array().unwrap().iter().filter(|n| n["requires_query"] != true);
        items.push(Item {
            id: text("id"),
            kind: text("kind"),
            content_type: text("content_type"),
            fails: item["outcome"] != "pass",
            raw_chars: raw.chars().count() as u64,
            document: TextDocument::new(clean(&raw)),
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

/// Colours dropped and progress lines collapsed, nearly as the cleaner does it.
fn clean(raw: &str) -> String {
    let ansi = Regex::new(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]|\x00").unwrap();
    let plain = ansi.replace_all(raw, "");
    let mut out = String::with_capacity(plain.len());
    for line in plain.split_inclusive('\n') {
        let (words, end) = match line.strip_suffix("\r\n") {
            Some(words) => (words, "\r\n"),
            None => line.strip_suffix('\n').map_or((line, ""), |words| (words, "\n")),
        };
        out.push_str(words.trim_end_matches('\r').rsplit('\r').next().unwrap_or(""));
        out.push_str(end);
    }
    out
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)) >> 7
}
