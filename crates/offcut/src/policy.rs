//! The rules, checked; and the rules for one call.
//!
//! Options as typed become a [`Policy`] once, where every value is checked; a policy makes a [`Plan`] for each call.

use std::fmt;
use std::sync::Arc;

use offcut_core::limit::{Limit, Limits, Unit};
use offcut_core::line::LineRules;
use offcut_core::strategy::Settings;
use offcut_core::strategy::registry::{AUTO, Registry};
use offcut_core::tokens::Tokenizer;

use offcut_store::{Limits as StoreLimits, LocalOptions, Rate, WhenFull};

use crate::call::Call;
use crate::line_rules::{self, LineRuleFault};
use crate::options::{ArtifactView, Durability, LimitOption, OnQuota, Options, ToolOptions};
use crate::profile::{self, Profile};

/// The smallest limit under which the notices of the profile `auto` still leave room for what they announce.
pub const SMALLEST_LIMIT: u64 = 400;

/// The most characters of notices where they stand beside the limit.
const LONGEST_NOTICES: u64 = 1200;

/// What a page of retrieved content holds unless the options say otherwise.
const RETRIEVAL_LIMIT: u64 = 50_000;

/// The same under the profile `auto`.
const BRIEF_RETRIEVAL_LIMIT: u64 = 16_000;

/// What a session's artifacts may take together unless the options say otherwise.
const SESSION_BYTES: u64 = 4 << 30;

/// How many artifacts a session may have unless the options say otherwise.
const SESSION_COUNT: u64 = 10_000;

/// The rules for every call, checked when they are built.
#[derive(Debug, Clone)]
pub struct Policy {
    options: Options,
    profile: Profile,
    registry: Registry,
    tokenizer: Tokenizer,
    retrieval_chars: u64,
    /// What the reader takes whole, in bytes, where it cuts again by itself.
    ceiling: Option<u64>,
    /// The rules by which lines are told, and those that were left out.
    line_rules: Arc<LineRules>,
    line_rule_faults: Vec<LineRuleFault>,
}

/// A value that a policy refuses: which key, what it says, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is `{value}`: expected {expected}")]
pub struct PolicyError {
    /// The key, as it is written in a configuration: `overrides.read_file.head_ratio`.
    pub key: String,
    /// The value that it has.
    pub value: String,
    /// What would be right.
    pub expected: String,
}

impl PolicyError {
    /// The refusal of `value` for `key`, with what would be right.
    pub fn new(key: &str, value: impl fmt::Display, expected: impl Into<String>) -> PolicyError {
        PolicyError { key: key.to_owned(), value: value.to_string(), expected: expected.into() }
    }
}

/// The rules for one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The profile that words it.
    pub profile: Profile,
    /// The strategy's name; `auto` picks by content.
    pub strategy: String,
    /// The strategy where the content does not say another.
    pub fallback: String,
    /// An output within these is shown whole; a larger one is cut to them.
    pub limits: Limits,
    /// From so many characters on a reply is an artifact reference.
    pub artifact_threshold: Option<u64>,
    /// From so many bytes on an output is refused.
    pub max_artifact_bytes: u64,
    /// The counts and switches that strategies read.
    pub settings: Settings,
    /// Whether `auto` may use `smart`.
    pub smart: bool,
    /// How tokens are counted.
    pub tokenizer: Tokenizer,
    /// What counts the tokens of a limit that is written in tokens: never the estimate.
    pub limit_tokenizer: Tokenizer,
    /// What is shown beside an artifact reference.
    pub view: ArtifactView,
    /// Characters of a preview.
    pub preview_chars: u64,
    /// Whether retrieval options are written under an artifact's view.
    pub retrieval_options: bool,
    /// Whether parts of artifacts can be read back, and notices may name calls that do.
    pub partial_retrieval: bool,
}

impl Plan {
    /// Whether it may be `smart` that cuts a large output.
    pub(crate) fn may_be_smart(&self) -> bool {
        self.cuts() && (self.strategy == "smart" || self.strategy == AUTO && self.smart)
    }

    /// Whether it may be `element` that cuts a large output.
    pub(crate) fn may_be_element(&self) -> bool {
        self.cuts() && (self.strategy == "element" || self.strategy == AUTO)
    }

    /// Whether a large output is cut at all.
    fn cuts(&self) -> bool {
        matches!(self.profile, Profile::Auto | Profile::Balanced)
            && (self.artifact_threshold.is_none() || self.view == ArtifactView::Cut)
    }

