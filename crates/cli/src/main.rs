//! The command line of Offcut.
//!
//! Arguments, configuration files and the terminal live here; what happens to an output is the library's.

mod caller;
mod commands;
mod config;
mod duration;
mod failure;
mod flags;
mod hints;
mod output;
mod place;
mod ranges;
mod setup;
mod signals;
mod telemetry;
mod version;

mod filter;
mod run;

mod artifacts;
mod audit;
mod bench;
mod completions;
mod doctor;
mod explain;
mod extract;
mod hook;
mod init;
mod mcp;
mod profiles;
mod program;
mod proxy;
mod raw_lines;
mod redact;
mod retain;
mod savings;
mod serve;
mod shell;
mod stats;
mod trace;
mod ui;
mod wrap;

#[cfg(test)]
mod kept;
mod listen;
mod logging;
mod manual;
mod table;

use std::process::ExitCode;

use commands::dispatch;

fn main() -> ExitCode {
    offcut_platform::survive_file_limits();
    let arguments = commands::arguments(std::env::args_os());
    let cli = match commands::parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return hints::print(&error, &arguments),
    };
    logging::start();
    dispatch(cli).unwrap_or_else(|failure| failure.tell())
}
