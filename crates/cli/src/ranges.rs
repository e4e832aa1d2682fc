//! Parts of an artifact as people write them: `200-260`, `200-`, `200`.

use std::str::FromStr;

/// A span of lines or bytes; an open one reaches to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: u64,
    pub(crate) last: Option<u64>,
}

impl FromStr for Span {
    type Err = String;

    fn from_str(written: &str) -> Result<Span, String> {
        let bad = || format!("`{written}` is not a range: expected `200-260`, `200-` or `200`");
        let number = |digits: &str| digits.trim().parse::<u64>().map_err(|_| bad());
        match written.split_once(['-', ':']) {
            None => number(written).map(|first| Span { first, last: Some(first) }),
            Some((first, last)) if last.trim().is_empty() => Ok(Span { first: number(first)?, last: None }),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if last < first {
                    return Err(format!("`{written}` is not a range: it ends before it begins"));
                }
                Ok(Span { first, last: Some(last) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_closed_open_and_single() {
        let check = |written: &str, first, last| assert_eq!(written.parse(), Ok(Span { first, last }), "{written}");
        check("200-260", 200, Some(260));
        check("200:260", 200, Some(260));
        check("200-", 200, None);
        check("7", 7, Some(7));
        check("0-0", 0, Some(0));
        for written in ["", "-", "a-b", "5-3", "-5", "1-2-3"] {
            assert!(written.parse::<Span>().is_err(), "{written:?}");
        }
    }
}
