//! What the packages for other languages have in common: one object that cuts, keeps and reads back, told in strings.
//!
//! An [`Engine`] is an [`offcut::Offcut`] with the crates around it. Options, arguments and reports are JSON, so that each
//! package turns them into its own language's values; what goes wrong is a [`Failure`], a sentence with a code. The
//! packages add what only they can: their language's texts and callables, and when to let its other threads run.
//!
//! ```
//! use offcut_binding::{CallFacts, Engine};
//!
//! let engine = Engine::new("{}", "memory", "default", Vec::new())?;
//! let (text, report) = engine.cut("all is well\n".repeat(5000).as_bytes(), CallFacts::default())?;
//! assert!(text.chars().count() <= 8000 && report.contains("\"was_truncated\":true"));
//! assert_eq!(engine.read("last", Some("7"), None)?, "all is well\n");
//! # Ok::<(), offcut_binding::Failure>(())
//! ```

mod call;
mod engine;
mod failure;
mod file;
mod model;
mod recall;
mod retain;
mod strategy;
mod stream;

pub use call::{Answer, CallFacts};
pub use engine::Engine;
pub use failure::Failure;
pub use model::CallbackModel;
pub use offcut_core::strategy::Strategy;
pub use offcut_extract::Model;
pub use retain::RetainSettings;
pub use strategy::{CallbackStrategy, ChooseLines, DocumentReader, WantedLines};
pub use stream::Intake;
