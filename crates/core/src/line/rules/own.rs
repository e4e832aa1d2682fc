//! Rules of a user's own, of the same form as the built-in ones and tried before them.

use aho_corasick::AhoCorasick;

use super::Vote;
use super::conditions::{Conditions, Indent};
use super::view::View;
use crate::line::role::{LineScore, Role, Severity};
use crate::line::signals::{self, Signals};
use crate::line::{prefix, weights};

/// A user's rule, as it stands in a configuration.
///
/// All that it names must hold of a line, the time and job names before it left out, without the space around it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LineRuleSpec {
    /// A name of its own, for messages and for `offcut explain`.
    pub id: String,
    /// Beginnings, one of which the line has.
    pub starts: Vec<String>,
    /// Beginnings, one of which the line has in any case of letters.
    pub begins: Vec<String>,
    /// The same behind brackets and marks.
    pub label: Vec<String>,
    /// Texts, one of which the whole line is.
    pub equals: Vec<String>,
    /// Endings, one of which the line has.
    pub ends: Vec<String>,
    /// Endings, one of which the line has as a word of its own.
    pub ends_word: Vec<String>,
    /// Parts, one of which the line has.
    pub contains: Vec<String>,
    /// Parts, all of which the line has.
    pub contains_all: Vec<String>,
    /// Parts, one of which the line has in any case of letters.
    pub says: Vec<String>,
    /// Beginnings that the line does not have.
    pub not_starts: Vec<String>,
    /// Parts that the line does not have.
    pub not_contains: Vec<String>,
    /// A regular expression that the line matches.
    pub regex: Option<String>,
    /// `none`, `some` or `tab`: how the line is indented.
    pub indent: Option<String>,
    /// The most bytes that the line has.
    pub max_length: Option<usize>,
    /// What such a line is: `failed_test`, `error`, `summary`, …
    pub role: Option<String>,
    /// How grave it is: `negligible`, `low`, `medium`, `high` (the default) or `critical`.
    pub severity: Option<String>,
    /// What seeing it is worth, from 0 to 100, where that is not what its role and its severity are worth.
    pub weight: Option<f64>,
    /// The kind of output that such a line speaks for: `test`, `test_summary`, `build`, `frame`, `trace`, `level`, `ci`.
    pub vote: Option<String>,
    /// Lines that the rule must hold for: its tests.
    pub good: Vec<String>,
    /// Lines that the rule must not hold for: its tests.
    pub bad: Vec<String>,
}

/// Why a rule was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line rule `{rule}`: {problem}")]
pub struct LineRuleError {
    /// The rule's id.
    pub rule: String,
    /// What is wrong with it.
    pub problem: String,
}

/// The rules by which lines are told: the built-in ones, and a user's before them.
#[derive(Debug, Default)]
pub struct LineRules {
    specs: Vec<LineRuleSpec>,
    own: Vec<OwnRule>,
    /// A search for words that lines of these rules hold.
    search: Option<AhoCorasick>,
}

impl PartialEq for LineRules {
    fn eq(&self, other: &LineRules) -> bool {
        self.specs == other.specs
    }
}

#[derive(Debug)]
struct OwnRule {
    id: String,
    when: Conditions<Vec<String>>,
    score: Option<LineScore>,
    vote: Option<Vote>,
}

impl LineRules {
    /// The built-in rules with `specs` before them. A wrong one is left out, and what is wrong with it returned.
    pub fn with(specs: Vec<LineRuleSpec>) -> (LineRules, Vec<LineRuleError>) {
        let mut rules = LineRules::default();
        let mut errors = Vec::new();
        for spec in specs {
            let taken = rules.own.iter().any(|rule| rule.id == spec.id) || super::is_builtin(&spec.id);
            let checked = match taken {
                true => Err("another rule has this id".to_owned()),
                false => OwnRule::new(&spec),
            };
            match checked {
                Ok(rule) => {
                    rules.own.push(rule);
                    rules.specs.push(spec);
                }
                Err(problem) => errors.push(LineRuleError { rule: spec.id, problem }),
            }
        }
        let words: Vec<&String> =
            rules.own.iter().filter(|rule| rule.score.is_some()).flat_map(OwnRule::words).collect();
        if !words.is_empty() {
            rules.search = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok();
        }
        (rules, errors)
    }

    /// The score that a user's rule gives a line, if one holds for it, and the name of the rule.
    pub(crate) fn own_score(&self, view: &View<'_>) -> Option<(&str, LineScore)> {
        let mut scored = self.own.iter().filter_map(|rule| Some((rule, rule.score?)));
        scored.find(|(rule, _)| rule.when.hold(view)).map(|(rule, score)| (rule.id.as_str(), score))
    }

    /// Calls `each` with what users' rules say a line speaks for.
    pub(crate) fn own_votes(&self, view: &View<'_>, mut each: impl FnMut(Vote)) {
        let voting = self.own.iter().filter_map(|rule| Some((rule, rule.vote?)));
        voting.filter(|(rule, _)| rule.when.hold(view)).for_each(|(_, vote)| each(vote));
    }

    /// Where in `text` a line may be that a user's rule says something of, in order. A rule that has nothing but a
    /// regular expression is not looked for.
    pub(crate) fn own_hits<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = usize> + 't {
        self.search.iter().flat_map(move |search| search.find_iter(text).map(|hit| hit.start()))
    }
}

