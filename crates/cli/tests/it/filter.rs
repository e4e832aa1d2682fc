//! `… | offcut`.

use std::io::{Read, Write};
use std::process::Stdio;

use rustix::process::{Pid, Signal};

use crate::workbench::{Bench, OFFCUT, Watch, exists, filtered, id_in, lines};

#[test]
fn what_fits_comes_out_byte_for_byte_and_leaves_nothing_behind() {
    let bench = Bench::new();
    for input in ["hi\n", "hi", "", "\n\n  \n", "ä\r\nb\r\n\tc", &"x".repeat(8000)] {
        let left = bench.pipe(input.as_bytes(), &[]);
        assert_eq!((left.stdout.as_str(), left.stderr.as_str(), left.code), (input, "", Some(0)));
    }
    assert!(!exists(&bench.path(".offcut")));
}

#[test]
fn one_character_more_than_fits_is_cut_within_the_limit_and_kept_whole() {
    let bench = Bench::new();
    let input = lines(5000);
    let left = bench.pipe(input.as_bytes(), &[]);
    assert_eq!((left.stderr.as_str(), left.code), ("", Some(0)));
    assert!(left.stdout.chars().count() <= 8001, "{}", left.stdout.chars().count());
    assert!(left.stdout.starts_with("[offcut "), "{}", left.stdout);
    assert!(left.stdout.ends_with('\n'));
    let shown = bench.call(&["artifacts", "show", &id_in(&left.stdout), "--all"]);
    assert_eq!((shown.stdout, shown.code), (input, Some(0)));
}

#[test]
fn the_command_in_the_header_prints_the_gap() {
    let bench = Bench::new();
    let input = lines(400);
    let left = bench.pipe(input.as_bytes(), &["--strategy", "head_tail", "--limit", "2000"]);
    let header = left.stdout.lines().next().unwrap();
    let handle = id_in(&left.stdout);
    assert!(header.contains(&format!(": offcut show {handle} FROM-TO")), "{header}");
    let gap = left.stdout.lines().find_map(|line| line.strip_prefix(&format!("[{handle} "))).unwrap();
    let gap = bench.call(&["show", &handle, gap.trim_end_matches(']'), "--all"]).stdout;
    assert!(gap.starts_with("entry ") && input.contains(&gap), "{gap}");
    // What is shown around the gap, and the gap, make the whole.
    let kept: String = left.stdout.lines().filter(|line| line.starts_with("entry")).map(|l| format!("{l}\n")).collect();
    assert_eq!(kept.len() + gap.len(), input.len());
}

#[test]
fn limits_are_in_characters_tokens_bytes_and_lines() {
    let bench = Bench::new();
    let input = lines(3000);
    let size = |limit: &str| bench.pipe(input.as_bytes(), &["--limit", limit, "--store", "none"]).stdout;
    assert!(size("1000").chars().count() <= 1001);
    assert!(size("2KB").len() <= 2049);
    assert!(size("500 tokens").chars().count() <= 2001);
    assert!(size("20 lines").lines().count() <= 20);
}

#[test]
fn without_a_store_the_reply_says_so() {
    let bench = Bench::new();
    let left = bench.pipe(lines(1000).as_bytes(), &["--store", "none"]);
    assert!(left.stdout.starts_with("[offcut: "), "{}", left.stdout);
    assert!(left.stdout.contains("not kept: no store is configured. "), "{}", left.stdout);
    assert!(!exists(&bench.path(".offcut")));
    assert_eq!(left.code, Some(0));
}

#[test]
fn a_store_that_cannot_be_written_costs_the_artifact_and_not_the_reply() {
    if rustix::process::geteuid().is_root() {
        // Nothing is read-only to root: a file in the directory's place serves as well.
        let bench = Bench::new();
        bench.write("taken", "");
        let left = bench.pipe(lines(1000).as_bytes(), &["--store", "taken"]);
        assert!(left.stdout.contains("not kept: "), "{}", left.stdout);
        assert_eq!(left.code, Some(0));
        return;
    }
    let bench = Bench::new();
    std::fs::create_dir(bench.path("locked")).unwrap();
    std::fs::set_permissions(bench.path("locked"), std::os::unix::fs::PermissionsExt::from_mode(0o500)).unwrap();
    let left = bench.pipe(lines(1000).as_bytes(), &["--store", "locked"]);
    assert!(left.stdout.contains("not kept: "), "{}", left.stdout);
    assert_eq!(left.code, Some(0));
}

