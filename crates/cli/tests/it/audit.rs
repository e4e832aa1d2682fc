//! `offcut audit`, and the log that it reads.

use crate::workbench::{Bench, exists, filtered, id_in, lines};

/// An output that is kept, with two secrets that are put together here.
fn output() -> String {
    let secret = format!("postgres://app:{}@db.local/main\n", "hunter22");
    lines(300) + &secret + &secret
}

#[test]
fn what_happened_is_told_in_order_by_kind_and_to_programs() {
    let bench = Bench::new();
    assert_eq!(bench.call(&["audit"]).stdout, "No entries: the log starts with the first output that is kept.\n");
    let id = id_in(&bench.pipe(output().as_bytes(), &["--limit", "2000"]).stdout);
    bench.call(&["artifacts", "show", &id, "--lines", "1-5"]);
    bench.call(&["artifacts", "info", "../../etc/passwd"]);

    let log = bench.call(&["audit", "--json"]).stdout;
    let records: Vec<serde_json::Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = records.iter().map(|record| record["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["creation", "redaction", "retrieval", "refusal"]);
    assert_eq!(records[1]["counts"], serde_json::json!({ "PASSWORD": 2 }));
    assert_eq!(records[2]["by"], "user");
    assert_eq!(records[3]["id"], "../../etc/passwd");

    let table = filtered(&bench.call(&["audit", "--kind", "retrieval"]).stdout, &bench);
    let rows: Vec<&str> = table.lines().skip(2).collect();
    assert_eq!(rows.len(), 1, "{table}");
    assert!(rows[0].ends_with("retrieval  ART  default  user  lines 1-5: ok"), "{table}");
    assert_eq!(bench.call(&["audit", "--since", "2099-01-01", "--json"]).stdout, "");
    assert_eq!(bench.call(&["audit", "--store", "none"]).code, Some(2));
}

#[test]
fn the_log_is_the_user_s_own_and_is_not_begun_where_nothing_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.pipe(b"password=hunter22secret\n", &[]);
    assert!(!exists(&bench.path(".offcut")));
    bench.pipe(output().as_bytes(), &["--limit", "2000"]);
    let path = bench.path(".offcut/artifacts/audit.jsonl");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let log = std::fs::read_to_string(&path).unwrap();
    assert!(!log.contains("hunter22") && !log.contains("entry"), "{log}");
}
