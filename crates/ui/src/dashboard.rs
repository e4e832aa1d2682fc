//! The dashboard's state: the library, the history, and how a playground is set up.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use offcut::Offcut;
use offcut::options::Options;
use offcut_history::{Bounds, History, HistoryError};
use parking_lot::Mutex;

use crate::error::PageError;

/// How old what is shown may be: requests that come sooner after each other do not look for new events.
const FRESH: Duration = Duration::from_millis(200);

/// What the dashboard shows.
#[derive(Debug)]
pub struct DashboardOptions {
    /// The library, with the store whose artifacts are shown.
    pub offcut: Offcut,
    /// The directory of the event log; none where nothing is logged.
    pub log_directory: Option<PathBuf>,
    /// How much of the history is kept.
    pub bounds: Bounds,
    /// The project, for people.
    pub project: String,
    /// What a command needs to find the same artifacts: ` --session x`.
    pub suffix: String,
}

/// The dashboard's state; cheap to share.
#[derive(Debug, Clone)]
pub struct Dashboard {
    inner: Arc<DashboardState>,
}

#[derive(Debug)]
struct DashboardState {
    options: DashboardOptions,
    history: Mutex<(History, Option<Instant>)>,
}

impl Dashboard {
    /// A dashboard over the history and the store.
    pub fn new(options: DashboardOptions) -> Result<Dashboard, HistoryError> {
        let history = match &options.log_directory {
            Some(directory) => History::open(directory)?.bounded(options.bounds),
            None => History::empty()?,
        };
        Ok(Dashboard { inner: Arc::new(DashboardState { options, history: Mutex::new((history, None)) }) })
    }

    /// The library.
    pub(crate) fn offcut(&self) -> &Offcut {
        &self.inner.options.offcut
    }

    /// The options that outputs are cut by.
    pub(crate) fn cut_options(&self) -> &Options {
        self.offcut().policy().options()
    }

    /// The project, for people.
    pub(crate) fn project(&self) -> &str {
        &self.inner.options.project
    }

    /// What a command needs to find the same artifacts.
    pub(crate) fn suffix(&self) -> &str {
        &self.inner.options.suffix
    }

    /// Asks the history, after it has taken in what is new. Where that is not possible it tells what it knows.
    pub(crate) fn history<T>(&self, ask: impl FnOnce(&History) -> Result<T, HistoryError>) -> Result<T, HistoryError> {
        let mut locked = self.inner.history.lock();
        let (history, refreshed) = &mut *locked;
        if refreshed.is_none_or(|at| at.elapsed() > FRESH) {
            if let Err(error) = history.refresh() {
                tracing::warn!(%error, "the history could not be refreshed");
            }
            *refreshed = Some(Instant::now());
        }
        ask(history)
    }

    /// Makes a page where blocking is allowed.
    pub(crate) async fn make<T: Send + 'static>(
        &self,
        make: impl FnOnce(&Dashboard) -> Result<T, PageError> + Send + 'static,
    ) -> Result<T, PageError> {
        let dashboard = self.clone();
        tokio::task::spawn_blocking(move || make(&dashboard)).await.unwrap_or(Err(PageError::Broken))
    }
}
