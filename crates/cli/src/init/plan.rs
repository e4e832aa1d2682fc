//! What setting an agent up, or undoing it, makes of each of its files: decided for all before any is written.

use std::path::{Path, PathBuf};
use std::process::Command;

use offcut_platform::FileMode;

use super::agents::{Agent, AgentFile, Content, FilePurpose, Scope, Text};
use super::edit::EditError;
use super::entries::{Insertion, Standing};
use super::surroundings::Surroundings;
use super::{agents, files, instructions, servers};
use crate::failure::{Failure, while_doing};

/// What becomes of one file.
#[derive(Debug)]
pub(crate) struct FilePlan {
    /// The file, links followed.
    pub(crate) path: PathBuf,
    /// What the file is for.
    pub(crate) parts: Vec<FilePurpose>,
    /// What is there, and what should be; `None` is no file.
    pub(crate) before: PathState,
    pub(crate) after: PathState,
    /// What the file is without Offcut, to be kept beside it; `None` removes the copy.
    backup: Option<String>,
    /// Settings of the user's own that are in the way, and stay: `env.BASH_ENV`, and what it is.
    pub(crate) kept: Vec<(String, String)>,
    /// MCP servers that run without Offcut.
    pub(crate) unwrapped: usize,
    mode: FileMode,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathState {
    Nothing,
    Text(String),
    Link(PathBuf),
}

impl PathState {
    pub(crate) fn text(&self) -> &str {
        match self {
            PathState::Text(text) => text,
            PathState::Nothing | PathState::Link(_) => "",
        }
    }
}

impl FilePlan {
    /// Whether there is something to do.
    pub(crate) fn changes(&self) -> bool {
        self.before != self.after
    }

    /// Whether the file holds something of ours, as it should be or not.
    pub(crate) fn is_begun(&self) -> bool {
        match &self.before {
            PathState::Nothing => false,
            PathState::Text(text) => text.contains("offcut"),
            PathState::Link(_) => true,
        }
    }

