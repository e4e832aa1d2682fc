//! The sections of `docs/agents.md`, made from what is known of each agent.

use std::fmt::Write as _;

use super::agents::{self, Agent, FileSpec, Scope};
use crate::kept;

#[test]
fn the_page_about_agents_is_what_the_files_say() {
    let sections: String = agents::all().iter().map(section).collect();
    kept::check_part("docs/agents.md", "agents", &sections);
}

fn section(agent: &Agent) -> String {
    let mut text = format!("### {}\n\n`offcut init {}`", agent.title, agent.name);
    if agent.specs(Scope::Project).iter().any(|file| !file.entries.is_empty()) {
        let _ = write!(text, " or `offcut init {} --project`", agent.name);
    }
    let _ = write!(text, ". Shell: {}.\n\n", agent.shell);
    if !agent.environment.is_empty() {
        let variables: Vec<String> = agent.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let program = agent.programs.first().unwrap();
        let variables = shown(&variables.join(" "), agent);
        let _ = write!(text, "It has to be started with its variables: `{variables} {program}`.\n\n");
    }
    for note in &agent.notes {
        let _ = write!(text, "Note: {note}.\n\n");
    }
    text.push_str("| | file | entries |\n| --- | --- | --- |\n");
    for scope in [Scope::User, Scope::Project] {
        for file in agent.specs(scope) {
            let paths: Vec<String> = file.path.iter().map(|path| format!("`{}`", shown(path, agent))).collect();
            let _ = writeln!(text, "| `{}` | {} | {} |", scope.flag(), paths.join(" or "), entries(file));
        }
    }
    text + "\n"
}

fn entries(file: &FileSpec) -> String {
    if file.instructions {
        return "the marked lines".to_owned();
    }
    if file.link {
        return "a link to `offcut`".to_owned();
    }
    if !file.printed_by.is_empty() {
        return format!("what `offcut {}` prints", file.printed_by.join(" "));
    }
    if file.text.is_some() {
        return "a script that calls the hook".to_owned();
    }
    file.entries.iter().map(|entry| format!("`{}`", entry.at)).collect::<Vec<_>>().join(", ")
}

fn shown(path: &str, agent: &Agent) -> String {
    path.replace("{home}", &agent.home).replace("{own}", "~/.config/offcut").replace("{config}", "~/.config")
}
