//! The id of a request, compared as a value however it is written.

use serde_json::Value;

/// A request's id: a number or a string, as it came.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RequestId(String);

impl RequestId {
    /// The id that these bytes write; none where they are neither a number nor a string.
    pub(crate) fn read(raw: &[u8]) -> Option<RequestId> {
        match serde_json::from_slice(raw).ok()? {
            Value::Number(number) => {
                let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
                Some(RequestId(float.map_or_else(|| number.to_string(), |float| format!("{float:.0}"))))
            }
            text @ Value::String(_) => Some(RequestId(text.to_string())),
            _ => None,
        }
    }

    /// The id as JSON.
    pub(crate) fn json(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_equal_by_value_and_not_by_type() {
        let id = |raw: &str| RequestId::read(raw.as_bytes());
        assert_eq!(id("7"), id("7.0"));
        assert_ne!(id("7"), id("\"7\""));
        assert_eq!(id(r#""a\/b""#), id(r#""a/b""#));
        assert_eq!(id("null"), None);
        assert_eq!(id(" 12 ").unwrap().json(), "12");
    }
}
