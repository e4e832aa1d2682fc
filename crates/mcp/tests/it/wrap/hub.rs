//! Several servers as one.

use std::io::{PipeWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use offcut::Offcut;
use offcut_mcp::wrap::{Rules, Stop, Wrap, servers};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::rig::{artifact_in, first_text, log};
use crate::within::{Lines, gone, joined, until};

/// A server that knows its name: it answers every request by what it was asked, and calls of `show` by a large log. It
/// dies of calls of `die`, has more to offer after calls of `grow`, and refuses what only later revisions have.
pub(super) fn script(name: &str, capabilities: &str) -> String {
    format!(
        r#"echo $$ >"{name}.pid"; grown=
while IFS= read -r line; do
    id=${{line#*\"id\":}}; id=${{id%%,*}}
    case $line in
        *'"method":"notifications/'*) printf '%s\n' "$line" >>"{name}.heard" ;;
        *'"result":'*) printf '%s\n' "$line" >>"{name}.heard" ;;
        *'"server/discover"'*) printf '{{"jsonrpc":"2.0","id":%s,"error":{{"code":-32601,"message":"unknown"}}}}\n' "$id" ;;
        *'"initialize"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"protocolVersion":"2025-06-18","capabilities":{capabilities},"serverInfo":{{"name":"{name}"}}}}}}\n' "$id" ;;
        *'"cursor"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"tools":[{{"name":"more","inputSchema":{{}}}}]}}}}\n' "$id" ;;
        *'"tools/list"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"tools":[{{"name":"show%s","inputSchema":{{}},"outputSchema":{{}}}}],"nextCursor":"2"}}}}\n' "$id" "$grown" ;;
        *'"prompts/list"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"prompts":[{{"name":"ask%s"}}]}}}}\n' "$id" "$grown" ;;
        *'"resources/list"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"resources":[{{"uri":"{name}://a%s","name":"a"}}]}}}}\n' "$id" "$grown" ;;
        *'"resources/read"'*) printf '%s\n' "$line" >>"{name}.asked"; printf '{{"jsonrpc":"2.0","id":%s,"result":{{"by":"{name}"}}}}\n' "$id" ;;
        *'"die"'*) printf '{{"jsonrpc":"2.0","id":"q1","method":"roots/list"}}\n'; kill -9 $$ ;;
        *'"grow"'*) grown=_new
            for list in tools prompts resources; do printf '{{"jsonrpc":"2.0","method":"notifications/%s/list_changed"}}\n' $list; done
            printf '{{"jsonrpc":"2.0","id":%s,"result":{{"content":[]}}}}\n' "$id" ;;
        *'"show"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"content":' "$id"; cat large; printf '}}}}\n' ;;
        *'"more"'*) printf '{{"jsonrpc":"2.0","id":7,"method":"roots/list"}}\n'; printf '{{"jsonrpc":"2.0","id":%s,"result":{{"content":[{{"type":"text","text":"more of {name}"}}]}}}}\n' "$id" ;;
        *) printf '{{"jsonrpc":"2.0","id":%s,"result":{{"by":"{name}"}}}}\n' "$id" ;;
    esac
done"#
    )
}

/// A client before several servers.
pub(super) struct Client {
    to: Option<PipeWriter>,
    from: Lines,
    thread: JoinHandle<u8>,
    stop: Stop,
    told: Arc<Mutex<Vec<String>>>,
    directory: TempDir,
}

impl Client {
    /// Servers that are these shell scripts, with keys of their own.
    pub(super) fn before(listed: &[(&str, String, Value)]) -> Client {
        let directory = tempfile::tempdir().unwrap();
        let large = json!([{"type": "text", "text": log(3000)}]).to_string();
        std::fs::write(directory.path().join("large"), large).unwrap();
        let mut file = serde_json::Map::new();
        for (name, script, keys) in listed {
            let path = directory.path().join(format!("{name}.sh"));
            std::fs::write(&path, script).unwrap();
            let mut entry = json!({"command": "sh", "args": [path], "cwd": directory.path()});
            for (key, value) in keys.as_object().unwrap() {
                entry[key] = value.clone();
            }
            file.insert((*name).to_owned(), entry);
        }
        let told = Arc::new(Mutex::new(Vec::new()));
        let hears = told.clone();
        let offcut = Offcut::builder().in_memory().build().unwrap();
        let listed = servers(&json!({"mcpServers": file}), &Rules::new(), |_| None).unwrap();
        let wrap =
            Wrap::new(offcut, Rules::new(), Arc::new(move |what: &str| hears.lock().unwrap().push(what.to_owned())));
        let hub = wrap.hub(listed);
        let stop = hub.stopper();
        let (client_in, to) = std::io::pipe().unwrap();
        let (from, client_out) = std::io::pipe().unwrap();
        let thread = std::thread::spawn(move || hub.run(client_in, client_out).unwrap());
        Client { to: Some(to), from: Lines::of(from), thread, stop, told, directory }
    }

