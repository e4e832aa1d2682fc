//! What a user may choose, and what is refused.

use std::sync::{Arc, Mutex};

use crate::redact::{Mode, Numbers, RedactOptions, Redactor, RuleSpec, Rules, redact};

fn rules(options: RedactOptions) -> Arc<Rules> {
    Arc::new(Rules::with(&options).unwrap())
}

fn refused(spec: RuleSpec) -> String {
    Rules::with(&RedactOptions { rules: vec![spec], ..RedactOptions::default() }).unwrap_err().to_string()
}

fn spec(regex: &str) -> RuleSpec {
    RuleSpec { id: "mine".into(), kind: "MINE".into(), regex: regex.into(), ..RuleSpec::default() }
}

const TEXT: &str = "password=hunter22 and postgres://a:hunter22@h\n";

#[test]
fn off_passes_and_report_counts() {
    let (text, counts) = redact(TEXT, &rules(RedactOptions { mode: Mode::Off, ..RedactOptions::default() }));
    assert_eq!((text.as_str(), counts.len()), (TEXT, 0));
    let (text, counts) = redact(TEXT, &rules(RedactOptions { mode: Mode::Report, ..RedactOptions::default() }));
    assert_eq!((text.as_str(), counts["PASSWORD"]), (TEXT, 2));
}

#[test]
fn rules_are_switched_off_by_id_and_by_kind() {
    let by_id = rules(RedactOptions { disabled: vec!["url-password".into()], ..RedactOptions::default() });
    assert_eq!(redact(TEXT, &by_id).0, "password=[REDACTED: PASSWORD] and postgres://a:hunter22@h\n");
    let by_kind = rules(RedactOptions { disabled: vec!["PASSWORD".into()], ..RedactOptions::default() });
    assert_eq!(redact(TEXT, &by_kind).0, TEXT);
    let unknown = RedactOptions { disabled: vec!["pasword".into()], ..RedactOptions::default() };
    assert!(Rules::with(&unknown).unwrap_err().to_string().contains("`pasword`"));
}

#[test]
fn values_are_allowed_by_expression_and_by_hash() {
    let by_regex = rules(RedactOptions { allow: vec!["^hunter".into()], ..RedactOptions::default() });
    assert_eq!(redact(TEXT, &by_regex).0, TEXT);
    let hash = blake3::hash(b"hunter22").to_hex().to_string();
    let by_hash = rules(RedactOptions { allow_hashes: vec![hash], ..RedactOptions::default() });
    assert_eq!(redact(TEXT, &by_hash).0, TEXT);
    let bad = RedactOptions { allow_hashes: vec!["abc".into()], ..RedactOptions::default() };
    assert!(Rules::with(&bad).is_err());
}

#[test]
fn a_users_rule_acts_beside_the_built_in_ones() {
    let mut mine = spec(r"EMP-(\d{6})");
    mine.keywords = vec!["emp-".into()];
    mine.good = vec!["id EMP-123456".into()];
    mine.bad = vec!["id EMP-12".into()];
    let rules = rules(RedactOptions { rules: vec![mine], ..RedactOptions::default() });
    assert_eq!(redact("EMP-123456 EMP-654321\n", &rules).0, "EMP-[REDACTED: MINE] EMP-[REDACTED: MINE]\n");
}

#[test]
fn rules_that_would_harm_are_refused_by_name() {
    for (regex, says) in [
        ("a*", "empty text"),
        ("", "empty text"),
        (".+", "ordinary text"),
        (r"\S+(\s\S+)*", "ordinary text"),
        ("(", "wrong"),
        ("((a{1000}){1000}){1000}", "too much memory"),
    ] {
        let error = refused(spec(regex));
        assert!(error.contains("`mine`") && error.contains(says), "{regex}: {error}");
    }
    assert!(refused(RuleSpec { kind: "my kind".into(), ..spec("abc") }).contains("`kind`"));
    assert!(refused(RuleSpec { good: vec!["xyz".into()], ..spec("abc") }).contains("`good` example 1"));
    assert!(refused(RuleSpec { bad: vec!["abc".into()], ..spec("abc") }).contains("`bad` example 1"));
    assert!(refused(RuleSpec { id: "jwt".into(), ..spec("abc") }).contains("another rule"));
}

#[test]
fn numbers_tell_secrets_apart_and_last_for_a_session() {
    let rules = rules(RedactOptions { numbered: true, ..RedactOptions::default() });
    let numbers = Arc::new(Mutex::new(Numbers::new([7; 32])));
    let run = |text: &str| {
        let mut redactor = Redactor::numbered(Arc::clone(&rules), Arc::clone(&numbers));
        let mut out = String::new();
        redactor.push(text, &mut |piece| out.push_str(piece));
        redactor.finish(&mut |piece| out.push_str(piece));
        out
    };
    assert_eq!(
        run("password=hunter22\npassword=other33x\npassword=hunter22\n"),
        "password=[REDACTED: PASSWORD #1]\npassword=[REDACTED: PASSWORD #2]\npassword=[REDACTED: PASSWORD #1]\n"
    );
    assert_eq!(run("pwd=other33x\n"), "pwd=[REDACTED: PASSWORD #2]\n");
}