#[test]
fn json_is_the_reply_and_the_report_as_one_object() {
    let bench = Bench::new();
    let left = bench.pipe(b"one\ntwo\n", &["--json", "--report", "report.json"]);
    let json: serde_json::Value = serde_json::from_str(&left.stdout).unwrap();
    assert_eq!(json["text"], "one\ntwo\n");
    assert_eq!(json["report"]["was_truncated"], false);
    assert_eq!(json["report"]["original_lines"], 2);
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("report.json")).unwrap()).unwrap();
    assert_eq!(report, json["report"]);
}

#[test]
fn session_and_store_are_repeated_in_the_notice_so_that_its_command_works() {
    let bench = Bench::new();
    let input = lines(400);
    let left = bench.pipe(input.as_bytes(), &["--session", "s1", "--store", "my store", "--limit", "3000"]);
    let header = filtered(left.stdout.lines().next().unwrap(), &bench);
    assert!(header.contains(" FROM-TO --session s1 --store 'PROJECT/my store']"), "{header}");
    let id = id_in(&left.stdout);
    let there = bench.call(&["artifacts", "show", &id, "--all", "--session", "s1", "--store", "my store"]);
    assert_eq!(there.stdout, input);
    let elsewhere = bench.call(&["artifacts", "show", &id, "--all", "--session", "s2", "--store", "my store"]);
    assert_eq!((elsewhere.stdout.as_str(), elsewhere.code), ("", Some(1)));
    assert!(elsewhere.stderr.starts_with("error: "), "{}", elsewhere.stderr);
}

#[test]
fn an_output_over_the_maximum_size_is_an_error_that_still_shows_something() {
    let bench = Bench::new();
    let left = bench.shell("yes | OFFCUT_MAX_ARTIFACT_SIZE=64KB offcut --limit 1000");
    assert!(left.stdout.starts_with("Output size (0.1 MB) exceeds maximum artifact size (0.1 MB)"), "{}", left.stdout);
    assert!(left.stdout.contains("\ny\n"), "{}", left.stdout);
    assert_eq!(left.code, Some(1));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let bench = Bench::new();
    let left = bench.shell("seq 100000 | { offcut --limit 100000; echo code $? >&2; } | head -1");
    assert_eq!(left.stdout.lines().count(), 1);
    assert_eq!(left.stderr, "code 0\n");
}

#[test]
fn wrong_arguments_say_what_would_be_right() {
    let bench = Bench::new();
    let check = |arguments: &[&str], expected: &str| {
        let left = bench.pipe(b"x", arguments);
        assert_eq!((left.stdout.as_str(), left.code), ("", Some(2)), "{arguments:?}");
        assert!(left.stderr.contains(expected), "{arguments:?}: {}", left.stderr);
    };
    check(&["--limit", "0"], "expected a positive whole number of characters");
    check(&["--type", "jsn"], "expected one of text, log");
    check(&["--lmit", "10"], "--limit");
}

#[test]
fn an_argument_that_the_policy_refuses_does_not_cost_the_output() {
    let bench = Bench::new();
    let check = |arguments: &[&str], expected: &str| {
        let left = bench.pipe(b"x", arguments);
        assert_eq!((left.stdout.as_str(), left.code), ("x", Some(0)), "{arguments:?}");
        assert!(left.stderr.starts_with("offcut: --") && left.stderr.contains(expected), "{}", left.stderr);
    };
    check(&["--limit", "10"], "--limit: `limit` is `10`: expected at least 400 characters");
    check(&["--profile", "ballanced"], "(did you mean `balanced`?)");
    check(&["--strategy", "hed"], "(did you mean `head`?)");
    check(&["--session", "a/b"], "--session: `a/b` is not a valid session id");
}

