//! What was probably meant by arguments that cannot be read.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::commands::Cli;
use crate::place::quoted;

/// Prints what is wrong with the arguments and, where it can be guessed, what would be right.
pub(crate) fn print(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    // Nothing can be done about a stderr that cannot be written, and a reader of the help may leave early.
    let _ = error.print();
    let words: Vec<String> = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(hint) = hint(error, &words) {
        let _ = writeln!(anstream::stderr().lock(), "\nhint: {hint}");
    }
    match words.first().map(String::as_str) {
        // An agent takes exit code 2 of its hook for a refusal.
        Some("hook") if error.use_stderr() => ExitCode::FAILURE,
        _ => u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from),
    }
}

/// What to write instead; `words` are the arguments without the program's name.
fn hint(error: &clap::Error, words: &[String]) -> Option<String> {
    let line = |words: &[String]| words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let kind = match error.kind() {
        ErrorKind::ArgumentConflict => {
            let at =
                words.iter().position(|word| Cli::command().find_subcommand(word).is_some()).filter(|at| *at > 0)?;
            let (options, command) = words.split_at(at);
            let (name, rest) = command.split_at(1);
            let right = [name, options, rest].map(line).join(" ");
            return Some(format!("options stand behind the command's name: offcut {}", right.trim_end()));
        }
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => return None,
    };
    let Some(ContextValue::String(wrong)) = error.get(kind) else { return None };
    let at = words.iter().position(|word| word == wrong)?;
    let (before, command) = words.split_at(at);
    if before.first().is_some_and(|word| word == "run") && !wrong.starts_with('-') {
        return Some(format!("put `--` before the command: offcut {} -- {}", line(before), line(command)));
    }
    if !before.is_empty() || wrong.starts_with('-') {
        return None;
    }
    if Path::new(wrong).is_file() {
        let file = quoted(wrong);
        return Some(format!("to cut a file: offcut < {file}; to see what would be kept: offcut explain {file}"));
    }
    is_program(wrong).then(|| format!("to run a command: offcut run -- {}", line(command)))
}

/// Whether a command of this name is found.
fn is_program(name: &str) -> bool {
    let directories = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&directories).any(|directory| directory.join(name).is_file())
}
