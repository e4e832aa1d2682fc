//! Who may talk to us: programs on this machine, or those who have the token.

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderName};
use http::{HeaderMap, StatusCode, Uri};

use crate::headers::TOKEN;

/// The rule at the door.
///
/// Without a token only requests for this machine by one of its own names are let in, and none that a web page of
/// another site sends: so that no page in the user's browser reaches a server that trusts everybody on the machine.
/// With a token every request must show it: as `Authorization: Bearer …`, or, where that is the provider's, as
/// `Proxy-Authorization: Bearer …` or `x-offcut-token: …`. It goes no further than here.
#[derive(Clone, Default)]
pub struct Guard {
    token: Option<blake3::Hash>,
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard").field("token", &self.token.is_some()).finish()
    }
}

impl Guard {
    /// One that lets in whoever is on this machine.
    pub fn local() -> Guard {
        Guard::default()
    }

    /// One that lets in whoever has the token.
    pub fn token(token: &str) -> Guard {
        Guard { token: Some(blake3::hash(token.as_bytes())) }
    }

    /// Whether a token is asked for.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Why a request is turned away; none if it may come in. What showed the token is taken out of it.
    fn refuses(&self, uri: &Uri, headers: &mut HeaderMap) -> Option<(StatusCode, &'static str)> {
        if let Some(origin) = headers.get(header::ORIGIN) {
            let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
            let host = origin.as_ref().and_then(Uri::host);
            if !host.is_some_and(is_local) {
                return Some((StatusCode::FORBIDDEN, "requests of other sites' pages are not served"));
            }
        }
        let Some(token) = &self.token else {
            let named = headers.get(header::HOST).and_then(|host| host.to_str().ok()).map(str::to_owned);
            let named = named.or_else(|| uri.authority().map(ToString::to_string)).unwrap_or_default();
            let host = named.parse::<http::uri::Authority>();
            if !host.is_ok_and(|host| is_local(host.host())) {
                return Some((StatusCode::FORBIDDEN, "without a token only this machine's own names are served"));
            }
            return None;
        };
        let mut shown = false;
        for name in [TOKEN, header::PROXY_AUTHORIZATION, header::AUTHORIZATION] {
            if headers.get(&name).is_some_and(|value| shows(token, &name, value.as_bytes())) {
                headers.remove(&name);
                shown = true;
            }
        }
        (!shown).then_some((StatusCode::UNAUTHORIZED, "the token is missing or wrong"))
    }
}

/// Whether a header's value is the token; compared in constant time.
fn shows(token: &blake3::Hash, name: &HeaderName, value: &[u8]) -> bool {
    let given = if *name == TOKEN { Some(value) } else { value.strip_prefix(b"Bearer ") };
    given.is_some_and(|given| blake3::hash(given) == *token)
}

/// Whether a host is this machine by a name that nobody else can have.
fn is_local(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// `router` behind the guard.
pub fn guarded(router: Router, guard: Guard) -> Router {
    router.layer(middleware::from_fn_with_state(guard, check))
}

async fn check(State(guard): State<Guard>, mut request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    match guard.refuses(&uri, request.headers_mut()) {
        None => next.run(request).await,
        Some((status, why)) => {
            tracing::warn!(status = status.as_u16(), why, "a request was turned away");
            let body = serde_json::json!({"error": {"type": "forbidden", "message": format!("offcut: {why}")}});
            (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(guard: &Guard, headers: &[(&'static str, &str)]) -> (Option<u16>, Vec<String>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        let refused = guard.refuses(&"/v1/messages".parse().unwrap(), &mut map).map(|(status, _)| status.as_u16());
        (refused, map.keys().map(ToString::to_string).collect())
    }

    #[test]
    fn without_a_token_only_this_machine_by_its_own_names_is_served() {
        let local = Guard::local();
        for host in ["localhost", "localhost:8484", "127.0.0.1:1", "127.9.9.9", "[::1]:80", "LOCALHOST"] {
            assert_eq!(answer(&local, &[("host", host)]).0, None, "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "192.168.0.1", "", "0.0.0.0"] {
            assert_eq!(answer(&local, &[("host", host)]).0, Some(403), "{host}");
        }
        assert_eq!(answer(&local, &[]).0, Some(403));
    }

    #[test]
    fn pages_of_other_sites_are_turned_away() {
        for (origin, refused) in
            [("http://localhost:3000", None), ("http://evil.example", Some(403)), ("null", Some(403))]
        {
            assert_eq!(answer(&Guard::local(), &[("host", "localhost"), ("origin", origin)]).0, refused, "{origin}");
        }
    }

    #[test]
    fn the_token_opens_and_goes_no_further() {
        let guard = Guard::token("open sesame");
        let open = "Bearer open sesame";
        assert_eq!(answer(&guard, &[("host", "any.example")]).0, Some(401));
        assert_eq!(answer(&guard, &[("authorization", "Bearer wrong")]).0, Some(401));
        assert_eq!(
            answer(&guard, &[("authorization", open), ("x-api-key", "k")]),
            (None, vec!["x-api-key".to_owned()])
        );
        let provider = ("authorization", "Bearer sk-provider");
        assert_eq!(
            answer(&guard, &[provider, ("x-offcut-token", "open sesame")]),
            (None, vec!["authorization".to_owned()])
        );
        assert_eq!(
            answer(&guard, &[provider, ("proxy-authorization", open)]),
            (None, vec!["authorization".to_owned()])
        );
        assert!(!format!("{guard:?}").contains("sesame"));
    }
}
