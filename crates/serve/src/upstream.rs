//! Where a request goes on to, and which requests go nowhere.

use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, Method, StatusCode, Uri};
use offcut_retain::Format;
use reqwest::Url;

/// The providers' addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstreams {
    anthropic: Url,
    openai: Url,
    gemini: Url,
}

/// Where the Gemini API is, unless somebody says otherwise.
const GEMINI: &str = "https://generativelanguage.googleapis.com";

/// How a path of the Gemini API ends that carries a conversation.
const GEMINI_CONVERSATIONS: &[&str] = &[":generateContent", ":streamGenerateContent", ":countTokens"];

/// How any other path of it ends, or what it contains.
const GEMINI_ENDINGS: &[&str] = &[":embedContent", ":batchEmbedContents", ":batchGenerateContent"];
const GEMINI_PARTS: &[&str] = &["/v1beta/", "/v1alpha/"];

/// A header that only clients of the Gemini API send.
const GEMINI_HEADER: &str = "x-goog-api-key";

/// Why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{address}` is not an upstream's address: {why}; expected one like `https://api.anthropic.com`")]
pub struct UpstreamError {
    /// What was given.
    pub address: String,
    /// What is wrong with it.
    pub why: String,
}

/// An API that has no upstream here. Its requests are refused, because they carry a key that belongs to nobody else.
struct ForeignApi {
    name: &'static str,
    /// How a path of it ends.
    endings: &'static [&'static str],
    /// What a path of it contains.
    parts: &'static [&'static str],
    /// Headers that only its clients send.
    headers: &'static [&'static str],
    /// How its `Authorization` begins.
    scheme: Option<&'static str>,
}

/// The APIs that are known and not served.
const FOREIGN: &[ForeignApi] = &[
    ForeignApi {
        name: "Vertex AI",
        endings: &[":rawPredict", ":streamRawPredict", ":predict", ":serverStreamingPredict"],
        parts: &["/publishers/"],
        headers: &[],
        scheme: None,
    },
    ForeignApi { name: "Gemini Code Assist", endings: &[], parts: &["/v1internal:"], headers: &[], scheme: None },
    ForeignApi {
        name: "Bedrock",
        endings: &["/invoke", "/invoke-with-response-stream", "/converse", "/converse-stream"],
        parts: &[],
        headers: &["x-amz-date", "x-amz-content-sha256", "x-amz-security-token"],
        scheme: Some("AWS4-"),
    },
];

/// Why a request is not passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoUpstream {
    #[error("requests of the {0} API have no upstream here, and are not sent to another provider's")]
    Foreign(&'static str),
    #[error("a path with `.` or `..` in it is not passed on")]
    Dots,
}

impl NoUpstream {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            NoUpstream::Foreign(_) => StatusCode::NOT_FOUND,
            NoUpstream::Dots => StatusCode::BAD_REQUEST,
        }
    }
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
        Ok(Upstreams { anthropic: address(anthropic)?, openai: address(openai)?, gemini: address(GEMINI)? })
    }

    /// With the Gemini API at this address.
    pub fn with_gemini(self, gemini: &str) -> Result<Upstreams, UpstreamError> {
        Ok(Upstreams { gemini: address(gemini)?, ..self })
    }

    /// Where a request goes: by its path, else by the headers that only one provider's clients send.
    pub(crate) fn of(&self, uri: &Uri, headers: &HeaderMap) -> Result<Url, NoUpstream> {
        let path = uri.path();
        if has_dots(path) {
            return Err(NoUpstream::Dots);
        }
        let foreign = FOREIGN.iter().find(|api| api.has_path(path));
        if let Some(foreign) = foreign.or_else(|| FOREIGN.iter().find(|api| api.has_headers(headers))) {
            return Err(NoUpstream::Foreign(foreign.name));
        }
        let anthropic = path.ends_with("/messages")
            || path.contains("/messages/")
            || ((headers.contains_key("anthropic-version") || headers.contains_key("x-api-key")) && !is_openai(path));
        let mut url = match (is_gemini(path, headers), anthropic) {
            (true, _) => self.gemini.clone(),
            (false, true) => self.anthropic.clone(),
            (false, false) => self.openai.clone(),
        };
        let path = format!("{}{path}", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_query(uri.query());
        Ok(url)
    }
}

