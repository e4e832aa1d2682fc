//! Options as typed: what a configuration file, the environment or a caller says, before it is checked.
//!
//! Every key is optional. Layers are laid over each other ([`Options::over`]) and become a
//! [`Policy`](crate::policy::Policy), which is where values are checked.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::tool_names::same_tool;

/// A limit as typed: a number of characters, or text with a unit; several separated by commas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LimitOption {
    /// A number, in the key's own unit.
    Number(i64),
    /// `"2000 tokens"`, `"30KB"`, `"2000 lines, 30KB"`.
    Text(String),
}

/// What is shown of an output that is large enough to be an artifact of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ArtifactView {
    /// A cut within `inline_limit`.
    #[default]
    Cut,
    /// The first `preview_chars` characters.
    Preview,
    /// Nothing but the reference.
    None,
}

/// When old tool results are shortened on their way to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RetentionMode {
    /// When it saves more than the provider's prompt cache loses.
    #[default]
    Pays,
    /// As soon as they are two turns old.
    Window,
    /// Never.
    Off,
}

/// What happens when a session's quota is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnQuota {
    /// The oldest artifacts go; the index remembers that they were there.
    #[default]
    Evict,
    /// The new artifact is not kept, and the reply says so.
    Reject,
}

/// What an artifact outlives once it was announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// The death of the process: files get their names when they are whole. After a loss of power the artifacts of the
    /// last seconds may be damaged; their hashes tell, and they are refused.
    Rename,
    /// A loss of power too: files are synced before they get their names.
    #[default]
    Sync,
}

/// Whether secrets are taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RedactionMode {
    /// Taken out, and counted.
    #[default]
    On,
    /// Counted only.
    Report,
    /// Not looked for.
    Off,
}

/// A redaction rule of a user's own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RuleOptions {
    /// A name of its own, for switching it off and for messages.
    pub id: String,
    /// What the placeholder calls it: `[REDACTED: KIND]`.
    pub kind: String,
    /// The regular expression; its group `secret`, else its first group, else all of it is replaced.
    pub regex: String,
    /// Words, in any case, one of which must be in a line before `regex` is searched for in it.
    pub keywords: Vec<String>,
    /// Beginnings of a long word; `regex` then starts there.
    pub prefixes: Vec<String>,
    /// Names to which the secret is assigned; `regex` is then the whole value.
    pub names: Vec<String>,
    /// The least entropy of the secret, in bits a byte.
    pub entropy: Option<f64>,
    /// Secrets that match one of these stay.
    pub allow: Vec<String>,
    /// Texts that the rule must find something in: its tests.
    pub good: Vec<String>,
    /// Texts that the rule must find nothing in: its tests.
    pub bad: Vec<String>,
}

/// Rules for lines: a file of them, or one that stands here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LineRuleOption {
    /// A TOML file of `[[rule]]` tables, relative to the file that names it.
    File(String),
    /// A rule.
    Rule(Box<LineRuleOptions>),
}

/// A rule of your own that says what a line is. All that it names must hold of the line, without the time before it and
/// the space around it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LineRuleOptions {
    /// A name of its own, for messages and for `offcut explain`.
    pub id: String,
    /// Beginnings, one of which the line has.
    pub starts: Vec<String>,
    /// Beginnings, one of which the line has in upper or lower case.
    pub begins: Vec<String>,
    /// The same behind brackets and marks: `error:` in `[ERROR: x]`.
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
    /// Parts, one of which the line has in upper or lower case.
    pub says: Vec<String>,
    /// Beginnings that the line does not have.
    pub not_starts: Vec<String>,
    /// Parts that the line does not have.
    pub not_contains: Vec<String>,
    /// A regular expression that the line matches.
    pub regex: Option<String>,
    /// The indentation: `none`, `some` or `tab`.
    pub indent: Option<String>,
    /// The most bytes that the line has.
    pub max_length: Option<usize>,
    /// What the line is: `failed_test`, `error`, `message`, `summary`, `process_exit`, `location`, `frame`, `detail`,
    /// `warning`, `heading`, `command`, `audit_event`, `pass`, `boilerplate` or `plain`.
    pub role: Option<String>,
    /// How grave that is: `negligible`, `low`, `medium`, `high` (the default) or `critical`.
    pub severity: Option<String>,
    /// What seeing the line is worth, from 0 to 100, if not what its role and severity are worth.
    pub weight: Option<f64>,
    /// The kind of output that the line speaks for: `test`, `test_summary`, `build`, `frame`, `trace`, `level`, `ci`.
    pub vote: Option<String>,
    /// Lines that the rule must hold for: its tests.
    pub good: Vec<String>,
    /// Lines that the rule must not hold for: its tests.
    pub bad: Vec<String>,
}

