//! `offcut init`: sets a coding agent up, in its own configuration files, and takes that back.

pub(crate) mod agents;
mod edit;
mod entries;
mod files;
mod instructions;
mod listing;
pub(crate) mod plan;
#[cfg(test)]
mod reference;
mod servers;
pub(crate) mod surroundings;

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;
use agents::{Agent, Scope};
use plan::{FilePlan, PathState};
use surroundings::Surroundings;

const EXAMPLES: &str = "\
Examples:
  offcut init                         list the agents on this machine and what is set up
  offcut init claude                  set Claude Code up, for all projects
  offcut init codex gemini --project  only for this project
  offcut init claude --print          show what would be written, as a diff
  offcut init claude --wrap-servers   also cut the results of its other MCP servers
  offcut init claude --check          say what is set up; exit code 1 if something is missing
  offcut init claude --undo           take everything out again

Three things are written: Offcut's tools over MCP, the way from the agent's own
shell to Offcut, and three marked lines of instructions for the model. Comments
and the order of a file stay. Each file that is changed gets a copy beside it,
`FILE.offcut-backup`; `--undo` leaves every file as it was, or without our
entries if you changed it since. A file that cannot be read is never written.
`offcut doctor` tells whether it works.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InitArgs {
    /// The agents: claude, codex, gemini, qwen, opencode, copilot, goose, cline, kimi, pi, continue, vibe, openhands
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Change the user's files: for all projects [default]
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Change this project's files
    #[arg(long)]
    project: bool,
    /// Also run the MCP servers that are configured already behind `offcut wrap`
    #[arg(long)]
    wrap_servers: bool,
    /// Show what would be written, as a diff, and write nothing
    #[arg(long)]
    print: bool,
    /// Say what is set up, and write nothing
    #[arg(long, conflicts_with = "print")]
    check: bool,
    /// Take out what was written
    #[arg(long, conflicts_with_all = ["check", "wrap_servers"])]
    undo: bool,
}

/// Sets agents up; without a name, lists those on this machine and offers them.
pub(crate) fn init(args: &InitArgs) -> Result<ExitCode, Failure> {
    let surroundings = Surroundings::new()?;
    let scope = if args.project { Scope::Project } else { Scope::User };
    let agents = match args.agents.as_slice() {
        [] if args.check || args.undo => found(&surroundings),
        [] => return listing::offer(scope, &surroundings, |agent| set_up(agent, scope, args, &surroundings)),
        names => names.iter().map(|name| named(name)).collect::<Result<_, _>>()?,
    };
    let mut complete = true;
    for agent in &agents {
        complete &= match (args.undo, args.check) {
            (true, _) => undo(agent, scope, args, &surroundings)?,
            (_, true) => check(agent, scope, args, &surroundings)?,
            _ => set_up(agent, scope, args, &surroundings)?,
        };
    }
    Ok(if complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn found(surroundings: &Surroundings) -> Vec<Agent> {
    agents::all().into_iter().filter(|agent| agent.is_found(surroundings)).collect()
}

fn named(name: &str) -> Result<Agent, Failure> {
    let all = agents::all();
    let names: Vec<String> = all.iter().map(|agent| agent.name.clone()).collect();
    all.into_iter().find(|agent| agent.name == name.to_lowercase()).ok_or_else(|| {
        Failure::usage(format!("unknown agent `{name}`")).hint(format!("known agents: {}", names.join(", ")))
    })
}

/// Writes, or shows, what an agent needs.
fn set_up(agent: &Agent, scope: Scope, args: &InitArgs, surroundings: &Surroundings) -> Result<bool, Failure> {
    let plans = plan::set(agent, scope, surroundings, args.wrap_servers)?;
    refuse_nothing(agent, scope, &plans)?;
    if args.print {
        return print_diffs(&plans, surroundings);
    }
    plan::write(&plans, surroundings)?;
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}", agent.title)?;
    for plan in &plans {
        let done = match (plan.changes(), &plan.before) {
            (false, _) => "unchanged",
            (true, PathState::Nothing) => "created",
            (true, _) => "changed",
        };
        writeln!(out, "  {done:<9} {} ({})", surroundings.shown(&plan.path), plan.purpose())?;
        print_kept(plan, &mut out)?;
    }
    writeln!(out, "  shell: {}", agent.shell)?;
    if !agent.environment.is_empty() {
        let program = agent.programs.first().map_or(agent.name.as_str(), String::as_str);
        let fill = |value: &String| surroundings.filled(value, std::path::Path::new(""));
        let variables = agent.environment.iter().map(|(name, value)| format!("{name}={}", fill(value)));
        let variables = variables.collect::<Vec<_>>().join(" ");
        writeln!(out, "  to do: start {} with these variables, for example by", agent.title)?;
        writeln!(out, "         alias {program}='{variables} {program}'")?;
    }
    for note in &agent.notes {
        writeln!(out, "  note: {note}")?;
    }
    let unwrapped: usize = plans.iter().map(|plan| plan.unwrapped).sum();
    if unwrapped > 0 {
        let servers = crate::table::counted(unwrapped as u64, "MCP server");
        writeln!(out, "  note: {servers} without Offcut; `--wrap-servers` cuts their results too")?;
    }
    Ok(true)
}

/// Takes out what was written.
fn undo(agent: &Agent, scope: Scope, args: &InitArgs, surroundings: &Surroundings) -> Result<bool, Failure> {
    let plans = plan::unset(agent, scope, surroundings)?;
    refuse_nothing(agent, scope, &plans)?;
    if args.print {
        return print_diffs(&plans, surroundings);
    }
    plan::write(&plans, surroundings)?;
    plan::remove_backups(&plans)?;
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}", agent.title)?;
    if !plans.iter().any(FilePlan::changes) {
        writeln!(out, "  nothing to undo at {}", scope.flag())?;
    }
    for plan in plans.iter().filter(|plan| plan.changes()) {
        let done = if plan.after == PathState::Nothing { "removed" } else { "changed" };
        writeln!(out, "  {done:<9} {} ({})", surroundings.shown(&plan.path), plan.purpose())?;
    }
    Ok(true)
}