    /// Lowers the limits, where they are higher, for a reader that takes at most so many bytes.
    fn lower(&mut self, bytes: u64) {
        let beside = if self.profile.notices_count() { 0 } else { LONGEST_NOTICES };
        let ceiling = Limit::bytes(bytes.saturating_sub(beside).max(SMALLEST_LIMIT));
        let limits = self.limits.each().iter().copied().chain([ceiling]);
        self.limits = Limits::new(limits).unwrap_or_else(|| ceiling.into());
    }
}

impl Policy {
    /// Checks `options` and makes them the rules; `registry` names the strategies that they may use.
    pub fn new(options: Options, registry: Registry) -> Result<Policy, PolicyError> {
        let profile = match &options.profile {
            None => Profile::default(),
            Some(name) => name.parse().map_err(|_| {
                let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name()).collect();
                PolicyError::new("profile", name, format!("one of {}", names.join(", ")))
            })?,
        };
        let tokenizer = match &options.tokenizer {
            None => Tokenizer::default(),
            Some(name) => name.parse().map_err(|_| PolicyError::new("tokenizer", name, "estimate, o200k or cl100k"))?,
        };
        let retrieval_chars = match &options.retrieval_limit {
            None if profile == Profile::Auto => BRIEF_RETRIEVAL_LIMIT,
            None => RETRIEVAL_LIMIT,
            Some(option) => retrieval_chars(option)?,
        };
        let (line_rules, line_rule_faults) = line_rules::compile(options.line_rules.as_deref().unwrap_or_default());
        let policy = Policy {
            options,
            profile,
            registry,
            tokenizer,
            retrieval_chars,
            ceiling: None,
            line_rules,
            line_rule_faults,
        };
        policy.plan_tool("", "")?;
        for tool in policy.options.overrides.keys() {
            policy.plan_tool(tool, &format!("overrides.{tool}."))?;
        }
        policy.store_options()?;
        Ok(policy)
    }

    /// The options that it was made from.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The profile.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The strategies that it may use.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The rules by which lines are told.
    pub fn line_rules(&self) -> &Arc<LineRules> {
        &self.line_rules
    }

    /// Line rules of the configuration that were left out, and why.
    pub fn line_rule_faults(&self) -> &[LineRuleFault] {
        &self.line_rule_faults
    }

    /// How tokens are counted.
    pub fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }

    /// Characters of a page of retrieved content.
    pub fn retrieval_chars(&self) -> u64 {
        self.retrieval_chars
    }

    /// Whether parts of artifacts can be read back; else only whole ones.
    pub fn partial_retrieval(&self) -> bool {
        self.options.artifacts.enable_partial_retrieval.unwrap_or(true)
    }

    /// Whether a reply says how an output differs from the one that the same command had before.
    pub fn tells_changes(&self) -> bool {
        self.options.artifacts.tell_changes.unwrap_or(true)
    }

    /// Whether a session's artifacts go when the session ends.
    pub fn cleanup_on_exit(&self) -> bool {
        self.options.artifacts.cleanup_on_exit.unwrap_or(false)
    }

    /// The rules for one call.
    pub fn plan(&self, call: &Call) -> Result<Plan, PolicyError> {
        let mut plan = self.plan_tool(&call.tool, "")?;
        if let Some(limits) = &call.limits {
            plan.limits = limits.clone();
            self.check_limits("limit", &plan.limits)?;
            // A threshold that the limit has overtaken moves up with it: what may be shown whole is no artifact.
            if let Some(limit) = limits.of(Unit::Chars) {
                plan.artifact_threshold = plan.artifact_threshold.map(|threshold| threshold.max(limit));
            }
        }
        if let Some(strategy) = &call.strategy {
            plan.strategy = self.known_strategy("strategy", strategy)?;
        }
        plan.settings.keep_prefixes |= call.keep_prefixes;
        if let Some(bytes) = self.ceiling {
            plan.lower(bytes);
        }
        Ok(plan)
    }

    /// The same rules for a reader that takes at most so many bytes whole; fewer than [`SMALLEST_LIMIT`] are as many.
    pub(crate) fn within(&self, bytes: u64) -> Policy {
        let bytes = bytes.max(SMALLEST_LIMIT);
        Policy { ceiling: Some(bytes), retrieval_chars: self.retrieval_chars.min(bytes), ..self.clone() }
    }

    fn plan_tool(&self, tool: &str, prefix: &str) -> Result<Plan, PolicyError> {
        let said = self.options.for_tool(tool);
        let defaults = self.profile.defaults();
        let key = |name: &str| format!("{prefix}{name}");
        let limits = match &said.inline_limit {
            None => defaults.limits,
            Some(option) => limits_of(&key("inline_limit"), option)?,
        };
        self.check_limits(&key("inline_limit"), &limits)?;
        let threshold = match &said.artifact_threshold {
            None => defaults.artifact_threshold.map(|chars| chars.max(limits.of(Unit::Chars).unwrap_or(0))),
            Some(option) => Some(chars_of(&key("artifact_threshold"), option)?),
        };
        if let (Some(threshold), Some(limit)) = (threshold, limits.of(Unit::Chars))
            && threshold < limit
        {
            let expected = format!("at least `inline_limit` ({limit})");
            return Err(PolicyError::new(&key("artifact_threshold"), threshold, expected));
        }
        let max_artifact_bytes = match &said.max_artifact_size {
            None => defaults.max_artifact_bytes,
            Some(option) => bytes_of(&key("max_artifact_size"), option)?,
        };
        let default = match &self.options.default_strategy {
            None => "head_tail".to_owned(),
            Some(name) => self.known_strategy("default_strategy", name)?,
        };
        let by_tool = profile::fallback(tool).filter(|name| self.registry.allows(name));
        let strategy = match &said.strategy {
            Some(name) => self.known_strategy(&key("strategy"), name)?,
            None => match self.profile.strategy(tool).filter(|name| self.registry.allows(name)) {
                Some(name) => name.to_owned(),
                None => default.clone(),
            },
        };
        let fallback = match (&self.options.default_strategy, by_tool) {
            (None, Some(name)) => name.to_owned(),
            _ => default,
        };
        let artifacts = &self.options.artifacts;
        Ok(Plan {
            profile: self.profile,
            strategy,
            fallback,
            limits,
            artifact_threshold: threshold,
            max_artifact_bytes,
            settings: Settings {
                line_rules: self.line_rules.clone(),
                adaptive: self.profile == Profile::Auto && said.element_truncation.max_depth.is_none(),
                ..settings_of(&said, prefix)?
            },
            smart: said.smart_truncation.enabled.unwrap_or(true),
            tokenizer: self.tokenizer,
            limit_tokenizer: if self.tokenizer == Tokenizer::Estimate { Tokenizer::nearest() } else { self.tokenizer },
            view: artifacts.artifact_view.unwrap_or_default(),
            preview_chars: count("artifacts.preview_chars", artifacts.preview_chars, 500)?,
            retrieval_options: self.options.metadata.include_retrieval_instructions.unwrap_or(true),
            partial_retrieval: self.partial_retrieval(),
        })
    }

    /// How the local store is to behave.
    pub fn store_options(&self) -> Result<LocalOptions, PolicyError> {
        let artifacts = &self.options.artifacts;
        let mut options = LocalOptions::default();
        let bytes = artifacts.max_session_bytes.as_ref();
        options.limits = StoreLimits {
            max_artifact_bytes: None,
            session_bytes: Some(bytes.map_or(Ok(SESSION_BYTES), |said| bytes_of("artifacts.max_session_bytes", said))?),
            session_artifacts: Some(count("artifacts.max_session_count", artifacts.max_session_count, SESSION_COUNT)?),
            when_full: match artifacts.on_quota.unwrap_or_default() {
                OnQuota::Evict => WhenFull::Evict,
                OnQuota::Reject => WhenFull::Reject,
            },
            rate: match artifacts.max_per_minute {
                None => None,
                said => Some(Rate {
                    artifacts: count("artifacts.max_per_minute", said, 1)?,
                    per: std::time::Duration::from_secs(60),
                }),
            },
        };
        options.compress_large = artifacts.compress_large.unwrap_or(false);
        options.durable = artifacts.durability.unwrap_or_default() == Durability::Sync;
        Ok(options)
    }

    fn known_strategy(&self, key: &str, name: &str) -> Result<String, PolicyError> {
        if self.registry.allows(name) {
            return Ok(name.to_owned());
        }
        Err(PolicyError::new(key, name, format!("one of {}", self.registry.names().join(", "))))
    }

    fn check_limits(&self, key: &str, limits: &Limits) -> Result<(), PolicyError> {
        if !self.profile.notices_count() {
            return Ok(());
        }
        for limit in limits.each() {
            let smallest = match limit.unit() {
                Unit::Chars | Unit::Bytes => SMALLEST_LIMIT,
                Unit::Tokens => SMALLEST_LIMIT / 2,
                Unit::Lines => 8,
            };
            if limit.amount() < smallest {
                let unit = match limit.unit() {
                    Unit::Chars => "characters",
                    Unit::Bytes => "bytes",
                    Unit::Tokens => "tokens",
                    Unit::Lines => "lines",
                };
                let expected = format!(
                    "at least {smallest} {unit}, which the notices of the profile `{}` need",
                    self.profile.name()
                );
                return Err(PolicyError::new(key, limit, expected));
            }
        }
        Ok(())
    }
}

