//! Asking an artifact a question: `tool_output`.
//!
//! A [`Question`] names an artifact and what to look for in it; [`extract`] answers with an [`Extraction`], the
//! text that a model reads. With a [`Model`] it reads the whole document chunk by chunk, or lets the model look around
//! in it; without one it searches for the passages that fit the words best. Answers are never cached and never
//! offloaded: no handle leads to another handle.
//!
//! ```
//! use offcut_extract::{Question, extract};
//! use offcut::{Call, Cancel, Offcut};
//!
//! let offcut = Offcut::builder().in_memory().build()?;
//! let output = "all is well\n".repeat(5000) + "error: disk /dev/sda1 is full\n" + &"all is well\n".repeat(5000);
//! let reply = offcut.process(Call::new("bash"), output)?;
//! let id = reply.report.artifact_id.expect("the whole output was kept");
//!
//! let answer = extract(&offcut, &Question::new(&id, "which disk is full?"), None, &Cancel::new());
//! assert!(answer.text.starts_with(&format!("ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {id}, STRATEGY:search:\n\n")));
//! assert!(answer.text.contains("disk /dev/sda1 is full"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
mod model;
mod question;
mod settings;

mod context;
mod dispatch;
mod error;
mod model_session;

mod chunks;
mod full_chunked;
mod prompts;
mod read_grep;
mod truncate;
mod verbatim;
mod view;
mod wrapper;

mod everywhere;
mod search;

mod aggregate;

use std::time::Instant;

use offcut::event::{Event, Requester};
use offcut::recall::RecallError;
use offcut::{Cancel, Offcut};
use offcut_core::notice;

pub use account::{Account, Fallback, Step};
pub use aggregate::{Aggregation, Aggregator, Measure, Records, SqlError, aggregate, is_sql, page};
pub use model::{Completion, Message, Model, ModelError, Prompt, ToolCall, ToolDefinition, ToolResult, Usage};
pub use question::{BadQuestion, Definition, Mode, Question, TOOL_NAME, definition};
pub use search::{FoundPassage, Passage, search};
pub use settings::Settings;

use context::ExtractContext;
use error::ExtractError;
use model_session::ModelSession;

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// What the model that asked reads.
    pub text: String,
    /// Whether no mode could run. That nothing was found is no failure.
    pub failed: bool,
    /// What it took.
    pub account: Account,
}

/// Answers a question about an artifact, on behalf of a model. There is always an answer: what goes wrong becomes its
/// text.
///
/// `model` is asked where the mode needs one; without it `auto` searches. The handle `all` stands for every artifact of the
/// session, which are searched, whatever the mode. Blocks until the answer is there; `cancel`
/// ends it early.
pub fn extract(offcut: &Offcut, question: &Question, model: Option<&dyn Model>, cancel: &Cancel) -> Extraction {
    extract_for(offcut, Requester::Model, question, model, cancel)
}

/// The same on behalf of `by`, for those who watch.
pub fn extract_for(
    offcut: &Offcut,
    by: Requester,
    question: &Question,
    model: Option<&dyn Model>,
    cancel: &Cancel,
) -> Extraction {
    let started = Instant::now();
    let mut account = Account::new(question.mode);
    let mut tool = "unknown".to_owned();
    let answered = answer(offcut, by, question, model, cancel, &mut account, &mut tool);
    account.duration_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    let handle = offcut.recall().shown(&question.handle);
    let failed = answered.is_err();
    let (text, outcome) = match answered {
        Ok(text) => {
            let outcome = if account.not_found { "nothing" } else { "ok" };
            (notice::extracted(&tool, &handle, account.mode.name(), &text), outcome)
        }
        Err(error) => {
            (notice::extraction_failed(&tool, &handle, account.mode.name(), &error.to_string()), error.code())
        }
    };
    account.outcome = outcome.to_owned();
    offcut.emit(Event::Extraction {
        id: handle,
        session: offcut.session().to_string(),
        tool: if failed && tool == "unknown" { String::new() } else { tool },
        by,
        mode: account.mode.name().to_owned(),
        model: account.model.clone().unwrap_or_default(),
        calls: account.calls,
        input_tokens: account.input_tokens,
        output_tokens: account.output_tokens,
        fallbacks: account.fallbacks.len() as u64,
        outcome: outcome.to_owned(),
        duration_us: account.duration_us,
    });
    Extraction { text, failed, account }
}

fn answer(
    offcut: &Offcut,
    by: Requester,
    question: &Question,
    model: Option<&dyn Model>,
    cancel: &Cancel,
    account: &mut Account,
    tool: &mut String,
) -> Result<String, ExtractError> {
    if question.extract.trim().is_empty() {
        return Err(ExtractError::BadQuestion("`extract` is empty: expected text".to_owned()));
    }
    let settings =
        Settings::of(offcut.policy().options()).map_err(|error| ExtractError::BadQuestion(error.to_string()))?;
    if question.handle == everywhere::ALL {
        account.mode = Mode::Search;
        everywhere::ALL.clone_into(tool);
        let answer = everywhere::run(offcut, &question.extract, &settings, cancel)?;
        account.not_found = answer.nothing;
        return Ok(answer.text);
    }
    let artifact = offcut.recall().by(by).open(&question.handle)?;
    tool.clone_from(&artifact.info().source.tool);
    if artifact.info().binary {
        return Err(RecallError::NotText { media_type: artifact.info().media_type.clone() }.into());
    }
    let session = ModelSession::new(model, &settings, cancel);
    let context =
        ExtractContext { offcut, artifact: artifact.as_ref(), question, settings: &settings, session: &session };
    let answer = dispatch::answer(&context);
    session.conclude(account);
    answer
}
