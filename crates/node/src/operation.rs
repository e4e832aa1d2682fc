//! What JavaScript can ask for, as JSON.

use std::path::PathBuf;

use napi::bindgen_prelude::{Buffer, Either};
use offcut_binding::{CallFacts, Engine, Failure, RetainSettings};
use serde::Deserialize;

use crate::callback::{AskFunction, NodeModel};
use crate::engine::Told;

/// A text or bytes as Node holds them; bytes are read in place.
pub(crate) type Source = Either<Buffer, String>;

/// The bytes of a text or buffer.
pub(crate) fn bytes(source: &Source) -> &[u8] {
    match source {
        Either::A(buffer) => buffer.as_ref(),
        Either::B(text) => text.as_bytes(),
    }
}

/// One operation of an engine. Large texts come beside it.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Operation {
    Cut { facts: CallFacts },
    CutFile { path: PathBuf, facts: CallFacts },
    Read { handle: String, at: Option<String>, tail: Option<u64> },
    Grep { handle: String, pattern: String, context: u64, max_matches: Option<u64>, lines: Option<String> },
    Query { handle: String, path: String, offset: u64 },
    Page,
    Trace { trace_id: String },
    Artifacts,
    Search { words: String, limit: usize },
    Extract { handle: String, what: String, mode: String, context_tokens: u64, output_tokens: u64 },
    Retain { format: Option<String>, turn: Option<u64>, settings: RetainSettings },
    Close,
}

impl Operation {
    pub(crate) fn parse(operation: &str) -> Result<Operation, Failure> {
        Ok(serde_json::from_str(operation)?)
    }

    /// Does it. `source` is the output to cut, a request for a page, or a conversation.
    pub(crate) fn perform(self, engine: &Engine, source: Option<&Source>, ask: Option<AskFunction>) -> Told {
        let given = source.map(bytes).unwrap_or_default();
        let text = || str::from_utf8(given).map_err(|_| Failure::argument("the text is not UTF-8"));
        let alone = |text: String| (text, String::new());
        let answer = match self {
            Operation::Cut { facts } => engine.cut(given, facts),
            Operation::CutFile { path, facts } => engine.cut_file(&path, facts),
            Operation::Read { handle, at, tail } => engine.read(&handle, at.as_deref(), tail).map(alone),
            Operation::Grep { handle, pattern, context, max_matches, lines } => {
                engine.grep(&handle, pattern, context, max_matches, lines.as_deref()).map(alone)
            }
            Operation::Query { handle, path, offset } => engine.query(&handle, path, offset).map(alone),
            Operation::Page => text().and_then(|arguments| engine.page(arguments)).map(alone),
            Operation::Trace { trace_id } => engine.trace(&trace_id).map(alone),
            Operation::Artifacts => engine.artifacts().map(alone),
            Operation::Search { words, limit } => engine.search(&words, limit).map(alone),
            Operation::Extract { handle, what, mode, context_tokens, output_tokens } => {
                let model = ask.map(|ask| NodeModel::asking(ask, context_tokens, output_tokens));
                engine.extract(handle, what, &mode, model.as_deref())
            }
            Operation::Retain { format, turn, settings } => {
                return match text().and_then(|body| engine.retain(body, format.as_deref(), turn, &settings)) {
                    Ok((body, report)) => Told { code: None, text: body, facts: Some(report) },
                    Err(failure) => Err(failure).into(),
                };
            }
            Operation::Close => engine.close().map(|()| alone(String::new())),
        };
        answer.into()
    }
}
