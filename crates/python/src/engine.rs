//! One library object, as Python holds it.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use offcut::audit_log::AuditLog;
use offcut::core::limit::Limits;
use offcut::core::strategy::Strategy;
use offcut::core::strategy::registry::Registry;
use offcut::event_log::EventLog;
use offcut::options::Options;
use offcut::policy::Policy;
use offcut::{Builder, Call, Offcut, Outcome, Reply, store};
use offcut_retain::Retainer;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::reading::{Source, file};
use crate::strategy::PythonStrategy;
use crate::stream::Intake;

/// A text and its report as JSON.
pub(crate) type Answer = (String, String);

/// Turns outputs into replies and reads back what was kept.
#[pyclass(frozen, module = "offcut._native")]
pub struct Engine {
    pub(crate) offcut: Offcut,
    /// The same with one artifact for equal outputs: a conversation is sent again and again.
    pub(crate) once: Offcut,
    /// The last settings and what treats conversations by them: it remembers what it has shown.
    pub(crate) retainer: std::sync::Mutex<Option<(String, Arc<Retainer>)>>,
}

/// What a caller says about one output, as Python passes it.
#[derive(FromPyObject)]
pub(crate) struct CallFacts {
    #[pyo3(item)]
    tool: String,
    #[pyo3(item)]
    args: String,
    #[pyo3(item)]
    call_id: Option<String>,
    #[pyo3(item)]
    kind: Option<String>,
    #[pyo3(item)]
    limit: Option<String>,
    #[pyo3(item)]
    strategy: Option<String>,
    #[pyo3(item)]
    keep_prefixes: bool,
    #[pyo3(item)]
    exit_code: Option<i64>,
    #[pyo3(item)]
    failed: bool,
}

impl CallFacts {
    pub(crate) fn outcome(&self) -> Outcome {
        match (self.exit_code, self.failed) {
            (Some(status), _) if status != 0 => Outcome::exit(status),
            (_, true) => Outcome::Failed,
            _ => Outcome::Unsaid,
        }
    }

    pub(crate) fn call(self) -> Result<Call, Failure> {
        let kind = self.kind.map(|kind| kind.parse()).transpose();
        let limits = self.limit.map(|limit| limit.parse::<Limits>()).transpose();
        Ok(Call {
            tool: self.tool,
            arguments: self.args,
            call_id: self.call_id,
            kind: kind.map_err(|error| Failure::argument(format!("kind: {error}")))?,
            limits: limits.map_err(|error| Failure::argument(format!("limit: {error}")))?,
            strategy: self.strategy,
            keep_prefixes: self.keep_prefixes,
            token_budget: None,
        })
    }
}

pub(crate) fn answer(reply: Reply) -> Result<Answer, Failure> {
    Ok((reply.text, serde_json::to_string(&reply.report)?))
}

#[pymethods]
impl Engine {
    /// Builds one. `options` is a JSON object with the keys of a configuration file; `store` is a directory, an address,
    /// `memory` or `none`; `strategies` are pairs of a name and a callable.
    #[new]
    fn new(
        py: Python<'_>,
        options: &str,
        store: &str,
        session: &str,
        strategies: Vec<(String, Py<PyAny>)>,
    ) -> PyResult<Engine> {
        let strategies: Vec<Arc<dyn Strategy>> = strategies
            .into_iter()
            .map(|(name, callable)| Arc::new(PythonStrategy { name, callable }) as Arc<dyn Strategy>)
            .collect();
        py.detach(|| {
            let options: Options = serde_json::from_str(options).map_err(|error| bad_options(&error))?;
            let builder = Offcut::builder().options(options.clone()).session(session);
            let builder = strategies.iter().cloned().fold(builder, Builder::strategy);
            let offcut = stored(builder, store, options, &strategies)?.build().map_err(Failure::from)?;
            Ok(Engine { once: offcut.keeping_once(), offcut, retainer: std::sync::Mutex::default() })
        })
    }

    /// Cuts an output that is there already.
    fn cut(&self, py: Python<'_>, output: Source, facts: CallFacts) -> PyResult<Answer> {
        crate::logging::follow(py);
        let (bytes, outcome, call) = (output.bytes(), facts.outcome(), facts.call()?);
        Ok(py.detach(|| -> Result<Answer, Failure> {
            let mut intake = self.offcut.intake(call)?;
            intake.ended(outcome);
            intake.reserve(bytes.len());
            // An output over the maximum size stops being taken in; its reply says so.
            let _ = intake.write_all(bytes);
            answer(intake.finish())
        })?)
    }

    /// Cuts a file, read in blocks.
    fn cut_file(&self, py: Python<'_>, path: PathBuf, facts: CallFacts) -> PyResult<Answer> {
        crate::logging::follow(py);
        let (outcome, call) = (facts.outcome(), facts.call()?);
        Ok(py.detach(|| -> Result<Answer, Failure> {
            let mut intake = self.offcut.intake(call)?;
            intake.ended(outcome);
            file(&path, &mut intake)?;
            answer(intake.finish())
        })?)
    }

    /// Begins an output that comes in chunks.
    fn stream(&self, py: Python<'_>, facts: CallFacts) -> PyResult<Intake> {
        crate::logging::follow(py);
        Ok(Intake::begin(&self.offcut, facts)?)
    }

    /// The name of the session.
    #[getter]
    fn session(&self) -> String {
        self.offcut.session().to_string()
    }

    /// Ends the session where the options say that it is cleared at its end.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.offcut.close().map_err(Failure::from))?;
        Ok(())
    }
}

/// Options that cannot be read. They came as a mapping, so the place in its JSON says nothing.
fn bad_options(error: &serde_json::Error) -> Failure {
    let told = error.to_string();
    let what = told.split(" at line ").next().unwrap_or(&told);
    Failure::new("bad_option", format!("the options cannot be used: {what}"))
}

/// With the store that is asked for. A directory also gets the logs that `offcut stats` and the dashboard read.
fn stored(
    builder: Builder,
    written: &str,
    options: Options,
    strategies: &[Arc<dyn Strategy>],
) -> Result<Builder, Failure> {
    match written {
        "" => {
            Err(Failure::argument("store: expected a directory, an address such as `s3://bucket`, `memory` or `none`"))
        }
        "none" => Ok(builder),
        "memory" => open(builder, "memory://", options, strategies),
        address if address.contains("://") => open(builder, address, options, strategies),
        directory => {
            let directory = std::path::absolute(directory)
                .map_err(|error| Failure::argument(format!("store: `{directory}`: {error}")))?;
            Ok(builder
                .observer(Arc::new(EventLog::in_store(&directory)))
                .observer(Arc::new(AuditLog::in_store(directory.clone())))
                .store(directory))
        }
    }
}

fn open(
    builder: Builder,
    address: &str,
    options: Options,
    strategies: &[Arc<dyn Strategy>],
) -> Result<Builder, Failure> {
    let mut registry = Registry::default();
    strategies.iter().for_each(|strategy| registry.add(strategy.clone()));
    let options = Policy::new(options, registry)?.store_options()?;
    Ok(builder.store_in(store::open(address, options)?))
}
