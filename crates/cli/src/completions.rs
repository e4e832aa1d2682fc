//! `offcut completions`: completion scripts for shells.

use std::io::{self, Write};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh
    shell: Shell,
}

/// Prints the script for `command`.
pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<(), Failure> {
    // Made in memory: the generator panics where its writer fails, and the reader of a pipe may leave.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "offcut", &mut script);
    let mut stdout = io::stdout().lock();
    stdout.write_all(&script)?;
    stdout.flush()?;
    Ok(())
}
