//! Everything passes as it came.

use offcut_mcp::wrap::Rules;

use super::rig::{Rig, log, result, text};

/// Requests, notifications and answers of a client, each odd in its own way.
const FROM_CLIENT: [&str; 14] = [
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{},"experimental":{"x":1}},"clientInfo":{"name":"t","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    r#" { "method" : "server/discover" , "id" : "s-1" , "jsonrpc" : "2.0", "params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}} "#,
    r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"p","arguments":{"a":"\u00e9\/"}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"file:///x"}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"file:///x"}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}}}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"logging/setLevel","params":{"level":"debug"}}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"x-vendor/odd","params":[1,2.50,{"deep":[[[]]]}],"extra":null}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"bored"}}"#,
    r#"{"jsonrpc":"2.0","id":"srv-1","result":{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}}"#,
    r#"{"jsonrpc":"2.0","id":"srv-2","error":{"code":-1,"message":"declined","data":{"why":1e400}}}"#,
    r#"[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"small","arguments":{},"_meta":{"progressToken":"t"}}}"#,
];

/// What a server says, each odd in its own way too.
const FROM_SERVER: [&str; 14] = [
    r#"{"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"tasks":{}},"serverInfo":{"name":"s","version":"0"},"instructions":"x"},"jsonrpc":"2.0","id":0}"#,
    r#"{"jsonrpc":"2.0","id":"srv-1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#,
    r#"{"jsonrpc":"2.0","id":"s-1","error":{"code":-32601,"message":"Method not found"}}"#,
    r#"{"jsonrpc":"2.0","id":2,"result":{"messages":[{"role":"user","content":{"type":"text","text":"\ud83d\ude00"}}]}}"#,
    r#"{"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"file:///x","text":"short"}]}}"#,
    r#"{"jsonrpc":"2.0","id":"srv-2","method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///x"}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"a":[1]}}}"#,
    "{\"jsonrpc\":\"2.0\" ,\t\"id\":7,\"result\":{\"odd\":1.0E+2,\"odd\":2}}\r",
    r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"roots/list"}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#,
    r#"[{"jsonrpc":"2.0","id":8,"result":{}},{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}]"#,
    r#"{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"ok\n"},{"type":"image","data":"AAAA","mimeType":"image/png"},{"type":"resource_link","uri":"a:b","name":"n"},{"type":"new","x":1}],"structuredContent":{"a":1},"isError":false,"_meta":{"x":1}}}"#,
];

#[test]
fn every_message_passes_byte_for_byte_in_both_directions() {
    let mut rig = Rig::answering(Rules::new(), &FROM_SERVER);
    for (said, expected) in FROM_CLIENT.iter().zip(FROM_SERVER) {
        rig.send(said);
        assert_eq!(rig.line(), expected);
    }
    assert_eq!(rig.heard(), FROM_CLIENT);
}

#[test]
fn a_wrap_that_is_off_is_a_plain_pipe() {
    let list = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","outputSchema":{"type":"object"}}]}}"#;
    let large = result(2, serde_json::json!([text(&log(3000))]));
    let mut rig = Rig::answering(Rules { off: true, ..Rules::new() }, &[list, &large]);
    rig.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(rig.line(), list);
    rig.send(r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}"#);
    assert_eq!(rig.line(), large);
    rig.end();
}

#[test]
fn a_request_of_twenty_megabytes_reaches_the_server_whole() {
    let script = r#"head -n 1 | wc -c >size
        printf '{"jsonrpc":"2.0","id":1,"result":{}}\n'"#;
    let mut rig = Rig::running(Rules::new(), script, "");
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{{"x":"{}"}}}}"#, "y".repeat(20 << 20));
    rig.send(&request);
    assert_eq!(rig.line(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    rig.end();
    let size = std::fs::read_to_string(rig.path("size")).unwrap();
    assert_eq!(size.trim(), (request.len() + 1).to_string());
}

#[test]
fn what_is_not_asked_for_passes_whatever_its_size() {
    let large = result(77, serde_json::json!([text(&log(3000))]));
    let mut rig = Rig::answering(Rules::new(), &[&large]);
    rig.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#);
    assert_eq!(rig.line(), large);
    rig.end();
}
