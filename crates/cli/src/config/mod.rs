//! The configuration that holds here: built-in values, the user's file, the project's, the environment, flags.

pub(crate) mod commands;
mod env;
pub(crate) mod keys;
mod node;
mod parse;
mod reference;

use std::collections::BTreeMap;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use offcut::core::redact::RuleError;
use offcut::options::Options;
use offcut::policy::PolicyError;

use crate::failure::Failure;
use keys::Keys;
use node::Node;

/// The project's own files, best first.
pub(crate) const PROJECT_FILES: [&str; 3] = ["offcut.toml", "offcut.yml", "offcut.yaml"];

/// The agent's configuration file, which may have a part for us.
pub(crate) const AGENT_FILE: &str = ".agent/config.yml";

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A line of a file.
    File(PathBuf, u64),
    /// A variable of the environment.
    Variable(String),
    /// An argument.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path, line) => write!(f, "{}:{line}", path.display()),
            Origin::Variable(name) => write!(f, "${name}"),
            Origin::Flag(name) => f.write_str(name),
        }
    }
}

/// All layers laid over each other.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// What they say together.
    pub(crate) options: Options,
    /// Where each key that somebody set comes from.
    pub(crate) origins: BTreeMap<String, Origin>,
    /// Where each redaction rule comes from, by its id.
    rules: BTreeMap<String, Origin>,
    /// The files that were read, lowest first.
    pub(crate) files: Vec<PathBuf>,
    /// Whether one file, named for this call, stands for the user's and the project's.
    pub(crate) only: bool,
}

impl Config {
    /// What holds in the project at `root`; `only` names a file that stands for the user's and the project's.
    pub(crate) fn load(root: &Path, only: Option<&Path>) -> Result<Config, Failure> {
        let mut config = Config::default();
        match only {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    Failure::usage(format!("could not read the configuration `{}`: {error}", path.display()))
                })?;
                config.add_file(path, &text)?;
                config.only = true;
            }
            None => {
                for directory in [user_directory(), Some(root.to_owned())].into_iter().flatten() {
                    config.add_directory(&directory, root)?;
                }
            }
        }
        config.add_environment()?;
        Ok(config)
    }

    fn add_directory(&mut self, directory: &Path, root: &Path) -> Result<(), Failure> {
        let names: &[&str] =
            if directory == root { &PROJECT_FILES } else { &["config.toml", "config.yml", "config.yaml"] };
        if directory == root
            && let Some(text) = text_of(&root.join(AGENT_FILE))?
        {
            self.add_file(&root.join(AGENT_FILE), &text)?;
        }
        let mut found: Option<PathBuf> = None;
        for name in names {
            let path = directory.join(name);
            let Some(text) = text_of(&path)? else { continue };
            if let Some(other) = &found {
                let message = format!("both `{}` and `{}` are there", other.display(), path.display());
                return Err(Failure::usage(message).hint("keep one of them, so that it is clear what holds"));
            }
            self.add_file(&path, &text)?;
            found = Some(path);
        }
        Ok(())
    }

    /// Lays a file over what there is.
    fn add_file(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        let node = read(path, text)?;
        let options = checked(&node).map_err(|faults| {
            let lines: Vec<String> =
                faults.iter().map(|fault| format!("{}:{}: {}", path.display(), fault.line, fault.message)).collect();
            let hint = faults.iter().find_map(|fault| fault.hint.clone());
            let failure = Failure::usage(lines.join("\n       "));
            match hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        })?;
        for (key, line) in node.leaves() {
            self.origins.insert(key, Origin::File(path.to_owned(), line));
        }
        for (id, line) in node.rules() {
            self.rules.insert(id, Origin::File(path.to_owned(), line));
        }
        self.files.push(path.to_owned());
        self.lay(options);
        Ok(())
    }

    fn add_environment(&mut self) -> Result<(), Failure> {
        let (options, origins) = env::options(std::env::vars_os())?;
        for (key, name) in origins {
            self.origins.insert(key, Origin::Variable(name));
        }
        self.lay(options);
        Ok(())
    }

    /// Sets the profile by a flag.
    pub(crate) fn set_profile(&mut self, name: &str) {
        self.options.profile = Some(name.to_owned());
        self.origins.insert("profile".to_owned(), Origin::Flag("--profile"));
    }

    fn lay(&mut self, options: Options) {
        self.options = options.over(std::mem::take(&mut self.options));
    }

    /// A refused value with the place that it comes from.
    pub(crate) fn refused(&self, error: &PolicyError) -> Failure {
        let general = error.key.rsplit('.').next().unwrap_or_default();
        // A tool's plan may be refused because of a value that was said for all tools.
        let origin = self.origins.get(&error.key).or_else(|| self.origins.get(general));
        let failure = match (origin, error.key.as_str()) {
            (Some(origin), _) => Failure::usage(format!("{origin}: {error}")),
            (None, "limit") => Failure::usage(format!("--limit: {error}")),
            (None, "strategy") => Failure::usage(format!("--strategy: {error}")),
            (None, _) => Failure::usage(error.to_string()),
        };
        let words = error.expected.strip_prefix("one of ").map(|words| words.split(", ").collect::<Vec<_>>());
        match words.and_then(|words| keys::nearest(&error.value, words)) {
            Some(word) => failure.hint(format!("did you mean `{word}`?")),
            None => failure,
        }
    }

    /// A refused redaction rule with the place that it comes from.
    pub(crate) fn refused_rule(&self, error: &RuleError) -> Failure {
        // What is no rule is a name that is switched off, or a value that is allowed.
        let lists = ["redaction.disable", "redaction.allow", "redaction.allow_hashes"];
        let lists = if error.rule == "allow" { &lists[1..] } else { &lists[..1] };
        let listed = || self.origins.iter().find(|(key, _)| lists.iter().any(|list| key.ends_with(list)));
        let origin = self.rules.get(&error.rule).or_else(|| listed().map(|(_, origin)| origin));
        Failure::usage(match origin {
            Some(origin) => format!("{origin}: {error}"),
            None => error.to_string(),
        })
    }
}

