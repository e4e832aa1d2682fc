//! One request, which can be cancelled, and what its failures mean.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use offcut::Cancel;
use offcut_core::causes::with_causes;
use offcut_core::notice;
use offcut_extract::ModelError;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio::runtime::Runtime;

/// How long the caller waits before it looks whether anybody asked to stop.
const GLANCE: Duration = Duration::from_millis(20);

/// The largest answer that is read, in bytes.
const LARGEST: usize = 32 * 1024 * 1024;

/// How much of a provider's words is told, in characters.
const LONGEST: u64 = 200;

/// A request that is ready to be sent.
pub(crate) struct Post {
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

/// What came back.
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// Sends a request on `runtime` and waits for its answer. It is dropped, and its connection closed, at the timeout and
/// when somebody asks to stop. Works on any thread, also on one of another runtime.
pub(crate) fn send(
    runtime: &Runtime,
    client: &reqwest::Client,
    post: Post,
    timeout: Duration,
    cancel: &Cancel,
) -> Result<Value, ModelError> {
    let (tell, told) = mpsc::channel();
    let client = client.clone();
    let task = runtime.spawn(async move {
        let reply = fetch(&client, post).await;
        // The caller may have left.
        let _ = tell.send(reply);
    });
    let until = Instant::now() + timeout;
    let reply = loop {
        let left = until.saturating_duration_since(Instant::now());
        match told.recv_timeout(left.min(GLANCE)) {
            Ok(reply) => break reply,
            Err(RecvTimeoutError::Disconnected) => break Err(ModelError::Unreachable("the request ended".to_owned())),
            Err(RecvTimeoutError::Timeout) if cancel.is_cancelled() => break Err(ModelError::Cancelled),
            Err(RecvTimeoutError::Timeout) if left.is_zero() => break Err(ModelError::TimedOut),
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    if reply.is_err() {
        task.abort();
    }
    let reply = reply?;
    if !reply.status.is_success() {
        return Err(meant(&reply));
    }
    serde_json::from_slice(&reply.body).map_err(|_| ModelError::Unreachable("its answer is not JSON".to_owned()))
}

async fn fetch(client: &reqwest::Client, post: Post) -> Result<Reply, ModelError> {
    let mut request = client.post(&post.url).header("content-type", "application/json").body(post.body);
    for (name, value) in post.headers {
        request = request.header(name, value);
    }
    let unreachable = |error: reqwest::Error| match error.is_timeout() {
        true => ModelError::TimedOut,
        // The address may be told, what it was asked is not in the error.
        false => ModelError::Unreachable(notice::one_line(&with_causes(&error), LONGEST)),
    };
    let mut response = request.send().await.map_err(unreachable)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > LARGEST {
            return Err(ModelError::Refused("its answer is too large".to_owned()));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Reply { status, headers, body })
}

/// What a status and the words with it mean.
fn meant(reply: &Reply) -> ModelError {
    let json: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let error = &json["error"];
    let words = error["message"].as_str().or(error.as_str()).or(json["message"].as_str());
    let words = words.map_or_else(|| String::from_utf8_lossy(&reply.body).into_owned(), str::to_owned);
    let why = format!("{}: {}", reply.status.as_u16(), notice::one_line(&words, LONGEST));
    let code = error["code"].as_str().or(error["type"].as_str()).unwrap_or_default();
    match reply.status.as_u16() {
        401 | 403 => ModelError::Denied(why),
        429 if code == "insufficient_quota" => ModelError::Denied(why),
        429 | 503 | 529 => ModelError::Busy { why, retry_after: retry_after(&reply.headers) },
        408 | 504 => ModelError::TimedOut,
        413 => ModelError::TooLong(why),
        400 | 422 if is_too_long(code, &words) => ModelError::TooLong(why),
        500..=599 => ModelError::Unreachable(why),
        _ => ModelError::Refused(why),
    }
}

/// Whether a refusal is about the length of the request.
fn is_too_long(code: &str, words: &str) -> bool {
    let lower = words.to_lowercase();
    let said = ["context length", "context window", "maximum context", "prompt is too long", "too many tokens"];
    code == "context_length_exceeded"
        || said.iter().any(|said| lower.contains(said))
        || lower.contains("tokens")
            && (lower.contains("exceed") || lower.contains("too long") || lower.contains("maximum"))
}

/// When a provider wants to be asked again: in seconds, or in milliseconds where it says so.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let millis = number("retry-after-ms").map(|millis| millis / 1000.0);
    let seconds = millis.or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(status: u16, body: &str) -> ModelError {
        let mut headers = HeaderMap::new();
        headers.insert("retry-after", "2".parse().unwrap());
        meant(&Reply { status: StatusCode::from_u16(status).unwrap(), headers, body: body.into() })
    }

    #[test]
    fn statuses_and_words_become_outcomes() {
        let openai = |message: &str| format!(r#"{{"error":{{"message":"{message}","code":"x"}}}}"#);
        assert_eq!(error(401, &openai("bad key")), ModelError::Denied("401: bad key".into()));
        let retry_after = Some(Duration::from_secs(2));
        assert_eq!(error(429, &openai("slow")), ModelError::Busy { why: "429: slow".into(), retry_after });
        assert_eq!(error(529, "{}").code(), "busy");
        assert_eq!(error(429, r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#).code(), "denied");
        assert_eq!(error(400, r#"{"error":{"message":"no","code":"context_length_exceeded"}}"#).code(), "too_long");
        assert_eq!(error(400, &openai("prompt is too long: 9 tokens > 8 maximum")).code(), "too_long");
        assert_eq!(error(400, &openai("no such tool")), ModelError::Refused("400: no such tool".into()));
        assert_eq!(error(413, "").code(), "too_long");
        assert_eq!(error(500, "oops"), ModelError::Unreachable("500: oops".into()));
        assert_eq!(error(504, "").code(), "timed_out");
        assert_eq!(error(404, r#"{"error":"model not found"}"#), ModelError::Refused("404: model not found".into()));
    }

    #[test]
    fn a_wait_may_be_told_in_milliseconds() {
        let mut headers = HeaderMap::new();
        assert_eq!(retry_after(&headers), None);
        headers.insert("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT".parse().unwrap());
        assert_eq!(retry_after(&headers), None);
        headers.insert("retry-after-ms", "250".parse().unwrap());
        assert_eq!(retry_after(&headers), Some(Duration::from_millis(250)));
    }
}
