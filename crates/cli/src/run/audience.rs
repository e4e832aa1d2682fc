//! Who reads what `run` prints: a person at a terminal gets the stream, a model the reply.

use std::ffi::OsString;
use std::time::Duration;

use clap::ValueEnum;

use super::interim;
use crate::caller::agent;

/// The variable that says what `--reply` does where nobody gives that flag.
const VARIABLE: &str = "OFFCUT_REPLY";

/// What is shown of the output while the command runs.
#[derive(Debug, Default)]
pub(super) struct LiveView {
    /// Whether all of it streams by, and no reply follows.
    pub(super) stream: bool,
    /// After what time its beginning is passed on, if it is.
    pub(super) interim: Option<Duration>,
    /// What is wrong with the environment.
    pub(super) problems: Vec<String>,
}

impl LiveView {
    /// Decides by the flags, else the environment, else who reads; `terminal` says whether stdout is one.
    pub(super) fn of(
        when: Option<ReplyWhen>,
        after: Option<Duration>,
        terminal: bool,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> LiveView {
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
        LiveView { stream, interim: after.or_else(by_agent).filter(|_| !stream), problems }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn with(names: &'static [&'static str]) -> impl Fn(&str) -> Option<OsString> {
        |name| names.contains(&name).then(|| "1".into())
    }

    #[test]
    fn a_person_gets_the_stream_and_a_model_the_reply() {
        let streams = |when, terminal, names| LiveView::of(when, None, terminal, with(names)).stream;
        assert!(streams(None, true, &["PATH"]));
        assert!(!streams(None, true, &["GEMINI_CLI"]));
        assert!(!streams(None, false, &[]));
        assert!(streams(Some(ReplyWhen::Never), false, &["GEMINI_CLI"]));
        assert!(!streams(Some(ReplyWhen::Always), true, &[]));
    }

    #[test]
    fn an_agent_that_looks_in_between_is_shown_something() {
        let interim = |after, names| LiveView::of(None, after, false, with(names)).interim;
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
