//! The HTTP client that the exporters send with.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use offcut_core::causes::with_causes;
use opentelemetry_http::{HttpClient, HttpError};
use tokio::runtime::Handle;

use crate::settings::Settings;

/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most bytes of an answer that are read.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// Sends on a runtime of our own, since the exporters call it from threads that have none.
pub(crate) struct Client {
    client: reqwest::Client,
    runtime: Handle,
    /// Whether it was said already that the receiver cannot be reached.
    complained: AtomicBool,
}

impl Client {
    pub(crate) fn new(settings: &Settings, runtime: Handle) -> reqwest::Result<Client> {
        // Whoever installed one first has chosen.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A redirect would carry the headers to an address that nobody chose.
        let mut builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(PATIENCE);
        if settings.is_local() {
            builder = builder.no_proxy();
        }
        Ok(Client { client: builder.build()?, runtime, complained: AtomicBool::new(false) })
    }

    /// Says once that events do not arrive.
    fn complain(&self, why: &str) {
        if !self.complained.swap(true, Ordering::Relaxed) {
            tracing::warn!(why, "the OTLP receiver did not take what was sent");
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (client, request) = (self.client.clone(), reqwest::Request::try_from(request)?);
        let sent = self.runtime.spawn(async move { answered(&client, request).await }).await?;
        match &sent {
            Ok(answer) if answer.status().is_success() => {}
            Ok(answer) => self.complain(answer.status().as_str()),
            Err(error) => self.complain(&with_causes(error)),
        }
        Ok(sent?)
    }
}

async fn answered(client: &reqwest::Client, request: reqwest::Request) -> Result<Response<Bytes>, reqwest::Error> {
    let mut answer = client.execute(request).await.map_err(reqwest::Error::without_url)?;
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > LONGEST_ANSWER {
            break;
        }
    }
    let mut response = Response::new(body.into());
    *response.status_mut() = answer.status();
    *response.headers_mut() = std::mem::take(answer.headers_mut());
    Ok(response)
}
