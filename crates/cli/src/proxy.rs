//! The LLM proxy as flags describe it: `offcut serve` puts it behind every path that nothing else serves.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use offcut_http::{AccessPolicy, Arrival, guarded};
use offcut_retain::{Mode, RecallChannel, RetainOptions};
use offcut_serve::{Proxy, ProxyOptions, Upstreams, router};

use crate::failure::Failure;
use crate::place::{self, Storage};
use crate::retain;
use crate::setup::Setup;

/// How requests to a language model are passed on.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "LLM proxy")]
pub(crate) struct ProxyFlags {
    /// Forward requests to Anthropic's API here
    #[arg(long, value_name = "URL", default_value = "https://api.anthropic.com")]
    pub(crate) anthropic: String,
    /// Forward requests to OpenAI's API, and all others, here
    #[arg(long, value_name = "URL", default_value = "https://api.openai.com")]
    pub(crate) openai: String,
    /// Forward requests to the Gemini API here
    #[arg(long, value_name = "URL", default_value = "https://generativelanguage.googleapis.com")]
    pub(crate) gemini: String,
    /// When to shorten old tool results [default: `retention.mode`]
    #[arg(long, value_enum)]
    pub(crate) retention: Option<When>,
    /// Do not cut oversized tool results
    #[arg(long)]
    pub(crate) uncut: bool,
    /// Always keep the N newest results whole [default: `retention.newest`]
    #[arg(long, value_name = "N")]
    pub(crate) newest: Option<u64>,
    /// Never shorten the results of this tool; can be given several times
    #[arg(long, value_name = "TOOL")]
    pub(crate) protect: Vec<String>,
    /// Use the prices in this file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Forward requests over N MiB unchanged
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) max_body: u64,
    /// Give each provider key its own session
    #[arg(long)]
    pub(crate) session_per_key: bool,
}

/// When to shorten old tool results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// When it saves more than the provider's prompt cache loses
    Pays,
    /// As soon as they are two turns old
    Window,
    /// Never
    Off,
}

impl ProxyFlags {
    /// The proxy, for those whom `access` admits.
    pub(crate) fn router(&self, setup: &Setup, access: AccessPolicy) -> Result<axum::Router, Failure> {
        let upstreams = Upstreams::new(&self.anthropic, &self.openai)
            .and_then(|upstreams| upstreams.with_gemini(&self.gemini))
            .map_err(|error| Failure::usage(error.to_string()))?;
        let mode = self.retention.map(|when| match when {
            When::Pays => Mode::Pays,
            When::Window => Mode::Window,
            When::Off => Mode::Off,
        });
        let configured = RetainOptions::of(&setup.config.options)?;
        let retain = RetainOptions {
            mode: mode.unwrap_or(configured.mode),
            cut: configured.cut && !self.uncut,
            channel: RecallChannel::Declared(self.words(setup)),
            newest: self.newest.unwrap_or(configured.newest),
            protected: self.protect.iter().chain(&configured.protected).cloned().collect(),
            prices: retain::prices(self.prices.as_deref(), &setup.config.options)?,
            ..configured
        };
        let options = ProxyOptions {
            upstreams,
            retain,
            largest_body: self.max_body.saturating_mul(1 << 20),
            session_per_key: self.session_per_key,
            record: setup.place.log_directory(),
            ..ProxyOptions::default()
        };
        let proxy = Proxy::new(setup.offcut.clone(), options).map_err(|error| Failure::other(error.to_string()))?;
        Ok(guarded(router(proxy), access, Arrival::default()))
    }

    /// What a command needs to find the same artifacts, wherever the agent runs it.
    fn words(&self, setup: &Setup) -> String {
        let session = if self.session_per_key { "{session}".to_owned() } else { place::quoted(&setup.place.session) };
        let store = match &setup.place.store {
            Storage::Nothing => return String::new(),
            Storage::Directory(path) => path.to_string_lossy().into_owned(),
            Storage::Address(address) => address.clone(),
        };
        format!(" --session {session} --store {}", place::quoted(&store))
    }
}
