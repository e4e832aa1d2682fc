//! Laws of every message: what holds for any two that a client and a server exchange.

use std::sync::Arc;

use offcut::Offcut;
use offcut_mcp::wrap::{Rules, Wrap};
use proptest::prelude::*;
use serde_json::{Value, json};

const SECRET: &str = "ghp_Zk3vQ8mT1xYw5LrN7bHc2JdF9gKs6UoPiAa4";

fn wrap() -> Wrap {
    Wrap::new(Offcut::builder().in_memory().build().unwrap(), Rules::new(), Arc::new(|_| {}))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~é\\n\\t\"\\\\]{0,60}",
        "[a-z]{0,5}".prop_map(|before| format!("{before}\n{SECRET}\nend")),
        (1..4000_usize).prop_map(|lines| "a line of a log\n".repeat(lines)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(Value::Null), any::<i32>().prop_map(Into::into), text().prop_map(Into::into)];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            proptest::collection::vec(("[a-z_]{1,8}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn answer() -> impl Strategy<Value = Value> {
    let block = prop_oneof![
        text().prop_map(|text| json!({"type": "text", "text": text})),
        text().prop_map(|text| json!({"type": "resource", "resource": {"uri": "a:b", "text": text}})),
        value().prop_map(|odd| json!({"type": "odd", "odd": odd})),
    ];
    let content = proptest::collection::vec(block, 0..4);
    prop_oneof![
        (content, value(), value()).prop_map(|(content, structured, meta)| {
            json!({"jsonrpc": "2.0", "id": 1, "result":
                {"content": content, "structuredContent": {"x": structured}, "_meta": {"x": meta}}})
        }),
        value().prop_map(|result| json!({"jsonrpc": "2.0", "id": 1, "result": result})),
        value()
            .prop_map(|data| json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "m", "data": data}})),
        value().prop_map(|params| json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})),
    ]
}

fn method() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        Just("tools/call"),
        Just("tools/list"),
        Just("resources/read"),
        Just("prompts/get"),
        Just("tasks/result")
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_message_stays_one_without_its_secrets_and_within_the_limit(method in method(), said in answer()) {
        let params = json!({"name": "t", "uri": "a:b", "taskId": "k"});
        let asked = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let sent = said.to_string();
        let got = String::from_utf8(wrap().relayed(asked.as_bytes(), sent.as_bytes())).unwrap();
        prop_assert!(!got.contains(SECRET));
        let parsed: Value = serde_json::from_str(&got).unwrap();
        prop_assert_eq!(parsed.get("id"), said.get("id"));
        let listed = method == "tools/list" && said["result"].get("tools").is_some();
        if !sent.contains(SECRET) && sent.len() < 7000 && !listed {
            prop_assert_eq!(got, sent);
        } else if method == "tools/call" && said["result"].get("content").is_some() {
            let texts = parsed["result"]["content"].as_array().unwrap().iter().map(|block| &block["text"]);
            let shown: usize = texts.filter_map(Value::as_str).map(|text| text.chars().count()).sum();
            prop_assert!(shown <= 8000, "{} characters", shown);
        }
    }

    #[test]
    fn any_bytes_are_passed_on(asked in proptest::collection::vec(any::<u8>(), 0..80), said in "[\\[\\]{}\",:a1\\\\ ]{0,80}") {
        let got = wrap().relayed(&asked, said.as_bytes());
        prop_assert_eq!(got, said.into_bytes());
    }
}
