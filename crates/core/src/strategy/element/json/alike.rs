//! Records that are written like one before them: the same names and signs in the same order, other values between them.
//!
//! Of a long list nearly all are. Such a record is compared with the layout of one that was read token by token; its
//! values tell the same as if it were read so, too, and all else was told by the first.

use super::names::Names;
use super::scalar::{Member, Scalar};
use crate::json::{Scanner, Token, begins_with, near_scalar};
use crate::strategy::element::census::{Census, Traits};
use crate::strategy::element::tree::{Form, Node};

/// A longer record is read token by token, in bytes.
const LONGEST: usize = 16 * 1024;
/// So many layouts are remembered, for records of a few kinds that come in turns.
const REMEMBERED: usize = 4;
/// Behind so many records in a row that are written like none before, most are read without looking for a layout, but
/// never more than so many.
const PATIENCE: u32 = 8;
const LONGEST_PAUSE: u32 = 1024;

/// How a record is written, from the end of the one before it.
#[derive(Debug)]
struct Layout {
    parts: Box<[Part]>,
    /// What is behind the last value.
    end: Box<[u8]>,
    separator: usize,
    form: Form,
    /// What all such records tell, and what the last one told.
    traits: Traits,
}

/// A value that is a string, a number or a word.
#[derive(Debug, PartialEq)]
struct Part {
    /// What stands before it.
    written: Box<[u8]>,
    /// Which member of the record it is, if it is one.
    member: Option<Member>,
}

impl Layout {
    /// How `record` is written, which tells `traits`; `text` begins where the one before ends.
    fn of(text: &str, record: &Node, traits: &Traits, names: &mut Names) -> Option<Layout> {
        let separator = usize::try_from(record.start - record.before).ok()?;
        let mut scanner = Scanner::whole(text.get(separator..)?);
        let (mut parts, mut behind, mut members) = (Vec::new(), 0, 0);
        let mut member = Member::at(0);
        while let Some(found) = scanner.next_token().ok()? {
            let within = separator + usize::try_from(found.start).ok()?..separator + usize::try_from(found.end).ok()?;
            let is_member = scanner.depth() == 1;
            match found.token {
                Token::Key if is_member => {
                    let name = names.of(text.as_bytes().get(within)?);
                    member = Member::named(name.hash, name.says, members);
                }
                Token::Text | Token::Number | Token::Word => {
                    let known = if record.form == Form::List { Member::at(members) } else { member };
                    let written = text.as_bytes().get(behind..within.start)?.into();
                    parts.push(Part { written, member: is_member.then_some(known) });
                    behind = within.end;
                    members += usize::from(is_member);
                }
                Token::Close => members += usize::from(is_member),
                Token::Key | Token::OpenArray | Token::OpenObject => {}
            }
        }
        let end = text.as_bytes().get(behind..)?.into();
        Some(Layout { parts: parts.into(), end, separator, form: record.form, traits: traits.clone() })
    }

    fn is_written_like(&self, other: &Layout) -> bool {
        self.parts == other.parts && self.end == other.end && self.separator == other.separator
    }

    /// Takes in the record with which `window` begins, at byte `at` of the document, and says how long it is; nothing if it
    /// is written in another way.
    #[inline]
    fn read(&mut self, window: &[u8], at: u64, siblings: &Census) -> Option<usize> {
        self.traits.clear_own();
        let siblings = (self.form == Form::Map).then_some(siblings);
        let mut rest = window;
        for Part { written, member } in &mut self.parts {
            if !begins_with(rest, written) {
                return None;
            }
            rest = rest.get(written.len()..)?;
            let (token, length) = near_scalar(rest)?;
            let (value, behind) = rest.split_at_checked(length)?;
            if let Some(member) = member {
                let start = at + (window.len() - rest.len()) as u64;
                if !member.is_silent(start, siblings) {
                    Scalar { token, start, bytes: value }.tell(member, siblings, &mut self.traits);
                }
            }
            rest = behind;
        }
        begins_with(rest, &self.end).then(|| window.len() - rest.len() + self.end.len())
    }
}

/// A record that is written like one before it.
#[derive(Debug)]
pub(super) struct Read<'a> {
    /// How many bytes are before it, behind the end of the one before.
    pub(super) separator: usize,
    /// How long it is with these.
    pub(super) length: usize,
    pub(super) form: Form,
    pub(super) traits: &'a Traits,
}

/// The layouts of records that came.
#[derive(Debug, Default)]
pub(super) struct Alike {
    layouts: Vec<Layout>,
    /// How many records in a row were written like none.
    missed: u32,
    /// For how many records nothing is looked for.
    pause: u32,
}

impl Alike {
    /// Finds no record that is like one before.
    #[cfg(test)]
    pub(super) fn never() -> Alike {
        Alike { pause: u32::MAX, ..Alike::default() }
    }

