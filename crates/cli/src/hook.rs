//! `offcut hook AGENT`: an agent's event on stdin becomes that agent's answer on stdout.
//!
//! After a tool has run, the answer is the reply in place of the tool's output; the command and the user's permission
//! rules are not touched. An event that cannot be read, or that there is nothing to say about, is answered so that the
//! agent goes on as if no hook were there, and the exit code is never one that an agent takes for a refusal.

mod after;
mod agents;
mod before;
mod event;
pub(crate) mod plugin;

use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use crate::failure::{Failure, while_doing};
use agents::{Agent, When};

const EXAMPLES: &str = "\
Examples:
  offcut hook copilot < event.json
  offcut hook opencode --plugin > ~/.config/opencode/plugin/offcut.js

`offcut init AGENT` sets a hook up.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HookArgs {
    /// The agent: claude, copilot, gemini, vibe, opencode, pi, cline
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
    /// Print the plugin that calls this hook, for agents that load one (opencode, pi)
    #[arg(long)]
    pub(crate) plugin: bool,
}

/// Answers one event, or prints a plugin.
pub(crate) fn hook(args: &HookArgs) -> Result<ExitCode, Failure> {
    let Some(agent) = Agent::named(&args.agent) else {
        return Err(Failure::other(format!("no hook is known for the agent `{}`", args.agent))
            .hint(format!("expected one of {}", Agent::names())));
    };
    let program = std::env::current_exe().map_err(while_doing("find the path of this program"))?;
    let text = if args.plugin {
        plugin::text(agent.name, &program).ok_or_else(|| Failure::other(format!("{} loads no plugin", agent.name)))?
    } else {
        let mut event = Vec::new();
        std::io::stdin().lock().read_to_end(&mut event).map_err(while_doing("read the event"))?;
        answer(agent, &event, &program)
    };
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The answer to an event, as the agent reads it.
fn answer(agent: &Agent, event: &[u8], program: &Path) -> String {
    let event = match serde_json::from_slice::<Value>(event) {
        Ok(event) => event,
        Err(error) => {
            // Said where the user finds it; the agent goes on.
            let _ = Failure::other(format!("the event is not JSON: {error}")).tell();
            return agent.nothing.to_owned();
        }
    };
    let answer = match agent.when {
        When::After { output, answer } => output(&event)
            .and_then(|output| after::reply(&event, output, agent.label))
            .map(|reply| answer(&event, reply)),
        When::Before { answer } => answer(&event, program),
    };
    answer.map_or_else(|| agent.nothing.to_owned(), |answer| format!("{answer}\n"))
}
