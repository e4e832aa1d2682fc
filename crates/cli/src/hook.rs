//! `offcut hook AGENT`: an agent's event on stdin becomes that agent's answer on stdout.
//!
//! An event that cannot be read, or that there is nothing to say about, is answered so that the agent goes on as if no
//! hook were there; the exit code is never one that an agent takes for a refusal.

use std::io::{Read, Write};
use std::process::ExitCode;

use clap::Args;

use crate::failure::{Failure, while_doing};

#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// The agent: copilot, opencode, vibe, pi, gemini, cline, claude, codex
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
    /// Print the plugin that calls this hook, for agents that load one (opencode, pi)
    #[arg(long)]
    pub(crate) plugin: bool,
}

/// Answers one event.
pub(crate) fn hook(_args: &HookArgs) -> Result<ExitCode, Failure> {
    let mut event = Vec::new();
    std::io::stdin().lock().read_to_end(&mut event).map_err(while_doing("read the event"))?;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(b"{}\n")?;
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}
