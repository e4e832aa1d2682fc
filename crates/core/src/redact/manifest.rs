//! Kubernetes manifests of secrets: what stands under `data:` and `stringData:` below `kind: Secret`.

use super::assign;
use super::block::Block;
use super::name::Class;
use super::operator;
use super::public::Public;
use super::rules::Rules;
use super::scan::{Segment, Span};

/// Where in a manifest the next line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Manifest {
    /// How far the manifest's own keys are indented.
    indent: usize,
    /// Whether the next lines are the secret's data.
    data: bool,
}

impl Manifest {
    /// The manifest whose line `kind: Secret` is around `at..to`; `None` for another kind.
    pub(super) fn at(segment: &Segment<'_>, at: usize, to: usize) -> Option<Manifest> {
        let (start, _) = segment.line(at);
        let rest = segment.part(to, segment.line_end(at)).trim_ascii();
        let before = segment.part(start, at);
        (rest.is_empty() && before.iter().all(|b| matches!(b, b' ' | b'-')))
            .then_some(Manifest { indent: before.len(), data: false })
    }

    /// Takes one line; `false` if the manifest is over.
    pub(super) fn take_line(
        &mut self,
        segment: &Segment<'_>,
        rules: &Rules,
        at: usize,
        end: usize,
        spans: &mut Vec<Span>,
    ) -> bool {
        let line = segment.part(at, end);
        let text = line.trim_ascii();
        if text.is_empty() {
            return true;
        }
        let margin = line.len() - line.trim_ascii_start().len();
        if text.starts_with(b"---") || margin < self.indent || text.starts_with(b"kind:") {
            return false;
        }
        if margin == self.indent {
            self.data = matches!(text, b"data:" | b"stringData:");
        } else if self.data && !text.starts_with(b"#") {
            let colon = memchr::memchr(b':', line).map(|colon| at + colon + 1);
            let value = colon.map(|colon| operator::skip_blanks(segment, colon, 64)).filter(|&value| value < end);
            if let Some(span) = value.and_then(|value| assign::value_of_pair(segment, value, rules, Class::Password)) {
                spans.push(span);
                return true;
            }
        }
        // Whatever else it holds is looked for as everywhere.
        let line = Segment::new(segment.bytes, segment.low, at, segment.line(at).1.min(segment.end), segment.limit);
        super::literals(&line, rules, &mut Block::None, &mut Public::default(), spans);
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    #[test]
    fn the_data_of_a_secret_goes_and_its_metadata_stays() {
        let text = "kind: Secret\nmetadata:\n  name: db\nstringData:\n  host: db.local\n  any: k39dkq\ntype: Opaque\n---\nkind: ConfigMap\ndata:\n  any: k39dkq\n";
        let expected = "kind: Secret\nmetadata:\n  name: db\nstringData:\n  host: [REDACTED: PASSWORD]\n  any: [REDACTED: PASSWORD]\ntype: Opaque\n---\nkind: ConfigMap\ndata:\n  any: k39dkq\n";
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }
}
