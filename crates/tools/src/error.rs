//! Why a tool could not do what it was asked.

use std::io;

use offcut::policy::PolicyError;

/// Why a tool could not do what it was asked: the thing, and what would be right.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The arguments are not an object.
    #[error("{tool}: the arguments are {found}: expected an object with {expected}")]
    NotAnObject {
        /// The tool.
        tool: &'static str,
        /// What they are.
        found: String,
        /// The arguments that it takes.
        expected: String,
    },
    /// An argument that the tool does not take.
    #[error("{tool}: unknown argument `{argument}`: expected {expected}")]
    UnknownArgument {
        /// The tool.
        tool: &'static str,
        /// The argument.
        argument: String,
        /// The arguments that it takes.
        expected: String,
    },
    /// An argument that the tool needs.
    #[error("{tool}: missing argument `{argument}`: expected {expected}")]
    MissingArgument {
        /// The tool.
        tool: &'static str,
        /// The argument.
        argument: &'static str,
        /// What would be right.
        expected: &'static str,
    },
    /// An argument of the wrong type, or out of range.
    #[error("{tool}: `{argument}` is {found}: expected {expected}")]
    BadArgument {
        /// The tool.
        tool: &'static str,
        /// The argument.
        argument: &'static str,
        /// What it is.
        found: String,
        /// What would be right.
        expected: String,
    },
    /// A path that does not exist, or is not what the tool needs.
    #[error("{path}: {problem}")]
    Path {
        /// The path, as it was given.
        path: String,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
    /// The caller wanted no more of it.
    #[error("{tool} was cancelled")]
    Cancelled {
        /// The tool.
        tool: &'static str,
    },
    /// The system did not do its part.
    #[error("could not {doing}: {source}")]
    System {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
    /// The policy has no rules for this call.
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

/// Makes an error of the system one that says what was being done.
pub(crate) fn while_doing(doing: impl Into<String>) -> impl FnOnce(io::Error) -> ToolError {
    let doing = doing.into();
    move |source| ToolError::System { doing, source }
}
