//! JavaScript functions that the library calls: strategies and models.
//!
//! They run on Node's main thread, whatever thread asks, and may take their time: each gets an object with what is
//! asked, and gives its answer to that. One that never does, and whose object is collected, has no answer.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, ThreadId};

use napi::bindgen_prelude::{Function, JsValuesTupleIntoVec};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Error, Status};
use napi_derive::napi;
use offcut_binding::{CallbackModel, CallbackStrategy, ChooseLines, DocumentReader, Strategy, WantedLines};

use crate::engine::thrown;

/// A function of JavaScript for any thread; it does not keep Node from ending.
type AnyThread<T> = ThreadsafeFunction<T, (), T, Status, false, true>;

/// Asks a model.
pub(crate) type AskFunction = Arc<AnyThread<Question>>;

/// Chooses lines.
pub(crate) type ChooseFunction = AnyThread<Choice>;

/// `function` for any thread.
pub(crate) fn to_ask(function: &Function<'_, Question, ()>) -> napi::Result<AskFunction> {
    Ok(Arc::new(function.build_threadsafe_function::<Question>().weak::<true>().build()?))
}

/// `function` for any thread.
pub(crate) fn to_choose(function: &Function<'_, Choice, ()>) -> napi::Result<ChooseFunction> {
    function.build_threadsafe_function::<Choice>().weak::<true>().build()
}

/// Where an answer goes.
struct Answering<T>(SyncSender<Result<T, String>>);

impl<T> Answering<T> {
    fn give(&self, answer: Result<T, String>) {
        // Nobody waits for a second answer.
        let _ = self.0.try_send(answer);
    }
}

/// Calls `function` with what `asking` makes, and waits for the answer.
fn asked<Q, T>(function: &AnyThread<Q>, asking: impl FnOnce(Answering<T>) -> Q) -> Result<T, String>
where
    Q: JsValuesTupleIntoVec + 'static,
{
    let (sender, answer) = sync_channel(1);
    match function.call(asking(Answering(sender)), ThreadsafeFunctionCallMode::NonBlocking) {
        Status::Ok => answer.recv().unwrap_or_else(|_| Err("it gave no answer".to_owned())),
        status => Err(format!("it could not be called: {status}")),
    }
}

/// A question to a model.
#[napi]
pub struct Question {
    /// The system's words.
    #[napi(readonly)]
    pub system: String,
    /// The user's words.
    #[napi(readonly)]
    pub user: String,
    /// Tokens that the answer may have.
    #[napi(readonly)]
    pub max_tokens: i64,
    answering: Answering<String>,
}

#[napi]
impl Question {
    /// Gives the answer.
    #[napi]
    pub fn answer(&self, text: String) {
        self.answering.give(Ok(text));
    }

    /// Says why there is none.
    #[napi]
    pub fn fail(&self, why: String) {
        self.answering.give(Err(why));
    }
}

/// A model that JavaScript asks.
pub(crate) struct NodeModel;

impl NodeModel {
    pub(crate) fn asking(ask: AskFunction, context_tokens: u64, output_tokens: u64) -> Box<dyn offcut_binding::Model> {
        let ask = move |system: &str, user: String, most: u64| {
            let max_tokens = i64::try_from(most).unwrap_or(i64::MAX);
            asked(&ask, |answering| Question { system: system.to_owned(), user, max_tokens, answering })
        };
        Box::new(CallbackModel { name: "node", ask, context_tokens, output_tokens })
    }
}

/// A document, while it is being cut, and the choice of its lines.
#[napi]
pub struct Choice {
    document: DocumentReader,
    room: u64,
    answering: Answering<Option<Vec<WantedLines>>>,
}

#[napi]
impl Choice {
    /// How many lines it has.
    #[napi(getter)]
    pub fn lines(&self) -> i64 {
        i64::try_from(self.document.lines).unwrap_or(i64::MAX)
    }

    /// How many characters it has.
    #[napi(getter)]
    pub fn chars(&self) -> i64 {
        i64::try_from(self.document.chars).unwrap_or(i64::MAX)
    }

    /// What it looks like.
    #[napi(getter)]
    pub fn kind(&self) -> String {
        self.document.kind.clone()
    }

    /// The room for it, in characters.
    #[napi(getter)]
    pub fn room(&self) -> i64 {
        i64::try_from(self.room).unwrap_or(i64::MAX)
    }

    /// The text of lines `first` to `last`, counted from 1, the last one included.
    #[napi]
    pub fn read(&self, first: u32, last: u32) -> Result<String, Error<String>> {
        self.document.read(first.into(), last.into()).map_err(thrown)
    }

    /// Chooses: a JSON array of first and last lines with a reason each, or `null` where the strategy does not apply.
    #[napi]
    pub fn choose(&self, lines: String) {
        self.answering.give(serde_json::from_str(&lines).map_err(|error| error.to_string()));
    }

    /// Says why nothing was chosen.
    #[napi]
    pub fn fail(&self, why: String) {
        self.answering.give(Err(why));
    }
}

/// A strategy whose lines JavaScript chooses.
pub(crate) struct NodeStrategy {
    choose: ChooseFunction,
    /// The thread that runs JavaScript: while it cuts, it cannot choose.
    main: ThreadId,
}

impl NodeStrategy {
    pub(crate) fn named(name: String, choose: ChooseFunction) -> Arc<dyn Strategy> {
        Arc::new(CallbackStrategy { name, callback: NodeStrategy { choose, main: thread::current().id() } })
    }
}

impl ChooseLines for NodeStrategy {
    fn ready(&self) -> Result<(), String> {
        if thread::current().id() == self.main {
            return Err("your own strategies run in `cut`, not in `cutSync`".to_owned());
        }
        Ok(())
    }

    fn choose(&self, document: DocumentReader, room: u64) -> Result<Option<Vec<WantedLines>>, String> {
        asked(&self.choose, |answering| Choice { document, room, answering })
    }
}
