//! One library object, as Node holds it.

use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, Function};
use napi::{Env, Error, Task};
use napi_derive::napi;
use offcut_binding::{Answer, Failure};

use crate::callback::{Choice, NodeStrategy, Question, to_ask, to_choose};
use crate::operation::{Operation, Source};
use crate::stream::Intake;

/// Turns outputs into replies and reads back what was kept.
#[napi]
pub struct Engine {
    engine: Arc<offcut_binding::Engine>,
}

/// A strategy that is JavaScript's.
#[napi(object, object_to_js = false)]
pub struct NamedStrategy<'a> {
    /// The name that options and calls use.
    pub name: String,
    /// Gets a choice to make, and makes it at any time.
    pub choose: Function<'a, Choice, ()>,
}

/// What came of an operation: a text and the facts about it, or a code and why it could not be done.
#[napi(object, object_from_js = false)]
pub struct Told {
    /// The code of a failure; its sentence is the text.
    pub code: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// The facts about it, as JSON.
    pub facts: Option<String>,
}

impl From<Result<Answer, Failure>> for Told {
    fn from(result: Result<Answer, Failure>) -> Told {
        match result {
            Ok((text, facts)) => Told { code: None, text: Some(text), facts: Some(facts) },
            Err(failure) => Told { code: Some(failure.code), text: Some(failure.message), facts: None },
        }
    }
}

/// A failure as an exception with its code.
pub(crate) fn thrown(failure: Failure) -> Error<String> {
    Error::new(failure.code, failure.message)
}

/// Work for Node's thread pool.
pub struct Work(Option<Box<dyn FnOnce() -> Told + Send>>);

impl Work {
    pub(crate) fn start(work: impl FnOnce() -> Told + Send + 'static) -> AsyncTask<Work> {
        AsyncTask::new(Work(Some(Box::new(work))))
    }
}

impl Task for Work {
    type Output = Told;
    type JsValue = Told;

    fn compute(&mut self) -> napi::Result<Told> {
        // It is done once, and a panic in it is an error of the call.
        let work = self.0.take().ok_or_else(|| Error::from_reason("the work was done already"))?;
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
            .map_err(|_| Error::from_reason("the library stopped in the middle of its work"))
    }

    fn resolve(&mut self, _: Env, told: Told) -> napi::Result<Told> {
        Ok(told)
    }
}

#[napi]
impl Engine {
    /// Builds one. `options` is a JSON object with the keys of a configuration file; `store` is a directory, an address,
    /// `memory` or `none`.
    #[napi(constructor)]
    pub fn new(
        options: String,
        store: String,
        session: String,
        strategies: Vec<NamedStrategy<'_>>,
    ) -> Result<Engine, Error<String>> {
        let mut named = Vec::new();
        for NamedStrategy { name, choose } in strategies {
            let choose =
                to_choose(&choose).map_err(|error| Error::new("bad_argument".to_owned(), error.reason.clone()))?;
            named.push(NodeStrategy::named(name, choose));
        }
        let engine = offcut_binding::Engine::new(&options, &store, &session, named).map_err(thrown)?;
        Ok(Engine { engine: Arc::new(engine) })
    }

    /// The name of the session.
    #[napi(getter)]
    pub fn session(&self) -> String {
        self.engine.session()
    }

    /// Does an operation, given as JSON, on the thread that calls.
    #[napi]
    pub fn run(&self, operation: String, source: Option<Source>) -> Told {
        match Operation::parse(&operation) {
            Ok(operation) => operation.perform(&self.engine, source.as_ref(), None),
            Err(failure) => Err(failure).into(),
        }
    }

    /// Does an operation in the thread pool. `model` gets the questions of an extraction.
    #[napi(ts_return_type = "Promise<Told>")]
    pub fn start(
        &self,
        operation: String,
        source: Option<Source>,
        model: Option<Function<'_, Question, ()>>,
    ) -> napi::Result<AsyncTask<Work>> {
        let (engine, model) = (self.engine.clone(), model.as_ref().map(to_ask).transpose()?);
        Ok(Work::start(move || match Operation::parse(&operation) {
            Ok(operation) => operation.perform(&engine, source.as_ref(), model),
            Err(failure) => Err(failure).into(),
        }))
    }

    /// Begins an output that comes in chunks; `facts` is a JSON object.
    #[napi]
    pub fn stream(&self, facts: String) -> Result<Intake, Error<String>> {
        let facts = serde_json::from_str(&facts).map_err(|error| thrown(error.into()))?;
        self.engine.stream(facts).map(Intake::of).map_err(thrown)
    }
}
