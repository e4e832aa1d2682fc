//! Several servers as one.

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;

use offcut::Offcut;
use offcut_mcp::wrap::{Rules, Wrap, servers};
use serde_json::{Value, json};

use super::rig::{artifact_in, first_text, log};

/// A server that knows its name: it answers every request by what it was asked, and calls of `show` by a large log.
fn script(name: &str, capabilities: &str) -> String {
    format!(
        r#"while IFS= read -r line; do
    id=${{line#*\"id\":}}; id=${{id%%,*}}
    case $line in
        *'"method":"notifications/'*) printf '%s\n' "$line" >>"{name}.heard" ;;
        *'"result":'*) printf '%s\n' "$line" >>"{name}.heard" ;;
        *'"initialize"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"protocolVersion":"2025-06-18","capabilities":{capabilities},"serverInfo":{{"name":"{name}"}}}}}}\n' "$id" ;;
        *'"cursor"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"tools":[{{"name":"more","inputSchema":{{}}}}]}}}}\n' "$id" ;;
        *'"tools/list"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"tools":[{{"name":"show","inputSchema":{{}},"outputSchema":{{}}}}],"nextCursor":"2"}}}}\n' "$id" ;;
        *'"resources/list"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"resources":[{{"uri":"{name}://a","name":"a"}}]}}}}\n' "$id" ;;
        *'"show"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"content":' "$id"; cat large; printf '}}}}\n' ;;
        *'"more"'*) printf '{{"jsonrpc":"2.0","id":7,"method":"roots/list"}}\n'; printf '{{"jsonrpc":"2.0","id":%s,"result":{{"content":[{{"type":"text","text":"more of {name}"}}]}}}}\n' "$id" ;;
        *) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"by":"{name}"}}}}\n' "$id" ;;
    esac
done"#
    )
}

#[test]
fn two_servers_look_like_one() {
    let directory = tempfile::tempdir().unwrap();
    let large = json!([{"type": "text", "text": log(3000)}]).to_string();
    std::fs::write(directory.path().join("large"), large).unwrap();
    let write = |name: &str, capabilities: &str| {
        let path = directory.path().join(format!("{name}.sh"));
        std::fs::write(&path, script(name, capabilities)).unwrap();
        json!({"command": "sh", "args": [path], "cwd": directory.path()})
    };
    let mut one = write("one", r#"{"tools":{},"resources":{"subscribe":true}}"#);
    one["limit"] = json!(900);
    let file = json!({"mcpServers": {
        "one": one,
        "two": write("two", r#"{"tools":{"listChanged":true},"resources":{},"logging":{}}"#),
        "gone": {"command": "/nowhere/at/all"},
    }});
    let offcut = Offcut::builder().in_memory().build().unwrap();
    let listed = servers(&file, &Rules::new(), |_| None).unwrap();
    let hub = Wrap::new(offcut, Rules::new(), Arc::new(|_| {})).hub(listed);
    let (client_in, mut to) = std::io::pipe().unwrap();
    let (from, client_out) = std::io::pipe().unwrap();
    let thread = std::thread::spawn(move || hub.run(client_in, client_out).unwrap());
    let mut from = BufReader::new(from);
    let mut line = || {
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let mut say = |message: Value| writeln!(to, "{message}").unwrap();

    say(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"clientInfo": {"name": "t"}}}));
    let greeted = line();
    assert_eq!(greeted["result"]["protocolVersion"], "2025-06-18");
    let capabilities = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}});
    assert_eq!(greeted["result"]["capabilities"], capabilities);

    say(json!({"jsonrpc": "2.0", "id": "l", "method": "tools/list"}));
    let listed = line();
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one_show", "one_more", "two_show", "two_more", "get_artifact"]);
    assert!(!listed.to_string().contains("outputSchema"));

    let call = |id: u64, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    say(call(2, "one_show", json!({})));
    let cut = first_text(&line());
    assert!(cut.chars().count() <= 900, "{cut}");
    say(call(3, "get_artifact", json!({"id": artifact_in(&cut), "end_line": 1})));
    assert!(first_text(&line()).starts_with("line 1: request 1"));
    say(call(4, "three_show", json!({})));
    assert_eq!(line()["error"]["code"], -32602);

    // What a server asks is told apart, and the answer finds its way back.
    say(call(5, "two_more", json!({})));
    let asked = line();
    assert_eq!((asked["method"].as_str(), asked["id"].as_str()), (Some("roots/list"), Some("offcut-server-1:7")));
    assert_eq!(first_text(&line()), "more of two");
    say(json!({"jsonrpc": "2.0", "id": "offcut-server-1:7", "result": {"roots": []}}));

    say(json!({"jsonrpc": "2.0", "id": 6, "method": "resources/list"}));
    assert_eq!(line()["result"]["resources"].as_array().unwrap().len(), 2);
    say(json!({"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": "two://a"}}));
    assert_eq!(line()["result"]["by"], "two");
    say(json!({"jsonrpc": "2.0", "id": 8, "method": "logging/setLevel", "params": {"level": "info"}}));
    assert_eq!(line()["result"], json!({}));
    say(json!({"jsonrpc": "2.0", "id": 9, "method": "ping"}));
    assert_eq!(line(), json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    drop(to);
    assert_eq!(thread.join().unwrap(), 0);
    let heard = std::fs::read_to_string(directory.path().join("two.heard")).unwrap();
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(heard.lines().collect::<Vec<_>>(), [r#"{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}"#, initialized]);
    assert_eq!(std::fs::read_to_string(directory.path().join("one.heard")).unwrap().trim(), initialized);
}
