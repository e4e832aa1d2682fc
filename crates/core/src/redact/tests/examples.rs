//! Every built-in rule finds what its recipes make and leaves alone what it must.

use crate::redact::rules::BUILTIN;
use crate::redact::{Rules, redact};

static FILES: &[&str] = include!(concat!(env!("OUT_DIR"), "/rule_files.rs"));

/// A small generator: the same seed always gives the same text.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    fn pick(&mut self, set: &str, count: usize) -> String {
        let set: Vec<char> = set.chars().collect();
        (0..count).map(|_| set[self.below(set.len())]).collect()
    }
}

const DIGITS: &str = "0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Makes a text from a recipe: `{w36}` is 36 letters and figures, `{h32}` 32 hexadecimal digits, `{uuid}` a UUID.
pub(super) fn cook(recipe: &str, dice: &mut Dice) -> String {
    let mut text = String::new();
    let mut rest = recipe;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((step, behind)) = after.split_once('}') else { panic!("{recipe}: a brace is open") };
        rest = behind;
        if step == "uuid" {
            for (index, count) in [8, 4, 4, 4, 12].into_iter().enumerate() {
                text.push_str(if index > 0 { "-" } else { "" });
                text.push_str(&dice.pick("0123456789abcdef", count));
            }
            continue;
        }
        // `{SSHA}` is no step.
        if step.len() > 1 && step.bytes().all(|b| b.is_ascii_uppercase()) {
            text.push_str(&format!("{{{step}}}"));
            continue;
        }
        let mut chars = step.chars();
        let class = chars.next().unwrap_or_else(|| panic!("{recipe}: an empty step"));
        let count: usize = chars.as_str().parse().unwrap_or_else(|_| panic!("{recipe}: `{step}`"));
        let set = match class {
            'd' => DIGITS.to_owned(),
            'h' => "0123456789abcdef".to_owned(),
            'H' => "0123456789ABCDEF".to_owned(),
            'l' => LOWER.to_owned(),
            'a' => [LOWER, UPPER].concat(),
            'L' => [LOWER, DIGITS].concat(),
            'U' => [UPPER, DIGITS].concat(),
            'w' => [LOWER, UPPER, DIGITS].concat(),
            'W' => [LOWER, UPPER, DIGITS, "_-"].concat(),
            'b' => [LOWER, UPPER, DIGITS, "+/"].concat(),
            'B' => [UPPER, "234567"].concat(),
            'q' => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".to_owned(),
            other => panic!("{recipe}: no class `{other}`"),
        };
        text.push_str(&dice.pick(&set, count));
    }
    text.push_str(rest);
    text
}

/// One rule's examples, as the file has them.
pub(super) struct Example {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) good: Vec<String>,
    pub(super) bad: Vec<String>,
}

pub(super) fn examples() -> Vec<Example> {
    let mut all = Vec::new();
    for file in FILES {
        let table: toml::Table = file.parse().unwrap();
        for rule in table["rule"].as_array().unwrap() {
            let list = |key: &str| -> Vec<String> {
                let items = rule.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
                items.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
            };
            let text = |key: &str| rule[key].as_str().unwrap().to_owned();
            all.push(Example { id: text("id"), kind: text("kind"), good: list("good"), bad: list("bad") });
        }
    }
    all
}

#[test]
fn every_rule_finds_its_good_examples() {
    let rules = Rules::builtin();
    let mut dice = Dice(7);
    let mut missed = Vec::new();
    for example in examples() {
        assert!(!example.good.is_empty(), "{} has no example", example.id);
        for recipe in &example.good {
            let hits = (0..20)
                .filter(|_| {
                    let text = cook(recipe, &mut dice);
                    let (redacted, counts) = redact(&text, &rules);
                    redacted != text && counts.contains_key(&example.kind)
                })
                .count();
            // Chance may now and then write something that looks like words or like a mask.
            if hits < 18 {
                let text = cook(recipe, &mut dice);
                missed.push(format!("{} {hits}/20: {recipe}: {:?}", example.id, redact(&text, &rules)));
            }
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn no_rule_finds_its_bad_examples() {
    let rules = Rules::builtin();
    let mut dice = Dice(11);
    for example in examples() {
        for recipe in &example.bad {
            let text = cook(recipe, &mut dice);
            let (_, counts) = redact(&text, &rules);
            assert!(!counts.contains_key(&example.kind), "{}: {recipe}: {counts:?}", example.id);
        }
    }
}

#[test]
fn there_are_at_least_150_kinds_and_every_expression_compiles() {
    let rules = Rules::builtin();
    let kinds: std::collections::BTreeSet<&str> = BUILTIN.iter().map(|rule| rules.kind(rule.kind)).collect();
    assert!(kinds.len() >= 150, "{}", kinds.len());
    for rule in &BUILTIN {
        assert!(rule.regex().is_some(), "{}", rule.id);
    }
}
