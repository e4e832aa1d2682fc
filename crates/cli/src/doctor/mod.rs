//! `offcut doctor`: what is set up here, whether it works, and what to do about each thing that does not.

mod agents;
mod machine;
mod process;
mod replies;
mod tools;

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use crate::failure::Failure;
use crate::flags::PlaceFlags;
use crate::init::surroundings::Surroundings;
use crate::setup::Setup;
use crate::version;

const EXAMPLES: &str = "\
Examples:
  offcut doctor           check this program, the store, the configuration and every agent found
  offcut doctor --json    the same for a script

Each agent that is set up is tried: the tools by a call over MCP, the shell by a
command (or an event of the agent) with 40,000 lines. That happens in a temporary
directory; nothing of this project is changed.

Exit codes: 0 everything that is set up works; 1 something does not.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceFlags,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Check {
    /// What was looked at: `store`, `Claude Code: shell`.
    what: String,
    state: Health,
    /// What was found.
    found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// How well something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    /// It works.
    Ok,
    /// Worth knowing; nothing is broken.
    Note,
    /// It does not work.
    Broken,
}

impl Check {
    fn ok(what: impl Into<String>, found: impl Into<String>) -> Check {
        Check { what: what.into(), state: Health::Ok, found: found.into(), advice: None }
    }

    fn note(what: impl Into<String>, found: impl Into<String>) -> Check {
        Check { state: Health::Note, ..Check::ok(what, found) }
    }

    fn broken(what: impl Into<String>, found: impl Into<String>) -> Check {
        Check { state: Health::Broken, ..Check::ok(what, found) }
    }

    fn advice(mut self, advice: impl Into<String>) -> Check {
        self.advice = Some(advice.into());
        self
    }
}

/// Everything that was found.
#[derive(Debug, Serialize)]
struct Checkup {
    version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<&'static str>,
    findings: Vec<Check>,
    /// The last replies of this project.
    replies: Vec<replies::LastReply>,
}

/// Looks at everything, and prints it.
pub(crate) fn doctor(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let surroundings = Surroundings::new()?;
    let setup = Setup::examined(&args.place)?;
    let mut findings = machine::findings(&setup, &surroundings);
    findings.push(tools::finding(&surroundings));
    findings.extend(agents::findings(&surroundings));
    let replies = replies::last(&setup.place);
    let checkup = Checkup { version: version::NUMBER, commit: version::commit(), findings, replies };
    let mut out = BufWriter::new(anstream::stdout().lock());
    if args.json {
        serde_json::to_writer_pretty(&mut out, &checkup)?;
        writeln!(out)?;
    } else {
        write(&checkup, &mut out)?;
    }
    out.flush()?;
    let is_well = checkup.findings.iter().all(|finding| finding.state != Health::Broken);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn write(checkup: &Checkup, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "offcut {}", version::LINE)?;
    writeln!(out)?;
    let width = checkup.findings.iter().map(|finding| finding.what.chars().count()).max().unwrap_or(0);
    for Check { what, state, found, advice } in &checkup.findings {
        let (sign, color) = match state {
            Health::Ok => ("ok    ", anstyle::AnsiColor::Green),
            Health::Note => ("note  ", anstyle::AnsiColor::Yellow),
            Health::Broken => ("broken", anstyle::AnsiColor::Red),
        };
        let style = color.on_default();
        writeln!(out, "{style}{sign}{style:#}  {what:<width$}  {found}")?;
        if let Some(advice) = advice {
            writeln!(out, "{:8}{:width$}  hint: {advice}", "", "")?;
        }
    }
    writeln!(out)?;
    if checkup.replies.is_empty() {
        writeln!(out, "No reply was made in this project yet.")?;
    } else {
        writeln!(out, "Last replies in this project:")?;
    }
    for reply in &checkup.replies {
        writeln!(out, "  {reply}")?;
    }
    Ok(())
}
