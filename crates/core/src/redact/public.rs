//! What looks random and is meant to be read: certificates, public keys, signatures, between their `BEGIN` and `END`.

use memchr::memmem;

use super::scan::{Segment, Span, weight};

/// How long something public is at most, in bytes: an `END` that is missing does not blind the search for ever.
const LONGEST: usize = 32 * 1024;

/// Which parts of a segment are public.
#[derive(Debug, Default, Clone)]
pub(super) struct Public {
    /// How much of what began before this segment may be left.
    left: usize,
    /// Where the part began that is open.
    open: Option<usize>,
    parts: Vec<(usize, usize)>,
}

impl Public {
    /// Begins a segment at `start`.
    pub(super) fn enter(&mut self, start: usize) {
        self.parts.clear();
        self.open = (self.left > 0).then_some(start);
    }

    pub(super) fn begin(&mut self, at: usize) {
        self.end(at);
        self.open = Some(at);
        self.left = LONGEST;
    }

    pub(super) fn end(&mut self, at: usize) {
        if let Some(open) = self.open.take() {
            self.parts.push((open, at.min(open + self.left)));
        }
        self.left = 0;
    }

    /// Ends `segment`, and takes those of its `spans` back that stand in a public part and are only random, or part of
    /// a line of base64 in which chance has written the beginning of a token.
    pub(super) fn leave(&mut self, segment: &Segment<'_>, spans: &mut Vec<Span>) {
        let end = segment.end;
        if let Some(open) = self.open.take() {
            self.parts.push((open, end.min(open + self.left)));
            self.left = self.left.saturating_sub(end - open);
        }
        if !self.parts.is_empty() {
            let public = |span: &Span| self.parts.iter().any(|&(from, to)| (from..to).contains(&span.start));
            spans.retain(|span| {
                let random = span.weight == weight::GENERIC || span.weight < weight::USER && in_base64(segment, span);
                !random || !public(span)
            });
        }
    }
}

/// Whether `span` is in a line of nothing but base64.
fn in_base64(segment: &Segment<'_>, span: &Span) -> bool {
    let (line, _) = segment.line(span.start);
    let text = segment.part(line, segment.line_end(span.start)).trim_ascii();
    text.len() >= 60 && text.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
}

/// Whether something public begins where `BEGIN ` stands at `at`.
pub(super) fn begins(segment: &Segment<'_>, at: usize) -> bool {
    let label = segment.part(at, (at + 48).min(segment.limit));
    segment.before(at) == b'-'
        && memmem::find(label, b"PRIVATE").is_none()
        && [
            &b"CERTIFICATE"[..],
            b"PUBLIC KEY",
            b"SIGNATURE",
            b"MESSAGE",
            b"SIGNED",
            b"CRL",
            b"PARAMETERS",
            b"PKCS7",
            b"CMS",
        ]
        .iter()
        .any(|word| memmem::find(label, word).is_some())
}
