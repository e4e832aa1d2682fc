//! Where events are sent, and which: the options, checked.

use std::time::Duration;

use offcut::options::Options;
use offcut::policy::{PolicyError, count};
use url::Url;

/// How long a command that is done waits for the receiver, in milliseconds.
const TIMEOUT_MS: u64 = 500;

/// Where events are sent, and which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The receiver's address; the signals' paths go behind it.
    pub(crate) receiver: Url,
    /// Whether spans are sent.
    pub traces: bool,
    /// Whether metrics are sent.
    pub metrics: bool,
    /// How long the end of a process waits for what was not sent yet.
    pub timeout: Duration,
}

impl Settings {
    /// Checks what the options say; none where they name no receiver.
    pub fn of(options: &Options) -> Result<Option<Settings>, PolicyError> {
        let said = &options.telemetry;
        let timeout = Duration::from_millis(count("telemetry.timeout_ms", said.timeout_ms, TIMEOUT_MS)?);
        let Some(address) = said.otlp.as_deref().filter(|address| !address.is_empty()) else { return Ok(None) };
        let expected = "the address of an OTLP receiver (\"http://127.0.0.1:4318\"), without a password or a query";
        let receiver = Url::parse(address).ok().filter(is_plain);
        let receiver = receiver.ok_or_else(|| PolicyError::new("telemetry.otlp", address, expected))?;
        let (traces, metrics) = (said.traces.unwrap_or(true), said.metrics.unwrap_or(true));
        Ok(Some(Settings { receiver, traces, metrics, timeout }))
    }

    /// The address that takes a signal: `traces`, `metrics`.
    pub(crate) fn endpoint(&self, signal: &str) -> String {
        format!("{}/v1/{signal}", self.receiver.as_str().trim_end_matches('/'))
    }

    /// Whether the receiver is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.receiver.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
    }
}

fn is_plain(url: &Url) -> bool {
    let is_bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    matches!(url.scheme(), "http" | "https") && url.has_host() && is_bare
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(address: &str) -> Result<Option<Settings>, PolicyError> {
        let mut options = Options::default();
        options.telemetry.otlp = Some(address.to_owned());
        Settings::of(&options)
    }

    #[test]
    fn nothing_is_sent_unless_a_receiver_is_named() {
        assert_eq!(Settings::of(&Options::default()), Ok(None));
        assert_eq!(settings(""), Ok(None));
        let named = settings("http://127.0.0.1:4318").unwrap().unwrap();
        assert_eq!((named.traces, named.metrics, named.timeout), (true, true, Duration::from_millis(500)));
        assert_eq!(named.endpoint("traces"), "http://127.0.0.1:4318/v1/traces");
        assert_eq!(settings("https://x/otlp/").unwrap().unwrap().endpoint("metrics"), "https://x/otlp/v1/metrics");
    }

    #[test]
    fn what_is_no_address_or_holds_a_secret_is_refused() {
        for wrong in ["collector:4318", "ftp://x", "127.0.0.1:4318", "https://user:pw@x", "https://x/?key=1"] {
            assert_eq!(settings(wrong).unwrap_err().key, "telemetry.otlp", "{wrong}");
        }
    }
}
