//! The keys that a configuration may have, read off the JSON Schema of the options.

use serde_json::Value as Json;

use crate::config::node::{ConfigEntry, Node, Value};

/// The schema that files are checked against.
#[derive(Debug)]
pub(crate) struct Keys {
    schema: Json,
}

/// What a key may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    Bool,
    Integer,
    Number,
    Text,
    /// A number or text: a limit.
    Limit,
    /// One of these words.
    Choice(Vec<String>),
    /// A list of texts.
    List,
    /// A list of tables.
    Tables,
    /// A list of texts and tables.
    TextsOrTables,
    /// A table with these keys.
    Table,
    /// A table with keys of the user's own.
    Open,
}

impl Shape {
    /// What would be right, for messages.
    pub(crate) fn expected(&self) -> String {
        match self {
            Shape::Bool => "`true` or `false`".to_owned(),
            Shape::Integer => "a whole number".to_owned(),
            Shape::Number => "a number".to_owned(),
            Shape::Text => "text".to_owned(),
            Shape::Limit => "a number, or text with a unit (\"2000 tokens\", \"30KB\")".to_owned(),
            Shape::Choice(words) => format!("one of {}", words.join(", ")),
            Shape::List => "a list of texts".to_owned(),
            Shape::Tables => "a list of tables".to_owned(),
            Shape::TextsOrTables => "a list of files and tables".to_owned(),
            Shape::Table | Shape::Open => "a table of keys".to_owned(),
        }
    }

    fn holds(&self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null)
            | (Shape::Bool, Value::Bool(_))
            | (Shape::Integer, Value::Integer(_))
            | (Shape::Number, Value::Integer(_) | Value::Float(_))
            | (Shape::Text, Value::Text(_))
            | (Shape::Limit, Value::Integer(_) | Value::Text(_))
            | (Shape::Table | Shape::Open, Value::Table(_)) => true,
            (Shape::Choice(words), Value::Text(word)) => words.contains(word),
            (Shape::List, Value::List(nodes)) => nodes.iter().all(|node| matches!(node.value, Value::Text(_))),
            (Shape::Tables, Value::List(nodes)) => nodes.iter().all(|node| matches!(node.value, Value::Table(_))),
            (Shape::TextsOrTables, Value::List(nodes)) => {
                nodes.iter().all(|node| matches!(node.value, Value::Text(_) | Value::Table(_)))
            }
            _ => false,
        }
    }
}

