//! Which secrets are taken out of whose outputs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use offcut_core::redact::{self, Mode, Numbers, RedactOptions, Redactor, RuleError, RuleSpec, Rules};

use crate::options::{Options, RedactionMode, RedactionOptions, RuleOptions};
use crate::tool_names::same_tool;

/// The redaction rules of a policy: general ones, and those of tools that differ.
#[derive(Debug)]
pub(crate) struct Redaction {
    general: Ruling,
    by_tool: BTreeMap<String, Ruling>,
    numbers: Arc<Mutex<Numbers>>,
}

/// Rules, and whether their placeholders are numbered; none where nothing is looked for.
#[derive(Debug, Clone)]
struct Ruling {
    rules: Option<Arc<Rules>>,
    numbered: bool,
}

impl Redaction {
    /// Compiles what `options` say; a rule that is refused is named.
    pub(crate) fn new(options: &Options) -> Result<Redaction, RuleError> {
        let general = Ruling::of(&options.redaction)?;
        let mut by_tool = BTreeMap::new();
        for (tool, own) in &options.overrides {
            if own.redaction != RedactionOptions::default() {
                by_tool.insert(tool.clone(), Ruling::of(&options.for_tool(tool).redaction)?);
            }
        }
        let mut key = [0; 32];
        // Without a random key numbers still tell secrets apart; only a guesser in this process could profit.
        let _ = getrandom::fill(&mut key);
        Ok(Redaction { general, by_tool, numbers: Arc::new(Mutex::new(Numbers::new(key))) })
    }

    fn of_tool(&self, tool: &str) -> &Ruling {
        let same = || self.by_tool.iter().find(|(name, _)| same_tool(name, tool)).map(|(_, ruling)| ruling);
        self.by_tool.get(tool).or_else(same).unwrap_or(&self.general)
    }

    /// The redactor for one output of `tool`; none where nothing is looked for.
    pub(crate) fn redactor(&self, tool: &str) -> Option<Redactor> {
        let ruling = self.of_tool(tool);
        let rules = ruling.rules.clone()?;
        Some(if ruling.numbered { Redactor::numbered(rules, self.numbers.clone()) } else { Redactor::new(rules) })
    }

    /// A short text (arguments, a source line) without its secrets.
    pub(crate) fn redacted(&self, tool: &str, text: &str) -> String {
        match &self.of_tool(tool).rules {
            Some(rules) if !text.is_empty() => redact::redact(text, rules).0,
            _ => text.to_owned(),
        }
    }
}

impl Ruling {
    fn of(options: &RedactionOptions) -> Result<Ruling, RuleError> {
        let numbered = options.numbered.unwrap_or(false);
        if options.mode == Some(RedactionMode::Off) {
            return Ok(Ruling { rules: None, numbered });
        }
        let plain = RedactionOptions { mode: None, numbered: None, ..options.clone() } == RedactionOptions::default();
        if plain && options.mode != Some(RedactionMode::Report) && !numbered {
            return Ok(Ruling { rules: Some(Rules::builtin()), numbered });
        }
        let rules = Rules::with(&RedactOptions {
            mode: match options.mode.unwrap_or_default() {
                RedactionMode::On => Mode::On,
                RedactionMode::Report => Mode::Report,
                RedactionMode::Off => Mode::Off,
            },
            disabled: options.disable.clone().unwrap_or_default(),
            rules: options.rules.iter().flatten().map(spec).collect(),
            allow: options.allow.clone().unwrap_or_default(),
            allow_hashes: options.allow_hashes.clone().unwrap_or_default(),
            numbered,
        })?;
        Ok(Ruling { rules: Some(Arc::new(rules)), numbered })
    }
}

fn spec(rule: &RuleOptions) -> RuleSpec {
    RuleSpec {
        id: rule.id.clone(),
        kind: rule.kind.clone(),
        prefixes: rule.prefixes.clone(),
        names: rule.names.clone(),
        keywords: rule.keywords.clone(),
        regex: rule.regex.clone(),
        entropy: rule.entropy,
        allow: rule.allow.clone(),
        good: rule.good.clone(),
        bad: rule.bad.clone(),
    }
}
