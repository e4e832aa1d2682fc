//! Ends of all kinds: told, and never a hang.

use offcut_mcp::wrap::Rules;
use serde_json::Value;

use super::rig::Rig;
use crate::within::{gone, until};

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn what_is_no_message_is_told_and_skipped() {
    let script = "echo 'Server listening on stdio'; echo '{\"half\":'; IFS= read -r line
        printf '\\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\\n'; IFS= read -r line";
    let mut rig = Rig::running(Rules::new(), script, "");
    rig.send(PING);
    assert_eq!(rig.line(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    rig.end();
    let told = rig.told.lock().unwrap().clone();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("skipped 25 bytes") && !told[0].contains("listening"), "{told:?}");
}

#[test]
fn a_server_that_fails_to_start_is_an_error() {
    let mut rig = Rig::running(Rules::new(), "exit 3", "");
    assert_eq!(rig.ended(), 3);
    assert_eq!(rig.rest(), [""; 0]);
}

#[test]
fn who_waits_for_a_server_that_dies_is_told() {
    let mut rig = Rig::running(Rules { restarts: 0, ..Rules::new() }, "IFS= read -r line; exit 7", "");
    rig.send(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}"#);
    let answer: Value = serde_json::from_str(&rig.line()).unwrap();
    assert_eq!(answer["id"], "a");
    assert_eq!(answer["error"]["message"], "the server ended (exit code 7) before it answered");
    assert_eq!(rig.ended(), 7);
}

/// Answers the handshake and each ping, writes down what it hears, and dies of the method `die`.
const MORTAL: &str = r#"
while IFS= read -r line; do
    printf '%s\n' "$line" >>heard
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"die"'*) printf '{"jsonrpc":"2.0","id":"q1","method":"roots/list"}\n'; kill -9 $$ ;;
        *'"method":"notifications/'*) ;;
        *) printf '{"jsonrpc":"2.0","id":%s,"result":{"ok":true}}\n' "$id" ;;
    esac
done
"#;

#[test]
fn a_server_that_crashes_is_started_again_with_its_handshake() {
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"t"}}}"#;
    let hello_done = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let die = r#"{"jsonrpc":"2.0","id":1,"method":"die"}"#;
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    let mut rig = Rig::running(Rules { restarts: 1, ..Rules::new() }, MORTAL, "");
    rig.ask(hello);
    rig.send(hello_done);
    assert_eq!(rig.ask(die)["method"], "roots/list");
    let lost: Value = serde_json::from_str(&rig.line()).unwrap();
    assert_eq!(
        lost["error"]["message"],
        "the server ended (signal 9) before it answered; it is started again with the next request"
    );
    let cancelled: Value = serde_json::from_str(&rig.line()).unwrap();
    assert_eq!(cancelled["params"]["requestId"], "q1");
    assert_eq!(rig.ask(ping)["result"]["ok"], true);
    // The second crash is the last: no restart is left.
    rig.send(die);
    assert!(rig.line().contains("roots/list"));
    assert!(rig.line().contains("before it answered\""));
    assert_eq!(rig.ended(), 128 + 9);
    let heard = std::fs::read_to_string(rig.path("heard")).unwrap();
    let again = hello.replace("\"id\":0", "\"id\":\"offcut-restart-2\"");
    assert_eq!(heard.lines().collect::<Vec<_>>(), [hello, hello_done, die, &again, hello_done, ping, die]);
}

#[test]
fn a_server_that_leaves_by_itself_ends_the_wrap() {
    let script = r#"IFS= read -r line; printf '{"jsonrpc":"2.0","id":1,"result":{}}\n'"#;
    let mut rig = Rig::running(Rules::new(), script, "");
    rig.ask(PING);
    assert_eq!(rig.ended(), 0);
}

#[test]
fn answers_that_are_owed_come_after_the_client_has_closed_its_end() {
    let script =
        r#"IFS= read -r line; cat >/dev/null; sleep 0.3; printf '{"jsonrpc":"2.0","id":1,"result":{}}\n'; exit 4"#;
    let mut rig = Rig::running(Rules::new(), script, "");
    rig.send(PING);
    rig.hang_up();
    assert_eq!(rig.line(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(rig.ended(), 4);
}

#[test]
fn a_server_that_does_not_listen_is_ended_with_what_it_started() {
    let script = r#"trap '' TERM; (trap '' TERM; echo $$ >child; exec sleep 50) & IFS= read -r line
        printf '{"jsonrpc":"2.0","id":1,"result":{}}\n'; exec sleep 50"#;
    let mut rig = Rig::running(Rules::new(), script, "");
    rig.ask(PING);
    rig.stop.stop(15);
    assert_eq!(rig.ended(), 128 + 15);
}

#[test]
fn a_server_that_does_not_read_is_ended_when_we_are() {
    let mut rig = Rig::running(Rules::new(), "trap '' TERM; echo $$ >pid; exec sleep 50", "");
    until("the server runs", || std::fs::read_to_string(rig.path("pid")).is_ok_and(|pid| pid.ends_with('\n')));
    // More than a pipe holds, and more than one of them.
    let text = "x".repeat(1 << 20);
    for _ in 0..3 {
        rig.send(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/large","params":{{"text":"{text}"}}}}"#));
    }
    rig.stop.stop(15);
    assert_eq!(rig.ended(), 128 + 15);
    gone(&rig.path("pid"));
}

#[test]
fn nothing_that_the_server_started_outlives_us() {
    let script = r#"sh -c 'trap "" TERM HUP; echo $$ >child; exec sleep 50' >/dev/null 2>&1 </dev/null &
        IFS= read -r line; printf '{"jsonrpc":"2.0","id":1,"result":{}}\n'; IFS= read -r line"#;
    let mut rig = Rig::running(Rules::new(), script, "");
    rig.ask(PING);
    until("the child runs", || std::fs::read_to_string(rig.path("child")).is_ok_and(|pid| pid.ends_with('\n')));
    rig.end();
    gone(&rig.path("child"));
}

/// Ends of what servers of its time do not know, and answers everything else.
const OF_ITS_TIME: &str = r#"while IFS= read -r line; do
    printf '%s\n' "$line" >>heard
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"server/discover"'*) exit 1 ;;
        *) printf '{"jsonrpc":"2.0","id":%s,"result":{"ok":true}}\n' "$id" ;;
    esac
done"#;

#[test]
fn a_server_that_dies_of_a_question_of_the_latest_revision_is_there_for_the_handshake() {
    let mut rig = Rig::running(Rules::new(), OF_ITS_TIME, "");
    let found = rig.ask(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{}}}"#);
    let why = "the server ended (exit code 1) before it answered; it is started again with the next request";
    assert_eq!(found["error"]["message"], why);
    let hello = r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}"#;
    assert_eq!(rig.ask(hello)["result"]["ok"], true);
    // It was greeted once.
    assert_eq!(rig.heard()[1..], [hello]);
}
