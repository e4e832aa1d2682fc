//! How extraction works: its counts and bounds, checked.

use std::time::Duration;

use offcut::options::Options;
use offcut::policy::{PolicyError, count};

/// The counts and bounds of extraction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// A document of up to so many chunks is read whole where the mode is `auto`.
    pub max_chunks_for_full_mode: u64,
    /// So is one whose lines have more bytes than this on average.
    pub max_average_line_bytes: u64,
    /// A document of more chunks is never read whole.
    pub max_chunks: u64,
    /// What a chunk has in common with the next, as a share of a hundred.
    pub overlap_percent: u64,
    /// How many calls are made at once.
    pub parallel: u64,
    /// How often a model that looks around may answer.
    pub max_turns: u64,
    /// How many tool calls of one answer are carried out.
    pub max_calls_per_turn: u64,
    /// How many tokens one extraction may take, in and out.
    pub max_tokens: u64,
    /// How often a call that fails is made.
    pub attempts: u64,
    /// How long one call may take.
    pub timeout: Duration,
    /// Characters of what `search` and `truncate` show.
    pub max_chars: u64,
    /// The model, where the configuration names one.
    pub model: Option<String>,
    /// Its context, where the configuration knows better.
    pub context_tokens: Option<u64>,
    /// Its longest answer, where the configuration knows better.
    pub output_tokens: Option<u64>,
}

impl Settings {
    /// Checks what the options say.
    pub fn of(options: &Options) -> Result<Settings, PolicyError> {
        let said = &options.extraction;
        let number =
            |name: &str, value: Option<i64>, default: u64| count(&format!("extraction.{name}"), value, default);
        let overlap = said.overlap_percent.unwrap_or(10);
        let overlap_percent = u64::try_from(overlap)
            .ok()
            .filter(|percent| *percent <= 50)
            .ok_or_else(|| PolicyError::new("extraction.overlap_percent", overlap, "a whole number from 0 to 50"))?;
        let given = |name: &str, value: Option<i64>| value.map(|_| number(name, value, 1)).transpose();
        Ok(Settings {
            max_chunks_for_full_mode: number("max_chunks_for_full_mode", said.max_chunks_for_full_mode, 1)?,
            max_average_line_bytes: number("max_average_line_bytes", said.max_average_line_bytes, 1000)?,
            max_chunks: number("max_chunks", said.max_chunks, 32)?,
            overlap_percent,
            parallel: number("parallel", said.parallel, 4)?,
            max_turns: number("max_turns", said.max_turns, 15)?,
            max_calls_per_turn: number("max_calls_per_turn", said.max_calls_per_turn, 10)?,
            max_tokens: number("max_tokens", said.max_tokens, 2_000_000)?,
            attempts: number("attempts", said.attempts, 3)?,
            timeout: Duration::from_secs(number("timeout_seconds", said.timeout_seconds, 120)?),
            max_chars: number("max_chars", said.max_chars, 4000)?.max(SMALLEST),
            model: said.model.clone(),
            context_tokens: given("context_tokens", said.context_tokens)?,
            output_tokens: given("output_tokens", said.output_tokens)?,
        })
    }
}

/// Below so many characters no passage could be shown with its place.
const SMALLEST: u64 = 400;
