//! `offcut stats`, and the event log that it counts.

use crate::workbench::{Bench, exists, id_in, lines};

#[test]
fn calls_cuts_artifacts_and_retrievals_are_counted() {
    let bench = Bench::new();
    assert!(bench.call(&["stats"]).stdout.starts_with("No statistics yet"));
    // Nothing was kept here before: this one is not counted.
    bench.pipe(b"small\n", &[]);
    assert!(!exists(&bench.path(".offcut")));
    let left = bench.pipe(lines(300).as_bytes(), &["--limit", "2000", "--tool", "read_file"]);
    bench.pipe(b"small\n", &[]);
    let id = id_in(&left.stdout);
    bench.call(&["artifacts", "show", &id, "--lines", "1-5"]);
    bench.call(&["artifacts", "show", "art_1_nosuch"]);

    let stats: serde_json::Value =
        serde_json::from_str(&bench.call(&["stats", "--by", "tool", "--json"]).stdout).unwrap();
    assert_eq!(stats["total"]["calls"], 2);
    assert_eq!(stats["total"]["truncated"], 1);
    assert_eq!(stats["total"]["truncation_rate"], 0.5);
    assert_eq!(stats["total"]["artifacts"], 1);
    assert_eq!(stats["groups"]["read_file"]["truncation_rate"], 1.0);
    assert_eq!(stats["groups"]["execute_command"]["truncated"], 0);
    assert_eq!(stats["retrievals"]["total"], 2);
    assert_eq!(stats["retrievals"]["failed"], 1);
    assert_eq!(stats["retrievals"]["by_range"]["lines"], 1);
    for by in ["kind", "strategy"] {
        let stats: serde_json::Value =
            serde_json::from_str(&bench.call(&["stats", "--by", by, "--json"]).stdout).unwrap();
        let groups = stats["groups"].as_object().unwrap();
        let artifacts: Vec<u64> = groups.values().filter_map(|group| group["artifacts"].as_u64()).collect();
        assert_eq!(artifacts.iter().sum::<u64>(), 1, "{stats}");
    }
    for by in ["agent", "day"] {
        let csv = bench.call(&["stats", "--by", by, "--csv"]).stdout;
        let calls: u64 = csv.lines().skip(1).filter_map(|line| line.split(',').nth(1)?.parse::<u64>().ok()).sum();
        assert!(csv.starts_with(&format!("{by},calls,")) && calls == 2, "{csv}");
    }
    let table = bench.call(&["stats", "--by", "tool"]).stdout;
    assert!(table.contains("\nread_file ") && table.contains("\ntotal "), "{table}");
    assert!(bench.call(&["stats", "--since", "2099-01-01"]).stdout.starts_with("No statistics"));
}

#[test]
fn savings_are_net_of_what_an_agent_reads_back_and_not_of_what_a_person_does() {
    let bench = Bench::new();
    assert!(bench.call(&["savings"]).stdout.starts_with("Nothing counted yet"));
    let mut command = bench.command(&["--limit", "2000"]);
    let id = id_in(&bench.pipe_into(command.env("CLAUDECODE", "1"), lines(300).as_bytes()).stdout);
    bench.call(&["show", &id, "--lines", "1-100"]);
    let savings = || -> serde_json::Value { serde_json::from_str(&bench.call(&["savings", "--json"]).stdout).unwrap() };
    let before = savings();
    assert_eq!((&before["total"]["fetches"], &before["total"]["fetched_tokens"]), (&0.into(), &0.into()));
    // In an agent's shell its model reads.
    let read = bench.run(bench.command(&["show", &id, "1-20"]).env("CLAUDECODE", "1"));
    let after = savings();
    let total = &after["total"];
    assert_eq!((&total["fetches"], &total["fetched_tokens"]), (&1.into(), &(read.stdout.len() / 4).into()));
    let number = |name: &str| total[name].as_i64().unwrap();
    assert_eq!(number("net_tokens"), number("not_sent_tokens") - number("fetched_tokens"));
    assert_eq!(after["by_agent"]["Claude Code"], *total);
    let text = bench.call(&["savings", "--price", "claude-sonnet"]).stdout;
    assert!(text.contains("\nClaude Code ") && text.contains("Net at claude-sonnet's input price: $0.0"), "{text}");
    assert_eq!(bench.call(&["savings", "--price", "nothing"]).code, Some(2));
}

#[test]
fn the_log_holds_no_content_and_is_the_user_s_own() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.pipe(lines(300).as_bytes(), &["--limit", "2000"]);
    let path = bench.path(".offcut/artifacts/events.jsonl");
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(!log.contains("entry"), "{log}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn many_processes_write_one_log_whole_lines_each() {
    let bench = Bench::new();
    bench.pipe(lines(300).as_bytes(), &["--limit", "2000"]);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..5).for_each(|_| drop(bench.pipe(b"small\n", &[]))));
        }
    });
    let log = std::fs::read_to_string(bench.path(".offcut/artifacts/events.jsonl")).unwrap();
    let replies =
        log.lines().filter(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["event"] == "reply");
    assert_eq!(replies.count(), 41);
}

#[test]
fn structured_logs_go_to_stderr_on_demand() {
    let bench = Bench::new();
    let left = bench.shell("seq 5000 | OFFCUT_LOG=info OFFCUT_LOG_FORMAT=json offcut --limit 2000");
    let events: Vec<serde_json::Value> = left.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let messages: Vec<&str> = events.iter().filter_map(|event| event["message"].as_str()).collect();
    assert!(messages.contains(&"artifact created") && messages.contains(&"reply"), "{messages:?}");
    assert!(bench.shell("echo x | OFFCUT_LOG='[' offcut ").stderr.starts_with("offcut: $OFFCUT_LOG"));
}
