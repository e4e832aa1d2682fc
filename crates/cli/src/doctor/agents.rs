//! The agents on this machine: what is set up, and whether the way from their shell works.

use std::path::Path;
use std::process::Command;

use super::{Check, process};
use crate::init::agents::{self, Agent, FilePurpose, Probe, Scope};
use crate::init::plan::{self, FilePlan};
use crate::init::surroundings::Surroundings;

/// What is found about each agent.
pub(super) fn findings(surroundings: &Surroundings) -> Vec<Check> {
    let found = agents::all().into_iter().filter(|agent| agent.is_found(surroundings));
    let findings: Vec<Check> = found.flat_map(|agent| of_agent(&agent, surroundings)).collect();
    if findings.is_empty() {
        return vec![
            Check::note("agents", "no coding agent was found on this machine")
                .advice("`offcut init AGENT` sets one up all the same"),
        ];
    }
    findings
}

fn of_agent(agent: &Agent, surroundings: &Surroundings) -> Vec<Check> {
    let mut findings = Vec::new();
    let mut is_set_up = false;
    for scope in [Scope::User, Scope::Project] {
        let again = format!("`offcut init {} {}`", agent.name, scope.flag());
        let plans = match plan::set(agent, scope, surroundings, false) {
            Ok(plans) => plans,
            Err(failure) => {
                let found = failure.message().unwrap_or("its files cannot be read").to_owned();
                findings.push(Check::broken(&agent.title, found).advice("correct the file; nothing was changed"));
                continue;
            }
        };
        // Instructions that another agent reads too, and files that all scopes share, are not a set-up.
        let is_shared = |plan: &FilePlan| plan.path.starts_with(surroundings.own_directory());
        let is_begun =
            plans.iter().any(|plan| plan.is_begun() && plan.parts != [FilePurpose::Instructions] && !is_shared(plan));
        if !is_begun {
            continue;
        }
        is_set_up = true;
        findings.extend(plans.iter().filter_map(|plan| of_file(agent, plan, &again, surroundings)));
        if plans.iter().any(|plan| plan.parts.contains(&FilePurpose::Shell)) {
            findings.extend(shell(agent, &plans, &again, surroundings));
        }
    }
    if findings.is_empty() && !is_set_up {
        findings
            .push(Check::note(&agent.title, "not set up").advice(format!("`offcut init {}` sets it up", agent.name)));
    }
    findings
}

/// What is wrong with a file; nothing where it is as it should be, save for the tools, which are said.
fn of_file(agent: &Agent, plan: &FilePlan, again: &str, surroundings: &Surroundings) -> Option<Check> {
    let what = format!("{}: {}", agent.title, plan.purpose());
    let shown = surroundings.shown(&plan.path);
    if let Some((key, value)) = plan.kept.first() {
        return Some(Check::note(what, format!("{shown}: `{key}` is your own: {value}")));
    }
    match plan.changes() {
        true => Some(Check::broken(what, format!("{shown} is not as it should be")).advice(format!("run {again}"))),
        false if plan.parts.contains(&FilePurpose::Tools) => Some(Check::ok(what, shown)),
        false => None,
    }
}

/// Whether an output of the agent's shell becomes a reply.
fn shell(agent: &Agent, plans: &[FilePlan], again: &str, surroundings: &Surroundings) -> Option<Check> {
    let probe = agent.probe(surroundings)?;
    let is_whole = plans.iter().filter(|plan| plan.parts.contains(&FilePurpose::Shell)).all(|plan| !plan.changes());
    let what = format!("{}: shell", agent.title);
    let finding = match tried(&probe).filter(|_| is_whole) {
        None if is_whole => Check::ok(what, "an output of 40,000 lines comes as a reply"),
        why => {
            let why = why.unwrap_or_else(|| "a file is not as it should be".to_owned());
            return Some(Check::broken(what, why).advice(format!("run {again}, then `offcut doctor`")));
        }
    };
    let missing: Vec<&String> = agent.environment.keys().filter(|name| surroundings.variable(name).is_none()).collect();
    match missing.first() {
        Some(name) => Some(
            Check::note(finding.what, format!("works where ${name} is set, which it is not here"))
                .advice(format!("{again} prints the variables that {} needs", agent.title)),
        ),
        None => Some(finding),
    }
}

/// Why the way from the shell does not work; `None` if it does.
fn tried(probe: &Probe) -> Option<String> {
    let Ok(directory) = tempfile::tempdir() else { return Some("no temporary directory".to_owned()) };
    // A project of its own, so that nothing is kept in this one.
    if let Err(error) = std::fs::create_dir(directory.path().join(".git")) {
        return Some(format!("no temporary directory: {error}"));
    }
    let lines: String = (1..=40_000).map(|number| format!("{number}\\n")).collect();
    let input = probe.input.replace("{output}", &lines);
    let mut command = Command::new(&probe.program);
    command.args(&probe.arguments).envs(&probe.environment).current_dir(directory.path());
    let printed = match process::run(&mut command, input.into_bytes()) {
        Ok(printed) => printed,
        Err(why) => return Some(why),
    };
    let is_well = match &probe.expects {
        Some(expected) => printed.stdout.contains(expected.as_str()),
        None => printed.stdout.len() < lines.len() / 4 && has_artifact(directory.path()),
    };
    let said = printed.stderr.lines().next().unwrap_or_default();
    (!is_well)
        .then(|| format!("an output of 40,000 lines comes as it is{}{said}", if said.is_empty() { "" } else { ": " }))
}

/// Whether something was kept in the store of a project.
fn has_artifact(project: &Path) -> bool {
    let sessions = std::fs::read_dir(project.join(crate::place::STORAGE_PATH)).into_iter().flatten().flatten();
    let mut files = sessions.flat_map(|session| std::fs::read_dir(session.path()).into_iter().flatten().flatten());
    files.any(|file| file.file_name().to_string_lossy().starts_with("art_"))
}
