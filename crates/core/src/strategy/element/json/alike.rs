//! Records that are written like some before them: the same names and signs in the same order, other values between them.
//!
//! Of a long list nearly all are. What stands between the values of those that were read token by token is remembered as a
//! tree, in which records that begin alike share their beginning: however many kinds of records there are, each record is
//! compared once, from value to value. Its values tell the same as if it were read token by token, and all else was told
//! by the first of its kind.

use super::names::Names;
use super::scalar::{Member, Scalar};
use crate::json::{Scanner, Token, begins_with, near_scalar};
use crate::strategy::element::census::{Census, Traits};
use crate::strategy::element::tree::{Form, Node};

/// A longer record is read token by token, in bytes.
const LONGEST: usize = 16 * 1024;
/// A tree that has more steps is forgotten, or more bytes.
const MOST_STEPS: usize = 4096;
const MOST_BYTES: usize = 256 * 1024;
/// So many ways to go on are remembered at each step.
const BRANCHES: usize = 16;
/// Behind so many records in a row that are written like none before, most are read without looking for one that is, but
/// never more than so many.
const PATIENCE: u32 = 8;
const LONGEST_PAUSE: u32 = 1024;

/// What stands before a value or before the end of a record, behind the value before it.
#[derive(Debug)]
struct Step {
    written: Box<[u8]>,
    then: Then,
}

#[derive(Debug)]
enum Then {
    Value(Value),
    End(Box<Kind>),
}

/// A value that is a string, a number or a word.
#[derive(Debug)]
struct Value {
    /// Which member of the record it is, if it is one, and what form the record has.
    member: Option<(Member, Form)>,
    /// The steps that may come next, mostly the one first that came last. A step may lead to itself.
    next: Vec<usize>,
}

/// The records that are written in one way.
#[derive(Debug)]
struct Kind {
    separator: usize,
    form: Form,
    /// What all of them tell, and what the last one told.
    traits: Traits,
}

/// How a record is written, from the end of the one before it.
struct Layout<'a> {
    parts: Vec<Part<'a>>,
    /// What is behind the last value.
    end: &'a [u8],
}

/// A value of a record.
struct Part<'a> {
    /// What stands before it.
    written: &'a [u8],
    member: Option<Member>,
    /// Whether others follow it in the same way: the elements of a list in a part of the record.
    repeats: bool,
}

