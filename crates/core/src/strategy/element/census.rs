//! Counting the children of a container and noticing those that differ.
//!
//! A census keeps the first and the last children, and a few of every kind of difference: a rare shape (an extra
//! `error` key), a rare value in a column that has few values (another status), a severe word, an unusual length, the
//! largest and the smallest number of a column. What is inside the parts of a child counts as its own.
//! Its size does not depend on how many children there are.

use std::collections::VecDeque;

use super::columns::{Column, Columns, EXAMPLES, Sort, sort_in};
use super::numbers::Numbers;
use super::tree::{Family, Node, Shapes};

const SHAPES: usize = 64;
const COLUMNS: usize = 64;
const VALUES: usize = 16;
/// So many values may differ inside the parts of children: what is like a status is told by its few values.
const NESTED_VALUES: usize = 4;
/// The share of children, in percent, that must have the same for others to be rare, and what is inside their parts.
const COMMON: u64 = 50;
const NEARLY_ALL: u64 = 95;
/// Where frequent values together make up this share, others are rare, too.
const FREQUENT: u64 = 90;
const SEVERE: usize = 64;
/// So many severe children that say the same stay remembered where others have no place.
const SEVERE_ALIKE: usize = 3;
/// So many different messages are told apart.
const MESSAGES: usize = 128;
const ODD: usize = 48;
/// So many may differ in shape, value or length alone; severe ones are not counted here.
const RARE: usize = 8;
/// And so many more in what is inside their parts.
const NESTED_RARE: usize = 3;
/// A name is rare that one in so many children has.
const RARE_NAME: u64 = 100;
/// Below so many children nothing is rare.
const FEW: u64 = 6;
/// So many have the largest or the smallest number of a column, the largest of each column first.
const EXTREMES: usize = 8;
/// So many are shown where there is room because of what they show: what stands before a severe one, and one of each value
/// in columns that have few.
const SAMPLES: usize = 24;
/// How many of those before a severe one are remembered.
const BEFORE: usize = 2;
/// How notable a number is that is far from all others.
const FAR: u64 = 50;
/// What the shape of a part and whether it is empty are called among its values; small numbers are places in a list.
const SHAPE: u64 = u64::MAX;
const EMPTY: u64 = u64::MAX - 1;

/// What is known of a child beside its place.
#[derive(Debug, Default, Clone)]
pub(super) struct Traits {
    /// A hash of its names, in any order, or of its type.
    pub(super) shape: u64,
    /// Hashes of its short scalar members: name and value.
    pub(super) values: Vec<(u64, u64)>,
    /// The same of what is in its parts.
    pub(super) nested: Vec<(u64, u64)>,
    /// Its numbers, each with the hash of its name.
    pub(super) numbers: Vec<(u64, f64)>,
    /// How severe its words are.
    pub(super) severity: u32,
    /// The template of its message.
    pub(super) message: Option<u64>,
    /// The message of a part that says why: of `err` in a record, of `<failure>` in a test.
    pub(super) cause: Option<u64>,
}

impl Traits {
    /// Notes the template of a message; of several the first is its own.
    pub(super) fn push_message(&mut self, template: u64) {
        self.message = self.message.or(Some(template));
    }

    /// Takes over the message of a part that says why.
    pub(super) fn inherit_cause(&mut self, part: &Traits) {
        self.cause = self.cause.or(part.said());
    }

    /// Takes over the message of a part that is severe.
    pub(super) fn inherit_message(&mut self, part: &Traits) {
        if part.severity > 0 {
            self.inherit_cause(part);
        }
    }

    /// What it says, and why.
    fn said(&self) -> Option<u64> {
        match (self.message, self.cause) {
            (Some(message), Some(cause)) => Some(message.rotate_left(17) ^ cause),
            (message, cause) => message.or(cause),
        }
    }

    /// Notes a member's value; of a very wide record only the first.
    pub(super) fn push(&mut self, name: u64, value: u64) {
        if self.values.len() < COLUMNS {
            self.values.push((name, value));
        }
    }

    /// Notes a member's number.
    pub(super) fn push_number(&mut self, name: u64, number: f64) {
        if self.numbers.len() < COLUMNS {
            self.numbers.push((name, number));
        }
    }

    /// Notes whether a list is empty.
    pub(super) fn push_empty(&mut self, is_empty: bool) {
        self.nested.push((EMPTY, u64::from(is_empty)));
    }

    /// Notes a value of its part `name`.
    pub(super) fn push_inside(&mut self, name: u64, inner: u64, value: u64) {
        if self.nested.len() < COLUMNS {
            self.nested.push((inside(name, inner), value));
        }
    }

