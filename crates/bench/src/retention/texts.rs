//! Texts of a wanted size that read like what tools print, and the sizes that tools' results have.

/// How large tool results of agents are: how many of 10,085 have 2ⁿ to 2ⁿ⁺¹ characters (482 SWE-agent trajectories).
const SIZES: [(u32, u64); 19] = [
    (0, 589),
    (1, 13),
    (2, 97),
    (3, 130),
    (4, 456),
    (5, 1129),
    (6, 2129),
    (7, 701),
    (8, 537),
    (9, 688),
    (10, 870),
    (11, 1387),
    (12, 1253),
    (13, 49),
    (14, 19),
    (15, 16),
    (16, 13),
    (18, 6),
    (19, 3),
];

const WORDS: [&str; 48] = [
    "parser",
    "token",
    "index",
    "buffer",
    "session",
    "request",
    "handler",
    "value",
    "config",
    "result",
    "field",
    "user",
    "cache",
    "store",
    "path",
    "line",
    "count",
    "error",
    "message",
    "schema",
    "client",
    "server",
    "worker",
    "queue",
    "model",
    "reader",
    "writer",
    "state",
    "event",
    "limit",
    "offset",
    "record",
    "table",
    "column",
    "query",
    "module",
    "package",
    "version",
    "target",
    "source",
    "build",
    "check",
    "update",
    "remove",
    "create",
    "validate",
    "resolve",
    "serialize",
];

/// What a tool printed.
#[derive(Debug, Clone, Copy)]
enum Print {
    Code,
    Log,
    Hits,
    Listing,
}

/// The size of a result, in characters.
pub(super) fn result_size(random: &mut Random) -> usize {
    let mut at = random.below(SIZES.iter().map(|(_, count)| count).sum());
    for (power, count) in SIZES {
        if at < count {
            return (1 << power) + random.below(1 << power) as usize;
        }
        at -= count;
    }
    0
}

/// A result of so many characters, all of one sort.
pub(super) fn printed(random: &mut Random, chars: usize) -> String {
    let print = match random.below(10) {
        0..=3 => Print::Code,
        4..=5 => Print::Log,
        6..=7 => Print::Hits,
        _ => Print::Listing,
    };
    let mut text = String::with_capacity(chars + 120);
    let mut number = random.below(400);
    while text.len() < chars {
        number += 1;
        line(random, print, number, &mut text);
        text.push('\n');
    }
    text.truncate(chars);
    text
}

/// Sentences of about so many characters, as a model writes them.
pub(super) fn said(random: &mut Random, chars: usize) -> String {
    let mut text = String::with_capacity(chars + 80);
    while text.len() < chars {
        let (one, two, three) = (random.word(), random.word(), random.word());
        text.push_str(&format!(
            "Let me look at how the {one} of the {two} is used by the {three} before I change it. "
        ));
    }
    text.truncate(chars);
    text
}

fn line(random: &mut Random, print: Print, number: u64, text: &mut String) {
    let (one, two, three) = (random.word(), random.word(), random.word());
    let figure = random.below(10_000);
    text.push_str(&match print {
        Print::Code => match random.below(5) {
            0 => format!("{number}:    def {one}_{two}(self, {three}, default=None):"),
            1 => format!("{number}:        if {one} is None or {two}.{three}() > {figure}:"),
            2 => format!("{number}:            return self._{one}[{two}].{three}(\"{one}\", {figure})"),
            3 => format!("{number}:        # The {one} must be there before the {two}, or the {three} fails."),
            _ => format!("{number}:        {one} = {two}({three}={three}, {one}_{three}={figure})"),
        },
        Print::Log => format!(
            "2026-05-{:02}T{:02}:{:02}:{:02}.{figure:04}Z INFO {one}.{two}: {three} {figure} done in {}ms",
            1 + figure % 28,
            figure % 24,
            number % 60,
            figure % 60,
            random.below(900)
        ),
        Print::Hits => format!("src/{one}/{two}.py:{figure}:    {three} = {one}.get_{two}({three}_id)"),
        Print::Listing => format!(
            "-rw-r--r-- 1 user user {figure:>6} Nov {:>2} 10:{:02} {one}_{two}.py",
            1 + figure % 28,
            figure % 60
        ),
    });
}

/// A small generator of numbers that are the same everywhere (SplitMix64).
#[derive(Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }

    fn word(&mut self) -> &'static str {
        WORDS.get(self.below(WORDS.len() as u64) as usize).copied().unwrap_or_default()
    }
}
