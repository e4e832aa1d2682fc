//! What a record of a structured log tells under a name; the names are in `rules/lines/loggers.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::word_lists::{
    RECORDS_CAUSES, RECORDS_ERROR_LEVELS, RECORDS_FATAL_LEVELS, RECORDS_LEVELS, RECORDS_MESSAGES, RECORDS_STATUSES,
    RECORDS_WARN_LEVELS,
};
use crate::hash::{Hash, Plain};

/// What a record tells under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// What happened.
    Message,
    /// How grave that is, as a number.
    Level,
    /// How a request was answered: from 500 on by a failure.
    Status,
    /// Why it happened, with a message of its own.
    Cause,
    Other,
}

/// A name, and what is told under it.
#[derive(Debug, Clone, Copy)]
struct Name {
    text: &'static [u8],
    says: Says,
}

/// The names that are known, by their hash.
static NAMES: LazyLock<HashMap<u64, Name, Plain>> = LazyLock::new(|| {
    let lists = [
        (RECORDS_MESSAGES, Says::Message),
        (RECORDS_LEVELS, Says::Level),
        (RECORDS_STATUSES, Says::Status),
        (RECORDS_CAUSES, Says::Cause),
    ];
    let named =
        lists.iter().flat_map(|(names, says)| names.iter().map(|name| Name { text: name.as_bytes(), says: *says }));
    named.map(|name| (Hash::of(name.text), name)).collect()
});

impl Says {
    /// What is told under a name of JSON, which stands in its quotes.
    pub(crate) fn under(name: &[u8]) -> Says {
        let name = name.get(1..name.len().saturating_sub(1)).unwrap_or_default();
        let known = NAMES.get(&Hash::of(name)).filter(|known| known.text == name);
        known.map_or(Says::Other, |known| known.says)
    }

    /// How severe a number under the name is.
    pub(crate) fn severity(self, number: &[u8]) -> u32 {
        let is_one_of = |levels: &[&str]| levels.iter().any(|level| level.as_bytes() == number);
        match self {
            Says::Level if is_one_of(RECORDS_FATAL_LEVELS) => 5,
            Says::Level if is_one_of(RECORDS_ERROR_LEVELS) => 4,
            Says::Level if is_one_of(RECORDS_WARN_LEVELS) => 1,
            Says::Status if matches!(number, [b'5', b'0'..=b'9', b'0'..=b'9']) => 3,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_told_from_the_others() {
        let names = [RECORDS_MESSAGES, RECORDS_LEVELS, RECORDS_STATUSES, RECORDS_CAUSES].concat();
        assert_eq!(NAMES.len(), names.len());
        for name in names {
            assert_ne!(Says::under(format!("\"{name}\"").as_bytes()), Says::Other, "{name}");
        }
    }

    #[test]
    fn names_and_levels_of_loggers_are_known() {
        for (name, says) in [
            ("\"msg\"", Says::Message),
            ("\"@mt\"", Says::Message),
            ("\"level\"", Says::Level),
            ("\"statusCode\"", Says::Status),
            ("\"err\"", Says::Cause),
            ("\"id\"", Says::Other),
            ("", Says::Other),
        ] {
            assert_eq!(Says::under(name.as_bytes()), says, "{name}");
        }
        assert_eq!((Says::Level.severity(b"30"), Says::Level.severity(b"50")), (0, 4));
        assert_eq!((Says::Status.severity(b"503"), Says::Status.severity(b"5030")), (3, 0));
    }
}