fn settings_of(said: &ToolOptions, prefix: &str) -> Result<Settings, PolicyError> {
    let defaults = Settings::default();
    let key = |name: &str| format!("{prefix}{name}");
    let lines = &said.line_truncation;
    let elements = &said.element_truncation;
    let head_ratio = said.head_ratio.unwrap_or(defaults.head_ratio);
    if !(0.0..=1.0).contains(&head_ratio) {
        return Err(PolicyError::new(&key("head_ratio"), head_ratio, "a number from 0 to 1"));
    }
    Ok(Settings {
        head_ratio,
        head_lines: count(&key("line_truncation.head_lines"), lines.head_lines, defaults.head_lines)?,
        tail_lines: count(&key("line_truncation.tail_lines"), lines.tail_lines, defaults.tail_lines)?,
        max_line_length: count(
            &key("line_truncation.max_line_length"),
            lines.max_line_length,
            defaults.max_line_length,
        )?,
        first_elements: count(
            &key("element_truncation.first_elements"),
            elements.first_elements,
            defaults.first_elements,
        )?,
        last_elements: count(&key("element_truncation.last_elements"), elements.last_elements, defaults.last_elements)?,
        max_depth: count(&key("element_truncation.max_depth"), elements.max_depth, defaults.max_depth)?,
        preserve_json: elements.preserve_json.unwrap_or(defaults.preserve_json),
        preserve_functions: said.smart_truncation.preserve_functions.unwrap_or(defaults.preserve_functions),
        prioritize_errors: said.smart_truncation.prioritize_errors.unwrap_or(defaults.prioritize_errors),
        keep_prefixes: said.smart_truncation.keep_prefixes.unwrap_or(defaults.keep_prefixes),
        ..defaults
    })
}

