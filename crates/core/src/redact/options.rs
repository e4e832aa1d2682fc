//! What a user may choose: how redaction acts, which rules it leaves out, which it has beside its own.

/// How redaction acts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Nothing is looked for.
    Off,
    /// Secrets are counted, and the text stays as it is.
    Report,
    /// Secrets are counted and replaced.
    #[default]
    On,
}

/// How to redact. The default is everything on, with the built-in rules alone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RedactOptions {
    /// How redaction acts.
    pub mode: Mode,
    /// Rules to leave out, by id (`github-pat`) or by kind (`GITHUB_TOKEN`).
    pub disabled: Vec<String>,
    /// Rules beside the built-in ones.
    pub rules: Vec<RuleSpec>,
    /// Values that match one of these expressions are no secrets.
    pub allow: Vec<String>,
    /// Values with one of these BLAKE3 hashes (64 hexadecimal digits) are no secrets.
    pub allow_hashes: Vec<String>,
    /// Whether placeholders carry a number that tells two secrets of a kind apart.
    pub numbered: bool,
}

/// A user's rule, as it stands in a configuration file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RuleSpec {
    /// A name of its own, for switching it off and for messages.
    pub id: String,
    /// What the placeholder calls it: `[REDACTED: KIND]`.
    pub kind: String,
    /// Beginnings of a long word (20 characters and more); `regex` then starts there.
    pub prefixes: Vec<String>,
    /// Names to which the secret is assigned; `regex` is then the whole value.
    pub names: Vec<String>,
    /// Words, in any case, one of which must be in a line before `regex` is searched for in it.
    pub keywords: Vec<String>,
    /// The expression. Its group `secret`, else its first group, else all of it is what is replaced.
    pub regex: String,
    /// The least entropy of the secret, in bits a byte.
    pub entropy: Option<f64>,
    /// Secrets that match one of these stay.
    pub allow: Vec<String>,
    /// Texts that the rule must find something in.
    pub good: Vec<String>,
    /// Texts that the rule must find nothing in.
    pub bad: Vec<String>,
}

impl RedactOptions {
    /// Checks that every switched-off name is known and that no id is taken twice.
    pub(super) fn check<'a>(
        &'a self,
        known: impl Iterator<Item = (&'a str, &'a str)> + Clone,
    ) -> Result<(), RuleError> {
        let mine = self.rules.iter().map(|spec| (spec.id.as_str(), spec.kind.as_str()));
        for name in &self.disabled {
            if !known.clone().chain(mine.clone()).any(|(id, kind)| id == name || kind == name) {
                return Err(RuleError::of(name, "is switched off, but no rule has this id or kind".into()));
            }
        }
        for (index, spec) in self.rules.iter().enumerate() {
            let taken = known.clone().chain(mine.clone().take(index)).any(|(id, _)| id == spec.id);
            if taken {
                return Err(RuleError::of(&spec.id, "has an id that another rule has".into()));
            }
        }
        Ok(())
    }
}

/// Why a rule was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("redaction rule `{rule}`: {problem}")]
pub struct RuleError {
    /// The rule's id, or the setting that is wrong.
    pub rule: String,
    /// What is wrong with it.
    pub problem: String,
}

impl RuleError {
    pub(super) fn of(rule: &str, problem: String) -> RuleError {
        RuleError { rule: rule.to_owned(), problem }
    }
}