/// Says what is set up; whether it is all.
fn check(agent: &Agent, scope: Scope, args: &InitArgs, surroundings: &Surroundings) -> Result<bool, Failure> {
    let plans = plan::set(agent, scope, surroundings, args.wrap_servers)?;
    refuse_nothing(agent, scope, &plans)?;
    let mut out = anstream::stdout().lock();
    writeln!(out, "{}", agent.title)?;
    for plan in &plans {
        let state = listing::state(plan);
        writeln!(out, "  {state:<9} {} ({})", surroundings.shown(&plan.path), plan.purpose())?;
        print_kept(plan, &mut out)?;
    }
    Ok(plans.iter().all(|plan| !plan.changes() && plan.kept.is_empty()))
}

fn print_kept(plan: &FilePlan, out: &mut dyn Write) -> Result<(), Failure> {
    for (key, value) in &plan.kept {
        writeln!(out, "            kept `{key}`: {value}; it is not Offcut's, so this part is not set up")?;
    }
    Ok(())
}

/// An agent that has no files in a scope cannot be set up there.
fn refuse_nothing(agent: &Agent, scope: Scope, plans: &[FilePlan]) -> Result<(), Failure> {
    match plans.is_empty() {
        true => Err(Failure::usage(format!("{} has no files for {}", agent.title, scope.flag()))),
        false => Ok(()),
    }
}

/// Prints the diffs of a plan.
fn print_diffs(plans: &[FilePlan], surroundings: &Surroundings) -> Result<bool, Failure> {
    let mut out = anstream::stdout().lock();
    for plan in plans.iter().filter(|plan| plan.changes()) {
        let shown = surroundings.shown(&plan.path);
        match (&plan.before, &plan.after) {
            (_, PathState::Link(target)) => writeln!(out, "link {shown} -> {}", target.display())?,
            (PathState::Link(_), _) => writeln!(out, "remove the link {shown}")?,
            (before, after) => {
                let name = |state: &PathState| if *state == PathState::Nothing { "/dev/null" } else { shown.as_str() };
                let diff = similar::TextDiff::from_lines(before.text(), after.text());
                let diff = diff.unified_diff().header(name(before), name(after)).to_string();
                out.write_all(diff.as_bytes())?;
            }
        }
    }
    Ok(true)
}
