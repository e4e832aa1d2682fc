//! The marks of the profile `auto`: each is the address of what is missing, so that it can be asked for as it stands.
//!
//! A mark carries the artifact's short handle, which the output could not have known: a line of the output that looks
//! like a mark names another handle, or none.

use std::fmt;

use super::one_line;

/// What stands for the handle where nothing was kept.
pub const NOT_KEPT: &str = "gap";

/// The longest description that a mark carries, in characters.
const LONGEST_DESCRIPTION: u64 = 120;

/// Where a gap is, as it is printed and as it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// Whole lines, 1-based and inclusive: `12-90`.
    Lines {
        /// The first line.
        first: u64,
        /// The last line.
        last: u64,
    },
    /// Bytes, 0-based, the end exclusive: `b39-4983`.
    Bytes {
        /// The first byte.
        start: u64,
        /// The byte behind the last one.
        end: u64,
    },
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Lines { first, last } => write!(f, "{first}-{last}"),
            Address::Bytes { start, end } => write!(f, "b{start}-{end}"),
        }
    }
}

/// The mark of a gap: `[9kgw 12-90]`, or `[9kgw 12-90: 2 warnings]` where there is something to say.
pub fn gap(handle: &str, address: Address, description: Option<&str>) -> String {
    match description {
        None => format!("[{handle} {address}]"),
        Some(said) => format!("[{handle} {address}: {}]", one_line(said, LONGEST_DESCRIPTION)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_its_own_address() {
        assert_eq!(gap("9kgw", Address::Lines { first: 1422, last: 1832 }, None), "[9kgw 1422-1832]");
        assert_eq!(gap("9kgw", Address::Bytes { start: 39, end: 4983 }, None), "[9kgw b39-4983]");
        let said = gap("9kgw", Address::Lines { first: 2, last: 9 }, Some("2 warnings,\n380 like line 1421"));
        assert_eq!(said, "[9kgw 2-9: 2 warnings, 380 like line 1421]");
    }
}
