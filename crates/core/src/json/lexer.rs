//! JSON's bytes as lexemes, pushed in any chunks, in constant memory.

use memchr::memchr2;

/// What a byte of JSON belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lexeme {
    /// White space.
    Space,
    /// A string, with its quotes.
    Text,
    /// Letters, digits, `+`, `-` and `.`: a number or a literal, or what is wrong in the place of one.
    Word,
    /// Any other byte, by itself: a bracket, a comma, a colon, or one that JSON has in strings only.
    Mark(u8),
}

/// A lexeme, or as much of one as is known at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LexemePart<'b> {
    /// What it belongs to.
    pub lexeme: Lexeme,
    /// Its bytes; none where a word turns out to have ended with the bytes before.
    pub bytes: &'b [u8],
    /// Whether the lexeme begins here.
    pub begins: bool,
    /// Whether the lexeme ends here. A word that ends with the last bytes has no such piece.
    pub ends: bool,
}

impl<'b> LexemePart<'b> {
    /// The bytes of a string without its quotes.
    #[inline]
    pub fn inside(&self) -> &'b [u8] {
        let end = self.bytes.len().saturating_sub(usize::from(self.ends));
        self.bytes.get(usize::from(self.begins)..end).unwrap_or_default()
    }
}

/// Cuts bytes into lexemes. Any bytes will do: it knows where strings end, and no grammar.
#[derive(Debug, Clone, Default)]
pub struct Lexer {
    inside: Inside,
    stops_at_escapes: bool,
}

/// The lexeme that the next byte goes on with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Nothing,
    Word,
    Text,
    /// A string, right behind a backslash.
    Escape,
}

impl Lexer {
    /// A lexer whose pieces of a string also end behind each backslash of an escape, however long `rest` is.
    pub fn stopping_at_escapes() -> Lexer {
        Lexer { stops_at_escapes: true, ..Lexer::default() }
    }

    /// Takes the next piece off `rest`, which follows what was taken before; `None` where `rest` is empty.
    ///
    /// ```
    /// use offcut_core::json::{Lexeme, Lexer};
    ///
    /// let (mut lexer, mut words) = (Lexer::default(), Vec::new());
    /// for mut rest in [br#"{"a": 1"#.as_slice(), b"2}"] {
    ///     while let Some(piece) = lexer.next(&mut rest) {
    ///         words.extend((piece.lexeme == Lexeme::Word).then_some((piece.bytes, piece.ends)));
    ///     }
    /// }
    /// assert_eq!(words, [(b"1".as_slice(), false), (b"2", true)]);
    /// ```
    #[inline]
    pub fn next<'b>(&mut self, rest: &mut &'b [u8]) -> Option<LexemePart<'b>> {
        let first = *rest.first()?;
        let begins = self.inside == Inside::Nothing;
        let class = match self.inside {
            Inside::Nothing => class_of(first),
            Inside::Word => Class::Word,
            Inside::Text | Inside::Escape => Class::Quote,
        };
        let (lexeme, length) = match class {
            Class::Mark => (Lexeme::Mark(first), 1),
            Class::Space => (Lexeme::Space, run(rest, |byte| byte == b' ' || class_of(byte) == Class::Space)),
            Class::Word => {
                let length = run(rest, |byte| class_of(byte) == Class::Word);
                self.inside = if length < rest.len() { Inside::Nothing } else { Inside::Word };
                (Lexeme::Word, length)
            }
            Class::Quote => {
                // The opening quote, or the byte that a backslash is for.
                let mut at = usize::from(self.inside != Inside::Text);
                let (length, inside) = loop {
                    let ahead = rest.get(at..).unwrap_or_default();
                    match memchr2(b'"', b'\\', ahead) {
                        None => break (rest.len(), if at > rest.len() { Inside::Escape } else { Inside::Text }),
                        Some(found) if ahead.get(found) == Some(&b'"') => break (at + found + 1, Inside::Nothing),
                        Some(found) if self.stops_at_escapes => break (at + found + 1, Inside::Escape),
                        Some(found) => at += found + 2,
                    }
                };
                self.inside = inside;
                (Lexeme::Text, length)
            }
        };
        let (bytes, behind) = rest.split_at_checked(length)?;
        *rest = behind;
        Some(LexemePart { lexeme, bytes, begins, ends: self.inside == Inside::Nothing })
    }
}

