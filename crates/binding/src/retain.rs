//! Conversations whose old tool results are shortened.

use std::sync::Arc;

use offcut_core::retention::Retention;
use offcut_retain::prices::PriceList;
use offcut_retain::{Format, Mode, RecallChannel, RequestFacts, RetainOptions, Retainer};
use serde::Deserialize;

use crate::engine::Engine;
use crate::failure::Failure;

/// How a conversation is treated.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetainSettings {
    /// Turns for which a result stays whole.
    pub window: u64,
    /// Lines that it has afterwards.
    pub lines: u64,
    /// When results are shortened: `window`, `pays` or `off`.
    pub mode: String,
    /// Whether new results over the limit are cut.
    pub cut: bool,
    /// Whether notices name the tools that the conversation declares.
    pub declared: bool,
    /// Tools whose results are never shortened.
    pub protect: Vec<String>,
    /// The name of the prices that `pays` counts with.
    pub price: Option<String>,
}

impl RetainSettings {
    fn options(&self) -> Result<RetainOptions, Failure> {
        let mode = match self.mode.as_str() {
            "off" => Mode::Off,
            "window" => Mode::Window,
            "pays" => Mode::Pays,
            other => {
                return Err(Failure::argument(format!("mode: `{other}`: expected `window`, `pays` or `off`")));
            }
        };
        let prices = PriceList::built_in();
        if let Some(name) = self.price.as_deref().filter(|name| prices.named(name).is_none()) {
            let known: Vec<&str> = prices.prices.iter().map(|price| price.name.as_str()).collect();
            return Err(Failure::argument(format!("unknown price `{name}`: expected one of {}", known.join(", "))));
        }
        let channel = if self.declared { RecallChannel::Declared(String::new()) } else { RecallChannel::Trace };
        Ok(RetainOptions {
            retention: Retention { window: self.window, lines: self.lines, ..Retention::default() },
            mode,
            cut: self.cut,
            channel,
            protected: self.protect.clone(),
            prices,
            price: self.price.clone(),
            ..RetainOptions::default()
        })
    }
}

impl Engine {
    /// Rewrites a conversation, a JSON text; returns the new one (none where nothing changes) and the report as JSON.
    pub fn retain(
        &self,
        body: &str,
        format: Option<&str>,
        turn: Option<u64>,
        settings: &RetainSettings,
    ) -> Result<(Option<String>, String), Failure> {
        let format = format.map(|format| format.parse::<Format>().map_err(Failure::argument)).transpose()?;
        let facts = RequestFacts { format, turn, now_ms: None };
        let rewritten = self.retainer(settings)?.rewrite(&self.once, body.as_bytes(), &facts)?;
        Ok((rewritten.body, serde_json::to_string(&rewritten.report)?))
    }

    /// What treats conversations by these settings; the last one is kept, because it remembers what it has shown.
    fn retainer(&self, settings: &RetainSettings) -> Result<Arc<Retainer>, Failure> {
        let key = format!("{settings:?}");
        let mut last = self.retainer.lock();
        match last.as_ref() {
            Some((known, retainer)) if *known == key => Ok(retainer.clone()),
            _ => {
                let retainer = Arc::new(Retainer::new(settings.options()?));
                *last = Some((key, retainer.clone()));
                Ok(retainer)
            }
        }
    }
}
