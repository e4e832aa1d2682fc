//! Several servers as one, for a client of the revision without a handshake.

use serde_json::{Value, json};

use super::hub::{ALL, Client, names, script};
use super::rig::{artifact_in, first_text};

/// A server that needs no handshake: it notes what it is asked, and answers by its name.
const LATER: &str = r#"while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"method":"notifications/'*) printf '%s\n' "$line" >>later.heard ;;
        *'"server/discover"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{"listChanged":true},"logging":{}},"instructions":"Be brief.","ttlMs":0,"cacheScope":"private"}}\n' "$id" ;;
        *'"subscriptions/listen"'*) listens=$id
            printf '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":{"toolsListChanged":true}}}\n' "$id" ;;
        *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","tools":[{"name":"new","inputSchema":{}}],"ttlMs":500,"cacheScope":"public"}}\n' "$id" ;;
        *'"grow"'*) printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}\n' "$listens"
            printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[]}}\n' "$id" ;;
        *) printf '%s\n' "$line" >>later.asked
            printf '{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"by later"}]}}\n' "$id" ;;
    esac
done"#;

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// `params` of a request that stands for itself.
fn alone(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
        "own/key": 1,
    });
    params
}

fn call(client: &mut Client, id: u64, name: &str, arguments: Value) -> Value {
    client.ask(id, "tools/call", alone(json!({"name": name, "arguments": arguments})))
}

fn before_both() -> Client {
    Client::before(&[("old", script("old", ALL), json!({})), ("later", LATER.to_owned(), json!({}))])
}

#[test]
fn servers_of_every_revision_answer_a_client_without_a_handshake() {
    let mut client = before_both();
    // Whatever it asks first finds its way.
    let listed = client.ask(1, "tools/list", alone(json!({})));
    assert_eq!(names(&listed, "tools"), ["old_show", "old_more", "later_new", "get_artifact", "tool_output"]);
    assert_eq!((&listed["result"]["resultType"], &listed["result"]["ttlMs"]), (&json!("complete"), &json!(0)));

    let cut = call(&mut client, 2, "old_show", json!({}));
    assert_eq!(cut["result"]["resultType"], "complete");
    let id = artifact_in(&first_text(&cut));
    let own = call(&mut client, 3, "get_artifact", json!({"id": id, "end_line": 1}));
    assert_eq!(own["result"]["resultType"], "complete");
    assert!(first_text(&own).starts_with("line 1: request 1"));
    assert_eq!(first_text(&call(&mut client, 4, "later_new", json!({}))), "by later");
    assert!(client.read("later.asked").contains("io.modelcontextprotocol/protocolVersion"));

    let read = client.ask(5, "resources/read", alone(json!({"uri": "old://a"})));
    let expected = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "by": "old"});
    assert_eq!(read["result"], expected);
    let asked = client.read("old.asked");
    assert!(asked.contains(r#""_meta":{"own/key":1}"#) && !asked.contains("io.modelcontextprotocol"), "{asked}");
    // The client cannot be asked in its revision, so the server is refused what it asks.
    assert_eq!(first_text(&call(&mut client, 6, "old_more", json!({}))), "more of old");
    assert_eq!(client.ask(7, "ping", alone(json!({})))["result"], json!({}));
    client.end();
}

#[test]
fn what_the_servers_can_do_is_found_out_at_once() {
    let mut client = before_both();
    let found = client.ask(1, "server/discover", alone(json!({})))["result"].clone();
    assert_eq!(found["supportedVersions"], json!(["2026-07-28", "2025-11-25"]));
    let changes = json!({"listChanged": true});
    let capabilities = json!({"tools": changes, "prompts": changes, "resources": changes, "logging": {}});
    assert_eq!(found["capabilities"], capabilities);
    assert_eq!(found["instructions"], "later: Be brief.");
    assert_eq!((&found["resultType"], &found["cacheScope"]), (&json!("complete"), &json!("private")));
    assert_eq!(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "offcut");
    // The older one was greeted once, by us.
    assert_eq!(client.ask(2, "server/discover", alone(json!({})))["result"], found);
    assert_eq!(client.ask(3, "prompts/list", alone(json!({})))["result"]["prompts"], json!([{"name": "old_ask"}]));
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(client.read("old.heard").trim(), initialized);
    client.end();
}

#[test]
fn one_subscription_hears_all_servers() {
    let mut client = before_both();
    let wanted = json!({"toolsListChanged": true, "promptsListChanged": true});
    let params = alone(json!({"notifications": wanted}));
    client.say(json!({"jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": params}));
    let told = client.line();
    assert_eq!(told["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(told["params"], json!({"_meta": {SUBSCRIPTION: "l"}, "notifications": wanted}));

    for (tool, lists) in [("old_grow", &["tools", "prompts"] as &[&str]), ("later_grow", &["tools"])] {
        let mut message = call(&mut client, 1, tool, json!({}));
        for list in lists {
            assert_eq!(message["method"], format!("notifications/{list}/list_changed"), "{tool}");
            assert_eq!(message["params"]["_meta"][SUBSCRIPTION], "l");
            message = client.line();
        }
        assert_eq!(message["id"], 1, "{message}");
    }
    client.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "l"}}));
    assert_eq!(call(&mut client, 2, "old_grow", json!({}))["id"], 2);
    client.end();
}

#[test]
fn where_no_server_knows_the_revision_the_client_is_told_and_shakes_hands() {
    let mut client = Client::before(&[("old", script("old", ALL), json!({})), ("too", script("too", ALL), json!({}))]);
    let found = client.ask(1, "server/discover", alone(json!({})));
    assert_eq!(found["error"]["code"], -32601);
    let greeted = client.ask(2, "initialize", json!({"clientInfo": {"name": "t"}, "capabilities": {}}));
    assert_eq!(greeted["result"]["protocolVersion"], "2025-06-18");
    let shown = client.call(3, "old_show", json!({}));
    assert_eq!(shown["result"].get("resultType"), None);
    // What a server asks reaches it.
    assert_eq!(client.call(4, "too_more", json!({}))["method"], "roots/list");
    client.end();
}

#[test]
fn a_client_that_asks_at_once_is_served_by_older_servers_alone() {
    let mut client = Client::before(&[("old", script("old", ALL), json!({}))]);
    let listed = client.ask(1, "prompts/list", alone(json!({})));
    assert_eq!(names(&listed, "prompts"), ["old_ask"]);
    let found = client.ask(2, "server/discover", alone(json!({})));
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28", "2025-06-18"]));
    client.end();
}

#[test]
fn a_server_that_dies_of_being_asked_is_greeted_all_the_same() {
    let dies = r#"*'"server/discover"'*) exit 1 ;;"#;
    let old = script("old", ALL).replace(r#"*'"server/discover"'*)"#, &format!("{dies}\n        *'\"never\"'*)"));
    let mut client = Client::before(&[("old", old, json!({})), ("later", LATER.to_owned(), json!({}))]);
    let found = client.ask(1, "server/discover", alone(json!({})));
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28", "2025-11-25"]));
    let listed = client.ask(2, "tools/list", alone(json!({})));
    assert_eq!(names(&listed, "tools"), ["old_show", "old_more", "later_new", "get_artifact", "tool_output"]);
    client.end();
}
