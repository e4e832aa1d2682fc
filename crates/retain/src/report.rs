//! What was done to a conversation, and what that saves.

use serde::Serialize;

use super::conversation::Format;
use super::plan::Plan;
use super::prices::Tariff;

/// The facts about one rewriting.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RetainReport {
    /// The shape of the conversation.
    pub format: String,
    /// The turn that was going on.
    pub turn: u64,
    /// A name that all requests of the conversation have in common.
    #[serde(skip)]
    pub conversation: String,
    /// The model that is asked; empty where the body does not say.
    #[serde(skip)]
    pub model: String,
    /// How many requests of the conversation came before this one.
    #[serde(skip)]
    pub requests: u64,
    /// How many texts of tool results it has.
    pub results: usize,
    /// What was changed, in order.
    pub changes: Vec<Change>,
    /// What was to be changed and could not be.
    pub skipped: Vec<Skipped>,
    /// Tokens of the conversation as it came: by `o200k` where prices decide, else estimated; of a result that is cut,
    /// projected from parts of it.
    pub tokens_before: u64,
    /// Tokens as it leaves.
    pub tokens_after: u64,
    /// What it costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// One result that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Which of the results, counted from 0.
    pub result: usize,
    /// The tool that made it.
    pub tool: String,
    /// The turn in which it was made.
    pub turn: u64,
    /// What was done.
    #[serde(rename = "deed")]
    pub action: Action,
    /// What `get_task_trace` returns the whole for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Its characters before, as it came.
    pub chars_before: u64,
    /// Its characters as it leaves.
    pub chars_after: u64,
}

/// What was done to a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It was too large, and was cut like any output.
    Cut,
    /// It was old, and is its first lines now.
    Shortened,
    /// Only what no model should see was taken out.
    Cleaned,
}

/// One result that stays as it is, though it was to be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Which of the results, counted from 0.
    pub result: usize,
    /// Why.
    pub why: String,
}

/// Dollars, by the price model.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Cost {
    /// The price that was taken.
    pub price: String,
    /// When it was published.
    pub as_of: String,
    /// This request as it came, the provider's cache warm.
    pub request_before: f64,
    /// This request as it leaves: where something was shortened, what stands behind it is read anew.
    pub request_after: f64,
    /// This request as it came, without any cache.
    pub uncached_before: f64,
    /// This request as it leaves, without any cache.
    pub uncached_after: f64,
    /// All requests of the conversation so far, had nothing ever been changed.
    pub conversation_before: f64,
    /// All requests of the conversation so far, as they were sent.
    pub conversation_after: f64,
}

impl Cost {
    /// The cost of a conversation that went by `plan`.
    pub(crate) fn of(name: &str, as_of: &str, tariff: &Tariff, plan: &Plan) -> Cost {
        let uncached = |tokens: u64| dollars(u128::from(tokens) * u128::from(tariff.input));
        Cost {
            price: name.to_owned(),
            as_of: as_of.to_owned(),
            request_before: dollars(plan.last_never),
            request_after: dollars(plan.last),
            uncached_before: uncached(plan.raw_tokens),
            uncached_after: uncached(plan.tokens),
            conversation_before: dollars(plan.never),
            conversation_after: dollars(plan.spent),
        }
    }
}

/// 10⁻¹² dollars as dollars, for people.
pub(crate) fn dollars(amount: u128) -> f64 {
    amount as f64 / 1e12
}

impl RetainReport {
    pub(crate) fn new(format: Format, turn: u64, results: usize) -> RetainReport {
        RetainReport { format: format.to_string(), turn, results, ..RetainReport::default() }
    }
}
