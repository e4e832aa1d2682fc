//! `offcut completions`: completion scripts for shells.

use std::io::{self, Write};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::commands::Cli;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    shell: Shell,
}

/// Prints the script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    // Made in memory: the generator panics where its writer fails, and the reader of a pipe may leave.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "offcut", &mut script);
    let mut stdout = io::stdout().lock();
    stdout.write_all(&script)?;
    stdout.flush()?;
    Ok(())
}