/// What a byte outside of strings belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Mark,
    Space,
    Word,
    Quote,
}

#[inline]
fn class_of(byte: u8) -> Class {
    const CLASSES: [Class; 256] = {
        let mut classes = [Class::Mark; 256];
        let mut byte = 0;
        while byte < 256 {
            classes[byte] = match byte as u8 {
                b' ' | b'\t' | b'\n' | b'\r' => Class::Space,
                b'"' => Class::Quote,
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.' => Class::Word,
                _ => Class::Mark,
            };
            byte += 1;
        }
        classes
    };
    CLASSES[usize::from(byte)]
}

/// How many bytes at the beginning of `bytes` are of one kind.
#[inline]
fn run(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is(**byte)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The lexemes of `text`, pushed in chunks of `size`, pieces put together again.
    fn lexemes(mut lexer: Lexer, text: &[u8], size: usize) -> Vec<(Lexeme, Vec<u8>)> {
        let mut lexemes: Vec<(Lexeme, Vec<u8>)> = Vec::new();
        let (mut taken, mut open) = (0, false);
        for mut rest in text.chunks(size) {
            while let Some(piece) = lexer.next(&mut rest) {
                assert_eq!(piece.begins, !open, "at {taken} of {text:?} in chunks of {size}");
                match lexemes.last_mut() {
                    Some((lexeme, bytes)) if *lexeme == piece.lexeme && (open || *lexeme == Lexeme::Space) => {
                        bytes.extend(piece.bytes);
                    }
                    _ => lexemes.push((piece.lexeme, piece.bytes.to_vec())),
                }
                (taken, open) = (taken + piece.bytes.len(), !piece.ends);
            }
        }
        assert_eq!(taken, text.len());
        lexemes
    }

    /// The same, byte by byte.
    fn obvious(text: &[u8]) -> Vec<(Lexeme, Vec<u8>)> {
        let mut lexemes: Vec<(Lexeme, Vec<u8>)> = Vec::new();
        let (mut quoted, mut escaped) = (false, false);
        for &byte in text {
            let lexeme = match byte {
                _ if quoted => Lexeme::Text,
                b'"' => Lexeme::Text,
                b' ' | b'\t' | b'\n' | b'\r' => Lexeme::Space,
                b'+' | b'-' | b'.' => Lexeme::Word,
                byte if byte.is_ascii_alphanumeric() => Lexeme::Word,
                byte => Lexeme::Mark(byte),
            };
            let goes_on = quoted || matches!(lexeme, Lexeme::Space | Lexeme::Word);
            match lexemes.last_mut() {
                Some((last, bytes)) if *last == lexeme && goes_on => bytes.push(byte),
                _ => lexemes.push((lexeme, vec![byte])),
            }
            if byte == b'"' && !escaped {
                quoted = !quoted;
            }
            escaped = quoted && byte == b'\\' && !escaped;
        }
        lexemes
    }

    proptest! {
        #[test]
        fn any_bytes_are_the_same_lexemes_in_any_chunks(
            parts in prop::collection::vec(r#"[{}\[\],: \n]|"([^"\\]|\\.)*"|[a-z0-9.+-]{1,9}|["\\$]|é"#, 0..30),
            noise in prop::collection::vec(any::<u8>(), 0..40),
            size in 1..20_usize,
        ) {
            for text in [parts.concat().as_bytes(), &noise, &[parts.concat().as_bytes(), &noise].concat()] {
                for size in [size, usize::MAX] {
                    prop_assert_eq!(lexemes(Lexer::default(), text, size), obvious(text));
                    prop_assert_eq!(lexemes(Lexer::stopping_at_escapes(), text, size), obvious(text));
                }
            }
        }
    }

    #[test]
    fn a_string_is_known_without_its_quotes() {
        for size in 1..9 {
            let (mut lexer, mut inside) = (Lexer::default(), Vec::<u8>::new());
            for mut rest in br#""a\"b""#.chunks(size) {
                while let Some(piece) = lexer.next(&mut rest) {
                    inside.extend_from_slice(piece.inside());
                }
            }
            assert_eq!(inside, br#"a\"b"#, "in chunks of {size}");
        }
    }
}
