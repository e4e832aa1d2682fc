//! Several servers in one file: how each is reached, and by which rules it is cut.
//!
//! The file has the layout that agents use (`mcpServers`), so that theirs can be taken as it is; keys of ours stand
//! beside theirs.

use std::collections::BTreeMap;

use offcut_core::limit::Limits;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Remote, Rules, ServerCommand};

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// By starting it.
    Command(ServerCommand),
    /// At a URL.
    Remote(Remote),
}

/// One of several servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its name in the file.
    pub name: String,
    /// What stands before the names of its tools and prompts, with an underscore between.
    pub prefix: String,
    /// How it is reached.
    pub reach: Reach,
    /// By which rules its results are cut.
    pub rules: Rules,
}

/// What is wrong with a file of servers: where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {why}")]
pub struct BadServers {
    /// The key: `mcpServers.files.limit`.
    pub key: String,
    /// What is wrong, and what would be right.
    pub why: String,
}

/// A server as written.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Written {
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    #[serde(alias = "serverUrl", alias = "httpUrl")]
    url: Option<String>,
    token_env: Option<String>,
    disabled: bool,
    enabled: Option<bool>,
    prefix: Option<String>,
    off: Option<bool>,
    limit: Option<Value>,
    tools: Option<Value>,
    exempt: Option<Vec<String>>,
    resources: Option<bool>,
    restarts: Option<u32>,
    clients: Option<Value>,
}

/// The keys of [`Written`], for a file that is ours alone.
const KEYS: [&str; 18] = [
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "serverUrl",
    "httpUrl",
    "token_env",
    "disabled",
    "enabled",
    "prefix",
    "off",
    "limit",
    "tools",
    "exempt",
    "resources",
    "restarts",
    "clients",
];