    /// What the file is for: `tools, shell`.
    pub(crate) fn purpose(&self) -> String {
        self.parts.iter().map(|part| part.name()).collect::<Vec<_>>().join(", ")
    }
}

/// What an agent's files become when Offcut is set up.
pub(crate) fn set(
    agent: &Agent,
    scope: Scope,
    surroundings: &Surroundings,
    wrap_servers: bool,
) -> Result<Vec<FilePlan>, Failure> {
    agent.files(scope, surroundings).iter().map(|file| set_file(file, surroundings, wrap_servers)).collect()
}

/// What an agent's files become without Offcut.
pub(crate) fn unset(agent: &Agent, scope: Scope, surroundings: &Surroundings) -> Result<Vec<FilePlan>, Failure> {
    agent.files(scope, surroundings).iter().map(|file| unset_file(agent, scope, file, surroundings)).collect()
}

fn set_file(file: &AgentFile, surroundings: &Surroundings, wrap_servers: bool) -> Result<FilePlan, Failure> {
    if let Content::Link(target) = &file.content {
        let before = link_state(&file.path)?;
        return Ok(plan(file, file.path.clone(), before, PathState::Link(target.clone())));
    }
    let path = files::resolved(&file.path)?;
    let found = files::read(&path)?;
    let before = found.clone().map_or(PathState::Nothing, PathState::Text);
    let text = found.unwrap_or_default();
    match &file.content {
        Content::Link(_) => Ok(plan(file, path, before.clone(), before)),
        Content::Own { text: own, executable } => {
            let own = own_text(own, surroundings)?;
            let mut plan = plan(file, path.clone(), before.clone(), PathState::Text(own));
            plan.mode = if *executable { FileMode::PROGRAM } else { FileMode::TEXT };
            if before != PathState::Nothing && !is_own(&path, &text) {
                plan.kept.push((surroundings.shown(&path), "a file of your own".to_owned()));
                plan.after = before;
            }
            Ok(plan)
        }
        Content::Instructions => {
            let mut plan = plan(file, path.clone(), before, PathState::Text(instructions::set(&text)));
            plan.backup = past(&path, &plan, |text| Ok(instructions::unset(text)))?;
            Ok(plan)
        }
        Content::Entries { format, entries, servers } => {
            let fail = |error: EditError| failed(&path, &error);
            let root = format.read(&text).map_err(fail)?;
            let mut after =
                entries.iter().try_fold(text.clone(), |text, entry| entry.set(*format, &text)).map_err(fail)?;
            if let Some(servers) = servers.as_ref().filter(|_| wrap_servers) {
                let program = surroundings.program.to_string_lossy();
                after = servers::wrap(*format, &after, servers, &program).map_err(fail)?;
            }
            let unwrapped = servers.as_ref().map_or(0, |list| servers::unwrapped(*format, &after, list));
            let mut plan = plan(file, path.clone(), before, PathState::Text(after));
            plan.unwrapped = unwrapped;
            plan.kept = entries.iter().filter_map(|entry| kept(entry, entry.standing(&root))).collect();
            plan.backup = past(&path, &plan, |text| without(file, surroundings, text, &path))?;
            Ok(plan)
        }
    }
}

fn plan(file: &AgentFile, path: PathBuf, before: PathState, after: PathState) -> FilePlan {
    FilePlan {
        path,
        parts: file.parts.clone(),
        before,
        after,
        backup: None,
        kept: Vec::new(),
        unwrapped: 0,
        mode: FileMode::TEXT,
    }
}

/// Whether a file is one of ours: by its name, or because it calls us.
fn is_own(path: &Path, text: &str) -> bool {
    let is_named = path.file_name().is_some_and(|name| name.to_string_lossy().contains("offcut"));
    is_named || path.parent().is_some_and(|parent| parent.ends_with("offcut")) || text.contains("offcut")
}

fn kept(entry: &Insertion, standing: Standing) -> Option<(String, String)> {
    match standing {
        Standing::Foreign(value) => Some((entry.at.join("."), value.to_string())),
        Standing::Set | Standing::Missing | Standing::Outdated => None,
    }
}

/// The copy to keep beside a file: its text without Offcut. None for a file that is new, or that does not change and
/// has no copy.
fn past(
    path: &Path,
    plan: &FilePlan,
    without: impl Fn(&str) -> Result<String, Failure>,
) -> Result<Option<String>, Failure> {
    let PathState::Text(before) = &plan.before else { return Ok(None) };
    match files::read(&files::backup_of(path))? {
        None if !plan.changes() => Ok(None),
        // A file of ours that changes stays one without a past.
        None => Ok(Some(without(before)?).filter(|text| !text.is_empty() || before.is_empty())),
        Some(backup) if !plan.changes() => Ok(Some(backup)),
        Some(_) => without(before).map(Some),
    }
}

fn unset_file(agent: &Agent, scope: Scope, file: &AgentFile, surroundings: &Surroundings) -> Result<FilePlan, Failure> {
    if let Content::Link(_) = &file.content {
        let before = link_state(&file.path)?;
        let after = match &before {
            PathState::Link(_) if !is_used_by_others(agent, scope, &file.path, surroundings) => PathState::Nothing,
            other => other.clone(),
        };
        return Ok(plan(file, file.path.clone(), before, after));
    }
    let path = files::resolved(&file.path)?;
    let Some(text) = files::read(&path)? else { return Ok(plan(file, path, PathState::Nothing, PathState::Nothing)) };
    let before = PathState::Text(text.clone());
    let has_past = files::read(&files::backup_of(&path))?.is_some();
    let after = match &file.content {
        Content::Own { .. } if !is_own(&path, &text) || is_used_by_others(agent, scope, &file.path, surroundings) => {
            before.clone()
        }
        Content::Own { .. } => PathState::Nothing,
        Content::Instructions if is_used_by_others(agent, scope, &file.path, surroundings) => before.clone(),
        Content::Instructions if instructions::unset(&text).is_empty() && !has_past && text.contains("offcut") => {
            PathState::Nothing
        }
        Content::Instructions => PathState::Text(instructions::unset(&text)),
        Content::Entries { format, .. } => {
            let after = without(file, surroundings, &text, &path)?;
            let is_empty = format.read(&after).is_ok_and(|root| root.is_null() || root == serde_json::json!({}));
            if is_empty && !has_past && after != text { PathState::Nothing } else { PathState::Text(after) }
        }
        Content::Link(_) => before.clone(),
    };
    Ok(plan(file, path, before, after))
}

/// The text of a file without Offcut: byte for byte as it was if nothing else changed.
fn without(file: &AgentFile, surroundings: &Surroundings, text: &str, path: &Path) -> Result<String, Failure> {
    let Content::Entries { format, entries, servers } = &file.content else { return Ok(text.to_owned()) };
    let fail = |error: EditError| failed(path, &error);
    let backup = files::read(&files::backup_of(path))?;
    // A copy that cannot be read is no copy.
    let backup = backup.filter(|backup| format.read(backup).is_ok());
    if let Some(backup) = &backup {
        let set = entries.iter().try_fold(backup.clone(), |text, entry| entry.set(*format, &text)).ok();
        let program = surroundings.program.to_string_lossy();
        let wrapped = set.as_ref().zip(servers.as_ref());
        let wrapped = wrapped.and_then(|(set, list)| servers::wrap(*format, set, list, &program).ok());
        if set.as_deref() == Some(text) || wrapped.as_deref() == Some(text) {
            return Ok(backup.clone());
        }
    }
    format.read(text).map_err(fail)?;
    let mut text = text.to_owned();
    if let Some(servers) = servers {
        text = servers::unwrap(*format, &text, servers, backup.as_deref()).map_err(fail)?;
    }
    entries.iter().rev().try_fold(text, |text, entry| entry.unset(*format, &text, backup.as_deref())).map_err(fail)
}

/// Whether another agent, or this one in the other scope, still needs a file: because an entry or variable
/// of its names it, or because it reads the same instructions.
fn is_used_by_others(agent: &Agent, scope: Scope, path: &Path, surroundings: &Surroundings) -> bool {
    let name = path.to_string_lossy();
    agents::all().iter().any(|other| {
        [Scope::User, Scope::Project].into_iter().filter(|at| other.name != agent.name || *at != scope).any(|at| {
            let files = other.files(at, surroundings);
            let reads = files.iter().any(|file| file.path == path && matches!(file.content, Content::Instructions));
            let shares = reads || other.environment_names(path, surroundings);
            let entries = files.iter().filter(|file| matches!(file.content, Content::Entries { .. }));
            let texts = entries.filter_map(|file| files::read(&file.path).ok().flatten());
            texts.into_iter().any(|text| text.contains(name.as_ref()) || (shares && text.contains("offcut")))
        })
    })
}

fn link_state(path: &Path) -> Result<PathState, Failure> {
    match path.symlink_metadata() {
        Err(_) => Ok(PathState::Nothing),
        Ok(found) if found.is_symlink() => {
            path.read_link().map(PathState::Link).map_err(while_doing(format!("read the link `{}`", path.display())))
        }
        Ok(_) => Err(Failure::other(format!("{}: a file that `offcut init` did not write", path.display()))
            .hint("move it away, and run this again")),
    }
}

fn own_text(text: &Text, surroundings: &Surroundings) -> Result<String, Failure> {
    match text {
        Text::Written(text) => Ok(text.clone()),
        Text::Printed(arguments) => {
            let output = Command::new(&surroundings.program).args(arguments).output();
            let output = output.map_err(while_doing(format!("run `offcut {}`", arguments.join(" "))))?;
            String::from_utf8(output.stdout)
                .ok()
                .filter(|text| output.status.success() && !text.is_empty())
                .ok_or_else(|| Failure::other(format!("`offcut {}` printed nothing", arguments.join(" "))))
        }
    }
}

fn failed(path: &Path, error: &EditError) -> Failure {
    let line = error.line.map_or_else(String::new, |line| format!(":{line}"));
    Failure::other(format!("{}{line}: {}", path.display(), error.message)).hint("nothing was written")
}

/// Writes all files of a plan; where one cannot be written, those before it are put back.
pub(crate) fn write(plans: &[FilePlan], surroundings: &Surroundings) -> Result<(), Failure> {
    let mut written: Vec<&FilePlan> = Vec::new();
    for plan in plans.iter().filter(|plan| plan.changes()) {
        if let Err(failure) = write_file(plan, surroundings) {
            for plan in written {
                // The first failure is the one to tell; what cannot be put back has its copy beside it.
                let _ = write_state(&plan.path, &plan.before, plan.mode, surroundings);
            }
            return Err(failure);
        }
        written.push(plan);
    }
    Ok(())
}

fn write_file(plan: &FilePlan, surroundings: &Surroundings) -> Result<(), Failure> {
    if let Some(backup) = &plan.backup {
        files::write_backup(&plan.path, backup)?;
    }
    write_state(&plan.path, &plan.after, plan.mode, surroundings)
}

/// Removes the copies beside the files, after an undo.
pub(crate) fn remove_backups(plans: &[FilePlan]) -> Result<(), Failure> {
    plans.iter().try_for_each(|plan| files::remove(&files::backup_of(&plan.path)))
}

fn write_state(path: &Path, state: &PathState, mode: FileMode, surroundings: &Surroundings) -> Result<(), Failure> {
    match state {
        PathState::Text(text) => files::write(path, text, mode),
        PathState::Link(target) => files::link(path, target),
        PathState::Nothing => {
            files::remove(path)?;
            files::remove_empty_parents(path, &[&surroundings.home, &surroundings.root]);
            Ok(())
        }
    }
}
