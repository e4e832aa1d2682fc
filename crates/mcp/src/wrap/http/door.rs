//! Who may come in: the Host, Origin and token of a request.

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, StatusCode};

/// Who may come in.
///
/// Without a token only this machine may: a page from elsewhere that had a name resolved to this address (DNS
/// rebinding) is told apart by the Host and Origin that its browser sends.
#[derive(Debug, Clone, Default)]
pub struct Door {
    /// The bearer token that every request must have; none asks for none.
    pub token: Option<String>,
    /// Names beside those of this machine under which we may be called.
    pub hosts: Vec<String>,
}

impl Door {
    /// Whether a request with these headers may come in; if not, the status that says so.
    pub(crate) fn admits(&self, headers: &HeaderMap) -> Result<(), StatusCode> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(token) = &self.token {
            let given = text(AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
            return if same(given.trim(), token) { Ok(()) } else { Err(StatusCode::UNAUTHORIZED) };
        }
        let host = text(HOST).map(|host| self.knows(host_of(host)));
        let origin = match headers.get(ORIGIN) {
            None => true,
            Some(_) => {
                let host = text(ORIGIN).and_then(|origin| origin.split_once("://")).map(|(_, host)| host_of(host));
                host.is_some_and(|host| self.knows(host))
            }
        };
        // HTTP/1.0 has no Host; a browser always sends one.
        if host.unwrap_or(true) && origin { Ok(()) } else { Err(StatusCode::FORBIDDEN) }
    }

    fn knows(&self, host: &str) -> bool {
        let local = ["localhost", "127.0.0.1", "[::1]"];
        local.iter().any(|name| host.eq_ignore_ascii_case(name)) || self.hosts.iter().any(|name| host == name)
    }
}

/// A host without its port.
fn host_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Whether two secrets are equal, in a time that does not tell where they differ.
fn same(given: &str, wanted: &str) -> bool {
    given.len() == wanted.len() && given.bytes().zip(wanted.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(door: &Door, headers: &[(&str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(http::HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        door.admits(&map).err().map_or(200, |status| status.as_u16())
    }

    #[test]
    fn only_this_machine_may_come_in_without_a_token() {
        let door = Door::default();
        assert_eq!(admitted(&door, &[("host", "127.0.0.1:8080")]), 200);
        assert_eq!(admitted(&door, &[("host", "LOCALHOST")]), 200);
        assert_eq!(admitted(&door, &[("host", "[::1]:80"), ("origin", "http://localhost:3000")]), 200);
        assert_eq!(admitted(&door, &[("host", "evil.example.com")]), 403);
        assert_eq!(admitted(&door, &[("host", "localhost:1"), ("origin", "http://evil.example.com")]), 403);
        assert_eq!(admitted(&door, &[("host", "localhost:1"), ("origin", "null")]), 403);
        assert_eq!(admitted(&door, &[("host", "localhost.evil.com")]), 403);
    }

    #[test]
    fn a_token_opens_to_everybody_who_has_it() {
        let door = Door { token: Some("s3cret".to_owned()), ..Door::default() };
        assert_eq!(admitted(&door, &[("host", "example.com"), ("authorization", "Bearer s3cret")]), 200);
        assert_eq!(admitted(&door, &[("host", "localhost"), ("authorization", "Bearer s3creT")]), 401);
        assert_eq!(admitted(&door, &[("host", "localhost")]), 401);
    }
}
