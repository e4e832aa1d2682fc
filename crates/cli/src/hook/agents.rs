//! The agents that have hooks: where each event holds a command and its output, and what an answer looks like.
//!
//! The events in the tests are those that the agents sent, with their long texts shortened.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::before;
use super::event::{number, text};

/// An agent that has hooks.
pub(super) struct Agent {
    pub(super) name: &'static str,
    /// Its name in statistics, as in the table of agents by their variables.
    pub(super) label: &'static str,
    /// What is printed where there is nothing to say.
    pub(super) nothing: &'static str,
    pub(super) when: When,
}

/// When its hook is called.
pub(super) enum When {
    /// After a command, with its output.
    After { output: fn(&Value) -> Option<Output>, answer: fn(&Value, String) -> Value },
    /// Before a command: what is to be run instead, with the program at this path.
    Before { answer: fn(&Value, &Path) -> Option<Value> },
}

/// A command's output, as far as an event has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Output {
    /// The command that the model wrote.
    pub(super) command: String,
    pub(super) whole: OutputSource,
    /// The exit status, where the event tells it.
    pub(super) exit: Option<i64>,
    /// What the agent says behind the output, which the model should read too.
    pub(super) remark: String,
}

/// Where all of the output is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OutputSource {
    Text(String),
    /// In a file that the agent saved.
    File(PathBuf),
}

const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        label: "Claude Code",
        nothing: "",
        when: When::After { output: claude, answer: claude_answer },
    },
    Agent {
        name: "copilot",
        label: "Copilot CLI",
        nothing: "{}\n",
        when: When::After { output: copilot, answer: copilot_answer },
    },
    Agent {
        name: "gemini",
        label: "Gemini CLI",
        nothing: "{}\n",
        when: When::After { output: gemini, answer: denied },
    },
    Agent { name: "vibe", label: "Vibe", nothing: "", when: When::After { output: vibe, answer: denied } },
    Agent {
        name: "opencode",
        label: "opencode",
        nothing: "",
        when: When::After { output: plugin, answer: plugin_answer },
    },
    Agent { name: "pi", label: "pi", nothing: "", when: When::After { output: plugin, answer: plugin_answer } },
    Agent {
        name: "cline",
        label: "Cline",
        nothing: "{\"cancel\":false}\n",
        when: When::Before { answer: before::cline },
    },
];

impl Agent {
    /// The agent of this name.
    pub(super) fn named(name: &str) -> Option<&'static Agent> {
        AGENTS.iter().find(|agent| agent.name == name)
    }

    /// All names, for people.
    pub(super) fn names() -> String {
        AGENTS.iter().map(|agent| agent.name).collect::<Vec<_>>().join(", ")
    }
}

/// Claude Code, `PostToolUse` of `Bash`: an output over its limit is in a file.
fn claude(event: &Value) -> Option<Output> {
    let command = text(event, "/tool_input/command")?.to_owned();
    let stdout = text(event, "/tool_response/stdout").unwrap_or_default();
    let whole = match text(event, "/tool_response/persistedOutputPath") {
        Some(path) => OutputSource::File(path.into()),
        None => OutputSource::Text(stdout.to_owned()),
    };
    Some(Output { command, whole, exit: None, remark: String::new() })
}

fn claude_answer(event: &Value, reply: String) -> Value {
    let mut response = event.pointer("/tool_response").cloned().unwrap_or_else(|| json!({}));
    if let Value::Object(response) = &mut response {
        response.insert("stdout".to_owned(), reply.into());
        response.retain(|key, _| !key.starts_with("persistedOutput"));
    }
    json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "updatedToolOutput": response } })
}