/// One thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) line: u64,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Keys {
    /// The keys of the options of this version.
    pub(crate) fn new() -> Keys {
        Keys { schema: offcut::options::schema() }
    }

    /// Takes out of `node` what is wrong with it, and says what that was, in the order of the file. What is left
    /// deserializes. A rule in a list of tables goes as a whole: half of one could match anything.
    pub(crate) fn sift(&self, node: &mut Node) -> Vec<Fault> {
        let mut faults = Vec::new();
        if matches!(node.value, Value::Table(_)) {
            self.check(node, &self.schema, "", &mut faults);
        } else {
            let message = format!("expected a table of keys, found {}", node.name());
            faults.push(Fault { line: node.line, message, hint: None });
            *node = Node::empty();
        }
        faults
    }

    fn check(&self, node: &mut Node, schema: &Json, path: &str, faults: &mut Vec<Fault>) {
        let Value::Table(entries) = &mut node.value else { return };
        let mut seen: Vec<String> = Vec::new();
        entries.retain_mut(|entry| {
            let key = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
            if seen.contains(&entry.key) {
                faults.push(Fault { line: entry.line, message: format!("`{key}` is set twice"), hint: None });
                return false;
            }
            seen.push(entry.key.clone());
            self.check_entry(entry, schema, &key, faults)
        });
    }

    /// Checks one key and what is below it; says whether it may stay.
    fn check_entry(&self, entry: &mut ConfigEntry, schema: &Json, key: &str, faults: &mut Vec<Fault>) -> bool {
        let Some(below) = self.property(schema, &entry.key) else {
            let names = self.names(schema);
            let hint = nearest(&entry.key, names.iter().map(String::as_str))
                .map(|name| format!("did you mean `{name}`?"))
                .or_else(|| Some(format!("known here: {}", names.join(", "))));
            faults.push(Fault { line: entry.line, message: format!("unknown key `{key}`"), hint });
            return false;
        };
        let shape = self.shape(below);
        if !shape.holds(&entry.node.value) {
            let message = format!("`{key}` is {}: expected {}", entry.node.name(), shape.expected());
            let hint = match (&shape, &entry.node.value) {
                (Shape::Choice(words), Value::Text(word)) => nearest(word, words.iter().map(String::as_str)),
                _ => None,
            };
            let hint = hint.map(|word| format!("did you mean `{word}`?"));
            faults.push(Fault { line: entry.line, message, hint });
            return false;
        }
        if matches!(shape, Shape::Table | Shape::Open) {
            self.check(&mut entry.node, below, key, faults);
        } else if let (Shape::Tables | Shape::TextsOrTables, Value::List(nodes)) = (shape, &mut entry.node.value) {
            let items = self.resolve(below).get("items").unwrap_or(&Json::Null);
            let items = self.table_of(items).unwrap_or(items);
            nodes.retain_mut(|node| {
                let before = faults.len();
                self.check(node, items, key, faults);
                faults.len() == before
            });
        }
        true
    }

    /// What a key holds, by its whole name; `None` if nobody knows it.
    pub(crate) fn shape_of(&self, key: &str) -> Option<Shape> {
        let mut schema = &self.schema;
        for part in key.split('.') {
            schema = self.property(schema, part)?;
        }
        Some(self.shape(schema))
    }

    /// Every key with its description and shape, in the order of the types; those of one tool under `overrides.TOOL`.
    pub(crate) fn all(&self) -> Vec<(String, String, Shape)> {
        let mut keys = Vec::new();
        self.collect(&self.schema, "", &mut keys);
        keys
    }

    fn collect(&self, schema: &Json, path: &str, keys: &mut Vec<(String, String, Shape)>) {
        let Some(properties) = self.resolve(schema).get("properties").and_then(Json::as_object) else { return };
        for (name, below) in properties {
            let key = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let shape = self.shape(below);
            let about = below.get("description").and_then(Json::as_str).unwrap_or_default().replace('\n', " ");
            match shape {
                Shape::Table => self.collect(below, &key, keys),
                Shape::Open => {
                    let tool = self.resolve(below).get("additionalProperties").unwrap_or(&Json::Null);
                    self.collect(tool, &format!("{key}.TOOL"), keys);
                }
                _ => keys.push((key, about, shape)),
            }
        }
    }

    fn names(&self, schema: &Json) -> Vec<String> {
        let properties = self.resolve(schema).get("properties").and_then(Json::as_object);
        properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
    }

    fn property<'s>(&'s self, schema: &'s Json, name: &str) -> Option<&'s Json> {
        let resolved = self.resolve(schema);
        let known = resolved.get("properties").and_then(|properties| properties.get(name));
        known.or_else(|| resolved.get("additionalProperties").filter(|open| open.is_object()))
    }

    /// The schema behind references, and behind the choice between something and nothing.
    fn resolve<'s>(&'s self, schema: &'s Json) -> &'s Json {
        let reference = schema.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
        if let Some(found) = reference.and_then(|name| self.schema.get("$defs")?.get(name)) {
            return self.resolve(found);
        }
        let some = schema.get("anyOf").and_then(Json::as_array).and_then(|any| match any.as_slice() {
            [some, none] if none.get("type").and_then(Json::as_str) == Some("null") => Some(some),
            _ => None,
        });
        some.map_or(schema, |some| self.resolve(some))
    }

    /// The table among the things that a schema leaves a choice between.
    fn table_of<'s>(&'s self, schema: &'s Json) -> Option<&'s Json> {
        let any = self.resolve(schema).get("anyOf").and_then(Json::as_array)?;
        any.iter().find(|one| self.shape(one) == Shape::Table)
    }

    fn shape(&self, schema: &Json) -> Shape {
        let schema = self.resolve(schema);
        if schema.get("properties").is_some() {
            return Shape::Table;
        }
        if schema.get("additionalProperties").is_some_and(Json::is_object) {
            return Shape::Open;
        }
        if let Some(choices) = schema.get("oneOf").and_then(Json::as_array) {
            let words = choices.iter().filter_map(|choice| choice.get("const")?.as_str().map(str::to_owned));
            return Shape::Choice(words.collect());
        }
        let name = match schema.get("type") {
            Some(Json::String(name)) => name.as_str(),
            Some(Json::Array(names)) => {
                names.iter().filter_map(Json::as_str).find(|name| *name != "null").unwrap_or("")
            }
            _ => "",
        };
        match name {
            "boolean" => Shape::Bool,
            "integer" => Shape::Integer,
            "number" => Shape::Number,
            "string" => Shape::Text,
            "array" => match schema.get("items").map(|items| (self.shape(items), self.table_of(items))) {
                Some((Shape::Table, _)) => Shape::Tables,
                Some((_, Some(_))) => Shape::TextsOrTables,
                _ => Shape::List,
            },
            _ => Shape::Limit,
        }
    }
}

