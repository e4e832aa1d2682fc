//! What is wrong with a configuration: where it stands, what it is, and what would be right.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use crate::failure::Failure;

/// How many problems are printed one by one before the rest is only counted.
const PRINTED: usize = 8;

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

/// Whether a command that can be started again stops for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    /// A mistake: `config check` fails, and so does what a person starts.
    Error,
    /// Something that has no effect; nothing fails for it.
    Warning,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) severity: Severity,
    /// The place and what is wrong there: `offcut.toml:3: unknown key …`.
    pub(crate) message: String,
    /// What would be right.
    pub(crate) hint: Option<String>,
}

impl Problem {
    /// A mistake.
    pub(crate) fn error(message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Error, message: message.into(), hint: None }
    }

    /// Something that has no effect.
    pub(crate) fn warning(message: impl Into<String>) -> Problem {
        Problem { severity: Severity::Warning, message: message.into(), hint: None }
    }

    /// With what would be right.
    pub(crate) fn hint(self, hint: impl Into<Option<String>>) -> Problem {
        Problem { hint: hint.into(), ..self }
    }
}

/// Everything that is wrong, in the order in which it was found.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    all: Vec<Problem>,
}

impl Problems {
    /// Adds one; the same one is not said twice.
    pub(crate) fn add(&mut self, problem: Problem) {
        if !self.all.contains(&problem) {
            self.all.push(problem);
        }
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.all.iter()
    }

    /// The mistakes as one failure, where there are any.
    pub(crate) fn failure(&self) -> Result<(), Failure> {
        let errors: Vec<&Problem> = self.of(Severity::Error).collect();
        if errors.is_empty() {
            return Ok(());
        }
        let lines: Vec<&str> = errors.iter().map(|problem| problem.message.as_str()).collect();
        let failure = Failure::usage(lines.join("\n       "));
        Err(match errors.iter().find_map(|problem| problem.hint.clone()) {
            Some(hint) => failure.hint(hint),
            None => failure,
        })
    }

    /// Prints the warnings on stderr.
    pub(crate) fn print_warnings(&self) {
        print(self.of(Severity::Warning));
    }

    /// Prints everything on stderr, a line each: for those that go on in spite of it.
    pub(crate) fn print_all(&self) {
        print(self.all.iter());
    }

    /// The mistakes, for the reports of replies that were made in spite of them.
    pub(crate) fn reasons(&self) -> Vec<String> {
        self.of(Severity::Error).map(|problem| format!("configuration: {}", problem.message)).collect()
    }

    fn of(&self, severity: Severity) -> impl Iterator<Item = &Problem> {
        self.all.iter().filter(move |problem| problem.severity == severity)
    }
}

fn print<'p>(problems: impl Iterator<Item = &'p Problem>) {
    let problems: Vec<&Problem> = problems.collect();
    let mut text = String::new();
    for problem in problems.iter().take(PRINTED) {
        let hint = problem.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        text.push_str(&format!("offcut: {}{hint}\n", problem.message));
    }
    if problems.len() > PRINTED {
        text.push_str(&format!("offcut: and {} more; see `offcut config check`\n", problems.len() - PRINTED));
    }
    // Nothing can be done about a stderr that cannot be written.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