#[test]
fn from_a_subdirectory_the_project_s_store_is_used() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("a/b")).unwrap();
    let left = bench.shell("cd a/b && seq 5000 | offcut --limit 2000");
    assert!(exists(&bench.path(".offcut/artifacts")) && !exists(&bench.path("a/b/.offcut")));
    let shown = bench.call(&["artifacts", "show", &id_in(&left.stdout), "--lines", "4000-4001"]);
    assert_eq!(shown.stdout, "4000\n4001\n");
}

#[test]
fn a_link_in_the_project_does_not_lead_artifacts_elsewhere() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(bench.path("elsewhere"), bench.path(".offcut")).unwrap();
    let left = bench.pipe(lines(1000).as_bytes(), &[]);
    assert!(left.stdout.contains("not kept: refused to use"), "{}", left.stdout);
    assert_eq!(std::fs::read_dir(bench.path("elsewhere")).unwrap().count(), 0);
}

#[test]
fn ctrl_c_ends_the_writer_and_what_it_wrote_still_becomes_a_reply() {
    let bench = Bench::new();
    let mut command = bench.command(&[]);
    let (mut child, _watch) = Watch::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    // More than a pipe holds: once it is all written, the filter has begun to read.
    let input = "x".repeat(7) + "\n";
    let input = input.repeat(100_000);
    stdin.write_all(input.as_bytes()).unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, Signal::INT).unwrap();
    stdin.write_all(b"the last line\n").unwrap();
    drop(stdin);
    let mut stdout = String::new();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(stdout.contains("the last line\n"), "{stdout}");
}

#[test]
fn a_session_from_the_environment_is_named_in_the_notice() {
    let bench = Bench::new();
    let left = bench.shell("seq 5000 | OFFCUT_SESSION=mine offcut --limit 2000");
    assert!(left.stdout.lines().next().unwrap().contains(" FROM-TO --session mine"), "{}", left.stdout);
}

#[test]
fn the_call_names_the_program_s_path_where_its_name_would_not_find_it() {
    let bench = Bench::new();
    let mut command = bench.command(&["--limit", "1000"]);
    command.env("PATH", "/usr/bin:/bin");
    let left = bench.pipe_into(&mut command, lines(500).as_bytes());
    let header = left.stdout.lines().next().unwrap();
    assert!(header.contains(&format!(": {OFFCUT} show {} FROM-TO", id_in(header))), "{header}");
    let named = bench.pipe(lines(500).as_bytes(), &["--limit", "1000"]);
    assert!(named.stdout.contains("Gaps: offcut show "), "{}", named.stdout);
}

#[test]
fn a_time_that_every_line_has_is_said_once_unless_it_is_to_be_kept() {
    let bench = Bench::new();
    let line =
        |n: usize| format!("2026-11-16T10:{:02}:{:02}.123Z part {} was built\n", n / 60, n % 60, n * 7919 % 1000);
    let log: String = (0..600).map(line).collect();
    let left = bench.pipe(log.as_bytes(), &["--limit", "3000", "--type", "log"]);
    let header = left.stdout.lines().next().unwrap();
    assert!(header.contains("; each line without its time (2026-11-16 10:00:00 to 10:09:59)."), "{header}");
    assert!(left.stdout.lines().skip(1).all(|line| !line.starts_with("2026-")), "{}", left.stdout);
    let first = bench.call(&["show", &id_in(header), "1-1"]);
    assert_eq!(first.stdout, line(0), "the original has it");
    let kept = bench.pipe(log.as_bytes(), &["--limit", "3000", "--type", "log", "--keep-prefixes"]);
    assert!(!kept.stdout.contains("each line without") && kept.stdout.contains("\n2026-11-16T10:"), "{}", kept.stdout);
    bench.write("offcut.toml", "smart_truncation.keep_prefixes = true\n");
    let configured = bench.pipe(log.as_bytes(), &["--limit", "3000", "--type", "log"]);
    assert!(configured.stdout.contains("\n2026-11-16T10:"), "{}", configured.stdout);
}
