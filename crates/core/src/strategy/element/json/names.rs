//! The names of members, of which most documents repeat a few in the same order.

use super::outline::GRAVE;
use crate::line::records::Says;
use crate::line::severity;
use crate::strategy::element::census::hash;

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
    known: Vec<(Box<[u8]>, Name)>,
    /// The one behind the last that was asked for, which comes next where records are alike.
    next: usize,
}

impl Names {
    /// What the name says that stands in its quotes. Quick for a name that followed the last one before.
    pub(super) fn of(&mut self, written: &[u8]) -> Name {
        if let Some((known, name)) = self.known.get(self.next)
            && **known == *written
        {
            self.next += 1;
            return *name;
        }
        if let Some(at) = self.known.iter().position(|(known, _)| **known == *written) {
            self.next = at + 1;
            return self.known.get(at).map_or_else(|| Name::of(written), |(_, name)| *name);
        }
        let name = Name::of(written);
        if self.known.len() < REMEMBERED && written.len() <= LONGEST {
            self.known.push((written.into(), name));
            self.next = self.known.len();
        }
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
}
