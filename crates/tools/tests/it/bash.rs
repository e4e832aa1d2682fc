//! `bash`.

use std::thread;
use std::time::{Duration, Instant};

use offcut::{Cancel, Offcut};
use offcut_tools::{Bash, Tool, Toolbox};
use serde_json::json;

use crate::bench::{Bench, PATIENCE, is_alive, lines, patiently};

#[test]
fn output_comes_in_the_order_of_the_writes() {
    for profile in ["paged", "auto"] {
        let bench = Bench::new(profile);
        let command = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
        let reply = bench.call(Tool::Bash, json!({"command": command}));
        assert_eq!(reply.text(), "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
        assert_eq!((reply.is_error, reply.details), (false, json!({"exitCode": 0})));
    }
}

#[test]
fn a_command_runs_in_the_root_with_nothing_to_read() {
    let bench = Bench::new("auto");
    bench.file("here", "");
    assert_eq!(bench.text(Tool::Bash, json!({"command": "ls; cat; echo $0"})), "here\nbash\n");
    assert_eq!(bench.text(Tool::Bash, json!({"command": "true"})), "(no output)");
}

#[test]
fn the_exit_code_is_kept_and_told() {
    for profile in ["paged", "auto", "balanced", "handle", "bookends"] {
        let bench = Bench::new(profile);
        let reply = bench.call(Tool::Bash, json!({"command": "echo no; exit 3"}));
        assert_eq!(reply.text(), "no\n\nCommand exited with code 3");
        assert_eq!((reply.is_error, reply.details), (true, json!({"exitCode": 3})));
        let reply = bench.call(Tool::Bash, json!({"command": "false"}));
        assert_eq!(reply.text(), "Command exited with code 1");
    }
    let reply = Bench::new("auto").call(Tool::Bash, json!({"command": "kill -9 $$"}));
    assert_eq!(reply.text(), "Command was ended by signal 9 (SIGKILL)");
    assert_eq!((reply.is_error, reply.details), (true, json!({"exitCode": 137, "signal": "SIGKILL"})));
}

#[test]
fn what_is_said_about_the_end_counts_within_the_limit() {
    let bench = Bench::new("auto");
    for size in [7900, 7960, 7999, 8000, 8001, 60_000] {
        let command = format!("head -c {size} /dev/zero | tr '\\0' x; exit 3");
        let reply = bench.call(Tool::Bash, json!({"command": command}));
        assert!(reply.text().ends_with("\n\nCommand exited with code 3"), "{}", reply.text());
        assert!(reply.text().chars().count() <= 8000, "{size}");
    }
    let reply = bench.call(Tool::Bash, json!({"command": "head -c 8000 /dev/zero | tr '\\0' x"}));
    assert_eq!(reply.text(), "x".repeat(8000));
}

#[test]
fn the_line_limit_shows_the_end_and_names_the_file_with_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let offcut = Offcut::builder().profile("paged").store(folder.path().join("store")).build().unwrap();
    let tools = Toolbox::new(offcut, folder.path());
    let run = |command: &str| patiently(|cancel| tools.call(Tool::Bash, &json!({"command": command}), cancel).unwrap());
    let reply = run("seq 50000 | sed 's/^/line /'");
    let path = reply.details["fullOutputPath"].as_str().unwrap().to_owned();
    let shown: String = (48_001..=50_000).map(|n| format!("line {n}\n")).collect();
    assert_eq!(reply.text(), format!("{shown}\n[Showing lines 48001-50000 of 50000. Full output: {path}]"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), lines(50_000));
    let truncation = json!({
        "truncated": true, "truncatedBy": "lines", "outputLines": 2000, "totalLines": 50_000, "lastLinePartial": false
    });
    assert_eq!(reply.details["truncation"], truncation);
    for count in [1999, 2000] {
        assert_eq!(run(&format!("seq {count} | sed 's/^/line /'")).text(), lines(count));
    }
    // No reply is longer than its output: where a notice takes more room than one line, a few more lines go.
    let reply = run("seq 2001 | sed 's/^/line /'");
    let path = reply.details["fullOutputPath"].as_str().unwrap();
    let truncation = &reply.details["truncation"];
    assert_eq!((&truncation["truncatedBy"], &truncation["totalLines"]), (&json!("lines"), &json!(2001)));
    let first = 2002 - truncation["outputLines"].as_u64().unwrap();
    let shown: String = (first..=2001).map(|n| format!("line {n}\n")).collect();
    let notice = format!("\n[Showing lines {first}-2001 of 2001. Full output: {path}]");
    assert_eq!(reply.text(), shown + &notice);
    assert!(first < 60 && reply.text().len() <= lines(2001).len(), "{first}");
    // What is left out is longer than what is said about it.
    let reply = run("head -c 2000 /dev/zero | tr '\\0' x; echo; seq 2000 | sed 's/^/line /'");
    let path = reply.details["fullOutputPath"].as_str().unwrap();
    assert_eq!(reply.text(), format!("{}\n[Showing lines 2-2001 of 2001. Full output: {path}]", lines(2000)));
}

