//! Values that go on over the lines below in the ways of shells and settings: a text up to a word that ends it
//! (`<<EOT`), and lines that a backslash joins.

use super::class::Class;
use super::judge::{self, ValuePlace};
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use crate::byte_set::among;
use crate::hash::Hash;

/// How many lines such a value may have.
const MOST_LINES: usize = 64;

/// A text up to the line that ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heredoc {
    class: Class,
    /// The hash of the word that ends it.
    end: u64,
    seen: usize,
}

impl Heredoc {
    /// The text that `rest`, all that stands behind a name and its operator, opens: `<<EOT`, `<<-"EOT"`, `<<~EOT`.
    pub(super) fn opened(rest: &[u8], class: Class) -> Option<Heredoc> {
        let word = rest.trim_ascii_end().strip_prefix(b"<<")?;
        let word = word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"~")).unwrap_or(word);
        let word = match word {
            [open @ (b'"' | b'\''), inner @ .., close] if open == close => inner,
            _ => word,
        };
        let named = word.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
        (named && word.first().is_some_and(u8::is_ascii_alphabetic)).then(|| Heredoc {
            class,
            end: Hash::of(word),
            seen: 0,
        })
    }

    /// Takes the line `at..end`, and says what goes on behind it; nothing if the line is none of the text.
    pub(super) fn take(
        self,
        segment: &Segment<'_>,
        rules: &Rules,
        at: usize,
        end: usize,
        spans: &mut Vec<Span>,
    ) -> Option<Heredoc> {
        let line = segment.part(at, end);
        let text = line.trim_ascii();
        let stands_for_one = self.seen == 0 && judge::placeholder(text) && !text.is_empty();
        if Hash::of(text) == self.end || self.seen == MOST_LINES || stands_for_one {
            return None;
        }
        if !text.is_empty() {
            let kind = rules.detector(Detector::from(self.class))?;
            let start = at + line.len() - line.trim_ascii_start().len();
            let with = if self.seen == 0 { With::Placeholder } else { With::Nothing };
            spans.push(Span { start, end: start + text.len(), kind, weight: weight::BLOCK, with });
        }
        Some(Heredoc { seen: self.seen + usize::from(!text.is_empty()), ..self })
    }
}

/// A value that a backslash at the line's end joins to the next line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Continued {
    class: Class,
    /// Of how many lines something was taken.
    seen: usize,
}

impl Continued {
    /// The value whose first line has nothing of it: `db.password=\`.
    pub(super) fn from_the_next_line(class: Class) -> Continued {
        Continued { class, seen: 0 }
    }

    /// The value whose first line was taken: `db.password=first\`.
    pub(super) fn behind_the_first_line(class: Class) -> Continued {
        Continued { class, seen: 1 }
    }

    /// Takes what the line `at..end` has of the value. The first says whether it had something, the second what goes on.
    pub(super) fn take(
        self,
        segment: &Segment<'_>,
        rules: &Rules,
        at: usize,
        end: usize,
        spans: &mut Vec<Span>,
    ) -> (bool, Option<Continued>) {
        let nothing = (false, None);
        let Some(kind) = rules.detector(Detector::from(self.class)).filter(|_| self.seen < MOST_LINES) else {
            return nothing;
        };
        let line = segment.part(at, end);
        let text = line.trim_ascii();
        let start = at + line.len() - line.trim_ascii_start().len();
        let (text, goes_on) = match text.strip_suffix(b"\\") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (start, secret, quoted) = match text {
            [open @ (b'"' | b'\''), inner @ ..] => {
                let close = memchr::memchr(*open, inner).unwrap_or(inner.len());
                (start + 1, inner.get(..close).unwrap_or_default(), true)
            }
            _ => (start, word(text), false),
        };
        let place =
            ValuePlace { quoted, setting: true, alone: true, free: true, phrase: quoted, ..ValuePlace::default() };
        let worth = if self.seen == 0 { judge::secret_value(self.class, secret, place) } else { !secret.is_empty() };
        // The next setting, or the next flag.
        let another = memchr::memchr(b'=', secret).is_some() && !quoted || secret.starts_with(b"-");
        if !worth || another || rules.allowed(secret) {
            return nothing;
        }
        let end = start + secret.len();
        spans.push(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder });
        (true, (goes_on && secret.len() == text.len()).then_some(Continued { seen: self.seen + 1, ..self }))
    }
}

/// The word that `text` begins with; a backslash joins what a blank would part.
fn word(text: &[u8]) -> &[u8] {
    let ends = |at: &usize| {
        let escaped = at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'\\');
        text.get(*at).is_some_and(|byte| among!(*byte, b" \t")) && !escaped
    };
    let end = (0..text.len()).find(ends).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::{goes, stays};
    use crate::redact::{Rules, redact};

    #[test]
    fn a_text_up_to_its_last_word_goes() {
        goes("password = <<EOT\nviolet-1569!\nEOT\nport = 5432\n", "violet-1569!");
        goes("  + \"SMTP_PASS\" = <<-EOT\n        9+=yGl1EDIA\n    EOT\n", "9+=yGl1EDIA");
        let text = "password = <<EOT\nviolet-1569!\nEOT\nport = 5432\n";
        let expected = "password = <<EOT\n[REDACTED: PASSWORD]\nEOT\nport = 5432\n";
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
        stays("password = <<EOT\n${var.password}\nEOT\nport = 5432\n");
        stays("password = 1 << shift\nviolet-1569!\n");
    }

    #[test]
    fn lines_that_a_backslash_joins_go() {
        let lines =
            |first: &str, second: &str| format!("db.password=\\\n    {first}\\\n    {second}\ndb.pool.size=10\n");
        let gone = "[REDACTED: PASSWORD]";
        assert_eq!(redact(&lines("Violet15", "Otter\\ 69"), &Rules::builtin()).0, lines(gone, gone));
        let lines = |first: &str, second: &str| format!("db.password={first}\\\n    {second}\ndb.pool.size=10\n");
        assert_eq!(redact(&lines("Violet15", "otter"), &Rules::builtin()).0, lines(gone, gone));
        goes("add name=h password=\\\n    \"Violet 15 otter\"\n", "Violet 15 otter");
        stays("db.password=\\\n    ${DB_PASSWORD}\ndb.pool.size=10\n");
        stays("password=\\\n    get_password()\n");
        stays("docker run -e PASSWORD=$PW \\\n    --name web img\n");
    }
}
