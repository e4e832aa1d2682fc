//! Reading JSON: lexemes of bytes that are pushed, and tokens of a text that is there.
//!
//! A [`Lexer`] is pushed bytes in any chunks and says what each of them belongs to, whether they are JSON or not: what
//! its readers make of that (an outline, a text without secrets) is theirs. A [`Scanner`] pulls the tokens of a text
//! that can be read, and checks the grammar of RFC 8259.

mod lexer;
mod near;
mod scanner;

pub use lexer::{Lexeme, LexemePart, Lexer};
pub(crate) use near::{begins_with, near_scalar};
pub(crate) use scanner::FOLLOWED;
pub use scanner::{Malformed, Scanner, SpannedToken, Token};