macro_rules! layers {
    ($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* $(=> $($(#[$nested_meta:meta])* $nested:ident: $nested_type:ty,)*)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$field_meta])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)*
            $($($(#[$nested_meta])* pub $nested: $nested_type,)*)?
        }

        impl $name {
            /// This layer laid over `lower`: what it says holds, what it leaves open comes from below.
            #[must_use]
            pub fn over(self, lower: $name) -> $name {
                $name {
                    $($field: self.$field.or(lower.$field),)*
                    $($($nested: self.$nested.over(lower.$nested),)*)?
                }
            }
        }
    };
}

layers! {
    /// `line_truncation`: counts for `head`, `tail` and `lines`.
    LineOptions {
        /// The most lines that `tail` keeps (200).
        tail_lines: i64,
        /// The most lines that `head` keeps (300).
        head_lines: i64,
        /// Shorten lines that are longer than this many characters (500).
        max_line_length: i64,
    }
}

layers! {
    /// `element_truncation`: counts for structured data.
    ElementOptions {
        /// Elements kept at the beginning (5).
        first_elements: i64,
        /// Elements kept at the end (5).
        last_elements: i64,
        /// How deep nested values are shown (3).
        max_depth: i64,
        /// Whether what is shown of JSON still parses (true); with false omissions are marked outside of the data:
        /// `... [12 items omitted] ...`.
        preserve_json: bool,
    }
}

layers! {
    /// `smart_truncation`: content-aware cutting.
    SmartOptions {
        /// Let `auto` use `smart` (true under the profile `auto`).
        enabled: bool,
        /// Keep functions and types whole, or their signatures (true).
        preserve_functions: bool,
        /// Put errors and warnings before other lines (true).
        prioritize_errors: bool,
        /// Show the time, job or level that nearly every line begins with on each line, not once in the header (false).
        keep_prefixes: bool,
    }
}

layers! {
    /// `artifacts`: where whole outputs are kept, and for how long.
    ArtifactOptions {
        /// The directory, relative to the project's root (`.offcut/artifacts`); `temp` for one under the system's
        /// temporary directory; `none` to keep nothing.
        storage_path: String,
        /// A store by URL instead of a directory: `s3://bucket/prefix`, `gs://`, `az://`, `file://`, `memory://`.
        storage: String,
        /// Remove a session's artifacts when it ends (false; sessions of the command line do not end).
        cleanup_on_exit: bool,
        /// Compress artifacts over 1 MiB (false).
        compress_large: bool,
        /// What a kept artifact outlives: `rename` the death of the process, `sync` a loss of power too (`rename` for
        /// commands and hooks, `sync` for servers).
        durability: Durability,
        /// Allow reading parts of artifacts (true); with false only whole ones are returned.
        enable_partial_retrieval: bool,
        /// What is shown beside an artifact reference (`cut`).
        artifact_view: ArtifactView,
        /// Characters that `artifact_view: preview` shows (500).
        preview_chars: i64,
        /// The most bytes that a session's artifacts may take together (`"4GB"`).
        max_session_bytes: LimitOption,
        /// The most artifacts that a session may have (10000).
        max_session_count: i64,
        /// What happens when a quota is reached (`evict`).
        on_quota: OnQuota,
        /// The most artifacts that may be created per minute (no limit).
        max_per_minute: i64,
        /// Say in a line how an output differs from the one that the same command had before (true).
        tell_changes: bool,
    }
}

layers! {
    /// `metadata`: what the report carries.
    MetadataOptions {
        /// `original_size`, `original_bytes`, `original_lines` (true).
        include_original_size: bool,
        /// `original_tokens`, `truncated_tokens` (true).
        include_token_estimate: bool,
        /// `strategy` (true).
        include_strategy: bool,
        /// The lines under `Retrieval options:` in a reply (true).
        include_retrieval_instructions: bool,
    }
}

layers! {
    /// `redaction`: secrets are replaced before anything is stored, cut or logged.
    RedactionOptions {
        /// `on`, `report` (count only) or `off`.
        mode: RedactionMode,
        /// Rules switched off, by id or by kind.
        disable: Vec<String>,
        /// Regular expressions of values that are not secrets.
        allow: Vec<String>,
        /// BLAKE3 hashes (hex) of values that are not secrets.
        allow_hashes: Vec<String>,
        /// Give equal secrets equal numbers: `[REDACTED: AWS_KEY #2]` (false).
        numbered: bool,
        /// Your own rules, in addition to the built-in ones.
        rules: Vec<RuleOptions>,
    }
}

layers! {
    /// `extraction`: answering a question about an artifact (`tool_output`). Keys and addresses of providers come from
    /// the environment only.
    ExtractionOptions {
        /// The most chunks of a document that `auto` reads whole (1).
        max_chunks_for_full_mode: i64,
        /// `auto` also reads a document whole if its average line has more bytes than this (1000).
        max_average_line_bytes: i64,
        /// The most chunks that `full-chunked` reads; a larger document is searched with Read and Grep (32).
        max_chunks: i64,
        /// The overlap of neighbouring chunks in percent, 0 to 50 (10).
        overlap_percent: i64,
        /// The most parallel calls to the model (4).
        parallel: i64,
        /// The most turns of a model that searches with Read and Grep (15).
        max_turns: i64,
        /// The most tool calls per turn (10).
        max_calls_per_turn: i64,
        /// The most tokens, in and out, per extraction (2000000).
        max_tokens: i64,
        /// The most attempts per call (3).
        attempts: i64,
        /// The time-out of a call in seconds (120).
        timeout_seconds: i64,
        /// Characters that `search` and `truncate` show (4000).
        max_chars: i64,
        /// The model for extraction, such as a cheaper one (`OFFCUT_MODEL`, else the provider's default).
        model: String,
        /// The model's context in tokens, if the built-in table is wrong about it.
        context_tokens: i64,
        /// The model's longest answer in tokens, if the built-in table is wrong about it.
        output_tokens: i64,
    }
}

layers! {
    /// `history`: how much of what happened is kept, call by call, for statistics and the dashboard.
    HistoryOptions {
        /// Single calls are kept for this many days, and sums by the hour as long; totals are kept for good (90).
        max_days: i64,
        /// The most bytes of the history's file; the oldest calls go first (`"1GB"`).
        max_bytes: LimitOption,
    }
}

layers! {
    /// `retention`: what becomes of tool results in the requests that pass the proxy (`offcut serve`) and in
    /// `offcut retain`.
    RetentionOptions {
        /// When the proxy shortens old tool results: `pays`, `window` (as soon as they are old) or `off` (`pays`).
        mode: RetentionMode,
        /// Let the proxy cut oversized tool results (true).
        cut: bool,
        /// Keep results whole for this many turns (2).
        window: i64,
        /// Always keep this many of the newest results whole (2).
        newest: i64,
        /// Lines that a shortened result keeps (3).
        lines: i64,
        /// Tools whose results are never shortened.
        protect: Vec<String>,
        /// The most that shortening may have cost at any time beyond cutting alone, in percent (0.5).
        ahead_percent: f64,
        /// A file of prices to use instead of the built-in ones, relative to this file.
        prices: String,
    }
}

layers! {
    /// `telemetry`: sending what happens to an OpenTelemetry collector, never with content. Headers come from the
    /// environment only (`OTEL_EXPORTER_OTLP_HEADERS`).
    TelemetryOptions {
        /// The address of an OTLP/HTTP receiver, such as `http://127.0.0.1:4318`; nothing is sent without one.
        otlp: String,
        /// Send traces: a span for each reply, retrieval, question and proxied request (true).
        traces: bool,
        /// Send metrics (true).
        metrics: bool,
        /// How long a command that is done may wait for the receiver, in milliseconds (500).
        timeout_ms: i64,
    }
}

layers! {
    /// What may be said for all tools, and again for one.
    ToolOptions {
        /// The strategy: `none`, `head`, `tail`, `head_tail`, `lines`, `element`, `smart`, `auto`, or a registered one.
        strategy: String,
        /// An output up to this size is shown whole; a larger one is cut to it (8000).
        inline_limit: LimitOption,
        /// From this size on a reply is an artifact reference (50000).
        artifact_threshold: LimitOption,
        /// From this size on an output is refused (bytes).
        max_artifact_size: LimitOption,
        /// The share of the beginning in `head_tail` (0.6).
        head_ratio: f64,
        =>
        /// Counts for `head`, `tail` and `lines`.
        line_truncation: LineOptions,
        /// Counts for structured data.
        element_truncation: ElementOptions,
        /// Content-aware cutting.
        smart_truncation: SmartOptions,
        /// What happens to secrets.
        redaction: RedactionOptions,
    }
}

/// Everything that a configuration can say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(title = "Offcut configuration"))]
pub struct Options {
    /// `auto` (the default), `balanced`, `paged`, `handle` or `bookends`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The strategy if neither the tool nor the content selects another (`head_tail`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_strategy: Option<String>,
    /// The strategy of every tool that has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// An output up to this size is shown whole; a larger one is cut to it (8000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inline_limit: Option<LimitOption>,
    /// From this size on a reply is an artifact reference (50000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_threshold: Option<LimitOption>,
    /// From this size on an output is refused (bytes; 1GB under `auto`, 10MB under `balanced`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_artifact_size: Option<LimitOption>,
    /// The share of the beginning in `head_tail` (0.6).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_ratio: Option<f64>,
    /// The size of a page of retrieved content that a model gets (50000).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieval_limit: Option<LimitOption>,
    /// How tokens are counted: `estimate` (characters ÷ 4), `o200k`, `cl100k`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<String>,
    /// Rules of your own that say what lines of your tools are: files of them, or rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_rules: Option<Vec<LineRuleOption>>,
    /// Counts for `head`, `tail` and `lines`.
    pub line_truncation: LineOptions,
    /// Counts for structured data.
    pub element_truncation: ElementOptions,
    /// Content-aware cutting.
    pub smart_truncation: SmartOptions,
    /// Where whole outputs are kept, and for how long.
    pub artifacts: ArtifactOptions,
    /// What the report carries.
    pub metadata: MetadataOptions,
    /// What happens to secrets.
    pub redaction: RedactionOptions,
    /// Answering a question about an artifact (`tool_output`).
    pub extraction: ExtractionOptions,
    /// What becomes of tool results in conversations.
    pub retention: RetentionOptions,
    /// How much of what happened is kept, call by call.
    pub history: HistoryOptions,
    /// Sending what happens to an OpenTelemetry collector.
    pub telemetry: TelemetryOptions,
    /// The same keys again for one tool, by its name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub overrides: BTreeMap<String, ToolOptions>,
}

impl Options {
    /// This layer laid over `lower`: what it says holds, what it leaves open comes from below.
    #[must_use]
    pub fn over(self, lower: Options) -> Options {
        let mut overrides = lower.overrides;
        for (tool, options) in self.overrides {
            let below = overrides.remove(&tool).unwrap_or_default();
            overrides.insert(tool, options.over(below));
        }
        Options {
            profile: self.profile.or(lower.profile),
            default_strategy: self.default_strategy.or(lower.default_strategy),
            strategy: self.strategy.or(lower.strategy),
            inline_limit: self.inline_limit.or(lower.inline_limit),
            artifact_threshold: self.artifact_threshold.or(lower.artifact_threshold),
            max_artifact_size: self.max_artifact_size.or(lower.max_artifact_size),
            head_ratio: self.head_ratio.or(lower.head_ratio),
            retrieval_limit: self.retrieval_limit.or(lower.retrieval_limit),
            tokenizer: self.tokenizer.or(lower.tokenizer),
            line_rules: self.line_rules.or(lower.line_rules),
            line_truncation: self.line_truncation.over(lower.line_truncation),
            element_truncation: self.element_truncation.over(lower.element_truncation),
            smart_truncation: self.smart_truncation.over(lower.smart_truncation),
            artifacts: self.artifacts.over(lower.artifacts),
            metadata: self.metadata.over(lower.metadata),
            redaction: self.redaction.over(lower.redaction),
            extraction: self.extraction.over(lower.extraction),
            retention: self.retention.over(lower.retention),
            history: self.history.over(lower.history),
            telemetry: self.telemetry.over(lower.telemetry),
            overrides,
        }
    }

    /// Makes files of line rules and prices that are named relative to `folder` absolute.
    pub fn resolve_files(&mut self, folder: &Path) {
        if let Some(path) = &mut self.retention.prices {
            *path = folder.join(&*path).to_string_lossy().into_owned();
        }
        for option in self.line_rules.iter_mut().flatten() {
            if let LineRuleOption::File(path) = option {
                *path = folder.join(&*path).to_string_lossy().into_owned();
            }
        }
    }

    /// What it says for one tool: the tool's own keys over the general ones. Keys under a name that means the same tool
    /// (`bash` and `execute_command`, in any case) are its own too, below those under the very name.
    pub fn for_tool(&self, tool: &str) -> ToolOptions {
        let general = ToolOptions {
            strategy: self.strategy.clone(),
            inline_limit: self.inline_limit.clone(),
            artifact_threshold: self.artifact_threshold.clone(),
            max_artifact_size: self.max_artifact_size.clone(),
            head_ratio: self.head_ratio,
            line_truncation: self.line_truncation.clone(),
            element_truncation: self.element_truncation.clone(),
            smart_truncation: self.smart_truncation.clone(),
            redaction: self.redaction.clone(),
        };
        let exact = self.overrides.get(tool).cloned().unwrap_or_default();
        let others = self.overrides.iter().filter(|(name, _)| *name != tool && same_tool(name, tool));
        others.fold(exact, |own, (_, other)| own.over(other.clone())).over(general)
    }
}

/// The JSON Schema of a configuration.
#[cfg(feature = "schema")]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Options).to_value()
}
