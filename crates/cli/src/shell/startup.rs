//! The files that make a shell hand its commands to Offcut as it starts, as text to be written somewhere.

use std::path::Path;

use crate::caller;
use crate::place::quoted;

/// Stands in the files for this program.
const PROGRAM: &str = "@OFFCUT@";

/// Stands in the files for the agents' variables.
const AGENT: &str = "@AGENT@";

/// For `BASH_ENV`.
pub(crate) fn bash(program: &Path) -> String {
    fill(include_str!("bash_env.sh"), program)
}

/// For `.zshenv` in a directory that `ZDOTDIR` names.
pub(crate) fn zsh(program: &Path) -> String {
    fill(include_str!("zshenv.zsh"), program)
}

fn fill(text: &str, program: &Path) -> String {
    let agent: String = caller::shell_variables().map(|variable| format!("${{{variable}-}}")).collect();
    text.replace(PROGRAM, &quoted(&program.to_string_lossy())).replace(AGENT, &agent)
}
