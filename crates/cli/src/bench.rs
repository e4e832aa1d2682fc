//! `offcut bench`: the measurements, which are a program of their own so that this one does not carry them.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Args;
use offcut_platform::replace_process;

use crate::failure::Failure;

/// The program that measures.
const PROGRAM: &str = "offcut-bench";

/// What `offcut-bench` is called with.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct BenchArgs {
    /// A benchmark and its arguments: `quality`, `search` or `retention`; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

/// Becomes `offcut-bench`: the one beside this program, or the one on the PATH.
pub(crate) fn bench(args: &BenchArgs) -> Result<ExitCode, Failure> {
    let program = beside().unwrap_or_else(|| PROGRAM.into());
    let error = match replace_process(Command::new(&program).args(&args.arguments)) {
        Ok(code) => return Ok(code),
        Err(error) => error,
    };
    let failure = Failure::usage(match error.kind() {
        io::ErrorKind::NotFound => format!("`{PROGRAM}` is neither beside this program nor on the PATH"),
        _ => format!("`{}` cannot be started: {error}", program.display()),
    });
    Err(failure.hint(format!("`cargo build --release -p {PROGRAM}` in Offcut's sources builds it")))
}

fn beside() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?.with_file_name(format!("{PROGRAM}{EXE_SUFFIX}"));
    path.is_file().then_some(path)
}
