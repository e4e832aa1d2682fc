//! Noise around a decisive line never hides it, at any size.

use super::super::Lines;
use crate::budget::Budget;
use crate::cut::Piece;
use crate::document::{Document, TextDocument};
use crate::kind::{Classification, Kind};
use crate::line::signals::{self, Signals};
use crate::line::{LineRules, classify_line};
use crate::strategy::{CutContext, Settings, Strategy};
use crate::text;

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    /// A word that no rule knows.
    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 12] = ["ba", "ko", "mi", "lu", "zo", "ga", "ni", "hu", "do", "ji", "va", "ku"];
        (0..2 + self.below(3)).map(|_| SYLLABLES[self.below(12) as usize]).collect()
    }

    fn words(&mut self, count: u64) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

/// Makes noise, a line at a time.
type Noise = fn(&mut Random, u64) -> String;

/// Kinds of noise.
const NOISES: [(&str, Noise); 6] = [
    ("a log", |random, n| {
        let what = ["request served", "cache refreshed", "session opened", "job queued"][n as usize % 4];
        format!(
            "2026-11-15T10:00:{:02}.{:03}Z INFO api {what} id={} took={n}ms",
            n % 60,
            n % 1000,
            random.below(1 << 30)
        )
    }),
    ("prose", |random, _| random.words(12)),
    ("hexadecimal figures", |random, _| {
        (0..4).map(|_| format!("{:08x}{:06x} ", random.below(1 << 31), random.below(1 << 24))).collect()
    }),
    ("tests that went well", |random, n| format!("test {}::case_{n} ... ok", random.word())),
    ("short lines", |random, _| random.below(100_000).to_string()),
    ("routine failures", |random, n| {
        format!("sshd[{n}]: Failed password for root from 10.0.{}.7 port {n}", random.below(250))
    }),
];

/// At least `bytes` bytes of noise with `lines` spread over it.
fn buried(noise: Noise, bytes: usize, lines: &[String]) -> TextDocument {
    let mut random = Random(bytes as u64);
    let (mut text, mut put, mut n) = (String::with_capacity(bytes + 4096), 0, 0);
    while text.len() < bytes {
        // Neither the first nor the last lines: those are shown anyway.
        while put < lines.len() && text.len() > bytes / 10 + put * (bytes / 10 * 8) / lines.len() {
            text.push_str(&lines[put]);
            text.push('\n');
            put += 1;
        }
        text.push_str(&noise(&mut random, n));
        text.push('\n');
        n += 1;
    }
    TextDocument::new(text)
}

/// What is shown of `document` as a log within `chars` characters.
fn shown(document: &TextDocument, chars: u64) -> String {
    let classification = Classification::new(Kind::Log, 1.0, "test");
    let settings = Settings::default();
    let context = CutContext::new(Budget::chars(chars), &settings, &classification);
    let cut = Lines.cut(document, &context).unwrap();
    let kept = |piece: &Piece| match piece {
        Piece::Keep { range, .. } => document.read(range.clone()).unwrap().into_owned(),
        Piece::Omit { .. } | Piece::Insert(_) => String::new(),
    };
    cut.pieces().iter().map(kept).collect()
}

/// A line for each word that tells of trouble, each said in another way, the gravest last.
fn telling_lines() -> Vec<String> {
    let mut random = Random(7);
    let mut lines: Vec<String> = signals::words()
        .filter(|(_, signals)| signals.has(Signals::TROUBLE))
        .map(|(word, signals)| match signals == Signals::CROSS {
            true => format!("{word} {}", random.words(4)),
            false => format!("{} {word} {}", random.words(2), random.words(3)),
        })
        .collect();
    let worth = |line: &String| classify_line(line, signals::of_line(line), &LineRules::default()).worth;
    lines.sort_by(|one, other| worth(one).total_cmp(&worth(other)));
    lines
}

/// Lines as programs print them where something went wrong.
const REAL: [&str; 14] = [
    "main.o: undefined reference to `vtable for Shop'",
    "sh: 1: frobnicate: command not found",
    "NETDEV: eth0: link is down",
    "/usr/bin/ld: cannot find -lssl",
    "Back-off restarting pod web-7d9f: CrashLoopBackOff",
    "duplicate key: violation: conflict on users_email_key",
    "the host db.example.org could not be reached",
    "archive.tar.gz: checksum invalid",
    "java.lang.OutOfMemoryError: Java heap space",
    "watchdog: BUG: soft lockup - CPU#3 stuck for 22s!",
    "thread 'main' panicked at src/main.rs:2:5:",
    "10.0.0.7 - - [10/Oct/2025:13:55:36 +0000] \"GET /pay HTTP/1.1\" 503 299 \"-\" \"curl\"",
    "✘ pays with a card that expired",
    "E0115 10:00:00.000001   12 pay.go:77] the card was not charged",
];

#[test]
fn noise_never_hides_a_line_with_a_word_of_the_rules() {
    let telling = telling_lines();
    for (name, noise) in [NOISES[0], NOISES[1], NOISES[3]] {
        // Some at a time, of a gravity: where much is wrong, what is around it takes the room of what only may be.
        for lines in telling.chunks(16) {
            let small = shown(&buried(noise, 600_000, lines), 16_000);
            let large = shown(&buried(noise, 4_000_000, lines), 16_000);
            for line in lines {
                let told = small.contains(line.as_str());
                assert!(told || name != "a log", "`{line}` in a little of {name}");
                assert!(!told || large.contains(line.as_str()), "`{line}` in much of {name}");
            }
        }
    }
}

#[test]
fn what_programs_say_is_shown_of_many_megabytes_within_few_characters() {
    let lines = REAL.map(str::to_owned);
    for (bytes, (name, noise)) in [(64_000_000, NOISES[0]), (4_000_000, NOISES[1]), (4_000_000, NOISES[3])] {
        let shown = shown(&buried(noise, bytes, &lines), 7_000);
        for line in REAL {
            assert!(shown.contains(line), "`{line}` in {bytes} bytes of {name}:\n{}", text::slice(&shown, 0..3000));
        }
    }
}

/// Lines as programs of all sorts print them where something went wrong, most of them without a word for an error.
const DECISIVE: &str = include_str!("decisive.txt");

#[test]
fn a_decisive_line_is_shown_among_lines_of_few_words() {
    const WHAT: [&str; 12] = [
        "Loading", "Reading", "Building", "Copying", "Linking", "Packing", "Signing", "Writing", "Fetching", "Parsing",
        "Checking", "Moving",
    ];
    const WHICH: [&str; 9] = ["core", "parser", "worker", "cache", "model", "billing", "order", "graph", "schema"];
    let one_of = |random: &mut Random, words: &[&'static str]| words[random.below(words.len() as u64) as usize];
    let noise = |random: &mut Random| {
        let (what, one, other) = (one_of(random, &WHAT), one_of(random, &WHICH), one_of(random, &WHICH));
        match random.below(3) {
            0 => format!("{what} {one} {other} done\n"),
            1 => format!("{what} {one} with {other}\n"),
            _ => format!("{what} {one} {other} in {} ms\n", random.below(90)),
        }
    };
    let mut random = Random(3);
    let lost: Vec<&str> = DECISIVE
        .lines()
        .filter(|line| {
            let mut text: String = (0..300).map(|_| noise(&mut random)).collect();
            text.push_str(line);
            text.push('\n');
            text.extend((0..200).map(|_| noise(&mut random)));
            !shown(&TextDocument::new(text), 2000).contains(line)
        })
        .collect();
    assert!(lost.is_empty(), "{lost:#?}");
}
