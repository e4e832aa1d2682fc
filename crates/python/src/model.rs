//! Questions to an artifact, with a Python callable for a model.

use offcut::Cancel;
use offcut::event::Requester;
use offcut_extract::{Completion, Message, Mode, Model, ModelError, Prompt, Question, Usage, extract_for};
use pyo3::prelude::*;
use serde_json::json;

use crate::engine::{Answer, Engine};
use crate::error::Failure;

/// A model that a Python callable asks: `(system, user, max_tokens) -> str`.
struct PythonModel {
    callable: Py<PyAny>,
    context_tokens: u64,
    output_tokens: u64,
}

impl Model for PythonModel {
    fn name(&self) -> &str {
        "python"
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
        let answered = Python::attach(|py| -> PyResult<String> {
            self.callable.bind(py).call1((prompt.system, said.join("\n\n"), prompt.max_output_tokens))?.extract()
        });
        match answered {
            Ok(text) => Ok(Completion { text, calls: Vec::new(), cut_off: false, usage: Usage::default() }),
            Err(error) => Err(ModelError::Unreachable(error.to_string())),
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

/// Asks an artifact a question; returns the answer and, as JSON, whether it failed and what it took.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "Python passes them by name")]
pub(crate) fn extract(
    py: Python<'_>,
    engine: &Engine,
    handle: String,
    what: String,
    mode: &str,
    model: Option<Py<PyAny>>,
    context_tokens: u64,
    output_tokens: u64,
) -> PyResult<Answer> {
    crate::logging::follow(py);
    let mode: Mode = mode.parse().map_err(|_| {
        let known = Mode::ALL.map(Mode::name).join(", ");
        Failure::argument(format!("mode: `{mode}`: expected one of {known}"))
    })?;
    let model = model.map(|callable| PythonModel { callable, context_tokens, output_tokens });
    Ok(py.detach(|| -> Result<Answer, Failure> {
        // `last` is a word of ours, and not one that an answer should name.
        let handle = match handle.as_str() {
            "last" => {
                let recall = engine.offcut.recall();
                recall.handle(&recall.open("last")?.info().id)
            }
            _ => handle,
        };
        let question = Question { handle, extract: what, mode };
        let model = model.as_ref().map(|model| model as &dyn Model);
        let answer = extract_for(&engine.offcut, Requester::User, &question, model, &Cancel::new());
        let account = json!({"failed": answer.failed, "account": answer.account});
        Ok((answer.text, account.to_string()))
    })?)
}
