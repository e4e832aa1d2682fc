//! Every key with its meaning, its built-in value, and why it may have no effect here.

use offcut::options::Options;
use offcut::profile::Profile;
use offcut_core::limit::Limit;
use offcut_core::retention::Retention;
use offcut_core::strategy::Settings;
use offcut_extract::Settings as Extraction;
use offcut_history::Bounds;
use offcut_retain::RetainOptions;

use crate::place::STORAGE_PATH;

/// The value of a key that nobody set, under a profile; `-` where there is none.
pub(crate) fn built_in(key: &str, profile: Profile) -> String {
    let settings = Settings::default();
    let defaults = profile.defaults();
    match key {
        "profile" => Profile::default().name().to_owned(),
        "default_strategy" => "head_tail".to_owned(),
        "strategy" => profile.strategy("").unwrap_or("head_tail").to_owned(),
        "inline_limit" => defaults.limits.to_string(),
        "artifact_threshold" => defaults.artifact_threshold.map_or_else(none, |chars| chars.to_string()),
        "max_artifact_size" => Limit::bytes(defaults.max_artifact_bytes).to_string(),
        "head_ratio" => settings.head_ratio.to_string(),
        "retrieval_limit" => "16000; 50000 in other profiles than auto".to_owned(),
        "tokenizer" => "estimate".to_owned(),
        "line_truncation.tail_lines" => settings.tail_lines.to_string(),
        "line_truncation.head_lines" => settings.head_lines.to_string(),
        "line_truncation.max_line_length" => settings.max_line_length.to_string(),
        "element_truncation.first_elements" => settings.first_elements.to_string(),
        "element_truncation.last_elements" => settings.last_elements.to_string(),
        "element_truncation.max_depth" => settings.max_depth.to_string(),
        "element_truncation.preserve_json" => settings.preserve_json.to_string(),
        "smart_truncation.preserve_functions" => settings.preserve_functions.to_string(),
        "smart_truncation.prioritize_errors" => settings.prioritize_errors.to_string(),
        "smart_truncation.keep_prefixes" => settings.keep_prefixes.to_string(),
        "artifacts.storage_path" => STORAGE_PATH.to_owned(),
        "artifacts.artifact_view" => "cut".to_owned(),
        "artifacts.preview_chars" => "500".to_owned(),
        "artifacts.max_session_bytes" => "4GB".to_owned(),
        "artifacts.max_session_count" => "10000".to_owned(),
        "artifacts.on_quota" => "evict".to_owned(),
        "artifacts.durability" => "rename".to_owned(),
        "history.max_days" => Bounds::default().days.to_string(),
        "history.max_bytes" => Limit::bytes(Bounds::default().bytes).to_string(),
        "retention.mode" => "pays".to_owned(),
        "retention.window" => Retention::default().window.to_string(),
        "retention.lines" => Retention::default().lines.to_string(),
        "retention.newest" => RetainOptions::default().newest.to_string(),
        "retention.ahead_percent" => (RetainOptions::default().ahead as f64 / 100.0).to_string(),
        "telemetry.timeout_ms" => "500".to_owned(),
        "redaction.mode" => "on".to_owned(),
        "artifacts.cleanup_on_exit" | "artifacts.compress_large" | "redaction.numbered" => "false".to_owned(),
        "smart_truncation.enabled"
        | "artifacts.enable_partial_retrieval"
        | "retention.cut"
        | "telemetry.traces"
        | "telemetry.metrics"
        | "artifacts.tell_changes"
        | "metadata.include_original_size"
        | "metadata.include_token_estimate"
        | "metadata.include_strategy"
        | "metadata.include_retrieval_instructions" => "true".to_owned(),
        _ => key.strip_prefix("extraction.").and_then(built_in_of_extraction).unwrap_or_else(none),
    }
}

