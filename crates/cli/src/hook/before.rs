//! A command is about to run: the same command, with a reply.
//!
//! Only for an agent that offers nothing else. The answer changes what is run and nothing about whether it may be.

use std::path::Path;

use serde_json::{Value, json};

use crate::place::quoted;
use crate::shell::fetch::is_fetch;

/// Cline, `PreToolUse`: its shell tool takes a list of commands.
pub(super) fn cline(event: &Value, program: &Path) -> Option<Value> {
    let input = event.pointer("/tool_call/input").or_else(|| event.pointer("/preToolUse/parameters"))?;
    let commands = input.get("commands")?.as_array()?;
    let mut input = input.clone();
    let commands: Option<Vec<Value>> = commands.iter().map(|command| with_reply(command, program)).collect();
    input.as_object_mut()?.insert("commands".to_owned(), commands?.into());
    Some(json!({ "cancel": false, "overrideInput": input }))
}

/// The command in a shell whose output becomes a reply; a fetch as it is.
fn with_reply(command: &Value, program: &Path) -> Option<Value> {
    let command = command.as_str()?;
    if is_fetch(command) {
        return Some(command.into());
    }
    Some(format!("{} shell run {}", quoted(&program.to_string_lossy()), quoted(command)).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_get_a_reply_and_fetches_stay_as_they_are() {
        let event = json!({ "tool_call": { "name": "run_commands", "input": {
            "commands": ["cat 'a b'", "offcut show 9kgw 1-5"], "timeout": 5 } } });
        let answer = cline(&event, Path::new("/opt/my tools/offcut")).unwrap();
        assert_eq!(
            answer,
            json!({ "cancel": false, "overrideInput": {
                "commands": [r"'/opt/my tools/offcut' shell run 'cat '\''a b'\'''", "offcut show 9kgw 1-5"],
                "timeout": 5 } })
        );
    }

    #[test]
    fn other_tools_are_left_alone() {
        let event = json!({ "tool_call": { "name": "read_files", "input": { "paths": ["a"] } } });
        assert_eq!(cline(&event, Path::new("offcut")), None);
    }
}
