//! Who reads what `run` prints: a person at a terminal gets the stream, a model the reply.

use std::ffi::OsString;
use std::time::Duration;

use clap::ValueEnum;
use serde::Deserialize;

use super::interim;

/// The variable that says what `--reply` does where nobody gives that flag.
const VARIABLE: &str = "OFFCUT_REPLY";

/// What is shown of the output while the command runs.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Whether all of it streams by, and no reply follows.
    pub(super) stream: bool,
    /// After what time its beginning is passed on, if it is.
    pub(super) interim: Option<Duration>,
    /// What is wrong with the environment.
    pub(super) problems: Vec<String>,
}

impl Shown {
    /// Decides by the flags, else the environment, else who reads; `terminal` says whether stdout is one.
    pub(super) fn of(
        when: Option<ReplyWhen>,
        after: Option<Duration>,
        terminal: bool,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Shown {
        let when = when.map_or_else(|| ReplyWhen::from_environment(variable(VARIABLE)), Ok);
        let after =
            after.map_or_else(|| interim::from_environment(variable(interim::VARIABLE)), |after| Ok(Some(after)));
        let (mut problems, agent) = (Vec::new(), agent(&variable));
        let when = when.unwrap_or_else(|why| {
            problems.push(why);
            ReplyWhen::default()
        });
        let stream = when.streams(terminal, agent.is_some());
        let after = after.unwrap_or_else(|why| {
            problems.push(why);
            None
        });
        let by_agent = || agent.and_then(|agent| agent.interim).map(Duration::from_secs);
        Shown { stream, interim: after.or_else(by_agent).filter(|_| !stream), problems }
    }
}

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
    /// Whether the output streams by.
    fn streams(self, terminal: bool, agent: bool) -> bool {
        match self {
            ReplyWhen::Always => false,
            ReplyWhen::Never => true,
            ReplyWhen::Auto => terminal && !agent,
        }
    }

    /// What the environment says, if it says anything: a word that is none of ours is an error.
    fn from_environment(value: Option<OsString>) -> Result<ReplyWhen, String> {
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
#[serde(deny_unknown_fields)]
struct Agent {
    name: String,
    variables: Vec<String>,
    /// After how many seconds it looks at what a command has printed, or ends it for good.
    interim: Option<u64>,
    /// Whether its shell reads a file as it starts that hands the command to us.
    #[serde(default)]
    startup: bool,
}

/// The variables by which a shell knows, as it starts, that it runs a command of an agent which is set up that way.
pub(crate) fn shell_variables() -> Vec<String> {
    agents().into_iter().filter(|agent| agent.startup).flat_map(|agent| agent.variables).collect()
}

/// The name of the coding agent that runs us, if one does.
pub(crate) fn agent_name() -> Option<String> {
    agent(|name| std::env::var_os(name)).map(|agent| agent.name)
}

/// The coding agent that runs us, if one does.
fn agent(variable: impl Fn(&str) -> Option<OsString>) -> Option<Agent> {
    let is_set = |name: &String| variable(name).is_some_and(|value| !value.is_empty());
    let found = agents().into_iter().find(|agent| agent.variables.iter().any(is_set));
    found.inspect(|agent| tracing::debug!(name = agent.name, "a coding agent runs us"))
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
        for Agent { name, variables, .. } in agents {
            assert!(!variables.is_empty(), "{name}");
            for variable in variables {
                let found = agent(|asked| (asked == variable).then(|| "1".into()));
                assert_eq!(found.unwrap().name, name, "{variable}");
                let found = agent(|asked| (asked == variable).then(OsString::new));
                assert!(found.is_none(), "an empty one says nothing");
            }
        }
    }

    #[test]
    fn a_person_gets_the_stream_and_a_model_the_reply() {
        let streams = |when, terminal, names| Shown::of(when, None, terminal, with(names)).stream;
        assert!(streams(None, true, &["PATH"]));
        assert!(!streams(None, true, &["GEMINI_CLI"]));
        assert!(!streams(None, false, &[]));
        assert!(streams(Some(ReplyWhen::Never), false, &["GEMINI_CLI"]));
        assert!(!streams(Some(ReplyWhen::Always), true, &[]));
    }

    #[test]
    fn an_agent_that_looks_in_between_is_shown_something() {
        let interim = |after, names| Shown::of(None, after, false, with(names)).interim;
        assert_eq!(interim(None, &["PI_CODING_AGENT"]), Some(Duration::from_secs(10)));
        assert_eq!(interim(None, &["CLAUDECODE"]), None);
        assert_eq!(interim(Some(Duration::from_secs(1)), &["PI_CODING_AGENT"]), Some(Duration::from_secs(1)));
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