/// The servers in a file, by name. `general` holds where a server says nothing else; `variable` looks a variable of the
/// environment up, in which tokens are.
pub fn servers(
    file: &Value,
    general: &Rules,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Vec<Server>, BadServers> {
    let ours = file.get("wrap").and_then(|wrap| wrap.get("servers")).or_else(|| file.get("servers"));
    let (root, table, strict) = match (file.get("mcpServers"), ours) {
        (Some(table), _) => ("mcpServers", table, false),
        (None, Some(table)) => ("servers", table, true),
        (None, None) => {
            return Err(bad("servers", "missing: expected `servers` or `mcpServers` with a table a server"));
        }
    };
    let Value::Object(table) = table else { return Err(bad(root, "expected a table with a key for each server")) };
    let mut found = Vec::new();
    for (name, written) in table {
        let key = format!("{root}.{name}");
        let Value::Object(keys) = written else { return Err(bad(&key, "expected a table")) };
        if strict {
            check_keys(&key, keys)?;
        }
        let written: Written =
            serde_json::from_value(written.clone()).map_err(|error| bad(&key, &error.to_string()))?;
        if !written.disabled && written.enabled != Some(false) {
            found.push(server(name, &key, written, general, &variable)?);
        }
    }
    for (at, server) in found.iter().enumerate() {
        if found.iter().take(at).any(|before| before.prefix == server.prefix) {
            let why = format!("the prefix `{}` is taken: expected one of its own", server.prefix);
            return Err(bad(&format!("{root}.{}.prefix", server.name), &why));
        }
    }
    if found.is_empty() { Err(bad(root, "no server is enabled: expected at least one")) } else { Ok(found) }
}

fn bad(key: &str, why: &str) -> BadServers {
    BadServers { key: key.to_owned(), why: why.to_owned() }
}

fn check_keys(key: &str, keys: &Map<String, Value>) -> Result<(), BadServers> {
    match keys.keys().find(|name| !KEYS.contains(&name.as_str())) {
        Some(name) => Err(bad(&format!("{key}.{name}"), &format!("unknown: expected one of {}", KEYS.join(", ")))),
        None => Ok(()),
    }
}

fn server(
    name: &str,
    key: &str,
    written: Written,
    general: &Rules,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Server, BadServers> {
    let reach = match (&written.command, &written.url) {
        (Some(command), None) => Reach::Command(ServerCommand {
            program: command.into(),
            arguments: written.args.iter().map(Into::into).collect(),
            environment: written.env.clone(),
            directory: written.cwd.as_ref().map(Into::into),
        }),
        (None, Some(url)) => {
            let token = match &written.token_env {
                None => None,
                Some(name) => Some(variable(name).filter(|token| !token.is_empty()).ok_or_else(|| {
                    bad(&format!("{key}.token_env"), &format!("${name} is not set: it should hold a bearer token"))
                })?),
            };
            let remote = Remote { url: url.clone(), token };
            remote.parsed().map_err(|error| bad(&format!("{key}.url"), &error.to_string()))?;
            Reach::Remote(remote)
        }
        _ => return Err(bad(key, "expected either `command` or `url`")),
    };
    let prefix = written.prefix.clone().unwrap_or_else(|| name.to_owned());
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if prefix.is_empty() || prefix.len() > 32 || !prefix.chars().all(allowed) {
        let why = format!("`{prefix}` cannot stand in a tool's name: expected 1 to 32 of `A-Z a-z 0-9 _ -`");
        return Err(bad(&format!("{key}.prefix"), &why));
    }
    let limits = |name: &str, value: &Option<Value>| match value {
        None => Ok(None),
        Some(value) => limit(&format!("{key}.{name}"), value).map(Some),
    };
    let rules = Rules {
        off: written.off.unwrap_or(general.off),
        limit: limits("limit", &written.limit)?.or_else(|| general.limit.clone()),
        tools: table(&format!("{key}.tools"), &written.tools)?.unwrap_or_else(|| general.tools.clone()),
        exempt: written.exempt.unwrap_or_else(|| general.exempt.clone()),
        resources: written.resources.unwrap_or(general.resources),
        clients: table(&format!("{key}.clients"), &written.clients)?.unwrap_or_else(|| general.clients.clone()),
        restarts: written.restarts.unwrap_or(general.restarts),
    };
    Ok(Server { name: name.to_owned(), prefix, reach, rules })
}

fn table(key: &str, value: &Option<Value>) -> Result<Option<BTreeMap<String, Limits>>, BadServers> {
    match value {
        None => Ok(None),
        // Some agents list the tools that they allow under this name.
        Some(Value::Array(_)) => Ok(None),
        Some(Value::Object(entries)) => {
            let limits =
                entries.iter().map(|(name, value)| Ok((name.clone(), limit(&format!("{key}.{name}"), value)?)));
            limits.collect::<Result<_, _>>().map(Some)
        }
        Some(_) => Err(bad(key, "expected a table of limits")),
    }
}

fn limit(key: &str, value: &Value) -> Result<Limits, BadServers> {
    let written = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    written.parse().map_err(|error: offcut_core::limit::BadLimit| bad(key, &error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(file: Value) -> Result<Vec<Server>, BadServers> {
        servers(&file, &Rules::new(), |name| (name == "TOKEN").then(|| "t0".to_owned()))
    }

    #[test]
    fn an_agents_own_file_is_understood() {
        let found = read(json!({"mcpServers": {
            "files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}, "trust": true, "tools": ["*"]},
            "web": {"type": "http", "url": "https://x.example/mcp", "token_env": "TOKEN", "limit": "2000 tokens",
                    "prefix": "w", "exempt": ["a"], "tools": {"b*": 900}},
            "old": {"command": "x", "disabled": true},
        }}))
        .unwrap();
        assert_eq!(found.iter().map(|server| server.prefix.as_str()).collect::<Vec<_>>(), ["files", "w"]);
        let Reach::Command(command) = &found[0].reach else { panic!("{found:?}") };
        assert_eq!((command.program.to_str(), command.arguments.len()), (Some("npx"), 2));
        assert_eq!(
            found[1].reach,
            Reach::Remote(Remote { url: "https://x.example/mcp".into(), token: Some("t0".into()) })
        );
        assert_eq!(found[1].rules.limit.as_ref().unwrap().to_string(), "2000 tokens");
        assert_eq!(found[1].rules.tools["b*"].to_string(), "900");
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        for (file, key) in [
            (json!({}), "servers"),
            (json!({"servers": {}}), "servers"),
            (json!({"servers": {"a": {"command": "x", "limt": 3}}}), "servers.a.limt"),
            (json!({"servers": {"a": {"command": "x", "limit": "many"}}}), "servers.a.limit"),
            (json!({"servers": {"a": {"command": "x", "url": "http://y"}}}), "servers.a"),
            (json!({"servers": {"a": {}}}), "servers.a"),
            (json!({"servers": {"a": {"url": "ftp://y"}}}), "servers.a.url"),
            (json!({"servers": {"a": {"url": "http://y", "token_env": "NONE"}}}), "servers.a.token_env"),
            (json!({"servers": {"a b": {"command": "x"}}}), "servers.a b.prefix"),
            (
                json!({"wrap": {"servers": {"a": {"command": "x"}, "b": {"command": "x", "prefix": "a"}}}}),
                "servers.b.prefix",
            ),
            (json!({"mcpServers": {"a": {"command": 7}}}), "mcpServers.a"),
        ] {
            let error = read(file.clone()).unwrap_err();
            assert_eq!(error.key, key, "{file}: {error}");
        }
    }
}
