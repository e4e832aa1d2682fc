//! The trace that a call belongs to (W3C Trace Context), so that those who watch can put it in its place.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A `traceparent`: the trace, the span that asks, and whether it is recorded.
///
/// It is passed on as it came. Equal to its text: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TraceContext {
    /// The id of the trace; never 0.
    trace_id: u128,
    /// The id of the span that asks; never 0.
    span_id: u64,
    flags: u8,
}

/// What is no `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a traceparent")]
pub struct InvalidTraceContext;

impl TraceContext {
    /// The id of the trace.
    pub fn trace_id(&self) -> u128 {
        self.trace_id
    }

    /// The id of the span that asks.
    pub fn span_id(&self) -> u64 {
        self.span_id
    }

    /// The flags; the lowest bit is set where the trace is recorded.
    pub fn flags(&self) -> u8 {
        self.flags
    }
}

impl FromStr for TraceContext {
    type Err = InvalidTraceContext;

    /// Reads version 00, and of later versions the fields that version 00 has.
    fn from_str(text: &str) -> Result<TraceContext, InvalidTraceContext> {
        let mut fields = text.trim().split('-');
        let mut field = |digits: usize| {
            let field = fields.next().filter(|field| field.len() == digits)?;
            let is_lower_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            field.bytes().all(is_lower_hex).then(|| u128::from_str_radix(field, 16).ok())?
        };
        let read = (field(2), field(32), field(16), field(2));
        let (Some(version), Some(trace_id @ 1..), Some(span_id @ 1..), Some(flags)) = read else {
            return Err(InvalidTraceContext);
        };
        let is_whole = fields.next().is_none();
        match (version, u64::try_from(span_id), u8::try_from(flags)) {
            (0xff, _, _) => Err(InvalidTraceContext),
            (0, _, _) if !is_whole => Err(InvalidTraceContext),
            (_, Ok(span_id), Ok(flags)) => Ok(TraceContext { trace_id, span_id, flags }),
            _ => Err(InvalidTraceContext),
        }
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, self.flags)
    }
}

impl TryFrom<String> for TraceContext {
    type Error = InvalidTraceContext;

    fn try_from(text: String) -> Result<TraceContext, InvalidTraceContext> {
        text.parse()
    }
}

impl From<TraceContext> for String {
    fn from(trace: TraceContext) -> String {
        trace.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_recommendation_allows_is_read_and_nothing_else() {
        let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let trace: TraceContext = text.parse().unwrap();
        assert_eq!((trace.span_id(), trace.flags()), (0xb7ad_6b71_6920_3331, 1));
        assert_eq!(trace.to_string(), text);
        // A later version may say more behind what we know.
        assert_eq!(format!("cc{}-more", text.strip_prefix("00").unwrap()).parse(), Ok(trace));
        for wrong in [
            "",
            "00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ] {
            assert_eq!(wrong.parse::<TraceContext>(), Err(InvalidTraceContext), "{wrong}");
        }
    }
}
