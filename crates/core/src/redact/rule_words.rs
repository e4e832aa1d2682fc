//! The words that lead to rules, in tables that find them quickly; those of the built-in rules are made at compile time.

use std::borrow::Cow;

use super::options::RuleSpec;

/// A word that leads to a rule, and the number of that.
pub(super) type Word = (Cow<'static, str>, u16);

/// Words with the numbers of their rules, each list sorted.
#[derive(Debug, Default)]
pub(super) struct RuleWords<L> {
    prefixes: L,
    /// In small letters.
    names: L,
    /// Names that must be the whole name; a rule writes them with `=` before them.
    whole_names: L,
}

/// The words that lead to built-in rules, with the places of these.
static BUILTIN: RuleWords<&[Word]> = include!(concat!(env!("OUT_DIR"), "/rule_words.rs"));

/// The same in tables.
pub(super) static BUILTIN_WORDS: WordTable = WordTable {
    words: RuleWords {
        prefixes: Cow::Borrowed(BUILTIN.prefixes),
        names: Cow::Borrowed(BUILTIN.names),
        whole_names: Cow::Borrowed(BUILTIN.whole_names),
    },
    first: ranges(BUILTIN.prefixes),
    prefix_pairs: Pairs::of(BUILTIN.prefixes),
    name_pairs: Pairs::of(BUILTIN.names),
};

impl RuleWords<Vec<Word>> {
    /// Takes in the words of a user's rule.
    pub(super) fn take(&mut self, spec: &RuleSpec, number: u16) {
        self.prefixes.extend(spec.prefixes.iter().map(|prefix| (prefix.clone().into(), number)));
        for name in &spec.names {
            match name.strip_prefix('=') {
                Some(whole) => self.whole_names.push((whole.to_owned().into(), number)),
                None => self.names.push((name.to_ascii_lowercase().into(), number)),
            }
        }
    }

    /// These words and those of the built-in rules to whose places `number` gives one.
    pub(super) fn with_builtin(self, number: impl Fn(u16) -> Option<u16>) -> WordTable {
        let with = |mut words: Vec<Word>, builtin: &[Word]| {
            words.extend(builtin.iter().filter_map(|(word, place)| Some((word.clone(), number(*place)?))));
            words.sort_unstable();
            words
        };
        let prefixes = with(self.prefixes, BUILTIN.prefixes);
        let names = with(self.names, BUILTIN.names);
        let whole_names = with(self.whole_names, BUILTIN.whole_names);
        WordTable {
            first: ranges(&prefixes),
            prefix_pairs: Pairs::of(&prefixes),
            name_pairs: Pairs::of(&names),
            words: RuleWords { prefixes: prefixes.into(), names: names.into(), whole_names: whole_names.into() },
        }
    }
}

/// Words, and what tells quickly that none is there.
#[derive(Debug)]
pub(super) struct WordTable {
    words: RuleWords<Cow<'static, [Word]>>,
    /// The range of each first byte among the prefixes.
    first: [(u16, u16); 256],
    prefix_pairs: Pairs,
    name_pairs: Pairs,
}

impl WordTable {
    /// Whether some prefix may begin with these two bytes.
    pub(super) fn may_begin(&self, first: u8, second: u8) -> bool {
        self.prefix_pairs.has(first, second)
    }

    /// The rules one of whose prefixes `bytes` begins with.
    pub(super) fn heads<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = u16> + 'a {
        let (from, to) = bytes.first().and_then(|&b| self.first.get(usize::from(b))).copied().unwrap_or((0, 0));
        let range = self.words.prefixes.get(usize::from(from)..usize::from(to)).unwrap_or_default();
        range.iter().filter(|(prefix, _)| bytes.starts_with(prefix.as_bytes())).map(|&(_, rule)| rule)
    }

    /// The rules one of whose names is in `context`, each once, in order.
    pub(super) fn named(&self, context: &[u8], found: &mut Vec<u16>) {
        found.clear();
        for (name, rule) in self.words.whole_names.iter() {
            if context.eq_ignore_ascii_case(name.as_bytes()) {
                found.push(*rule);
            }
        }
        for at in 0..context.len() {
            for (name, rule) in self.names_at(context, at) {
                if starts_a_name(context, at, name) && !found.contains(rule) {
                    found.push(*rule);
                }
            }
        }
        found.sort_unstable();
    }

    /// The names that begin at `at` of `context`, whatever their case, with their rules.
    fn names_at<'a>(&'a self, context: &'a [u8], at: usize) -> impl Iterator<Item = &'a Word> {
        let names = &self.words.names;
        let rest = context.get(at..).unwrap_or_default();
        let pair = [rest.first(), rest.get(1)].map(|byte| byte.map_or(0, u8::to_ascii_lowercase));
        let may = self.name_pairs.has(pair[0], pair[1]);
        let from = if may { names.partition_point(|(name, _)| name.as_bytes() < &pair[..]) } else { usize::MAX };
        let near = names.get(from..).unwrap_or_default().iter();
        near.take_while(move |(name, _)| name.as_bytes().starts_with(&pair))
            .filter(|(name, _)| rest.get(..name.len()).is_some_and(|there| there.eq_ignore_ascii_case(name.as_bytes())))
    }
}

/// The range of each first byte among sorted words.
const fn ranges(words: &[Word]) -> [(u16, u16); 256] {
    let mut ranges = [(0, 0); 256];
    let mut place = 0;
    while place < words.len() {
        if let Some(&byte) = bytes(&words[place]).first() {
            let (from, to) = ranges[byte as usize];
            ranges[byte as usize] = (if to == 0 { place as u16 } else { from }, place as u16 + 1);
        }
        place += 1;
    }
    ranges
}

const fn bytes(word: &Word) -> &[u8] {
    match &word.0 {
        Cow::Borrowed(word) => word.as_bytes(),
        Cow::Owned(word) => word.as_bytes(),
    }
}

/// A bit for every two bytes that one of many words begins with.
#[derive(Debug)]
struct Pairs([u64; 1024]);

impl Pairs {
    const fn of(words: &[Word]) -> Pairs {
        let mut bits = [0u64; 1024];
        let mut place = 0;
        while place < words.len() {
            let (low, high) = match bytes(&words[place]) {
                [first, second, ..] => (u16::from_be_bytes([*first, *second]), u16::from_be_bytes([*first, *second])),
                [first] => (u16::from_be_bytes([*first, 0]), u16::from_be_bytes([*first, 255])),
                [] => (1, 0),
            };
            let mut pair = low as usize;
            while pair <= high as usize {
                bits[pair >> 6] |= 1 << (pair & 63);
                pair += 1;
            }
            place += 1;
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
