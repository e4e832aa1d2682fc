//! Which records count.

use std::cmp::Ordering;

use super::fields::Fields;

/// A condition on the values of a record. A key that a record does not have fulfils none but [`Condition::IsNull`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Compare { key: usize, is: Comparison, with: String },
    In { key: usize, values: Vec<String> },
    Like { key: usize, pattern: Vec<char>, fold: bool },
    IsNull { key: usize },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Less,
    Greater,
}

impl Condition {
    pub(super) fn holds(&self, fields: &Fields) -> bool {
        self.truth(fields) == Some(true)
    }

    /// Whether it holds; none where a value that it needs is missing, as SQL has it.
    fn truth(&self, fields: &Fields) -> Option<bool> {
        match self {
            Condition::All(all) => joined(all.iter().map(|one| one.truth(fields)), false),
            Condition::Any(any) => joined(any.iter().map(|one| one.truth(fields)), true),
            Condition::Not(not) => not.truth(fields).map(|truth| !truth),
            Condition::IsNull { key } => Some(fields.get(*key).is_none()),
            Condition::Compare { key, is, with } => {
                let order = compare(fields.get(*key)?, with);
                Some(match is {
                    Comparison::Equal => order == Ordering::Equal,
                    Comparison::Less => order == Ordering::Less,
                    Comparison::Greater => order == Ordering::Greater,
                })
            }
            Condition::In { key, values } => {
                let value = fields.get(*key)?;
                Some(values.iter().any(|with| compare(value, with) == Ordering::Equal))
            }
            Condition::Like { key, pattern, fold } => {
                let value = fields.get(*key)?;
                let value: Vec<char> =
                    if *fold { value.to_lowercase().chars().collect() } else { value.chars().collect() };
                Some(is_like(&value, pattern))
            }
        }
    }
}

/// `deciding` if any is, missing if none is and any is missing, else the other.
fn joined(truths: impl Iterator<Item = Option<bool>>, deciding: bool) -> Option<bool> {
    let mut joined = Some(!deciding);
    for truth in truths {
        match truth {
            Some(truth) if truth == deciding => return Some(deciding),
            Some(_) => {}
            None => joined = None,
        }
    }
    joined
}

/// Two values: as numbers where both are, else as texts.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    }
}

/// The number that a text is.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.'));
    if begins { text.parse().ok().filter(|number: &f64| number.is_finite()) } else { None }
}

/// Whether a text is like a pattern of `%` (anything) and `_` (one character).
fn is_like(text: &[char], pattern: &[char]) -> bool {
    let (mut at, mut like) = (0, 0);
    // Where to go on when it does not fit: behind the last `%`, one character later each time.
    let mut back: Option<(usize, usize)> = None;
    while at < text.len() {
        match pattern.get(like) {
            Some('%') => {
                back = Some((at, like + 1));
                like += 1;
            }
            Some(sign) if *sign == '_' || Some(sign) == text.get(at) => {
                at += 1;
                like += 1;
            }
            _ => match back {
                Some((from, behind)) => {
                    back = Some((from + 1, behind));
                    (at, like) = (from + 1, behind);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(like).all(|sign| *sign == '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_as_numbers_and_the_rest_as_text() {
        assert_eq!(compare("9", "10"), Ordering::Less);
        assert_eq!(compare("1.0", "1"), Ordering::Equal);
        assert_eq!(compare("9x", "10"), Ordering::Greater);
        assert_eq!(compare("nan", "inf"), Ordering::Greater);
    }

    #[test]
    fn patterns() {
        let like = |text: &str, pattern: &str| {
            is_like(&text.chars().collect::<Vec<_>>(), &pattern.chars().collect::<Vec<_>>())
        };
        assert!(like("connection refused", "%refused%") && like("", "%") && like("aXbXc", "a%X_"));
        assert!(!like("connection", "refused") && !like("ab", "a") && !like("a", "_%_"));
    }
}
