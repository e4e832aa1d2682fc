//! How the model of a conversation gets back what was left out: only by tools that it really has.

use offcut_core::notice::{self, Recall, Shell};

/// Names that agents give to their shell.
const SHELLS: [&str; 14] = [
    "bash",
    "shell",
    "sh",
    "local_shell",
    "shell_command",
    "exec",
    "exec_command",
    "execute_command",
    "execute_bash",
    "run_command",
    "run_shell_command",
    "run_terminal_cmd",
    "run_in_terminal",
    "terminal",
];

/// Who reads the notices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecallChannel {
    /// Somebody who has `get_task_trace` and `get_artifact`, whatever the conversation declares.
    Trace,
    /// The model that the conversation is sent to, with the tools that it declares. A shell's commands end with these
    /// words: ` --session s --store /path`; `{session}` in them is the session's name.
    Declared(String),
}

/// The calls that a model can make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Calls {
    /// For parts of an artifact.
    pub(crate) recall: Recall,
    /// For the whole of a trace; none where the model has nothing that could call it.
    trace: Option<TraceCall>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TraceCall {
    Trace(String),
    Artifact(String),
    Shell(String),
}

impl RecallChannel {
    /// The calls for a model with these tools, in this session.
    pub(crate) fn calls(&self, tools: &[String], session: &str) -> Calls {
        let RecallChannel::Declared(words) = self else {
            let trace = Some(TraceCall::Trace(offcut_trace_name()));
            return Calls { recall: Recall::default(), trace };
        };
        let words = words.replace("{session}", session);
        let ending = |name: &str| tools.iter().find(|tool| tool.ends_with(name)).cloned();
        let artifact = ending("get_artifact");
        let shell = tools.iter().any(|tool| is_shell(tool));
        let trace = match (ending(super::trace::NAME), &artifact) {
            (Some(name), _) => Some(TraceCall::Trace(name)),
            (None, Some(name)) => Some(TraceCall::Artifact(name.clone())),
            (None, None) => shell.then(|| TraceCall::Shell(words.clone())),
        };
        Calls {
            recall: artifact
                .map_or_else(|| Recall::Shell(Shell { place: words.clone(), ..Shell::default() }), Recall::Tool),
            trace,
        }
    }
}

fn offcut_trace_name() -> String {
    super::trace::NAME.to_owned()
}

impl Calls {
    /// The call for the whole of a trace; none where the model could make none.
    pub(crate) fn trace(&self, id: &str) -> Option<String> {
        Some(match self.trace.as_ref()? {
            TraceCall::Trace(name) if name == super::trace::NAME => notice::task_trace(id),
            TraceCall::Trace(name) => format!("{name}(traceId=\"{id}\")"),
            TraceCall::Artifact(name) => Recall::Tool(name.clone()).whole(id),
            TraceCall::Shell(words) => format!("offcut trace {id}{words}"),
        })
    }

    /// What tells these calls from others.
    pub(crate) fn name(&self) -> String {
        format!("{:?}", self)
    }
}

/// Whether a tool runs commands, by its name: alone, or behind a server's name.
fn is_shell(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    let tool = tool.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    SHELLS.iter().any(|shell| {
        tool.strip_suffix(shell).is_some_and(|before| before.is_empty() || before.ends_with(['_', '-', '.', '/', ':']))
    })
}

/// Whether a call only reads back what was left out: its result is never cut again.
pub(crate) fn reads_back(tool: &str, arguments: &str) -> bool {
    ["get_artifact", super::trace::NAME, "tool_output"].iter().any(|name| tool.ends_with(name))
        || (is_shell(tool)
            && ["offcut show", "offcut grep", "offcut artifacts", "offcut trace"]
                .iter()
                .any(|command| arguments.contains(command)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(tools: &[&str]) -> Calls {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        RecallChannel::Declared(" --session {session}".to_owned()).calls(&tools, "s")
    }

    #[test]
    fn only_tools_that_are_declared_are_named() {
        let both = calls(&["Bash", "mcp__offcut__get_artifact", "mcp__offcut__get_task_trace"]);
        assert_eq!(both.recall.whole("art_1_a"), "mcp__offcut__get_artifact(id=\"art_1_a\")");
        assert_eq!(both.trace("art_1_a").unwrap(), "mcp__offcut__get_task_trace(traceId=\"art_1_a\")");
        let one = calls(&["offcut_get_artifact"]);
        assert_eq!(one.trace("art_1_a").unwrap(), "offcut_get_artifact(id=\"art_1_a\")");
        let shell = calls(&["Read", "Bash"]);
        assert_eq!(shell.recall.whole("art_1_a"), "offcut artifacts show art_1_a --session s");
        assert_eq!(shell.trace("art_1_a").unwrap(), "offcut trace art_1_a --session s");
        assert_eq!(calls(&["Read", "web_search"]).trace("art_1_a"), None);
        assert_eq!(RecallChannel::Trace.calls(&[], "s").trace("t").unwrap(), "get_task_trace(traceId=\"t\")");
    }

    #[test]
    fn shells_are_known_by_name() {
        for tool in
            ["Bash", "bash_20250124", "shell", "run_shell_command", "developer__shell", "mcp.exec", "local_shell"]
        {
            assert!(is_shell(tool), "{tool}");
        }
        for tool in ["seashell", "Read", "exec_plan", "publish", "eggshell"] {
            assert!(!is_shell(tool), "{tool}");
        }
    }

    #[test]
    fn what_reads_back_is_known_by_its_tool_or_its_command() {
        assert!(reads_back("mcp__offcut__get_artifact", "{}"));
        assert!(reads_back("Bash", r#"{"command":"offcut artifacts show art_1_a --lines 1-9"}"#));
        assert!(reads_back("Bash", r#"{"command":"offcut show 9kgw 1-9"}"#));
        assert!(reads_back("Bash", r#"{"command":"offcut grep 9kgw error"}"#));
        assert!(!reads_back("Bash", r#"{"command":"cargo test"}"#));
        assert!(!reads_back("Read", r#"{"path":"offcut artifacts"}"#));
    }
}
