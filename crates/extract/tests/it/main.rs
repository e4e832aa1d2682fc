//! Asking an artifact a question: what a model that asks reads, whole, and what the model that is asked is told.
// Helpers of tests are tests too.
#![allow(missing_docs, clippy::unwrap_used)]

mod chunked;
mod found;
mod looking;
mod searching;
mod specs;
mod verbatim;

use std::sync::Mutex;

use offcut::options::{ExtractionOptions, Options};
use offcut::{Call, Cancel, Offcut};
use offcut_core::tokens::Tokenizer;
use offcut_extract::{Completion, Message, Model, ModelError, Prompt, Question, ToolCall, Usage, extract};

/// A report whose quotation stands in every document of [`lines`].
const FOUND: &str = "found: \"all is well\"";

type Say = Box<dyn Fn(&Prompt<'_>, usize) -> Result<Completion, ModelError> + Send + Sync>;

/// A model that says what a test wants, and remembers what it was asked.
struct Scripted {
    say: Say,
    asked: Mutex<Vec<Asked>>,
    context: u64,
    tools: bool,
}

/// What a model was asked.
#[derive(Debug, Clone)]
struct Asked {
    system: String,
    messages: Vec<Message>,
    tools: Vec<String>,
}

impl Scripted {
    fn new(say: impl Fn(&Prompt<'_>, usize) -> Result<Completion, ModelError> + Send + Sync + 'static) -> Scripted {
        Scripted { say: Box::new(say), asked: Mutex::default(), context: 20_000, tools: true }
    }

    /// One that answers every question with this report.
    fn reporting(report: &'static str) -> Scripted {
        Scripted::new(move |prompt, _| Ok(report_of(prompt, report)))
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Model for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn context_tokens(&self) -> u64 {
        self.context
    }

    fn output_tokens(&self) -> u64 {
        1000
    }

    fn tokenizer(&self) -> Tokenizer {
        Tokenizer::Estimate
    }

    fn takes_tools(&self) -> bool {
        self.tools
    }

    fn ask(&self, prompt: &Prompt<'_>) -> Result<Completion, ModelError> {
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(Asked {
                system: prompt.system.to_owned(),
                messages: prompt.messages.to_vec(),
                tools: prompt.tools.iter().map(|tool| tool.name.clone()).collect(),
            });
            asked.len()
        };
        (self.say)(prompt, number)
    }
}

/// The nonce that a prompt names.
fn nonce(system: &str) -> &str {
    let (_, rest) = system.split_once("<ai-agent-").unwrap();
    rest.split_once("-FINAL").unwrap().0
}

fn said(text: impl Into<String>) -> Completion {
    Completion { text: text.into(), usage: Usage { input: 100, output: 10 }, ..Completion::default() }
}

fn report_of(prompt: &Prompt<'_>, report: &str) -> Completion {
    let nonce = nonce(prompt.system);
    said(format!("<ai-agent-{nonce}-FINAL format=\"text\">\n{report}\n</ai-agent-{nonce}-FINAL>"))
}

fn calling(name: &str, arguments: serde_json::Value) -> Completion {
    let calls = vec![ToolCall { id: "call_1".to_owned(), name: name.to_owned(), arguments }];
    Completion { calls, usage: Usage { input: 100, output: 10 }, ..Completion::default() }
}

/// An [`Offcut`] in memory, whose questions are answered as `extraction` says.
fn offcut(extraction: ExtractionOptions) -> Offcut {
    let options = Options { extraction, ..Options::default() };
    Offcut::builder().options(options).in_memory().build().unwrap()
}

/// Keeps an output of `bash`, and says its id.
fn kept(offcut: &Offcut, text: &str) -> String {
    let call = Call::new("bash").arguments(r#"{"command":"make all"}"#);
    let reply = offcut.process(call, text).unwrap();
    reply.report.artifact_id.expect("the output is large enough to be kept")
}

fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("line {n} says that all is well\n")).collect()
}

fn ask(offcut: &Offcut, question: &Question, model: &Scripted) -> offcut_extract::Extraction {
    extract(offcut, question, Some(model), &Cancel::new())
}
