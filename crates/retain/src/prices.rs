//! What a provider takes for tokens, and how its prompt cache works. All of it is configuration.
//!
//! The table that comes along says when it was true; `--prices` puts another in its place.

use serde::{Deserialize, Serialize};

use super::conversation::{CacheMarks, Format};

/// The prices that come along.
const BUILT_IN: &str = include_str!("prices.json");

/// A list of prices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceList {
    /// When they were published.
    pub as_of: String,
    /// What they are counted in, for people.
    #[serde(default)]
    pub unit: String,
    /// The prices; the first whose model fits is taken.
    pub prices: Vec<Price>,
}

/// What one family of models costs, in dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// A name for reports, and for choosing it.
    pub name: String,
    /// Beginnings of the names of its models.
    #[serde(default)]
    pub models: Vec<String>,
    /// A token that is neither read from the cache nor written to it.
    pub input: f64,
    /// A token that is written to the cache; the same as `input` where writing costs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// A token that is read from the cache.
    pub cache_read: f64,
    /// How long an entry lives after its last use, in seconds.
    pub lifetime_s: u64,
    /// A token that is written to the cache for the longer lifetime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_cache_write: Option<f64>,
    /// The longer lifetime, where the request asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_lifetime_s: Option<u64>,
    /// Prompts with fewer tokens are not cached.
    #[serde(default)]
    pub minimum: u64,
    /// The cache counts in steps of so many tokens.
    #[serde(default = "one")]
    pub granule: u64,
    /// How many blocks before the end of a prompt an entry is looked for; without it any beginning is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookback: Option<u64>,
    /// Whether only requests that are marked with `cache_control` are cached.
    #[serde(default)]
    pub marked: bool,
    /// How many tokens the model can read.
    #[serde(default = "context")]
    pub context: u64,
    /// Where this was published.
    #[serde(default)]
    pub source: String,
}

fn one() -> u64 {
    1
}

fn context() -> u64 {
    200_000
}

/// Why a list of prices is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PriceError(pub String);

impl PriceList {
    /// The prices that come along.
    pub fn built_in() -> PriceList {
        PriceList::read(BUILT_IN).unwrap_or(PriceList { as_of: String::new(), unit: String::new(), prices: Vec::new() })
    }

    /// Reads a list from JSON.
    pub fn read(json: &str) -> Result<PriceList, PriceError> {
        let list: PriceList = serde_json::from_str(json).map_err(|error| PriceError(error.to_string()))?;
        for price in &list.prices {
            let amounts = [
                ("input", Some(price.input)),
                ("cache_read", Some(price.cache_read)),
                ("cache_write", price.cache_write),
            ];
            for (key, amount) in amounts.into_iter().filter_map(|(key, amount)| Some((key, amount?))) {
                if !(0.0..=1e6).contains(&amount) {
                    let why =
                        format!("`{key}` of `{}` is `{amount}`: expected dollars for a million tokens", price.name);
                    return Err(PriceError(why));
                }
            }
        }
        if list.prices.is_empty() { Err(PriceError("the list has no prices".to_owned())) } else { Ok(list) }
    }

    /// The price of that name.
    pub fn named(&self, name: &str) -> Option<&Price> {
        self.prices.iter().find(|price| price.name == name)
    }

    /// The price of a model, or of what a client of this format usually asks for.
    pub fn of(&self, model: Option<&str>, format: Format) -> Option<&Price> {
        // A router's name has the maker in front: `anthropic/claude-sonnet-4-5`.
        let bare = model.map(|model| model.rsplit('/').next().unwrap_or(model));
        let fits = |price: &&Price| {
            bare.is_some_and(|model| price.models.iter().any(|start| model.starts_with(start.as_str())))
        };
        let usual = match format {
            Format::Anthropic | Format::Neutral => "claude-sonnet",
            Format::OpenAiChat | Format::OpenAiResponses => "gpt-5",
            Format::Gemini => "gemini",
        };
        self.prices.iter().find(fits).or_else(|| self.named(usual)).or_else(|| self.prices.first())
    }
}

/// The prices that hold for one conversation, as whole numbers: millionths of a dollar for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tariff {
    /// A token outside of the cache.
    pub input: u64,
    /// A token that is written to the cache.
    pub write: u64,
    /// A token that is read from the cache.
    pub read: u64,
    /// Whether the conversation is cached at all.
    pub cached: bool,
    /// Whether only what is marked is cached, and where a request is marked.
    pub by_mark: bool,
    /// The marks of each request.
    pub marks: CacheMarks,
    /// How long an entry lives after its last use, in milliseconds.
    pub lifetime_ms: u64,
    /// Prompts with fewer tokens are not cached.
    pub minimum: u64,
    /// The cache counts in steps of so many tokens.
    pub granule: u64,
    /// How many blocks before the end an entry is looked for.
    pub lookback: Option<u64>,
    /// How many tokens the model can read.
    pub context: u64,
}

