//! `CLAUDE_CODE_SHELL_PREFIX`: a program that is given each script which Claude Code wants run, as one argument.
//!
//! Scripts of its shell tool load a snapshot of the user's shell, `eval` the command that the model wrote, and note the
//! directory that it ended in. Claude Code also starts MCP servers and hooks through the prefix: those pass untouched.

use std::ffi::OsString;
use std::path::Path;

use super::launch::{CommandLine, Program};
use super::words;

/// What stands behind the model's command in a script of the shell tool.
const EPILOGUE: &str = "&& pwd -P >| ";

/// What to run for `script`.
pub(super) fn line(script: &str, shell: Option<OsString>) -> CommandLine {
    match model_command(script) {
        Some(command) => CommandLine { command: Some(command), program: in_shell(script, shell) },
        None => CommandLine { command: None, program: untouched(script, shell) },
    }
}

/// The command that the model wrote, where `script` is one of the shell tool.
fn model_command(script: &str) -> Option<String> {
    let (before, _) = script.rsplit_once(EPILOGUE)?;
    let mut evals = words::commands(before)?
        .into_iter()
        .filter(|simple| simple.words.first().is_some_and(|word| matches!(word.text.as_str(), "eval" | "\\eval")));
    evals.next_back()?.words.into_iter().nth(1).map(|word| word.text)
}

/// The script in the shell that it was written for.
fn in_shell(script: &str, shell: Option<OsString>) -> Program {
    let is_one =
        |name: &str| shell.as_deref().and_then(|shell| Path::new(shell).file_name()).is_some_and(|it| it == name);
    let name = if script.contains("/snapshot-zsh-") { "zsh" } else { "bash" };
    let program = shell.clone().filter(|_| is_one(name)).unwrap_or_else(|| name.into());
    Program { program, arguments: vec!["-c".into(), script.into()] }
}

/// A server or a hook: the words themselves where they are no more than that, so that signals reach the program.
fn untouched(script: &str, shell: Option<OsString>) -> Program {
    match words::literal_words(script).as_deref() {
        Some([program, arguments @ ..]) => {
            Program { program: program.into(), arguments: arguments.iter().map(OsString::from).collect() }
        }
        _ => in_shell(script, shell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPSHOT: &str = "source /home/u/.claude/shell-snapshots/snapshot-bash-1-x.sh 2>/dev/null || true && \
                            \\builtin shopt -u extglob 2>/dev/null || true && eval ";

    fn script(quoted: &str) -> String {
        format!("{SNAPSHOT}{quoted} < /dev/null && pwd -P >| /tmp/claude-1-cwd")
    }

    #[test]
    fn the_command_that_the_model_wrote_is_found_in_the_script() {
        for (quoted, command) in [
            ("'cat a.log'", "cat a.log"),
            (r#"'echo '"'"'a && eval b'"'"''"#, "echo 'a && eval b'"),
            (r#""echo 'x' && pwd -P >| y""#, "echo 'x' && pwd -P >| y"),
            ("'cat <<EOF\na\nEOF'", "cat <<EOF\na\nEOF"),
        ] {
            let line = line(&script(quoted), Some("/bin/bash".into()));
            assert_eq!(line.command.as_deref(), Some(command));
            assert_eq!(
                line.program,
                Program { program: "/bin/bash".into(), arguments: vec!["-c".into(), script(quoted).into()] }
            );
        }
    }

    #[test]
    fn a_script_for_zsh_is_run_by_zsh() {
        let script = script("ls").replace("snapshot-bash-", "snapshot-zsh-");
        assert_eq!(line(&script, Some("/bin/bash".into())).program.program, "zsh");
        assert_eq!(line(&script, Some("/usr/bin/zsh".into())).program.program, "/usr/bin/zsh");
    }

    #[test]
    fn servers_and_hooks_pass_untouched() {
        let server = line("npx -y server /data", None);
        assert_eq!(server.command, None);
        assert_eq!(
            server.program,
            Program { program: "npx".into(), arguments: ["-y", "server", "/data"].map(OsString::from).into() }
        );
        let hook = line("~/.claude/hooks/a.sh && true", None);
        assert_eq!(hook.command, None);
        assert_eq!(hook.program.arguments, ["-c", "~/.claude/hooks/a.sh && true"]);
    }
}
