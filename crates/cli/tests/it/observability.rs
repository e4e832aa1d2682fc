//! The acceptance criteria AC-109 to AC-116, each by its number: what is logged, and what the metrics track.

use serde_json::Value;

use crate::server::Server;
use crate::workbench::{Bench, id_in, lines};

/// The dashboard of a project.
fn dashboard(bench: &Bench, token: Option<&str>) -> Server {
    Server::start(bench, &["ui", "--no-open"], token)
}

/// The value of a metric.
fn metric(dashboard: &Server, name: &str) -> f64 {
    let answer = dashboard.get("/metrics", "");
    let line = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is missing in {answer}")).parse().unwrap()
}

/// The structured log of a command line.
fn logged(bench: &Bench, line: &str) -> Vec<Value> {
    let left = bench.shell(&format!("export OFFCUT_LOG=info OFFCUT_LOG_FORMAT=json; {line}"));
    left.stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn named<'e>(events: &'e [Value], message: &str) -> &'e Value {
    events.iter().find(|event| event["message"] == message).unwrap_or_else(|| panic!("no `{message}` in {events:?}"))
}

#[test]
fn ac_109_truncation_is_logged_with_tool_sizes_and_strategy() {
    let bench = Bench::new();
    let events = logged(&bench, "seq 5000 | offcut --limit 2000 --tool read_file");
    let reply = named(&events, "reply");
    assert_eq!(
        (&reply["tool"], &reply["was_truncated"], &reply["original_size"]),
        (&"read_file".into(), &true.into(), &23_893.into())
    );
    assert!(reply["truncated_size"].as_u64().unwrap() <= 2000 && !reply["strategy"].as_str().unwrap().is_empty());
}

#[test]
fn ac_110_artifact_creation_is_logged_with_id_size_and_source() {
    let bench = Bench::new();
    let events = logged(&bench, "seq 5000 | offcut --limit 2000 --tool read_file");
    let created = named(&events, "artifact created");
    assert!(created["id"].as_str().unwrap().starts_with("art_"));
    assert_eq!((&created["bytes"], &created["tool"]), (&23_893.into(), &"read_file".into()));
}

#[test]
fn ac_111_retrieval_is_logged_with_id_and_success_or_failure() {
    let bench = Bench::new();
    let id = id_in(&bench.pipe(lines(300).as_bytes(), &["--limit", "2000"]).stdout);
    let found = logged(&bench, &format!("offcut artifacts show {id} --lines 1-5"));
    let found = named(&found, "artifact retrieved");
    // A notice names the short handle, the log the whole id.
    assert!(found["id"].as_str().unwrap().contains(&id), "{found}");
    assert_eq!((&found["range"], &found["outcome"]), (&"lines 1-5".into(), &"ok".into()));
    let missing = logged(&bench, "offcut artifacts show art_1_nosuch");
    assert_eq!(named(&missing, "artifact retrieved")["outcome"], "not_found");
}

#[test]
fn ac_112_secrets_are_logged_by_count_and_never_themselves() {
    let bench = Bench::new();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    bench.write("input", &format!("{}token {secret}\n", lines(300)));
    let events = logged(&bench, "offcut --limit 2000 < input");
    assert_eq!(named(&events, "reply")["redacted"], 1);
    let log = std::fs::read_to_string(bench.path(".offcut/artifacts/events.jsonl")).unwrap();
    assert!(!log.contains(&secret) && !format!("{events:?}").contains(&secret));
    assert!(log.contains("\"redactions\":{\""), "{log}");
    let dashboard = dashboard(&bench, None);
    let answer = dashboard.get("/metrics", "");
    assert!(answer.contains("offcut_redactions_total{tool=\"execute_command\",kind=\""), "{answer}");
    assert!(!answer.contains(&secret));
}

#[test]
fn ac_113_metrics_track_the_truncation_rate_by_tool() {
    let bench = Bench::new();
    bench.pipe(lines(300).as_bytes(), &["--limit", "2000", "--tool", "read_file"]);
    bench.pipe(b"small\n", &["--tool", "read_file"]);
    bench.pipe(b"small\n", &[]);
    let dashboard = dashboard(&bench, None);
    assert_eq!(metric(&dashboard, "offcut_truncation_ratio{tool=\"read_file\"}"), 0.5);
    assert_eq!(metric(&dashboard, "offcut_truncation_ratio{tool=\"execute_command\"}"), 0.0);
    assert_eq!(metric(&dashboard, "offcut_calls_total{tool=\"read_file\"}"), 2.0);
    assert_eq!(metric(&dashboard, "offcut_truncated_calls_total{tool=\"read_file\"}"), 1.0);
}

