//! Where the values of a JSON text stand, so that some can be replaced and all others stay byte for byte.
//!
//! [`Tape`] is made in one pass and holds twelve bytes a value: nothing is copied, no number is read, no escape is
//! resolved until somebody asks for that very string.

use std::borrow::Cow;
use std::ops::Range;

use offcut_core::json::{self, Scanner, SpannedToken, Token};

/// How deep values may be nested.
const DEEPEST: usize = 512;

/// Why a text is not JSON, or none that is read here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not JSON: {why} at byte {at}")]
pub struct Malformed {
    /// What is wrong.
    pub why: &'static str,
    /// The byte where it was seen.
    pub at: usize,
}

/// Every value of a JSON text, in order, each before its members.
#[derive(Debug)]
pub(crate) struct Tape<'t> {
    text: &'t str,
    entries: Vec<TapeEntry>,
}

#[derive(Debug, Clone, Copy)]
struct TapeEntry {
    start: u32,
    end: u32,
    /// The entry behind this value's last member.
    next: u32,
}

/// One value of a tape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<'a, 't> {
    tape: &'a Tape<'t>,
    at: usize,
}

fn malformed(why: json::Malformed) -> Malformed {
    match why {
        json::Malformed::At(at, why) => Malformed { why, at: usize::try_from(at).unwrap_or(usize::MAX) },
        // A text that is in memory can be read.
        json::Malformed::Unreadable(_) => Malformed { why: "unreadable", at: 0 },
    }
}

impl<'t> Tape<'t> {
    /// Reads a whole text; white space around the value is fine.
    pub(crate) fn read(text: &'t str) -> Result<Tape<'t>, Malformed> {
        if u32::try_from(text.len()).is_err() {
            return Err(Malformed { why: "longer than 4 GiB", at: 0 });
        }
        let mut scanner = Scanner::whole(text);
        let mut entries: Vec<TapeEntry> = Vec::new();
        // The open arrays and objects, by their entries.
        let mut open: Vec<usize> = Vec::new();
        while let Some(SpannedToken { token, start, end }) = scanner.next_token().map_err(malformed)? {
            let (start, end, next) = (start as u32, end as u32, entries.len() as u32);
            match token {
                Token::OpenArray | Token::OpenObject if open.len() >= DEEPEST => {
                    return Err(Malformed { why: "nested too deep", at: start as usize });
                }
                Token::OpenArray | Token::OpenObject => {
                    open.push(entries.len());
                    entries.push(TapeEntry { start, end, next });
                }
                Token::Close => {
                    if let Some(container) = open.pop().and_then(|at| entries.get_mut(at)) {
                        (container.end, container.next) = (end, next);
                    }
                }
                Token::Key | Token::Text | Token::Number | Token::Word => {
                    entries.push(TapeEntry { start, end, next: next + 1 });
                }
            }
        }
        Ok(Tape { text, entries })
    }

    /// The value that the text is.
    pub(crate) fn root(&self) -> Node<'_, 't> {
        Node { tape: self, at: 0 }
    }
}

impl<'a, 't> Node<'a, 't> {
    fn entry(&self) -> TapeEntry {
        self.tape.entries.get(self.at).copied().unwrap_or(TapeEntry { start: 0, end: 0, next: 0 })
    }

    /// Where it stands, quotes and brackets included.
    pub(crate) fn span(&self) -> Range<usize> {
        let entry = self.entry();
        entry.start as usize..entry.end as usize
    }

    /// As it is written.
    pub(crate) fn raw(&self) -> &'t str {
        self.tape.text.get(self.span()).unwrap_or_default()
    }

    fn first(&self) -> u8 {
        self.raw().as_bytes().first().copied().unwrap_or_default()
    }

    pub(crate) fn is_object(&self) -> bool {
        self.first() == b'{'
    }

    pub(crate) fn is_array(&self) -> bool {
        self.first() == b'['
    }

    pub(crate) fn is_string(&self) -> bool {
        self.first() == b'"'
    }

