use serde_json::json;

use super::*;

fn keys(path: &str) -> Vec<Step> {
    path.split('.').filter(|key| !key.is_empty()).map(|key| Step::Key(key.to_owned())).collect()
}

/// Adds a member, compares the result, and takes it out again.
fn check_member(format: Format, text: &str, path: &str, expected: &str) {
    let (container, key) = path.rsplit_once('.').unwrap_or(("", path));
    let value = json!({ "command": "/bin/offcut", "args": ["mcp"] });
    let added = format.add_member(text, &keys(container), key, &value).unwrap();
    assert_eq!(added, expected);
    assert_eq!(format.remove(&added, &keys(path)).unwrap(), text, "not as it was");
}

#[test]
fn a_member_goes_behind_the_last_one_and_its_comment() {
    let with = |text: &str, expected: &str| check_member(Format::Json, text, "servers.offcut", expected);
    with(
        "{\n  // servers\n  \"servers\": {\n    \"a\": {} // the first\n    // no more\n  }\n}\n",
        "{\n  // servers\n  \"servers\": {\n    \"a\": {}, // the first\n    \"offcut\": {\n      \"command\": \
         \"/bin/offcut\",\n      \"args\": [\"mcp\"]\n    }\n    // no more\n  }\n}\n",
    );
    with(
        "{\r\n\t\"servers\": {\r\n\t\t\"a\": 1, /* x */\r\n\t},\r\n}",
        "{\r\n\t\"servers\": {\r\n\t\t\"a\": 1, /* x */\r\n\t\t\"offcut\": {\r\n\t\t\t\"command\": \
         \"/bin/offcut\",\r\n\t\t\t\"args\": [\"mcp\"]\r\n\t\t},\r\n\t},\r\n}",
    );
    with(r#"{"servers":{"a":1}}"#, r#"{"servers":{"a":1, "offcut": {"command": "/bin/offcut", "args": ["mcp"]}}}"#);
    with(r#"{"x":1,"servers":{}}"#, r#"{"x":1,"servers":{"offcut": {"command": "/bin/offcut", "args": ["mcp"]}}}"#);
}

#[test]
fn a_table_goes_to_the_end_of_the_file_or_between_the_brackets() {
    let with = |text: &str, expected: &str| check_member(Format::Toml, text, "servers.offcut", expected);
    with(
        "# mine\nx = 1\n\n[servers.a] # first\ny = \"\"\"\n[not.a.header]\n\"\"\" # c\n",
        "# mine\nx = 1\n\n[servers.a] # first\ny = \"\"\"\n[not.a.header]\n\"\"\" # c\n\n[servers.offcut]\ncommand = \
         \"/bin/offcut\"\nargs = [\"mcp\"]\n",
    );
    with("[servers]", "[servers]\n\n[servers.offcut]\ncommand = \"/bin/offcut\"\nargs = [\"mcp\"]");
    with(
        "servers = { a = 1 } # one\n",
        "servers = { a = 1, offcut = { command = \"/bin/offcut\", args = [\"mcp\"] } } # one\n",
    );
    check_member(Format::Toml, "", "offcut", "[offcut]\ncommand = \"/bin/offcut\"\nargs = [\"mcp\"]\n");
}

#[test]
fn a_line_goes_behind_the_last_of_its_section() {
    let text = "[policy.set] # env\nA = \"1\" # one\n\n[other]\nb = 2\n";
    let added = Format::Toml.add_member(text, &keys("policy.set"), "BASH_ENV", &json!("/x")).unwrap();
    assert_eq!(added, "[policy.set] # env\nA = \"1\" # one\nBASH_ENV = \"/x\"\n\n[other]\nb = 2\n");
    assert_eq!(Format::Toml.remove(&added, &keys("policy.set.BASH_ENV")).unwrap(), text);
}

#[test]
fn an_element_of_an_array_of_tables_is_a_section() {
    let text = "[[hooks]]\nname = \"a\"\n\n[[hooks]]\nname = \"b\"\n[hooks.more]\nx = 1\n";
    let added = Format::Toml.add_element(text, &keys("hooks"), &json!({ "name": "offcut" })).unwrap();
    assert_eq!(added, format!("{text}\n[[hooks]]\nname = \"offcut\"\n"));
    let third = [keys("hooks"), vec![Step::Index(2)]].concat();
    assert_eq!(Format::Toml.remove(&added, &third).unwrap(), text);
    let second = [keys("hooks"), vec![Step::Index(1)]].concat();
    let without = Format::Toml.remove(&added, &second).unwrap();
    assert_eq!(without, "[[hooks]]\nname = \"a\"\n\n[[hooks]]\nname = \"offcut\"\n");
    assert_eq!(toml::headers(&without), ["[[hooks]]\nname = \"a\"", "[[hooks]]\nname = \"offcut\""]);
}

#[test]
fn yaml_gets_lines_in_a_block_and_items_between_brackets() {
    let with = |text: &str, expected: &str| check_member(Format::Yaml, text, "servers.offcut", expected);
    with(
        "# mine\nservers:\n  a: # first\n    text: |\n      one\n      two\n  # b:\nmodel: x\n",
        "# mine\nservers:\n  a: # first\n    text: |\n      one\n      two\n  offcut:\n    command: /bin/offcut\n    \
         args:\n      - mcp\n  # b:\nmodel: x\n",
    );
    with(
        "servers: {a: 1} # one",
        "servers: {a: 1, \"offcut\": {\"command\": \"/bin/offcut\", \"args\": [\"mcp\"]}} # one",
    );
    with(
        "model: ü\nservers: # none yet\nother: 1",
        "model: ü\nservers: # none yet\n  offcut:\n    command: /bin/offcut\n    args:\n      - mcp\nother: 1",
    );
    check_member(
        Format::Yaml,
        "# nothing yet\n",
        "offcut",
        "# nothing yet\noffcut:\n  command: /bin/offcut\n  args:\n    - mcp\n",
    );
}

#[test]
fn an_element_of_a_yaml_sequence_has_its_dash_below_the_others() {
    let value = json!({ "name": "offcut", "args": ["a b"] });
    let check = |text: &str, expected: &str, index: usize| {
        let added = Format::Yaml.add_element(text, &keys("servers"), &value).unwrap();
        assert_eq!(added, expected);
        let path = [keys("servers"), vec![Step::Index(index)]].concat();
        assert_eq!(Format::Yaml.remove(&added, &path).unwrap(), text);
    };
    check(
        "servers:\n- name: a\n  env:\n    K: v-1\nlast: 1\n",
        "servers:\n- name: a\n  env:\n    K: v-1\n- name: offcut\n  args:\n    - \"a b\"\nlast: 1\n",
        1,
    );
    check("servers: [] # none", "servers: [{\"name\": \"offcut\", \"args\": [\"a b\"]}] # none", 0);
    check("servers:\r\nlast: 1\r\n", "servers:\r\n  - name: offcut\r\n    args:\r\n      - \"a b\"\r\nlast: 1\r\n", 0);
}

#[test]
fn a_broken_file_is_refused_with_its_line() {
    let check = |format: Format, text: &str, line: usize| {
        assert_eq!(format.read(text).unwrap_err().line, Some(line), "{text:?}");
    };
    check(Format::Json, "{\n  \"a\": 1\n  \"b\": 2\n}\n", 2);
    check(Format::Json, "{\n  \"a\": 1,\n  \"a\": 2\n}\n", 3);
    check(Format::Toml, "a = 1\nb = = 2\n", 2);
    check(Format::Yaml, "a: 1\nb: [1\nc: 2\n", 3);
    check(Format::Yaml, "a: 1\n---\nb: 2\n", 2);
}

#[test]
fn what_cannot_hold_an_entry_is_refused() {
    for (format, text) in
        [(Format::Json, "{\"servers\": 3}"), (Format::Toml, "servers = 3\n"), (Format::Yaml, "servers: 3\n")]
    {
        assert!(format.add_member(text, &keys("servers"), "offcut", &json!({ "a": 1 })).is_err(), "{text}");
    }
}

#[test]
fn words_go_before_the_first_and_away_again() {
    let check = |format: Format, text: &str, expected: &str| {
        let added = format.add_front(text, &keys("args"), &["wrap", "--"]).unwrap();
        assert_eq!(added, expected);
        assert_eq!(format.remove_front(&added, &keys("args"), 2).unwrap(), text);
    };
    check(Format::Json, r#"{"args": ["-y", "x"]}"#, r#"{"args": ["wrap", "--", "-y", "x"]}"#);
    check(Format::Json, r#"{"args": []}"#, r#"{"args": ["wrap", "--"]}"#);
    check(
        Format::Json,
        "{\"args\": [\n  \"-y\", // yes\n]}",
        "{\"args\": [\n  \"wrap\", \"--\",\n  \"-y\", // yes\n]}",
    );
    check(Format::Toml, "args = ['x'] # c\n", "args = [\"wrap\", \"--\", 'x'] # c\n");
    check(Format::Yaml, "args:\n  - x # c\n", "args:\n  - wrap\n  - \"--\"\n  - x # c\n");
    check(Format::Yaml, "args: [x]\n", "args: [wrap, \"--\", x]\n");
}
