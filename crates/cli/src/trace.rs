//! `offcut trace ID`: the whole text of a tool result that has left a conversation.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::Args;
use offcut::recall::Selector;
use offcut_retain::trace::{TraceError, trace_artifact};

use crate::failure::{Failure, OTHER, USAGE};
use crate::filter::CHUNK;
use crate::flags::PlaceFlags;
use crate::setup::Setup;

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// The trace's id, from the line `[TRUNCATED — …]`
    pub(crate) id: Option<String>,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

/// Prints a trace; what is wrong with its id is told as JSON, as the tool `get_task_trace` tells it.
pub(crate) fn trace(args: &TraceArgs) -> Result<ExitCode, Failure> {
    let setup = Setup::new(&args.place, None)?;
    let found = trace_artifact(&setup.offcut, args.id.as_deref().unwrap_or_default());
    let mut out = BufWriter::with_capacity(CHUNK, io::stdout().lock());
    let code = match found {
        Ok(id) => {
            setup.offcut.recall().write(id.as_str(), &Selector::Whole, &mut out)?;
            ExitCode::SUCCESS
        }
        Err(error) => {
            writeln!(out, "{}", error.json())?;
            ExitCode::from(if matches!(error, TraceError::InvalidInput { .. }) { USAGE } else { OTHER })
        }
    };
    out.flush()?;
    Ok(code)
}