    /// Takes over what its part `name` is like.
    pub(super) fn nest(&mut self, name: u64, part: &Traits) {
        let inside = |inner: u64| inside(name, inner);
        let values = part.values.iter().chain(&part.nested);
        let known = values.map(|&(inner, value)| (inside(inner), value)).chain([(inside(SHAPE), part.shape)]);
        self.nested.extend(known.take(COLUMNS.saturating_sub(self.nested.len())));
    }

    /// Forgets what is in its parts, and its numbers: members of a map that have names differ anyway.
    pub(super) fn forget_parts(&mut self) {
        self.nested.clear();
        self.numbers.clear();
    }

    /// Forgets what its own members tell; what it is like, and what is in its parts, stays.
    pub(super) fn clear_own(&mut self) {
        self.values.clear();
        self.numbers.clear();
        self.severity = 0;
        self.message = None;
    }

    /// Exchanges what the own members of both tell.
    pub(super) fn swap_own(&mut self, other: &mut Traits) {
        std::mem::swap(&mut self.values, &mut other.values);
        std::mem::swap(&mut self.numbers, &mut other.numbers);
        std::mem::swap(&mut self.severity, &mut other.severity);
        std::mem::swap(&mut self.message, &mut other.message);
    }

    /// Forgets everything, to be used again.
    pub(super) fn clear(&mut self) {
        self.shape = 0;
        self.values.clear();
        self.nested.clear();
        self.numbers.clear();
        self.severity = 0;
        self.message = None;
        self.cause = None;
    }
}

/// What a value of a part is called among those of the whole.
fn inside(name: u64, inner: u64) -> u64 {
    name.rotate_left(7).wrapping_add(inner)
}

/// How notable children are.
#[derive(Debug, Default)]
struct Scores(Vec<(u64, Node)>);

impl Scores {
    fn add(&mut self, score: u64, node: &Node) {
        match self.0.iter_mut().find(|(_, known)| known.index == node.index) {
            Some((known, _)) => *known += score,
            None => self.0.push((score, *node)),
        }
    }

    /// The children with their scores, the most notable first.
    fn ranked(mut self) -> Vec<(u64, Node)> {
        self.0.sort_by_key(|(score, node)| (u64::MAX - score, node.index));
        self.0
    }
}

/// A child with severe words.
#[derive(Debug, Clone, Copy)]
struct Severe {
    severity: u32,
    message: Option<u64>,
    node: Node,
    /// Those before it, the nearest last.
    before: [Option<Node>; BEFORE],
}

impl Severe {
    fn says_the_same(&self, other: &Severe) -> bool {
        self.message.is_some() && self.message == other.message
    }
}

/// The count of a container's children so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Census {
    count: u64,
    containers: u64,
    bytes: u64,
    firsts: usize,
    lasts: usize,
    first: Vec<Node>,
    last: VecDeque<Node>,
    shapes: Vec<Sort>,
    more_shapes: bool,
    columns: Columns,
    nested: Columns,
    numbers: Vec<Numbers>,
    messages: Vec<Sort>,
    messages_seen: u64,
    more_messages: bool,
    severe: Vec<Severe>,
    /// How many of them are more than enough of those that say the same.
    spare: usize,
    severe_count: u64,
    longest: Option<Node>,
    /// The latest children.
    latest: [Option<Node>; BEFORE],
}

impl Census {
    /// Starts again, keeping at most so many of the first and of the last children.
    pub(super) fn start(&mut self, firsts: usize, lasts: usize) {
        self.count = 0;
        self.containers = 0;
        self.bytes = 0;
        self.firsts = firsts.max(1);
        self.lasts = lasts.max(1);
        self.first.clear();
        self.last.clear();
        self.shapes.clear();
        self.more_shapes = false;
        self.columns.clear();
        self.nested.clear();
        self.numbers.clear();
        self.messages.clear();
        self.messages_seen = 0;
        self.more_messages = false;
        self.severe.clear();
        self.spare = 0;
        self.severe_count = 0;
        self.longest = None;
        self.latest = [None; BEFORE];
    }

    /// How many children were counted.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Counts a child of which nothing but its place is known.
    pub(super) fn add(&mut self, node: Node) {
        self.count += 1;
        self.containers += u64::from(node.holds());
        self.bytes += node.bytes();
        if self.first.len() < self.firsts {
            self.first.push(node);
        } else {
            if self.last.len() == self.lasts {
                self.last.pop_front();
            }
            self.last.push_back(node);
        }
    }

