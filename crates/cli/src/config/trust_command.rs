//! `offcut config trust`: lets a project's own file set the keys that can weaken safety or point outside of it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::trust::{self, Trust};
use super::{AGENT_FILE, PROJECT_FILES, files, read, user_directory};
use crate::failure::{Failure, while_doing};
use crate::place;

const EXAMPLES: &str = "\
A project's own file (offcut.toml, offcut.yml, .agent/config.yml) comes with the
project, so it cannot switch redaction off, allow secrets, choose the model, or
store artifacts outside the project until you trust it. Trust is remembered for
the file's present content: after any change the file must be trusted again.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TrustArgs {
    /// The file [default: the project's own files]
    file: Option<PathBuf>,
    /// Stop trusting the file
    #[arg(long)]
    revoke: bool,
}

/// Trusts the project's files as they are now, and shows what that allows.
pub(crate) fn trust(args: &TrustArgs) -> Result<(), Failure> {
    let root = place::root();
    let Some(directory) = user_directory() else {
        return Err(Failure::other("there is no user configuration directory to remember it in").hint("set $HOME"));
    };
    let trust = Trust::in_directory(&directory);
    let mut out = io::stdout().lock();
    for path in files_of(args.file.as_deref(), &root)? {
        let shown = path.display();
        if args.revoke {
            let was_trusted = trust.remove(&path).map_err(while_doing("write the list of trusted files"))?;
            writeln!(out, "{shown}: {}", if was_trusted { "no longer trusted" } else { "was not trusted" })?;
            continue;
        }
        let file = files::read(&path).map_err(|why| Failure::usage(format!("{shown}: {why}")))?;
        let file = file.ok_or_else(|| Failure::usage(format!("{shown}: no such file")))?;
        let mut node = read(&path, &file.text).map_err(|problem| Failure::usage(problem.message))?;
        trust.add(&path, &file.text).map_err(while_doing("write the list of trusted files"))?;
        writeln!(out, "{shown}: trusted")?;
        for withheld in trust::withhold(&mut node, &root) {
            writeln!(out, "  line {}: `{}` {}", withheld.line, withheld.key, withheld.why)?;
        }
    }
    Ok(())
}

/// The file that was named, or those that the project has.
fn files_of(named: Option<&Path>, root: &Path) -> Result<Vec<PathBuf>, Failure> {
    if let Some(path) = named {
        return Ok(vec![std::path::absolute(path).map_err(while_doing("find the working directory"))?]);
    }
    let present: Vec<PathBuf> = std::iter::once(AGENT_FILE)
        .chain(PROJECT_FILES)
        .map(|name| root.join(name))
        .filter(|path| path.symlink_metadata().is_ok())
        .collect();
    if present.is_empty() {
        return Err(Failure::other(format!("`{}` has no configuration file", root.display()))
            .hint("`offcut config init` creates one"));
    }
    Ok(present)
}
