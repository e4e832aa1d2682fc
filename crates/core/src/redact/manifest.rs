//! Kubernetes manifests of secrets: what stands under `data:` and `stringData:` below `kind: Secret`.

use super::below;
use super::class::Class;
use super::extent;
use super::rules::Rules;
use super::scan::{Segment, Span};
use super::surroundings;
use crate::byte_set::among;

/// Where in a manifest the next line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Manifest {
    /// How far the manifest's own keys are indented.
    indent: usize,
    /// Whether the next lines are the secret's data.
    data: bool,
    /// Whether it is but a section of a file, and over where another key begins.
    section: bool,
}

/// What a line was to a manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ManifestLine {
    /// There is nothing more to look for in it.
    Whole,
    /// It is looked at as any other line is.
    Other,
    /// It is none of the manifest's: that is over.
    Over,
}

impl Manifest {
    /// The manifest whose line `kind: Secret` is around `at..to`; `None` for another kind.
    pub(super) fn at(segment: &Segment<'_>, at: usize, to: usize) -> Option<Manifest> {
        let (start, _) = segment.line(at);
        let rest = segment.part(to, segment.line_end(at)).trim_ascii();
        let before = segment.part(start, at);
        (rest.is_empty() && before.iter().all(|b| matches!(b, b' ' | b'-'))).then_some(Manifest {
            indent: before.len(),
            data: false,
            section: false,
        })
    }

    /// The section of secrets whose key is on the line around `at`: `passwords:`.
    pub(super) fn section(segment: &Segment<'_>, at: usize) -> Manifest {
        let (start, end) = segment.line(at);
        let line = segment.part(start, end);
        Manifest { indent: line.len() - line.trim_ascii_start().len(), data: true, section: true }
    }

    /// Takes one line.
    pub(super) fn take_line(
        &mut self,
        segment: &Segment<'_>,
        rules: &Rules,
        at: usize,
        end: usize,
        spans: &mut Vec<Span>,
    ) -> ManifestLine {
        let line = segment.part(at, end);
        let text = line.trim_ascii();
        if text.is_empty() {
            return ManifestLine::Whole;
        }
        let margin = line.len() - line.trim_ascii_start().len();
        if self.section && margin <= self.indent {
            return ManifestLine::Over;
        }
        if text.starts_with(b"---") || margin < self.indent || text.starts_with(b"kind:") {
            return ManifestLine::Over;
        }
        if margin == self.indent {
            self.data = matches!(text, b"data:" | b"stringData:");
        } else if self.data && !text.starts_with(b"#") {
            let colon = memchr::memchr(b':', line).map(|colon| at + colon + 1);
            let value = colon.map(|colon| surroundings::skip_blanks(segment, colon, 64)).filter(|&value| value < end);
            if let Some(span) = value.and_then(|value| below::value_of_pair(segment, value, rules, Class::Password))
                && (!self.section || segment.part(span.start, span.end).iter().any(u8::is_ascii_digit))
            {
                spans.push(span);
                return ManifestLine::Whole;
            }
        }
        ManifestLine::Other
    }
}

/// Adds the values of the object whose members begin at `from`, as far as these are strings: `"root": "…", "app": "…"}`.
pub(super) fn members(segment: &Segment<'_>, rules: &Rules, from: usize, to: usize, spans: &mut Vec<Span>) {
    let mut at = from;
    for _ in 0..64 {
        let rest = segment.part(at, to);
        let blanks = rest.iter().take_while(|b| among!(**b, b" ,")).count();
        let Some(name) = rest.get(blanks..).and_then(|rest| rest.strip_prefix(b"\"")) else { return };
        let Some(close) = memchr::memchr(b'"', name) else { return };
        let Some(value) = name.get(close + 1..).and_then(|rest| rest.strip_prefix(b":")) else { return };
        let value = to - value.trim_ascii_start().len();
        if segment.byte(value) != b'"' {
            return;
        }
        let Some(end) = extent::closing_quote(segment, value + 1, to, b'"', 0) else { return };
        let span = below::value_of_pair(segment, value, rules, Class::Password);
        let drawn = |span: &Span| segment.part(span.start, span.end).iter().any(u8::is_ascii_digit);
        spans.extend(span.filter(|span| drawn(span) && span.start < segment.end));
        at = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    #[test]
    fn the_values_of_a_section_of_passwords_go() {
        let text = "passwords:\n  root: Rocket.2403@\n  app: readonly\nhosts:\n  db: db1-2403\n";
        let expected = "passwords:\n  root: [REDACTED: PASSWORD]\n  app: readonly\nhosts:\n  db: db1-2403\n";
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }

    #[test]
    fn so_do_those_of_an_object_on_one_line() {
        let text = "{\"passwords\": {\"root\": \"Rocket.2403@\", \"min\": \"long\"}, \"x\": \"db1-2403\"}\n";
        let expected = text.replace("Rocket.2403@", "[REDACTED: PASSWORD]");
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }

    #[test]
    fn the_data_of_a_secret_goes_and_its_metadata_stays() {
        let text = "kind: Secret\nmetadata:\n  name: db\nstringData:\n  host: db.local\n  any: k39dkq\ntype: Opaque\n---\nkind: ConfigMap\ndata:\n  any: k39dkq\n";
        let expected = "kind: Secret\nmetadata:\n  name: db\nstringData:\n  host: [REDACTED: PASSWORD]\n  any: [REDACTED: PASSWORD]\ntype: Opaque\n---\nkind: ConfigMap\ndata:\n  any: k39dkq\n";
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }
}
