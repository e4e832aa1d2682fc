//! Options from the environment: `OFFCUT_LINE_TRUNCATION__TAIL_LINES=50` sets `line_truncation.tail_lines`.

use std::ffi::OsString;

use offcut::options::Options;
use serde_json::{Map, Value as Json};

use crate::config::keys::{Keys, Shape, nearest};
use crate::failure::Failure;

const PREFIX: &str = "OFFCUT_";

/// Variables that are ours and set no key.
const OTHERS: [&str; 9] = [
    "OFFCUT_SESSION",
    "OFFCUT_TOKEN",
    "OFFCUT_CONFIG",
    "OFFCUT_LOG",
    "OFFCUT_LOG_FORMAT",
    "OFFCUT_MODEL",
    "OFFCUT_MODEL_URL",
    "OFFCUT_MODEL_PROVIDER",
    "OFFCUT_MODEL_KEY",
];

/// What the environment says, and which variable says it.
pub(crate) fn options(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<(Options, Vec<(String, String)>), Failure> {
    let ours = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let mut ours: Vec<(String, OsString)> =
        ours.filter(|(name, _)| name.starts_with(PREFIX) && !OTHERS.contains(&name.as_str())).collect();
    if ours.is_empty() {
        return Ok((Options::default(), Vec::new()));
    }
    ours.sort();
    let keys = Keys::new();
    let mut tree = Map::new();
    let mut origins = Vec::new();
    for (name, value) in ours {
        let key = key_of(&name);
        let Some(shape) =
            keys.shape_of(&key).filter(|shape| !matches!(shape, Shape::Table | Shape::Open | Shape::Tables))
        else {
            return Err(unknown(&keys, &name, &key));
        };
        let value = value.into_string().map_err(|_| Failure::usage(format!("${name}: the value is not UTF-8")))?;
        let Some(value) = value_of(&shape, &value) else {
            return Err(Failure::usage(format!("${name}: `{key}` is `{value}`: expected {}", shape.expected())));
        };
        insert(&mut tree, &key, value);
        origins.push((key, name));
    }
    let options = serde_json::from_value(Json::Object(tree))
        .map_err(|error| Failure::usage(format!("the environment's {PREFIX}… variables: {error}")))?;
    Ok((options, origins))
}

fn key_of(name: &str) -> String {
    name.strip_prefix(PREFIX).unwrap_or(name).to_ascii_lowercase().replace("__", ".")
}

fn unknown(keys: &Keys, name: &str, key: &str) -> Failure {
    let failure = Failure::usage(format!("${name}: unknown key `{key}`"));
    let known: Vec<String> = keys.all().into_iter().map(|(key, _, _)| key).collect();
    match nearest(key, known.iter().map(String::as_str)) {
        Some(key) => {
            let variable = format!("{PREFIX}{}", key.to_ascii_uppercase().replace('.', "__"));
            failure.hint(format!("did you mean `{variable}`?"))
        }
        None => failure.hint("`offcut config show` lists the keys; a dot is written `__`"),
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
        Shape::Choice(words) => words.iter().any(|word| word == written).then(|| written.into()),
        Shape::List => {
            Some(written.split(',').map(str::trim).filter(|word| !word.is_empty()).map(Json::from).collect())
        }
        Shape::Table | Shape::Open | Shape::Tables => None,
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
    use offcut::options::LimitOption;

    fn of(pairs: &[(&str, &str)]) -> Result<(Options, Vec<(String, String)>), Failure> {
        options(pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
    }

    #[test]
    fn variables_set_keys_by_their_name() {
        let (options, origins) = of(&[
            ("PATH", "/bin"),
            ("OFFCUT_SESSION", "s"),
            ("OFFCUT_INLINE_LIMIT", "2000 tokens"),
            ("OFFCUT_LINE_TRUNCATION__TAIL_LINES", "7"),
            ("OFFCUT_OVERRIDES__READ_FILE__HEAD_RATIO", "0.7"),
            ("OFFCUT_METADATA__INCLUDE_STRATEGY", "off"),
            ("OFFCUT_REDACTION__DISABLE", "jwt, email"),
        ])
        .unwrap();
        assert_eq!(options.inline_limit, Some(LimitOption::Text("2000 tokens".into())));
        assert_eq!(options.line_truncation.tail_lines, Some(7));
        assert_eq!(options.overrides["read_file"].head_ratio, Some(0.7));
        assert_eq!(options.metadata.include_strategy, Some(false));
        assert_eq!(options.redaction.disable, Some(vec!["jwt".into(), "email".into()]));
        assert_eq!(origins[0], ("inline_limit".to_owned(), "OFFCUT_INLINE_LIMIT".to_owned()));
        assert_eq!(of(&[("HOME", "/")]).unwrap().0, Options::default());
    }

    #[test]
    fn a_variable_that_sets_nothing_is_an_error_with_the_nearest_right_one() {
        let message = |name, value| format!("{:?}", of(&[(name, value)]).unwrap_err());
        let unknown = message("OFFCUT_INLINE_LIMT", "5");
        assert!(
            unknown.contains("unknown key `inline_limt`") && unknown.contains("`OFFCUT_INLINE_LIMIT`"),
            "{unknown}"
        );
        let bad = message("OFFCUT_LINE_TRUNCATION__TAIL_LINES", "many");
        assert!(bad.contains("`line_truncation.tail_lines` is `many`: expected a whole number"), "{bad}");
    }
}
