//! One rule: how it is brought to the text, what it accepts, and whether a user's is fit to be used.

use std::borrow::Cow;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};

use super::code;
use super::options::{RuleError, RuleSpec};
use super::shape;

/// A built-in rule as the build script writes it.
pub(super) struct Raw {
    pub(super) id: &'static str,
    /// The place of its kind among those of all built-in rules.
    pub(super) kind: u16,
    pub(super) approach: Approach,
    pub(super) infixes: &'static [&'static str],
    pub(super) after: &'static str,
    pub(super) regex: &'static str,
    pub(super) entropy: f64,
    pub(super) allow: &'static [Cow<'static, str>],
    pub(super) beside: &'static [&'static str],
    pub(super) dummies: bool,
    pub(super) short: bool,
}

/// How a rule is brought to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Approach {
    /// The expression begins where one of the rule's prefixes begins a long word.
    Prefix,
    /// The expression is searched for around a long word that holds one of the rule's infixes.
    Infix,
    /// The expression is the whole value that is assigned to one of the rule's names.
    Named,
    /// The expression is searched for in every line that holds one of the rule's keywords.
    Line,
}

/// One rule, ready to be used.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: Cow<'static, str>,
    pub(super) kind: u16,
    pub(super) approach: Approach,
    /// Of which a token without a known beginning always has one.
    pub(super) infixes: &'static [&'static str],
    /// What must stand right before a prefix; anything if empty.
    pub(super) after: &'static str,
    /// What else the line of a keyword must hold, one of these at least; anything if empty. It is looked for before the
    /// expression is, which takes longer.
    beside: &'static [&'static str],
    /// The searches for these, made when they are first needed.
    beside_finders: OnceLock<Box<[Finder<'static>]>>,
    /// Whether its tokens may be shorter than a long word.
    pub(super) short: bool,
    /// Whether it comes with the program, rather than from a user.
    pub(super) builtin: bool,
    source: Cow<'static, str>,
    compiled: OnceLock<Option<Regex>>,
    entropy: f64,
    allow_sources: Cow<'static, [Cow<'static, str>]>,
    allow: OnceLock<Vec<Regex>>,
    dummies: bool,
}

impl Rule {
    /// A built-in rule; its expressions are compiled when they are first needed.
    pub(super) const fn of_raw(raw: Raw) -> Rule {
        Rule {
            id: Cow::Borrowed(raw.id),
            kind: raw.kind,
            approach: raw.approach,
            infixes: raw.infixes,
            after: raw.after,
            beside: raw.beside,
            beside_finders: OnceLock::new(),
            short: raw.short,
            builtin: true,
            source: Cow::Borrowed(raw.regex),
            compiled: OnceLock::new(),
            entropy: raw.entropy,
            allow_sources: Cow::Borrowed(raw.allow),
            allow: OnceLock::new(),
            dummies: raw.dummies,
        }
    }

    /// A user's rule that reports `kind`.
    pub(super) fn of_spec(spec: &RuleSpec, kind: u16) -> Rule {
        Rule {
            id: spec.id.clone().into(),
            kind,
            approach: match (spec.prefixes.is_empty(), spec.names.is_empty()) {
                (false, _) => Approach::Prefix,
                (true, false) => Approach::Named,
                (true, true) => Approach::Line,
            },
            infixes: &[],
            after: "",
            beside: &[],
            beside_finders: OnceLock::new(),
            short: false,
            builtin: false,
            source: spec.regex.clone().into(),
            compiled: OnceLock::new(),
            entropy: spec.entropy.unwrap_or(0.0),
            allow_sources: spec.allow.iter().cloned().map(Cow::Owned).collect(),
            allow: OnceLock::new(),
            // A user's rule means what it says.
            dummies: true,
        }
    }

    /// The compiled expression; `None` cannot happen for a rule that was checked.
    pub(super) fn regex(&self) -> Option<&Regex> {
        self.compiled
            .get_or_init(|| match self.approach {
                Approach::Prefix => compile(&format!("^(?:{})", self.source), false).ok(),
                Approach::Named => compile(&format!("^(?P<secret>{})(?:[^A-Za-z0-9_~-]|$)", self.source), false).ok(),
                Approach::Infix => compile(&self.source, false).ok(),
                Approach::Line => compile(&self.source, !self.builtin).ok(),
            })
            .as_ref()
    }

