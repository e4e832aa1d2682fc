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
mod run;

mod artifacts;
mod audit;
mod bench;
mod explain;
mod extract;
mod mcp;
mod profiles;
mod proxy;
mod redact;
mod retain;
mod serve;
mod stats;
mod trace;
mod wrap;

#[cfg(test)]
mod kept;
mod logging;
mod manual;
mod table;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    logging::start().and_then(|()| dispatch(cli)).unwrap_or_else(|failure| failure.tell())
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let done = match cli.command {
        None if filter::nobody_pipes() => Cli::command().print_help().map_err(Failure::from),
        None => return filter::filter(&cli.filter),
        Some(Command::Run(args)) => return run::run(&args),
        Some(Command::Artifacts(args)) => return artifacts::artifacts(&args.command),
        Some(Command::Extract(args)) => return extract::extract(&args),
        Some(Command::Explain(args)) => return explain::explain(&args),
        Some(Command::Config(args)) => config::commands::config(&args.command),
        Some(Command::Profiles(args)) => profiles::profiles(args.json),
        Some(Command::Stats(args)) => stats::stats(&args),
        Some(Command::Audit(args)) => audit::audit(&args),
        Some(Command::Mcp(args)) => return mcp::mcp(&args),
        Some(Command::Redact(args)) => return redact::redact(&args),
        Some(Command::Retain(args)) => return retain::retain(&args),
        Some(Command::Trace(args)) => return trace::trace(&args),
        Some(Command::Serve(args)) => return serve::serve(&args),
        Some(Command::Wrap(args)) => return wrap::wrap(&args),
        Some(Command::Bench { command }) => bench::bench(&command),
        Some(Command::Completions { shell }) => {
            clap_complete::generate(shell, &mut Cli::command(), "offcut", &mut io::stdout());
            Ok(())
        }
        Some(Command::Man { directory }) => manual::manual(directory.as_deref()),
    };
    done.map(|()| ExitCode::SUCCESS)
}
