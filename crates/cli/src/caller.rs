//! Which coding agent runs us, by the variables that it sets for its commands.

use std::ffi::OsString;

/// A coding agent, as the table knows it.
#[derive(Clone, Copy)]
pub(crate) struct Agent {
    name: &'static str,
    variables: &'static [&'static str],
    /// After how many seconds it looks at what a command has printed, or ends it for good.
    pub(crate) interim: Option<u64>,
    /// Whether its shell reads a file as it starts that hands the command to us.
    startup: bool,
}

// The table: `caller/agents.toml`.
include!(concat!(env!("OUT_DIR"), "/callers.rs"));

/// The variables by which a shell knows, as it starts, that it runs a command of an agent which is set up that way.
pub(crate) fn shell_variables() -> impl Iterator<Item = &'static str> {
    AGENTS.iter().filter(|agent| agent.startup).flat_map(|agent| agent.variables).copied()
}

/// The name of the coding agent that runs us, if one does.
pub(crate) fn agent_name() -> Option<&'static str> {
    agent(|name| std::env::var_os(name)).map(|agent| agent.name)
}

/// The coding agent that runs us, if one does.
pub(crate) fn agent(variable: impl Fn(&str) -> Option<OsString>) -> Option<Agent> {
    let is_set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());
    let found = AGENTS.iter().find(|agent| agent.variables.iter().any(is_set)).copied();
    found.inspect(|agent| tracing::debug!(name = agent.name, "a coding agent runs us"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_in_the_table_is_known_by_each_of_its_variables() {
        assert!(AGENTS.len() > 10);
        for Agent { name, variables, .. } in AGENTS {
            assert!(!variables.is_empty(), "{name}");
            for variable in *variables {
                let found = agent(|asked| (asked == *variable).then(|| "1".into()));
                assert_eq!(found.unwrap().name, *name, "{variable}");
                let found = agent(|asked| (asked == *variable).then(OsString::new));
                assert!(found.is_none(), "an empty one says nothing");
            }
        }
    }
}
