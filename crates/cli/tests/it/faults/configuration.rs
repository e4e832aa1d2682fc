//! A wrong configuration never stops what stands in a pipe or in front of a command.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::workbench::{Bench, filtered, id_in, lines};

/// A secret that is put together here.
fn secret() -> String {
    format!("postgres://app:{}@db.local/main\n", "hunter22")
}

/// Every command that must go on does: the output is there, the mistake is said, the report is marked, and secrets go.
fn goes_on(bench: &Bench, environment: &[(&str, &str)], said: &str) {
    let with = |command: &mut Command| {
        for (name, value) in environment {
            command.env(name, value);
        }
    };
    let mut filter = bench.command(&["--report", "report.json"]);
    with(&mut filter);
    let left = bench.pipe_into(&mut filter, secret().as_bytes());
    assert_eq!((left.stdout.as_str(), left.code), ("postgres://app:[REDACTED: PASSWORD]@db.local/main\n", Some(0)));
    assert!(filtered(&left.stderr, bench).starts_with(&format!("offcut: {said}")), "{}", left.stderr);
    let report: Value = serde_json::from_slice(&std::fs::read(bench.path("report.json")).unwrap()).unwrap();
    let degraded = report["degraded"][0].as_str().unwrap_or_else(|| panic!("{report}"));
    assert!(filtered(degraded, bench).starts_with(&format!("configuration: {said}")), "{degraded}");

    let mut run = bench.command(&["run", "--", "sh", "-c", "echo ran; exit 7"]);
    with(&mut run);
    let left = bench.run(&mut run);
    assert_eq!((left.stdout.as_str(), left.code), ("ran\n", Some(7)), "{}", left.stderr);
    assert!(filtered(&left.stderr, bench).starts_with(&format!("offcut: {said}")), "{}", left.stderr);

    let mut retain = bench.command(&["retain"]);
    with(&mut retain);
    let body = json!({"messages": [{"role": "user", "content": "go"}]}).to_string();
    retain.args(["--report", "retained.json"]);
    assert_eq!(bench.pipe_into(&mut retain, body.as_bytes()).stdout, body);
    let report: Value = serde_json::from_slice(&std::fs::read(bench.path("retained.json")).unwrap()).unwrap();
    assert!(report["degraded"][0].is_string(), "{report}");

    let mut redact = bench.command(&["redact", "--quiet"]);
    with(&mut redact);
    let left = bench.pipe_into(&mut redact, secret().as_bytes());
    assert_eq!((left.stdout.contains("[REDACTED: "), left.code), (true, Some(0)), "{}", left.stderr);
}

