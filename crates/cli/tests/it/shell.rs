//! `offcut shell`: what an agent's own shell runs, with real shells.

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::workbench::{Bench, Left, OFFCUT, id_in};

/// A command of the bench's, by another program than the binary.
fn command(bench: &Bench, program: &str, arguments: &[&str]) -> Command {
    let ours = bench.command(&[]);
    let mut other = Command::new(program);
    other.args(arguments).current_dir(bench.root());
    for (name, value) in ours.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    // The tests may themselves be run by an agent.
    for name in ["CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX", "QWEN_CODE", "GOOSE_TERMINAL", "BASH_ENV"] {
        other.env_remove(name);
    }
    other
}

/// The script that Claude Code makes of a command.
fn script(bench: &Bench, command: &str) -> String {
    bench.write(
        "shell-snapshots/snapshot-bash-1-x.sh",
        "greet() { echo \"hello $1\"; }\nshopt -s expand_aliases\nalias hi=greet\n",
    );
    let quoted = format!("'{}'", command.replace('\'', r#"'"'"'"#));
    format!(
        "source {snapshot} 2>/dev/null || true && \\builtin shopt -u extglob 2>/dev/null || true && eval {quoted} < /dev/null && pwd -P >| {cwd}",
        snapshot = bench.path("shell-snapshots/snapshot-bash-1-x.sh").display(),
        cwd = bench.path("cwd").display(),
    )
}

/// Runs `line` as Claude Code does with `CLAUDE_CODE_SHELL_PREFIX`.
fn prefixed(bench: &Bench, line: &str) -> Left {
    let link = bench.path("offcut-shell-prefix");
    if !link.exists() {
        symlink(OFFCUT, &link).unwrap();
    }
    bench.run(&mut command(bench, link.to_str().unwrap(), &[line]))
}

/// Runs `line` in bash as an agent does that sets `BASH_ENV`, with one variable of its own.
fn started(bench: &Bench, variable: &str, arguments: &[&str]) -> Left {
    let file = bench.path("bash-env.sh");
    if !file.exists() {
        std::fs::write(&file, bench.call(&["shell", "bash-env"]).stdout).unwrap();
    }
    let mut command = command(bench, "bash", arguments);
    bench.run(command.env("BASH_ENV", &file).env(variable, "1"))
}

#[test]
fn a_command_behind_the_prefix_gets_a_reply_and_keeps_everything_else() {
    let bench = Bench::new();
    bench.write("sub/x.txt", "");
    let left = prefixed(&bench, &script(&bench, "cd sub; seq 1 40000; exit 3"));
    assert_eq!((left.stderr.as_str(), left.code), ("", Some(3)));
    assert!(left.stdout.len() < 9000 && left.stdout.contains("39999\n40000"), "{}", left.stdout);
    let id = id_in(&left.stdout);
    let shown = bench.call(&["artifacts", "info", &id]);
    assert!(shown.stdout.contains("cd sub; seq 1 40000; exit 3") && !shown.stdout.contains("snapshot"), "{shown:?}");

    // The directory, functions, aliases and quotes of the script.
    let left = prefixed(&bench, &script(&bench, "cd sub && greet 'a  b' && eval hi 'you'\ncat <<'EOF'\n$x \"y\"\nEOF"));
    assert_eq!(left, Left { stdout: "hello a  b\nhello you\n$x \"y\"\n".into(), stderr: String::new(), code: Some(0) });
    let cwd = std::fs::read_to_string(bench.path("cwd")).unwrap();
    assert!(cwd.ends_with("/project/sub\n"), "{cwd}");
}

#[test]
fn reading_back_behind_the_prefix_is_not_cut_again() {
    let bench = Bench::new();
    let id = id_in(&prefixed(&bench, &script(&bench, "seq 1 40000")).stdout);
    let fetch = format!("cd . && {OFFCUT} artifacts show {id} --lines 101-9000");
    let page = prefixed(&bench, &script(&bench, &fetch));
    assert_eq!(page, bench.call(&["artifacts", "show", &id, "--lines", "101-9000"]));
    assert_eq!(bench.call(&["artifacts", "list", "--json"]).stdout.matches("\"id\"").count(), 1);
}

#[test]
fn servers_and_hooks_behind_the_prefix_pass_untouched() {
    let bench = Bench::new();
    let whole: String = (1..=40000).map(|n| format!("{n}\n")).collect();
    assert_eq!(prefixed(&bench, "seq 1 40000").stdout, whole);
    assert_eq!(prefixed(&bench, "seq 1 40000 && exit 5"), Left { stdout: whole, stderr: String::new(), code: Some(5) });
    let link = bench.path("offcut-shell-prefix");
    let mut server = command(&bench, link.to_str().unwrap(), &[&format!("{OFFCUT} mcp")]);
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let left = bench.pipe_into(&mut server, format!("{hello}\n").as_bytes());
    assert!(left.stdout.starts_with(r#"{"jsonrpc":"2.0","id":1,"result""#), "{left:?}");
}

#[test]
fn a_shell_that_reads_the_startup_file_gives_the_agent_a_reply() {
    let bench = Bench::new();
    let left = started(&bench, "QWEN_CODE", &["-c", "seq 1 40000; exit 3"]);
    assert_eq!((left.stderr.as_str(), left.code), ("", Some(3)));
    assert!(left.stdout.len() < 9000, "{} bytes", left.stdout.len());
    assert!(bench.call(&["artifacts", "info", &id_in(&left.stdout)]).stdout.contains("seq 1 40000; exit 3"));

    // Name, arguments and options of the shell, and shells below it, are as they were.
    let line = r#"echo "$0 $1 $2"; x=$(bash -c 'seq 1 40000' | wc -l); echo "$x"; set -o | grep -c 'errexit.*on'"#;
    let left = started(&bench, "QWEN_CODE", &["-e", "-c", line, "name", "a b", "c"]);
    assert_eq!(left, Left { stdout: "name a b c\n40000\n1\n".into(), stderr: String::new(), code: Some(0) });
    assert_eq!(started(&bench, "QWEN_CODE", &["-c", "kill -9 $$"]).code, Some(137));
}

#[test]
fn reading_back_in_a_shell_that_reads_the_startup_file_is_not_cut_again_and_ends() {
    let bench = Bench::new();
    let reply = started(&bench, "QWEN_CODE", &["-c", "seq 20000"]).stdout;
    let fetch = format!("{OFFCUT} artifacts show {} --lines 5001-6000", id_in(&reply));
    let page = started(&bench, "QWEN_CODE", &["-c", &fetch]);
    assert!(page.stdout.lines().eq((5001..=6000).map(|number| number.to_string())), "{}", page.stdout);
    // Also where Offcut cannot be set up.
    bench.write("broken.toml", "[[[");
    let flags = format!("{OFFCUT} --config broken.toml show none");
    assert!(started(&bench, "GOOSE_TERMINAL", &["-c", &flags]).code != Some(0));
}

#[test]
fn the_startup_file_does_nothing_where_no_such_agent_runs_the_shell() {
    let bench = Bench::new();
    let whole: String = (1..=40000).map(|n| format!("{n}\n")).collect();
    assert_eq!(started(&bench, "SOMETHING", &["-c", "seq 1 40000"]).stdout, whole);
    bench.write("script.sh", "seq 1 40000\n");
    assert_eq!(started(&bench, "QWEN_CODE", &["script.sh"]).stdout, whole);
    let mut off = command(&bench, "bash", &["-c", "seq 1 40000"]);
    off.env("BASH_ENV", bench.path("bash-env.sh")).env("QWEN_CODE", "1").env("OFFCUT_SHELL", "off");
    assert_eq!(bench.run(&mut off).stdout, whole);
    // The program is gone: the file stays, and nothing else happens.
    let file = std::fs::read_to_string(bench.path("bash-env.sh")).unwrap();
    bench.write("bash-env.sh", &file.replace(OFFCUT, "/nowhere/offcut"));
    assert_eq!(started(&bench, "QWEN_CODE", &["-c", "seq 1 40000"]).stdout, whole);
}

#[test]
fn a_mistake_in_the_configuration_does_not_keep_a_command_from_running() {
    let bench = Bench::new();
    bench.write("offcut.toml", "inline_limt = 5\n[[[");
    let left = prefixed(&bench, &script(&bench, "echo here; exit 4"));
    assert_eq!((left.stdout.as_str(), left.code), ("here\n", Some(4)), "{left:?}");
    let left = started(&bench, "QWEN_CODE", &["-c", "echo here; exit 4"]);
    assert_eq!((left.stdout.as_str(), left.code), ("here\n", Some(4)), "{left:?}");
}

#[test]
fn a_background_job_does_not_hold_the_command_up() {
    let bench = Bench::new();
    let before = std::time::Instant::now();
    let left = prefixed(&bench, &script(&bench, "(sleep 30; echo late) & echo started"));
    assert_eq!((left.stdout.as_str(), left.code), ("started\n", Some(0)));
    assert!(before.elapsed().as_secs() < 20);
}
