//! The keys that a configuration may have, and what is wrong with one that has others.

#[cfg(test)]
mod schema;
mod table;

use crate::config::node::{ConfigEntry, Node, Value};
use table::{OPTIONS, Rows};

#[cfg(test)]
pub(crate) use schema::Schema;

/// What a key may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Bool,
    Integer,
    Number,
    Text,
    /// A number or text: a limit.
    Limit,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of texts.
    List,
    /// A list of tables with these keys.
    Tables(Rows),
    /// A list of texts and tables with these keys.
    TextsOrTables(Rows),
    /// A table with these keys.
    Table(Rows),
    /// A table with keys of the user's own, each of which holds a table with these.
    Open(Rows),
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
            Shape::Tables(_) => "a list of tables".to_owned(),
            Shape::TextsOrTables(_) => "a list of files and tables".to_owned(),
            Shape::Table(_) | Shape::Open(_) => "a table of keys".to_owned(),
        }
    }

    /// Whether it can be written as one word or a list of words.
    pub(crate) fn is_plain(&self) -> bool {
        !matches!(self, Shape::Table(_) | Shape::Open(_) | Shape::Tables(_) | Shape::TextsOrTables(_))
    }

    /// What the key `name` of such a table holds; `None` if it has no such key.
    fn below(self, name: &str) -> Option<Shape> {
        match self {
            Shape::Table(rows) => rows.iter().find(|(known, _)| *known == name).map(|(_, shape)| *shape),
            Shape::Open(rows) => Some(Shape::Table(rows)),
            _ => None,
        }
    }

    fn names(self) -> Vec<&'static str> {
        match self {
            Shape::Table(rows) => rows.iter().map(|(name, _)| *name).collect(),
            _ => Vec::new(),
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
            | (Shape::Table(_) | Shape::Open(_), Value::Table(_)) => true,
            (Shape::Choice(words), Value::Text(word)) => words.contains(&word.as_str()),
            (Shape::List, Value::List(nodes)) => nodes.iter().all(|node| matches!(node.value, Value::Text(_))),
            (Shape::Tables(_), Value::List(nodes)) => nodes.iter().all(|node| matches!(node.value, Value::Table(_))),
            (Shape::TextsOrTables(_), Value::List(nodes)) => {
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

/// Takes out of `node` what is wrong with it, and says what that was, in the order of the file. What is left
/// deserializes. A rule in a list of tables goes as a whole: half of one could match anything.
pub(crate) fn sift(node: &mut Node) -> Vec<Fault> {
    let mut faults = Vec::new();
    if matches!(node.value, Value::Table(_)) {
        check(node, Shape::Table(OPTIONS), "", &mut faults);
    } else {
        let message = format!("expected a table of keys, found {}", node.name());
        faults.push(Fault { line: node.line, message, hint: None });
        *node = Node::empty();
    }
    faults
}

fn check(node: &mut Node, table: Shape, path: &str, faults: &mut Vec<Fault>) {
    let Value::Table(entries) = &mut node.value else { return };
    let mut seen: Vec<String> = Vec::new();
    entries.retain_mut(|entry| {
        let key = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
        if seen.contains(&entry.key) {
            faults.push(Fault { line: entry.line, message: format!("`{key}` is set twice"), hint: None });
            return false;
        }
        seen.push(entry.key.clone());
        check_entry(entry, table, &key, faults)
    });
}

/// Checks one key and what is below it; says whether it may stay.
fn check_entry(entry: &mut ConfigEntry, table: Shape, key: &str, faults: &mut Vec<Fault>) -> bool {
    let Some(shape) = table.below(&entry.key) else {
        let names = table.names();
        let hint = nearest(&entry.key, names.iter().copied())
            .map(|name| format!("did you mean `{name}`?"))
            .or_else(|| Some(format!("known here: {}", names.join(", "))));
        faults.push(Fault { line: entry.line, message: format!("unknown key `{key}`"), hint });
        return false;
    };
    if !shape.holds(&entry.node.value) {
        let message = format!("`{key}` is {}: expected {}", entry.node.name(), shape.expected());
        let hint = match (&shape, &entry.node.value) {
            (Shape::Choice(words), Value::Text(word)) => nearest(word, words.iter().copied()),
            _ => None,
        };
        let hint = hint.map(|word| format!("did you mean `{word}`?"));
        faults.push(Fault { line: entry.line, message, hint });
        return false;
    }
    match (shape, &mut entry.node.value) {
        (Shape::Table(_) | Shape::Open(_), _) => check(&mut entry.node, shape, key, faults),
        (Shape::Tables(rows) | Shape::TextsOrTables(rows), Value::List(nodes)) => nodes.retain_mut(|node| {
            let before = faults.len();
            check(node, Shape::Table(rows), key, faults);
            faults.len() == before
        }),
        _ => {}
    }
    true
}

/// What a key holds, by its whole name; `None` if nobody knows it.
pub(crate) fn shape_of(key: &str) -> Option<Shape> {
    key.split('.').try_fold(Shape::Table(OPTIONS), Shape::below)
}

/// Every key with its shape, in the order of the types; those of one tool under `overrides.TOOL`.
pub(crate) fn all() -> Vec<(String, Shape)> {
    let mut keys = Vec::new();
    collect(OPTIONS, "", &mut keys);
    keys
}

fn collect(rows: Rows, path: &str, keys: &mut Vec<(String, Shape)>) {
    for &(name, shape) in rows {
        let key = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        match shape {
            Shape::Table(rows) => collect(rows, &key, keys),
            Shape::Open(rows) => collect(rows, &format!("{key}.TOOL"), keys),
            _ => keys.push((key, shape)),
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

    /// Every row in a line of its own, so that a difference can be read.
    fn lines(rows: Rows, path: &str) -> Vec<String> {
        let below = |&(name, shape): &(&str, Shape)| match shape {
            Shape::Table(rows) => lines(rows, &format!("{path}{name}.")),
            Shape::Tables(rows) | Shape::TextsOrTables(rows) | Shape::Open(rows) => {
                let mut all = vec![format!("{path}{name}: {}", shape.expected())];
                all.extend(lines(rows, &format!("{path}{name}[].")));
                all
            }
            _ => vec![format!("{path}{name}: {shape:?}")],
        };
        rows.iter().flat_map(below).collect()
    }

    #[test]
    fn the_table_says_what_the_schema_says() {
        let (table, schema) = (lines(OPTIONS, ""), lines(Schema::of_options().rows(), ""));
        let only = |left: &[String], right: &[String]| -> Vec<String> {
            left.iter().filter(|line| !right.contains(line)).cloned().collect()
        };
        assert_eq!((only(&table, &schema), only(&schema, &table)), (Vec::new(), Vec::new()));
        assert_eq!(OPTIONS, Schema::of_options().rows());
    }

    #[test]
    fn every_key_of_the_options_has_a_shape_and_a_description() {
        let (keys, schema) = (all(), Schema::of_options());
        assert!(keys.len() > 40, "{}", keys.len());
        for (key, _) in &keys {
            assert!(!schema.about(key).is_empty(), "{key}");
        }
        let shape = shape_of;
        assert_eq!(shape("inline_limit"), Some(Shape::Limit));
        assert_eq!(shape("line_truncation.tail_lines"), Some(Shape::Integer));
        assert_eq!(shape("overrides.read_file.head_ratio"), Some(Shape::Number));
        assert_eq!(shape("artifacts.on_quota"), Some(Shape::Choice(&["evict", "reject"])));
        assert_eq!(shape("artifacts.no_such"), None);
    }

    #[test]
    fn faults_name_line_key_and_what_would_be_right() {
        let mut node = parse::yaml(
            "inline_limt: 1\nhead_ratio: high\nartifacts:\n  on_quota: evikt\noverrides:\n  bash:\n    tail_lines: 5\n",
        )
        .unwrap();
        let faults = sift(&mut node);
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
            let faults = sift(&mut node);
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
