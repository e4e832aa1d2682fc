//! The configuration that applies here: built-in values, the user's file, the project's, the environment, flags.
//!
//! Loading never fails. What is wrong is taken out, key by key, so that the value of the layer below holds, and is
//! remembered as a [`Problem`]: what a person starts fails for it, what stands in a pipe prints it and goes on.

pub(crate) mod commands;
mod env;
mod files;
pub(crate) mod keys;
mod layer;
mod node;
mod parse;
pub(crate) mod problem;
mod reference;
pub(crate) mod refused;
mod trust;
mod trust_command;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use offcut::options::Options;
use offcut::policy::Policy;

use crate::failure::Failure;
use files::FileText;
use layer::Layer;
use node::Node;
use problem::{Origin, Problem, Problems};
use trust::{Trust, Withheld};

/// The project's own files, best first.
pub(crate) const PROJECT_FILES: [&str; 3] = ["offcut.toml", "offcut.yml", "offcut.yaml"];

/// The user's own files, best first.
const USER_FILES: [&str; 3] = ["config.toml", "config.yml", "config.yaml"];

/// The agent's configuration file, which may have a part for us.
pub(crate) const AGENT_FILE: &str = ".agent/config.yml";

/// All layers laid over each other.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// What they say together.
    pub(crate) options: Options,
    /// Where each key that somebody set comes from.
    pub(crate) origins: BTreeMap<String, Origin>,
    /// The files that were read, lowest first.
    pub(crate) files: Vec<PathBuf>,
    /// Whether one file, named for this call, stands for the user's and the project's.
    pub(crate) only: bool,
    /// What is wrong with it.
    pub(crate) problems: Problems,
    /// What the project's files say and may not, each with its file.
    pub(crate) withheld: Vec<(PathBuf, Withheld)>,
    /// The layers, lowest first.
    layers: Vec<Layer>,
}

impl Config {
    /// What applies in the project at `root`; `only` names a file that stands for the user's and the project's.
    pub(crate) fn load(root: &Path, only: Option<&Path>) -> Config {
        let mut config = Config::default();
        config.only = only.is_some_and(|path| config.add_named(path));
        if !config.only {
            if let Some(directory) = user_directory() {
                config.add_first(&directory, &USER_FILES, None);
            }
            config.add_project_file(&root.join(AGENT_FILE), root);
            config.add_first(root, &PROJECT_FILES, Some(root));
        }
        config.add_environment();
        config.merge();
        config
    }

    /// Adds the file that stands for all others, `/dev/null` for none; whether it could be read.
    fn add_named(&mut self, path: &Path) -> bool {
        if path == Path::new("/dev/null") {
            return true;
        }
        match files::read(path) {
            Ok(Some(file)) => return self.add_text(path, &file.text, None),
            Ok(None) => self.unreadable(path, "no such file"),
            Err(why) => self.unreadable(path, &why),
        }
        false
    }

    /// Adds the first of `names` that is in `directory`; more than one of them is a mistake.
    fn add_first(&mut self, directory: &Path, names: &[&str], project: Option<&Path>) {
        let present: Vec<PathBuf> =
            names.iter().map(|name| directory.join(name)).filter(|path| is_there(path)).collect();
        let Some((first, others)) = present.split_first() else { return };
        for other in others {
            let message = format!("both `{}` and `{}` exist: the first one is used", first.display(), other.display());
            self.problems.add(Problem::error(message).hint("keep one of them".to_owned()));
        }
        match project {
            Some(root) => self.add_project_file(first, root),
            None => match files::read(first) {
                Ok(Some(file)) => {
                    self.add_text(first, &file.text, None);
                }
                Ok(None) => {}
                Err(why) => self.unreadable(first, &why),
            },
        }
    }

    /// Adds a file that the project brings along: what needs the user's trust is withheld until it is given.
    fn add_project_file(&mut self, path: &Path, root: &Path) {
        let file = match files::read(path) {
            Ok(Some(file)) => file,
            Ok(None) => return,
            Err(why) => return self.unreadable(path, &why),
        };
        if self.trusts(path, &file) {
            self.add_text(path, &file.text, None);
        } else if let Some(why) = foreign(path, &file, root) {
            let message = format!("{}: ignored: {why}", path.display());
            let hint = format!("`offcut config trust {}` uses it", path.display());
            self.problems.add(Problem::warning(message).hint(hint));
        } else {
            self.add_text(path, &file.text, Some(root));
        }
    }

    fn trusts(&self, path: &Path, file: &FileText) -> bool {
        user_directory().is_some_and(|directory| Trust::in_directory(&directory).holds(path, &file.text))
    }

