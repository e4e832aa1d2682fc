//! What is known of each coding agent: where its files are, and what Offcut writes into them.
//!
//! One file an agent, `agents/NAME.toml`; the build makes a list of them, so that a new agent is a new file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::edit::Format;
use super::entries::Insertion;
use super::surroundings::Surroundings;

include!(concat!(env!("OUT_DIR"), "/agents.rs"));

/// A coding agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agent {
    /// The name of its file: `claude`.
    #[serde(skip)]
    pub(crate) name: String,
    /// The name that people know: `Claude Code`.
    pub(crate) title: String,
    /// Programs by which it is found on PATH.
    pub(crate) programs: Vec<String>,
    /// The directory of its own files, `{home}` elsewhere in the file.
    pub(super) home: String,
    /// The variable that moves that directory.
    home_variable: Option<String>,
    /// How outputs of its own shell come to Offcut, in a sentence.
    pub(crate) shell: String,
    /// What the user has to know or do, printed after setting up.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
    /// Variables that its environment needs, where it has no file for them.
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// How to try the way from its shell, without the agent.
    probe: Option<Probe>,
    /// Files for all projects of the user.
    #[serde(default)]
    user: Vec<FileSpec>,
    /// Files for one project.
    #[serde(default)]
    project: Vec<FileSpec>,
}

/// A command line that does what the agent does when its shell has printed 40,000 lines.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Probe {
    pub(crate) program: String,
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// What it is given on stdin; `{output}` stands for the lines, as in a JSON string.
    #[serde(default)]
    pub(crate) input: String,
    /// What it must print, where that is not a reply.
    pub(crate) expects: Option<String>,
}

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FilePurpose {
    /// Offcut's tools, over MCP.
    Tools,
    /// The agent's own shell.
    Shell,
    /// What the model is told.
    Instructions,
}

impl FilePurpose {
    pub(crate) fn name(self) -> &'static str {
        match self {
            FilePurpose::Tools => "tools",
            FilePurpose::Shell => "shell",
            FilePurpose::Instructions => "instructions",
        }
    }
}

/// A file of an agent, and what is written into it. Exactly one of `format`, `instructions`, `printed_by`, `text` and
/// `link` says how.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileSpec {
    /// One of these: the first that exists, else the first.
    pub(super) path: Vec<String>,
    parts: Vec<FilePurpose>,
    format: Option<Format>,
    #[serde(default)]
    pub(super) entries: Vec<EntrySpec>,
    /// Where the file lists MCP servers.
    servers: Option<Servers>,
    /// Whether it gets the lines for the model.
    #[serde(default)]
    pub(super) instructions: bool,
    /// Whether it is a file of our own that these arguments of this program print.
    #[serde(default)]
    pub(super) printed_by: Vec<String>,
    /// Whether it is a file of our own with this text.
    pub(super) text: Option<String>,
    /// Whether it is a link to this program.
    #[serde(default)]
    pub(super) link: bool,
    #[serde(default)]
    executable: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntrySpec {
    /// The path, with dots; `[]` at its end for an element of an array.
    pub(super) at: String,
    value: Value,
    /// The text by which an element is known as ours.
    known_by: Option<String>,
}

/// Where a file lists MCP servers, and how it writes their command line.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Servers {
    /// The object or array of servers.
    pub(super) at: String,
    /// The key of the program; a list holds the whole command line.
    pub(super) command: String,
    /// The key of the arguments.
    pub(super) args: Option<String>,
}

/// Which files are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// For all projects of this user.
    User,
    /// For this project.
    Project,
}

impl Scope {
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Scope::User => "--user",
            Scope::Project => "--project",
        }
    }
}

/// A file as it should be on this machine.
#[derive(Debug)]
pub(crate) struct AgentFile {
    pub(crate) path: PathBuf,
    pub(crate) parts: Vec<FilePurpose>,
    pub(super) content: Content,
}

/// What Offcut writes into a file.
#[derive(Debug)]
pub(super) enum Content {
    /// Entries in a file that others write too.
    Entries { format: Format, entries: Vec<Insertion>, servers: Option<Servers> },
    /// The marked lines for the model.
    Instructions,
    /// A file of our own.
    Own { text: Text, executable: bool },
    /// A link to this program.
    Link(PathBuf),
}

/// The text of a file of our own.
#[derive(Debug)]
pub(super) enum Text {
    Written(String),
    /// What this program prints for these arguments.
    Printed(Vec<String>),
}

/// All agents, by name.
pub(crate) fn all() -> Vec<Agent> {
    // A test reads every file, so that each can be read.
    let read = |(name, text): &(&str, &str)| {
        toml::from_str::<Agent>(text).ok().map(|agent| Agent { name: (*name).to_owned(), ..agent })
    };
    AGENTS.iter().filter_map(read).collect()
}

