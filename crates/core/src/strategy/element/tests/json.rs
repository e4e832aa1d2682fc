use super::{Elsewhere, counts, cut, rendered, shown};
use crate::budget::Budget;
use crate::cut::Cut;
use crate::document::TextDocument;
use crate::kind::{Classification, Kind};
use crate::strategy::element::torn_json;
use crate::strategy::{CutContext, CutError, Settings};
use proptest::prelude::*;
use serde_json::{Value, json};

fn cut_json(text: &str, chars: u64, settings: &Settings) -> (String, Cut) {
    let (shown, cut) = shown(Kind::Json, text, chars, settings).unwrap();
    let source: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
    let result: Value = serde_json::from_str(&shown).unwrap_or_else(|error| panic!("{error}: {shown}"));
    let mut omitted = 0;
    compare(&source, &result, &mut omitted);
    assert_eq!(cut.omitted_elements, Some(omitted), "{shown}");
    (shown, cut)
}

#[test]
fn without_preserve_json_the_marks_stand_outside_of_the_data() {
    let records: Vec<String> = (0..50).map(|n| format!("{{\"id\": {n}}}")).collect();
    let text = format!("{{\"users\": [{}], \"total\": 50}}", records.join(", "));
    let settings = Settings { preserve_json: false, adaptive: false, ..counts(1, 1) };
    let document = TextDocument::new(text);
    let cut = cut(Kind::Json, &document, 100, &settings).unwrap();
    assert_eq!(
        rendered(&document, &cut),
        "{\"users\": [{\"id\": 0}, ... [48 items omitted] ..., {\"id\": 49}], \"total\": 50}"
    );
    assert!(!cut.parses);
    assert_eq!(cut.omitted_elements, Some(48));
}

#[test]
fn where_there_is_room_one_of_each_value_of_a_column_is_shown() {
    let rules = ["DL3006", "DL4000", "DL3008", "DL3015", "DL3009", "DL3020", "SC2126", "DL3004"];
    let finding = |n: usize| json!({"rule": rules[n / 20 % rules.len()], "line": n, "level": "warning"}).to_string();
    let findings: Vec<String> = (0..160).map(finding).collect();
    let (shown, _) = cut_json(&format!("[{}]", findings.join(",")), 3000, &counts(2, 2));
    for rule in rules {
        assert!(shown.contains(rule), "{rule} is missing in {shown}");
    }
}

#[test]
fn what_stands_before_a_failure_is_shown_with_it() {
    let event = |n: usize| match n {
        300 => json!({"action": "output", "text": "cart_test.go:33: total = 31, want 30"}),
        301 => json!({"action": "output", "text": "--- FAIL: TestTotal"}),
        302 => json!({"action": "fail", "text": "TestTotal failed"}),
        n => json!({"action": "output", "text": format!("=== RUN TestPart{n}")}),
    };
    let events: Vec<String> = (0..600).map(|n| event(n).to_string()).collect();
    let (shown, _) = cut_json(&format!("[{}]", events.join(",")), 2000, &Settings::default());
    assert!(shown.contains("total = 31, want 30") && shown.contains("--- FAIL: TestTotal"), "{shown}");
}

/// The number in `... N items omitted ...` or `N keys omitted`.
fn number(text: &str, unit: &str) -> Option<u64> {
    let text = text.strip_prefix("... ").unwrap_or(text);
    let (number, rest) = text.split_once(' ')?;
    let unit = if number == "1" { unit.trim_end_matches('s') } else { unit };
    (rest == format!("{unit} omitted") || rest == format!("{unit} omitted ...")).then_some(())?;
    number.parse().ok()
}

