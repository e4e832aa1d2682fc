//! A configuration file as a tree whose every key knows its line.

use serde_json::Value as Json;

/// A value, and the line that it begins on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) line: u64,
    pub(crate) value: Value,
}

/// What a configuration file can hold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Table(Vec<ConfigEntry>),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigEntry {
    pub(crate) key: String,
    pub(crate) line: u64,
    pub(crate) node: Node,
}

impl Node {
    /// An empty table.
    pub(crate) fn empty() -> Node {
        Node { line: 0, value: Value::Table(Vec::new()) }
    }

    /// The entries, where it is a table.
    pub(crate) fn entries(&self) -> &[ConfigEntry] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    /// What `key` holds, where it is a table with that key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The value without its lines; keys that hold nothing are left out.
    pub(crate) fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(value) => Json::from(*value),
            Value::Integer(value) => Json::from(*value),
            Value::Float(value) => Json::from(*value),
            Value::Text(value) => Json::from(value.as_str()),
            Value::List(nodes) => nodes.iter().map(Node::to_json).collect(),
            Value::Table(entries) => {
                let said = entries.iter().filter(|entry| entry.node.value != Value::Null);
                Json::Object(said.map(|entry| (entry.key.clone(), entry.node.to_json())).collect())
            }
        }
    }

    /// Keeps the keys that hold a value of their own where `keep` says so; it is told the way to each and its entry.
    pub(crate) fn retain(&mut self, keep: &mut dyn FnMut(&[String], &ConfigEntry) -> bool) {
        fn walk(node: &mut Node, path: &mut Vec<String>, keep: &mut dyn FnMut(&[String], &ConfigEntry) -> bool) {
            let Value::Table(entries) = &mut node.value else { return };
            entries.retain_mut(|entry| {
                path.push(entry.key.clone());
                let kept = match entry.node.value {
                    Value::Table(_) => {
                        walk(&mut entry.node, path, keep);
                        true
                    }
                    _ => keep(path, entry),
                };
                path.pop();
                kept
            });
        }
        walk(self, &mut Vec::new(), keep);
    }

    /// Every key that holds a value of its own, with its line: `line_truncation.tail_lines`.
    pub(crate) fn leaves(&self) -> Vec<(String, u64)> {
        fn walk(node: &Node, path: &str, leaves: &mut Vec<(String, u64)>) {
            for entry in node.entries() {
                let path = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
                match &entry.node.value {
                    Value::Table(_) => walk(&entry.node, &path, leaves),
                    Value::Null => {}
                    _ => leaves.push((path, entry.line)),
                }
            }
        }
        let mut leaves = Vec::new();
        walk(self, "", &mut leaves);
        leaves
    }

    /// Every redaction rule by its id, with the line of that: the general ones, and those of single tools.
    pub(crate) fn rules(&self) -> Vec<(String, u64)> {
        let of_tools = self.get("overrides").map(Node::entries).unwrap_or_default();
        let layers = of_tools.iter().map(|entry| &entry.node).chain([self]);
        let lists = layers.filter_map(|layer| layer.get("redaction")?.get("rules"));
        let rules = lists.flat_map(|list| match &list.value {
            Value::List(rules) => rules.as_slice(),
            _ => &[],
        });
        let ids = rules.flat_map(|rule| rule.entries().iter().filter(|entry| entry.key == "id"));
        ids.filter_map(|entry| match &entry.node.value {
            Value::Text(id) => Some((id.clone(), entry.line)),
            _ => None,
        })
        .collect()
    }

    /// What it is, for messages.
    pub(crate) fn name(&self) -> String {
        match &self.value {
            Value::Null => "nothing".to_owned(),
            Value::Bool(value) => format!("`{value}`"),
            Value::Integer(value) => format!("`{value}`"),
            Value::Float(value) => format!("`{value}`"),
            Value::Text(value) => format!("`{value}`"),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }
}