/// What a person starts fails for the same mistake.
fn fails(bench: &Bench, environment: &[(&str, &str)], said: &str) {
    for command in [&["artifacts", "list"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let mut command = bench.command(command);
        for (name, value) in environment {
            command.env(name, value);
        }
        let left = bench.run(&mut command);
        assert_eq!(left.code, Some(2), "{}", left.stderr);
        assert!(filtered(&left.stderr, bench).starts_with(&format!("error: {said}")), "{}", left.stderr);
    }
}

#[test]
fn a_mistake_in_a_file_costs_its_key_and_nothing_else() {
    for (file, text, said) in [
        ("offcut.yml", "inline_limt: 5\n", "PROJECT/offcut.yml:1: unknown key `inline_limt`"),
        (
            "offcut.toml",
            "head_ratio = 7\n",
            "PROJECT/offcut.toml:1: `head_ratio` is `7`: expected a number from 0 to 1",
        ),
        ("offcut.toml", "inline_limit = 5\n", "PROJECT/offcut.toml:1: `inline_limit` is `5`: expected at least 400"),
        ("offcut.toml", "this is not toml\n", "PROJECT/offcut.toml:1: not valid TOML: "),
        ("offcut.yml", "- auto\n- head_tail\n", "PROJECT/offcut.yml:1: expected a table of keys, found a list"),
        ("offcut.yml", "artifacts: [kept]\n", "PROJECT/offcut.yml:1: `artifacts` is a list: expected a table of keys"),
        (".agent/config.yml", "tools: [\n", "PROJECT/.agent/config.yml"),
        (
            "offcut.toml",
            "[redaction]\nmode = \"of\"\n",
            "PROJECT/offcut.toml:2: `redaction.mode` is `of`: expected one of",
        ),
        (
            "offcut.toml",
            "[extraction]\nparallel = 0\n",
            "PROJECT/offcut.toml:2: `extraction.parallel` is `0`: expected",
        ),
        ("offcut.toml", "[redaction]\ndisable = [\"nosuch\"]\n", "PROJECT/offcut.toml:2: "),
    ] {
        let bench = Bench::new();
        bench.write(file, text);
        if text.contains("disable") {
            assert_eq!(bench.call(&["config", "trust"]).code, Some(0));
        }
        goes_on(&bench, &[], said);
        fails(&bench, &[], said);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_as_if_it_were_not_there() {
    let bench = Bench::new();
    std::fs::write(bench.path("offcut.toml"), b"profile = \"\xff\"\n").unwrap();
    goes_on(&bench, &[], "PROJECT/offcut.toml: not UTF-8 (line 1)");
    fails(&bench, &[], "PROJECT/offcut.toml: not UTF-8 (line 1)");
    bench.write("offcut.yml", "profile: paged\n");
    goes_on(&bench, &[], "both `PROJECT/offcut.toml` and `PROJECT/offcut.yml` exist: the first one is used");
    std::fs::remove_file(bench.path("offcut.toml")).unwrap();
    std::fs::remove_file(bench.path("offcut.yml")).unwrap();
    std::fs::create_dir(bench.path("offcut.toml")).unwrap();
    goes_on(&bench, &[], "PROJECT/offcut.toml: not a regular file");
    let named = bench.path("named.toml").display().to_string();
    goes_on(&bench, &[("OFFCUT_CONFIG", &named)], "PROJECT/named.toml: no such file");
}

#[test]
fn what_is_no_regular_file_is_neither_waited_for_nor_read_without_end() {
    for target in ["/dev/zero", "/dev/stdin", "/proc/self/fd/0"] {
        let bench = Bench::new();
        symlink(target, bench.path("offcut.toml")).unwrap();
        goes_on(&bench, &[], "PROJECT/offcut.toml: not a regular file");
    }
    let bench = Bench::new();
    assert!(Command::new("mkfifo").arg(bench.path("offcut.toml")).status().unwrap().success());
    goes_on(&bench, &[], "PROJECT/offcut.toml: not a regular file");
}

#[test]
fn a_log_that_is_a_fifo_hangs_nobody() {
    let bench = Bench::new();
    let kept = |bench: &Bench| bench.pipe(lines(300).as_bytes(), &["--limit", "2000"]);
    id_in(&kept(&bench).stdout);
    for log in ["events.jsonl", "audit.jsonl"] {
        let path = bench.path(".offcut/artifacts").join(log);
        std::fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    }
    let left = kept(&bench);
    assert_eq!((left.stderr.as_str(), left.code), ("", Some(0)));
    assert_eq!(bench.call(&["artifacts", "show", &id_in(&left.stdout), "--all"]).stdout, lines(300));
    for command in ["stats", "audit"] {
        let left = bench.call(&[command]);
        assert!(left.code == Some(1) && left.stderr.contains("not a regular file"), "{left:?}");
    }
}

#[test]
fn a_mistake_in_the_environment_costs_its_variable_and_nothing_else() {
    let bench = Bench::new();
    for (name, value, said) in [
        ("OFFCUT_PROFILE", "pagd", "$OFFCUT_PROFILE: `profile` is `pagd`: expected one of auto"),
        ("OFFCUT_INLINE_LIMIT", "-1", "$OFFCUT_INLINE_LIMIT: `inline_limit` is `-1`: expected"),
        ("OFFCUT_LINE_TRUNCATION__TAIL_LINES", "many", "$OFFCUT_LINE_TRUNCATION__TAIL_LINES: "),
        ("OFFCUT_REDACTION__MODE", "none", "$OFFCUT_REDACTION__MODE: `redaction.mode` is `none`: expected one of"),
        ("OFFCUT_SESSION", "a/b", "$OFFCUT_SESSION: `a/b` is not a valid session id"),
        ("OFFCUT_ARTIFACTS__STORAGE", "gopher://hole", "$OFFCUT_ARTIFACTS__STORAGE: `artifacts.storage`: "),
        ("OFFCUT_ARTIFACTS__STORAGE", "s3://bucket/prefix?x=1", "$OFFCUT_ARTIFACTS__STORAGE: `artifacts.storage`: "),
    ] {
        goes_on(&bench, &[(name, value)], said);
        fails(&bench, &[(name, value)], said);
    }
}

#[test]
fn what_is_empty_or_unknown_or_only_about_logs_is_no_mistake() {
    let bench = Bench::new();
    for (variable, said) in [
        ("OFFCUT_FOO=1", "offcut: $OFFCUT_FOO: unknown key `foo` "),
        ("OFFCUT_LOG='[[['", "offcut: $OFFCUT_LOG: not a log filter: "),
        ("OFFCUT_PROFILE=", ""),
        ("OFFCUT_SESSION=", ""),
        ("OFFCUT_CONFIG=", ""),
    ] {
        let left = bench.shell(&format!("seq 90000 | {variable} offcut --json"));
        assert_eq!(left.code, Some(0), "{}", left.stderr);
        let reply: Value = serde_json::from_str(&left.stdout).unwrap();
        assert_eq!((reply["report"]["original_lines"].as_u64(), reply["report"].get("degraded")), (Some(90000), None));
        assert!(left.stderr.starts_with(said) && left.stderr.is_empty() == said.is_empty(), "{}", left.stderr);
        let left = bench.shell(&format!("{variable} offcut run -- echo ran"));
        assert_eq!((left.stdout.as_str(), left.code), ("ran\n", Some(0)));
        assert_eq!(bench.shell(&format!("{variable} offcut config check")).code, Some(0), "{variable}");
    }
}

#[test]
fn what_is_broken_elsewhere_in_an_agent_s_file_is_not_ours() {
    let bench = Bench::new();
    bench.write(".agent/config.yml", "model: [broken\n\ntools:\n  truncation:\n    inline_limit: 600\n");
    let left = bench.pipe(lines(100).as_bytes(), &[]);
    assert_eq!((left.stderr.as_str(), left.code), ("", Some(0)));
    assert!(left.stdout.chars().count() <= 601, "{}", left.stdout);
}

#[test]
fn the_value_of_the_layer_below_holds() {
    let bench = Bench::new();
    bench.write("../.config/offcut/config.toml", "inline_limit = 600\n");
    bench.write("offcut.toml", "inline_limit = \"many\"\n");
    let left = bench.pipe(lines(100).as_bytes(), &[]);
    assert!(left.stdout.chars().count() <= 601, "{}", left.stdout);
    bench.write("offcut.toml", "inline_limit = 0\n");
    let left = bench.pipe(lines(100).as_bytes(), &[]);
    assert!(left.stdout.chars().count() <= 601, "{}", left.stdout);
    // And the next command finds what was kept.
    std::fs::remove_file(bench.path("offcut.toml")).unwrap();
    assert_eq!(bench.call(&["artifacts", "show", &id_in(&left.stdout), "--all"]).stdout, lines(100));
}

#[test]
fn flags_that_are_refused_cost_themselves_and_not_the_output() {
    let bench = Bench::new();
    for flags in [
        &["--profile", "pagd"][..],
        &["--strategy", "nosuch"],
        &["--limit", "5"],
        &["--session", "a/b"],
        &["--store", "gopher://hole"],
        &["--store", ""],
        &["--config", "nosuch.toml"],
    ] {
        let left = bench.pipe(lines(300).as_bytes(), flags);
        assert_eq!(left.code, Some(0), "{flags:?}: {}", left.stderr);
        assert!(left.stdout.chars().count() <= 8001 && left.stdout.contains("entry 300 "), "{flags:?}");
        assert!(left.stderr.starts_with("offcut: "), "{flags:?}: {}", left.stderr);
        assert_eq!(bench.call(&["artifacts", "show", &id_in(&left.stdout), "--all"]).stdout, lines(300), "{flags:?}");
    }
}

#[test]
fn what_is_wrong_with_redaction_s_own_keys_is_in_its_report() {
    let bench = Bench::new();
    bench.write("offcut.toml", "[redaction]\nmode = \"sometimes\"\n");
    let left = bench.pipe(secret().as_bytes(), &["redact", "--quiet", "--report", "redacted.json"]);
    assert!(left.stdout.contains("[REDACTED: PASSWORD]"), "{left:?}");
    let report: Value = serde_json::from_slice(&std::fs::read(bench.path("redacted.json")).unwrap()).unwrap();
    let degraded = report["degraded"][0].as_str().unwrap_or_else(|| panic!("{report}"));
    assert!(degraded.contains("redaction.mode"), "{degraded}");
    assert_eq!(report["total"], 1);
}

#[test]
fn a_report_that_cannot_be_written_does_not_cost_the_reply() {
    let bench = Bench::new();
    let left = bench.pipe(b"x\n", &["--report", "nosuch/report.json"]);
    assert_eq!((left.stdout.as_str(), left.code), ("x\n", Some(1)));
    assert!(left.stderr.starts_with("error: could not write the report to `nosuch/report.json`"));
}

#[test]
fn retain_prints_what_it_read_whatever_is_wrong_with_its_arguments() {
    let bench = Bench::new();
    for flags in [&["--prices", "nosuch.json"][..], &["--price", "nosuch"]] {
        let left = bench.pipe(b"{\"messages\": []}", &[&["retain"], flags].concat());
        assert_eq!((left.stdout.as_str(), left.code), ("{\"messages\": []}", Some(2)), "{}", left.stderr);
    }
}

#[test]
fn a_server_between_a_client_and_its_tools_starts_all_the_same() {
    let bench = Bench::new();
    bench.write("offcut.toml", "profil = \"auto\"\n");
    let mut agent = Agent::greeted(&bench, &["mcp"]);
    assert!(agent.tools().contains(&"read".to_owned()));
    let left = agent.leave();
    let said = "offcut: PROJECT/offcut.toml:1: unknown key `profil` (did you mean `profile`?)\n";
    assert_eq!(filtered(&left.stderr, &bench), said);
}
