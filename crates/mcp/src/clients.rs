//! The clients in the field, and how much of a result each of them hands to its model whole.
//!
//! Above that a client cuts again by itself, mostly blindly and mostly without a way back, so that nothing that is
//! sent to it should be larger. The figures were found by trying.

use offcut::Offcut;
use offcut::event::Requester;
use offcut::recall::Recall;

/// A client that is known by the name that it gives itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Client {
    /// Its name, for people.
    pub name: &'static str,
    /// What the name that it gives on the wire contains, in lower case.
    marks: &'static [&'static str],
    /// The largest result that its model sees whole, in bytes, with what the client puts around it.
    pub result_bytes: u64,
    /// How many bytes the client puts around a result.
    wrapping: u64,
    /// Whether it counts a result as it is written in JSON, where a line end takes two characters.
    pub counts_escapes: bool,
    /// Whether its model is shown a result's `_meta` as well, and pays for it.
    pub shows_meta: bool,
}

const fn client(name: &'static str, marks: &'static [&'static str], result_bytes: u64) -> Client {
    Client { name, marks, result_bytes, wrapping: 0, counts_escapes: false, shows_meta: false }
}

/// Every client whose limit is known, the smallest limit first.
pub const CLIENTS: &[Client] = &[
    // It counts the whole result as JSON: `{"content":[{"type":"text","text":"…"}]}`.
    Client { counts_escapes: true, shows_meta: true, wrapping: 48, ..client("Cline", &["cline"], 7700) },
    // Its name is that of the Python SDK it is made with, which others may send too.
    Client { counts_escapes: true, wrapping: 200, ..client("Vibe", &[PYTHON_SDK], 16_000) },
    client("Copilot", &["copilot"], 20_000),
    client("Qwen Code", &["qwen"], 27_000),
    // `<untrusted_context>` and its end.
    Client { wrapping: 41, ..client("Gemini CLI", &["gemini"], 40_000) },
    // `Wall time: 0.0012 seconds`, `Output:`, each on a line.
    Client { wrapping: 40, ..client("Codex", &["codex"], 48_000) },
    client("Claude", &["claude"], 50_000),
    Client { shows_meta: true, ..client("Kimi Code", &["kimi"], 50_000) },
    client("OpenHands", &["openhands"], 50_000),
    client("opencode", &["opencode"], 51_200),
    client("pi", &["pi-mcp", "pi-coding-agent"], 51_200),
    client("goose", &["goose"], 200_000),
];

/// What clients made with the Python SDK are called where nobody says otherwise: all of the name, not a part.
const PYTHON_SDK: &str = "mcp";

/// What a page for a client that is not known takes at most, in bytes: nearly every client shows that whole.
const SAFE_BYTES: u64 = 16_000;

impl Client {
    /// The client that names itself so in `clientInfo.name`, if its limit is known.
    pub fn known(name: &str) -> Option<&'static Client> {
        let name = name.to_lowercase();
        let is_it = |mark: &str| name == mark || mark != PYTHON_SDK && name.contains(mark);
        CLIENTS.iter().find(|client| client.marks.iter().any(|mark| is_it(mark)))
    }

    /// How many bytes of text the client takes, beside what it adds.
    fn room(&self) -> u64 {
        self.result_bytes - self.wrapping
    }

    /// How many bytes a text may have whose escapes are not known yet: in JSON, quotes make a fifth of it.
    pub(crate) fn unescaped_bytes(&self) -> u64 {
        if self.counts_escapes { self.room() / 5 * 4 } else { self.room() }
    }
}

/// Reading back for the client that names itself so: a page is no larger than what that client shows its model whole.
pub(crate) fn recall<'o>(offcut: &'o Offcut, name: &str) -> Recall<'o> {
    let recall = offcut.recall().by(Requester::Model);
    match Client::known(name) {
        Some(client) if client.counts_escapes => recall.within(client.room()).weighing(client.room(), escaped_bytes),
        Some(client) => recall.within(client.room()).weighing(client.room(), plain_bytes),
        None if offcut.policy().options().retrieval_limit.is_none() => recall.weighing(SAFE_BYTES, plain_bytes),
        None => recall,
    }
}

fn plain_bytes(text: &str) -> u64 {
    text.len() as u64
}

/// How many bytes a text takes as a string of JSON.
fn escaped_bytes(text: &str) -> u64 {
    let escapes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..0x20 => 5,
        _ => 0,
    });
    text.len() as u64 + escapes.sum::<u64>()
}

/// What the client that names itself so takes whole, in bytes; none where that is not known.
pub fn result_bytes(name: &str) -> Option<u64> {
    Client::known(name).map(Client::room)
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
        assert_eq!(Client::known("mcp").map(|client| client.name), Some("Vibe"));
        assert_eq!(Client::known("some-mcp-client"), None);
        assert_eq!(Client::known(""), None);
    }

    #[test]
    fn the_smallest_limit_stands_first() {
        assert!(CLIENTS.is_sorted_by_key(|client| client.result_bytes));
        assert_eq!((result_bytes("Cline"), result_bytes("nobody")), (Some(7652), None));
        assert!(counts_escapes("Cline") && !counts_escapes("claude-code"));
        assert!(shows_meta("Cline") && !shows_meta("claude-code") && !shows_meta("nobody"));
    }

    #[test]
    fn a_page_fits_what_each_client_shows_with_what_it_adds() {
        use std::io::Write;

        use offcut::Call;
        use offcut::recall::Request;

        let offcut = Offcut::builder().in_memory().build().unwrap();
        let records: Vec<String> = (0..20_000).map(|n| format!("{{\"id\":{n},\"name\":\"né\\t{n}\"}}")).collect();
        for text in
            [format!("[{}]", records.join(",")), records.join("\n"), "é\n".repeat(60_000), "\t\n".repeat(60_000)]
        {
            let mut intake = offcut.intake(Call::new("bash")).unwrap();
            intake.write_all(text.as_bytes()).unwrap();
            let request = Request { id: intake.finish().report.artifact_id.unwrap(), ..Request::default() };
            for name in ["Cline", "mcp", "gemini-cli-mcp-client", "codex-mcp-client", "copilot", "nobody"] {
                let page = recall(&offcut, name).page(&request).unwrap();
                let most = Client::known(name).map_or(SAFE_BYTES, |client| client.result_bytes - client.wrapping);
                let bytes = match counts_escapes(name) {
                    true => serde_json::Value::from(page.as_str()).to_string().len() as u64 - 2,
                    false => page.len() as u64,
                };
                assert!(bytes <= most, "{name}: {bytes} of {most}");
                assert!(bytes > most / 2 || bytes > 12_000, "{name}: {bytes} of {most} is little");
            }
        }
    }
}