impl ForeignApi {
    fn has_path(&self, path: &str) -> bool {
        let path = with_colons(path);
        self.endings.iter().any(|ending| path.ends_with(ending)) || self.parts.iter().any(|part| path.contains(part))
    }

    fn has_headers(&self, headers: &HeaderMap) -> bool {
        let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        self.headers.iter().any(|header| headers.contains_key(*header))
            || self.scheme.is_some_and(|scheme| authorization.starts_with(scheme))
    }
}

/// Whether a request is one of the Gemini API.
fn is_gemini(path: &str, headers: &HeaderMap) -> bool {
    let path = with_colons(path);
    GEMINI_CONVERSATIONS.iter().chain(GEMINI_ENDINGS).any(|ending| path.ends_with(ending))
        || GEMINI_PARTS.iter().any(|part| path.contains(part))
        || headers.contains_key(GEMINI_HEADER) && !is_openai(&path)
}

/// A path in which a colon that is written with its code is one.
fn with_colons(path: &str) -> String {
    path.replace("%3A", ":").replace("%3a", ":")
}

/// Whether a part of the path would lead out of it, in any way of writing that.
fn has_dots(path: &str) -> bool {
    let is_dots = |part: &str| {
        let part = part.replace("%2e", ".").replace("%2E", ".");
        part == "." || part == ".."
    };
    let path = path.replace("%2f", "/").replace("%2F", "/").replace("%5c", "/").replace("%5C", "/").replace('\\', "/");
    path.split('/').any(is_dots)
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

/// What a request's body holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyShape {
    /// A conversation on its way to a model.
    Conversation(Format),
    /// Conversations that a model answers later (`/v1/messages/batches`).
    Batch,
    /// Other JSON.
    Json,
    /// Anything else: files, pictures, sound.
    Opaque,
}

impl BodyShape {
    /// The shape of the body that is sent to `uri`.
    pub(crate) fn of(method: &Method, uri: &Uri, headers: &HeaderMap) -> BodyShape {
        let path = uri.path().trim_end_matches('/');
        let media_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_json = media_type.ends_with("json") || media_type.ends_with("jsonl") || media_type.ends_with("json-seq");
        let conversation = |ending: &str| method == Method::POST && path.ends_with(ending);
        if conversation("/messages") || conversation("/messages/count_tokens") {
            BodyShape::Conversation(Format::Anthropic)
        } else if conversation("/chat/completions") {
            BodyShape::Conversation(Format::OpenAiChat)
        } else if conversation("/responses") {
            BodyShape::Conversation(Format::OpenAiResponses)
        } else if method == Method::POST
            && GEMINI_CONVERSATIONS.iter().any(|ending| with_colons(path).ends_with(ending))
        {
            BodyShape::Conversation(Format::Gemini)
        } else if conversation("/messages/batches") {
            BodyShape::Batch
        } else if is_json {
            BodyShape::Json
        } else {
            BodyShape::Opaque
        }
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
        let to = |path: &str, headers| upstreams.of(&path.parse().unwrap(), headers).unwrap().to_string();
        assert_eq!(to("/v1/messages?beta=true", &plain), "http://a/base/v1/messages?beta=true");
        assert_eq!(to("/v1/messages/count_tokens", &plain), "http://a/base/v1/messages/count_tokens");
        assert_eq!(to("/v1/chat/completions", &keyed), "http://o/v1/chat/completions");
        assert_eq!(to("/v1/responses", &plain), "http://o/v1/responses");
        assert_eq!(to("/v1/models", &keyed), "http://a/base/v1/models");
        assert_eq!(to("/v1/models", &plain), "http://o/v1/models");
        let azure = "/openai/deployments/gpt..4/chat/completions?api-version=2025-01-01";
        assert_eq!(to(azure, &plain), format!("http://o{azure}"));
    }

