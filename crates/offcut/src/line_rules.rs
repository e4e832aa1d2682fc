//! A user's own rules for lines: read from the configuration and from files, checked one by one.
//!
//! A wrong rule never stops a reply. It is left out, and every reply says so as long as it is there.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use offcut_core::line::{LineRuleSpec, LineRules};
use serde::Deserialize;

use crate::options::{LineRuleOption, LineRuleOptions};

/// The largest file of rules that is read, in bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// A rule that was left out: where it stands, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineRuleFault {
    /// The file, or `line_rules` for a rule that stands in the configuration itself.
    pub place: String,
    /// What is wrong, with the name of the rule where it has one.
    pub problem: String,
}

impl fmt::Display for LineRuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

/// A file of rules.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFile {
    #[serde(default)]
    rule: Vec<toml::Value>,
}

/// The rules that `listed` names beside the built-in ones, and what is wrong with the others.
pub(crate) fn compile(listed: &[LineRuleOption]) -> (Arc<LineRules>, Vec<LineRuleFault>) {
    let mut faults = Vec::new();
    let mut specs: Vec<(String, LineRuleSpec)> = Vec::new();
    for option in listed {
        match option {
            LineRuleOption::Rule(rule) => specs.push(("line_rules".to_owned(), spec(rule))),
            LineRuleOption::File(path) => match rules_of(Path::new(path)) {
                Err(problem) => faults.push(LineRuleFault { place: path.clone(), problem }),
                Ok(rules) => {
                    for rule in rules {
                        let id = rule.get("id").and_then(toml::Value::as_str).unwrap_or("without an id").to_owned();
                        match rule.try_into::<LineRuleOptions>() {
                            Ok(rule) => specs.push((path.clone(), spec(&rule))),
                            Err(error) => {
                                let problem = format!("line rule `{id}`: {}", error.message());
                                faults.push(LineRuleFault { place: path.clone(), problem });
                            }
                        }
                    }
                }
            },
        }
    }
    let places: Vec<(String, String)> = specs.iter().map(|(place, spec)| (spec.id.clone(), place.clone())).collect();
    let (rules, errors) = LineRules::with(specs.into_iter().map(|(_, spec)| spec).collect());
    faults.extend(errors.into_iter().map(|error| {
        let place = places.iter().rev().find(|(id, _)| *id == error.rule).map_or("line_rules", |(_, place)| place);
        LineRuleFault { place: place.to_owned(), problem: error.to_string() }
    }));
    (Arc::new(rules), faults)
}

/// The rules in a file.
fn rules_of(path: &Path) -> Result<Vec<toml::Value>, String> {
    let about = std::fs::metadata(path).map_err(|error| format!("could not be read: {error}"))?;
    if !about.is_file() || about.len() > LARGEST_FILE {
        return Err("is not a file of at most 1 MiB".to_owned());
    }
    let text = std::fs::read_to_string(path).map_err(|error| format!("could not be read: {error}"))?;
    let file: RuleFile = toml::from_str(&text).map_err(|error| format!("not valid: {}", error.message()))?;
    Ok(file.rule)
}

fn spec(rule: &LineRuleOptions) -> LineRuleSpec {
    let LineRuleOptions {
        id,
        starts,
        begins,
        label,
        equals,
        ends,
        ends_word,
        contains,
        contains_all,
        says,
        not_starts,
        not_contains,
        regex,
        indent,
        max_length,
        role,
        severity,
        weight,
        vote,
        good,
        bad,
    } = rule.clone();
    LineRuleSpec {
        id,
        starts,
        begins,
        label,
        equals,
        ends,
        ends_word,
        contains,
        contains_all,
        says,
        not_starts,
        not_contains,
        regex,
        indent,
        max_length,
        role,
        severity,
        weight,
        vote,
        good,
        bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(id: &str, start: &str) -> LineRuleOptions {
        LineRuleOptions {
            id: id.to_owned(),
            starts: vec![start.to_owned()],
            role: Some("failed_test".to_owned()),
            ..LineRuleOptions::default()
        }
    }

    #[test]
    fn a_wrong_rule_is_left_out_and_the_others_hold() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mine.toml");
        let text = "[[rule]]\nid = \"a\"\nstarts = [\"!! \"]\nrole = \"failed_test\"\n\n\
                    [[rule]]\nid = \"b\"\nstarts = [\"x\"]\nrole = \"banana\"\n\n\
                    [[rule]]\nid = \"c\"\nstart = [\"x\"]\n";
        std::fs::write(&file, text).unwrap();
        let path = file.display().to_string();
        let missing = folder.path().join("gone.toml").display().to_string();
        let listed = [
            LineRuleOption::File(path.clone()),
            LineRuleOption::File(missing.clone()),
            LineRuleOption::Rule(Box::new(rule("d", "?? "))),
            LineRuleOption::Rule(Box::new(rule("", "?? "))),
        ];
        let (rules, faults) = compile(&listed);
        assert_eq!(rules.name_for("!! sums"), Some("a"));
        assert_eq!(rules.name_for("?? sums"), Some("d"));
        let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 4, "{said:#?}");
        let named = |place: &str, words: &str| said.iter().any(|said| said.starts_with(place) && said.contains(words));
        assert!(named(&path, "line rule `b`: unknown role `banana`"), "{said:#?}");
        assert!(named(&path, "line rule `c`: unknown field `start`"), "{said:#?}");
        assert!(named(&missing, "could not be read"), "{said:#?}");
        assert!(named("line_rules", "`id` is missing"), "{said:#?}");
    }
}
