//! Limits, directories and descriptors that are not what they should be.

use crate::workbench::{Bench, Left};

/// Whether all of `seq 50000` was accounted for: its ends are shown, and what is missing is said.
fn is_a_reply(left: &Left) -> bool {
    left.stdout.contains("1\n2\n") && left.stdout.contains("\n50000\n") && left.code == Some(0)
}

#[test]
fn a_limit_on_file_sizes_costs_the_artifact_and_not_the_reply() {
    let bench = Bench::new();
    let left = bench.shell("(ulimit -f 8; seq 50000 | offcut )");
    assert!(is_a_reply(&left), "{left:?}");
    let left = bench.shell("(ulimit -f 8; offcut run -- seq 50000)");
    assert!(is_a_reply(&left), "{left:?}");
}

#[test]
fn a_working_directory_that_is_gone_costs_nothing() {
    let bench = Bench::new();
    for line in ["seq 50000 | offcut ", "offcut run -- seq 50000"] {
        let left = bench.shell(&format!("mkdir gone; cd gone; rmdir ../gone; {line}"));
        assert!(is_a_reply(&left), "{left:?}");
    }
}

#[test]
fn a_working_directory_that_cannot_be_read_costs_nothing() {
    let bench = Bench::new();
    for line in ["seq 50000 | offcut ", "offcut run -- seq 50000"] {
        let left =
            bench.shell(&format!("mkdir -p shut; cd shut; chmod 000 .; {line}; code=$?; chmod 700 .; exit $code"));
        assert!(is_a_reply(&left), "{left:?}");
    }
}

#[test]
fn a_home_and_a_temporary_directory_that_are_not_there_cost_nothing() {
    let bench = Bench::new();
    for line in [
        "unset HOME; seq 50000 | offcut ",
        "export HOME=/nonexistent; seq 50000 | offcut ",
        "export TMPDIR=/nonexistent; seq 50000 | offcut ",
        "export TMPDIR=/nonexistent; seq 50000 | offcut --store temp",
        "export TMPDIR=/nonexistent; offcut run --store temp -- seq 50000",
    ] {
        let left = bench.shell(line);
        assert!(is_a_reply(&left), "{line}: {left:?}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let bench = Bench::new();
    for line in ["seq 50000 | offcut | head -c 10", "offcut run -- seq 50000 | head -c 10"] {
        let left = bench.shell(line);
        assert_eq!((left.stderr.as_str(), left.code), ("", Some(0)), "{line}");
    }
    // The command ran, and how it ended is told.
    assert_eq!(bench.shell("offcut run -- sh -c 'echo x; exit 4' >&-").code, Some(4));
}

#[test]
fn a_directory_as_input_is_an_error_that_says_so() {
    let bench = Bench::new();
    let left = bench.shell("offcut < .");
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(1)));
    assert!(left.stderr.starts_with("error: could not read all of stdin: Is a directory"), "{}", left.stderr);
    assert_eq!(bench.shell("offcut <&-").code, Some(0));
}

#[test]
fn commands_and_servers_do_not_inherit_our_own_secrets() {
    let bench = Bench::new();
    let hello = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#;
    let command = r#"{"name":"bash","arguments":{"command":"echo [$OFFCUT_TOKEN$OFFCUT_MODEL_KEY]"}}"#;
    let message = |rest: String| format!("'{{\"jsonrpc\":\"2.0\",{rest}}}'");
    let messages = [
        message(format!(r#""id":0,"method":"initialize","params":{hello}"#)),
        message(r#""method":"notifications/initialized""#.to_owned()),
        message(format!(r#""id":1,"method":"tools/call","params":{command}"#)),
    ];
    for server in ["mcp", "wrap -- sh -c 'echo [$OFFCUT_TOKEN] >&2; exec $0 mcp' offcut "] {
        let line = format!("(printf '%s\\n' {}; sleep 3) | offcut {server}", messages.join(" "));
        let left = bench.shell(&format!("export OFFCUT_TOKEN=0123456789abcdef OFFCUT_MODEL_KEY=fedcba98; {line}"));
        assert!(left.stdout.contains(r#""text":"[]\n""#), "{server}: {left:?}");
        assert!(!left.stderr.contains("0123456789abcdef"), "{server}: {left:?}");
    }
}
