//! `offcut man`: the manual pages, made from the arguments.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command};

use crate::failure::{Failure, while_doing};

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command to this directory instead
    directory: Option<PathBuf>,
}

/// Prints the manual page of `command`, or writes one for each command to a directory.
pub(crate) fn manual(args: &ManArgs, command: Command) -> Result<(), Failure> {
    match &args.directory {
        None => io::stdout().lock().write_all(&page(command)?).map_err(Failure::from),
        Some(directory) => {
            let doing = format!("write manual pages to `{}`", directory.display());
            clap_mangen::generate_to(command, directory).map_err(while_doing(doing))
        }
    }
}

fn page(command: Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    // The features of this build are not the manual's business.
    clap_mangen::Man::new(command.version(env!("CARGO_PKG_VERSION"))).render(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::commands::Cli;
    use crate::kept;

    #[test]
    fn the_arguments_are_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_manual_page_that_is_kept_is_that_of_the_arguments() {
        kept::check("docs/offcut.1", &String::from_utf8(page(Cli::command()).unwrap()).unwrap());
    }

    #[test]
    fn the_page_about_commands_has_the_help_of_every_command() {
        let mut helps = String::new();
        let mut command = Cli::command().term_width(100);
        command.build();
        collect(&mut command, "offcut", &mut helps);
        kept::check_part("docs/cli.md", "commands", &helps);
    }

    fn collect(command: &mut clap::Command, name: &str, helps: &mut String) {
        let help = command.render_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        helps.push_str(&format!("### `{name}`\n\n```text\n{}\n```\n\n", help.join("\n").trim_end()));
        for below in command.get_subcommands_mut().filter(|below| below.get_name() != "help") {
            let name = format!("{name} {}", below.get_name());
            collect(below, &name, helps);
        }
    }
}
