//! Every example of every rule.

use super::*;
use crate::line::classify::told;
use crate::line::role::Told;
use crate::line::{prefix, signals};

const FILES: &[&str] = include!(concat!(env!("OUT_DIR"), "/line_rule_files.rs"));

/// Every rule with its examples: what it is for, its id, the good and the bad ones.
fn examples(kind: &str, check: impl Fn(&str, &str) -> bool) {
    let strings = |value: &toml::Value, key: &str| -> Vec<String> {
        let list = value.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        list.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let mut checked = 0;
    let mut wrong = Vec::new();
    for file in FILES {
        let parsed: toml::Table = file.parse().unwrap();
        let rules = parsed.get("rule").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        for rule in rules.iter().filter(|rule| rule.get(kind).is_some()) {
            let id = rule.get("id").and_then(toml::Value::as_str).unwrap();
            for (line, wanted) in strings(rule, "good")
                .iter()
                .map(|line| (line, true))
                .chain(strings(rule, "bad").iter().map(|line| (line, false)))
            {
                checked += 1;
                if check(id, line) != wanted {
                    wrong.push(format!("{id}: {} hold for `{line}`", if wanted { "does not" } else { "must not" }));
                }
            }
        }
    }
    assert!(checked > 10, "{checked} examples of {kind}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rules_say_what_their_good_examples_are_and_not_what_their_bad_ones_are() {
    let rules = LineRules::default();
    examples("role", |id, line| {
        let body = prefix::body(line);
        matches!(told(body, signals::of_line(body), &rules), Told::Rule(name, _) if name == id)
    });
}

#[test]
fn rules_vote_for_their_good_examples() {
    examples("vote", |id, line| {
        let rule = VOTES.iter().find(|rule| rule.id == id).unwrap();
        let view = View::new(line, line.trim(), signals::of_line(line));
        rule.holds(&view)
    });
}

#[test]
fn rules_know_the_parts_of_their_traces() {
    examples("trace", |id, line| {
        let rule = TRACES.iter().find(|rule| rule.id == id).unwrap();
        let found = TraceLine::of(line);
        rule.when.hold(&View::new(line, line.trim(), signals::of_line(line))) && found == rule.part
    });
}