/// Checks that `shown` is `source` with parts left out, and that every count is right.
fn compare(source: &Value, shown: &Value, omitted: &mut u64) {
    match (source, shown) {
        (Value::Array(source), Value::Array(shown)) => {
            let mut at = 0;
            for element in shown {
                match element.as_str().and_then(|text| number(text, "items")) {
                    Some(count) => {
                        *omitted += count;
                        at += count as usize;
                    }
                    None => {
                        compare(&source[at], element, omitted);
                        at += 1;
                    }
                }
            }
            assert_eq!(at, source.len());
        }
        (Value::Object(source), Value::Object(shown)) => {
            let mut members = source.iter();
            let mut left = source.len() as u64;
            for (key, value) in shown {
                if key.starts_with("...") {
                    left -= number(value.as_str().unwrap(), "keys").unwrap();
                } else {
                    let (_, original) = members.find(|(name, _)| *name == key).unwrap();
                    compare(original, value, omitted);
                    left -= 1;
                }
            }
            assert_eq!(left, 0);
        }
        (Value::String(source), Value::String(shown)) if source != shown => {
            let (head, rest) = shown.split_once("... [").unwrap();
            let (_, tail) = rest.split_once(" chars omitted] ...").unwrap();
            assert!(source.starts_with(head) && source.ends_with(tail), "{source} {shown}");
        }
        (source, shown) => assert_eq!(source, shown),
    }
}

fn refusal(kind: Kind, text: &str) -> String {
    shown(kind, text, 500, &Settings::default()).unwrap_err().to_string()
}

