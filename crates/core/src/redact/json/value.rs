//! One value of a JSON text, and what is left of it.

use super::super::{Counts, Redactor};
use super::{add, escape};

/// From this many bytes on base64 is a file, and not a token.
const MEDIA: usize = 512;

/// A longer value is a text, and not something that has a name.
const NAMED: usize = 2048;

/// A number of fewer digits is no secret, whatever its name.
const DIGITS: usize = 4;

/// A value that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'v> {
    /// Its bytes; of a string, those between the quotes.
    pub(super) inner: &'v [u8],
    /// The name that it stands under; empty where it has none.
    pub(super) key: &'v str,
    pub(super) quoted: bool,
}

/// What a value is looked at as.
enum Looked<'v> {
    /// A name with a plain value: `"key": "value"`, or without the second quotes.
    Named(&'v str),
    /// A text.
    Text(String),
    /// Nothing that could be a secret.
    Nothing,
}

impl<'v> Value<'v> {
    /// Appends what there is to look at to `batch`, as lines; says whether there is anything.
    pub(super) fn write(&self, batch: &mut String) -> bool {
        match self.looked() {
            Looked::Nothing => return false,
            Looked::Named(plain) => self.named(plain, batch),
            Looked::Text(text) => {
                batch.push_str(&text);
                if self.is_named_text() {
                    batch.push('\n');
                    self.named(&String::from_utf8_lossy(self.inner), batch);
                }
            }
        }
        batch.push('\n');
        true
    }

    fn looked(&self) -> Looked<'v> {
        let inner = self.inner;
        if !self.quoted && is_scalar(inner) {
            let worth = !self.key.is_empty() && inner.iter().filter(|byte| byte.is_ascii_digit()).count() >= DIGITS;
            return match std::str::from_utf8(inner) {
                Ok(plain) if worth => Looked::Named(plain.trim_end()),
                _ => Looked::Nothing,
            };
        }
        if inner.len() < 4 && self.key.is_empty() {
            return Looked::Nothing;
        }
        match std::str::from_utf8(inner) {
            Ok(plain) if self.quoted && !self.key.is_empty() && inner.len() <= NAMED && !plain.contains('\\') => {
                Looked::Named(plain)
            }
            Ok(plain) if !self.quoted => Looked::Text(plain.to_owned()),
            _ => {
                let mut text = String::new();
                escape::decode(inner, &mut text);
                Looked::Text(text)
            }
        }
    }

    /// Whether a text with escapes may be a secret by its name alone.
    fn is_named_text(&self) -> bool {
        self.quoted && !self.key.is_empty() && self.inner.len() <= NAMED
    }

    fn named(&self, plain: &str, text: &mut String) {
        let quote = if self.quoted { "\"" } else { "" };
        for part in ["\"", self.key, "\": ", quote, plain, quote] {
            text.push_str(part);
        }
    }

    /// The bytes that stand in the place of the value; none where it stays.
    pub(super) fn redacted(&self, redactor: &Redactor, counts: &mut Counts) -> Option<Vec<u8>> {
        match self.looked() {
            Looked::Nothing => None,
            Looked::Named(plain) => {
                let (value, found) = self.by_name(plain, redactor)?;
                add(counts, &found);
                // In a mode that only reports nothing is taken out.
                (value != plain.as_bytes()).then_some(value)
            }
            Looked::Text(text) => {
                let whole = self.is_named_text().then(|| self.by_name(&String::from_utf8_lossy(self.inner), redactor));
                if let Some((value, found)) = whole.flatten().filter(|(value, _)| is_placeholder(value)) {
                    add(counts, &found);
                    return Some(value);
                }
                let (new, found) = redactor.again().whole(&text);
                add(counts, &found);
                (new != text).then(|| if self.quoted { escape::encode(&new) } else { new.into_bytes() })
            }
        }
    }

    /// What is left of `plain` under its name, if something was found in it.
    fn by_name(&self, plain: &str, redactor: &Redactor) -> Option<(Vec<u8>, Counts)> {
        let mut pair = String::new();
        self.named("", &mut pair);
        let before = pair.len() - usize::from(self.quoted);
        pair.clear();
        self.named(plain, &mut pair);
        let (new, counts) = redactor.again().whole(&pair);
        if counts.is_empty() {
            return None;
        }
        let value = new.get(before..).filter(|_| new.get(..before) == pair.get(..before)).and_then(|value| {
            let value = if self.quoted { value.strip_suffix('"')? } else { value };
            let is_json = match self.quoted {
                true => escape::is_inside(value.as_bytes()),
                false => {
                    let text = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
                    text.is_some_and(|text| escape::is_inside(text.as_bytes())) || is_scalar(value.as_bytes())
                }
            };
            is_json.then(|| value.as_bytes().to_vec())
        });
        // Where the placeholder took more than the value, the value goes as a whole.
        let value = value.unwrap_or_else(|| {
            let kind = counts.keys().next().map_or("SECRET", String::as_str);
            let quote = if self.quoted { "" } else { "\"" };
            format!("{quote}[REDACTED: {kind}]{quote}").into_bytes()
        });
        Some((value, counts))
    }
}

/// Whether nothing but a placeholder is left.
fn is_placeholder(value: &[u8]) -> bool {
    let inner = value.strip_prefix(b"[REDACTED: ").and_then(|rest| rest.strip_suffix(b"]"));
    inner.is_some_and(|kind| !kind.contains(&b']'))
}

/// Whether these bytes are a number, `true`, `false` or `null`, white space behind it.
fn is_scalar(inner: &[u8]) -> bool {
    let inner = inner.trim_ascii_end();
    matches!(inner, b"true" | b"false" | b"null")
        || (inner.len() <= 400
            && inner.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')))
}

/// Whether a string begins like a file in base64, by itself or as a `data:` URL, and is long enough to be one.
pub(super) fn is_media(inner: &[u8]) -> bool {
    let body = match inner.starts_with(b"data:") {
        true => match memchr::memmem::find(inner.get(..200.min(inner.len())).unwrap_or_default(), b";base64,") {
            Some(at) => inner.get(at + 8..).unwrap_or_default(),
            None => return false,
        },
        false => inner,
    };
    inner.len() >= MEDIA && body.iter().all(is_digit)
}

/// Whether a byte is one of base64 as it stands in JSON.
pub(super) fn is_digit(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'\\')
}
