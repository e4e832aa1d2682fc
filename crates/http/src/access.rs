//! Who may send requests: programs on this machine, or those who have the token.

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use http::header::{self, HeaderName};
use http::uri::Authority;
use http::{HeaderMap, StatusCode, Uri};

use crate::arrival::Arrival;

/// The header in which a client that needs `Authorization` for somebody else sends our token.
pub const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-offcut-token");

/// The fewest characters of a token.
pub const SHORTEST_TOKEN: usize = 16;

/// The access rule of every HTTP interface.
///
/// - **Host**: without a token, the request must name this machine (`localhost`, a loopback address, or a name that was
///   added by [`AccessPolicy::allow_host`]), so that a page whose name resolves to this address (DNS rebinding) is
///   refused. With a token any host will do.
/// - **Origin**: where a browser sends one, it must be of this machine, one of the added names, or, with a token, the
///   host that the request itself names.
/// - **Token**: where there is one, every request must bring it as `Authorization: Bearer …`, or, where that header
///   belongs to somebody else, as `Proxy-Authorization: Bearer …` or `x-offcut-token: …`; a browser sends it as the
///   password that it asks its reader for (`Authorization: Basic …`, any name). It is removed from the request and
///   compared in constant time; only its hash is kept.
#[derive(Clone, Default)]
pub struct AccessPolicy {
    token: Option<blake3::Hash>,
    hosts: Vec<String>,
}

/// A token that is too easy to guess.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the token has {characters} characters; at least {SHORTEST_TOKEN} are required")]
pub struct WeakToken {
    /// How many it has.
    pub characters: usize,
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A web page of another site sent it.
    #[error("requests from other sites' pages are not served")]
    Origin,
    /// It names a host that is not this machine.
    #[error("without a token only requests to this machine's own names are served")]
    Host,
    /// It does not bring the token.
    #[error("the token is missing or wrong")]
    Token,
}

impl Refusal {
    /// The status that says so.
    pub fn status(self) -> StatusCode {
        match self {
            Refusal::Origin | Refusal::Host => StatusCode::FORBIDDEN,
            Refusal::Token => StatusCode::UNAUTHORIZED,
        }
    }
}

impl std::fmt::Debug for AccessPolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccessPolicy").field("token", &self.token.is_some()).field("hosts", &self.hosts).finish()
    }
}

impl AccessPolicy {
    /// Admits whoever is on this machine.
    pub fn local() -> AccessPolicy {
        AccessPolicy::default()
    }

    /// Admits whoever has the token, or, without one, whoever is on this machine.
    pub fn from_token(token: Option<&str>) -> Result<AccessPolicy, WeakToken> {
        let Some(token) = token else { return Ok(AccessPolicy::local()) };
        let characters = token.chars().count();
        if characters < SHORTEST_TOKEN {
            return Err(WeakToken { characters });
        }
        Ok(AccessPolicy { token: Some(blake3::hash(token.as_bytes())), hosts: Vec::new() })
    }

    /// Admits requests that name `host` as if it were a name of this machine.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> AccessPolicy {
        self.hosts.push(host.into());
        self
    }

    /// Whether requests must bring a token: without one, only a loopback address may be listened at.
    pub fn requires_token(&self) -> bool {
        self.token.is_some()
    }

    /// Checks a request, and removes the token from its headers.
    pub fn admit(&self, uri: &Uri, headers: &mut HeaderMap) -> Result<(), Refusal> {
        let named = headers.get(header::HOST).map(|host| host.to_str().unwrap_or_default().to_owned());
        let named = named.or_else(|| uri.authority().map(ToString::to_string)).unwrap_or_default();
        let named = named.parse::<Authority>().ok();
        if let Some(origin) = headers.get(header::ORIGIN) {
            let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
            let origin = origin.as_ref().and_then(Uri::authority);
            let same = self.token.is_some() && origin.is_some() && origin == named.as_ref();
            if !same && !origin.is_some_and(|origin| self.is_own(origin.host())) {
                return Err(Refusal::Origin);
            }
        }
        let Some(token) = &self.token else {
            return if named.is_some_and(|named| self.is_own(named.host())) { Ok(()) } else { Err(Refusal::Host) };
        };
        let mut shown = false;
        for name in [TOKEN_HEADER, header::PROXY_AUTHORIZATION, header::AUTHORIZATION] {
            if headers.get(&name).is_some_and(|value| shows(token, &name, value.as_bytes())) {
                headers.remove(&name);
                shown = true;
            }
        }
        if shown { Ok(()) } else { Err(Refusal::Token) }
    }

    /// Whether a host is this machine by a name that nobody else can have, or one that was added.
    fn is_own(&self, host: &str) -> bool {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare.eq_ignore_ascii_case("localhost")
            || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
            || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }
}

/// Whether a header's value is the token. Hashes are compared in constant time.
fn shows(token: &blake3::Hash, name: &HeaderName, value: &[u8]) -> bool {
    let given = if *name == TOKEN_HEADER { Some(value) } else { value.strip_prefix(b"Bearer ") };
    let is_token = |given: &[u8]| blake3::hash(given.trim_ascii()) == *token;
    given.is_some_and(is_token) || password(value).is_some_and(|password| is_token(&password))
}

/// The password in `Basic …`, whatever the name before it.
fn password(value: &[u8]) -> Option<Vec<u8>> {
    let pair = BASE64.decode(value.strip_prefix(b"Basic ")?.trim_ascii()).ok()?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    pair.get(colon + 1..).map(<[u8]>::to_vec)
}

