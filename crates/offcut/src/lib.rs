//! Offcut hands a language model the part of a tool's output that matters, says plainly what it left out, and keeps
//! the rest one call away.
//!
//! An [`Offcut`] is built once from [`Options`](options::Options) and a store. Each output is taken in by an
//! [`Intake`], which is an [`io::Write`](std::io::Write), and becomes a [`Reply`]: the text that the model reads, and
//! a report about it.
//!
//! ```
//! use offcut::{Call, Offcut};
//!
//! let offcut = Offcut::builder().profile("auto").in_memory().build()?;
//! let output = "all is well\n".repeat(5000) + "error: disk full\n" + &"all is well\n".repeat(5000);
//! let reply = offcut.process(Call::new("execute_command").limit(4000), output.as_bytes())?;
//!
//! assert!(reply.text.chars().count() <= 4000);
//! assert!(reply.text.contains("error: disk full"));
//! let id = reply.report.artifact_id.expect("the whole output was kept");
//! assert_eq!(offcut.recall().whole(&id)?, output);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! On unless they are left out: `code` (code is cut by its functions: twelve grammars, most of a program's size),
//! `tokenizers` (tokens are counted as OpenAI's models do; without it they are estimated) and `schema` (the JSON Schema
//! of a configuration). Off: `cloud` (artifacts on S3, GCS, Azure and servers like them).

pub mod options;
pub mod policy;
pub mod profile;

pub mod audit_log;
pub mod call;
pub mod event;
pub mod event_log;
pub mod explain;
pub mod intake;
pub mod recall;
pub mod reply;

mod builder;
mod cancel;
pub mod clock;
mod context;
mod dedup;
mod excerpt;
mod executor;
mod frame;
pub mod json_lines;
mod keep;
pub mod line_rules;
mod outcome;
mod overwritten;
mod progress;
mod redaction;
mod respond;
mod session;
mod spool;
mod storage;
mod threads;
mod tool_names;
mod trace_context;
mod view;
pub mod words;

pub use builder::{BuildError, Builder, Offcut};
pub use call::Call;
pub use cancel::Cancel;
pub use excerpt::Excerpt;
pub use intake::Intake;
pub use offcut_core::kind::Kind;
pub use offcut_core::limit::{Limit, Limits, Unit};
pub use offcut_core::report::Report;
pub use offcut_store::{ArtifactId, SessionId};
pub use outcome::Outcome;
pub use reply::{Explanation, Reply};
pub use trace_context::{InvalidTraceContext, TraceContext};