impl Price {
    /// What holds for a conversation with these marks.
    pub fn tariff(&self, marks: CacheMarks) -> Tariff {
        let write = self.cache_write.unwrap_or(self.input);
        let (write, lifetime_s) = match (marks.long, self.long_lifetime_s) {
            (true, Some(lifetime)) => (self.long_cache_write.unwrap_or(write), lifetime),
            _ => (write, self.lifetime_s),
        };
        Tariff {
            input: micros(self.input),
            write: micros(write),
            read: micros(self.cache_read),
            cached: !self.marked || marks.marked,
            by_mark: self.marked || self.lookback.is_some(),
            marks,
            lifetime_ms: lifetime_s.saturating_mul(1000),
            minimum: self.minimum,
            granule: self.granule.max(1),
            lookback: self.lookback,
            context: self.context,
        }
    }
}

impl Tariff {
    /// What a prompt of `total` tokens costs, in billionths of a dollar's thousandth (10⁻¹² dollars): the first
    /// `read` are read from the cache, and the first `marked` are in it afterwards.
    pub fn cost(&self, total: u64, read: u64, marked: u64) -> u128 {
        let amount = |tokens: u64, price: u64| u128::from(tokens) * u128::from(price);
        if !self.cached || marked.max(read) < self.minimum {
            return amount(total, self.input);
        }
        let marked = marked.max(read).min(total);
        amount(read, self.read) + amount(marked.saturating_sub(read), self.write) + amount(total - marked, self.input)
    }

    /// What a token of an older message costs in every further request.
    pub fn reread(&self) -> u64 {
        let is_found = self.cached && (!self.by_mark || self.marks.depths != 0);
        if is_found { self.read } else { self.input }
    }
}

/// Dollars for a million tokens as millionths of a dollar.
fn micros(dollars: f64) -> u64 {
    (dollars * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_is_read_and_dated() {
        let list = PriceList::read(BUILT_IN).unwrap();
        assert_eq!(list.as_of, "2026-11-15");
        let name = |model: &str, format| list.of(Some(model), format).unwrap().name.as_str();
        assert_eq!(name("claude-opus-4-5", Format::Anthropic), "claude-opus");
        assert_eq!(name("anthropic/claude-sonnet-4-5", Format::OpenAiChat), "claude-sonnet");
        assert_eq!(name("gpt-5.6-sol", Format::OpenAiResponses), "gpt-5.6");
        assert_eq!(name("gpt-5.2", Format::OpenAiResponses), "gpt-5");
        assert_eq!(name("fake-model", Format::OpenAiChat), "gpt-5");
        assert_eq!(name("fake-model", Format::Anthropic), "claude-sonnet");
    }

    #[test]
    fn a_mark_decides_whether_and_how_long_a_prompt_is_cached() {
        let list = PriceList::built_in();
        let price = list.named("claude-sonnet").unwrap();
        let plain = price.tariff(CacheMarks::default());
        assert_eq!((plain.cached, plain.cost(10_000, 9_000, 10_000)), (false, 10_000 * 3_000_000));
        let marked = price.tariff(CacheMarks::of_agents());
        assert_eq!(marked.cost(10_000, 9_000, 10_000), 9_000 * 300_000 + 1_000 * 3_750_000);
        assert_eq!(marked.cost(10_000, 9_000, 9_500), 9_000 * 300_000 + 500 * 3_750_000 + 500 * 3_000_000);
        let long = price.tariff(CacheMarks { long: true, ..CacheMarks::of_agents() });
        assert_eq!((long.write, long.lifetime_ms), (6_000_000, 3_600_000));
        assert!(list.named("gpt-5").unwrap().tariff(CacheMarks::default()).cached);
    }

    #[test]
    fn a_bad_list_is_refused_by_name() {
        let refused = |json: &str| PriceList::read(json).unwrap_err().0;
        assert!(refused(r#"{"as_of":"x","prices":[]}"#).contains("no prices"));
        let price = r#"{"as_of":"x","prices":[{"name":"a","input":-1,"cache_read":0,"lifetime_s":1}]}"#;
        assert!(refused(price).contains("`input` of `a` is `-1`"));
        assert!(refused(r#"{"as_of":"x","prices":[{"name":"a","inptu":1}]}"#).contains("inptu"));
    }
}
