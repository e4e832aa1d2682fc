//! A handle from one interface opens in every other one of the same project, and after a restart.

use serde_json::json;

use crate::agent::Agent;
use crate::workbench::{Bench, OFFCUT, id_in};

/// Reads three lines of `seq` back through each interface.
fn opens_everywhere(bench: &Bench, id: &str) {
    let shown = bench.call(&["artifacts", "show", id, "--lines", "7-9"]);
    assert_eq!((shown.stdout.as_str(), shown.code), ("7\n8\n9\n", Some(0)), "{shown:?}");
    let lines = json!({ "id": id, "start_line": 7, "end_line": 9 });
    let mut agent = Agent::greeted(bench, &["mcp"]);
    assert_eq!(agent.call("get_artifact", lines.clone()), "7\n8\n9\n", "mcp");
    agent.leave();
    let mut agent = Agent::greeted(bench, &["wrap", "--", OFFCUT, "mcp", "--session", "behind"]);
    agent.tools();
    assert_eq!(agent.call("offcut_get_artifact", lines), "7\n8\n9\n", "wrap");
    agent.leave();
}

#[test]
fn what_a_command_kept_opens_everywhere() {
    let bench = Bench::new();
    opens_everywhere(&bench, &id_in(&bench.call(&["run", "--", "seq", "1", "40000"]).stdout));
}

#[test]
fn what_the_tools_kept_opens_everywhere() {
    let bench = Bench::new();
    let mut agent = Agent::greeted(&bench, &["mcp"]);
    let id = id_in(&agent.call("bash", json!({ "command": "seq 1 40000" })));
    agent.leave();
    opens_everywhere(&bench, &id);
}

#[test]
fn what_a_wrapped_server_said_opens_everywhere() {
    let bench = Bench::new();
    let server = ["wrap", "--", OFFCUT, "mcp", "--profile", "paged", "--store", "none"];
    let mut agent = Agent::greeted(&bench, &server);
    agent.tools();
    let id = id_in(&agent.call("bash", json!({ "command": "seq 1 3000 | sed 's/^/000000/'" })));
    agent.leave();
    let shown = bench.call(&["artifacts", "show", &id]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let mut agent = Agent::greeted(&bench, &["mcp"]);
    let whole = agent.call("get_artifact", json!({ "id": id, "start_line": 1, "end_line": 5 }));
    assert!(shown.stdout.starts_with(&whole) && !whole.is_empty(), "{whole}");
    agent.leave();
}
