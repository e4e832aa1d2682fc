//! Values that parse and are refused all the same: the value of the layer below holds instead.

use offcut::BuildError;
use offcut::options::Options;
use offcut::policy::PolicyError;
use offcut_core::redact::RuleError;

use super::Config;
use super::keys;
use super::problem::{Origin, Problem};

/// The keys by which redaction is told what is no secret.
const LISTS: [&str; 3] = ["redaction.disable", "redaction.allow", "redaction.allow_hashes"];

impl Config {
    /// Makes something of the options. A value that is refused is taken back and remembered as a problem, and the next
    /// attempt has the value of the layer below it: the built-in one in the end.
    pub(crate) fn settle<T>(&mut self, make: impl Fn(&Options) -> Result<T, BuildError>) -> Result<T, BuildError> {
        loop {
            let refused = match make(&self.options) {
                Err(error @ (BuildError::Policy(_) | BuildError::Rules(_))) => error,
                made => return made,
            };
            let taken_back = match &refused {
                BuildError::Policy(error) => self.refuse(error),
                BuildError::Rules(error) => self.refuse_rule(error),
                BuildError::Store(_) => false,
            };
            // A layer whose fault cannot be found goes as a whole, so that this comes to an end.
            if !taken_back && self.layers.pop().is_none() {
                return Err(refused);
            }
            self.merge();
        }
    }

    /// Takes a refused value back; whether it was found.
    pub(crate) fn refuse(&mut self, error: &PolicyError) -> bool {
        let origin = candidates(&error.key).find_map(|key| self.take_back(key));
        let message = match &origin {
            Some(origin) => format!("{origin}: {error}"),
            None => error.to_string(),
        };
        self.problems.add(Problem::error(message).hint(did_you_mean(error)));
        origin.is_some()
    }

    /// Takes a refused redaction rule back, or a list that names one; whether it was found.
    fn refuse_rule(&mut self, error: &RuleError) -> bool {
        let rule = self.layers.iter_mut().rev().find_map(|layer| layer.remove_rule(&error.rule));
        // What is no rule is a name that is switched off, or a value that is allowed.
        let lists = if error.rule == "allow" { &LISTS[1..] } else { &LISTS[..1] };
        let origin = rule.or_else(|| {
            let is_listed = |key: &&String| lists.iter().any(|list| key.ends_with(list));
            let key = self
                .origins
                .keys()
                .find(is_listed)
                .or_else(|| self.origins.keys().find(|key| key.ends_with("redaction.rules")))?;
            self.take_back(&key.clone())
        });
        let message = match &origin {
            Some(origin) => format!("{origin}: {error}"),
            None => error.to_string(),
        };
        self.problems.add(Problem::error(message));
        origin.is_some()
    }

    /// Takes the highest value of a key back; says where it stood.
    pub(crate) fn take_back(&mut self, key: &str) -> Option<Origin> {
        let origin = self.layers.iter_mut().rev().find_map(|layer| layer.remove(key))?;
        self.merge();
        Some(origin)
    }
}

/// The word that was most likely meant, where a refused value had to be one of some.
pub(crate) fn did_you_mean(error: &PolicyError) -> Option<String> {
    let words: Vec<&str> = error.expected.strip_prefix("one of ")?.split(", ").collect();
    keys::nearest(&error.value, words).map(|word| format!("did you mean `{word}`?"))
}

/// The keys that may be to blame: a tool's plan may be refused because of a value that was said for all tools.
fn candidates(key: &str) -> impl Iterator<Item = &str> {
    let of_tool = key.strip_prefix("overrides.").unwrap_or_default();
    let general = of_tool.match_indices('.').filter_map(move |(at, _)| of_tool.get(at + 1..));
    std::iter::once(key).chain(general)
}
