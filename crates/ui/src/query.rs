//! The part of an address behind the question mark.

use std::collections::BTreeMap;
use std::str::FromStr;

use axum::extract::FromRequestParts;
use http::request::Parts;
use url::form_urlencoded;

/// The parameters of a request; of two with one name the last holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query(BTreeMap<String, String>);

impl Query {
    /// The parameters in `text`.
    pub(crate) fn of(text: &str) -> Query {
        Query(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// A parameter, unless it is missing or empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A parameter as a value, unless it is missing or none.
    pub(crate) fn value<T: FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Query, Self::Rejection> {
        Ok(Query::of(parts.uri.query().unwrap_or_default()))
    }
}

/// An address with parameters; those without a value are left out.
pub(crate) fn address(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut written = form_urlencoded::Serializer::new(String::new());
    for (name, value) in parameters.iter().filter(|(_, value)| !value.is_empty()) {
        written.append_pair(name, value);
    }
    let written = written.finish();
    if written.is_empty() { path.to_owned() } else { format!("{path}?{written}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_address_says_is_read_back() {
        let written = address("/ui/calls", &[("tool", "a&b=<c>"), ("before", ""), ("x", "é")]);
        assert_eq!(written, "/ui/calls?tool=a%26b%3D%3Cc%3E&x=%C3%A9");
        let query = Query::of(written.split_once('?').unwrap().1);
        assert_eq!((query.text("tool"), query.text("x"), query.text("before")), (Some("a&b=<c>"), Some("é"), None));
        assert_eq!(Query::of("n=12&m=x").value::<u64>("n"), Some(12));
        assert_eq!(Query::of("n=12&m=x").value::<u64>("m"), None);
        assert_eq!(address("/", &[]), "/");
    }
}
