//! What happened, in a database: calls, retrievals and savings, counted from Offcut's events.
//!
//! Whoever makes a reply only appends a line to the event log ([`offcut::event_log::EventLog`]). Whoever reads
//! (`stats`, the dashboard, `/metrics`) opens a [`History`] beside it, which takes in the lines that are new, each
//! exactly once however many readers there are, and answers from tables. It holds no content, as events have none.
//!
//! ```
//! use std::sync::Arc;
//! use offcut::{Call, Offcut, event_log::EventLog};
//! use offcut_history::{History, Period};
//!
//! # let directory = tempfile::tempdir()?;
//! # let store = directory.path().join("store");
//! let offcut = Offcut::builder().store(&store).observer(Arc::new(EventLog::in_store(&store))).build()?;
//! offcut.process(Call::new("bash"), "all is well\n".repeat(5000))?;
//!
//! let mut history = History::open(&store)?;
//! history.refresh()?;
//! assert_eq!(history.statistics(Period::default(), None)?.total.truncated, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod history;
mod schema;

mod import;
mod sums;
mod sweep;

mod calls;
mod savings;
mod statistics;
mod tallies;

mod histogram;

pub use calls::{CallFilter, CallOrder, CallRow, EventRow};
pub use histogram::Histogram;
pub use history::{Bounds, FILE, History, HistoryError};
pub use savings::{Balance, RequestBalance, Savings, TOKEN_BYTES};
pub use statistics::{Counts, Day, Extractions, GroupBy, Period, Retrievals, Statistics};
pub use sums::{Group, Sums};
pub use tallies::{LabelledCount, TallyName};
