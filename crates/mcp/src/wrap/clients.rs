//! How much of a result each client shows its model before it cuts by itself.

use offcut::core::limit::{Limit, Limits, Unit};

/// What is known of a client, by a part of the name that it gives itself.
struct Known {
    part: &'static str,
    bytes: u64,
}

/// The smallest limits in the field, by measurement; a client that is not here shows what it is given, or far more.
const KNOWN: [Known; 9] = [
    Known { part: "cline", bytes: 7_700 },
    Known { part: "copilot", bytes: 20_000 },
    Known { part: "qwen", bytes: 27_000 },
    Known { part: "gemini", bytes: 40_000 },
    Known { part: "codex", bytes: 48_000 },
    Known { part: "opencode", bytes: 48_000 },
    Known { part: "claude", bytes: 50_000 },
    Known { part: "kimi", bytes: 50_000 },
    Known { part: "openhands", bytes: 50_000 },
];

/// The most that the client of this name shows, in bytes; none where it is not known to cut.
pub(crate) fn known_bytes(name: &str) -> Option<u64> {
    let name = name.to_lowercase();
    KNOWN.iter().find(|known| name.contains(known.part)).map(|known| known.bytes)
}

/// Whether the client counts a result as it is written in JSON, where a line end takes two characters.
pub(crate) fn counts_escapes(name: &str) -> bool {
    name.to_lowercase().contains("cline")
}

/// `limits`, and no more bytes than `bytes`.
pub(crate) fn at_most(limits: &Limits, bytes: u64) -> Limits {
    let narrower = limits.each().iter().map(|limit| match limit.unit() {
        Unit::Chars => Limit::chars(limit.amount().min(bytes)),
        Unit::Bytes | Unit::Lines | Unit::Tokens => *limit,
    });
    // A character has a byte at least, so a limit of characters within it still needs the one of bytes beside it.
    let in_bytes = std::iter::once(Limit::bytes(bytes));
    Limits::new(narrower.chain(in_bytes)).unwrap_or_else(|| limits.clone())
}

/// `limits`, so many times over.
pub(crate) fn times(limits: &Limits, factor: u64) -> Limits {
    let wider = limits
        .each()
        .iter()
        .map(|limit| Limit::new(limit.amount().saturating_mul(factor), limit.unit()).unwrap_or(*limit));
    Limits::new(wider).unwrap_or_else(|| limits.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_known_by_a_part_of_their_name() {
        assert_eq!(known_bytes("Cline"), Some(7_700));
        assert_eq!(known_bytes("codex-mcp-client"), Some(48_000));
        assert_eq!(known_bytes("claude-code"), Some(50_000));
        assert_eq!(known_bytes("mcp"), None);
        assert!(counts_escapes("Cline") && !counts_escapes("claude-code"));
    }

    #[test]
    fn the_narrower_limit_holds() {
        let limits: Limits = "8000".parse().unwrap();
        assert_eq!(at_most(&limits, 7_700).to_string(), "7700, 7700B");
        assert_eq!(at_most(&limits, 50_000).to_string(), "8000, 50000B");
        assert_eq!(at_most(&"2000 tokens".parse().unwrap(), 20_000).to_string(), "2000 tokens, 20000B");
        assert_eq!(times(&limits, 4).to_string(), "32000");
    }
}
