//! The limits of a result for the client that it is meant for.

use offcut_core::limit::{Limit, Limits, Unit};

use super::rules::Rules;

pub(crate) use crate::clients::{counts_escapes, recall, result_bytes as known_bytes, shows_meta};

/// `limits`, and no more than the client of this name shows.
pub(crate) fn narrowed(limits: Limits, rules: &Rules, client: &str) -> Limits {
    if let Some(said) = rules.client(client) {
        let both = limits.each().iter().chain(said.each()).copied();
        return Limits::new(both).unwrap_or(limits);
    }
    match known_bytes(client) {
        Some(bytes) => at_most(&limits, bytes),
        None => limits,
    }
}

/// `limits`, and no more bytes than `bytes`.
fn at_most(limits: &Limits, bytes: u64) -> Limits {
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
        assert_eq!(known_bytes("Cline"), Some(7_652));
        assert_eq!(known_bytes("codex-mcp-client"), Some(47_960));
        assert_eq!(known_bytes("claude-code"), Some(50_000));
        assert_eq!(known_bytes("mcp"), Some(15_800));
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
