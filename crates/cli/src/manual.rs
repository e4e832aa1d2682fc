//! `offcut man`: the manual pages, made from the arguments.

use std::io::{self, Write};
use std::path::Path;

use clap::CommandFactory;

use crate::args::Cli;
use crate::failure::{Failure, while_doing};

/// Prints the manual page, or writes one for each command to a directory.
pub(crate) fn manual(directory: Option<&Path>) -> Result<(), Failure> {
    match directory {
        None => io::stdout().lock().write_all(&page()?).map_err(Failure::from),
        Some(directory) => {
            let doing = format!("write manual pages to `{}`", directory.display());
            clap_mangen::generate_to(Cli::command(), directory).map_err(while_doing(doing))
        }
    }
}

fn page() -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn file(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
    }

    fn check(name: &str, generated: &str) {
        let kept = std::fs::read_to_string(file(name)).unwrap_or_default();
        if kept == generated {
            return;
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(file(name), generated).unwrap();
            return;
        }
        panic!("`{name}` is not what the code says: run `BLESS=1 cargo test -p offcut-cli` and look at the change");
    }

    #[test]
    fn the_arguments_are_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_manual_page_that_is_kept_is_that_of_the_arguments() {
        check("docs/offcut.1", &String::from_utf8(page().unwrap()).unwrap());
    }

    #[test]
    fn the_page_about_commands_has_the_help_of_every_command() {
        let name = "docs/cli.md";
        let kept = std::fs::read_to_string(file(name)).unwrap();
        let (begin, end) = ("<!-- commands: generated -->\n", "<!-- end of commands -->");
        let (before, rest) = kept.split_once(begin).unwrap();
        let (_, after) = rest.split_once(end).unwrap();
        let mut helps = String::new();
        let mut command = Cli::command().term_width(100);
        command.build();
        collect(&mut command, "offcut", &mut helps);
        check(name, &format!("{before}{begin}{helps}{end}{after}"));
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