impl<'a> Layout<'a> {
    /// How `record` is written; `text` begins where the one before ends.
    fn of(text: &'a str, record: &Node, names: &mut Names) -> Option<Layout<'a>> {
        let separator = usize::try_from(record.start - record.before).ok()?;
        let mut scanner = Scanner::whole(text.get(separator..)?);
        let (mut parts, mut behind, mut members) = (Vec::<Part<'_>>::new(), 0, 0);
        let mut member = Member::at(0);
        // How deep the value before is, and the least depth behind it.
        let (mut depth, mut least) = (0, 0);
        while let Some(found) = scanner.next_token().ok()? {
            let within = separator + usize::try_from(found.start).ok()?..separator + usize::try_from(found.end).ok()?;
            let is_member = scanner.depth() == 1;
            least = least.min(scanner.depth());
            match found.token {
                Token::Key if is_member => {
                    let name = names.of(text.as_bytes().get(within)?);
                    member = Member::named(name.hash, name.says, members);
                }
                Token::Text | Token::Number | Token::Word => {
                    let known = if record.form == Form::List { Member::at(members) } else { member };
                    let written = text.as_bytes().get(behind..within.start)?;
                    // What leads from one value in a part to the next leads on from there, too, if it ends as deep.
                    let is_as_deep = least > 1 && depth == scanner.depth();
                    match parts.last_mut() {
                        Some(last) if is_as_deep && last.written == written => last.repeats = true,
                        _ => parts.push(Part { written, member: is_member.then_some(known), repeats: false }),
                    }
                    behind = within.end;
                    members += usize::from(is_member);
                    (depth, least) = (scanner.depth(), scanner.depth());
                }
                Token::Close => members += usize::from(is_member),
                Token::Key | Token::OpenArray | Token::OpenObject => {}
            }
        }
        Some(Layout { parts, end: text.as_bytes().get(behind..)? })
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

/// How the records were written that came.
#[derive(Debug, Default)]
pub(super) struct Alike {
    /// The first stands before all records; those behind it lead through them.
    steps: Vec<Step>,
    /// How many bytes are written in the steps.
    bytes: usize,
    /// What the record tells that is being read.
    told: Traits,
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
        let Some(layout) = text.and_then(|text| Layout::of(text, record, names)) else { return };
        if self.steps.is_empty() || self.steps.len() > MOST_STEPS || self.bytes > MOST_BYTES {
            let start = Value { member: None, next: Vec::new() };
            self.steps = vec![Step { written: Box::default(), then: Then::Value(start) }];
            self.bytes = 0;
        }
        let mut here = 0;
        for Part { written, member, repeats } in layout.parts {
            let member = member.map(|member| (member, record.form));
            here = self.step(here, written, || Then::Value(Value { member, next: Vec::new() }));
            if let Some(Step { then: Then::Value(value), .. }) = self.steps.get_mut(here)
                && repeats
                && !value.next.contains(&here)
            {
                // However many there are.
                value.next.insert(0, here);
            }
        }
        let separator = usize::try_from(record.start - record.before).unwrap_or(usize::MAX);
        let kind = || Box::new(Kind { separator, form: record.form, traits: traits.clone() });
        self.step(here, layout.end, || Then::End(kind()));
    }

    /// The step that leads on with what is `written`; a new one if there is none.
    fn step(&mut self, from: usize, written: &[u8], then: impl FnOnce() -> Then) -> usize {
        let is_it = |at: &usize| self.steps.get(*at).is_some_and(|step| *step.written == *written);
        let new = self.steps.len();
        let Some(Then::Value(here)) = self.steps.get(from).map(|step| &step.then) else { return new };
        if let Some(known) = here.next.iter().copied().find(is_it) {
            return known;
        }
        if let Some(Step { then: Then::Value(here), .. }) = self.steps.get_mut(from) {
            here.next.truncate(BRANCHES - 1);
            here.next.insert(0, new);
        }
        self.steps.push(Step { written: written.into(), then: then() });
        self.bytes += written.len();
        new
    }

    /// The record with which `window` begins, at byte `at` of the document, behind what separates it from the one before;
    /// nothing if it must be read token by token. Those that came before it are its `siblings`.
    #[inline]
    pub(super) fn read(&mut self, window: &[u8], at: u64, siblings: &Census) -> Option<Read<'_>> {
        if self.pause > 0 {
            return None;
        }
        self.told.clear_own();
        let steps = self.steps.as_mut_slice();
        let (mut here, mut rest) = (0, window);
        let end = 'record: loop {
            let Then::Value(value) = &steps.get(here)?.then else { return None };
            let mut nth = 0;
            // Only one step leads on: a value stands behind what is written before one, and nowhere else.
            let (next, behind, token, length) = loop {
                let next = *value.next.get(nth)?;
                let Step { written, then } = steps.get(next)?;
                if begins_with(rest, written) {
                    let behind = rest.get(written.len()..)?;
                    if let Then::End(_) = then {
                        rest = behind;
                        break 'record next;
                    }
                    if let Some((token, length)) = near_scalar(behind) {
                        break (next, behind, token, length);
                    }
                }
                nth += 1;
            };
            if nth > 0
                && let Then::Value(value) = &mut steps.get_mut(here)?.then
            {
                value.next.swap(0, nth);
            }
            here = next;
            let (bytes, after) = behind.split_at_checked(length)?;
            if let Then::Value(Value { member: Some((member, form)), .. }) = &mut steps.get_mut(here)?.then {
                let start = at + (window.len() - behind.len()) as u64;
                let siblings = (*form == Form::Map).then_some(siblings);
                if !member.is_silent(start, siblings) {
                    Scalar { token, start, bytes }.tell(member, siblings, &mut self.told);
                }
            }
            rest = after;
        };
        self.missed = 0;
        let Then::End(kind) = &mut steps.get_mut(end)?.then else { return None };
        let Kind { separator, form, traits } = kind.as_mut();
        traits.swap_own(&mut self.told);
        Some(Read { separator: *separator, length: window.len() - rest.len(), form: *form, traits })
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
    fn a_list_in_a_part_may_have_any_number_of_elements() {
        let mut alike = Alike::default();
        learn(&mut alike, r#",{"a":1,"l":["x","y","z"],"b":2}"#);
        learn(&mut alike, r#",{"a":1,"l":[1,[2,[3]]],"b":2}"#);
        learn(&mut alike, r#",{"a":1,"l":[{"x":1},[2,{"x":3}]],"b":2}"#);
        for list in ["[1,2]", "[1,2,3,4,\"x\"]", "[1,[2,[3]]]"] {
            let record = format!(r#",{{"a":1,"l":{list},"b":2}}"#);
            assert_eq!(length(&mut alike, &format!("{record},")), Some(record.len()), "{record}");
        }
        for list in ["[]", "[1]", "[1,2,]", "[1,[2]]", "[1,[2,[3,[4]]]]", "[{\"x\":1},{\"x\":2}]"] {
            assert_eq!(length(&mut alike, &format!(r#",{{"a":1,"l":{list},"b":2}},"#)), None, "{list}");
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
        assert!(alike.steps.len() <= MOST_STEPS);
    }
}
