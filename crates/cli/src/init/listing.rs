//! The agents on this machine, and the offer to set them up.

use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;

use super::agents::{self, Agent, Scope};
use super::plan::{self, FilePlan};
use super::surroundings::Surroundings;
use crate::failure::Failure;
use crate::table::Table;

/// How much of an agent is set up, in a word or two.
pub(super) fn summary(agent: &Agent, scope: Scope, surroundings: &Surroundings) -> String {
    match plan::set(agent, scope, surroundings, false) {
        Err(_) => "a file cannot be read".to_owned(),
        Ok(plans) if plans.is_empty() => "no files here".to_owned(),
        Ok(plans) if plans.iter().all(|plan| !plan.changes()) => "set up".to_owned(),
        Ok(plans) if plans.iter().any(|plan| !plan.changes() || state(plan) == "outdated") => "in part".to_owned(),
        Ok(_) => "no".to_owned(),
    }
}

/// What a file says about Offcut.
pub(super) fn state(plan: &FilePlan) -> &'static str {
    match plan.changes() {
        false if !plan.kept.is_empty() => "kept",
        false => "set up",
        true if plan.before.text().contains("offcut") => "outdated",
        true => "missing",
    }
}

/// Lists the agents that are found; on a terminal, asks for each whether to set it up.
pub(super) fn offer(
    scope: Scope,
    surroundings: &Surroundings,
    set_up: impl Fn(&Agent) -> Result<bool, Failure>,
) -> Result<ExitCode, Failure> {
    let agents: Vec<Agent> = agents::all().into_iter().filter(|agent| agent.is_found(surroundings)).collect();
    if agents.is_empty() {
        let names: Vec<String> = agents::all().into_iter().map(|agent| agent.name).collect();
        return Err(Failure::other("no coding agent was found on this machine")
            .hint(format!("`offcut init AGENT` sets one up all the same: {}", names.join(", "))));
    }
    let mut table = Table::new(&["Agent", "Set up", "Command"]);
    for agent in &agents {
        let command = match scope {
            Scope::User => format!("offcut init {}", agent.name),
            Scope::Project => format!("offcut init {} --project", agent.name),
        };
        table.row([agent.title.clone(), summary(agent, scope, surroundings), command]);
    }
    table.write(&mut anstream::stdout().lock())?;
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Ok(ExitCode::SUCCESS);
    }
    for agent in agents
        .iter()
        .filter(|agent| !["set up", "no files here"].contains(&summary(agent, scope, surroundings).as_str()))
    {
        if agreed(&format!("Set up {}? [y/N] ", agent.title))? {
            set_up(agent)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks a question; nothing but `y` or `yes` is a yes.
fn agreed(question: &str) -> Result<bool, Failure> {
    let mut out = anstream::stdout().lock();
    write!(out, "{question}")?;
    out.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}