#[test]
fn the_first_and_last_elements_stay_and_the_rest_is_counted() {
    let text = serde_json::to_string(&(1..=100).collect::<Vec<_>>()).unwrap();
    let (shown, cut) = cut_json(&text, 150, &counts(2, 2));
    assert_eq!(shown, r#"[1,2,"... 96 items omitted ...",99,100]"#);
    assert_eq!(cut.omitted_elements, Some(96));
    assert_eq!(cut.about.as_deref(), Some("100 ints"));
}

#[test]
fn fifty_thousand_users_become_ten_and_a_count() {
    let users: Vec<Value> =
        (1..=50_000).map(|n| json!({"id": n, "name": format!("user {n}"), "plan": "free", "active": true})).collect();
    let (shown, cut) = cut_json(&json!({"users": users, "total": 50_000}).to_string(), 8000, &Settings::default());
    assert!(shown.contains("\"... 49990 items omitted ...\""), "{shown}");
    assert!(shown.ends_with(r#"],"total":50000}"#));
    assert!(shown.contains("user 5\"") && shown.contains("user 49996\"") && !shown.contains("user 6\""));
    let about = "object of 2 keys: users:array, total:int; \
                 users: 50000 objects; keys id:int, name:string, plan:string, active:bool";
    assert_eq!(cut.about.as_deref(), Some(about));
}

#[test]
fn elements_that_differ_are_shown_before_ordinary_ones() {
    let mut users: Vec<Value> =
        (0..1000).map(|n| json!({"id": n, "status": "ok", "note": format!("all is well with {n}")})).collect();
    users[345]["status"] = json!("degraded");
    users[678]["error"] = json!("disk on fire");
    users[901]["note"] = json!("Connection refused by peer");
    let text = Value::Array(users).to_string();
    let (shown, cut) = cut_json(&text, 900, &Settings::default());
    assert!(shown.contains("degraded") && shown.contains("disk on fire") && shown.contains("refused"), "{shown}");
    assert!(cut.about.unwrap().ends_with("; 2 shapes"));
    // Where only the counts decide, nothing else is shown.
    let strict = Settings { adaptive: false, ..Settings::default() };
    let (shown, cut) = cut_json(&text, 900, &strict);
    assert!(!shown.contains("degraded") && shown.contains("\"... 990 items omitted ...\""), "{shown}");
    assert_eq!(cut.omitted_elements, Some(990));
}

/// So many pods, the one at `sick` as `status` says.
fn pods(count: usize, sick: usize, status: Value) -> String {
    let well = json!({"phase": "Running", "containers": [{"name": "api", "state": {"running": {"since": "Monday"}}}]});
    let pod = |n: usize| {
        let status = if n == sick { status.clone() } else { well.clone() };
        json!({"metadata": {"name": format!("pod-{n}")}, "spec": {"node": format!("node-{}", n % 7)}, "status": status})
    };
    json!({"items": (0..count).map(pod).collect::<Vec<_>>()}).to_string()
}

#[test]
fn what_is_wrong_deep_inside_an_element_is_shown_however_many_there_are() {
    let state = json!({"waiting": {"reason": "CrashLoopBackOff"}});
    let status = json!({"phase": "Running", "containers": [{"name": "api", "state": state}]});
    for count in [100, 3000] {
        for chars in [1500, 8000] {
            let (shown, _) = cut_json(&pods(count, count / 2, status.clone()), chars, &Settings::default());
            assert!(shown.contains("CrashLoopBackOff"), "{count} in {chars}: {shown}");
            assert!(shown.contains(&format!("pod-{}", count / 2)), "{count} in {chars}: {shown}");
        }
    }
}

#[test]
fn what_an_error_says_is_shown_with_it() {
    let test = |suite: u32, n: u32| match (suite, n) {
        (37, 5) => {
            json!({"name": "adds", "status": "failed", "error": {"says": "expected 90, got 95", "at": "cart.ts:44"}})
        }
        _ => json!({"name": format!("test {n}"), "status": "passed", "milliseconds": n}),
    };
    let suite = |s: u32| json!({"name": format!("suite {s}"), "tests": (0..8).map(|n| test(s, n)).collect::<Vec<_>>()});
    let text = json!({"suites": (0..60).map(suite).collect::<Vec<_>>()}).to_string();
    let (shown, _) = cut_json(&text, 1500, &Settings::default());
    assert!(shown.contains("suite 37") && shown.contains("expected 90, got 95"), "{shown}");
}

#[test]
fn a_state_that_others_do_not_have_is_shown_where_it_lies_in_a_part() {
    let status =
        json!({"phase": "Pending", "containers": [{"name": "api", "state": {"running": {"since": "Monday"}}}]});
    for count in [100, 3000] {
        let (shown, _) = cut_json(&pods(count, count / 2, status.clone()), 3000, &Settings::default());
        assert!(shown.contains("Pending"), "{count}: {shown}");
    }
    let (shown, _) = cut_json(&pods(100, 50, status.clone()), 900, &Settings::default());
    assert!(shown.contains(&status.to_string()), "{shown}");
}

#[test]
fn the_parts_that_make_a_long_record_differ_are_shown_before_its_other_parts() {
    let disks = |n: u32| {
        let disk = |d: u32| json!({"device": format!("/dev/sd{d}"), "volume": format!("vol-{n:05}-{d}"), "size": 8});
        (0..6).map(disk).collect::<Vec<Value>>()
    };
    let machine = |n: u32| {
        let (state, reason) = if n == 33 { ("stopped", "no capacity left") } else { ("running", "") };
        let machine = json!({
            "id": format!("i-{n:017}"), "address": format!("10.0.0.{n}"), "disks": disks(n), "owner": format!("team {n}"),
            "state": {"code": 16, "name": state, "reason": {"message": reason, "code": 0}},
        });
        json!({"reservation": format!("r-{n:08}"), "machines": [machine]})
    };
    let text = json!({"reservations": (0..60).map(machine).collect::<Vec<Value>>()}).to_string();
    let (shown, _) = cut_json(&text, 1800, &Settings::default());
    assert!(shown.contains("stopped") && shown.contains("no capacity left"), "{shown}");
}

#[test]
fn a_message_that_is_rare_comes_before_one_that_repeats() {
    let record = |n: u32| {
        let (level, message) = match (n, n % 4) {
            (217, _) => ("info", "0a1b2c3d stepped down: the quorum is not active".to_owned()),
            (300, _) => ("warn", "slow write of the log".to_owned()),
            (_, 0) => ("warn", format!("request {n} took too long")),
            (_, 1) => ("info", format!("compacted revision {n}")),
            _ => ("info", "purged".to_owned()),
        };
        format!("{}\n", json!({"level": level, "ts": n, "msg": message, "took": format!("{n}ms"), "id": n * 7}))
    };
    let log: String = (0..400).map(record).collect();
    let (shown, _) = shown(Kind::Ndjson, &log, 1500, &Settings::default()).unwrap();
    assert!(shown.contains("stepped down") && shown.contains("slow write"), "{shown}");
    assert!(shown.matches("took too long").count() > 1, "{shown}");
}

#[test]
fn in_a_list_of_lists_a_place_is_a_column() {
    let row = |n: u32| json!([n, format!("town {n}"), if n == 250 { "suspended" } else { "active" }]);
    let text = json!({"rows": (0..500).map(row).collect::<Vec<_>>()}).to_string();
    let (shown, _) = cut_json(&text, 900, &Settings::default());
    assert!(shown.contains("[250,\"town 250\",\"suspended\"]"), "{shown}");
    let sample = |n: u32| json!({"host": format!("host {n}"), "value": [n, if n == 250 { "0" } else { "1" }]});
    let text = json!((0..500).map(sample).collect::<Vec<_>>()).to_string();
    let (shown, _) = cut_json(&text, 900, &Settings::default());
    assert!(shown.contains("[250,\"0\"]"), "{shown}");
}

#[test]
fn elements_are_opened_deeper_where_there_is_room() {
    let record = |n: u32| json!({"id": n, "a": {"b": {"c": {"d": {"e": format!("deep {n} {}", "x".repeat(60))}}}}});
    let text = json!((0..200).map(record).collect::<Vec<_>>()).to_string();
    let (shown, _) = cut_json(&text, 600, &Settings::default());
    assert!(!shown.contains("deep 4"), "{shown}");
    let (shown, _) = cut_json(&text, 4000, &Settings::default());
    for n in [0, 1, 2, 3, 4, 195, 196, 197, 198, 199] {
        assert!(shown.contains(&format!("deep {n} ")), "{shown}");
    }
    let (shown, _) = cut_json(&text, 4000, &Settings { adaptive: false, ..Settings::default() });
    assert!(!shown.contains("deep"), "{shown}");
}

#[test]
fn small_containers_stay_whole() {
    let padding = "x".repeat(600);
    let text = format!(r#"{{"a":[],"b":{{}},"c":[1],"d":[[]],"padding":"{padding}"}}"#);
    let (shown, _) = cut_json(&text, 400, &Settings::default());
    assert!(shown.starts_with(r#"{"a":[],"b":{},"c":[1],"d":[[]],"padding":"xxx"#), "{shown}");
}

#[test]
fn numbers_keys_and_duplicates_come_out_as_they_went_in() {
    let members = r#""b":123456789012345678901234567890,"a":1.10e+05,"a":-0.0,"z":"#;
    let text = format!(r#"{{{members}[{}1]}}"#, "1,".repeat(500));
    let (shown, _) = shown(Kind::Json, &text, 200, &counts(1, 1)).unwrap();
    assert_eq!(shown, format!(r#"{{{members}[1,"... 499 items omitted ...",1]}}"#));
}

#[test]
fn what_lies_too_deep_is_folded() {
    let strict = Settings { adaptive: false, ..Settings::default() };
    let text = format!(r#"{{"a":{{"b":{{"c":{{"d":1,"e":"{}"}},"f":[]}}}}}}"#, "y".repeat(300));
    let (shown, _) = cut_json(&text, 250, &strict);
    assert_eq!(shown, r#"{"a":{"b":{"c":{"...": "2 keys omitted"},"f":[]}}}"#);
    // With room to spare a configuration is followed further down.
    let (shown, _) = cut_json(&text, 250, &Settings::default());
    assert!(shown.contains(r#""d":1"#), "{shown}");
}

#[test]
fn wide_objects_keep_some_of_their_keys() {
    let wide: serde_json::Map<String, Value> = (0..300).map(|n| (format!("key{n}"), json!(n))).collect();
    let (shown, cut) = cut_json(&Value::Object(wide).to_string(), 300, &Settings::default());
    assert!(shown.starts_with(r#"{"key0":0,"key1":1,"#) && shown.contains("keys omitted\""), "{shown}");
    assert_eq!(cut.omitted_elements, Some(0));
}

#[test]
fn strings_are_cut_between_characters_and_never_inside_an_escape() {
    for unit in ["\\u00e9", "\\ud83d\\ude00", "\\\\", "\\\"", "é", "🎉", "\\n", "a"] {
        for shift in 0..12 {
            let text = format!("[\"{}{}\"]", "x".repeat(shift), unit.repeat(2000));
            let (shown, _) = cut_json(&text, 600, &Settings::default());
            assert!(shown.contains(" chars omitted] ..."), "{shown}");
        }
    }
}

#[test]
fn a_byte_order_mark_and_outer_space_are_left_out() {
    let text = format!("\u{feff}\n\n[{}1]\n", "1, ".repeat(500));
    let (shown, _) = shown(Kind::Json, &text, 120, &counts(1, 1)).unwrap();
    assert_eq!(shown, "[1, \"... 499 items omitted ...\", 1]\n");
}

#[test]
fn malformed_json_is_refused_with_its_place() {
    let check = |text: &str, expected: &str| assert_eq!(refusal(Kind::Json, text), expected);
    check("[1, 2", "malformed JSON at line 1 column 6: the text ends inside a value");
    check("{\"a\": 1,\n é}", "malformed JSON at line 2 column 2: expected a name in double quotes");
    check("[1,]", "malformed JSON at line 1 column 4: expected a value");
    check("[1}", "malformed JSON at line 1 column 3: a closing bracket of the wrong kind");
    check("[01]", "malformed JSON at line 1 column 3: a number is followed by something else");
    check("[1] 2", "malformed JSON at line 1 column 5: something follows the end of the value");
    check("[\"\\x\"]", "malformed JSON at line 1 column 4: an unknown escape inside a string");
    check("", "malformed JSON at line 1 column 1: the text ends inside a value");
}

#[test]
fn json_that_ends_too_early_is_cut_by_its_elements_wherever_it_ends() {
    let record = |n: u64| match n {
        9 => r#"{"id": 9, "state": "failed", "error": "ledger \u0041 mismatch", "tags": [true, null, -1.5e3]}"#
            .to_string(),
        n => format!("{{\"id\": {n}, \"state\": \"active\", \"tags\": [true, null, {n}.25]}}"),
    };
    let list = format!("[{}]", (0..30).map(record).collect::<Vec<_>>().join(", "));
    let lines = (0..30).map(record).collect::<Vec<_>>().join("\n");
    let object = format!("{{\"page\": 1, \"items\": {list}, \"next\": null}}");
    let settings = Settings::default();
    for (kind, text) in [(Kind::Json, list), (Kind::Ndjson, lines), (Kind::Json, object)] {
        let classification = Classification::new(kind, 1.0, "test");
        let context = CutContext::new(Budget::chars(900), &settings, &classification);
        let mut torn = 0;
        for end in 1200..text.len() {
            let document = TextDocument::new(text.get(..end).unwrap());
            match torn_json(&document, &context).and_then(|mut cutter| cutter.cut(&context.budget)) {
                Ok(cut) => {
                    let shown = rendered(&document, &cut);
                    assert!(shown.chars().count() <= 900, "{end}: {shown}");
                    assert!(shown.contains("ledger") && shown.contains("omitted"), "{end}: {shown}");
                    assert!(!cut.parses);
                    torn += 1;
                }
                // The records of NDJSON are whole at the end of each.
                Err(CutError::Shape(why)) => assert_eq!(why, "the JSON is whole", "{end}"),
                Err(error) => panic!("{end}: {error}"),
            }
        }
        assert!(torn > 500, "{torn}");
    }
}

#[test]
fn what_is_wrong_before_its_end_is_not_json_that_ends_too_early() {
    let settings = Settings::default();
    let classification = Classification::new(Kind::Json, 1.0, "test");
    let context = CutContext::new(Budget::chars(900), &settings, &classification);
    let wrong = format!("[{}; 1, ", "1, ".repeat(600));
    assert!(torn_json(&TextDocument::new(&wrong), &context).is_err());
    assert!(torn_json(&TextDocument::new("[1, 2, "), &context).is_err());
}

#[test]
fn nesting_a_million_deep_costs_neither_the_stack_nor_much_time() {
    let text = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    let (shown, _) = shown(Kind::Json, &text, 500, &Settings::default()).unwrap();
    assert!(serde_json::from_str::<Value>(&shown).is_ok(), "{shown}");
    assert!(refusal(Kind::Json, &"[".repeat(1_000_000)).starts_with("malformed JSON at line 1 column 1000001"));
}

#[test]
fn one_value_a_line_is_cut_by_line() {
    let text: String = (0..300).map(|n| format!("{{\"n\":{n},\"level\":\"info\"}}\n")).collect();
    let text = text.replace("{\"n\":150,\"level\":\"info\"}", "{\"n\":150,\"level\":\"fatal\"}");
    let (shown, cut) = shown(Kind::Ndjson, &text, 250, &counts(2, 1)).unwrap();
    let expected = "{\"n\":0,\"level\":\"info\"}\n{\"n\":1,\"level\":\"info\"}\n\"... 148 items omitted ...\"\n\
                    {\"n\":150,\"level\":\"fatal\"}\n\"... 148 items omitted ...\"\n{\"n\":299,\"level\":\"info\"}\n";
    assert_eq!(shown, expected);
    assert_eq!(cut.omitted_elements, Some(296));
    assert!(refusal(Kind::Ndjson, "{\"a\":1}\n{\"a\":\n").contains("line 3 column 1"));
}

#[test]
fn lines_of_text_around_a_value_stay_around_it() {
    let numbers = (1..2000).map(|n| n.to_string()).collect::<Vec<_>>().join(",\n");
    let text = format!("warning: old config\n[{numbers}]\ndone\n");
    let document = TextDocument::new(text);
    let settings = counts(1, 1);
    let cut = cut(Kind::Json, &document, 200, &settings).unwrap();
    assert!(!cut.parses);
    assert_eq!(rendered(&document, &cut), "warning: old config\n[1,\n\"... 1997 items omitted ...\",\n1999]\ndone\n");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[^.]{0,12}".prop_map(Value::from),
        "[a-z\\\\\"é🎉\n ]{150,500}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 200, 12, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..40).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,8}", inner), 0..12)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn every_cut_of_every_value_parses_fits_and_counts(
        value in values(),
        pretty in any::<bool>(),
        chars in 80u64..3000,
        adaptive in any::<bool>(),
        first in 0u64..7,
    ) {
        let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let settings = Settings { adaptive, first_elements: first, ..Settings::default() };
        let (shown, made) = cut_json(&text, chars, &settings);
        // A document that is read in blocks is cut alike.
        let elsewhere = Elsewhere(TextDocument::new(text));
        let again = cut(Kind::Json, &elsewhere, chars, &settings).unwrap();
        prop_assert_eq!(&again, &made);
        prop_assert_eq!(rendered(&elsewhere, &again), shown);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",:0-9a-z\\\\ \n]{0,80}", many in any::<bool>()) {
        let kind = if many { Kind::Ndjson } else { Kind::Json };
        let valid = serde_json::from_str::<Value>(&text).is_ok();
        let result = shown(kind, &text, 60, &Settings::default());
        if !many {
            prop_assert_eq!(result.is_ok(), valid, "{:?}", result);
        }
    }
}

#[test]
fn entries_that_are_mentioned_elsewhere_come_before_their_neighbours() {
    let mut packages = serde_json::Map::new();
    packages.insert(String::new(), json!({"name": "app", "dependencies": {"zebra": "^1.0", "lemur": "^2.0"}}));
    for name in (0..200).map(|n| format!("pkg{n}")).chain(["lemur".into(), "zebra".into()]) {
        let record =
            json!({"version": "1.2.3", "license": "MIT", "resolved": format!("https://example.com/{name}.tgz")});
        packages.insert(format!("modules/{name}"), record);
    }
    packages.insert("modules/last".into(), json!({"version": "9.9.9", "license": "MIT", "resolved": "none"}));
    let (shown, _) = cut_json(&json!({"packages": packages}).to_string(), 1500, &Settings::default());
    assert!(shown.contains("\"modules/lemur\":") && shown.contains("\"modules/zebra\":"), "{shown}");
}
