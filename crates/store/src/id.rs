//! The names of artifacts and sessions, checked before they touch a path.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::error::StoreError;

/// The longest artifact id that is accepted, in bytes.
const LONGEST_ARTIFACT_ID: usize = 80;

/// The longest session name that is accepted, in bytes.
const LONGEST_SESSION_ID: usize = 64;

/// The fewest characters of a short handle.
pub const SHORTEST_HANDLE: usize = 4;

/// Five bits a digit; the letters that are easily taken for digits are left out.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The letters that a generated id may begin with.
const LETTERS: &[u8; 22] = b"abcdefghjkmnpqrstvwxyz";

/// The name of a session: 1 to 64 of `A-Z a-z 0-9 . _ -`, not starting with a dot.
///
/// Such a name is a single path component that cannot lead anywhere else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

impl SessionId {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SessionId {
    type Err = StoreError;

    fn from_str(name: &str) -> Result<SessionId, StoreError> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let valid =
            (1..=LONGEST_SESSION_ID).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(allowed);
        if valid {
            Ok(SessionId(name.to_owned()))
        } else {
            Err(StoreError::InvalidId { what: "session", id: shown(name) })
        }
    }
}

/// The name of an artifact: `art_{unix milliseconds}_{random}`.
///
/// Valid is what matches `^art_[0-9]+_[a-zA-Z0-9]+$` and has at most 80 bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ArtifactId(String);

impl ArtifactId {
    /// An id from its parts; 8 random bytes or more make it unguessable, and more than 16 are not used.
    pub fn from_parts(unix_millis: u64, random: &[u8]) -> ArtifactId {
        let mut id = format!("art_{unix_millis}_");
        let (mut bits, mut count) = (0u32, 0u32);
        for &byte in random.iter().take(16) {
            bits = (bits << 8) | u32::from(byte);
            count += 8;
            while count >= 5 {
                count -= 5;
                id.push(digit(bits >> count));
            }
        }
        if count > 0 || random.is_empty() {
            id.push(digit(bits << (5 - count)));
        }
        ArtifactId(id)
    }

    /// A new id, from the system's clock and 78 bits of its secure random source.
    pub fn generate() -> Result<ArtifactId, StoreError> {
        ArtifactId::generate_at(Clock::system().now_ms())
    }

    /// A new id for a given time, with 78 bits of the system's secure random source.
    pub fn generate_at(unix_millis: u64) -> Result<ArtifactId, StoreError> {
        let mut random = [0u8; 12];
        getrandom::fill(&mut random).map_err(|error| StoreError::Unavailable {
            what: "the system's random source".to_owned(),
            why: error.to_string(),
        })?;
        let (handle, rest) = random.split_at(4);
        let handle = handle.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        // A letter and three digits: such a handle is no word and no number, and few tokens.
        let letter = LETTERS.get((handle / 1000) as usize % LETTERS.len()).copied().map_or('a', char::from);
        let rest = ArtifactId::from_parts(unix_millis, rest);
        Ok(ArtifactId(format!("art_{unix_millis}_{letter}{:03}{}", handle % 1000, rest.random())))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part of the id that cannot be guessed.
    pub fn random(&self) -> &str {
        self.0.rsplit('_').next().unwrap_or_default()
    }

    /// The first so many characters of the random part, or all of it.
    pub fn handle(&self, chars: usize) -> &str {
        let random = self.random();
        random.get(..chars).unwrap_or(random)
    }

    /// The short handle: as much of the random part as none of the older `others` begins with. Those that come later get
    /// longer ones, so that a handle stays what it was when it was first shown.
    pub fn handle_among(&self, others: &[ArtifactId]) -> &str {
        let random = self.random();
        let alike = |other: &ArtifactId| {
            other
                .random()
                .bytes()
                .zip(random.bytes())
                .take_while(|(other, own)| other.eq_ignore_ascii_case(own))
                .count()
        };
        let longest = others.iter().filter(|other| other.age() < self.age()).map(alike).max().unwrap_or(0);
        self.handle((longest + 1).max(SHORTEST_HANDLE))
    }

    /// Whether `handle` is a beginning of the random part, in whatever case it is written.
    pub fn has_handle(&self, handle: &str) -> bool {
        self.random().get(..handle.len()).is_some_and(|start| start.eq_ignore_ascii_case(handle))
    }

    /// What ids are sorted by: the older first.
    fn age(&self) -> (u64, &str) {
        (self.unix_millis(), &self.0)
    }

    /// The time in the id, as far as it is one.
    pub fn unix_millis(&self) -> u64 {
        self.0.split('_').nth(1).and_then(|digits| digits.parse().ok()).unwrap_or(u64::MAX)
    }
}

impl FromStr for ArtifactId {
    type Err = StoreError;

    fn from_str(id: &str) -> Result<ArtifactId, StoreError> {
        let parts = id.strip_prefix("art_").and_then(|rest| rest.split_once('_'));
        let valid = id.len() <= LONGEST_ARTIFACT_ID
            && parts.is_some_and(|(millis, random)| {
                !millis.is_empty()
                    && !random.is_empty()
                    && millis.bytes().all(|byte| byte.is_ascii_digit())
                    && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
            });
        if valid {
            Ok(ArtifactId(id.to_owned()))
        } else {
            Err(StoreError::InvalidId { what: "artifact", id: shown(id) })
        }
    }
}

macro_rules! text_like {
    ($type:ty) => {
        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(&self.0)
            }
        }

