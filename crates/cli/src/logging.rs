//! Structured logs on stderr, for those who ask: `OFFCUT_LOG=info`, `OFFCUT_LOG_FORMAT=json`.

use tracing_subscriber::EnvFilter;

use crate::failure::Failure;

/// What never says more than this, whatever is asked for.
const QUIET: [&str; 1] = ["rmcp=warn"];

/// Starts logging, where the environment asks for it.
pub(crate) fn start() -> Result<(), Failure> {
    let Some(wanted) = std::env::var("OFFCUT_LOG").ok().filter(|wanted| !wanted.is_empty()) else { return Ok(()) };
    let filter = EnvFilter::builder().parse(&wanted).map_err(|error| {
        Failure::usage(format!("$OFFCUT_LOG: `{wanted}` is not a filter: {error}"))
            .hint("use `error`, `warn`, `info`, `debug`, or `offcut=debug,offcut_store=info`")
    })?;
    // At finer levels the MCP library logs whole messages, and no log of ours may hold content.
    let filter = QUIET.iter().filter_map(|quiet| quiet.parse().ok()).fold(filter, EnvFilter::add_directive);
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false);
    match std::env::var("OFFCUT_LOG_FORMAT").as_deref() {
        Ok("json") => builder.json().flatten_event(true).init(),
        _ => builder.init(),
    }
    Ok(())
}
