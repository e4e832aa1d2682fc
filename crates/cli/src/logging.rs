//! Structured logs on stderr, for those who ask: `OFFCUT_LOG=info`, `OFFCUT_LOG_FORMAT=json`.

use tracing_subscriber::EnvFilter;

use crate::config::problem::{Problem, Problems};

/// What never says more than this, whatever is asked for.
const QUIET: [&str; 1] = ["rmcp=warn"];

/// Starts logging, where the environment asks for it. A filter that cannot be read is a warning: no log is worth an
/// output.
pub(crate) fn start() {
    let Some(wanted) = std::env::var("OFFCUT_LOG").ok().filter(|wanted| !wanted.is_empty()) else { return };
    let filter = match EnvFilter::builder().parse(&wanted) {
        Ok(filter) => filter,
        Err(error) => {
            let mut problems = Problems::default();
            let hint = "use `error`, `warn`, `info`, `debug`, or `offcut=debug,offcut_store=info`".to_owned();
            problems.add(Problem::warning(format!("$OFFCUT_LOG: not a log filter: {error}")).hint(hint));
            return problems.print_warnings();
        }
    };
    // At finer levels the MCP library logs whole messages, and no log of ours may hold content.
    let filter = QUIET.iter().filter_map(|quiet| quiet.parse().ok()).fold(filter, EnvFilter::add_directive);
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false);
    match std::env::var("OFFCUT_LOG_FORMAT").as_deref() {
        Ok("json") => builder.json().flatten_event(true).init(),
        _ => builder.init(),
    }
}