#[test]
fn the_byte_limit_shows_the_end_and_a_last_line_over_it_its_own_end() {
    let bench = Bench::paged();
    let line = |n: u32| format!("{n:06}{}\n", "x".repeat(53));
    let command = |count: u32| format!("for i in $(seq {count}); do printf '%06d%s\\n' $i {}; done", "x".repeat(53));
    let reply = bench.call(Tool::Bash, json!({"command": command(5000)}));
    let id = reply.details["fullOutputPath"].as_str().unwrap().to_owned();
    let shown: String = (4489..=5000).map(line).collect();
    let notice = format!("\n[Showing lines 4489-5000 of 5000 (30KB limit). Full output: {id}]");
    assert_eq!(reply.text(), shown + &notice);
    assert_eq!(reply.details["truncation"]["truncatedBy"], json!("bytes"));
    let reply = bench.call(Tool::Bash, json!({"command": command(512)}));
    assert_eq!(reply.text(), (1..=512).map(line).collect::<String>());

    let reply = bench.call(Tool::Bash, json!({"command": "echo a; head -c 102400 /dev/zero | tr '\\0' y"}));
    let id = reply.details["fullOutputPath"].as_str().unwrap();
    let notice = format!("\n\n[Showing last 30KB of line 2 (line is 100KB). Full output: {id}]");
    assert_eq!(reply.text(), "y".repeat(30 * 1024) + &notice);
    let truncation = json!({
        "truncated": true, "truncatedBy": "bytes", "outputLines": 1, "totalLines": 2, "lastLinePartial": true
    });
    assert_eq!(reply.details["truncation"], truncation);
}

#[test]
fn at_the_timeout_the_whole_group_ends_and_what_there_was_is_returned() {
    for profile in ["paged", "auto"] {
        let bench = Bench::new(profile);
        let command = "echo before; sleep 1000 & echo $! > pid; (trap '' TERM; sleep 1000) & echo $! > stubborn; wait";
        let reply = bench.call(Tool::Bash, json!({"command": command, "timeout": 2.5}));
        assert_eq!(reply.text(), "before\n\nCommand timed out after 2.5 seconds");
        assert!(reply.is_error);
        assert_eq!(reply.details["timedOut"], json!(true));
        for name in ["pid", "stubborn"] {
            let pid = std::fs::read_to_string(bench.path(name)).unwrap();
            gone(&pid);
        }
    }
}

#[test]
fn a_command_that_does_not_listen_is_killed() {
    let bench = Bench::new("auto");
    let command = "trap '' TERM; echo $$ > pid; echo deaf; while :; do sleep 0.1; done";
    let reply = bench.call(Tool::Bash, json!({"command": command, "timeout": 2.5}));
    assert_eq!(reply.text(), "deaf\n\nCommand timed out after 2.5 seconds");
    assert_eq!(reply.details["exitCode"], json!(137));
    gone(&std::fs::read_to_string(bench.path("pid")).unwrap());
}