fn built_in_of_extraction(key: &str) -> Option<String> {
    let settings = Extraction::of(&Options::default()).ok()?;
    let number = match key {
        "max_chunks_for_full_mode" => settings.max_chunks_for_full_mode,
        "max_average_line_bytes" => settings.max_average_line_bytes,
        "max_chunks" => settings.max_chunks,
        "overlap_percent" => settings.overlap_percent,
        "parallel" => settings.parallel,
        "max_turns" => settings.max_turns,
        "max_calls_per_turn" => settings.max_calls_per_turn,
        "max_tokens" => settings.max_tokens,
        "attempts" => settings.attempts,
        "timeout_seconds" => settings.timeout.as_secs(),
        "max_chars" => settings.max_chars,
        _ => return None,
    };
    Some(number.to_string())
}

fn none() -> String {
    "-".to_owned()
}

/// Where a key does not do what its name says, and why.
#[cfg(test)]
pub(crate) fn remark(key: &str) -> &'static str {
    match key {
        "artifacts.cleanup_on_exit" => {
            "The connections of `offcut mcp` end; a session of the command line does not, so nothing is removed there, and `offcut artifacts clean` does it."
        }
        "telemetry.otlp" => "Needs a build with the feature `otlp`, which is on by default.",
        "artifacts.storage" => "Object storage needs a build with the feature `cloud`.",
        "artifacts.enable_partial_retrieval" => {
            "With `false`, `show` prints only whole artifacts, and `grep` and `query` are refused."
        }
        "retrieval_limit" => {
            "It rules what a model gets over MCP; `offcut show` prints pages of `inline_limit` to a pipe, and everything with `--all`."
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keys::{self, Schema, Shape};
    use crate::kept;

    fn shape(shape: &Shape) -> String {
        match shape {
            Shape::Bool => "yes or no".to_owned(),
            Shape::Integer => "whole number".to_owned(),
            Shape::Number => "number".to_owned(),
            Shape::Text => "text".to_owned(),
            Shape::Limit => "limit".to_owned(),
            Shape::Choice(words) => format!("`{}`", words.join("`, `")),
            Shape::List => "list".to_owned(),
            Shape::Tables(_) => "list of tables".to_owned(),
            Shape::TextsOrTables(_) => "list of files and tables".to_owned(),
            Shape::Table(_) | Shape::Open(_) => "table".to_owned(),
        }
    }

    #[test]
    fn the_page_about_configuration_lists_every_key() {
        let mut rows = "| key | holds | built in | meaning |\n| --- | --- | --- | --- |\n".to_owned();
        let schema = Schema::of_options();
        for (key, holds) in keys::all().iter().filter(|(key, _)| !key.starts_with("overrides.")) {
            let built_in = built_in(key, Profile::Auto);
            let remark = remark(key);
            let mut about = schema.about(key);
            if !remark.is_empty() {
                about = format!("{about} {remark}");
            }
            rows.push_str(&format!("| `{key}` | {} | `{built_in}` | {about} |\n", shape(holds)));
        }
        kept::check_part("docs/configuration.md", "keys", &rows);
    }

    #[test]
    fn the_schema_that_is_kept_is_that_of_the_types() {
        kept::check("schema/offcut.schema.json", &format!("{:#}\n", offcut::options::schema()));
    }

    #[test]
    fn the_keys_that_are_said_to_be_without_a_value_have_none() {
        let without = [
            "artifacts.storage",
            "artifacts.max_per_minute",
            "extraction.model",
            "extraction.context_tokens",
            "extraction.output_tokens",
            "retention.prices",
            "telemetry.otlp",
        ];
        let lists = [
            "line_rules",
            "redaction.disable",
            "redaction.allow",
            "redaction.allow_hashes",
            "redaction.rules",
            "retention.protect",
        ];
        for (key, _) in keys::all().iter().filter(|(key, _)| !key.starts_with("overrides.")) {
            let known = without.contains(&key.as_str()) || lists.contains(&key.as_str());
            assert_eq!(built_in(key, Profile::Auto) == "-", known, "{key}");
        }
    }
}
