//! The rules: what is looked for, compiled once and shared.
//!
//! Built-in rules come from `crates/core/rules/*.toml`, turned into a table when the crate is built. A rule's
//! expression is compiled when its literal is first met, so starting up costs microseconds.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;
use aho_corasick::packed;
use memchr::memmem;
use regex::bytes::Regex;

use super::anchors::Literals;
use super::class::Class;
use super::options::{Mode, RedactOptions, RuleError};
use super::rule::{Approach, Parts, Raw, Rule, check, compile};
use crate::hash::Plain;

pub(super) static BUILTIN: &[Raw] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// The detectors that are code rather than data, by id and kind; they are switched off like rules.
const DETECTORS: &[(&str, &str)] = &[
    ("assigned-password", "PASSWORD"),
    ("assigned-secret", "SECRET"),
    ("assigned-token", "TOKEN"),
    ("assigned-key", "API_KEY"),
    ("authorization-header", "AUTHORIZATION"),
    ("url-password", "PASSWORD"),
    ("private-key", "PRIVATE_KEY"),
    ("generic-token", "HIGH_ENTROPY"),
    ("seed-phrase", "SEED_PHRASE"),
    ("recovery-code", "RECOVERY_CODE"),
    ("payment-card", "CARD_NUMBER"),
];

/// A detector that is code; its number is its place in [`DETECTORS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detector {
    Password,
    Secret,
    Token,
    Key,
    Authorization,
    UrlPassword,
    PrivateKey,
    Generic,
    SeedPhrase,
    RecoveryCode,
    Card,
}

impl From<Class> for Detector {
    fn from(class: Class) -> Detector {
        match class {
            Class::Password => Detector::Password,
            Class::Secret => Detector::Secret,
            Class::Token => Detector::Token,
            Class::Key | Class::SomeKey => Detector::Key,
            Class::Authorization => Detector::Authorization,
        }
    }
}