/// Copilot CLI, `postToolUse`: an output over its limit is in a file that its text names.
fn copilot(event: &Value) -> Option<Output> {
    text(event, "/toolName").filter(|name| *name == "bash")?;
    let command = copilot_arguments(event)?.get("command")?.as_str()?.to_owned();
    let shown = text(event, "/toolResult/textResultForLlm")?;
    // The last line is Copilot's own: `<shellId: 0 completed with exit code 3>`.
    let (output, remark) = match shown.rfind("<shellId: ").and_then(|at| shown.split_at_checked(at)) {
        Some((output, remark)) if !remark.contains('\n') => (output, remark),
        _ => (shown, ""),
    };
    let exit = remark.split_once("exit code ").and_then(|(_, code)| code.trim_end_matches('>').parse().ok());
    let saved = output.lines().next().filter(|line| line.starts_with("Output too large"));
    let saved = saved.and_then(|line| line.split_once("Saved to: ")).map(|(_, path)| Path::new(path.trim()));
    // A command may print such a line itself: only files that Copilot names so are read.
    let is_copilots =
        |path: &&Path| path.file_name().is_some_and(|name| name.to_string_lossy().contains("-copilot-tool-output-"));
    let whole = match saved.filter(is_copilots) {
        Some(path) => OutputSource::File(path.to_owned()),
        None => OutputSource::Text(output.to_owned()),
    };
    Some(Output { command, whole, exit, remark: remark.to_owned() })
}

/// The arguments of the call, which some versions write as a text.
fn copilot_arguments(event: &Value) -> Option<Value> {
    match event.get("toolArgs")? {
        Value::String(written) => serde_json::from_str(written).ok(),
        arguments => Some(arguments.clone()),
    }
}

fn copilot_answer(event: &Value, reply: String) -> Value {
    let kind = text(event, "/toolResult/resultType").unwrap_or("success");
    json!({ "modifiedResult": { "textResultForLlm": reply, "resultType": kind } })
}

/// Gemini CLI, `AfterTool` of `run_shell_command`: all of the output, between words of Gemini's own.
fn gemini(event: &Value) -> Option<Output> {
    let command = text(event, "/tool_input/command")?.to_owned();
    let content = text(event, "/tool_response/llmContent")?;
    let inner = content.strip_prefix("<untrusted_context>\n").unwrap_or(content);
    let inner = inner.strip_suffix("\n</untrusted_context>").unwrap_or(inner);
    let mut output = inner.strip_prefix("Output: ")?;
    let (mut exit, mut remarks) = (None, Vec::new());
    // Fields of Gemini's own follow, one a line.
    while let Some((before, line)) = output.rsplit_once('\n') {
        let is_field = ["Exit Code: ", "Process Group PGID: ", "Signal: ", "Background PIDs: ", "Error: "]
            .iter()
            .any(|field| line.starts_with(field));
        if !is_field {
            break;
        }
        if let Some(code) = line.strip_prefix("Exit Code: ") {
            exit = code.parse().ok();
        }
        remarks.insert(0, line);
        output = before;
    }
    Some(Output { command, whole: OutputSource::Text(output.to_owned()), exit, remark: remarks.join("\n") })
}

/// Vibe, `post_tool` of `bash`: both streams, whole.
fn vibe(event: &Value) -> Option<Output> {
    let command = text(event, "/tool_input/command")?.to_owned();
    event.pointer("/tool_output/stdout")?;
    let streams = ["/tool_output/stdout", "/tool_output/stderr"].map(|path| text(event, path).unwrap_or_default());
    let exit = number(event, "/tool_output/returncode");
    let remark = match exit {
        Some(code) if code != 0 => format!("returncode: {code}"),
        _ => String::new(),
    };
    Some(Output { command, whole: OutputSource::Text(streams.concat()), exit, remark })
}

/// The answer of an agent that takes the reason of a refusal for the result.
fn denied(_event: &Value, reply: String) -> Value {
    json!({ "decision": "deny", "reason": reply })
}

/// What our own plugins send.
fn plugin(event: &Value) -> Option<Output> {
    let command = text(event, "/command")?.to_owned();
    let whole = match text(event, "/path") {
        Some(path) => OutputSource::File(path.into()),
        None => OutputSource::Text(text(event, "/output")?.to_owned()),
    };
    let remark = text(event, "/remark").unwrap_or_default().to_owned();
    Some(Output { command, whole, exit: number(event, "/exit"), remark })
}

fn plugin_answer(_event: &Value, reply: String) -> Value {
    json!({ "output": reply })
}

#[cfg(test)]
mod tests;
