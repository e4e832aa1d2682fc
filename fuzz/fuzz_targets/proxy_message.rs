//! Whatever a client sends, the proxy has a body to pass on, and no secret that a tool wrote is in it.
//!
//! `cargo +nightly fuzz run proxy_message -- -max_total_time=60`

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use offcut::Offcut;
use offcut_serve::{Proxy, ProxyOptions};

const SECRET: &str = "ghp_Zk3vQ8mT1xYw5LrN7bHc2JdF9gKs6UoPiAa4";

static PROXY: LazyLock<Proxy> = LazyLock::new(|| {
    let offcut = Offcut::builder().build().unwrap_or_else(|error| panic!("{error}"));
    Proxy::new(offcut, ProxyOptions::default()).unwrap_or_else(|error| panic!("{error}"))
});

fuzz_target!(|input: (u8, &str, &str)| {
    let (which, before, after) = input;
    let paths = ["/v1/messages", "/v1/chat/completions", "/v1/responses"];
    let path = paths[usize::from(which) % paths.len()];
    let _ = PROXY.rewritten(path, before.as_bytes());
    let text = serde_json::Value::from(format!("{before}\n{SECRET}\n{after}"));
    let body = match path {
        "/v1/messages" => format!(
            r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t","content":{text}}}]}}]}}"#
        ),
        "/v1/responses" => format!(r#"{{"input":[{{"type":"mcp_call","id":"m","output":{text}}}]}}"#),
        _ => format!(r#"{{"messages":[{{"role":"tool","tool_call_id":"t","content":{text}}}]}}"#),
    };
    let got = String::from_utf8_lossy(&PROXY.rewritten(path, body.as_bytes())).into_owned();
    assert!(serde_json::from_str::<serde_json::Value>(&got).is_ok(), "{got}");
    assert!(!got.contains(SECRET), "{got}");
});