/// Puts the access rule, and the limits on how a request arrives, before `router`.
pub fn guarded(router: Router, policy: AccessPolicy, arrival: Arrival) -> Router {
    router.layer(middleware::from_fn_with_state((policy, arrival), check))
}

async fn check(State((policy, arrival)): State<(AccessPolicy, Arrival)>, mut request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let is_browser = request.headers().get(header::ACCEPT).is_some_and(|accept| names_html(accept.as_bytes()));
    match policy.admit(&uri, request.headers_mut()) {
        Ok(()) => next.run(arrival.limit(request)).await,
        Err(refusal) => {
            tracing::warn!(status = refusal.status().as_u16(), why = %refusal, "refused a request");
            refused(refusal, is_browser)
        }
    }
}

/// Whether a client wants a page.
fn names_html(accept: &[u8]) -> bool {
    accept.windows(b"text/html".len()).any(|word| word.eq_ignore_ascii_case(b"text/html"))
}

/// An answer that clients of language models and MCP clients both can read.
fn refused(refusal: Refusal, is_browser: bool) -> Response {
    let message = format!("offcut: {refusal}");
    let error = serde_json::json!({"code": -32000, "type": "forbidden", "message": message});
    let body = serde_json::json!({"jsonrpc": "2.0", "id": null, "error": error});
    let headers = [(header::CONTENT_TYPE, "application/json")];
    let mut response = (refusal.status(), headers, body.to_string()).into_response();
    if refusal == Refusal::Token {
        // A browser asks its reader; other clients would take that for a name and a password of ours.
        let scheme = if is_browser { "Basic realm=\"Offcut: the token is the password\"" } else { "Bearer" };
        response.headers_mut().insert(header::WWW_AUTHENTICATE, http::HeaderValue::from_static(scheme));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "open sesame, please";

    fn status(policy: &AccessPolicy, headers: &[(&'static str, &str)]) -> (u16, Vec<String>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        let admitted = policy.admit(&"/v1/messages".parse().unwrap(), &mut map);
        let status = admitted.err().map_or(200, |refusal| refusal.status().as_u16());
        (status, map.keys().map(ToString::to_string).collect())
    }

    #[test]
    fn without_a_token_only_this_machines_names_are_served() {
        let local = AccessPolicy::local();
        for host in ["localhost", "localhost:8484", "127.0.0.1:1", "127.9.9.9", "[::1]:80", "LOCALHOST"] {
            assert_eq!(status(&local, &[("host", host)]).0, 200, "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "192.168.0.1", "", "0.0.0.0"] {
            assert_eq!(status(&local, &[("host", host)]).0, 403, "{host}");
        }
        assert_eq!(status(&local, &[]).0, 403);
        assert_eq!(status(&local.allow_host("tools.internal"), &[("host", "tools.internal:80")]).0, 200);
    }

    #[test]
    fn pages_of_other_sites_are_refused_with_and_without_a_token() {
        let (local, token) = (AccessPolicy::local(), AccessPolicy::from_token(Some(TOKEN)).unwrap());
        for (host, origin, without, with) in [
            ("localhost", "http://localhost:3000", 200, 200),
            ("localhost", "http://evil.example", 403, 403),
            ("localhost", "null", 403, 403),
            ("tools.example:80", "http://tools.example:80", 403, 200),
            ("tools.example", "http://other.example", 403, 403),
        ] {
            let headers = [("host", host), ("origin", origin)];
            assert_eq!(status(&local, &headers).0, without, "{host} {origin}");
            let headers = [("host", host), ("origin", origin), ("x-offcut-token", TOKEN)];
            assert_eq!(status(&token, &headers).0, with, "{host} {origin} with the token");
        }
    }

    #[test]
    fn the_token_admits_and_goes_no_further() {
        let policy = AccessPolicy::from_token(Some(TOKEN)).unwrap();
        let bearer = format!("Bearer {TOKEN}");
        assert_eq!(status(&policy, &[("host", "any.example")]).0, 401);
        assert_eq!(status(&policy, &[("authorization", "Bearer wrong")]).0, 401);
        assert_eq!(
            status(&policy, &[("authorization", &bearer), ("x-api-key", "k")]),
            (200, vec!["x-api-key".to_owned()])
        );
        let provider = ("authorization", "Bearer sk-provider");
        assert_eq!(status(&policy, &[provider, ("x-offcut-token", TOKEN)]), (200, vec!["authorization".to_owned()]));
        assert_eq!(
            status(&policy, &[provider, ("proxy-authorization", &bearer)]),
            (200, vec!["authorization".to_owned()])
        );
        let basic = |pair: &str| format!("Basic {}", BASE64.encode(pair));
        assert_eq!(status(&policy, &[("authorization", &basic(&format!("any:{TOKEN}")))]), (200, Vec::new()));
        for wrong in ["any:wrong", TOKEN, &format!("{TOKEN}:")] {
            assert_eq!(status(&policy, &[("authorization", &basic(wrong))]).0, 401, "{wrong}");
        }
        assert!(!format!("{policy:?}").contains("sesame"));
    }

    #[test]
    fn a_short_token_is_an_error_that_says_what_is_needed() {
        let error = AccessPolicy::from_token(Some("x")).unwrap_err();
        assert_eq!(error.to_string(), "the token has 1 characters; at least 16 are required");
        assert!(AccessPolicy::from_token(Some("0123456789abcdef")).unwrap().requires_token());
        assert!(!AccessPolicy::from_token(None).unwrap().requires_token());
    }
}