    #[test]
    fn requests_of_the_gemini_api_go_to_its_own_upstream() {
        let upstreams = Upstreams::new("http://a", "http://o").unwrap().with_gemini("http://g/base").unwrap();
        let to = |path: &str, headers| upstreams.of(&path.parse().unwrap(), headers).unwrap().to_string();
        let (plain, mut keyed) = (HeaderMap::new(), HeaderMap::new());
        keyed.insert("x-goog-api-key", "k".parse().unwrap());
        for path in [
            "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
            "/v1/models/gemini-2.5-pro:generateContent",
            "/v1/models/gemini-2.5-pro%3AcountTokens",
            "/v1beta/models",
        ] {
            assert_eq!(to(path, &plain), format!("http://g/base{path}"));
        }
        assert_eq!(to("/v1/models", &keyed), "http://g/base/v1/models");
        assert_eq!(to("/v1/models", &plain), "http://o/v1/models");
        let of = |path: &str| BodyShape::of(&Method::POST, &path.parse().unwrap(), &HeaderMap::new());
        let conversation = BodyShape::Conversation(Format::Gemini);
        assert_eq!(of("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"), conversation);
        assert_eq!(of("/v1beta/models/gemini-2.5-pro%3AgenerateContent"), conversation);
        assert_eq!(of("/v1beta/models/gemini-2.5-pro:embedContent"), BodyShape::Opaque);
    }

    #[test]
    fn requests_of_apis_without_an_upstream_go_nowhere() {
        let upstreams = Upstreams::default();
        let of = |path: &str, headers: &HeaderMap| upstreams.of(&path.parse().unwrap(), headers).unwrap_err();
        let plain = HeaderMap::new();
        for (path, name) in [
            ("/v1internal:streamGenerateContent?alt=sse", "Gemini Code Assist"),
            ("/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent", "Vertex AI"),
            ("/model/anthropic.claude/invoke", "Bedrock"),
            ("/model/anthropic.claude/converse-stream", "Bedrock"),
            ("/v1/projects/p/locations/l/publishers/anthropic/models/claude:streamRawPredict", "Vertex AI"),
        ] {
            assert_eq!(of(path, &plain), NoUpstream::Foreign(name), "{path}");
        }
        let mut aws = HeaderMap::new();
        aws.insert(AUTHORIZATION, "AWS4-HMAC-SHA256 Credential=x".parse().unwrap());
        assert_eq!(of("/v1/chat/completions", &aws), NoUpstream::Foreign("Bedrock"));
    }

    #[test]
    fn no_path_leads_out_of_the_upstreams_own() {
        let upstreams = Upstreams::new("http://a/base", "http://o/base").unwrap();
        for path in ["/../v1/messages", "/v1/%2e%2E/x", "/v1/./x", "/v1/..%2fx", "/v1/..%5Cx", "/v1/x/.."] {
            let refused = upstreams.of(&path.parse().unwrap(), &HeaderMap::new());
            assert_eq!(refused, Err(NoUpstream::Dots), "{path}");
        }
    }

    #[test]
    fn the_path_and_the_media_type_tell_what_a_body_holds() {
        let of = |method: Method, path: &str, media_type: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, http::HeaderValue::from_static(media_type));
            BodyShape::of(&method, &path.parse().unwrap(), &headers)
        };
        let json = "application/json; charset=utf-8";
        assert_eq!(of(Method::POST, "/v1/messages", "text/plain"), BodyShape::Conversation(Format::Anthropic));
        assert_eq!(of(Method::POST, "/openai/v1/responses", json), BodyShape::Conversation(Format::OpenAiResponses));
        assert_eq!(of(Method::POST, "/v1/responses/", json), BodyShape::Conversation(Format::OpenAiResponses));
        assert_eq!(of(Method::POST, "/v1/messages/batches", json), BodyShape::Batch);
        assert_eq!(of(Method::POST, "/v1/embeddings", json), BodyShape::Json);
        assert_eq!(of(Method::PATCH, "/v1/items", "application/problem+json"), BodyShape::Json);
        assert_eq!(of(Method::POST, "/v1/files", "multipart/form-data; boundary=json"), BodyShape::Opaque);
        assert_eq!(of(Method::GET, "/v1/responses", ""), BodyShape::Opaque);
        assert_eq!(of(Method::POST, "/v1/responses/resp_1/cancel", ""), BodyShape::Opaque);
    }

    #[test]
    fn addresses_without_secrets_are_taken() {
        assert!(Upstreams::new("https://x", "ftp://x").unwrap_err().to_string().contains("neither http nor https"));
        assert!(Upstreams::new("https://user:pw@x", "http://x").is_err());
        assert!(Upstreams::new("nonsense", "http://x").is_err());
        assert_eq!(
            Upstreams::default().of(&"/v1/models".parse().unwrap(), &HeaderMap::new()).unwrap().as_str(),
            "https://api.openai.com/v1/models"
        );
    }
}
