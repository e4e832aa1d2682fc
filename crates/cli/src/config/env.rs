//! Options from the environment: `OFFCUT_LINE_TRUNCATION__TAIL_LINES=50` sets `line_truncation.tail_lines`.

use std::collections::BTreeMap;
use std::ffi::OsString;

use serde_json::{Map, Value as Json};

use crate::config::keys::{self, Shape, nearest};
use crate::config::layer::Layer;
use crate::config::problem::{Origin, Problem};

const PREFIX: &str = "OFFCUT_";

/// Variables that are ours and set no key.
const OTHERS: [&str; 13] = [
    "OFFCUT_SESSION",
    "OFFCUT_SHELL",
    "OFFCUT_ZDOTDIR",
    "OFFCUT_REPLY",
    "OFFCUT_INTERIM",
    "OFFCUT_TOKEN",
    "OFFCUT_CONFIG",
    "OFFCUT_LOG",
    "OFFCUT_LOG_FORMAT",
    "OFFCUT_MODEL",
    "OFFCUT_MODEL_URL",
    "OFFCUT_MODEL_PROVIDER",
    "OFFCUT_MODEL_KEY",
];

/// What the environment says, and what is wrong with it.
#[derive(Debug)]
pub(crate) struct Environment {
    pub(crate) layer: Layer,
    pub(crate) problems: Vec<Problem>,
}

/// Reads the variables that set keys. An empty one counts as unset, and an unknown one is a warning: it may be another
/// version's.
pub(crate) fn read(variables: impl Iterator<Item = (OsString, OsString)>) -> Environment {
    let ours = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let mut ours: Vec<(String, OsString)> = ours
        .filter(|(name, value)| name.starts_with(PREFIX) && !OTHERS.contains(&name.as_str()) && !value.is_empty())
        .collect();
    let (mut tree, mut origins, mut problems) = (Map::new(), BTreeMap::new(), Vec::new());
    if !ours.is_empty() {
        ours.sort();
        for (name, value) in ours {
            match key_and_value(&name, value) {
                Ok((key, value)) => {
                    insert(&mut tree, &key, value);
                    origins.insert(key, Origin::Variable(name));
                }
                Err(problem) => problems.push(problem),
            }
        }
    }
    Environment { layer: Layer::of_keys(Json::Object(tree), origins), problems }
}

fn key_and_value(name: &str, value: OsString) -> Result<(String, Json), Problem> {
    let key = key_of(name);
    let Some(shape) = keys::shape_of(&key).filter(Shape::is_plain) else { return Err(unknown(name, &key)) };
    let value = value.into_string().map_err(|_| Problem::error(format!("${name}: the value is not UTF-8")))?;
    match value_of(&shape, &value) {
        Some(value) => Ok((key, value)),
        None => Err(Problem::error(format!("${name}: `{key}` is `{value}`: expected {}", shape.expected()))),
    }
}

fn key_of(name: &str) -> String {
    name.strip_prefix(PREFIX).unwrap_or(name).to_ascii_lowercase().replace("__", ".")
}

fn unknown(name: &str, key: &str) -> Problem {
    let problem = Problem::warning(format!("${name}: unknown key `{key}`"));
    let known: Vec<String> = keys::all().into_iter().map(|(key, _)| key).collect();
    match nearest(key, known.iter().map(String::as_str)) {
        Some(key) => {
            let variable = format!("{PREFIX}{}", key.to_ascii_uppercase().replace('.', "__"));
            problem.hint(format!("did you mean `{variable}`?"))
        }
        None => problem.hint("`offcut config show` lists the keys; a dot is written `__`".to_owned()),
    }
}

fn value_of(shape: &Shape, written: &str) -> Option<Json> {
    match shape {
        Shape::Bool => match written {
            "true" | "1" | "yes" | "on" => Some(true.into()),
            "false" | "0" | "no" | "off" => Some(false.into()),
            _ => None,
        },
        Shape::Integer => written.parse::<i64>().ok().map(Json::from),
        Shape::Number => written.parse::<f64>().ok().map(Json::from),
        Shape::Limit => Some(written.parse::<i64>().map_or_else(|_| Json::from(written), Json::from)),
        Shape::Text => Some(written.into()),
        Shape::Choice(words) => words.contains(&written).then(|| written.into()),
        Shape::List => {
            Some(written.split(',').map(str::trim).filter(|word| !word.is_empty()).map(Json::from).collect())
        }
        Shape::Table(_) | Shape::Open(_) | Shape::Tables(_) | Shape::TextsOrTables(_) => None,
    }
}

fn insert(tree: &mut Map<String, Json>, key: &str, value: Json) {
    match key.split_once('.') {
        None => {
            tree.insert(key.to_owned(), value);
        }
        Some((first, rest)) => {
            let below = tree.entry(first).or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(below) = below {
                insert(below, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::problem::Severity;
    use offcut::options::{LimitOption, Options};

    fn of(pairs: &[(&str, &str)]) -> (Options, Environment) {
        let environment = read(pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        (environment.layer.options().unwrap(), environment)
    }

    #[test]
    fn variables_set_keys_by_their_name() {
        let (options, environment) = of(&[
            ("PATH", "/bin"),
            ("OFFCUT_SESSION", "s"),
            ("OFFCUT_PROFILE", ""),
            ("OFFCUT_INLINE_LIMIT", "2000 tokens"),
            ("OFFCUT_LINE_TRUNCATION__TAIL_LINES", "7"),
            ("OFFCUT_OVERRIDES__READ_FILE__HEAD_RATIO", "0.7"),
            ("OFFCUT_METADATA__INCLUDE_STRATEGY", "off"),
            ("OFFCUT_REDACTION__DISABLE", "jwt, email"),
        ]);
        assert_eq!(options.inline_limit, Some(LimitOption::Text("2000 tokens".into())));
        assert_eq!(options.line_truncation.tail_lines, Some(7));
        assert_eq!(options.overrides["read_file"].head_ratio, Some(0.7));
        assert_eq!(options.metadata.include_strategy, Some(false));
        assert_eq!(options.redaction.disable, Some(vec!["jwt".into(), "email".into()]));
        assert_eq!((options.profile, environment.problems), (None, Vec::new()));
        let origin = Origin::Variable("OFFCUT_INLINE_LIMIT".to_owned());
        assert_eq!(environment.layer.origins["inline_limit"], origin);
        assert_eq!(of(&[("HOME", "/")]).0, Options::default());
    }

    #[test]
    fn a_variable_that_sets_nothing_is_a_warning_and_one_that_sets_it_wrong_an_error() {
        let problem = |name, value| of(&[(name, value), ("OFFCUT_HEAD_RATIO", "0.5")]).1.problems.remove(0);
        let unknown = problem("OFFCUT_INLINE_LIMT", "5");
        assert_eq!(unknown.severity, Severity::Warning);
        assert_eq!(unknown.message, "$OFFCUT_INLINE_LIMT: unknown key `inline_limt`");
        assert_eq!(unknown.hint.as_deref(), Some("did you mean `OFFCUT_INLINE_LIMIT`?"));
        let bad = problem("OFFCUT_LINE_TRUNCATION__TAIL_LINES", "many");
        assert_eq!(bad.severity, Severity::Error);
        assert!(bad.message.contains("`line_truncation.tail_lines` is `many`: expected a whole number"), "{bad:?}");
    }
}
