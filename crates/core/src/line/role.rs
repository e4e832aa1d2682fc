//! The words for what a line is: its role, how grave it is, and what seeing it is worth.

/// The part that a line plays in the output of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The name of a test that failed.
    FailedTest,
    /// An error of a compiler, a tool, a logger.
    Error,
    /// What an exception or an assertion says.
    Message,
    /// Counts of what went well and what did not.
    Summary,
    /// How a process ended.
    ProcessExit,
    /// A file and a line in it.
    Location,
    /// A frame of a stack trace.
    Frame,
    /// What was expected, and what was found.
    Detail,
    /// A warning.
    Warning,
    /// The heading of a section about failures.
    Heading,
    /// A command that was run, or a step that began.
    Command,
    /// A login, or something done with the rights of another.
    AuditEvent,
    /// A test that passed, a step that went well, progress.
    Pass,
    /// A sentence that stands after every failure and tells nothing of this one.
    Boilerplate,
    /// Nothing in particular.
    Plain,
    /// White space only.
    Blank,
}

impl Role {
    /// The reason for which a line of this role is kept; none for lines that are nothing in particular.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Role::FailedTest => Some("failing test"),
            Role::Message | Role::Error | Role::Heading => Some("error"),
            Role::Summary => Some("summary"),
            Role::ProcessExit => Some("exit code"),
            Role::Location => Some("location"),
            Role::Frame => Some("stack trace"),
            Role::Detail => Some("expected and found"),
            Role::Warning => Some("warning"),
            Role::Command => Some("command"),
            Role::AuditEvent => Some("login, command or account"),
            Role::Plain | Role::Boilerplate | Role::Pass | Role::Blank => None,
        }
    }
}

/// How grave what a line says is, among the lines of its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Says nothing by itself: a library's frame, a count of no failures.
    Negligible,
    /// Worth a look where nothing else is.
    Low,
    /// Something went wrong.
    Medium,
    /// Something went wrong that others follow from.
    High,
    /// The verdict itself: the name of a failing test, the error that ended the run.
    Critical,
}

/// What a line is, how grave it is, and what seeing it is worth by itself, from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineScore {
    /// What the line is.
    pub role: Role,
    /// How grave it is.
    pub severity: Severity,
    /// What seeing it is worth.
    pub worth: f32,
}

/// What told a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Told<'r> {
    /// A rule, by its name.
    Rule(&'r str, LineScore),
    /// Nothing but the words in it.
    Mention(LineScore),
}
