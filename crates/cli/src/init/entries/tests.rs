use proptest::prelude::*;
use serde_json::json;

use super::*;

fn entry(at: &str, value: Value, element: Option<&str>) -> Insertion {
    Insertion { at: at.split('.').map(str::to_owned).collect(), value, element: element.map(str::to_owned) }
}

/// The entries that agents need, of all shapes.
fn entries() -> Vec<Insertion> {
    let hook = json!({ "matcher": "shell", "hooks": [{ "type": "command", "command": "/bin/offcut hook x" }] });
    vec![
        entry("servers.offcut", json!({ "command": "/bin/offcut", "args": ["mcp"], "on": true }), None),
        entry("env.SHELL_PREFIX", json!("/bin/offcut-prefix"), None),
        entry("hooks.After", hook, Some("offcut hook x")),
    ]
}

fn set_all(format: Format, text: &str) -> Result<String, EditError> {
    entries().iter().try_fold(text.to_owned(), |text, entry| entry.set(format, &text))
}

fn unset_all(format: Format, text: &str, before: Option<&str>) -> Result<String, EditError> {
    entries().iter().rev().try_fold(text.to_owned(), |text, entry| entry.unset(format, &text, before))
}

/// Sets, sets again, and takes out: the second time changes nothing, and the end is the beginning.
fn check(format: Format, text: &str) {
    let once = set_all(format, text).unwrap_or_else(|error| panic!("{error:?} in {text:?}"));
    let said = format.read(&once).unwrap();
    for entry in entries() {
        let standing = entry.standing(&said);
        assert!(matches!(standing, Standing::Set | Standing::Foreign(_)), "{standing:?} in {once:?}");
    }
    assert_eq!(set_all(format, &once).unwrap(), once, "twice is not once: {text:?}");
    assert_eq!(unset_all(format, &once, Some(text)).unwrap(), text, "by way of {once:?}");
}

#[test]
fn real_files_come_back_byte_for_byte() {
    check(Format::Json, "{}");
    check(Format::Json, "{}\n");
    check(Format::Json, "{ }\n");
    check(Format::Json, "{\n}\n");
    check(Format::Json, "");
    check(Format::Json, "// nothing yet\n");
    check(Format::Json, "{\n  // Mine.\n  \"env\": { /* none */ },\n  \"hooks\": {\"After\": []} // later\n}\n");
    check(Format::Json, "{\"servers\":{\"a\":{\"command\":\"x\"}},\"env\":{}}");
    check(Format::Json, "{\n\t\"servers\": {\n\t\t\"offcut\": {\n\t\t\t\"command\": \"old\" // mine\n\t\t}\n\t}\n}");
    check(Format::Json, "{\"env\": {\"SHELL_PREFIX\": \"/usr/bin/logger\"}}");
    check(Format::Toml, "");
    check(Format::Toml, "a = 1");
    check(Format::Toml, "a = 1\n\n\n");
    check(Format::Toml, "[servers]\n# none\n\n[env]\nPATH = \"x\" # mine\n[last]\n");
    check(Format::Toml, "env = { A = \"1\" }\nservers = {}\n");
    check(Format::Toml, "hooks.After = [\n  { matcher = \"x\" }, # one\n]\n\n[other.more]\nx = 1");
    check(Format::Toml, "[[hooks.After]]\nmatcher = 'x'\n[[hooks.After.hooks]]\ntype = 'y'\n\n[servers.a]\n");
    check(Format::Yaml, "");
    check(Format::Yaml, "# nothing\n");
    check(Format::Yaml, "a: 1");
    check(Format::Yaml, "---\nservers:\n    a: {command: x} # one\n    # b\nenv:\n# none\nhooks: {After: []}\n");
    check(Format::Yaml, "hooks:\n  After:\n  - matcher: x\n    hooks:\n    - type: y\n\n\nenv: {}\n");
}