    /// Whether `line` has what must stand beside a keyword.
    pub(super) fn may_be_in(&self, line: &[u8]) -> bool {
        let finders = || self.beside_finders.get_or_init(|| self.beside.iter().copied().map(Finder::new).collect());
        self.beside.is_empty() || finders().iter().any(|word| word.find(line).is_some())
    }

    /// Whether dummies count as secrets too.
    pub(super) fn takes_dummies(&self) -> bool {
        self.dummies
    }

    /// Whether what the expression matched is a secret after all that the rule says.
    pub(super) fn accepts(&self, secret: &[u8]) -> bool {
        let body = secret
            .iter()
            .rposition(|b| matches!(b, b'_' | b'-'))
            .map_or(secret, |at| secret.get(at + 1..).unwrap_or_default());
        if !self.dummies && (shape::monotonous(secret) || crossed_out(secret) || code::camel_name(body)) {
            return false;
        }
        if self.entropy > 0.0 && shape::entropy(secret) < self.entropy {
            return false;
        }
        let allow =
            self.allow.get_or_init(|| self.allow_sources.iter().filter_map(|s| compile(s, true).ok()).collect());
        !allow.iter().any(|regex| regex.is_match(secret))
    }
}

/// Whether a token is masked: `ghp_xxxxxxxxxxxx`, `ghp_Token00000000`, `sk-****`.
fn crossed_out(secret: &[u8]) -> bool {
    let has = |part: &[u8]| memchr::memmem::find(secret, part).is_some();
    let filled = secret.windows(8).any(|eight| {
        let same = |byte: &u8| Some(byte) == eight.first() && (byte.is_ascii_digit() || matches!(byte, b'x' | b'X'));
        eight.iter().all(same)
    });
    let said = [&b"REDACTED"[..], b"[MASKED", b"[HIDDEN", b"[FILTERED", b"[secure", b"[hidden"].into_iter().any(has);
    filled || has(b"****") || has(b"....") || said
}

/// Checks a user's rule: it compiles within bounds, and it does not match nothing or everything.
pub(super) fn check(spec: &RuleSpec) -> Result<(), RuleError> {
    let refuse = |problem: String| Err(RuleError::of(&spec.id, problem));
    let kind_is_fine = |kind: &str| {
        !kind.is_empty()
            && kind.len() <= 64
            && kind.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    if spec.id.is_empty() {
        return refuse("`id` is empty".into());
    }
    if !kind_is_fine(&spec.kind) {
        return refuse(format!("`kind` is `{}`; allowed are A-Z, 0-9 and `_`, at most 64 characters", spec.kind));
    }
    if [&spec.prefixes, &spec.names, &spec.keywords].iter().any(|words| words.iter().any(|word| word.len() < 2)) {
        return refuse("a prefix, name or keyword is shorter than two characters".into());
    }
    if spec.regex.len() > 4096 {
        return refuse("`regex` is longer than 4096 characters".into());
    }
    let regex = match compile(&spec.regex, true) {
        Ok(regex) => regex,
        Err(problem) => return refuse(problem),
    };
    if regex.is_match(b"") {
        return refuse("`regex` matches the empty text, so it would match everywhere".into());
    }
    let ordinary = ["the quick brown fox", "42", "a", "-", "x = y;", "2026-11-15 12:00:00 INFO started"];
    if ordinary.iter().filter(|text| regex.find(text.as_bytes()).is_some_and(|m| m.len() * 2 > text.len())).count() >= 4
    {
        return refuse("`regex` matches ordinary text, so it would hide nearly everything".into());
    }
    for source in &spec.allow {
        if let Err(problem) = compile(source, true) {
            return refuse(format!("`allow`: {problem}"));
        }
    }
    Ok(())
}

/// Compiles an expression within bounds of size; the engine itself is linear in the text.
pub(super) fn compile(source: &str, unicode: bool) -> Result<Regex, String> {
    RegexBuilder::new(source)
        .unicode(unicode)
        .size_limit(2 << 20)
        .dfa_size_limit(4 << 20)
        .nest_limit(64)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "`regex` needs too much memory; make its repetitions smaller".into(),
            other => format!("`regex` is wrong: {}", other.to_string().replace('\n', " ")),
        })
}
