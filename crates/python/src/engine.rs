//! One library object, as Python holds it.

use std::path::PathBuf;
use std::sync::Arc;

use offcut_binding::{Answer, CallbackStrategy, Strategy};
use pyo3::prelude::*;

use crate::error::{detached, raised};
use crate::reading::Source;
use crate::strategy::Callable;
use crate::stream::Intake;

/// Turns outputs into replies and reads back what was kept.
#[pyclass(frozen, module = "offcut._native")]
pub struct Engine {
    pub(crate) engine: offcut_binding::Engine,
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

impl From<CallFacts> for offcut_binding::CallFacts {
    fn from(facts: CallFacts) -> offcut_binding::CallFacts {
        let CallFacts { tool, args, call_id, kind, limit, strategy, keep_prefixes, exit_code, failed } = facts;
        offcut_binding::CallFacts { tool, args, call_id, kind, limit, strategy, keep_prefixes, exit_code, failed }
    }
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
            .map(|(name, callable)| {
                let callback = Callable { name: name.clone(), callable };
                Arc::new(CallbackStrategy { name, callback }) as Arc<dyn Strategy>
            })
            .collect();
        let engine = py.detach(|| offcut_binding::Engine::new(options, store, session, strategies)).map_err(raised)?;
        Ok(Engine { engine })
    }

    /// Cuts an output that is there already.
    fn cut(&self, py: Python<'_>, output: Source, facts: CallFacts) -> PyResult<Answer> {
        let bytes = output.bytes();
        detached(py, || self.engine.cut(bytes, facts.into()))
    }

    /// Cuts a file, read in blocks.
    fn cut_file(&self, py: Python<'_>, path: PathBuf, facts: CallFacts) -> PyResult<Answer> {
        detached(py, || self.engine.cut_file(&path, facts.into()))
    }

    /// Begins an output that comes in chunks.
    fn stream(&self, py: Python<'_>, facts: CallFacts) -> PyResult<Intake> {
        Ok(Intake { intake: detached(py, || self.engine.stream(facts.into()))? })
    }

    /// The name of the session.
    #[getter]
    fn session(&self) -> String {
        self.engine.session()
    }

    /// Ends the session where the options say that it is cleared at its end.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        detached(py, || self.engine.close())
    }
}