#[test]
fn ac_114_metrics_track_the_average_size_reduction() {
    let bench = Bench::new();
    let left = bench.pipe(lines(300).as_bytes(), &["--limit", "2000", "--json"]);
    let reply: Value = serde_json::from_str(&left.stdout).unwrap();
    let size = |name: &str| reply["report"][name].as_f64().unwrap();
    let dashboard = dashboard(&bench, None);
    let reduction = metric(&dashboard, "offcut_size_reduction_ratio{tool=\"execute_command\"}");
    assert!((reduction - (1.0 - size("truncated_size") / size("original_size"))).abs() < 1e-9, "{reduction}");
}

#[test]
fn ac_115_metrics_track_the_creation_of_artifacts() {
    let bench = Bench::new();
    for _ in 0..3 {
        bench.pipe(lines(300).as_bytes(), &["--limit", "2000"]);
    }
    let dashboard = dashboard(&bench, None);
    assert_eq!(metric(&dashboard, "offcut_artifacts_created_total{tool=\"execute_command\"}"), 3.0);
    let bytes = 3.0 * lines(300).len() as f64;
    assert_eq!(metric(&dashboard, "offcut_artifacts_created_bytes_total{tool=\"execute_command\"}"), bytes);
    assert_eq!(metric(&dashboard, "offcut_store_artifacts"), 3.0);
}

#[test]
fn ac_116_metrics_track_what_is_retrieved() {
    let bench = Bench::new();
    let id = id_in(&bench.pipe(lines(300).as_bytes(), &["--limit", "2000"]).stdout);
    for _ in 0..2 {
        bench.call(&["artifacts", "show", &id, "--lines", "1-5"]);
    }
    bench.call(&["artifacts", "grep", &id, "entry"]);
    bench.call(&["artifacts", "show", "art_1_nosuch"]);
    let dashboard = dashboard(&bench, None);
    let count = |labels: &str| metric(&dashboard, &format!("offcut_retrievals_total{{{labels}}}"));
    assert_eq!(count("range=\"lines\",by=\"user\",outcome=\"ok\""), 2.0);
    assert_eq!(count("range=\"pattern\",by=\"user\",outcome=\"ok\""), 1.0);
    assert_eq!(count("range=\"whole\",by=\"user\",outcome=\"not_found\""), 1.0);
    let page = dashboard.get("/ui/retrievals", "");
    assert!(page.contains(&id) && page.contains("lines 1-5"), "{page}");
}

#[test]
fn the_dashboard_is_this_machine_s_and_the_token_s_alone() {
    let bench = Bench::new();
    let open = dashboard(&bench, None);
    assert!(open.get("/", "").starts_with("HTTP/1.1 200 OK"));
    assert!(open.get("/", "origin: http://evil.example\r\n").starts_with("HTTP/1.1 403 "));
    assert!(open.get("/healthz", "").ends_with("ok\n") && open.get("/readyz", "").ends_with("ready\n"));
    let token = "t0ken-of-sixteen-characters";
    let closed = dashboard(&bench, Some(token));
    for path in ["/", "/ui/calls", "/metrics", "/ui/script.js"] {
        assert!(closed.get(path, "").starts_with("HTTP/1.1 401 "), "{path}");
        assert!(closed.get(path, &format!("authorization: Bearer {token}\r\n")).starts_with("HTTP/1.1 200 "), "{path}");
    }
    let asked = closed.get("/", "accept: text/html,*/*\r\n");
    assert!(asked.to_lowercase().contains("\r\nwww-authenticate: basic realm="), "{asked}");
    // `any:t0ken-of-sixteen-characters`, as a browser sends a password.
    let basic = "authorization: Basic YW55OnQwa2VuLW9mLXNpeHRlZW4tY2hhcmFjdGVycw==\r\n";
    assert!(closed.get("/", basic).starts_with("HTTP/1.1 200 "));
    assert!(closed.get("/healthz", "").starts_with("HTTP/1.1 200 "));
    let left = bench.call(&["ui", "--listen", "0.0.0.0:0"]);
    assert_eq!(left.code, Some(2));
}

#[test]
fn a_damaged_history_harms_no_reply_and_is_made_anew() {
    let bench = Bench::new();
    bench.pipe(lines(300).as_bytes(), &["--limit", "2000"]);
    bench.call(&["stats"]);
    std::fs::write(bench.path(".offcut/artifacts/history.sqlite"), "not a database, and long enough\n".repeat(200))
        .unwrap();
    assert_eq!(bench.pipe(b"small\n", &[]).stdout, "small\n");
    let stats: Value = serde_json::from_str(&bench.call(&["stats", "--json"]).stdout).unwrap();
    assert_eq!(stats["total"]["calls"], 2);
}
