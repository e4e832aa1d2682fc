//! The keys themselves, in the order of the types that they are read into.
//!
//! The schema of the options would say the same, but to make it takes longer than a small output takes in all. A test
//! compares the two.

use super::Shape::{self, Bool, Choice, Integer, Limit, List, Number, Open, Table, Tables, Text, TextsOrTables};

/// Names with what they hold.
pub(crate) type Rows = &'static [(&'static str, Shape)];

/// The keys of a configuration.
pub(super) const OPTIONS: Rows = &[
    ("profile", Text),
    ("default_strategy", Text),
    ("strategy", Text),
    ("inline_limit", Limit),
    ("artifact_threshold", Limit),
    ("max_artifact_size", Limit),
    ("head_ratio", Number),
    ("retrieval_limit", Limit),
    ("tokenizer", Text),
    ("line_rules", TextsOrTables(LINE_RULE)),
    ("line_truncation", Table(LINES)),
    ("element_truncation", Table(ELEMENTS)),
    ("smart_truncation", Table(SMART)),
    ("artifacts", Table(ARTIFACTS)),
    ("metadata", Table(METADATA)),
    ("redaction", Table(REDACTION)),
    ("extraction", Table(EXTRACTION)),
    ("retention", Table(RETENTION)),
    ("history", Table(HISTORY)),
    ("telemetry", Table(TELEMETRY)),
    ("overrides", Open(TOOL)),
];

const LINE_RULE: Rows = &[
    ("id", Text),
    ("starts", List),
    ("begins", List),
    ("label", List),
    ("equals", List),
    ("ends", List),
    ("ends_word", List),
    ("contains", List),
    ("contains_all", List),
    ("says", List),
    ("not_starts", List),
    ("not_contains", List),
    ("regex", Text),
    ("indent", Text),
    ("max_length", Integer),
    ("role", Text),
    ("severity", Text),
    ("weight", Number),
    ("vote", Text),
    ("good", List),
    ("bad", List),
];

const LINES: Rows = &[("tail_lines", Integer), ("head_lines", Integer), ("max_line_length", Integer)];

const ELEMENTS: Rows =
    &[("first_elements", Integer), ("last_elements", Integer), ("max_depth", Integer), ("preserve_json", Bool)];

const SMART: Rows =
    &[("enabled", Bool), ("preserve_functions", Bool), ("prioritize_errors", Bool), ("keep_prefixes", Bool)];

const ARTIFACTS: Rows = &[
    ("storage_path", Text),
    ("storage", Text),
    ("cleanup_on_exit", Bool),
    ("compress_large", Bool),
    ("durability", Choice(&["rename", "sync"])),
    ("enable_partial_retrieval", Bool),
    ("artifact_view", Choice(&["cut", "preview", "none"])),
    ("preview_chars", Integer),
    ("max_session_bytes", Limit),
    ("max_session_count", Integer),
    ("on_quota", Choice(&["evict", "reject"])),
    ("max_per_minute", Integer),
    ("tell_changes", Bool),
];

const METADATA: Rows = &[
    ("include_original_size", Bool),
    ("include_token_estimate", Bool),
    ("include_strategy", Bool),
    ("include_retrieval_instructions", Bool),
];

const REDACTION: Rows = &[
    ("mode", Choice(&["on", "report", "off"])),
    ("disable", List),
    ("allow", List),
    ("allow_hashes", List),
    ("numbered", Bool),
    ("rules", Tables(RULE)),
];

const EXTRACTION: Rows = &[
    ("max_chunks_for_full_mode", Integer),
    ("max_average_line_bytes", Integer),
    ("max_chunks", Integer),
    ("overlap_percent", Integer),
    ("parallel", Integer),
    ("max_turns", Integer),
    ("max_calls_per_turn", Integer),
    ("max_tokens", Integer),
    ("attempts", Integer),
    ("timeout_seconds", Integer),
    ("max_chars", Integer),
    ("model", Text),
    ("context_tokens", Integer),
    ("output_tokens", Integer),
];

const RETENTION: Rows = &[
    ("mode", Choice(&["pays", "window", "off"])),
    ("cut", Bool),
    ("window", Integer),
    ("newest", Integer),
    ("lines", Integer),
    ("protect", List),
    ("ahead_percent", Number),
    ("prices", Text),
];

const HISTORY: Rows = &[("max_days", Integer), ("max_bytes", Limit)];

const TELEMETRY: Rows = &[("otlp", Text), ("traces", Bool), ("metrics", Bool), ("timeout_ms", Integer)];

const TOOL: Rows = &[
    ("strategy", Text),
    ("inline_limit", Limit),
    ("artifact_threshold", Limit),
    ("max_artifact_size", Limit),
    ("head_ratio", Number),
    ("line_truncation", Table(LINES)),
    ("element_truncation", Table(ELEMENTS)),
    ("smart_truncation", Table(SMART)),
    ("redaction", Table(REDACTION)),
];

const RULE: Rows = &[
    ("id", Text),
    ("kind", Text),
    ("regex", Text),
    ("keywords", List),
    ("prefixes", List),
    ("names", List),
    ("entropy", Number),
    ("allow", List),
    ("good", List),
    ("bad", List),
];
