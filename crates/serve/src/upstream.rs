//! Where a request goes on to.

use http::{HeaderMap, Method, Uri};
use offcut_retain::Format;
use reqwest::Url;

/// The providers' addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstreams {
    anthropic: Url,
    openai: Url,
}

/// Why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{address}` is not an upstream's address: {why}; expected one like `https://api.anthropic.com`")]
pub struct UpstreamError {
    /// What was given.
    pub address: String,
    /// What is wrong with it.
    pub why: String,
}

impl Default for Upstreams {
    fn default() -> Upstreams {
        let known = Upstreams::new("https://api.anthropic.com", "https://api.openai.com");
        known.unwrap_or_else(|error| unreachable!("{error}"))
    }
}

impl Upstreams {
    /// Upstreams at these addresses. A path in an address stands before the path of each request; a last part `/v1` is
    /// the same as none, because requests bring it along.
    pub fn new(anthropic: &str, openai: &str) -> Result<Upstreams, UpstreamError> {
        Ok(Upstreams { anthropic: address(anthropic)?, openai: address(openai)? })
    }

    /// Where a request goes: by its path, else by the headers that only one provider's clients send.
    pub(crate) fn of(&self, uri: &Uri, headers: &HeaderMap) -> Url {
        let path = uri.path();
        let anthropic = path.ends_with("/messages")
            || path.contains("/messages/")
            || ((headers.contains_key("anthropic-version") || headers.contains_key("x-api-key")) && !is_openai(path));
        let mut url = if anthropic { self.anthropic.clone() } else { self.openai.clone() };
        let path = format!("{}{path}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_query(uri.query());
        url
    }
}

fn is_openai(path: &str) -> bool {
    path.ends_with("/chat/completions") || path.ends_with("/responses")
}

fn address(written: &str) -> Result<Url, UpstreamError> {
    let refuse = |why: &str| UpstreamError { address: written.to_owned(), why: why.to_owned() };
    let bare = written.trim_end_matches('/');
    let bare = bare.strip_suffix("/v1").unwrap_or(bare);
    let url = Url::parse(bare).map_err(|error| refuse(&error.to_string()))?;
    match url.scheme() {
        "http" | "https" if url.query().is_none() && url.username().is_empty() && url.password().is_none() => Ok(url),
        "http" | "https" => Err(refuse("it must hold neither a query nor a password")),
        _ => Err(refuse("its scheme is neither http nor https")),
    }
}

/// The shape of a request's body, if it is a conversation on its way to a model.
pub(crate) fn conversation(method: &Method, uri: &Uri) -> Option<Format> {
    let path = uri.path();
    if method != Method::POST {
        return None;
    }
    if path.ends_with("/messages") || path.ends_with("/messages/count_tokens") {
        Some(Format::Anthropic)
    } else if path.ends_with("/chat/completions") {
        Some(Format::OpenAiChat)
    } else if path.ends_with("/responses") {
        Some(Format::OpenAiResponses)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_goes_to_the_provider_that_its_path_or_headers_name() {
        let upstreams = Upstreams::new("http://a/base/", "http://o/v1").unwrap();
        let plain = HeaderMap::new();
        let mut keyed = HeaderMap::new();
        keyed.insert("x-api-key", "k".parse().unwrap());
        let to = |path: &str, headers| upstreams.of(&path.parse().unwrap(), headers).to_string();
        assert_eq!(to("/v1/messages?beta=true", &plain), "http://a/base/v1/messages?beta=true");
        assert_eq!(to("/v1/messages/count_tokens", &plain), "http://a/base/v1/messages/count_tokens");
        assert_eq!(to("/v1/chat/completions", &keyed), "http://o/v1/chat/completions");
        assert_eq!(to("/v1/responses", &plain), "http://o/v1/responses");
        assert_eq!(to("/v1/models", &keyed), "http://a/base/v1/models");
        assert_eq!(to("/v1/models", &plain), "http://o/v1/models");
    }

    #[test]
    fn only_conversations_are_looked_into() {
        let of = |method: Method, path: &str| conversation(&method, &path.parse().unwrap());
        assert_eq!(of(Method::POST, "/v1/messages"), Some(Format::Anthropic));
        assert_eq!(of(Method::POST, "/openai/v1/responses"), Some(Format::OpenAiResponses));
        assert_eq!(of(Method::GET, "/v1/responses"), None);
        assert_eq!(of(Method::POST, "/v1/responses/resp_1/cancel"), None);
        assert_eq!(of(Method::POST, "/v1/embeddings"), None);
    }

    #[test]
    fn addresses_without_secrets_are_taken() {
        assert!(Upstreams::new("https://x", "ftp://x").unwrap_err().to_string().contains("neither http nor https"));
        assert!(Upstreams::new("https://user:pw@x", "http://x").is_err());
        assert!(Upstreams::new("nonsense", "http://x").is_err());
        assert_eq!(
            Upstreams::default().of(&"/v1/models".parse().unwrap(), &HeaderMap::new()).as_str(),
            "https://api.openai.com/v1/models"
        );
    }
}
