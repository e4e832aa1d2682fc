//! Language models over HTTP, behind the library's one seam for them.
//!
//! [`HttpModel`] speaks to any OpenAI-compatible endpoint (chat completions) and to Anthropic (messages). Where it is,
//! which model is asked and with which key come from the environment alone ([`Config::from_env`]), so that no project's
//! configuration can send a key elsewhere.
//!
//! ```
//! use offcut_models::{Config, Provider};
//!
//! let env = |name: &str| match name {
//!     "OFFCUT_MODEL_URL" => Some("http://127.0.0.1:11434/v1".to_owned()),
//!     "OFFCUT_MODEL" => Some("qwen3:8b".to_owned()),
//!     _ => None,
//! };
//! let config = Config::from_env(&env)?.expect("a model is configured");
//! assert_eq!(config.provider, Provider::OpenAi);
//! assert_eq!(config.context_tokens, 131_072);
//! # Ok::<(), offcut_models::ConfigError>(())
//! ```

mod config;
mod known;

mod anthropic;
mod http;
mod model;
mod openai;

pub use config::{Config, ConfigError, Provider, VARIABLES};
pub use model::HttpModel;
