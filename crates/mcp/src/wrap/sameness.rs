//! Whether `structuredContent` says anything that the text of a result does not.
//!
//! Servers send their data twice: as JSON, and as text that holds the same JSON, or the one string in it. Both are read
//! as a row of tokens, so that white space and the way of escaping do not matter, and only hashes are kept of them.

use std::hash::{DefaultHasher, Hash, Hasher};

use offcut_core::json::{Lexeme, Lexer};

use crate::wire::unescape::Unescaper;

/// How much of a scalar is looked at; longer numbers than this are no JSON that anybody sends.
const LONGEST_SCALAR: usize = 400;

/// The hash of one token.
type Token = u64;

/// Reads JSON, pushed in any chunks, as a row of hashed tokens; commas and colons are left out.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    lexer: Lexer,
    /// The lexeme that goes on with the next bytes.
    open: Option<Lexeme>,
    unescaper: Unescaper,
    decoded: Vec<u8>,
    hasher: DefaultHasher,
    depth: i64,
    /// The beginning of a scalar.
    scalar: Vec<u8>,
    /// Values that stand in no other.
    values: u64,
    /// Whether something was there that JSON does not have.
    broken: bool,
}

impl Tokens {
    /// The next bytes; `take` is given each token that ends in them.
    pub(crate) fn push(&mut self, bytes: &[u8], take: &mut impl FnMut(Token)) {
        let mut rest = bytes;
        while let Some(piece) = self.lexer.next(&mut rest) {
            match piece.lexeme {
                Lexeme::Text => {
                    if piece.begins {
                        b's'.hash(&mut self.hasher);
                    }
                    self.unescaper.push(piece.inside(), &mut self.decoded);
                    if piece.ends {
                        self.unescaper.finish(&mut self.decoded);
                    }
                    self.hasher.write(&self.decoded);
                    self.decoded.clear();
                }
                Lexeme::Word => {
                    if piece.begins {
                        b'n'.hash(&mut self.hasher);
                    }
                    self.hasher.write(piece.bytes);
                    self.scalar.extend(piece.bytes.iter().take(LONGEST_SCALAR.saturating_sub(self.scalar.len())));
                }
                Lexeme::Mark(bracket @ (b'{' | b'[' | b'}' | b']')) => {
                    self.depth += if matches!(bracket, b'{' | b'[') { 1 } else { -1 };
                    self.broken |= self.depth < 0;
                    bracket.hash(&mut self.hasher);
                }
                Lexeme::Space | Lexeme::Mark(b',' | b':' | b'\x0c') => continue,
                Lexeme::Mark(_) => {
                    self.broken = true;
                    continue;
                }
            }
            self.open = (!piece.ends).then_some(piece.lexeme);
            if piece.ends {
                self.end(piece.lexeme, take);
            }
        }
    }

    /// The end; says whether all of it may have been JSON.
    pub(crate) fn finish(&mut self, take: &mut impl FnMut(Token)) -> bool {
        if self.open.take_if(|open| *open == Lexeme::Word).is_some() {
            self.end(Lexeme::Word, take);
        }
        let whole = !self.broken && self.depth == 0 && self.values == 1 && self.open.is_none();
        *self = Tokens::default();
        whole
    }

    fn end(&mut self, lexeme: Lexeme, take: &mut impl FnMut(Token)) {
        if lexeme == Lexeme::Word {
            self.broken |= serde_json::from_slice::<serde::de::IgnoredAny>(&self.scalar).is_err();
            self.scalar.clear();
        }
        self.values += u64::from(self.depth == 0);
        take(std::mem::take(&mut self.hasher).finish());
    }
}

/// A row of tokens, hashed.
#[derive(Debug, Default)]
struct TokenRun(DefaultHasher);

impl TokenRun {
    fn add(&mut self, token: Token) {
        token.hash(&mut self.0);
    }

    fn hash(&self) -> u64 {
        self.0.finish()
    }
}

/// What the texts of a result say, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Said {
    tokens: Tokens,
    row: Vec<Token>,
    json: TokenRun,
    string: DefaultHasher,
    begun: bool,
    texts: usize,
    /// What the last text says, as JSON where it is that, and as a string.
    last: Vec<u64>,
    /// What each text says, as JSON where it is that, else as a string.
    each: TokenRun,
}

