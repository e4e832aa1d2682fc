//! Errors with their causes.

use std::error::Error;

/// An error with its causes, on one line.
pub fn with_causes(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(": ");
        line.push_str(&error.to_string());
        cause = error.source();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the disk is full")]
    struct Full;

    #[derive(Debug, thiserror::Error)]
    #[error("could not write")]
    struct Unwritten(#[source] Full);

    #[test]
    fn every_cause_is_named() {
        assert_eq!(with_causes(&Full), "the disk is full");
        assert_eq!(with_causes(&Unwritten(Full)), "could not write: the disk is full");
    }
}
