//! The rules: what is looked for, compiled once and shared.
//!
//! Built-in rules come from `crates/core/rules/*.toml`, turned into a table when the crate is built. A rule's
//! expression is compiled when its literal is first met, so starting up costs microseconds.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use aho_corasick::AhoCorasick;
use aho_corasick::packed;
use memchr::memmem;
use regex::bytes::Regex;

use super::class::Class;
use super::options::{Mode, RedactOptions, RuleError};
use super::rule::{Approach, Raw, Rule, check, compile};

pub(super) static BUILTIN: &[Raw] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// The kinds that built-in rules report, each once.
static BUILTIN_KINDS: &[&str] = include!(concat!(env!("OUT_DIR"), "/rule_kinds.rs"));

/// The words that lead to built-in rules.
static BUILTIN_WORDS: RuleWords<&[(&str, u16)]> = include!(concat!(env!("OUT_DIR"), "/rule_words.rs"));

/// The numbers of the built-in rules of each keyword.
static BUILTIN_KEYWORDS: &[&[u16]] = include!(concat!(env!("OUT_DIR"), "/rule_keywords.rs"));

/// Words with the numbers of their rules, each list sorted.
#[derive(Default)]
struct RuleWords<L> {
    prefixes: L,
    /// In small letters.
    names: L,
    /// Names that must be the whole name; a rule writes them with `=` before them.
    whole_names: L,
}