impl Said {
    /// The next bytes of the text.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if !self.begun {
            self.begun = true;
            b's'.hash(&mut self.string);
        }
        self.string.write(bytes);
        let row = &mut self.row;
        self.tokens.push(bytes, &mut |token| row.push(token));
        self.row.drain(..).for_each(|token| self.json.add(token));
    }

    /// The end of a text.
    pub(crate) fn end_text(&mut self) {
        self.push(&[]);
        let row = &mut self.row;
        let is_json = self.tokens.finish(&mut |token| row.push(token));
        self.row.drain(..).for_each(|token| self.json.add(token));
        let json = std::mem::take(&mut self.json).hash();
        let mut string = TokenRun::default();
        string.add(std::mem::take(&mut self.string).finish());
        self.begun = false;
        self.texts += 1;
        self.last = if is_json { vec![json, string.hash()] } else { vec![string.hash()] };
        self.last.first().iter().for_each(|value| self.each.add(**value));
    }

    /// Whether there is one text, and it says this.
    fn is(&self, value: u64) -> bool {
        self.texts == 1 && self.last.contains(&value)
    }
}

/// What `structuredContent` says: all of it, its one member, or the elements of that.
#[derive(Debug, Default)]
pub(crate) struct Structured {
    tokens: Tokens,
    row: Vec<Token>,
    view: u64,
    depth: i64,
    all: TokenRun,
    /// The tokens behind the first key; the last one waits, since the closing brace is not among them.
    member: TokenRun,
    waiting: Option<Token>,
    /// Each value in the one member's array, hashed by itself.
    elements: TokenRun,
    element: TokenRun,
    /// Keys and values at the first depth.
    members: u64,
}

fn bracket(byte: u8) -> Token {
    let mut hasher = DefaultHasher::default();
    byte.hash(&mut hasher);
    hasher.finish()
}

impl Structured {
    /// The next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let row = &mut self.row;
        self.tokens.push(bytes, &mut |token| row.push(token));
        self.add_row();
    }

    /// Whether `said` holds the same.
    pub(crate) fn same_as(mut self, said: &Said) -> bool {
        let row = &mut self.row;
        let whole = self.tokens.finish(&mut |token| row.push(token));
        self.add_row();
        let single = self.members == 2;
        whole
            && (said.is(self.all.hash())
                || (single && said.is(self.member.hash()))
                || (single && said.texts > 0 && said.each.hash() == self.elements.hash()))
    }

    fn add_row(&mut self) {
        let (opening, closing) = ([bracket(b'{'), bracket(b'[')], [bracket(b'}'), bracket(b']')]);
        for token in std::mem::take(&mut self.row) {
            self.add(token, opening.contains(&token), closing.contains(&token));
        }
    }

    fn add(&mut self, token: Token, opens: bool, closes: bool) {
        self.all.add(token);
        self.view += 1;
        // The first is the brace, the second the key; what follows is the value.
        if self.view > 2
            && let Some(before) = self.waiting.replace(token)
        {
            self.member.add(before);
        }
        self.depth -= i64::from(closes);
        match self.depth {
            ..=0 => {}
            1 => self.members += u64::from(!closes),
            depth => {
                self.element.add(token);
                if depth == 2 && !opens {
                    let element = std::mem::take(&mut self.element).hash();
                    self.elements.add(element);
                }
            }
        }
        self.depth += i64::from(opens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], structured: &str, same: bool) {
        for size in [1, 7, 4096] {
            let mut said = Said::default();
            for text in texts {
                text.as_bytes().chunks(size).for_each(|chunk| said.push(chunk));
                said.end_text();
            }
            let mut other = Structured::default();
            structured.as_bytes().chunks(size).for_each(|chunk| other.push(chunk));
            assert_eq!(other.same_as(&said), same, "{texts:?} {structured} {size}");
        }
    }

    #[test]
    fn the_same_data_in_another_dress_is_the_same() {
        check(&["{\n  \"a\": [1, \"\\u00e9\"],\n  \"b\": {}\n}"], r#"{"a":[1,"é"],"b":{}}"#, true);
        check(&["one\ntwo \"three\""], r#"{"content":"one\ntwo \"three\""}"#, true);
        check(&["[1,2]"], r#"{"result":[1,2]}"#, true);
        check(&["1", "{\"a\":2}", "x y"], r#"{"result":[1,{"a":2},"x y"]}"#, true);
        check(&["17"], r#"{"result":"17"}"#, true);
        check(&["17"], r#"{"result":17}"#, true);
        check(&["{\"k\":1}"], r#"{"result":{"k":1}}"#, true);
    }

    #[test]
    fn anything_more_is_not() {
        check(&["{\"a\":1}"], r#"{"a":1,"b":2}"#, false);
        check(&["text"], r#"{"content":"text","more":1}"#, false);
        check(&["a", "b"], r#"{"result":["a","b","c"]}"#, false);
        check(&["12 files"], r#"{"files":["a","b"]}"#, false);
        check(&[], r#"{}"#, false);
        check(&["{\"a\":\"x\"}"], r#"{"a":"y"}"#, false);
    }
}
