//! One layer of a configuration: what a file or the environment says, and where each key of it stands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use offcut::options::Options;
use serde_json::Value as Json;

use super::node::Node;
use super::problem::Origin;

/// What one file, or the environment, says.
#[derive(Debug)]
pub(crate) struct Layer {
    /// The options, as an object that deserializes.
    said: Json,
    /// Where each key stands.
    pub(crate) origins: BTreeMap<String, Origin>,
    /// Where each redaction rule stands, by its id.
    rules: BTreeMap<String, Origin>,
    /// The folder that files of line rules are named relative to.
    folder: PathBuf,
}

impl Layer {
    /// The layer of a file.
    pub(crate) fn of_file(path: &Path, node: &Node) -> Layer {
        let placed = |(key, line): (String, u64)| (key, Origin::File(path.to_owned(), line));
        Layer {
            said: node.to_json(),
            origins: node.leaves().into_iter().map(placed).collect(),
            rules: node.rules().into_iter().map(placed).collect(),
            folder: path.parent().map(Path::to_owned).unwrap_or_default(),
        }
    }

    /// A layer of single keys.
    pub(crate) fn of_keys(said: Json, origins: BTreeMap<String, Origin>) -> Layer {
        Layer { said, origins, rules: BTreeMap::new(), folder: PathBuf::new() }
    }

    /// What it says, as options.
    pub(crate) fn options(&self) -> Result<Options, serde_json::Error> {
        let mut options: Options = serde_json::from_value(self.said.clone())?;
        options.resolve_files(&self.folder);
        Ok(options)
    }

    /// Takes a key back; says where it stood.
    pub(crate) fn remove(&mut self, key: &str) -> Option<Origin> {
        let origin = self.origins.remove(key)?;
        remove_at(&mut self.said, key);
        Some(origin)
    }

    /// Takes a redaction rule back; says where it stood.
    pub(crate) fn remove_rule(&mut self, id: &str) -> Option<Origin> {
        let origin = self.rules.remove(id)?;
        remove_rule_in(&mut self.said, id);
        if let Some(Json::Object(tools)) = self.said.get_mut("overrides") {
            tools.values_mut().for_each(|tool| remove_rule_in(tool, id));
        }
        Some(origin)
    }
}

/// Removes a redaction rule from the options of all tools, or of one.
fn remove_rule_in(options: &mut Json, id: &str) {
    if let Some(Json::Array(rules)) = options.get_mut("redaction").and_then(|redaction| redaction.get_mut("rules")) {
        rules.retain(|rule| rule.get("id").and_then(Json::as_str) != Some(id));
    }
}

/// Removes `key` from an object of objects. The name of a tool may have dots of its own.
fn remove_at(json: &mut Json, key: &str) -> bool {
    let Json::Object(map) = json else { return false };
    if map.shift_remove(key).is_some() {
        return true;
    }
    map.iter_mut().any(|(name, below)| {
        key.strip_prefix(name.as_str())
            .and_then(|rest| rest.strip_prefix('.'))
            .is_some_and(|rest| remove_at(below, rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    #[test]
    fn a_key_or_a_rule_that_is_taken_back_leaves_the_others() {
        let text = "head_ratio: 2\noverrides:\n  a.b: {head_ratio: 3, strategy: tail}\nredaction:\n  rules:\n  \
                    - {id: one, regex: a}\n  - {id: two, regex: b}\n";
        let mut layer = Layer::of_file(Path::new("f.yml"), &parse::yaml(text).unwrap());
        assert_eq!(layer.remove("overrides.a.b.head_ratio"), Some(Origin::File("f.yml".into(), 3)));
        assert_eq!(layer.remove("overrides.a.b.head_ratio"), None);
        assert_eq!(layer.remove_rule("two"), Some(Origin::File("f.yml".into(), 7)));
        let left = layer.options().unwrap();
        assert_eq!((left.head_ratio, left.overrides["a.b"].head_ratio), (Some(2.0), None));
        assert_eq!(left.overrides["a.b"].strategy.as_deref(), Some("tail"));
        assert_eq!(left.redaction.rules.unwrap().len(), 1);
    }
}
