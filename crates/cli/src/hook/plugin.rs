//! Plugins for agents that load code instead of calling a program: each hands the event to `offcut hook`.

use std::path::Path;

use serde_json::Value;

/// Stands in the plugins for this program, as a JavaScript string.
const PROGRAM: &str = "\"@OFFCUT@\"";

/// The plugin for `agent` that calls the program at `program`; none for agents that load none.
pub(crate) fn text(agent: &str, program: &Path) -> Option<String> {
    let text = match agent {
        "opencode" => include_str!("opencode.js"),
        "pi" => include_str!("pi.ts"),
        _ => return None,
    };
    Some(text.replace(PROGRAM, &Value::from(program.to_string_lossy()).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_names_the_program_as_a_string_of_its_language() {
        for agent in ["opencode", "pi"] {
            let text = text(agent, Path::new("/opt/a \"b\"/offcut")).unwrap();
            assert!(text.contains(r#"const OFFCUT = "/opt/a \"b\"/offcut""#), "{text}");
            assert!(!text.contains("@OFFCUT@"));
        }
        assert_eq!(text("vibe", Path::new("offcut")), None);
    }
}
