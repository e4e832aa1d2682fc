//! JSON texts: what is redacted in them, and that everything else stays byte for byte.

use proptest::prelude::*;

use crate::redact::{JsonKeys, JsonRedactor, Redactor, Rules};

const KEYS: JsonKeys = JsonKeys { opaque: &["id", "nextCursor"], opaque_depth: 2, media: &["data"] };

const SECRET: &str = "sk-ant-api03-Rk7mQ2xZpL9vT4wYc8NbHs5JdF1gKe6UoXi3AaMzPqVtEyWrSuBhCjDlGnOfIx0w2T4v6Y8z1B3d5F7h9J0kLmNpQrStUvWxYzAA-Ab12CdQw";

fn redacted(text: &[u8], size: usize) -> (Vec<u8>, u64) {
    let mut redactor = JsonRedactor::new(Redactor::new(Rules::builtin()), KEYS);
    let mut out = Vec::new();
    text.chunks(size).for_each(|chunk| redactor.push(chunk, &mut |part| out.extend_from_slice(part)));
    redactor.finish(&mut |part| out.extend_from_slice(part));
    (out, redactor.counts().values().sum())
}

fn check(text: &str, expected: &str) {
    for size in [1, 7, 4096, 1 << 20] {
        let (out, found) = redacted(text.as_bytes(), size);
        let out = String::from_utf8(out).unwrap();
        let differs = out.bytes().zip(expected.bytes()).position(|(one, other)| one != other).unwrap_or(0);
        let near: String = out.chars().skip(differs.saturating_sub(40)).take(200).collect();
        assert!(out == expected, "in chunks of {size}, at {differs}: {near}");
        assert_eq!(found > 0, text != expected, "in chunks of {size}");
    }
}

#[test]
fn strings_are_read_as_a_parser_reads_them() {
    check(&format!(r#"{{"t":"a\n{SECRET}\tb", "n":1}}"#), r#"{"t":"a\n[REDACTED: ANTHROPIC_KEY]\tb", "n":1}"#);
    let escaped = SECRET.replace("sk-", "\\u0073k\\u002d");
    check(&format!(r#"["{escaped}"]"#), r#"["[REDACTED: ANTHROPIC_KEY]"]"#);
    check(r#"{"text":"DB_PASSWORD=hunter22\nnext line"}"#, r#"{"text":"DB_PASSWORD=[REDACTED: PASSWORD]\nnext line"}"#);
    check(&format!(r#"{{"{SECRET}": true}}"#), r#"{"[REDACTED: ANTHROPIC_KEY]": true}"#);
}

#[test]
fn a_value_under_a_name_goes_by_its_name() {
    check(r#"{"password":"hunter22"}"#, r#"{"password":"[REDACTED: PASSWORD]"}"#);
    check(r#"{"a":{"password" : "hun\"ter\\22"},"b":[1]}"#, r#"{"a":{"password" : "[REDACTED: PASSWORD]"},"b":[1]}"#);
}

#[test]
fn what_holds_no_secret_stays_byte_for_byte() {
    for text in [
        r#" {"a" : "\u0041\/ \ud83d", "n":1.50e+999, "x":[ {}, [], null ], "x":"dup"}  "#,
        r#"{"text":"Enter the password:\nusername: bob"}"#,
        r#"{"commit":"3f786850e387550fdab836ed7e6dc881de23001b","id":"123e4567-e89b-12d3-a456-426614174000"}"#,
        "not JSON at all, but a sentence.",
        "{\"unfinished\":\"tex",
        "",
        "]]]}}}\"\"\"",
    ] {
        check(text, text);
    }
}

#[test]
fn ids_and_files_are_not_looked_at_where_the_protocol_has_them() {
    let long = "iVBORw0KGgoAAAANSUhEUgAAB4AAAAQ4CAYAAADo08FDAAAAAXNSR0IArs4c6QAAIABJREFUeF7s3Xn8".repeat(9000);
    check(&format!(r#"{{"data":"{long}"}}"#), &format!(r#"{{"data":"{long}"}}"#));
    check(&format!(r#"{{"id":"{SECRET}"}}"#), &format!(r#"{{"id":"{SECRET}"}}"#));
    check(&format!(r#"{{"r":{{"s":{{"id":"{SECRET}"}}}}}}"#), r#"{"r":{"s":{"id":"[REDACTED: ANTHROPIC_KEY]"}}}"#);
    check(&format!(r#"{{"data":"{SECRET}"}}"#), r#"{"data":"[REDACTED: ANTHROPIC_KEY]"}"#);
    check(
        &format!(r#"{{"data":"{long} and {SECRET}"}}"#),
        &format!(r#"{{"data":"{long} and [REDACTED: ANTHROPIC_KEY]"}}"#),
    );
}

#[test]
fn neither_size_nor_depth_nor_broken_syntax_is_a_way_around() {
    let lines = "an ordinary line of a log\\n".repeat(9000);
    check(
        &format!(r#"{{"t":"{lines}{SECRET}\n{lines}"}}"#),
        &format!(r#"{{"t":"{lines}[REDACTED: ANTHROPIC_KEY]\n{lines}"}}"#),
    );
    let word = "word ".repeat(400_000);
    check(&format!(r#"["{word}{SECRET}"]"#), &format!(r#"["{word}[REDACTED: ANTHROPIC_KEY]"]"#));
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    check(&format!(r#"{open}"{SECRET}"{close}"#), &format!(r#"{open}"[REDACTED: ANTHROPIC_KEY]"{close}"#));
    let numbers = "1, 23.5,".repeat(50_000);
    check(&format!(r#"[{numbers}"{SECRET}"]"#), &format!(r#"[{numbers}"[REDACTED: ANTHROPIC_KEY]"]"#));
    check(&format!("export KEY={SECRET} # bare"), "export KEY=[REDACTED: ANTHROPIC_KEY] # bare");
    check(&format!(r#"{{"a":"{SECRET}"#), r#"{"a":"[REDACTED: ANTHROPIC_KEY]"#);
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let text = prop_oneof![
        "[ -~é\\n\\t\"\\\\]{0,40}",
        Just(SECRET.to_owned()),
        "[a-z]{0,8}".prop_map(|before| format!("{before}\n{SECRET}\n")),
        Just("password=\"hun\\ter22\"".to_owned()),
        Just("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----".to_owned()),
    ];
    let key =
        prop_oneof!["[a-z_]{1,8}", Just("password".to_owned()), Just("token".to_owned()), Just("data".to_owned())];
    let leaf = prop_oneof![Just(serde_json::Value::Null), any::<i64>().prop_map(Into::into), text.prop_map(Into::into)];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn json_stays_json_in_any_chunks_and_redacting_twice_changes_nothing(value in json(), size in 1..200_usize) {
        let text = value.to_string();
        let (out, _) = redacted(text.as_bytes(), size);
        prop_assert_eq!(&out, &redacted(text.as_bytes(), text.len().max(1)).0);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&out).is_ok());
        prop_assert_eq!(&redacted(&out, size).0, &out);
        prop_assert!(!String::from_utf8_lossy(&out).contains("sk-ant-api03"));
    }

    #[test]
    fn any_bytes_are_taken_in_any_chunks(bytes in proptest::collection::vec(any::<u8>(), 0..400), size in 1..50_usize) {
        prop_assert_eq!(redacted(&bytes, size).0, redacted(&bytes, bytes.len().max(1)).0);
    }
}
