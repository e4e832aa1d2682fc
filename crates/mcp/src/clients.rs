//! The clients in the field, and how much of a result each of them hands to its model whole.
//!
//! Above that a client cuts again by itself, mostly blindly and mostly without a way back, so that nothing that is
//! sent to it should be larger. The figures were found by trying.

/// A client that is known by the name that it gives itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// Its name, for people.
    pub name: &'static str,
    /// What the name that it gives on the wire contains, in lower case.
    marks: &'static [&'static str],
    /// The largest result that its model sees whole, in bytes.
    pub result_bytes: u64,
    /// Whether it counts a result as it is written in JSON, where a line end takes two characters.
    pub counts_escapes: bool,
    /// Whether its model is shown a result's `_meta` as well, and pays for it.
    pub shows_meta: bool,
}

const fn client(name: &'static str, marks: &'static [&'static str], result_bytes: u64) -> Client {
    Client { name, marks, result_bytes, counts_escapes: false, shows_meta: false }
}

/// Every client whose limit is known, the smallest limit first.
pub const CLIENTS: &[Client] = &[
    Client { counts_escapes: true, shows_meta: true, ..client("Cline", &["cline"], 7700) },
    client("Copilot", &["copilot"], 20_000),
    client("Qwen Code", &["qwen"], 27_000),
    client("Gemini CLI", &["gemini"], 40_000),
    client("Codex", &["codex"], 48_000),
    client("Claude", &["claude"], 50_000),
    Client { shows_meta: true, ..client("Kimi Code", &["kimi"], 50_000) },
    client("OpenHands", &["openhands"], 50_000),
    client("opencode", &["opencode"], 51_200),
    client("pi", &["pi-mcp", "pi-coding-agent"], 51_200),
    client("goose", &["goose"], 200_000),
];

impl Client {
    /// The client that names itself so in `clientInfo.name`, if its limit is known.
    pub fn known(name: &str) -> Option<&'static Client> {
        let name = name.to_lowercase();
        CLIENTS.iter().find(|client| client.marks.iter().any(|mark| name.contains(mark)))
    }
}

/// What the client that names itself so takes whole, in bytes; none where that is not known.
pub fn result_bytes(name: &str) -> Option<u64> {
    Client::known(name).map(|client| client.result_bytes)
}

/// Whether the client that names itself so counts a result as it is written in JSON.
pub fn counts_escapes(name: &str) -> bool {
    Client::known(name).is_some_and(|client| client.counts_escapes)
}

/// Whether the client that names itself so shows its model a result's `_meta`.
pub fn shows_meta(name: &str) -> bool {
    Client::known(name).is_some_and(|client| client.shows_meta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_known_by_the_names_that_they_send() {
        for (sent, name) in [
            ("claude-code", "Claude"),
            ("codex-mcp-client", "Codex"),
            ("gemini-cli-mcp-client", "Gemini CLI"),
            ("qwen-code-mcp-client", "Qwen Code"),
            ("Cline", "Cline"),
            ("github-copilot-developer", "Copilot"),
            ("opencode", "opencode"),
            ("goose-desktop", "goose"),
        ] {
            assert_eq!(Client::known(sent).map(|client| client.name), Some(name), "{sent}");
        }
        assert_eq!(Client::known("mcp"), None);
        assert_eq!(Client::known(""), None);
    }

    #[test]
    fn the_smallest_limit_stands_first() {
        assert!(CLIENTS.is_sorted_by_key(|client| client.result_bytes));
        assert_eq!((result_bytes("Cline"), result_bytes("nobody")), (Some(7700), None));
        assert!(counts_escapes("Cline") && !counts_escapes("claude-code"));
        assert!(shows_meta("Cline") && !shows_meta("claude-code") && !shows_meta("nobody"));
    }
}