    /// Takes in how a record is `written` that was read token by token, with what separates it from the one before it.
    pub(super) fn learn(&mut self, written: &[u8], record: &Node, traits: &Traits, names: &mut Names) {
        if self.pause > 0 {
            self.pause -= 1;
            return;
        }
        self.missed += 1;
        self.pause =
            1_u32.checked_shl(self.missed.saturating_sub(PATIENCE)).unwrap_or(LONGEST_PAUSE).min(LONGEST_PAUSE) - 1;
        if written.len() > LONGEST {
            return;
        }
        let text = std::str::from_utf8(written).ok();
        let Some(layout) = text.and_then(|text| Layout::of(text, record, traits, names)) else { return };
        if !self.layouts.iter().any(|known| known.is_written_like(&layout)) {
            self.layouts.truncate(REMEMBERED - 1);
            self.layouts.insert(0, layout);
        }
    }

    /// The record with which `window` begins, at byte `at` of the document, behind what separates it from the one before;
    /// nothing if it must be read token by token. Those that came before it are its `siblings`.
    #[inline]
    pub(super) fn read(&mut self, window: &[u8], at: u64, siblings: &Census) -> Option<Read<'_>> {
        if self.pause > 0 {
            return None;
        }
        let layouts = self.layouts.iter_mut().enumerate();
        let (nth, length) =
            layouts.into_iter().find_map(|(nth, layout)| Some((nth, layout.read(window, at, siblings)?)))?;
        // The one that is met is tried first next time.
        self.layouts.swap(0, nth);
        self.missed = 0;
        let Layout { separator, form, traits, .. } = self.layouts.first()?;
        Some(Read { separator: *separator, length, form: *form, traits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::records::Says;
    use crate::strategy::element::census::hash;

    /// Learns records, each with a separator before it, as if they were read token by token.
    fn learn(alike: &mut Alike, written: &str) {
        let form = if written.contains('{') { Form::Map } else { Form::List };
        let separator = written.len() - written.trim_start_matches([',', ' ']).len();
        let node = Node { before: 0, ..Node::at(separator as u64..written.len() as u64, form) };
        alike.learn(written.as_bytes(), &node, &Traits::default(), &mut Names::default());
    }

    fn length(alike: &mut Alike, window: &str) -> Option<usize> {
        alike.read(window.as_bytes(), 0, &Census::default()).map(|read| read.length)
    }

    #[test]
    fn a_record_tells_its_own_values() {
        let mut alike = Alike::default();
        learn(&mut alike, r#", {"level":30,"a":{"b":1},"msg":"started"}"#);
        let next = r#", {"level":50,"a":{"b":-2.5},"msg":"refused: \"x\""}, "#;
        let read = alike.read(next.as_bytes(), 7, &Census::default()).unwrap();
        assert_eq!((read.separator, read.length), (2, next.len() - 2));
        let values = [(hash(b"\"level\""), hash(b"50")), (hash(b"\"msg\""), hash(br#""refused: \"x\"""#))];
        assert_eq!(read.traits.values, values);
        assert_eq!(read.traits.severity, Says::Level.severity(b"50"));
        assert!(read.traits.message.is_some());
    }

    #[test]
    fn what_is_written_in_another_way_is_not_read() {
        let mut alike = Alike::default();
        learn(&mut alike, r#",{"a":1,"b":"x"}"#);
        assert!(length(&mut alike, r#",{"a":2,"b":"yy"},"#).is_some());
        for other in [
            r#", {"a":1,"b":"x"},"#,
            r#",{"b":1,"a":"x"},"#,
            r#",{"a":1,"b":{}},"#,
            r#",{"a":01,"b":"x"},"#,
            r#",{"a":1,"b":"x"#,
            r#",{"a":1,"b":"\q"},"#,
            r#",{"a":1 ,"b":"x"},"#,
            r#",{"a":1,"b":"x","c":1},"#,
        ] {
            assert_eq!(length(&mut alike, other), None, "{other}");
        }
    }

    #[test]
    fn records_of_a_few_kinds_are_read_and_what_is_always_new_is_soon_left_alone() {
        let mut alike = Alike::default();
        for kind in [r#",{"a":1}"#, r#",{"b":"x"}"#, ",[1,2]"] {
            learn(&mut alike, kind);
        }
        for other in [r#",{"b":"y"},"#, r#",{"a":2},"#, ",[3,4],", r#",{"b":""},"#] {
            assert_eq!(length(&mut alike, other), Some(other.len() - 1));
        }
        let looked_for = (0..10_000).filter(|n| {
            let is_looked_for = alike.pause == 0;
            learn(&mut alike, &format!(",{{\"n{n}\":1}}"));
            is_looked_for
        });
        assert!((10..40).contains(&looked_for.count()));
        assert_eq!(alike.layouts.len(), REMEMBERED);
    }
}