impl Agent {
    /// What is known of the files of a scope.
    pub(super) fn specs(&self, scope: Scope) -> &[FileSpec] {
        match scope {
            Scope::User => &self.user,
            Scope::Project => &self.project,
        }
    }

    /// The files of a scope; none where the agent has no files there.
    pub(crate) fn files(&self, scope: Scope, surroundings: &Surroundings) -> Vec<AgentFile> {
        let base = match scope {
            Scope::User => &surroundings.home,
            Scope::Project => &surroundings.root,
        };
        self.specs(scope).iter().map(|spec| self.file(spec, base, surroundings)).collect()
    }

    /// The command line that tries the way from its shell, for this machine.
    pub(crate) fn probe(&self, surroundings: &Surroundings) -> Option<Probe> {
        let fill = |text: &String| surroundings.filled(text, &self.home(surroundings));
        self.probe.as_ref().map(|probe| Probe {
            program: fill(&probe.program),
            arguments: probe.arguments.iter().map(fill).collect(),
            environment: probe.environment.iter().map(|(name, value)| (name.clone(), fill(value))).collect(),
            ..probe.clone()
        })
    }

    /// Whether its environment should name this path.
    pub(super) fn environment_names(&self, path: &Path, surroundings: &Surroundings) -> bool {
        self.environment.values().any(|value| Path::new(&surroundings.filled(value, Path::new(""))) == path)
    }

    /// Whether something on this machine shows that the agent is used here.
    pub(crate) fn is_found(&self, surroundings: &Surroundings) -> bool {
        let is_program = |name: &String| surroundings.program(name).is_some();
        self.programs.iter().any(is_program) || self.home(surroundings).is_dir()
    }

    fn home(&self, surroundings: &Surroundings) -> PathBuf {
        let moved = self.home_variable.as_ref().and_then(|name| surroundings.variable(name));
        moved.map_or_else(|| surroundings.expanded(&self.home), PathBuf::from)
    }

    fn file(&self, spec: &FileSpec, base: &Path, surroundings: &Surroundings) -> AgentFile {
        let fill = |text: &str| surroundings.filled(text, &self.home(surroundings));
        let paths: Vec<PathBuf> = spec.path.iter().map(|path| base.join(fill(path))).collect();
        let path = paths.iter().find(|path| path.exists()).or(paths.first()).cloned().unwrap_or_default();
        let content = match spec {
            FileSpec { link: true, .. } => Content::Link(surroundings.program.clone()),
            FileSpec { instructions: true, .. } => Content::Instructions,
            FileSpec { text: Some(text), executable, .. } => {
                Content::Own { text: Text::Written(fill(text)), executable: *executable }
            }
            FileSpec { format: Some(format), entries, servers, .. } => {
                let entries = entries.iter().map(|entry| entry.filled(&fill)).collect();
                Content::Entries { format: *format, entries, servers: servers.clone() }
            }
            FileSpec { printed_by, executable, .. } => {
                let arguments = printed_by.iter().map(|argument| fill(argument)).collect();
                Content::Own { text: Text::Printed(arguments), executable: *executable }
            }
        };
        AgentFile { path, parts: spec.parts.clone(), content }
    }
}

impl EntrySpec {
    fn filled(&self, fill: &dyn Fn(&str) -> String) -> Insertion {
        let element = self.at.ends_with("[]").then(|| self.known_by.clone().unwrap_or_else(|| "offcut".to_owned()));
        let at = self.at.trim_end_matches("[]").split('.').map(str::to_owned).collect();
        Insertion { at, value: filled(&self.value, fill), element }
    }
}

fn filled(value: &Value, fill: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::from(fill(text)),
        Value::Array(values) => values.iter().map(|value| filled(value, fill)).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), filled(value, fill))).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_can_be_read_and_says_how_each_file_is_written() {
        for (name, text) in AGENTS {
            let agent: Agent = toml::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!agent.programs.is_empty() && !agent.shell.is_empty() && !agent.user.is_empty(), "{name}");
            for file in agent.user.iter().chain(&agent.project) {
                let ways = [
                    file.format.is_some(),
                    file.instructions,
                    !file.printed_by.is_empty(),
                    file.text.is_some(),
                    file.link,
                ];
                assert!(!file.parts.is_empty(), "{name}: {:?}", file.path);
                assert_eq!(ways.iter().filter(|way| **way).count(), 1, "{name}: {:?}", file.path);
                assert_eq!(file.format.is_some(), !file.entries.is_empty(), "{name}: {:?}", file.path);
                for entry in &file.entries {
                    assert_eq!(entry.at.ends_with("[]"), entry.known_by.is_some(), "{name}: {}", entry.at);
                }
            }
        }
        assert_eq!(all().len(), AGENTS.len());
        assert!(all().len() >= 13);
    }
}
