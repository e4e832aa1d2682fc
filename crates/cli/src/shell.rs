//! `offcut shell …`: the parts that stand between a coding agent and its own shell.
//!
//! The agent judges and starts the model's own command; only then does its shell, or what stands before it, hand it to
//! Offcut. So permission rules, working directory, functions and exit codes are what they were.

pub(crate) mod fetch;
mod launch;
mod prefix;
pub(crate) mod startup;
mod words;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::failure::{Failure, while_doing};
use launch::{CommandLine, Program};

/// A link of this name to `offcut` is `offcut shell prefix`: Claude Code takes the path of a program, without arguments.
pub(crate) const PREFIX_LINK: &str = "offcut-shell-prefix";

const EXAMPLES: &str = "\
Examples:
  ln -s \"$(command -v offcut)\" ~/.local/bin/offcut-shell-prefix
  CLAUDE_CODE_SHELL_PREFIX=~/.local/bin/offcut-shell-prefix claude
  offcut shell bash-env > ~/.config/offcut/bash-env.sh
  BASH_ENV=~/.config/offcut/bash-env.sh qwen

`offcut init AGENT` sets these up. OFFCUT_SHELL=off switches them off.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ShellArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Run a script of Claude Code's shell tool; also what a link `offcut-shell-prefix` does
    Prefix {
        /// The script
        #[arg(value_name = "SCRIPT", allow_hyphen_values = true)]
        script: String,
    },
    /// Print a file for BASH_ENV that gives commands of an agent's bash a reply
    BashEnv,
    /// Print a `.zshenv` for ZDOTDIR that gives commands of an agent's zsh a reply
    Zsh,
    /// Run an agent's shell with a reply for the command that it was given
    #[command(hide = true)]
    Run {
        /// The command that the model wrote
        #[arg(value_name = "COMMAND", allow_hyphen_values = true)]
        command: String,
        /// The shell and its arguments [default: $SHELL -c COMMAND, or bash]
        #[arg(last = true, value_name = "CMD")]
        program: Vec<OsString>,
    },
}

/// Runs what a shell was given, or prints the file that makes a shell ask for that.
pub(crate) fn shell(args: ShellArgs) -> Result<ExitCode, Failure> {
    match args.action {
        Action::Prefix { script } => prefix::line(&script, std::env::var_os("SHELL")).run(),
        Action::Run { command, program } => {
            let mut words = program.into_iter();
            let program = match words.next() {
                Some(program) => Program { program, arguments: words.collect() },
                None => Program { program: user_shell(), arguments: vec!["-c".into(), command.clone().into()] },
            };
            CommandLine { command: Some(command), program }.run()
        }
        Action::BashEnv => print(&startup::bash(&this_program()?)),
        Action::Zsh => print(&startup::zsh(&this_program()?)),
    }
}

/// The shell that agents run commands in, unless they say otherwise.
fn user_shell() -> OsString {
    std::env::var_os("SHELL").filter(|shell| !shell.is_empty()).unwrap_or_else(|| "bash".into())
}

fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(while_doing("find the path of this program"))
}

fn print(text: &str) -> Result<ExitCode, Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(ExitCode::SUCCESS)
}