    /// The values directly inside: an array's elements, or an object's keys and values in turn.
    fn inside(&self) -> impl Iterator<Item = Node<'a, 't>> + use<'a, 't> {
        let (tape, end) = (self.tape, self.entry().next as usize);
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            let node = (at < end).then_some(Node { tape, at })?;
            at = node.entry().next as usize;
            Some(node)
        })
    }

    /// An array's elements; nothing for anything else.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Node<'a, 't>> + use<'a, 't> {
        let wanted = self.is_array();
        self.inside().take_while(move |_| wanted)
    }

    /// An object's members; nothing for anything else.
    pub(crate) fn members(&self) -> impl Iterator<Item = (Node<'a, 't>, Node<'a, 't>)> + use<'a, 't> {
        let wanted = self.is_object();
        let mut inside = self.inside();
        std::iter::from_fn(move || Some((inside.next()?, inside.next()?))).take_while(move |_| wanted)
    }

    /// The member `key` of an object; of several the last, as every common parser takes it.
    pub(crate) fn get(&self, key: &str) -> Option<Node<'a, 't>> {
        self.members().filter(|(name, _)| name.says(key)).last().map(|(_, value)| value)
    }

    /// Whether it is the string `text`.
    pub(crate) fn says(&self, text: &str) -> bool {
        match self.plain() {
            Some(plain) => plain == text,
            None => self.string().is_some_and(|string| string == text),
        }
    }

    /// A string without escapes, as it is written between its quotes.
    fn plain(&self) -> Option<&'t str> {
        let inner = self.raw().strip_prefix('"')?.strip_suffix('"')?;
        (!inner.contains('\\')).then_some(inner)
    }

    /// What a string says; none for other values, and for a string with half a surrogate pair.
    pub(crate) fn string(&self) -> Option<Cow<'t, str>> {
        unquoted(self.raw())
    }

    /// What the string member `key` says.
    pub(crate) fn text(&self, key: &str) -> Option<Cow<'t, str>> {
        self.get(key)?.string()
    }
}

/// What a JSON string says; none for other JSON.
pub(crate) fn unquoted(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(inner.into());
    }
    let text = unescaped(inner).or_else(|| serde_json::from_str(raw).ok());
    text.map(Cow::Owned)
}

/// What stands between the quotes of a JSON string, as it reads; none where it has surrogates or what is no escape. A text
/// of many lines is copied line by line, which takes a fraction of the time that a parser takes for looking at each byte.
fn unescaped(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((plain, escape)) = memchr::memchr(b'\\', rest.as_bytes()).and_then(|at| rest.split_at_checked(at)) {
        text.push_str(plain);
        let (character, length) = match escape.as_bytes().get(1)? {
            b'n' => ('\n', 2),
            b't' => ('\t', 2),
            b'r' => ('\r', 2),
            b'b' => ('\u{8}', 2),
            b'f' => ('\u{c}', 2),
            plain @ (b'"' | b'\\' | b'/') => (char::from(*plain), 2),
            b'u' => (character(escape.get(2..6)?)?, 6),
            _ => return None,
        };
        text.push(character);
        rest = escape.get(length..)?;
    }
    text.push_str(rest);
    Some(text)
}

/// The character with this number, four hexadecimal digits, if it is one.
fn character(digits: &str) -> Option<char> {
    let number = digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16));
    char::from_u32(number?.ok()?)
}