/// A file in any of the formats that we read, as a value.
pub(crate) fn value(path: &Path, text: &str) -> Result<serde_json::Value, Failure> {
    if path.extension().is_some_and(|extension| extension == "json") {
        return serde_json::from_str(text)
            .map_err(|error| Failure::usage(format!("{}: not valid JSON: {error}", path.display())));
    }
    parsed(path, text).map(|node| node.to_json())
}

/// The tree of a file: the part under `tools.truncation`, where there is one.
fn read(path: &Path, text: &str) -> Result<Node, Failure> {
    let node = parsed(path, text)?;
    if let Some(tools) = node.get("tools") {
        return Ok(tools.get("truncation").cloned().unwrap_or_else(Node::empty));
    }
    // An agent's file without our part says nothing to us.
    Ok(if path.ends_with(AGENT_FILE) { Node::empty() } else { node })
}

fn parsed(path: &Path, text: &str) -> Result<Node, Failure> {
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    let parsed = if is_toml { parse::toml(text) } else { parse::yaml(text) };
    parsed.map_err(|error| {
        let line = error.line.map(|line| format!(":{line}")).unwrap_or_default();
        let format = if is_toml { "TOML" } else { "YAML" };
        Failure::usage(format!("{}{line}: not valid {format}: {}", path.display(), error.why))
    })
}

/// The options that a tree says, or what is wrong with it.
fn checked(node: &Node) -> Result<Options, Vec<keys::Fault>> {
    let twice = node
        .entries()
        .iter()
        .enumerate()
        .any(|(at, entry)| node.entries().iter().take(at).any(|before| before.key == entry.key));
    match serde_json::from_value(node.to_json()) {
        Ok(options) if !twice => Ok(options),
        Ok(_) => Err(Keys::new().faults(node)),
        // The schema says better than the parser what is wrong, and where.
        Err(error) => match Keys::new().faults(node) {
            faults if faults.is_empty() => {
                Err(vec![keys::Fault { line: node.line, message: error.to_string(), hint: None }])
            }
            faults => Err(faults),
        },
    }
}

fn text_of(path: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Failure::usage(format!("could not read the configuration `{}`: {error}", path.display()))),
    }
}

/// The folder of the user's own configuration.
fn user_directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
    Some(base.join("offcut"))
}