    /// Counts a child and what it is like.
    pub(super) fn add_with(&mut self, node: Node, traits: &Traits) {
        self.add(node);
        if !sort_in(&mut self.shapes, SHAPES, traits.shape, &node) {
            self.more_shapes = true;
        }
        traits.values.iter().for_each(|&value| self.columns.add(VALUES, value, &node));
        traits.nested.iter().for_each(|&value| self.nested.add(NESTED_VALUES, value, &node));
        for (hint, &(name, number)) in traits.numbers.iter().enumerate() {
            self.note_number(name, number, hint, &node);
        }
        if let Some(message) = traits.said() {
            self.messages_seen += 1;
            // Where there are too many different ones nobody asks how many have each.
            self.more_messages = self.more_messages || !sort_in(&mut self.messages, MESSAGES, message, &node);
        }
        if traits.severity > 0 {
            self.severe_count += 1;
            let (severity, message, before) = (traits.severity, traits.said(), self.latest);
            self.note_severe(Severe { severity, message, node, before });
        }
        self.latest.rotate_left(1);
        self.latest.last_mut().into_iter().for_each(|latest| *latest = Some(node));
        if self.longest.is_none_or(|longest| node.bytes() > longest.bytes()) {
            self.longest = Some(node);
        }
    }

    /// What is known of the values under `name`, and the place of that name among those that are known; quick if that is
    /// the `hint`.
    #[inline]
    pub(super) fn column(&self, name: u64, hint: usize) -> Option<(usize, Column)> {
        self.columns.of(name, hint)
    }

    /// Notes a number; quick if it is that of the `hint`-th name.
    fn note_number(&mut self, name: u64, number: f64, hint: usize, node: &Node) {
        let hinted = self.numbers.get(hint).is_some_and(|numbers| numbers.name == name);
        let known = if hinted { Some(hint) } else { self.numbers.iter().position(|numbers| numbers.name == name) };
        if let Some(numbers) = known.and_then(|known| self.numbers.get_mut(known)) {
            numbers.add(number, node);
        } else if self.numbers.len() < COLUMNS {
            self.numbers.push(Numbers::of(name, number, node));
        }
    }

    /// How many of the severe children that are remembered say the same as this one.
    fn alike(&self, one: &Severe) -> usize {
        self.severe.iter().filter(|known| known.says_the_same(one)).count()
    }

    fn note_severe(&mut self, found: Severe) {
        let is_new = self.alike(&found) < SEVERE_ALIKE;
        if self.severe.len() < SEVERE {
            self.severe.push(found);
            self.spare += usize::from(!is_new);
            return;
        }
        // One of many that say the same makes room for what says something else; else the least severe, the last of
        // equals.
        let spare = if is_new && self.spare > 0 {
            self.severe.iter().rposition(|known| known.severity <= found.severity && self.alike(known) > SEVERE_ALIKE)
        } else {
            None
        };
        self.spare = match spare {
            Some(_) => self.spare - 1,
            None if is_new => 0,
            None => self.spare,
        };
        let least = || self.severe.iter().enumerate().min_by_key(|(at, known)| (known.severity, usize::MAX - at));
        let lesser = || least().filter(|(_, least)| least.severity < found.severity).map(|(at, _)| at);
        if let Some(at) = spare.or_else(lesser) {
            self.severe.remove(at);
            self.severe.push(found);
        }
    }

    /// The severe children: those that say something first, and those that say it again.
    fn severe(&self) -> (Vec<&Severe>, Vec<&Severe>) {
        let (mut first, mut again): (Vec<&Severe>, Vec<&Severe>) = Default::default();
        for found in &self.severe {
            let is_known = first.iter().any(|known| known.says_the_same(found));
            if is_known { again.push(found) } else { first.push(found) }
        }
        (first, again)
    }

    /// The children that differ most from the others, the most notable first.
    fn odd(&self) -> Vec<Node> {
        if self.count < FEW {
            return Vec::new();
        }
        let mut found = Scores::default();
        let mut note = |score: u64, node: &Node| found.add(score, node);
        // What a third of the children have is not a difference.
        let (severe, again) = if self.severe_count * 3 <= self.count { self.severe() } else { Default::default() };
        for Severe { severity, node, .. } in severe {
            note(u64::from(*severity) * 100, node);
        }
        if !self.more_messages && self.messages_seen * 2 >= self.count {
            note_rare(&self.messages, self.messages_seen, COMMON, &mut note);
        }
        if !self.more_shapes {
            note_rare(&self.shapes, self.count, COMMON, &mut note);
        }
        for column in self.columns.iter().filter(|column| !column.various && column.seen * 2 >= self.count) {
            note_rare(&column.sorts, column.seen, COMMON, &mut note);
        }
        // What hardly any child has at all.
        for column in self.columns.iter().filter(|column| column.seen * RARE_NAME <= self.count) {
            let examples = column.sorts.iter().flat_map(|sort| &sort.examples);
            examples.take(EXAMPLES).for_each(|node| note(20, node));
        }
        for numbers in self.numbers.iter().filter(|numbers| numbers.seen() * 2 >= self.count) {
            numbers.far().for_each(|node| note(FAR, node));
        }
        if let Some(longest) = &self.longest
            && longest.bytes() * self.count > self.bytes * 4
        {
            note(20, longest);
        }
        let mut rare = 0;
        let mut odd: Vec<Node> = Vec::new();
        for (score, node) in found.ranked() {
            rare += usize::from(score < 100);
            if score >= 100 || rare <= RARE {
                odd.push(node);
            }
        }
        let mut inside = Scores::default();
        for column in self.nested.iter().filter(|column| !column.various && column.seen * 2 >= self.count) {
            note_rare(&column.sorts, column.seen, NEARLY_ALL, &mut |score, node| inside.add(score, node));
        }
        let others = inside.ranked().into_iter().map(|(_, node)| node);
        let others: Vec<Node> = others.filter(|node| odd.iter().all(|known| known.index != node.index)).collect();
        odd.extend(others.into_iter().take(NESTED_RARE).map(|node| Node { differs_inside: true, ..node }));
        let again = again.into_iter().filter(|severe| odd.iter().all(|known| known.index != severe.node.index));
        let again: Vec<Node> = again.map(|severe| severe.node).collect();
        odd.extend(again);
        odd.truncate(ODD);
        odd
    }

