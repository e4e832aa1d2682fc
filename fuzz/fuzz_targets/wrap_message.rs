//! Whatever a client and a server say, the wrap answers, and no secret of the server's reaches the client.
//!
//! `cargo +nightly fuzz run wrap_message -- -max_total_time=60`

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use offcut::Offcut;
use offcut_mcp::wrap::{Rules, Wrap};

const SECRET: &str = "ghp_Zk3vQ8mT1xYw5LrN7bHc2JdF9gKs6UoPiAa4";

static WRAP: LazyLock<Wrap> = LazyLock::new(|| {
    let offcut = Offcut::builder().build().unwrap_or_else(|error| panic!("{error}"));
    Wrap::new(offcut, Rules::new(), Arc::new(|_| {}))
});

fuzz_target!(|input: (&str, &str, &str)| {
    let (asked, before, after) = input;
    let _ = WRAP.relayed(asked.as_bytes(), before.as_bytes());
    let text = serde_json::Value::from(format!("{before}\n{SECRET}\n{after}"));
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
    let said = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#);
    let got = String::from_utf8_lossy(&WRAP.relayed(call.as_bytes(), said.as_bytes())).into_owned();
    assert!(serde_json::from_str::<serde_json::Value>(&got).is_ok(), "{got}");
    assert!(!got.contains(SECRET), "{got}");
});
