//! What a string, a number or a word tells as a member of a record.

use crate::json::Token;
use crate::line::records::Says;
use crate::line::severity;
use crate::line::template::template_taking;
use crate::strategy::element::census::{Census, Traits, hash};
use crate::strategy::element::columns::Column;
use crate::strategy::element::numbers;

/// Scalars up to this length are compared with each other.
const COMPARED: usize = 256;
/// So far into a document severe words are searched for.
const SEARCHED: u64 = 64 * 1024 * 1024;
/// So far into a document numbers are compared.
const NUMBERED: u64 = 16 * 1024 * 1024;
/// So many values of a list are compared with those at the same place of its neighbours.
const PLACES: usize = 16;

/// A string, a number or a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scalar<'a> {
    pub(super) token: Token,
    /// Where it starts in the document.
    pub(super) start: u64,
    /// Nothing of one that is very long.
    pub(super) bytes: &'a [u8],
}

/// Which member of a record a value is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    /// The hash of its name, or its place in a list.
    name: u64,
    says: Says,
    /// Whether it is compared with what other records have there.
    is_compared: bool,
    /// Where what they have there is looked for first.
    column: usize,
}

impl PartialEq for Member {
    fn eq(&self, other: &Member) -> bool {
        // Where its column is says nothing of a member.
        self.name == other.name && self.says == other.says && self.is_compared == other.is_compared
    }
}

impl Member {
    /// The value under a name, of which the hash is given; so many members are before it.
    #[inline]
    pub(super) fn named(name: u64, says: Says, nth: usize) -> Member {
        Member { name, says, is_compared: true, column: nth }
    }

    /// The value at a place of a list: in a list of lists a place is a column.
    #[inline]
    pub(super) fn at(nth: usize) -> Member {
        Member { name: nth as u64, says: Says::Other, is_compared: nth < PLACES, column: nth }
    }

    /// Whether no value that starts at `start` tells anything as this member: so far into a document nothing is searched in
    /// it, and among its `siblings` there are too many values to compare.
    #[inline(always)]
    pub(super) fn is_silent(&self, start: u64, siblings: Option<&Census>) -> bool {
        let is_various = |siblings: &Census| {
            siblings.column(self.name, self.column).is_some_and(|(_, column)| column == Column::Various)
        };
        start >= SEARCHED.max(NUMBERED)
            && self.says == Says::Other
            && (!self.is_compared || siblings.is_some_and(is_various))
    }
}

impl Scalar<'_> {
    fn is_searched(&self) -> bool {
        self.token == Token::Text && self.start < SEARCHED
    }

    #[inline]
    fn severity(&self, says: Says) -> u32 {
        match self.token {
            Token::Text if self.is_searched() => severity::of(self.bytes),
            Token::Number => says.severity(self.bytes),
            _ => 0,
        }
    }

    /// Its number, where numbers are compared.
    #[inline]
    pub(super) fn number(&self) -> Option<f64> {
        let is_compared = self.token == Token::Number && self.start < NUMBERED;
        if is_compared { numbers::parse(self.bytes) } else { None }
    }

    /// Whether it is compared with others, of the values under whose name that much is known.
    #[inline]
    pub(super) fn is_compared(&self, column: Option<Column>) -> bool {
        self.bytes.len() <= COMPARED && column != Some(Column::Various)
    }

    /// Notes in `traits`, which are those of a record, what it tells as a member of it, and says how severe it is;
    /// `siblings` are the records before. A `member` that is asked for again finds its column at once.
    #[inline]
    pub(super) fn tell(&self, member: &mut Member, siblings: Option<&Census>, traits: &mut Traits) -> u32 {
        let Member { name, says, is_compared, .. } = *member;
        let severity = self.severity(says);
        traits.severity = traits.severity.max(severity);
        if says == Says::Status && severity > 0 {
            // What was answered alike says the same.
            traits.push_message(hash(self.bytes));
        }
        if says == Says::Message && self.is_searched() {
            let words = self.bytes.get(1..self.bytes.len().saturating_sub(1)).unwrap_or_default();
            traits.push_message(template_taking(words).0);
        }
        if is_compared {
            let known = siblings.and_then(|siblings| siblings.column(name, member.column));
            member.column = known.map_or(member.column, |(place, _)| place);
            if self.is_compared(known.map(|(_, column)| column)) {
                traits.push(name, hash(self.bytes));
            }
            self.number().into_iter().for_each(|number| traits.push_number(name, number));
        }
        severity
    }
}