/// Everything that is looked for. Compiled once, shared by any number of [`Redactor`](super::Redactor)s.
#[derive(Debug)]
pub struct Rules {
    pub(super) mode: Mode,
    pub(super) numbered: bool,
    pub(super) rules: Vec<Rule>,
    pub(super) kinds: Vec<Arc<str>>,
    /// The kind of each detector, or `None` where it is switched off.
    detectors: [Option<u16>; DETECTORS.len()],
    /// Prefixes with their rules, sorted; `first` gives each first byte's range in it.
    heads: Vec<(Cow<'static, str>, u16)>,
    first: Vec<(u16, u16)>,
    /// A bit for every two bytes that a prefix may begin with.
    pairs: Pairs,
    /// Finds whether a word has any infix at all.
    infix_search: Option<packed::Searcher>,
    pub(super) infixes: Vec<(memmem::Finder<'static>, u16)>,
    names: Names,
    /// Names that must be the whole name; a rule writes them with `=` before them.
    whole_names: Vec<(String, u16)>,
    pub(super) literals: Literals,
    /// The rules of each keyword.
    keyword_rules: Vec<Vec<u16>>,
    /// Users' rules: an automaton over their keywords, and those that have none.
    user_keywords: Option<AhoCorasick>,
    user_rules: Vec<u16>,
    pub(super) always: Vec<u16>,
    allow: Vec<Regex>,
    allow_hashes: Vec<[u8; 32]>,
}

impl Rules {
    /// The built-in rules with default options, compiled on first use.
    pub fn builtin() -> Arc<Rules> {
        static BUILTIN_RULES: LazyLock<Arc<Rules>> =
            LazyLock::new(|| Arc::new(Rules::assemble(&RedactOptions::default(), Vec::new(), Vec::new())));
        Arc::clone(&BUILTIN_RULES)
    }

    /// The built-in rules as `options` change them. Every expression in `options` is checked here.
    pub fn with(options: &RedactOptions) -> Result<Rules, RuleError> {
        options.check(BUILTIN.iter().map(|raw| (raw.id, raw.kind)).chain(DETECTORS.iter().copied()))?;
        for spec in &options.rules {
            check(spec)?;
        }
        let allow: Result<Vec<Regex>, RuleError> = options
            .allow
            .iter()
            .map(|source| compile(source, true).map_err(|problem| RuleError::of("allow", problem)))
            .collect();
        let hashes = options.allow_hashes.iter().map(|hash| hash_of(hash)).collect::<Result<Vec<_>, _>>()?;
        let rules = Rules::assemble(options, allow?, hashes);
        rules.check_examples(options)?;
        Ok(rules)
    }

    /// Every id with its kind, built-in rules first.
    pub fn ids(&self) -> impl Iterator<Item = (&str, &str)> {
        let rules = self.rules.iter().map(|rule| (&*rule.id, self.kind(rule.kind)));
        let detectors = DETECTORS.iter().zip(&self.detectors);
        rules.chain(detectors.filter_map(|(detector, kind)| kind.map(|_| *detector)))
    }

    pub(super) fn kind(&self, kind: u16) -> &str {
        self.kinds.get(usize::from(kind)).map_or("SECRET", |kind| kind)
    }

    pub(super) fn rule(&self, rule: u16) -> Option<&Rule> {
        self.rules.get(usize::from(rule))
    }

    /// The kind that `detector` reports, unless it is switched off.
    pub(super) fn detector(&self, detector: Detector) -> Option<u16> {
        self.detectors.get(detector as usize).copied().flatten()
    }

    /// Whether some prefix may begin with these two bytes.
    pub(super) fn may_begin(&self, first: u8, second: u8) -> bool {
        self.pairs.has(first, second)
    }

    /// Whether `word` holds some infix.
    pub(super) fn has_infix(&self, word: &[u8]) -> bool {
        self.infix_search.as_ref().is_none_or(|search| search.find(word).is_some())
    }

    /// The rules one of whose prefixes `bytes` begins with.
    pub(super) fn heads<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = u16> + 'a {
        let (from, to) = bytes.first().and_then(|&b| self.first.get(usize::from(b))).copied().unwrap_or((0, 0));
        let range = self.heads.get(usize::from(from)..usize::from(to)).unwrap_or_default();
        range.iter().filter(|(prefix, _)| bytes.starts_with(prefix.as_bytes())).map(|&(_, rule)| rule)
    }

    /// The rules one of whose names is in `context`, each once, in order.
    pub(super) fn named(&self, context: &[u8], found: &mut Vec<u16>) {
        found.clear();
        for (name, rule) in &self.whole_names {
            if context.eq_ignore_ascii_case(name.as_bytes()) {
                found.push(*rule);
            }
        }
        for at in 0..context.len() {
            for (name, rule) in self.names.at(context, at) {
                if starts_a_name(context, at, name) && !found.contains(rule) {
                    found.push(*rule);
                }
            }
        }
        found.sort_unstable();
    }

    /// The rules of the keyword at `place` of the list.
    pub(super) fn of_keyword(&self, place: u16) -> &[u16] {
        self.keyword_rules.get(usize::from(place)).map_or(&[], Vec::as_slice)
    }

    /// Where in `bytes` a user's keyword occurs.
    pub(super) fn user_hits(&self, bytes: &[u8], mut each: impl FnMut(usize, u16)) {
        let Some(automaton) = &self.user_keywords else { return };
        for hit in automaton.find_overlapping_iter(bytes) {
            if let Some(&rule) = self.user_rules.get(hit.pattern().as_usize()) {
                each(hit.start(), rule);
            }
        }
    }

    pub(super) fn has_user_rules(&self) -> bool {
        self.user_keywords.is_some() || !self.always.is_empty()
    }

    /// Whether the user said that this value is no secret.
    pub(super) fn allowed(&self, value: &[u8]) -> bool {
        self.allow.iter().any(|regex| regex.is_match(value))
            || (!self.allow_hashes.is_empty() && self.allow_hashes.contains(blake3::hash(value).as_bytes()))
    }

    fn assemble(options: &RedactOptions, allow: Vec<Regex>, allow_hashes: Vec<[u8; 32]>) -> Rules {
        let mut kinds: Vec<Arc<str>> = Vec::new();
        let mut places: HashMap<Arc<str>, u16, Plain> = HashMap::default();
        let mut kind_of = |kind: &str| match places.get(kind) {
            Some(place) => *place,
            None => {
                let (name, place): (Arc<str>, _) = (kind.into(), u16::try_from(kinds.len()).unwrap_or(u16::MAX));
                kinds.push(name.clone());
                places.insert(name, place);
                place
            }
        };
        let off = |id: &str, kind: &str| options.disabled.iter().any(|name| name == id || name == kind);

        let mut detectors = [None; DETECTORS.len()];
        for (slot, (id, kind)) in detectors.iter_mut().zip(DETECTORS) {
            *slot = (!off(id, kind)).then(|| kind_of(kind));
        }
        let mut rules = Vec::new();
        let mut heads: Vec<(Cow<'static, str>, u16)> = Vec::new();
        let (mut infixes, mut short) = (Vec::new(), Vec::<Cow<'static, str>>::new());
        let mut names = Vec::new();
        let mut keywords: Vec<(Cow<'static, str>, u16)> = Vec::new();
        let (mut user_keywords, mut user_rules, mut always) = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |spec: Parts| {
            if off(&spec.id, &spec.kind) {
                return;
            }
            let number = u16::try_from(rules.len()).unwrap_or(u16::MAX);
            if spec.short {
                short.extend(spec.prefixes.iter().cloned());
            }
            heads.extend(spec.prefixes.iter().map(|prefix| (prefix.clone(), number)));
            infixes.extend(spec.infixes.iter().map(|part| (memmem::Finder::new(*part), number)));
            names.extend(spec.names.iter().map(|name| (name.clone(), number)));
            if spec.builtin {
                keywords.extend(spec.keywords.iter().map(|word| (word.clone(), number)));
            } else if spec.approach() == Approach::Line && spec.keywords.is_empty() {
                always.push(number);
            } else {
                for word in &spec.keywords {
                    user_keywords.push(word.to_string());
                    user_rules.push(number);
                }
            }
            let kind = kind_of(&spec.kind);
            rules.push(Rule::new(spec, kind));
        };
        options.rules.iter().for_each(|spec| add(Parts::of_spec(spec)));
        BUILTIN.iter().for_each(|raw| add(Parts::of_raw(raw)));

        heads.sort_unstable();
        let pairs = Pairs::of(heads.iter().map(|(prefix, _)| prefix.as_bytes()));
        let infix_search =
            packed::Searcher::new(infixes.iter().map(|(finder, _): &(memmem::Finder<'_>, u16)| finder.needle()));
        let (whole_names, names): (Vec<_>, Vec<_>) = names.into_iter().partition(|(name, _)| name.starts_with('='));
        let whole_names = whole_names.into_iter().map(|(name, rule)| (name.trim_start_matches('=').to_owned(), rule));
        let whole_names = whole_names.collect();
        let first = (0..=255u8)
            .map(|byte| {
                let from = heads.partition_point(|(prefix, _)| prefix.as_bytes().first() < Some(&byte));
                let to = heads.partition_point(|(prefix, _)| prefix.as_bytes().first() <= Some(&byte));
                (from as u16, to as u16)
            })
            .collect();
        keywords.sort_unstable();
        let rules_of = |same: &[(Cow<'static, str>, u16)]| same.iter().map(|(_, rule)| *rule).collect();
        let (words, keyword_rules): (Vec<_>, Vec<Vec<u16>>) = (keywords.chunk_by(|(one, _), (other, _)| one == other))
            .filter_map(|same| Some((same.first()?.0.clone(), rules_of(same))))
            .unzip();
        let user_automaton = (!user_keywords.is_empty())
            .then(|| AhoCorasick::builder().ascii_case_insensitive(true).build(&user_keywords).ok())
            .flatten();
        Rules {
            mode: options.mode,
            numbered: options.numbered,
            rules,
            kinds,
            detectors,
            heads,
            first,
            pairs,
            infix_search,
            infixes,
            names: Names::new(names),
            whole_names,
            literals: Literals::new(&short, &words),
            keyword_rules,
            user_keywords: user_automaton,
            user_rules,
            always,
            allow,
            allow_hashes,
        }
    }

    /// Tests the users' rules against their own examples.
    fn check_examples(&self, options: &RedactOptions) -> Result<(), RuleError> {
        for spec in &options.rules {
            let Some(rule) = self.rules.iter().find(|rule| rule.id == spec.id) else { continue };
            let finds = |text: &String| super::finds(text, self, rule.kind);
            if let Some(number) = spec.good.iter().position(|text| !finds(text)) {
                return Err(RuleError::of(&spec.id, format!("does not find its `good` example {}", number + 1)));
            }
            if let Some(number) = spec.bad.iter().position(finds) {
                return Err(RuleError::of(&spec.id, format!("finds its `bad` example {}", number + 1)));
            }
        }
        Ok(())
    }
}

/// The names that rules ask for, whatever their case.
#[derive(Debug)]
struct Names {
    /// In small letters, sorted.
    sorted: Vec<(Cow<'static, str>, u16)>,
    /// A bit for every two bytes that a name begins with.
    pairs: Pairs,
}

impl Names {
    fn new(mut names: Vec<(Cow<'static, str>, u16)>) -> Names {
        for (name, _) in &mut names {
            if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
                name.to_mut().make_ascii_lowercase();
            }
        }
        names.sort_unstable();
        let pairs = Pairs::of(names.iter().map(|(name, _)| name.as_bytes()));
        Names { sorted: names, pairs }
    }

    /// The names that begin at `at` of `context`, with their rules.
    fn at<'a>(&'a self, context: &'a [u8], at: usize) -> impl Iterator<Item = &'a (Cow<'static, str>, u16)> {
        let rest = context.get(at..).unwrap_or_default();
        let pair = [rest.first(), rest.get(1)].map(|byte| byte.map_or(0, u8::to_ascii_lowercase));
        let may = self.pairs.has(pair[0], pair[1]);
        let from = if may { self.sorted.partition_point(|(name, _)| name.as_bytes() < &pair[..]) } else { usize::MAX };
        let near = self.sorted.get(from..).unwrap_or_default().iter();
        near.take_while(move |(name, _)| name.as_bytes().starts_with(&pair))
            .filter(|(name, _)| rest.get(..name.len()).is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes())))
    }
}

/// A bit for every two bytes that one of many literals begins with.
#[derive(Debug)]
struct Pairs(Box<[u64; 1024]>);

impl Pairs {
    fn of<'a>(literals: impl Iterator<Item = &'a [u8]>) -> Pairs {
        let mut bits = Box::new([0u64; 1024]);
        for literal in literals {
            let Some(&first) = literal.first() else { continue };
            for second in literal.get(1).map_or(0..=255, |&second| second..=second) {
                let pair = usize::from(u16::from_be_bytes([first, second]));
                bits[pair >> 6] |= 1 << (pair & 63);
            }
        }
        Pairs(bits)
    }

    fn has(&self, first: u8, second: u8) -> bool {
        let pair = usize::from(u16::from_be_bytes([first, second]));
        self.0[pair >> 6] >> (pair & 63) & 1 == 1
    }
}

/// Whether the name found at `at` begins a word of `context`. A long name is rare enough to stand anywhere.
fn starts_a_name(context: &[u8], at: usize, name: &str) -> bool {
    let before = at.checked_sub(1).and_then(|before| context.get(before)).copied().unwrap_or(b'_');
    let first = context.get(at).copied().unwrap_or(b'_');
    name.len() >= 7 || !before.is_ascii_alphanumeric() || (before.is_ascii_lowercase() && first.is_ascii_uppercase())
}

/// The bytes of a BLAKE3 hash in hexadecimal.
fn hash_of(hex: &str) -> Result<[u8; 32], RuleError> {
    blake3::Hash::from_hex(hex)
        .map(|hash| *hash.as_bytes())
        .map_err(|_| RuleError::of("allow", "a value hash must be 64 hexadecimal digits (BLAKE3)".to_owned()))
}