#[test]
fn what_the_user_changed_in_between_stays() {
    let before = "{\n  // Mine.\n  \"servers\": {\n    \"a\": { \"command\": \"x\" }\n  }\n}\n";
    let set = set_all(Format::Json, before).unwrap();
    let edited =
        set.replace("// Mine.", "// Still mine.").replace("\"on\": true", "\"on\": true,\n      \"timeout\": 9");
    let edited = edited.replace("\n    }\n  },\n  \"env\"", "\n    }, // ours\n    \"b\": {}\n  },\n  \"env\"");
    assert!(edited.contains("\"b\"") && edited.contains("timeout"), "{edited}");
    let after = unset_all(Format::Json, &edited, Some(before)).unwrap();
    assert_eq!(
        after,
        "{\n  // Still mine.\n  \"servers\": {\n    \"a\": { \"command\": \"x\" }, // ours\n    \"b\": {}\n  }\n}\n"
    );

    let before = "model = \"x\" # mine\n";
    let set = set_all(Format::Toml, before).unwrap();
    let edited = set.replace("\"x\"", "\"y\"") + "\n[servers.b] # new\ncommand = \"z\"\n";
    let after = unset_all(Format::Toml, &edited, Some(before)).unwrap();
    assert_eq!(after, "model = \"y\" # mine\n\n[servers.b] # new\ncommand = \"z\"\n");

    let before = "model: x\n";
    let set = set_all(Format::Yaml, before).unwrap();
    let edited = format!("# first\n{set}# last\nmore: 1\n");
    let after = unset_all(Format::Yaml, &edited, Some(before)).unwrap();
    assert_eq!(after, "# first\nmodel: x\n# last\nmore: 1\n");
}

#[test]
fn without_a_backup_what_is_ours_goes_and_what_it_leaves_empty() {
    let set = set_all(Format::Json, "{\n  \"a\": 1\n}\n").unwrap();
    assert_eq!(unset_all(Format::Json, &set, None).unwrap(), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_value_of_the_users_own_is_left_alone() {
    let text = "{\"env\": {\"SHELL_PREFIX\": \"/usr/bin/logger\"}}";
    let prefix = &entries()[1];
    assert_eq!(prefix.standing(&Format::Json.read(text).unwrap()), Standing::Foreign(json!("/usr/bin/logger")));
    assert_eq!(prefix.set(Format::Json, text).unwrap(), text);
    assert_eq!(prefix.unset(Format::Json, text, None).unwrap(), text);
}

// ── Random files ─────────────────────────────────────────────────────────────────────────────────────────────────────

fn space() -> impl Strategy<Value = String> {
    prop_oneof![4 => Just(String::new()), 2 => Just(" ".to_owned()), 2 => Just("\n  ".to_owned()), 1 => Just("\t".to_owned())]
}

fn json_gap() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => space(),
        1 => Just(" /* c, \" } */ ".to_owned()),
        1 => Just(" // c, \" }\n    ".to_owned()),
    ]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![Just("servers"), Just("env"), Just("hooks"), Just("a"), Just("é"), Just("offcu")]
        .prop_map(str::to_owned)
}

fn json_scalar() -> impl Strategy<Value = String> {
    prop_oneof![Just("1"), Just("\"x, // ]\""), Just("null"), Just("true"), Just("-2.5e3"), Just("\"\\u00e9\"")]
        .prop_map(str::to_owned)
}

/// An object with distinct keys, each with one of `values`.
fn json_object(values: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let member = (key(), json_gap(), json_gap(), values, json_gap());
    let members = prop::collection::vec(member, 0..4);
    (members, any::<bool>(), json_gap())
        .prop_map(|(members, trailing, gap)| {
            let mut seen = Vec::new();
            let mut written = Vec::new();
            for (key, before, colon, value, after) in members {
                if !seen.contains(&key) {
                    written.push(format!("{before}\"{key}\":{colon}{value}{after}"));
                    seen.push(key);
                }
            }
            let comma = if trailing && !written.is_empty() { "," } else { "" };
            format!("{{{}{comma}{gap}}}", written.join(","))
        })
        .boxed()
}

fn json_file() -> impl Strategy<Value = String> {
    let array =
        (prop::collection::vec((json_gap(), json_scalar(), json_gap()), 0..3), json_gap()).prop_map(|(items, gap)| {
            let items: Vec<String> = items.into_iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
            if items.is_empty() { format!("[{gap}]") } else { format!("[{}]", items.join(",")) }
        });
    let leaf = prop_oneof![3 => json_scalar(), 1 => array].boxed();
    let inner = prop_oneof![1 => leaf.clone(), 3 => json_object(leaf)].boxed();
    (json_gap(), json_object(inner), prop_oneof![Just(""), Just("\n"), Just("\n// end\n"), Just("\n\n")])
        .prop_map(|(gap, object, end)| format!("{gap}{object}{end}"))
}

