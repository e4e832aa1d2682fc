//! The rules: what is looked for, compiled once and shared.
//!
//! Built-in rules come from `crates/core/rules/*.toml`, turned into a table when the crate is built. A rule's
//! expression is compiled when its literal is first met, so starting up costs next to nothing.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use aho_corasick::packed;
use memchr::memmem;
use regex::bytes::Regex;

use super::class::Class;
use super::options::{Mode, RedactOptions, RuleError};
use super::rule::{Approach, Raw, Rule, check, compile};
use super::rule_words::{BUILTIN_WORDS, RuleWords, Word, WordTable};

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// The kinds that built-in rules report, each once.
static BUILTIN_KINDS: &[&str] = include!(concat!(env!("OUT_DIR"), "/rule_kinds.rs"));

/// The places of the built-in rules of each keyword.
static BUILTIN_KEYWORDS: &[&[u16]] = include!(concat!(env!("OUT_DIR"), "/rule_keywords.rs"));

/// The detectors that are code rather than data, by id and kind; they are switched off like rules.
const DETECTORS: [(&str, &str); 11] = [
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

/// The number of each detector's kind.
static DETECTOR_KINDS: LazyLock<[Option<u16>; DETECTORS.len()]> =
    LazyLock::new(|| std::array::from_fn(|place| DETECTORS.get(place).and_then(|(_, kind)| known_kind(kind))));

/// Everything that is looked for. Compiled once, shared by any number of [`Redactor`](super::Redactor)s.
///
/// A rule's number is its place among the user's, which come first, and the built-in ones. A kind's is its place among
/// those of built-in rules, of detectors, and of the user's rules.
#[derive(Debug)]
pub struct Rules {
    pub(super) mode: Mode,
    pub(super) numbered: bool,
    /// The user's rules.
    own: Vec<Rule>,
    /// Those of their kinds that no built-in rule and no detector reports.
    own_kinds: Vec<String>,
    /// Which built-in rules are switched off; empty for none.
    off: Vec<bool>,
    /// Which detectors are on.
    detectors: [bool; DETECTORS.len()],
    /// The words that lead to rules, where they are not just those of all built-in rules.
    own_words: Option<Box<WordTable>>,
    infixes: OnceLock<Infixes>,
    /// Users' rules: an automaton over their keywords, and those that have none.
    user_keywords: Option<AhoCorasick>,
    user_rules: Vec<u16>,
    pub(super) always: Vec<u16>,
    allow: Vec<Regex>,
    allow_hashes: Vec<[u8; 32]>,
}

/// The parts that tokens without a known beginning always have.
#[derive(Debug)]
struct Infixes {
    /// Finds whether a word has any at all.
    search: Option<packed::Searcher>,
    /// Each with its rule.
    parts: Vec<(memmem::Finder<'static>, u16)>,
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
        options.check(BUILTIN.iter().map(|rule| (&*rule.id, builtin_kind(rule))).chain(DETECTORS.iter().copied()))?;
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

    /// Every id with its kind, users' rules first, then built-in ones.
    pub fn ids(&self) -> impl Iterator<Item = (&str, &str)> {
        let builtin = BUILTIN.iter().zip(0..).filter(|(_, place)| self.is_on(*place)).map(|(rule, _)| rule);
        let rules = self.own.iter().chain(builtin).map(|rule| (&*rule.id, self.kind(rule.kind)));
        let detectors = DETECTORS.iter().zip(&self.detectors);
        rules.chain(detectors.filter_map(|(detector, on)| on.then_some(*detector)))
    }

    pub(super) fn kind(&self, kind: u16) -> &str {
        let number = usize::from(kind);
        let own = || self.own_kinds.get(number.checked_sub(known_kinds().count())?).map(String::as_str);
        known_kinds().nth(number).or_else(own).unwrap_or("SECRET")
    }

    pub(super) fn rule(&self, number: u16) -> Option<&Rule> {
        let number = usize::from(number);
        match number.checked_sub(self.own.len()) {
            Some(place) => BUILTIN.get(place),
            None => self.own.get(number),
        }
    }

    /// The kind that `detector` reports, unless it is switched off.
    pub(super) fn detector(&self, detector: Detector) -> Option<u16> {
        let place = detector as usize;
        self.detectors.get(place).filter(|on| **on).and_then(|_| DETECTOR_KINDS.get(place).copied().flatten())
    }

    /// The words that lead to rules.
    fn words(&self) -> &WordTable {
        self.own_words.as_deref().unwrap_or(&BUILTIN_WORDS)
    }

    /// Whether some prefix may begin with these two bytes.
    pub(super) fn may_begin(&self, first: u8, second: u8) -> bool {
        self.words().may_begin(first, second)
    }

    /// The rules one of whose prefixes `bytes` begins with.
    pub(super) fn heads<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = u16> + 'a {
        self.words().heads(bytes)
    }

    /// The rules one of whose names is in `context`, each once, in order.
    pub(super) fn named(&self, context: &[u8], found: &mut Vec<u16>) {
        self.words().named(context, found);
    }

    /// Whether `word` holds some infix.
    pub(super) fn has_infix(&self, word: &[u8]) -> bool {
        self.infix_table().search.as_ref().is_none_or(|search| search.find(word).is_some())
    }

    /// Every infix with its rule.
    pub(super) fn infixes(&self) -> &[(memmem::Finder<'static>, u16)] {
        &self.infix_table().parts
    }

    fn infix_table(&self) -> &Infixes {
        self.infixes.get_or_init(|| {
            let builtin = BUILTIN.iter().zip(0..).filter(|(_, place)| self.is_on(*place));
            let of_rule = |(rule, place): (&'static Rule, u16)| {
                rule.infixes.iter().map(move |part| (memmem::Finder::new(*part), self.number(place)))
            };
            let parts: Vec<_> = builtin.flat_map(of_rule).collect();
            let search =
                packed::Searcher::new(parts.iter().map(|(finder, _): &(memmem::Finder<'_>, u16)| finder.needle()));
            Infixes { search, parts }
        })
    }

    /// The rules of the keyword at `place` of the list.
    pub(super) fn of_keyword(&self, place: u16) -> impl Iterator<Item = u16> {
        let places = BUILTIN_KEYWORDS.get(usize::from(place)).copied().unwrap_or_default();
        places.iter().filter(|place| self.is_on(**place)).map(|&place| self.number(place))
    }

    /// The number of the built-in rule at `place`.
    fn number(&self, place: u16) -> u16 {
        u16::try_from(self.own.len()).map_or(u16::MAX, |own| own.saturating_add(place))
    }

    /// Whether the built-in rule at `place` is on.
    fn is_on(&self, place: u16) -> bool {
        self.off.get(usize::from(place)).is_none_or(|off| !off)
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

    /// Puts rules together. Without rules of a user and any that is off, that is no work: the tables are there.
    fn assemble(options: &RedactOptions, allow: Vec<Regex>, allow_hashes: Vec<[u8; 32]>) -> Rules {
        let is_off = |id: &str, kind: &str| options.disabled.iter().any(|name| name == id || name == kind);
        let (mut own, mut own_kinds) = (Vec::new(), Vec::new());
        let mut words = RuleWords::<Vec<Word>>::default();
        let (mut user_keywords, mut user_rules, mut always) = (Vec::new(), Vec::new(), Vec::new());
        for spec in options.rules.iter().filter(|spec| !is_off(&spec.id, &spec.kind)) {
            let number = u16::try_from(own.len()).unwrap_or(u16::MAX);
            let rule = Rule::of_spec(spec, number_of(&mut own_kinds, &spec.kind));
            words.take(spec, number);
            if rule.approach == Approach::Line && spec.keywords.is_empty() {
                always.push(number);
            }
            user_keywords.extend(&spec.keywords);
            user_rules.extend(spec.keywords.iter().map(|_| number));
            own.push(rule);
        }
        let user_automaton = (!user_keywords.is_empty())
            .then(|| AhoCorasick::builder().ascii_case_insensitive(true).build(&user_keywords).ok())
            .flatten();
        let off = BUILTIN.iter().map(|rule| is_off(&rule.id, builtin_kind(rule)));
        let mut rules = Rules {
            mode: options.mode,
            numbered: options.numbered,
            own,
            own_kinds,
            off: if options.disabled.is_empty() { Vec::new() } else { off.collect() },
            detectors: DETECTORS.map(|(id, kind)| !is_off(id, kind)),
            own_words: None,
            infixes: OnceLock::new(),
            user_keywords: user_automaton,
            user_rules,
            always,
            allow,
            allow_hashes,
        };
        if !rules.own.is_empty() || !rules.off.is_empty() {
            let number = |place: u16| rules.is_on(place).then(|| rules.number(place));
            rules.own_words = Some(Box::new(words.with_builtin(number)));
        }
        rules
    }

    /// Tests the users' rules against their own examples.
    fn check_examples(&self, options: &RedactOptions) -> Result<(), RuleError> {
        for spec in &options.rules {
            let Some(rule) = self.own.iter().find(|rule| rule.id == spec.id) else { continue };
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

/// The kinds that are known without any user's rule: those of built-in rules, then those of detectors.
fn known_kinds() -> impl Iterator<Item = &'static str> {
    BUILTIN_KINDS.iter().copied().chain(DETECTORS.iter().map(|(_, kind)| *kind))
}

/// The number of a kind among those.
fn known_kind(kind: &str) -> Option<u16> {
    known_kinds().zip(0..).find(|(known, _)| *known == kind).map(|(_, number)| number)
}

/// The kind that a built-in rule reports.
fn builtin_kind(rule: &Rule) -> &'static str {
    BUILTIN_KINDS.get(usize::from(rule.kind)).copied().unwrap_or_default()
}

/// The number of `kind`, which is added to the user's `own` if it is not known.
fn number_of(own: &mut Vec<String>, kind: &str) -> u16 {
    known_kind(kind).unwrap_or_else(|| {
        let place = own.iter().position(|known| known == kind).unwrap_or_else(|| {
            own.push(kind.to_owned());
            own.len() - 1
        });
        u16::try_from(known_kinds().count() + place).unwrap_or(u16::MAX)
    })
}

/// The bytes of a BLAKE3 hash in hexadecimal.
fn hash_of(hex: &str) -> Result<[u8; 32], RuleError> {
    blake3::Hash::from_hex(hex)
        .map(|hash| *hash.as_bytes())
        .map_err(|_| RuleError::of("allow", "a value hash must be 64 hexadecimal digits (BLAKE3)".to_owned()))
}
