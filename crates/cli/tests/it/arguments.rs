//! Arguments as people type them, and what they are told about those that are wrong.

use crate::workbench::{Bench, lines};

#[test]
fn arguments_in_the_wrong_place_are_told_where_they_go() {
    let bench = Bench::new();
    let check = |arguments: &[&str], expected: &str| {
        let left = bench.call(arguments);
        assert_eq!((left.stdout.as_str(), left.code), ("", Some(2)), "{arguments:?}");
        assert!(left.stderr.ends_with(&format!("\nhint: {expected}\n")), "{arguments:?}: {}", left.stderr);
    };
    check(&["run", "ls", "-l"], "put `--` before the command: offcut run -- ls -l");
    let behind = "options stand behind the command's name: offcut";
    check(&["--store", "a b", "show", "last", "1-9"], &format!("{behind} show --store 'a b' last 1-9"));
    check(&["-l", "900", "run", "--", "ls"], &format!("{behind} run -l 900 -- ls"));
    check(&["run", "--limit", "900", "ls", "a b"], "put `--` before the command: offcut run --limit 900 -- ls 'a b'");
    check(&["ls", "-l"], "to run a command: offcut run -- ls -l");
    bench.write("build.log", "x\n");
    check(&["build.log"], "to cut a file: offcut < build.log; to see what would be kept: offcut explain build.log");
    let left = bench.call(&["no-such-command-at-all"]);
    assert!(left.code == Some(2) && !left.stderr.contains("hint:"), "{left:?}");
}

#[test]
fn a_reader_that_leaves_a_completion_script_early_is_no_error() {
    let bench = Bench::new();
    let left = bench.shell("{ offcut completions bash; echo code $? >&2; } | head -1");
    assert_eq!((left.stdout.lines().count(), left.stderr.as_str()), (1, "code 0\n"));
}

#[test]
fn a_limit_may_have_commas_between_its_thousands() {
    let bench = Bench::new();
    let left = bench.pipe(lines(300).as_bytes(), &["--limit", "2,000"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    assert!(left.stdout.chars().count() <= 2001 && left.stdout.contains("[offcut "), "{}", left.stdout);
}

#[test]
fn bookends_saves_a_file_that_has_the_id_of_the_call_in_its_name() {
    let bench = Bench::new();
    let flags = ["--profile", "bookends", "--tool", "shell", "--call-id", "call_7"];
    let left = bench.pipe(lines(2000).as_bytes(), &flags);
    assert!(left.stdout.contains("/shell-call_7-"), "{}", left.stdout.lines().next().unwrap());
}

#[test]
fn overrides_hold_under_every_name_of_the_same_tool() {
    let bench = Bench::new();
    bench.write(
        "offcut.toml",
        "[overrides.bash]\ninline_limit = 900\n[overrides.READ_FILE.redaction]\nnumbered = true\n",
    );
    for tool in ["bash", "Bash", "execute_command", "run_shell_command"] {
        let left = bench.pipe(lines(100).as_bytes(), &["--tool", tool]);
        assert!(left.stdout.chars().count() <= 901, "{tool}");
    }
    assert_eq!(bench.pipe(lines(100).as_bytes(), &["--tool", "http_request"]).stdout, lines(100));
    let secret = format!("password={}\n", "hunter22secret");
    let left = bench.pipe(secret.as_bytes(), &["--tool", "read"]);
    assert_eq!(left.stdout, "password=[REDACTED: PASSWORD #1]\n");
}
