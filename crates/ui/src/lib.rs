//! Offcut's dashboard: what came in, what the model saw, and what that saved; and the metrics for Prometheus.
//!
//! [`router`] serves pages that are made on the server, one style sheet and one small script, all of them part of the
//! binary. What it shows comes from the [`History`](offcut_history::History) and from the store; it changes neither,
//! save that a person's look at an artifact is logged like any other retrieval. Outputs are hostile: every text is
//! escaped where it is put into a page, and no page may run or load anything but that one script.
//!
//! Who may ask is not decided here: put the router behind an access policy.

mod dashboard;
mod routes;

mod overview;

mod artifacts;
mod call;
mod calls;
mod conversations;
mod playground;
mod problems;
mod retrievals;
mod savings;
mod search;

mod chart;
mod error;
mod format;
mod lines;
mod metrics;
mod page;
mod query;

pub use dashboard::{Dashboard, DashboardOptions};
pub use routes::{health, router};