/// The name that was most likely meant: the closest one, if it is close.
pub(crate) fn nearest<'n>(written: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let allowed = (written.chars().count() / 3).max(1);
    let distances = names.into_iter().map(|name| (distance(written, name), name));
    distances.filter(|(distance, _)| *distance <= allowed).min().map(|(_, name)| name.to_owned())
}

/// How many letters must be changed, added, taken away or swapped with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous = None;
    for (row, a) in left.chars().enumerate() {
        let mut line = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX - 1);
            let changed = at(&last, column) + usize::from(a != *b);
            let mut best = changed.min(at(&last, column + 1) + 1).min(at(&line, column) + 1);
            let swapped = column > 0 && previous == Some(*b) && right.get(column - 1) == Some(&a);
            if swapped {
                best = best.min(at(&before_last, column - 1) + 1);
            }
            line.push(best);
        }
        before_last = std::mem::replace(&mut last, line);
        previous = Some(a);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    #[test]
    fn distances_count_changes_and_swaps() {
        let check = |left, right, expected| assert_eq!(distance(left, right), expected, "{left} {right}");
        check("", "", 0);
        check("abc", "abc", 0);
        check("abc", "", 3);
        check("", "abc", 3);
        check("inlin_limit", "inline_limit", 1);
        check("ab", "ba", 1);
        check("kitten", "sitting", 3);
    }

    #[test]
    fn a_name_that_is_close_is_offered_and_one_that_is_not_is_not() {
        let names = ["inline_limit", "head_ratio", "profile"];
        assert_eq!(nearest("inlne_limit", names).as_deref(), Some("inline_limit"));
        assert_eq!(nearest("profil", names).as_deref(), Some("profile"));
        assert_eq!(nearest("colour", names), None);
    }

    #[test]
    fn every_key_of_the_options_has_a_shape_and_a_description() {
        let keys = Keys::new().all();
        assert!(keys.len() > 40, "{}", keys.len());
        for (key, about, _) in &keys {
            assert!(!about.is_empty(), "{key}");
        }
        let shape = |key: &str| Keys::new().shape_of(key);
        assert_eq!(shape("inline_limit"), Some(Shape::Limit));
        assert_eq!(shape("line_truncation.tail_lines"), Some(Shape::Integer));
        assert_eq!(shape("overrides.read_file.head_ratio"), Some(Shape::Number));
        assert_eq!(shape("artifacts.on_quota"), Some(Shape::Choice(vec!["evict".into(), "reject".into()])));
        assert_eq!(shape("artifacts.no_such"), None);
    }

    #[test]
    fn faults_name_line_key_and_what_would_be_right() {
        let mut node = parse::yaml(
            "inline_limt: 1\nhead_ratio: high\nartifacts:\n  on_quota: evikt\noverrides:\n  bash:\n    tail_lines: 5\n",
        )
        .unwrap();
        let faults = Keys::new().sift(&mut node);
        let written: Vec<(u64, &str, Option<&str>)> =
            faults.iter().map(|fault| (fault.line, fault.message.as_str(), fault.hint.as_deref())).collect();
        assert_eq!(written[0], (1, "unknown key `inline_limt`", Some("did you mean `inline_limit`?")));
        assert_eq!(written[1], (2, "`head_ratio` is `high`: expected a number", None));
        assert_eq!(
            written[2],
            (4, "`artifacts.on_quota` is `evikt`: expected one of evict, reject", Some("did you mean `evict`?"))
        );
        assert_eq!((written[3].0, written[3].1), (7, "unknown key `overrides.bash.tail_lines`"));
        assert_eq!(written.len(), 4);
        assert_eq!(node.to_json(), serde_json::json!({"artifacts": {}, "overrides": {"bash": {}}}));
    }

    #[test]
    fn what_is_right_stays_and_a_list_is_no_configuration() {
        let sifted = |text: &str| {
            let mut node = parse::yaml(text).unwrap();
            let faults = Keys::new().sift(&mut node);
            (node.to_json(), faults.len())
        };
        let (kept, faults) = sifted(
            "head_ratio: 0.5\nhead_ratoi: 1\nredaction:\n  rules:\n    - {id: a, regex: x}\n    - {id: b, regx: y}\n",
        );
        let rules = serde_json::json!({"head_ratio": 0.5, "redaction": {"rules": [{"id": "a", "regex": "x"}]}});
        assert_eq!((kept, faults), (rules, 2));
        assert_eq!(sifted("[auto, head_tail]"), (serde_json::json!({}), 1));
        assert_eq!(sifted("artifacts: [kept]"), (serde_json::json!({}), 1));
    }
}
