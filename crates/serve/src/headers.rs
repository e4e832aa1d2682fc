//! Which headers go on: all but those that speak of one connection only.

use http::HeaderMap;
use http::header::{self, HeaderName};

/// The header that tells what was done.
pub(crate) const TOLD: HeaderName = HeaderName::from_static("x-offcut");

/// Headers of one connection (RFC 9110, 7.6.1), and `Expect`, which was answered here.
const HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::EXPECT,
];

/// The headers that go on, in their order; `without` are ours alone.
pub(crate) fn passed_on(headers: &HeaderMap, without: &[HeaderName]) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let stays = |name: &HeaderName| {
        HOP.contains(name) || without.contains(name) || named.iter().any(|named| named == name.as_str())
    };
    let mut passed = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers.iter().filter(|(name, _)| !stays(name)) {
        passed.append(name.clone(), value.clone());
    }
    passed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_connection_stay_and_all_others_go_on() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Mine"),
            ("x-mine", "1"),
            ("transfer-encoding", "chunked"),
            ("authorization", "Bearer key"),
            ("accept-encoding", "gzip"),
            ("anthropic-beta", "a"),
            ("anthropic-beta", "b"),
            ("host", "here"),
        ] {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        let passed = passed_on(&headers, &[header::HOST]);
        let names: Vec<String> =
            passed.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        assert_eq!(
            names,
            ["authorization: Bearer key", "accept-encoding: gzip", "anthropic-beta: a", "anthropic-beta: b"]
        );
    }
}