/// A string as JSON writes it.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The value that a node stands for, read the obvious way.
    fn value(node: Node<'_, '_>) -> serde_json::Value {
        if node.is_object() {
            let members = node.members().map(|(key, member)| (key.string().unwrap().into_owned(), value(member)));
            return serde_json::Value::Object(members.collect());
        }
        if node.is_array() {
            return node.elements().map(value).collect();
        }
        serde_json::from_str(node.raw()).unwrap()
    }

    #[test]
    fn values_are_found_where_they_stand() {
        let text = r#" {"a": [1, {"b":"x\n\u00e9"}, []], "n": 12345678901234567890.123e+5, "a2":{}, "d":1,"d":2} "#;
        let tape = Tape::read(text).unwrap();
        let root = tape.root();
        assert_eq!(root.get("n").unwrap().raw(), "12345678901234567890.123e+5");
        assert_eq!(root.get("d").unwrap().raw(), "2");
        let second = root.get("a").unwrap().elements().nth(1).unwrap();
        assert_eq!(second.text("b").unwrap(), "x\né");
        assert_eq!(text.get(second.get("b").unwrap().span()), Some(r#""x\n\u00e9""#));
        assert_eq!(root.elements().count() + second.get("b").unwrap().members().count(), 0);
        assert!(root.get("a2").unwrap().is_object() && root.get("missing").is_none());
    }

    #[test]
    fn keys_are_compared_by_what_they_say() {
        let tape = Tape::read(r#"{"\u0061b": "\ud800", "c": "\ud83c\udf89"}"#).unwrap();
        assert_eq!(tape.root().get("ab").unwrap().string(), None);
        assert_eq!(tape.root().text("c").unwrap(), "🎉");
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_place() {
        for text in [
            "",
            " ",
            "{",
            "[",
            "[1",
            "[1,",
            "[1,]",
            "[,]",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "\"",
            "\"\\",
            "\"\\x\"",
            "\"\\u12g4\"",
            "01",
            "-",
            "1.",
            "1e",
            "tru",
            "nul",
            "1 2",
            "{} x",
            "]",
            "[}",
            "{]",
            "[1}",
            "+1",
            ".5",
            "NaN",
            "'a'",
        ] {
            assert!(Tape::read(text).is_err(), "{text:?}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text:?}");
        }
        assert_eq!(Tape::read("[1 2]").unwrap_err(), Malformed { why: "expected a comma or a closing bracket", at: 3 });
        assert_eq!(Tape::read(&"[".repeat(100_000)).unwrap_err().why, "nested too deep");
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(serde_json::Value::from),
            any::<i64>().prop_map(serde_json::Value::from),
            ".{0,12}".prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
                prop::collection::vec((".{0,6}", inner), 0..6)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_is_read_as_what_it_is(expected in json(), pretty: bool) {
            let text = if pretty { format!("{expected:#}") } else { expected.to_string() };
            let tape = Tape::read(&text).unwrap();
            prop_assert_eq!(value(tape.root()), expected);
        }

        #[test]
        fn what_other_parsers_take_is_taken(expected in json(), at in any::<prop::sample::Index>(), byte in "[\\[\\]{}\",:0a\\\\ ]") {
            let mut text = expected.to_string();
            let at = at.index(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(at + 1) {
                text.replace_range(at..=at, &byte);
            }
            if let Ok(expected) = serde_json::from_str::<serde_json::Value>(&text) {
                let tape = Tape::read(&text).unwrap();
                prop_assert_eq!(value(tape.root()), expected);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,60}") {
            let _ = Tape::read(&text);
        }
    }

    #[test]
    fn strings_say_what_every_parser_reads_in_them() {
        let raws = [
            r#""""#,
            r#""plain é""#,
            r#""a\n\t\r\b\f\"\\/\u0000\u00e9\u2028é\n""#,
            r#""\ud83c\udf89 \n""#,
            r#""\n\ud800""#,
            r#""\udf89""#,
            r#""\u+123""#,
            r#""\u12""#,
            r#""\x""#,
            r#""\""#,
            "1",
        ];
        for raw in raws {
            let expected = serde_json::from_str::<String>(raw).ok();
            assert_eq!(unquoted(raw).map(Cow::into_owned), expected, "{raw}");
        }
    }

    #[test]
    fn strings_are_written_so_that_they_read_back() {
        for text in ["", "a\"b\\\n\u{1}é🎉\u{2028}"] {
            assert_eq!(serde_json::from_str::<String>(&quoted(text)).unwrap(), text);
        }
    }
}
