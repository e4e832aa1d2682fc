//! Laws of every request: what holds for any body that a client sends.

use offcut::Offcut;
use offcut_serve::{Proxy, ProxyOptions};
use proptest::prelude::*;
use serde_json::{Value, json};

const SECRET: &str = "ghp_Zk3vQ8mT1xYw5LrN7bHc2JdF9gKs6UoPiAa4";

const PATHS: [&str; 3] = ["/v1/messages", "/v1/chat/completions", "/v1/responses"];

fn proxy() -> Proxy {
    Proxy::new(Offcut::builder().in_memory().build().unwrap(), ProxyOptions::default()).unwrap()
}

fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "[ -~é\\n\\t\"\\\\]{0,60}",
        "[a-z]{0,5}".prop_map(|before| format!("{before}\n{SECRET}\nend")),
        (1..1500_usize).prop_map(|lines| "a line of a log\n".repeat(lines)),
    ];
    let key = prop_oneof!["[a-z_]{1,8}", Just("text".to_owned()), Just("content".to_owned()), Just("type".to_owned())];
    let leaf = prop_oneof![Just(Value::Null), any::<i32>().prop_map(Into::into), text.prop_map(Into::into)];
    leaf.prop_recursive(4, 12, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            proptest::collection::vec((key.clone(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// What a tool wrote, in a body of each format.
fn body(path: &str, written: &Value) -> Value {
    match path {
        "/v1/messages" => json!({"messages": [{"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": "t", "content": written}]}]}),
        "/v1/chat/completions" => json!({"messages": [{"role": "tool", "tool_call_id": "t", "content": written}]}),
        _ => json!({"input": [{"type": "function_call_output", "call_id": "t", "output": written}]}),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_body_stays_json_without_the_secrets_that_a_tool_wrote(which in 0..3_usize, written in value()) {
        let body = body(PATHS[which], &written).to_string();
        let got = String::from_utf8(proxy().rewritten(PATHS[which], body.as_bytes()).to_vec()).unwrap();
        prop_assert!(!got.contains(SECRET), "{}", got);
        prop_assert!(serde_json::from_str::<Value>(&got).is_ok(), "{}", got);
        if !body.contains(SECRET) && body.len() < 7000 {
            prop_assert_eq!(got, body);
        }
    }

    #[test]
    fn any_bytes_are_passed_on(which in 0..3_usize, body in "[\\[\\]{}\",:a1\\\\ ]{0,80}") {
        let got = proxy().rewritten(PATHS[which], body.as_bytes());
        prop_assert_eq!(got, body.into_bytes());
    }
}
