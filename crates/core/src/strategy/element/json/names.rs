//! The names of members, of which most documents repeat a few in the same order.

use crate::line::records::Says;
use crate::line::severity;
use crate::strategy::element::census::hash;

/// From here on a word is grave: an error or a failure rather than a warning.
pub(super) const GRAVE: u32 = 3;

/// So many names are remembered, the first that come.
const REMEMBERED: usize = 32;
/// A longer name is not remembered.
const LONGEST: usize = 64;

/// What a name says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name {
    pub(super) hash: u64,
    /// Whether it is a grave word: `error`.
    pub(super) is_grave: bool,
    pub(super) says: Says,
}

impl Name {
    /// Works out what a name says, which stands in its quotes.
    fn of(written: &[u8]) -> Name {
        Name { hash: hash(written), is_grave: severity::of(written) >= GRAVE, says: Says::under(written) }
    }
}

/// Names that were seen.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: Vec<Known>,
    /// The one that was asked for last.
    last: usize,
}

/// A name that is remembered.
#[derive(Debug)]
struct Known {
    /// In its quotes, with a colon behind it.
    written: Box<[u8]>,
    name: Name,
    /// The name that came behind it last.
    next: usize,
}

impl Known {
    fn is(&self, written: &[u8]) -> bool {
        self.written.strip_suffix(b":").is_some_and(|known| known == written)
    }
}

impl Names {
    /// The name that comes next where records are alike: in its quotes, with a colon behind it.
    #[inline]
    pub(super) fn expected(&self) -> &[u8] {
        let next = self.known.get(self.last).and_then(|last| self.known.get(last.next));
        next.map_or(&[], |next| &next.written)
    }

    /// What the name says that was [`Names::expected`], and that came.
    #[inline]
    pub(super) fn take_expected(&mut self) -> Option<Name> {
        let next = self.known.get(self.last)?.next;
        let name = self.known.get(next)?.name;
        self.last = next;
        Some(name)
    }

    /// What the name says that stands in its quotes.
    pub(super) fn of(&mut self, written: &[u8]) -> Name {
        let known = self.known.iter().position(|known| known.is(written));
        let place = known.unwrap_or(self.known.len());
        let name = self.known.get(place).map_or_else(|| Name::of(written), |known| known.name);
        if known.is_none() {
            if self.known.len() == REMEMBERED || written.len() > LONGEST {
                return name;
            }
            self.known.push(Known { written: [written, b":"].concat().into(), name, next: 0 });
        }
        if let Some(before) = self.known.get_mut(self.last) {
            before.next = place;
        }
        self.last = place;
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_same_whenever_it_comes() {
        let mut names = Names::default();
        let many: Vec<String> = (0..100).map(|n| format!("\"name {}\"", n % 45)).collect();
        let others = ["\"error\"", "\"msg\"", "\"level\"", "\"error\"", "", "\"msg\""].map(str::to_owned);
        for written in others.iter().chain(&many).chain(&others) {
            let (name, wanted) = (names.of(written.as_bytes()), Name::of(written.as_bytes()));
            assert_eq!((name.hash, name.is_grave, name.says), (wanted.hash, wanted.is_grave, wanted.says), "{written}");
        }
        assert_eq!(names.known.len(), REMEMBERED);
    }

    #[test]
    fn names_are_expected_in_the_order_in_which_they_came() {
        let mut names = Names::default();
        assert!(names.expected().is_empty() && names.take_expected().is_none());
        for _ in 0..2 {
            for written in ["\"id\"", "\"name\"", "\"at\""] {
                names.of(written.as_bytes());
            }
        }
        for written in ["\"id\"", "\"name\"", "\"at\"", "\"id\""] {
            assert_eq!(names.expected(), format!("{written}:").as_bytes());
            assert_eq!(names.take_expected().map(|name| name.hash), Some(hash(written.as_bytes())));
        }
        names.of(b"\"new\"");
        assert_eq!(names.expected(), b"\"id\":");
    }
}