#[test]
fn a_caller_who_wants_no_more_gets_what_there_was() {
    let bench = Bench::new("auto");
    let cancel = Cancel::new();
    let (asked, started) = (cancel.clone(), bench.path("started"));
    let asking = thread::spawn(move || {
        // A command that does not begin is cancelled all the same, and the test says so.
        let since = Instant::now();
        while !started.exists() && since.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(5));
        }
        asked.cancel();
        assert!(started.exists(), "the command did not begin within {PATIENCE:?}");
    });
    let bash = Bash { command: "echo $$; sleep 1000 & echo $! > pid; touch started; wait".to_owned(), timeout: None };
    let reply = bench.tools.bash(&bash, &cancel).unwrap();
    asking.join().unwrap();
    assert!(reply.text().ends_with("\n\nCommand was cancelled"), "{}", reply.text());
    assert!(reply.is_error);
    gone(reply.text().lines().next().unwrap());
    gone(&std::fs::read_to_string(bench.path("pid")).unwrap());
}

#[test]
fn a_process_in_the_background_does_not_keep_the_call() {
    let bench = Bench::new("auto");
    let reply = bench.call(Tool::Bash, json!({"command": "sleep 1000 & echo $!"}));
    let pid = reply.text().trim().to_owned();
    assert!(!reply.is_error);
    assert!(is_alive(&pid));
    let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    // One that goes on talking does not either.
    let reply = bench.call(Tool::Bash, json!({"command": "(while :; do echo x; sleep 0.05; done) & echo $! > pid"}));
    assert!(reply.text().starts_with("x\n"));
    let pid = std::fs::read_to_string(bench.path("pid")).unwrap().trim().parse().unwrap();
    let group = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(group, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn bytes_that_are_no_text_do_not_end_the_capture() {
    let bench = Bench::new("auto");
    let reply = bench.text(Tool::Bash, json!({"command": "printf 'a\\377b\\n'; echo after"}));
    assert_eq!(reply, "a\u{fffd}b\nafter\n");
}

#[test]
fn a_command_that_never_stops_writing_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = offcut::options::Options::default();
    options.max_artifact_size = Some(offcut::options::LimitOption::Text("1MB".to_owned()));
    let offcut = Offcut::builder().options(options).in_memory().build().unwrap();
    let tools = Toolbox::new(offcut, folder.path());
    let command = json!({"command": "echo $$ > pid; yes"});
    let reply = patiently(|cancel| tools.call(Tool::Bash, &command, cancel).unwrap());
    assert!(reply.is_error);
    assert!(reply.text().contains("exceeds maximum artifact size"), "{}", reply.text());
    gone(&std::fs::read_to_string(folder.path().join("pid")).unwrap());
}

/// Set where this very test is run again, alone in a process of its own.
const ALONE: &str = "OFFCUT_TOOLS_TEST_ALONE";

#[test]
fn fifty_megabytes_pass_in_little_memory() {
    if std::env::var_os(ALONE).is_none() {
        let name = "bash::fifty_megabytes_pass_in_little_memory";
        let test = std::process::Command::new(std::env::current_exe().unwrap())
            .args([name, "--exact", "--nocapture"])
            .env(ALONE, "1")
            .output()
            .unwrap();
        assert!(test.status.success(), "{}", String::from_utf8_lossy(&test.stderr));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let offcut = Offcut::builder().store(folder.path().join("store")).build().unwrap();
    let tools = Toolbox::new(offcut, folder.path());
    let command = "yes 'all is well, and nothing is to be seen here' | head -c 52428800; echo the end";
    let reply = patiently(|cancel| tools.call(Tool::Bash, &json!({"command": command}), cancel).unwrap());
    let report = reply.report.clone().unwrap();
    assert_eq!(report.original_bytes, Some(52_428_800 + 8));
    assert!(reply.text().contains("the end"));
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        eprintln!("skipped: this system does not tell the peak memory");
        return;
    };
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 80 * 1024, "{kilobytes} kB");
}

/// Waits until a process that was ended is gone.
fn gone(pid: &str) {
    let since = Instant::now();
    while is_alive(pid) {
        assert!(since.elapsed() < PATIENCE, "process {pid} is still there");
        thread::sleep(Duration::from_millis(10));
    }
}
