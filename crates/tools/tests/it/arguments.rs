//! Arguments that are wrong, and places that are not there.

use offcut::{Cancel, Offcut};
use offcut_tools::{Tool, ToolError, Toolbox};
use serde_json::{Value, json};

use crate::bench::Bench;

#[test]
fn wrong_arguments_are_named_with_what_would_be_right() {
    let bench = Bench::paged();
    let check = |tool, arguments: Value, expected: &str| assert_eq!(bench.error(tool, arguments), expected);
    check(Tool::Bash, json!({}), "bash: missing argument `command`: expected a string");
    check(
        Tool::Find,
        json!({"pattern": "*", "depth": 1}),
        "find: unknown argument `depth`: expected `pattern`, `path` or `limit`",
    );
    check(Tool::Ls, json!({"limit": 0}), "ls: `limit` is 0: expected a whole number from 1 on");
    check(
        Tool::Grep,
        json!({"pattern": "a(b"}),
        "grep: `pattern` is `a(b`: expected a regular expression (unclosed group); \
         literal=true searches for the text as it is",
    );
    check(
        Tool::Grep,
        json!({"pattern": "a\nb"}),
        "grep: `pattern` is `a\nb`: expected a pattern for one line; lines are searched one by one",
    );
}

#[test]
fn a_path_that_is_not_there_or_of_the_wrong_kind_is_answered_with_what_would_be_right() {
    let bench = Bench::paged();
    bench.file("src/main.rs", "fn main() {}\n");
    let check = |tool, arguments: Value, expected: &str| assert_eq!(bench.error(tool, arguments), expected);
    let meant = "src/mian.rs: no such file or directory; did you mean `src/main.rs`?";
    check(Tool::Read, json!({"path": "src/mian.rs"}), meant);
    check(Tool::Grep, json!({"pattern": "x", "path": "src/mian.rs"}), meant);
    check(Tool::Ls, json!({"path": "scr"}), "scr: no such file or directory; did you mean `src`?");
    check(Tool::Find, json!({"pattern": "*", "path": "scr"}), "scr: no such file or directory; did you mean `src`?");
    check(Tool::Read, json!({"path": "src"}), "src: is a directory; use ls to list it, or find to search it");
    check(Tool::Ls, json!({"path": "src/main.rs"}), "src/main.rs: is a file; use read to show it");
    let folder = "src/main.rs: is a file; expected a folder to search";
    check(Tool::Find, json!({"pattern": "*", "path": "src/main.rs"}), folder);
    check(Tool::Read, json!({"path": "/dev/null"}), "/dev/null: is not a regular file; use bash to read from it");
}

#[test]
fn a_call_that_was_cancelled_says_so() {
    let bench = Bench::new("auto");
    bench.file("a.txt", "x\n".repeat(1000));
    let cancel = Cancel::new();
    cancel.cancel();
    for (tool, arguments) in [
        (Tool::Read, json!({"path": "a.txt"})),
        (Tool::Read, json!({"path": "a.txt", "offset": 3})),
        (Tool::Grep, json!({"pattern": "x"})),
        (Tool::Find, json!({"pattern": "*"})),
        (Tool::Ls, json!({})),
    ] {
        let error = bench.tools.call(tool, &arguments, &cancel).unwrap_err();
        assert!(matches!(error, ToolError::Cancelled { .. }), "{tool}: {error}");
    }
}

#[test]
fn a_root_that_is_not_there_is_told() {
    let tools = Toolbox::new(Offcut::builder().build().unwrap(), "/not/there");
    let error = tools.call(Tool::Bash, &json!({"command": "true"}), &Cancel::new()).unwrap_err();
    assert!(error.to_string().starts_with("could not start a shell in /not/there: "), "{error}");
    let error = tools.call(Tool::Ls, &json!({}), &Cancel::new()).unwrap_err();
    assert!(error.to_string().starts_with(".: no such file or directory"), "{error}");
}
