//! What Offcut does, sent to an OpenTelemetry collector: traces and metrics over OTLP (HTTP, protobuf).
//!
//! [`Telemetry`] is an observer of the library's events. Each reply, retrieval, question and proxied request becomes a
//! span, in the trace that the call belongs to; all events are counted. Events have no field for content, so none is
//! sent. It is off unless the configuration names a receiver (`telemetry.otlp`).
//!
//! ```no_run
//! use offcut::{Offcut, options::Options};
//! use offcut_telemetry::{Settings, Telemetry};
//!
//! let mut options = Options::default();
//! options.telemetry.otlp = Some("http://127.0.0.1:4318".to_owned());
//! let settings = Settings::of(&options)?.expect("a receiver is named");
//! let telemetry = Telemetry::start(&settings, "my-project")?;
//! let offcut = Offcut::builder().options(options).build()?.observed_by(telemetry.observer());
//! // Whatever was not sent yet is sent when `telemetry` is dropped, if that does not take longer than it may.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod settings;
mod telemetry;

mod client;
mod metrics;
mod spans;

pub use settings::Settings;
pub use telemetry::{Telemetry, TelemetryError};
