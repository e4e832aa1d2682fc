//! The command line of Offcut.
//!
//! Arguments, configuration files and the terminal live here; what happens to an output is the library's.

mod args;
mod config;
mod duration;
mod failure;
mod place;
mod ranges;
mod setup;

mod filter;
mod logging;
mod run;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    logging::start().and_then(|()| dispatch(cli)).unwrap_or_else(|failure| failure.tell())
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    match cli.command {
        None if filter::nobody_pipes() => {
            Cli::command().print_help()?;
            Ok(ExitCode::SUCCESS)
        }
        None => filter::filter(&cli.filter),
        Some(Command::Run(args)) => run::run(&args),
        _ => Ok(ExitCode::SUCCESS),
    }
}