    /// The children that are worth a look where there is room: with the largest number of each column, then with the
    /// smallest, those before a severe one, and one of each value in columns that have few.
    fn samples(&self) -> Vec<Node> {
        let columns = || self.numbers.iter().filter(|numbers| self.count >= FEW && numbers.seen() * 2 >= self.count);
        let mut found: Vec<Node> = Vec::new();
        for node in columns().filter_map(Numbers::largest).chain(columns().filter_map(Numbers::smallest)) {
            if found.len() < EXTREMES && found.iter().all(|known| known.index != node.index) {
                found.push(*node);
            }
        }
        // Among events of several sorts those before a failure may say why; among records that are alike they say nothing.
        let are_events = self.shapes.len() > 1 || self.messages_seen > 0;
        let severe = if are_events { self.severe().0 } else { Vec::new() };
        let before = severe.into_iter().flat_map(|severe| severe.before.iter().rev().flatten());
        let columns = self.columns.iter().filter(|column| !column.various && column.seen * 2 >= self.count);
        let messages = if self.more_messages { &[][..] } else { self.messages.as_slice() };
        let sorts = messages.iter().chain(columns.flat_map(|column| &column.sorts));
        for node in before.chain(sorts.filter_map(|sort| sort.examples.first())) {
            if found.len() < EXTREMES + SAMPLES && found.iter().all(|known| known.index != node.index) {
                found.push(*node);
            }
        }
        found
    }

    /// The family that was counted.
    pub(super) fn family(&self) -> Family {
        let last: Vec<Node> = self.last.iter().copied().collect();
        let common = self.shapes.iter().max_by_key(|sort| (sort.count, usize::MAX - sort.examples.len()));
        Family {
            shapes: Shapes {
                different: self.shapes.len() as u64 + u64::from(self.more_shapes),
                example: common.and_then(|sort| sort.examples.first()).copied(),
            },
            records: self.containers * 2 > self.count,
            ..Family::of(self.count, &self.first, &last, &self.odd(), &self.samples())
        }
    }
}

/// Notes the examples of sorts that are rare beside one that at least `common` percent of `seen` belong to, or beside
/// frequent ones that nearly all belong to.
fn note_rare(sorts: &[Sort], seen: u64, common: u64, note: &mut impl FnMut(u64, &Node)) {
    let most = sorts.iter().map(|sort| sort.count).max().unwrap_or(0);
    let rare = (seen / 20).max(1);
    let frequent: u64 = sorts.iter().map(|sort| sort.count).filter(|count| *count > rare).sum();
    if most * 100 < seen * common && frequent * 100 < seen * common.max(FREQUENT) {
        return;
    }
    for sort in sorts.iter().filter(|sort| sort.count <= rare && sort.count < most) {
        // The rarer, the more notable: 20 for one in ten, 60 for one in a thousand.
        let score = 20 * u64::from((seen / sort.count).max(1).ilog10()).max(1);
        for (nth, node) in sort.examples.iter().enumerate() {
            note(score / (nth as u64 + 1), node);
        }
    }
}

/// A hash of short bytes; the same everywhere and always.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = SEED ^ bytes.len() as u64;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = (state ^ u64::from_le_bytes(*word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        state ^= state >> 32;
    }
    let mut last = 0;
    for &byte in rest {
        last = last << 8 | u64::from(byte);
    }
    state = (state ^ last).wrapping_mul(0xff51_afd7_ed55_8ccd);
    state ^ state >> 29
}