fn toml_file() -> impl Strategy<Value = String> {
    let name = || prop_oneof![Just("servers"), Just("env"), Just("hooks"), Just("a"), Just("\"é x\"")];
    let value = prop_oneof![
        Just("1"),
        Just("\"x # ]\""),
        Just("[1, 2]"),
        Just("{ z = 1 }"),
        Just("{}"),
        Just("'''\n[not]\n'''"),
        Just("[\n  'a', # c\n]"),
        Just("1979-05-27"),
    ];
    let line = prop_oneof![
        4 => (prop_oneof![Just("k"), Just("l"), Just("m")], value, prop_oneof![Just(""), Just(" # c [x]")])
            .prop_map(|(key, value, comment)| format!("{key} = {value}{comment}")),
        1 => Just(String::new()),
        1 => Just("# [servers.offcut]".to_owned()),
    ];
    let body = prop::collection::vec(line, 0..4);
    let sections =
        prop::collection::vec((name(), prop_oneof![Just(""), Just(".b"), Just(".offcu")], body.clone()), 0..5);
    (body, sections, any::<bool>(), any::<bool>()).prop_map(|(top, sections, newline, crlf)| {
        let mut lines = top;
        for (name, below, body) in sections {
            lines.push(format!("[{name}{below}] # s"));
            lines.extend(body);
        }
        let text = lines.join("\n") + if newline { "\n" } else { "" };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

fn yaml_file() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("1"),
        Just("'x # ]'"),
        Just("[1, {a: 2}]"),
        Just("{z: 1}"),
        Just("{}"),
        Just("[]"),
        Just(""),
        Just("|\n      one\n      # two"),
        Just("\n    deep: 1 # c"),
        Just("\n    - x\n    - y: 1\n      z: 2"),
        Just("\n  - same"),
        Just("plain words - and a dash"),
    ];
    let comment = prop_oneof![4 => Just(""), 1 => Just("\n  # between"), 1 => Just("\n\n")];
    let member = (prop_oneof![Just("k"), Just("l"), Just("offcu")], value.clone(), comment);
    let block = prop::collection::vec(member, 0..3);
    let top = (key(), prop_oneof![1 => value.prop_map(Some), 2 => Just(None)], block);
    (prop::collection::vec(top, 0..4), any::<bool>(), any::<bool>()).prop_map(|(tops, newline, crlf)| {
        let (mut lines, mut seen) = (vec!["# top".to_owned()], Vec::new());
        for (key, value, block) in tops {
            if seen.contains(&key) {
                continue;
            }
            match value {
                // In a block of its own, a value in lines is indented once less.
                Some(value) => lines.push(format!("{key}: {value}")),
                None => {
                    lines.push(format!("{key}:"));
                    let mut names = Vec::new();
                    for (name, value, comment) in block {
                        if !names.contains(&name) {
                            lines.push(format!("  {name}: {value}{comment}"));
                            names.push(name);
                        }
                    }
                }
            }
            seen.push(key);
        }
        let text = lines.join("\n") + if newline { "\n" } else { "" };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

/// A random file either takes the entries and comes back byte for byte, or is refused as a whole.
fn check_any(format: Format, text: &str) -> Result<bool, TestCaseError> {
    if format.read(text).is_err() {
        return Ok(false);
    }
    let Ok(once) = set_all(format, text) else { return Ok(false) };
    prop_assert_eq!(&set_all(format, &once).unwrap(), &once, "twice is not once: {:?}", text);
    prop_assert_eq!(&unset_all(format, &once, Some(text)).unwrap(), text, "by way of {:?}", once);
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_json_comes_back(text in json_file()) {
        check_any(Format::Json, &text)?;
    }

    #[test]
    fn random_toml_comes_back(text in toml_file()) {
        check_any(Format::Toml, &text)?;
    }

    #[test]
    fn random_yaml_comes_back(text in yaml_file()) {
        check_any(Format::Yaml, &text)?;
    }
}

#[test]
fn most_random_files_are_not_refused() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut taken = |format: Format, file: BoxedStrategy<String>| {
        let texts = (0..200).map(|_| file.new_tree(&mut runner).unwrap().current());
        texts.filter(|text| check_any(format, text).unwrap()).count()
    };
    let counts = [
        taken(Format::Json, json_file().boxed()),
        taken(Format::Toml, toml_file().boxed()),
        taken(Format::Yaml, yaml_file().boxed()),
    ];
    assert!(counts.iter().all(|count| *count > 40), "{counts:?} of 200");
}
