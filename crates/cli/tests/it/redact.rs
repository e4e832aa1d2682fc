//! `offcut redact`: the redactor as a filter of its own.

use crate::workbench::{Bench, exists, lines};

fn url(password: &str) -> String {
    format!("postgres://app:{password}@db.local/main\n")
}

#[test]
fn secrets_go_and_everything_else_stays_however_long() {
    let bench = Bench::new();
    let left = bench.pipe((lines(20_000) + &url("hunter22")).as_bytes(), &["redact"]);
    assert_eq!(left.stdout, lines(20_000) + &url("[REDACTED: PASSWORD]"));
    assert_eq!(left.stderr, "offcut: 1 secret taken out: 1 PASSWORD\n");
    assert_eq!(left.code, Some(0));
    assert!(!exists(&bench.path(".offcut")));
    assert_eq!(bench.pipe(b"plain", &["redact"]).stderr, "offcut: no secrets found\n");
}

#[test]
fn counts_go_to_a_file_and_secrets_stay_where_they_are_only_counted() {
    let bench = Bench::new();
    let input = url("hunter22") + &url("hunter23");
    let left = bench.pipe(input.as_bytes(), &["redact", "--mode", "report", "--report", "counts.json"]);
    assert_eq!((left.stdout, left.stderr.as_str()), (input, "offcut: 2 secrets found: 2 PASSWORD\n"));
    let report = std::fs::read_to_string(bench.path("counts.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report, serde_json::json!({ "total": 2, "redactions": { "PASSWORD": 2 } }));
}

#[test]
fn equal_secrets_get_equal_numbers() {
    let bench = Bench::new();
    let input = [url("hunter22"), url("hunter23"), url("hunter22")].concat();
    let left = bench.pipe(input.as_bytes(), &["redact", "--numbered", "--quiet"]);
    let expected = ["#1", "#2", "#1"].map(|number| url(&format!("[REDACTED: PASSWORD {number}]"))).concat();
    assert_eq!((left.stdout, left.stderr.as_str()), (expected, ""));
}

#[test]
fn bytes_that_are_no_text_pass_as_a_sign_and_colours_hide_nothing() {
    let bench = Bench::new();
    let input = [b"\xff caf\xc3\xa9 \x1b[31m".as_slice(), url("hun\x1b[0mter22").as_bytes()].concat();
    let left = bench.pipe(&input, &["redact", "-q"]);
    assert_eq!(left.stdout, "\u{fffd} caf\u{e9} ".to_owned() + &url("[REDACTED: PASSWORD]"));
}

#[test]
fn the_configuration_s_rules_hold_but_it_cannot_switch_the_command_off() {
    let bench = Bench::new();
    let rule = "[redaction]\nmode = \"off\"\n\n[[redaction.rules]]\nid = \"acme\"\nkind = \"ACME\"\n\
                keywords = [\"acme\"]\nregex = 'acme-[0-9]{8}'\n";
    bench.write("offcut.toml", rule);
    let left = bench.pipe(b"id acme-12345678 end\n", &["redact"]);
    assert_eq!(left.stdout, "id [REDACTED: ACME] end\n");
}
