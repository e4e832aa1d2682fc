//! A model over HTTP.

use std::fmt;

use offcut_extract::{Completion, Model, ModelError, Prompt};
use tokio::runtime::Runtime;

use crate::config::{Config, Provider, is_loopback};
use crate::{anthropic, http, openai};

/// A model over HTTP. It has a small runtime of its own, and may be asked from any thread.
pub struct HttpModel {
    config: Config,
    client: reqwest::Client,
    /// Gone only while it is dropped.
    runtime: Option<Runtime>,
}

impl fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HttpModel").field(&self.config).finish()
    }
}

impl HttpModel {
    /// A model by its configuration. Nothing is asked yet.
    pub fn new(config: Config) -> Result<HttpModel, ModelError> {
        // Whoever installed one first has chosen.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let failed = |error: &dyn fmt::Display| ModelError::Unreachable(format!("no connection can be made: {error}"));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("offcut-model")
            .enable_all()
            .build()
            .map_err(|error| failed(&error))?;
        let mut builder = reqwest::Client::builder()
            .connect_timeout(config.connect_timeout)
            // A redirect would carry the document and the key to an address that nobody chose.
            .redirect(reqwest::redirect::Policy::none());
        if is_loopback(&config.url) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| failed(&error))?;
        Ok(HttpModel { config, client, runtime: Some(runtime) })
    }

    /// How it was configured.
    pub fn config(&self) -> &Config {
        &self.config
    }
}

impl Model for HttpModel {
    fn name(&self) -> &str {
        &self.config.model
    }

    fn context_tokens(&self) -> u64 {
        self.config.context_tokens
    }

    fn output_tokens(&self) -> u64 {
        self.config.output_tokens
    }

    fn ask(&self, prompt: &Prompt<'_>) -> Result<Completion, ModelError> {
        let config = &self.config;
        let (url, headers, body) = match config.provider {
            Provider::OpenAi => (openai::url(config), openai::headers(config), openai::body(config, prompt)),
            Provider::Anthropic => {
                (anthropic::url(config), anthropic::headers(config), anthropic::body(config, prompt))
            }
        };
        let body = body.to_string().into_bytes();
        let runtime = self.runtime.as_ref().ok_or(ModelError::Cancelled)?;
        tracing::debug!(model = config.model, bytes = body.len(), messages = prompt.messages.len(), "asking a model");
        let post = http::Post { url, headers, body };
        let reply = http::send(runtime, &self.client, post, prompt.timeout, prompt.cancel)?;
        match config.provider {
            Provider::OpenAi => openai::answer(&reply),
            Provider::Anthropic => anthropic::answer(&reply),
        }
    }
}

impl Drop for HttpModel {
    fn drop(&mut self) {
        // Waiting for the runtime is not allowed on a thread of another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