    pub(super) fn say(&mut self, message: Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(super) fn line(&self) -> Value {
        serde_json::from_str(&self.from.next().expect("the hub closed its end")).unwrap()
    }

    pub(super) fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.line()
    }

    fn greet(&mut self, capabilities: Value) -> Value {
        self.ask(0, "initialize", json!({"clientInfo": {"name": "t"}, "capabilities": capabilities}))
    }

    pub(super) fn call(&mut self, id: u64, name: &str, arguments: Value) -> Value {
        self.ask(id, "tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// The names, or addresses, in a list.
    fn list(&mut self, list: &str) -> Vec<String> {
        let listed = self.ask(90, &format!("{list}/list"), json!({}));
        names(&listed, list)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn end(mut self) -> TempDir {
        self.to = None;
        assert_eq!(joined(self.thread, "the hub"), 0);
        self.directory
    }
}

pub(super) fn names(listed: &Value, list: &str) -> Vec<String> {
    let items = listed["result"][list].as_array().unwrap_or_else(|| panic!("no list in {listed}"));
    items.iter().map(|item| item.get("uri").unwrap_or(&item["name"]).as_str().unwrap().to_owned()).collect()
}

pub(super) const ALL: &str =
    r#"{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true}}"#;

#[test]
fn two_servers_look_like_one() {
    let mut client = Client::before(&[
        ("one", script("one", r#"{"tools":{},"resources":{"subscribe":true}}"#), json!({"limit": 900})),
        ("two", script("two", r#"{"tools":{"listChanged":true},"resources":{},"logging":{}}"#), json!({})),
        ("gone", String::new(), json!({"command": "/nowhere/at/all"})),
    ]);
    let greeted = client.greet(json!({}));
    assert_eq!(greeted["result"]["protocolVersion"], "2025-06-18");
    let capabilities = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}});
    assert_eq!(greeted["result"]["capabilities"], capabilities);
    let told = client.told.lock().unwrap().clone();
    assert_eq!(told, ["`gone`: could not start `/nowhere/at/all`: No such file or directory (os error 2)"]);

    let listed = client.ask(1, "tools/list", json!({}));
    assert_eq!(
        names(&listed, "tools"),
        ["one_show", "one_more", "two_show", "two_more", "get_artifact", "tool_output"]
    );
    assert!(!listed.to_string().contains("outputSchema"));

    let cut = first_text(&client.call(2, "one_show", json!({})));
    assert!(cut.chars().count() <= 900, "{cut}");
    let own = client.call(3, "get_artifact", json!({"id": artifact_in(&cut), "end_line": 1}));
    assert!(first_text(&own).starts_with("line 1: request 1"));
    assert_eq!(client.call(4, "three_show", json!({}))["error"]["code"], -32602);

    // What a server asks is told apart, and the answer finds its way back.
    let asked = client.call(5, "two_more", json!({}));
    assert_eq!((asked["method"].as_str(), asked["id"].as_str()), (Some("roots/list"), Some("offcut-server-1:7")));
    assert_eq!(first_text(&client.line()), "more of two");
    client.say(json!({"jsonrpc": "2.0", "id": "offcut-server-1:7", "result": {"roots": []}}));

    assert_eq!(client.list("resources"), ["one://a", "two://a"]);
    assert_eq!(client.ask(7, "resources/read", json!({"uri": "two://a"}))["result"]["by"], "two");
    assert_eq!(client.ask(8, "logging/setLevel", json!({"level": "info"}))["result"], json!({}));
    assert_eq!(client.ask(9, "ping", json!({})), json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
    client.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let directory = client.end();
    let heard = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let answer = r#"{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}"#;
    assert_eq!(heard("two.heard").lines().collect::<Vec<_>>(), [answer, initialized]);
    assert_eq!(heard("one.heard").trim(), initialized);
}

#[test]
fn changes_of_one_server_reach_the_client_and_its_lists() {
    let mut client = Client::before(&[("one", script("one", ALL), json!({})), ("two", script("two", ALL), json!({}))]);
    client.greet(json!({}));
    assert_eq!(client.list("prompts"), ["one_ask", "two_ask"]);
    assert_eq!(client.list("resources"), ["one://a", "two://a"]);
    let mut heard = vec![client.call(1, "two_grow", json!({}))];
    heard.extend((0..3).map(|_| client.line()));
    let changed: Vec<&str> = heard.iter().filter_map(|message| message["method"].as_str()).collect();
    let lists = ["tools", "prompts", "resources"];
    assert_eq!(changed, lists.map(|list| format!("notifications/{list}/list_changed")));
    assert_eq!(client.list("tools")[..3], ["one_show", "one_more", "two_show_new"]);
    assert_eq!(client.list("prompts"), ["one_ask", "two_ask_new"]);
    assert_eq!(client.list("resources"), ["one://a", "two://a_new"]);
    assert_eq!(client.ask(2, "resources/read", json!({"uri": "two://a_new"}))["result"]["by"], "two");
    client.end();
}

#[test]
fn a_server_that_crashes_is_started_again_and_the_others_go_on() {
    let keys = json!({"restarts": 1});
    let mut client = Client::before(&[("one", script("one", ALL), keys), ("two", script("two", ALL), json!({}))]);
    client.greet(json!({}));
    client.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let ended = "the server ended (signal 9) before it answered";
    for (round, next) in ["; it is started again with the next request", ""].into_iter().enumerate() {
        let asked = client.call(1, "one_die", json!({}));
        assert_eq!(asked["id"], "offcut-server-0:\"q1\"", "{asked}");
        assert_eq!(client.line()["error"]["message"], format!("{ended}{next}"));
        // What it asked is asked no longer, under the id that the client knows.
        assert_eq!(client.line()["params"]["requestId"], "offcut-server-0:\"q1\"");
        if round == 0 {
            let told = client.told.lock().unwrap().clone();
            assert_eq!(told, [format!("`one`: the server ended (signal 9){next}")]);
            artifact_in(&first_text(&client.call(2, "two_show", json!({}))));
            assert_eq!(client.ask(3, "resources/read", json!({"uri": "one://a"}))["result"]["by"], "one");
            assert!(client.told.lock().unwrap().contains(&"`one`: the server was started again".to_owned()));
        }
    }
    // No restart is left: its lists are gone, and who calls it is told.
    let mut changed: Vec<Value> = (0..3).map(|_| client.line()["method"].clone()).collect();
    changed.sort_by_key(Value::to_string);
    assert_eq!(changed[2], "notifications/tools/list_changed");
    let tools = client.list("tools");
    assert_eq!(tools, ["two_show", "two_more", "get_artifact", "tool_output"]);
    assert_eq!(client.call(4, "one_show", json!({}))["error"]["message"], "the server `one` has ended");
    assert_eq!(client.ask(5, "resources/read", json!({"uri": "two://a"}))["result"]["by"], "two");
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(client.read("one.heard").lines().collect::<Vec<_>>(), [initialized, initialized]);
    client.end();
}

/// Hears neither the end of its input nor a request to end, like what it has started.
const STUBBORN: &str = r#"trap '' TERM INT HUP
sh -c 'trap "" TERM INT HUP; echo $$ >grandchild.pid; exec sleep 50' >/dev/null 2>&1 </dev/null &
echo $$ >stubborn.pid; exec sleep 50"#;

#[test]
fn no_process_is_left_behind() {
    for signal in [None, Some(15), Some(2)] {
        let mut client =
            Client::before(&[("one", script("one", ALL), json!({})), ("two", STUBBORN.to_owned(), json!({}))]);
        let pids = ["one.pid", "stubborn.pid", "grandchild.pid"].map(|name| client.path(name));
        until("all servers run", || {
            pids.iter().all(|pid| std::fs::read_to_string(pid).is_ok_and(|pid| pid.ends_with('\n')))
        });
        match signal {
            Some(signal) => {
                // The stubborn one does not read either, and what it is told is more than a pipe holds.
                let text = "x".repeat(1 << 20);
                client.say(json!({"jsonrpc": "2.0", "method": "notifications/large", "params": {"text": text}}));
                client.stop.stop(signal);
            }
            None => client.to = None,
        }
        let expected = signal.map_or(0, |signal| 128 + u8::try_from(signal).unwrap());
        assert_eq!(joined(client.thread, "the hub"), expected, "{signal:?}");
        pids.iter().for_each(|pid| gone(pid));
    }
}

#[test]
fn what_was_kept_of_any_server_can_be_asked_about_with_the_clients_model() {
    let mut client = Client::before(&[("one", script("one", ALL), json!({})), ("two", script("two", ALL), json!({}))]);
    client.greet(json!({"sampling": {}}));
    let id = artifact_in(&first_text(&client.call(1, "two_show", json!({}))));
    let question = json!({"handle": id, "extract": "what of the disk?", "mode": "full-chunked"});
    let mut asked = client.call(2, "tool_output", question.clone());
    assert_eq!(asked["method"], "sampling/createMessage");
    while asked["method"] == "sampling/createMessage" {
        let prompt = asked["params"].to_string();
        let nonce = prompt.split("ai-agent-").nth(1).unwrap().split("-FINAL").next().unwrap();
        let said = format!("<ai-agent-{nonce}-FINAL format=\"text\">It is full.</ai-agent-{nonce}-FINAL>");
        let result = json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": said}});
        client.say(json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}));
        asked = client.line();
    }
    assert!(first_text(&asked).contains("STRATEGY:full-chunked:\n\nIt is full."), "{asked}");
    // A client that leaves while it is asked is not waited for.
    assert_eq!(client.call(3, "tool_output", question)["method"], "sampling/createMessage");
    client.end();
}