    fn unreadable(&mut self, path: &Path, why: &str) {
        self.problems.add(Problem::error(format!("{}: {why}", path.display())));
    }

    /// Lays a file over what there is; `untrusted` is the root of the project that brings it along. Whether it could
    /// be parsed.
    fn add_text(&mut self, path: &Path, text: &str, untrusted: Option<&Path>) -> bool {
        let mut node = match read(path, text) {
            Ok(node) => node,
            Err(problem) => {
                self.problems.add(problem);
                return false;
            }
        };
        for fault in keys::sift(&mut node) {
            let message = format!("{}:{}: {}", path.display(), fault.line, fault.message);
            self.problems.add(Problem::error(message).hint(fault.hint));
        }
        for withheld in untrusted.map(|root| trust::withhold(&mut node, root)).unwrap_or_default() {
            let Withheld { key, line, why, .. } = &withheld;
            let message = format!("{}:{line}: `{key}` ignored: it {why}, and the file is not trusted", path.display());
            self.problems.add(Problem::warning(message).hint("see `offcut config trust`".to_owned()));
            self.withheld.push((path.to_owned(), withheld));
        }
        self.layers.push(Layer::of_file(path, &node));
        self.files.push(path.to_owned());
        true
    }

    fn add_environment(&mut self) {
        let environment = env::read(std::env::vars_os());
        environment.problems.into_iter().for_each(|problem| self.problems.add(problem));
        self.layers.push(environment.layer);
    }

    /// Sets the profile by a flag.
    pub(crate) fn set_profile(&mut self, name: &str) {
        let origins = BTreeMap::from([("profile".to_owned(), Origin::Flag("--profile"))]);
        self.layers.push(Layer::of_keys(serde_json::json!({ "profile": name }), origins));
        self.merge();
    }

    /// Adds what is wrong with rules for lines; the others hold without them.
    pub(crate) fn add_line_rule_faults(&mut self, policy: &Policy) {
        for fault in policy.line_rule_faults() {
            self.problems.add(Problem::error(fault.to_string()));
        }
    }

    /// Lays all layers over each other.
    fn merge(&mut self) {
        (self.options, self.origins) = (Options::default(), BTreeMap::new());
        for layer in &self.layers {
            match layer.options() {
                Ok(options) => self.options = options.over(std::mem::take(&mut self.options)),
                Err(error) => self.problems.add(Problem::error(error.to_string())),
            }
            self.origins.extend(layer.origins.iter().map(|(key, origin)| (key.clone(), origin.clone())));
        }
    }
}

/// Why a project's file is not obeyed at all without trust; `None` where it is.
fn foreign(path: &Path, file: &FileText, root: &Path) -> Option<&'static str> {
    if file.is_foreign {
        return Some("it belongs to another user");
    }
    files::leads_outside(path, root).then_some("it is a link that leads out of the project")
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// A file in any of the formats that we read, as a value.
pub(crate) fn value(path: &Path, text: &str) -> Result<serde_json::Value, Failure> {
    if path.extension().is_some_and(|extension| extension == "json") {
        return serde_json::from_str(text)
            .map_err(|error| Failure::usage(format!("{}: not valid JSON: {error}", path.display())));
    }
    parsed(path, text).map(|node| node.to_json()).map_err(|problem| Failure::usage(problem.message))
}

/// The tree of a file: the part under `tools.truncation`, where there is one.
fn read(path: &Path, text: &str) -> Result<Node, Problem> {
    let is_agent = path.ends_with(AGENT_FILE);
    let node = match parsed(path, text) {
        // What is wrong elsewhere in the agent's file is the agent's to say, as long as our part can be read.
        Err(problem) if is_agent => {
            let section = parse::section(text, "tools");
            let is_cut_short = section.trim().is_empty() && text.lines().any(|line| line.starts_with("tools"));
            match parsed(path, &section) {
                Ok(node) if !is_cut_short => node,
                _ => return Err(problem),
            }
        }
        parsed => parsed?,
    };
    if let Some(tools) = node.get("tools") {
        return Ok(tools.get("truncation").cloned().unwrap_or_else(Node::empty));
    }
    // An agent's file without our part says nothing to us.
    Ok(if is_agent { Node::empty() } else { node })
}

fn parsed(path: &Path, text: &str) -> Result<Node, Problem> {
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let parsed = if is_toml { parse::toml(text) } else { parse::yaml(text) };
    parsed.map_err(|error| {
        let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
        let format = if is_toml { "TOML" } else { "YAML" };
        Problem::error(format!("{}{line}: not valid {format}: {}", path.display(), error.why))
    })
}

/// The folder of the user's own configuration.
fn user_directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
    Some(base.join("offcut"))
}