impl OwnRule {
    fn new(spec: &LineRuleSpec) -> Result<OwnRule, String> {
        if spec.id.is_empty() {
            return Err("`id` is missing".into());
        }
        let lists = [
            &spec.starts,
            &spec.begins,
            &spec.label,
            &spec.equals,
            &spec.ends,
            &spec.ends_word,
            &spec.contains,
            &spec.contains_all,
            &spec.says,
        ];
        if lists.iter().all(|list| list.is_empty()) && spec.regex.is_none() {
            return Err("a condition is needed: `starts`, `ends`, `contains`, `says`, `regex` or the like".into());
        }
        if lists.iter().any(|list| list.iter().any(String::is_empty)) {
            return Err("an empty text holds for every line".into());
        }
        let role = spec.role.as_deref().map(|name| named(name, &ROLES, "role")).transpose()?;
        let severity = spec.severity.as_deref().map(|name| named(name, &SEVERITIES, "severity")).transpose()?;
        let vote = spec.vote.as_deref().map(|name| named(name, &VOTES, "vote")).transpose()?;
        if role.is_none() && vote.is_none() {
            return Err("`role` or `vote` is needed".into());
        }
        if let Some(weight) = spec.weight.filter(|weight| !(0.0..=100.0).contains(weight)) {
            return Err(format!("`weight` is {weight}; it must be from 0 to 100"));
        }
        let regex = spec.regex.as_deref().map(regex::Regex::new).transpose().map_err(|error| error.to_string())?;
        let indent = spec.indent.as_deref().map(|name| named(name, &INDENTS, "indent")).transpose()?;
        let when = Conditions {
            starts: spec.starts.clone(),
            begins: spec.begins.clone(),
            label: spec.label.clone(),
            equals: spec.equals.clone(),
            ends: spec.ends.clone(),
            ends_word: spec.ends_word.clone(),
            contains: spec.contains.clone(),
            contains_all: spec.contains_all.clone(),
            says: spec.says.iter().map(|part| part.to_ascii_lowercase()).collect(),
            not_starts: spec.not_starts.clone(),
            not_contains: spec.not_contains.clone(),
            signals: Signals::NONE,
            indent: indent.unwrap_or_default(),
            min_indent: 0,
            max_length: spec.max_length.unwrap_or(usize::MAX),
            reach: usize::MAX,
            hook: None,
            regex,
        };
        let score = role.map(|role| {
            weights::score(role, severity.unwrap_or(Severity::High), spec.weight.map(|weight| weight as f32))
        });
        let rule = OwnRule { id: spec.id.clone(), when, score, vote };
        rule.check(spec)?;
        Ok(rule)
    }

    /// Words, one of which every line holds that it holds for, in any case; none where only an expression tells.
    fn words(&self) -> Vec<&String> {
        let when = &self.when;
        let lists =
            [&when.starts, &when.begins, &when.label, &when.equals, &when.ends, &when.ends_word, &when.contains];
        let lists = lists.into_iter().chain([&when.says]).filter(|list| !list.is_empty());
        // The longer a word, the fewer other lines hold it.
        let shortest = |list: &Vec<String>| list.iter().map(String::len).min();
        let list = lists.max_by_key(|list| shortest(list)).map(|list| list.iter().collect());
        list.or_else(|| when.contains_all.iter().max_by_key(|word| word.len()).map(|word| vec![word]))
            .unwrap_or_default()
    }

    fn check(&self, spec: &LineRuleSpec) -> Result<(), String> {
        let holds = |line: &&String| {
            let body = prefix::body(line);
            self.when.hold(&View::new(body, body.trim(), signals::of_line(body)))
        };
        if let Some(line) = spec.good.iter().find(|line| !holds(line)) {
            return Err(format!("does not hold for its good example `{line}`"));
        }
        match spec.bad.iter().find(holds) {
            Some(line) => Err(format!("holds for its bad example `{line}`")),
            None => Ok(()),
        }
    }
}

const ROLES: [(&str, Role); 15] = [
    ("failed_test", Role::FailedTest),
    ("error", Role::Error),
    ("message", Role::Message),
    ("summary", Role::Summary),
    ("process_exit", Role::ProcessExit),
    ("location", Role::Location),
    ("frame", Role::Frame),
    ("detail", Role::Detail),
    ("warning", Role::Warning),
    ("heading", Role::Heading),
    ("command", Role::Command),
    ("audit_event", Role::AuditEvent),
    ("pass", Role::Pass),
    ("boilerplate", Role::Boilerplate),
    ("plain", Role::Plain),
];

const SEVERITIES: [(&str, Severity); 5] = [
    ("negligible", Severity::Negligible),
    ("low", Severity::Low),
    ("medium", Severity::Medium),
    ("high", Severity::High),
    ("critical", Severity::Critical),
];

const VOTES: [(&str, Vote); 7] = [
    ("test", Vote::Test),
    ("test_summary", Vote::TestSummary),
    ("build", Vote::Build),
    ("frame", Vote::Frame),
    ("trace", Vote::Trace),
    ("level", Vote::Level),
    ("ci", Vote::Ci),
];

const INDENTS: [(&str, Indent); 3] = [("none", Indent::None), ("some", Indent::Some), ("tab", Indent::Tab)];

fn named<T: Copy>(name: &str, known: &[(&str, T)], key: &str) -> Result<T, String> {
    let found = known.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        format!("unknown {key} `{name}`; known: {}", names.join(", "))
    })
}
