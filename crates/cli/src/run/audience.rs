//! Who reads what `run` prints: a person at a terminal gets the stream, a model the reply.

use std::ffi::OsString;

use clap::ValueEnum;
use serde::Deserialize;

/// The variable that says what `--reply` does where nobody gives that flag.
pub(crate) const VARIABLE: &str = "OFFCUT_REPLY";

/// When the reply is printed instead of the stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplyWhen {
    /// In a pipe or a file, and on the terminal of a coding agent
    #[default]
    Auto,
    /// Always
    Always,
    /// Never: stream everything
    Never,
}

impl ReplyWhen {
    /// Whether the output streams by: `terminal` says whether stdout is one.
    pub(super) fn streams(self, terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
        match self {
            ReplyWhen::Always => false,
            ReplyWhen::Never => true,
            ReplyWhen::Auto => terminal && agent(variable).is_none(),
        }
    }

    /// What the environment says, if it says anything: a word that is none of ours is an error.
    pub(super) fn from_environment(value: Option<OsString>) -> Result<ReplyWhen, String> {
        let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(ReplyWhen::Auto) };
        let value = value.to_string_lossy();
        ReplyWhen::from_str(&value, true)
            .map_err(|_| format!("${VARIABLE} is `{value}`: expected `auto`, `always` or `never`"))
    }
}

#[derive(Deserialize)]
struct Agents {
    agent: Vec<Agent>,
}

#[derive(Deserialize)]
struct Agent {
    name: String,
    variables: Vec<String>,
}

/// The coding agent that runs us, if one does.
fn agent(variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let is_set = |name: &String| variable(name).is_some_and(|value| !value.is_empty());
    let found = agents().into_iter().find(|agent| agent.variables.iter().any(is_set));
    found.map(|agent| agent.name)
}

fn agents() -> Vec<Agent> {
    // A test reads the table, so that it can be read.
    toml::from_str::<Agents>(include_str!("agents.toml")).map(|table| table.agent).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(names: &'static [&'static str]) -> impl Fn(&str) -> Option<OsString> {
        |name| names.contains(&name).then(|| "1".into())
    }

    #[test]
    fn every_agent_in_the_table_is_known_by_each_of_its_variables() {
        let agents = agents();
        assert!(agents.len() > 10);
        for Agent { name, variables } in agents {
            assert!(!variables.is_empty(), "{name}");
            for variable in variables {
                assert_eq!(agent(|asked| (asked == variable).then(|| "1".into())), Some(name.clone()), "{variable}");
                assert_eq!(agent(|asked| (asked == variable).then(OsString::new)), None, "an empty one says nothing");
            }
        }
    }

    #[test]
    fn a_person_gets_the_stream_and_a_model_the_reply() {
        assert!(ReplyWhen::Auto.streams(true, with(&["PATH"])));
        assert!(!ReplyWhen::Auto.streams(true, with(&["GEMINI_CLI"])));
        assert!(!ReplyWhen::Auto.streams(false, with(&[])));
        assert!(ReplyWhen::Never.streams(false, with(&["GEMINI_CLI"])));
        assert!(!ReplyWhen::Always.streams(true, with(&[])));
    }

    #[test]
    fn the_environment_says_one_of_three_words() {
        assert_eq!(ReplyWhen::from_environment(None), Ok(ReplyWhen::Auto));
        assert_eq!(ReplyWhen::from_environment(Some("".into())), Ok(ReplyWhen::Auto));
        assert_eq!(ReplyWhen::from_environment(Some("always".into())), Ok(ReplyWhen::Always));
        let message = ReplyWhen::from_environment(Some("yes".into())).unwrap_err();
        assert_eq!(message, "$OFFCUT_REPLY is `yes`: expected `auto`, `always` or `never`");
    }
}
