//! MCP servers that are configured already: run behind `offcut wrap`, and by themselves again.

use std::path::Path;

use serde_json::Value;

use super::agents::Servers;
use super::edit::{EditError, Format, Step, value_at};

/// What stands before a server's own command line, behind the program.
const WORDS: [&str; 2] = ["wrap", "--"];

/// The text with every server that a command line starts behind `program wrap`.
pub(super) fn wrap(format: Format, text: &str, servers: &Servers, program: &str) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for path in paths(format, &text, servers)? {
        let root = format.read(&text)?;
        let Some(server) = value_at(&root, &path) else { continue };
        let command = below(&path, &servers.command);
        match server.get(&servers.command) {
            Some(Value::Array(words)) if starts(words) => {
                let mut words = vec![program];
                words.extend(WORDS);
                text = format.add_front(&text, &command, &words)?;
            }
            Some(Value::String(own)) if !is_offcut(own) => {
                let Some(args) = &servers.args else { continue };
                let mut words = WORDS.to_vec();
                words.push(own);
                text = match server.get(args) {
                    Some(_) => format.add_front(&text, &below(&path, args), &words)?,
                    None => format.add_member(&text, &path, args, &Value::from(words))?,
                };
                text = format.replace_string(&text, &command, program)?;
            }
            _ => {}
        }
    }
    Ok(text)
}

/// The text with every server that [`wrap`] wrapped by itself again; `before`, the text from before, says which.
pub(super) fn unwrap(format: Format, text: &str, servers: &Servers, before: Option<&str>) -> Result<String, EditError> {
    let past = before.map(|before| format.read(before)).transpose()?;
    let mut text = text.to_owned();
    for path in paths(format, &text, servers)? {
        let root = format.read(&text)?;
        let Some(server) = value_at(&root, &path) else { continue };
        // One that the user wrapped stays wrapped.
        let was = past.as_ref().and_then(|past| value_at(past, &path)).filter(|was| *was != server);
        let Some(was) = was else { continue };
        let command = below(&path, &servers.command);
        match server.get(&servers.command) {
            Some(Value::Array(words)) if is_wrapped(words.get(1..).unwrap_or_default()) => {
                text = format.remove_front(&text, &command, 1 + WORDS.len())?;
            }
            Some(Value::String(program)) if is_offcut(program) => {
                let Some(args) = &servers.args else { continue };
                let Some(Value::Array(words)) = server.get(args) else { continue };
                let Some(Value::String(own)) = words.get(WORDS.len()).filter(|_| is_wrapped(words)) else { continue };
                let had_args = was.get(args).is_some();
                let is_only = words.len() == WORDS.len() + 1;
                let args = below(&path, args);
                text = match is_only && !had_args {
                    true => format.remove(&text, &args)?,
                    false => format.remove_front(&text, &args, WORDS.len() + 1)?,
                };
                // As it was written, if it is known.
                text = match before.filter(|_| was.get(&servers.command).and_then(Value::as_str) == Some(own)) {
                    Some(before) => format.copy_value(&text, &command, before)?,
                    None => format.replace_string(&text, &command, own)?,
                };
            }
            _ => {}
        }
    }
    Ok(text)
}

/// How many servers in the text are run by a command line of their own, without Offcut.
pub(super) fn unwrapped(format: Format, text: &str, servers: &Servers) -> usize {
    let Ok(root) = format.read(text) else { return 0 };
    let paths = paths(format, text, servers).unwrap_or_default();
    let commands = paths.iter().filter_map(|path| value_at(&root, path)?.get(&servers.command));
    commands
        .filter(|command| match command {
            Value::Array(words) => starts(words),
            Value::String(own) => !is_offcut(own),
            _ => false,
        })
        .count()
}

