//! Running what an agent's shell was asked to run: with a reply where its output goes to the model, else untouched.

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

use offcut_platform::replace_process;

use super::fetch::is_fetch;
use crate::failure::Failure;
use crate::flags::ToolFlags;
use crate::run::{self, RunArgs};

/// Says to shells below one whose output is taken already that there is nothing left to do; `off` says the same.
pub(super) const VARIABLE: &str = "OFFCUT_SHELL";

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
}

/// What is to be run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandLine {
    /// The command that a model wrote; none where what is run is not for a model.
    pub(super) command: Option<String>,
    pub(super) program: Program,
}

impl CommandLine {
    /// Runs it, and ends as it ends. What goes wrong in Offcut before it has started lets it run all the same.
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let Some(command) = self.command.filter(|_| is_on()) else {
            return self.program.replace_us(&[]);
        };
        let inside = [(VARIABLE.into(), "inside".into())];
        if is_fetch(&command) {
            return self.program.replace_us(&inside);
        }
        let words = [self.program.program.clone()].into_iter().chain(self.program.arguments.clone());
        let args = RunArgs {
            tool: ToolFlags { args: Some(command), ..ToolFlags::default() },
            command: words.collect(),
            environment: inside.to_vec(),
            ..RunArgs::default()
        };
        match run::prepare(&args) {
            Ok(prepared) => prepared.run(),
            Err(failure) => {
                let _ = failure.tell();
                self.program.replace_us(&inside)
            }
        }
    }
}

/// Whether the user wants replies: `OFFCUT_SHELL=off` switches them off.
fn is_on() -> bool {
    env::var_os(VARIABLE).is_none_or(|value| value != "off")
}

impl Program {
    /// Becomes the program, with these variables beside ours, or ends as it ends. A shell must be told
    /// that it is inside: its startup file would bring it back here, and so on without end.
    fn replace_us(&self, environment: &[(OsString, OsString)]) -> Result<ExitCode, Failure> {
        let variables = environment.iter().map(|(name, value)| (name, value));
        replace_process(Command::new(&self.program).args(&self.arguments).envs(variables))
            .map_err(|error| run::refused(&self.program, self.arguments.len() + 1, &error))
    }
}