/// The positive whole number that is said for `key`, or the default.
pub fn count(key: &str, said: Option<i64>, default: u64) -> Result<u64, PolicyError> {
    match said {
        None => Ok(default),
        Some(value) => match u64::try_from(value) {
            Ok(value) if value > 0 => Ok(value),
            _ => Err(PolicyError::new(key, value, "a positive whole number")),
        },
    }
}

fn written(option: &LimitOption) -> String {
    match option {
        LimitOption::Number(number) => number.to_string(),
        LimitOption::Text(text) => text.clone(),
    }
}

fn limits_of(key: &str, option: &LimitOption) -> Result<Limits, PolicyError> {
    let expected =
        "a positive whole number of characters, or one with a unit (\"2000 tokens\", \"30KB\", \"200 lines\")";
    written(option).parse().map_err(|_| PolicyError::new(key, written(option), expected))
}

/// The size of a page. One that is too small for its own notice is refused, not silently enlarged.
fn retrieval_chars(option: &LimitOption) -> Result<u64, PolicyError> {
    let chars = chars_of("retrieval_limit", option)?;
    if chars < SMALLEST_LIMIT {
        let expected = format!("at least {SMALLEST_LIMIT} characters, of which the notice under a page takes a part");
        return Err(PolicyError::new("retrieval_limit", written(option), expected));
    }
    Ok(chars)
}

/// A size that is compared with characters: a bare number is characters, one with a unit is turned into them.
fn chars_of(key: &str, option: &LimitOption) -> Result<u64, PolicyError> {
    single(key, option).map(|limit| match limit.unit() {
        Unit::Chars | Unit::Bytes => limit.amount(),
        Unit::Tokens => limit.amount().saturating_mul(4),
        Unit::Lines => limit.amount().saturating_mul(80),
    })
}

/// A size that is compared with bytes; a bare number is bytes.
/// A number of bytes, as a key says it.
pub fn bytes_of(key: &str, option: &LimitOption) -> Result<u64, PolicyError> {
    let limit = single(key, option)?;
    match limit.unit() {
        Unit::Chars | Unit::Bytes => Ok(limit.amount()),
        Unit::Tokens | Unit::Lines => {
            Err(PolicyError::new(key, limit, "a number of bytes, or one with a unit (\"10MB\")"))
        }
    }
}

fn single(key: &str, option: &LimitOption) -> Result<Limit, PolicyError> {
    let expected = "a positive whole number, or one with a unit (\"30KB\", \"2000 tokens\")";
    written(option).parse().map_err(|_| PolicyError::new(key, written(option), expected))
}
