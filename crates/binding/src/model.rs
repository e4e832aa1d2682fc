//! Questions to an artifact, with a callback for a model.

use offcut::Cancel;
use offcut::event::Requester;
use offcut_extract::{Completion, Message, Mode, Model, ModelError, Prompt, Question, Usage, extract_for};
use serde_json::json;

use crate::call::Answer;
use crate::engine::Engine;
use crate::failure::Failure;

/// A model that a callback asks: the system's words, the user's words and the most tokens in, its answer out.
pub struct CallbackModel<F> {
    /// Its name in accounts.
    pub name: &'static str,
    /// Asks it. May be called by several threads at once.
    pub ask: F,
    /// Tokens that a prompt and its answer may have together.
    pub context_tokens: u64,
    /// Tokens that an answer may have.
    pub output_tokens: u64,
}

impl<F> Model for CallbackModel<F>
where
    F: Fn(&str, String, u64) -> Result<String, String> + Send + Sync,
{
    fn name(&self) -> &str {
        self.name
    }

    fn context_tokens(&self) -> u64 {
        self.context_tokens
    }

    fn output_tokens(&self) -> u64 {
        self.output_tokens
    }

    fn takes_tools(&self) -> bool {
        false
    }

    fn ask(&self, prompt: &Prompt<'_>) -> Result<Completion, ModelError> {
        let said: Vec<&str> = prompt.messages.iter().map(words).collect();
        match (self.ask)(prompt.system, said.join("\n\n"), prompt.max_output_tokens) {
            Ok(text) => Ok(Completion { text, calls: Vec::new(), cut_off: false, usage: Usage::default() }),
            Err(why) => Err(ModelError::Unreachable(why)),
        }
    }
}

/// The words of a message; a model without tools has no others.
fn words(message: &Message) -> &str {
    match message {
        Message::User(text) | Message::Assistant { text, .. } => text,
        Message::Results(_) => "",
    }
}

impl Engine {
    /// Asks an artifact a question; returns the answer and, as JSON, whether it failed and what it took.
    pub fn extract(
        &self,
        handle: String,
        what: String,
        mode: &str,
        model: Option<&dyn Model>,
    ) -> Result<Answer, Failure> {
        let mode: Mode = mode.parse().map_err(|_| {
            let known = Mode::ALL.map(Mode::name).join(", ");
            Failure::argument(format!("mode: `{mode}`: expected one of {known}"))
        })?;
        // `last` is a word of ours, and not one that an answer should name.
        let handle = match handle.as_str() {
            "last" => {
                let recall = self.offcut.recall();
                recall.handle(&recall.open("last")?.info().id)
            }
            _ => handle,
        };
        let question = Question { handle, extract: what, mode };
        let answer = extract_for(&self.offcut, Requester::User, &question, model, &Cancel::new());
        let account = json!({"failed": answer.failed, "account": answer.account});
        Ok((answer.text, account.to_string()))
    }
}