        impl TryFrom<String> for $type {
            type Error = StoreError;

            fn try_from(text: String) -> Result<Self, StoreError> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(id: $type) -> String {
                id.0
            }
        }
    };
}

text_like!(SessionId);
text_like!(ArtifactId);

fn digit(bits: u32) -> char {
    DIGITS.get((bits & 31) as usize).copied().map_or('0', char::from)
}

/// A refused id as it may be shown: short, and without control characters.
fn shown(id: &str) -> String {
    let mut shown: String = id.chars().take(LONGEST_ARTIFACT_ID).flat_map(char::escape_debug).collect();
    if id.chars().nth(LONGEST_ARTIFACT_ID).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    // S0 AC-047.
    #[test]
    fn a_generated_id_has_the_format_and_at_least_64_random_bits() {
        let id = ArtifactId::generate().unwrap();
        let random = id.as_str().rsplit('_').next().unwrap();
        assert_eq!(random.len(), 17);
        assert!(random.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()));
        assert_eq!(id.as_str().parse::<ArtifactId>().unwrap(), id);
        assert!(id.unix_millis() > 1_600_000_000_000);
    }

    #[test]
    fn a_short_handle_has_a_letter_and_a_digit_and_is_as_long_as_it_must_be() {
        for _ in 0..1000 {
            let id = ArtifactId::generate().unwrap();
            let handle = id.handle_among(&[]);
            assert_eq!(handle.len(), 4);
            assert!(
                handle.bytes().any(|b| b.is_ascii_digit()) && handle.bytes().any(|b| b.is_ascii_lowercase()),
                "{id}"
            );
        }
        let ids = ["art_1_9kgwab", "art_2_9kgwac", "art_3_8kgwab"].map(|id| id.parse::<ArtifactId>().unwrap());
        let [id, near, far] = &ids;
        assert_eq!(ids.each_ref().map(|id| id.handle_among(&ids)), ["9kgw", "9kgwac", "8kgw"]);
        assert!(id.has_handle("9kgw"));
        assert!(near.has_handle("9kgw") && near.has_handle("9KGWAC") && !near.has_handle("9kgwab"));
        assert!(!near.has_handle("9kgwacd") && !far.has_handle("kgwa"));
    }

    // S0 AC-046, AC-100.
    #[test]
    fn a_hundred_thousand_ids_of_one_moment_are_all_different() {
        let ids: std::collections::BTreeSet<ArtifactId> =
            (0..100_000).map(|_| ArtifactId::generate_at(1_699_234_567_890).unwrap()).collect();
        assert_eq!(ids.len(), 100_000);
    }

    #[test]
    fn every_random_bit_reaches_the_id() {
        let zero = ArtifactId::from_parts(7, &[0; 9]);
        assert_eq!(zero.as_str(), "art_7_000000000000000");
        for bit in 0..72 {
            let mut random = [0u8; 9];
            random[bit / 8] |= 1 << (bit % 8);
            assert_ne!(ArtifactId::from_parts(7, &random), zero, "bit {bit}");
        }
        assert_eq!(ArtifactId::from_parts(7, &[]).as_str(), "art_7_0");
        assert!(ArtifactId::from_parts(u64::MAX, &[255; 64]).as_str().parse::<ArtifactId>().is_ok());
    }

    // S0 AC-103.
    #[test]
    fn only_ids_of_the_pattern_are_accepted() {
        for id in ["art_1_a", "art_1699234567890_a1b2c3d4", "art_0_ABCxyz9"] {
            assert_eq!(id.parse::<ArtifactId>().unwrap().as_str(), id);
        }
        let long = format!("art_1_{}", "a".repeat(75));
        for id in [
            "",
            "art_",
            "art_1",
            "art_1_",
            "art__a",
            "art_a_b",
            "art_1_a_b",
            "art_1_a/b",
            "../art_1_a",
            "art_1_a\n",
            "art_1_a\0",
            "art_1_é",
            "ART_1_a",
            " art_1_a",
            "art_1_..",
            "art_-1_a",
            "art_1_a.meta",
            &long,
        ] {
            assert!(matches!(id.parse::<ArtifactId>(), Err(StoreError::InvalidId { .. })), "{id:?}");
        }
    }

    // S0 AC-102.
    #[test]
    fn a_session_name_is_one_harmless_path_component() {
        for name in ["a", "project-1f", "A.b_c-9", &"x".repeat(64)] {
            assert_eq!(name.parse::<SessionId>().unwrap().as_str(), name);
        }
        for name in ["", ".", "..", ".hidden", "a/b", "a\\b", "a b", "é", "a\0", &"x".repeat(65)] {
            assert!(matches!(name.parse::<SessionId>(), Err(StoreError::InvalidId { .. })), "{name:?}");
        }
    }

    #[test]
    fn a_refused_id_is_shown_short_and_without_control_characters() {
        let message = format!("\u{1b}[31m{}", "x".repeat(500)).parse::<ArtifactId>().unwrap_err().to_string();
        assert!(message.len() < 200 && !message.contains('\u{1b}'), "{message}");
    }
}