/// A word that leads to a rule, and the number of that.
type Word = (Cow<'static, str>, u16);

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
    kinds: Vec<Cow<'static, str>>,
    /// The kind of each detector, or `None` where it is switched off.
    detectors: [Option<u16>; DETECTORS.len()],
    /// Prefixes with their rules, sorted; `first` gives each first byte's range in it.
    heads: Vec<Word>,
    first: Box<[(u16, u16); 256]>,
    /// A bit for every two bytes that a prefix may begin with.
    pairs: Pairs,
    /// Finds whether a word has any infix at all.
    infix_search: Option<packed::Searcher>,
    pub(super) infixes: Vec<(memmem::Finder<'static>, u16)>,
    names: RuleNames,
    whole_names: Vec<Word>,
    /// The rules of all keywords of built-in rules, and where those of each keyword end.
    keyword_rules: Vec<u16>,
    keyword_ends: Vec<usize>,
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
        let place = usize::from(place);
        let from = place.checked_sub(1).and_then(|before| self.keyword_ends.get(before)).copied().unwrap_or(0);
        let rules = self.keyword_ends.get(place).and_then(|&to| self.keyword_rules.get(from..to));
        rules.unwrap_or_default()
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
        let mut kinds = Vec::new();
        let off = |id: &str, kind: &str| options.disabled.iter().any(|name| name == id || name == kind);

        let mut detectors = [None; DETECTORS.len()];
        for (slot, (id, kind)) in detectors.iter_mut().zip(DETECTORS) {
            *slot = (!off(id, kind)).then(|| number_of(&mut kinds, usize::MAX, Cow::Borrowed(kind)));
        }
        let (mut rules, mut infixes) = (Vec::with_capacity(options.rules.len() + BUILTIN.len()), Vec::new());
        let mut words = RuleWords::<Vec<Word>>::default();
        let (mut user_keywords, mut user_rules, mut always) = (Vec::new(), Vec::new(), Vec::new());
        for spec in options.rules.iter().filter(|spec| !off(&spec.id, &spec.kind)) {
            let number = u16::try_from(rules.len()).unwrap_or(u16::MAX);
            let kind = number_of(&mut kinds, usize::MAX, spec.kind.clone().into());
            let rule = Rule::of_spec(spec, kind);
            words.prefixes.extend(spec.prefixes.iter().map(|prefix| (prefix.clone().into(), number)));
            for name in &spec.names {
                match name.strip_prefix('=') {
                    Some(whole) => words.whole_names.push((whole.to_owned().into(), number)),
                    None => words.names.push((name.to_ascii_lowercase().into(), number)),
                }
            }
            if rule.approach == Approach::Line && spec.keywords.is_empty() {
                always.push(number);
            }
            user_keywords.extend(&spec.keywords);
            user_rules.extend(spec.keywords.iter().map(|_| number));
            rules.push(rule);
        }
        // No two of the built-in kinds are the same, so each is looked for among the others only.
        let others = kinds.len();
        kinds.reserve(BUILTIN_KINDS.len());
        let number = |kind: &&'static str| number_of(&mut kinds, others, Cow::Borrowed(kind));
        let kind_numbers: Vec<u16> = BUILTIN_KINDS.iter().map(number).collect();
        let mut numbers = Vec::with_capacity(BUILTIN.len());
        for raw in BUILTIN {
            let number = u16::try_from(rules.len()).unwrap_or(u16::MAX);
            let on = !off(raw.id, raw.kind);
            numbers.push(on.then_some(number));
            if on {
                infixes.extend(raw.infixes.iter().map(|part| (memmem::Finder::new(*part), number)));
                let kind = kind_numbers.get(usize::from(raw.kind_place)).copied();
                rules.push(Rule::of_raw(raw, kind.unwrap_or(u16::MAX)));
            }
        }
        words.add(&BUILTIN_WORDS, &numbers);
        let RuleWords { prefixes: heads, names, whole_names } = words;

        let pairs = Pairs::of(heads.iter().map(|(prefix, _)| prefix.as_bytes()));
        let infix_search =
            packed::Searcher::new(infixes.iter().map(|(finder, _): &(memmem::Finder<'_>, u16)| finder.needle()));
        let mut first = Box::new([(0, 0); 256]);
        for (place, (prefix, _)) in (0..).zip(&heads) {
            let Some(&byte) = prefix.as_bytes().first() else { continue };
            let (from, to) = &mut first[usize::from(byte)];
            (*from, *to) = (if *to == 0 { place } else { *from }, place + 1);
        }
        let (mut keyword_rules, mut keyword_ends) = (Vec::new(), Vec::with_capacity(BUILTIN_KEYWORDS.len()));
        for rules in BUILTIN_KEYWORDS {
            keyword_rules.extend(rules.iter().filter_map(|&rule| numbers.get(usize::from(rule)).copied().flatten()));
            keyword_ends.push(keyword_rules.len());
        }
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
            names: RuleNames::new(names),
            whole_names,
            keyword_rules,
            keyword_ends,
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

impl RuleWords<Vec<Word>> {
    /// Takes in the words of built-in rules that have a number, and sorts all.
    fn add(&mut self, builtin: &RuleWords<&'static [(&'static str, u16)]>, numbers: &[Option<u16>]) {
        let lists = [
            (&mut self.prefixes, builtin.prefixes),
            (&mut self.names, builtin.names),
            (&mut self.whole_names, builtin.whole_names),
        ];
        for (list, builtin) in lists {
            list.reserve(builtin.len());
            let number = |rule: u16| numbers.get(usize::from(rule)).copied().flatten();
            list.extend(builtin.iter().filter_map(|&(word, rule)| Some((Cow::Borrowed(word), number(rule)?))));
            // Mostly sorted already, which takes but a look at each word.
            list.sort_unstable();
        }
    }
}

/// The names that rules ask for, whatever their case.
#[derive(Debug)]
struct RuleNames {
    /// In small letters, sorted.
    sorted: Vec<Word>,
    /// A bit for every two bytes that a name begins with.
    pairs: Pairs,
}

impl RuleNames {
    /// Takes sorted names.
    fn new(names: Vec<Word>) -> RuleNames {
        let pairs = Pairs::of(names.iter().map(|(name, _)| name.as_bytes()));
        RuleNames { sorted: names, pairs }
    }

    /// The names that begin at `at` of `context`, with their rules.
    fn at<'a>(&'a self, context: &'a [u8], at: usize) -> impl Iterator<Item = &'a Word> {
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

/// The number of `kind`, which is looked for among the `first` of the kinds and added if it is none of those.
fn number_of(kinds: &mut Vec<Cow<'static, str>>, first: usize, kind: Cow<'static, str>) -> u16 {
    let known = kinds.iter().take(first).position(|known| *known == kind);
    let number = known.unwrap_or_else(|| {
        kinds.push(kind);
        kinds.len() - 1
    });
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// The bytes of a BLAKE3 hash in hexadecimal.
fn hash_of(hex: &str) -> Result<[u8; 32], RuleError> {
    blake3::Hash::from_hex(hex)
        .map(|hash| *hash.as_bytes())
        .map_err(|_| RuleError::of("allow", "a value hash must be 64 hexadecimal digits (BLAKE3)".to_owned()))
}