/// The paths of all servers.
fn paths(format: Format, text: &str, servers: &Servers) -> Result<Vec<Vec<Step>>, EditError> {
    let root = format.read(text)?;
    let at: Vec<Step> = servers.at.split('.').map(|key| Step::Key(key.to_owned())).collect();
    let steps: Vec<Step> = match value_at(&root, &at) {
        Some(Value::Object(members)) => members.keys().cloned().map(Step::Key).collect(),
        Some(Value::Array(values)) => (0..values.len()).map(Step::Index).collect(),
        _ => Vec::new(),
    };
    Ok(steps.into_iter().map(|step| [at.clone(), vec![step]].concat()).collect())
}

fn below(path: &[Step], key: &str) -> Vec<Step> {
    [path, &[Step::Key(key.to_owned())]].concat()
}

fn is_offcut(program: &str) -> bool {
    Path::new(program).file_name().is_some_and(|name| name == "offcut")
}

/// Whether words are the command line of a server that is not Offcut's.
fn starts(words: &[Value]) -> bool {
    words.first().and_then(Value::as_str).is_some_and(|program| !is_offcut(program))
}

fn is_wrapped(words: &[Value]) -> bool {
    words.len() > WORDS.len() && words.iter().zip(WORDS).all(|(word, expected)| word == expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, servers: (&str, &str, Option<&str>), text: &str, expected: &str) {
        let (at, command, args) = servers;
        let servers = Servers { at: at.to_owned(), command: command.to_owned(), args: args.map(str::to_owned) };
        let wrapped = wrap(format, text, &servers, "/bin/offcut").unwrap();
        assert_eq!(wrapped, expected);
        assert_eq!(wrap(format, &wrapped, &servers, "/bin/offcut").unwrap(), wrapped, "twice is not once");
        assert_eq!(unwrap(format, &wrapped, &servers, Some(text)).unwrap(), text);
        assert_eq!(unwrap(format, text, &servers, Some(text)).unwrap(), text);
    }

    #[test]
    fn servers_are_wrapped_in_place_and_come_back() {
        check(
            Format::Json,
            ("mcpServers", "command", Some("args")),
            "{\"mcpServers\": {\n  \"a\": { \"command\": \"npx\", \"args\": [\"-y\", /* now */ \"a\"] },\n  \"b\": { \
             \"command\": \"b\" },\n  \"web\": { \"url\": \"x\" },\n  \"offcut\": { \"command\": \"/x/offcut\", \
             \"args\": [\"mcp\"] }\n}}",
            "{\"mcpServers\": {\n  \"a\": { \"command\": \"/bin/offcut\", \"args\": [\"wrap\", \"--\", \"npx\", \"-y\", /* now */ \"a\"] },\n  \"b\": { \"command\": \"/bin/offcut\", \
             \"args\": [\"wrap\", \"--\", \"b\"] },\n  \"web\": { \"url\": \"x\" },\n  \
             \"offcut\": { \"command\": \"/x/offcut\", \"args\": [\"mcp\"] }\n}}",
        );
        check(
            Format::Json,
            ("mcp", "command", None),
            "{\"mcp\": {\"a\": {\"command\": [\"npx\", \"a\"]}}}",
            "{\"mcp\": {\"a\": {\"command\": [\"/bin/offcut\", \"wrap\", \"--\", \"npx\", \
             \"a\"]}}}",
        );
        check(
            Format::Toml,
            ("mcp_servers", "command", Some("args")),
            "[mcp_servers.a] # one\ncommand = 'npx'\nargs = ['a']\n",
            "[mcp_servers.a] # one\ncommand = \"/bin/offcut\"\nargs = [\"wrap\", \"--\", \
             \"npx\", 'a']\n",
        );
        check(
            Format::Yaml,
            ("extensions", "cmd", Some("args")),
            "extensions:\n  a:\n    cmd: npx # c\n    args:\n      - a\n  b:\n    type: builtin\n",
            "extensions:\n  a:\n    cmd: /bin/offcut # c\n    args:\n      - wrap\n      - \"--\"\n      - npx\n      - a\n  b:\n    type: builtin\n",
        );
    }
}
