//! Choosing which nodes of a tree to show, best first, until the budget is spent.
//!
//! Every node has a worth that is at most its parent's. The chooser starts with the root folded and shows one more
//! node at a time, the most worthy first, as long as it fits; costs are exact or slightly too high, never too low.

mod worth;

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::ops::Range;

use super::differing;
use super::format::{Body, Format, ShownNode};
use super::gaps::{Gaps, digits_of, mark_key};
use super::mention;
use super::tree::{Family, Form, Node, Notable};
use crate::document::Document;
use crate::hash::Plain;
use crate::strategy::{CutError, Settings};
use crate::text;

/// A container up to this many bytes is shown whole or not at all.
const TINY: u64 = 72;
/// A record up to this many characters is shown whole or not at all, where that is no more than this share of the limit:
/// half of its members do not tell what it says.
const WHOLE_RECORD: u64 = 200;
const WHOLE_RECORD_SHARE: u64 = 8;
/// The same of a record that differs from its neighbours.
const WHOLE_DIFFERING: u64 = 400;
const WHOLE_DIFFERING_SHARE: u64 = 6;
/// The same share of a record that differs by what is in its parts: only whole it tells how.
const DIFFERING_SHARE: u64 = 3;
/// What makes a record differ is shown first where it takes no more than this share.
const DIFFERING_PARTS: u64 = 6;
/// A member of a record up to this many bytes may be its name.
const SHORT_MEMBER: u64 = 120;
/// How often names that are mentioned are looked for.
const MENTIONS: usize = 2;
/// Less than one in so many characters of the limit is too little room to open what lies deep.
const LITTLE_ROOM: u64 = 20;
/// A text up to this many characters is shown whole at once.
const SHORT_TEXT: u64 = 200;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// Show this child of a shown container.
    Show { parent: usize, child: usize },
    /// Show more of a text that is shortened.
    Lengthen { id: usize },
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Wish {
    worth: f64,
    order: u64,
    step: Step,
}

impl Eq for Wish {}

impl PartialOrd for Wish {
    fn partial_cmp(&self, other: &Wish) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Wish {
    fn cmp(&self, other: &Wish) -> Ordering {
        self.worth.total_cmp(&other.worth).then(other.order.cmp(&self.order))
    }
}

/// The choice: the nodes that are shown, the root first.
pub(super) struct Chooser<'a, F> {
    document: &'a dyn Document,
    settings: &'a Settings,
    format: &'a mut F,
    /// Whether costs are bytes instead of characters.
    in_bytes: bool,
    pub(super) shown: Vec<ShownNode>,
    wishes: BinaryHeap<Wish>,
    order: u64,
    spent: u64,
    limit: u64,
    /// How many levels deeper than the settings say containers are opened, where there is room.
    deeper: u64,
    /// Where members start whose names are mentioned elsewhere.
    mentioned: BTreeSet<u64>,
    /// Where parts start that make a record differ from its neighbours, and what holds them.
    differing: BTreeSet<u64>,
    /// What the marks of gaps cost, by where their container is and how many digits their number has; 0 for one element.
    marks: RefCell<HashMap<u64, u64, Plain>>,
}

impl<'a, F: Format> Chooser<'a, F> {
    /// Chooses what to show of the tree below `root` within `limit` characters (or bytes).
    pub(super) fn choose(
        document: &'a dyn Document,
        settings: &'a Settings,
        format: &'a mut F,
        root: Node,
        limit: u64,
        in_bytes: bool,
    ) -> Result<Vec<ShownNode>, CutError> {
        let mut chooser = Chooser {
            document,
            settings,
            format,
            in_bytes,
            shown: Vec::new(),
            wishes: BinaryHeap::new(),
            order: 0,
            spent: 0,
            limit,
            deeper: 0,
            mentioned: BTreeSet::new(),
            differing: BTreeSet::new(),
            marks: RefCell::default(),
        };
        chooser.start(root)?;
        // What is mentioned may mention others.
        for _ in 0..if settings.adaptive { MENTIONS } else { 0 } {
            let mentioned = mention::members(document, &*chooser.format, &chooser.shown)?;
            if mentioned.is_subset(&chooser.mentioned) {
                break;
            }
            chooser.mentioned = mentioned;
            chooser.start(root)?;
        }
        Ok(chooser.shown)
    }

    /// Chooses from the beginning.
    fn start(&mut self, root: Node) -> Result<(), CutError> {
        self.shown.clear();
        self.wishes.clear();
        self.order = 0;
        self.deeper = 0;
        let Some(shown) = self.shown_as(root, "structure", 1, 0, 1.0)? else {
            return Err(CutError::Shape("a value that is too long to be shown cannot be shortened".into()));
        };
        if shown.cost > self.limit {
            return Err(CutError::Shape(format!("there is no room for any element in {} characters", self.limit)));
        }
        self.spent = shown.cost;
        self.accept(shown);
        self.run()?;
        if self.settings.adaptive {
            self.go_deeper()?;
            self.close_dear_gaps()?;
        }
        Ok(())
    }

    /// Opens what was folded for its depth, level by level, while there is room and a level has something that fits.
    fn go_deeper(&mut self) -> Result<(), CutError> {
        while self.limit.saturating_sub(self.spent) >= self.limit / LITTLE_ROOM && self.deeper < self.format.deepest() {
            let folded = |shown: &ShownNode| self.too_deep(shown.level, shown.record_level);
            let ids: Vec<usize> = (0..).zip(&self.shown).filter(|(_, shown)| folded(shown)).map(|(id, _)| id).collect();
            let known = self.shown.len();
            self.deeper += 1;
            ids.into_iter().for_each(|id| self.wish_for_children(id));
            self.run()?;
            if self.shown.len() == known {
                break;
            }
        }
        Ok(())
    }

    /// Shows children that take no more room than the mark that stands for them alone.
    fn close_dear_gaps(&mut self) -> Result<(), CutError> {
        for parent in 0..self.shown.len() {
            let Some(ShownNode { body: Body::Open { family, shown }, .. }) = self.shown.get(parent) else { continue };
            let hidden = family.children.iter().enumerate().filter(|(_, (node, _))| !shown.contains_key(&node.index));
            let may_be = |(_, (node, _)): &(usize, &(Node, Notable))| node.salience >= 0 && !node.holds();
            let hidden: Vec<(usize, Node)> = hidden.filter(may_be).map(|(child, (node, _))| (child, *node)).collect();
            let mut gaps = Gaps::around(shown);
            let inner = self.shown.get(parent).map_or(0.0, |shown| shown.inner);
            for (child, node) in hidden {
                if self.surely_grows(parent, &node, &mut gaps) {
                    continue;
                }
                let growth = self.growth(parent, &node);
                if growth > 0 {
                    continue;
                }
                let grown = i64::try_from(self.cost_of(node.range())?).unwrap_or(i64::MAX);
                if grown.saturating_add(growth) <= 0 {
                    self.show(parent, child, inner)?;
                    if let Some(ShownNode { body: Body::Open { shown, .. }, .. }) = self.shown.get(parent) {
                        gaps = Gaps::around(shown);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a gap of a container would become two if `node` were shown, whose marks take more than its own does.
    fn surely_grows(&self, parent: usize, node: &Node, gaps: &mut Gaps) -> bool {
        let Some(ShownNode { node: container, body: Body::Open { family, .. }, .. }) = self.shown.get(parent) else {
            return false;
        };
        let Some((next, until)) = gaps.of(node.index, family.count) else { return false };
        let (before, behind) = (node.index.saturating_sub(next), until.saturating_sub(node.index + 1));
        if gaps.shown.is_empty() || before == 0 || behind == 0 {
            return false;
        }
        let mut mark = |count: u64| {
            let digits = digits_of(count);
            let known = gaps.marks.get(digits as usize).copied().flatten();
            known.unwrap_or_else(|| {
                let mark = self.mark_cost(container, family, count);
                gaps.marks.get_mut(digits as usize).into_iter().for_each(|known| *known = Some(mark));
                mark
            })
        };
        mark(before) + mark(behind) > mark(until - next)
    }

    /// What the mark of `count` elements of a container costs.
    fn mark_cost(&self, container: &Node, family: &Family, count: u64) -> u64 {
        let cost = || self.cost_of_text(&self.format.gap(container, family, count, 99));
        *self.marks.borrow_mut().entry(mark_key(container.value, digits_of(count))).or_insert_with(cost)
    }

    fn run(&mut self) -> Result<(), CutError> {
        while let Some(wish) = self.wishes.pop() {
            if self.spent >= self.limit {
                break;
            }
            match wish.step {
                Step::Show { parent, child } => self.show(parent, child, wish.worth)?,
                Step::Lengthen { id } => self.lengthen(id)?,
            }
        }
        Ok(())
    }

    /// The cost of the document's text in `range`, or more than the limit where it is surely too long.
    fn cost_of(&self, range: Range<u64>) -> Result<u64, CutError> {
        let bytes = range.end - range.start;
        if self.in_bytes || bytes > self.limit.saturating_mul(4) {
            return Ok(bytes);
        }
        Ok(text::chars(&self.document.read(range)?))
    }

    fn cost_of_text(&self, inserted: &str) -> u64 {
        if self.in_bytes { inserted.len() as u64 } else { text::chars(inserted) }
    }

    /// How `node` would be shown at first; `None` if it is too long in every way.
    fn shown_as(
        &mut self,
        node: Node,
        why: &'static str,
        level: u64,
        record_level: u64,
        inner: f64,
    ) -> Result<Option<ShownNode>, CutError> {
        let whole = self.cost_of(node.range())?;
        let shown = |body, cost| ShownNode {
            node,
            body,
            why,
            level,
            record_level,
            element: false,
            is_severe: false,
            inner,
            cost,
        };
        let too_deep = self.too_deep(level, record_level);
        match node.form {
            Form::Scalar => Ok(Some(shown(Body::Whole, whole))),
            Form::Text if whole <= SHORT_TEXT => Ok(Some(shown(Body::Whole, whole))),
            Form::Text => match self.format.shorten(&node, SHORT_TEXT.min(self.limit / 3))? {
                None => Ok((whole <= self.limit).then(|| shown(Body::Whole, whole))),
                Some(short) => {
                    let cost = self.cost_of(node.start..short.omit.start)?
                        + self.cost_of_text(&short.mark)
                        + self.cost_of(short.omit.end..node.end)?;
                    Ok(Some(if cost < whole { shown(Body::Short(short), cost) } else { shown(Body::Whole, whole) }))
                }
            },
            Form::List | Form::Map => {
                let family = self.format.family(&node)?;
                if family.count == 0 || (node.bytes() <= TINY && !too_deep) {
                    return Ok(Some(shown(Body::Whole, whole)));
                }
                let cost = self.cost_of(node.start..node.value)? + self.folded_cost(&node, &family);
                if whole <= cost {
                    return Ok(Some(shown(Body::Whole, whole)));
                }
                Ok(Some(shown(Body::Open { family: Box::new(family), shown: BTreeMap::new() }, cost)))
            }
        }
    }

    /// Whether a container at this level stays folded.
    fn too_deep(&self, level: u64, record_level: u64) -> bool {
        if self.settings.adaptive {
            let depth = self.settings.max_depth.saturating_add(self.deeper);
            level > self.format.deepest() || (record_level > depth && self.format.depth_counts())
        } else {
            level > self.settings.max_depth.min(self.format.deepest())
        }
    }

    /// Whether any child of a container may be shown.
    fn opens(&self, shown: &ShownNode) -> bool {
        let (level, record_level) = (shown.level, shown.record_level);
        !self.too_deep(level, record_level)
            || (self.settings.adaptive && !self.too_deep(level, record_level.saturating_sub(1)))
    }

    /// Takes a node in and wishes for its children.
    fn accept(&mut self, shown: ShownNode) -> usize {
        let id = self.shown.len();
        self.shown.push(shown);
        self.wish_for_children(id);
        id
    }

    /// Wishes for what is not shown yet of a node that is.
    fn wish_for_children(&mut self, id: usize) {
        let Some(shown) = self.shown.get(id) else { return };
        let mut wishes = Vec::new();
        match &shown.body {
            Body::Whole => {}
            Body::Short(_) => wishes.push((shown.inner * 0.5, Step::Lengthen { id })),
            Body::Open { family, .. } if self.opens(shown) => {
                // What lies one level too deep still says what it is: its plain members may be shown.
                let plain = self.too_deep(shown.level, shown.record_level);
                let children = family.children.iter().enumerate().filter(|(_, (node, _))| !(plain && node.holds()));
                for (child, (node, notable)) in children {
                    if let Some(worth) = self.worth(shown, family, node, *notable) {
                        wishes.push((worth, Step::Show { parent: id, child }));
                    }
                }
            }
            Body::Open { .. } => {}
        }
        for (worth, step) in wishes {
            self.order += 1;
            self.wishes.push(Wish { worth, order: self.order, step });
        }
    }

    fn show(&mut self, parent_id: usize, child: usize, worth: f64) -> Result<(), CutError> {
        let Some(parent) = self.shown.get(parent_id) else { return Ok(()) };
        let Body::Open { family, shown } = &parent.body else { return Ok(()) };
        let Some((node, notable)) = family.children.get(child).copied() else { return Ok(()) };
        if shown.contains_key(&node.index) || !self.format.may_show(&node) {
            return Ok(());
        }
        let all = family.count <= family.children.len() as u64
            && family.count <= self.settings.first_elements + self.settings.last_elements;
        let differs = parent.node.form == Form::List && matches!(notable, Notable::Odd(_));
        let is_severe = self.settings.adaptive && node.is_severe && (differs || parent.is_severe);
        let tells = self.differing.contains(&node.start);
        let record_level = match (parent.node.form, parent.record_level) {
            // However deep it lies, it is why the element is shown.
            _ if is_severe || tells => 0,
            // What stands beside it is folded one level below it.
            _ if parent.is_severe || self.differing.contains(&parent.node.start) => self.settings.max_depth,
            (_, 1..) => parent.record_level + 1,
            (Form::List, 0) if family.records && !all => 2,
            _ => 0,
        };
        let why = match (parent.node.form, notable) {
            (_, Notable::Odd(_)) => "differs from its neighbours",
            (Form::List, Notable::Sample(_)) => "sample",
            (Form::List, Notable::First(_)) => "first elements",
            (Form::List, Notable::Last(_)) => "last elements",
            _ => "structure",
        };
        // The records of a map are told apart by their names; how much of each is shown falls off faster.
        let inner = match (parent.node.form, notable) {
            (Form::Map, Notable::First(_) | Notable::Last(_) | Notable::Sample(_))
                if family.records && family.count > 8 && self.format.has_named_records() =>
            {
                worth * decay(node.index, 0.35)
            }
            // That a member differs from the others makes it no more telling than all of their names.
            (Form::Map, Notable::Odd(_))
                if self.format.has_named_records() && (!family.records || family.count <= self.few()) =>
            {
                worth * 0.8
            }
            _ => worth,
        };
        let level = parent.level + 1;
        let element = parent.node.form == Form::List;
        let Some(mut candidate) = self.shown_as(node, why, level, record_level, inner)? else { return Ok(()) };
        if element && node.form == Form::Map && !self.too_deep(level, record_level) && self.settings.adaptive {
            let whole = self.cost_of(node.range())?;
            let short = if differs {
                whole <= WHOLE_DIFFERING.min(self.limit / WHOLE_DIFFERING_SHARE)
            } else {
                whole <= WHOLE_RECORD.min(self.limit / WHOLE_RECORD_SHARE)
            };
            if short || (node.differs_inside && whole <= self.limit / DIFFERING_SHARE) {
                (candidate.body, candidate.cost) = (Body::Whole, whole);
            }
        }
        if self.settings.adaptive && differs && node.form == Form::Map && matches!(candidate.body, Body::Open { .. }) {
            self.note_differing(parent_id, &node)?;
        }
        let grown = self.spent.saturating_add(candidate.cost).saturating_add_signed(self.growth(parent_id, &node));
        if grown > self.limit {
            return Ok(());
        }
        self.spent = grown;
        candidate.element = element;
        candidate.is_severe = is_severe;
        let index = node.index;
        let id = self.accept(candidate);
        if let Some(ShownNode { body: Body::Open { shown, .. }, .. }) = self.shown.get_mut(parent_id) {
            shown.insert(index, id);
        }
        if element { self.show_name(id) } else { Ok(()) }
    }

    /// Notes which parts of a record that is not shown whole make it differ from two usual ones beside it.
    fn note_differing(&mut self, parent: usize, odd: &Node) -> Result<(), CutError> {
        let Some(ShownNode { body: Body::Open { family, .. }, .. }) = self.shown.get(parent) else { return Ok(()) };
        let is_usual = |(node, notable): &&(Node, Notable)| {
            node.form == odd.form && matches!(notable, Notable::First(_) | Notable::Last(_))
        };
        let mut usual = family.children.iter().filter(is_usual).map(|(node, _)| *node);
        if let (true, Some(first), Some(second)) = (family.records, usual.next(), usual.next()) {
            let parts =
                differing::parts(self.document, self.format, odd, [&first, &second], self.limit / DIFFERING_PARTS)?;
            self.differing.extend(parts);
        }
        Ok(())
    }

    /// Shows what a record is called together with the record: folded it would say nothing.
    fn show_name(&mut self, id: usize) -> Result<(), CutError> {
        let Some(ShownNode { body: Body::Open { family, .. }, node, inner, .. }) = self.shown.get(id) else {
            return Ok(());
        };
        if node.form != Form::Map {
            return Ok(());
        }
        let name = family.children.iter().position(|(child, _)| !child.holds() && child.bytes() <= SHORT_MEMBER);
        let worth = *inner;
        match name {
            Some(child) if self.shown.get(id).is_some_and(|shown| self.opens(shown)) => self.show(id, child, worth),
            _ => Ok(()),
        }
    }

    /// The cost of a container of which no child is shown.
    fn folded_cost(&self, node: &Node, family: &Family) -> u64 {
        match (family.children.first(), family.children.last()) {
            (Some((first, _)), Some((last, _))) if self.format.frame_stays(node) => {
                let gap = self.cost_of_text(&self.format.gap(node, family, family.count, 0));
                (first.start - node.value) + gap + (node.end - last.end)
            }
            _ => self.cost_of_text(&self.format.folded(node, family)),
        }
    }

    /// How much a container's own text (brackets, separators, gaps) grows when `node` is shown in it, too.
    fn growth(&self, id: usize, node: &Node) -> i64 {
        let Some(parent) = self.shown.get(id) else { return 0 };
        let Body::Open { family, shown } = &parent.body else { return 0 };
        let (Some((first, _)), Some((last, _))) = (family.children.first(), family.children.last()) else { return 0 };
        let node_of = |id: &usize| self.shown.get(*id).map(|shown| shown.node);
        let before = shown.range(..node.index).next_back().and_then(|(_, id)| node_of(id));
        let after = shown.range(node.index + 1..).next().and_then(|(_, id)| node_of(id));
        let gap = |from: Option<&Node>, to: Option<&Node>| self.gap_cost(parent, family, last, from, to);
        let with = gap(before.as_ref(), Some(node)) + gap(Some(node), after.as_ref());
        let (with, without) = if shown.is_empty() {
            let brackets = (first.start - parent.node.value) + (parent.node.end - last.end);
            (with + brackets, self.folded_cost(&parent.node, family))
        } else {
            (with, gap(before.as_ref(), after.as_ref()))
        };
        i64::try_from(with).unwrap_or(i64::MAX) - i64::try_from(without).unwrap_or(i64::MAX)
    }

    /// The cost of what stands between two shown siblings.
    fn gap_cost(
        &self,
        parent: &ShownNode,
        family: &Family,
        last: &Node,
        from: Option<&Node>,
        to: Option<&Node>,
    ) -> u64 {
        let next = from.map_or(0, |node| node.index + 1);
        let until = to.map_or(family.count, |node| node.index);
        let separator = |node: &Node| node.start - node.before;
        if next >= until {
            return match (from, to) {
                (Some(_), Some(to)) => separator(to),
                _ => 0,
            };
        }
        let mark = self.mark_cost(&parent.node, family, until - next);
        match (from, to) {
            (Some(_), Some(to)) => 2 * separator(to) + mark,
            (None, Some(to)) => mark + separator(to),
            (Some(_), None) => separator(last) + mark,
            (None, None) => mark,
        }
    }

    /// Shows a shortened text whole if that fits, or else twice as much of it.
    fn lengthen(&mut self, id: usize) -> Result<(), CutError> {
        let Some(shown) = self.shown.get(id) else { return Ok(()) };
        let (node, cost, inner) = (shown.node, shown.cost, shown.inner);
        let whole = self.cost_of(node.range())?;
        let left = self.limit - self.spent;
        if whole.saturating_sub(cost) <= left && whole <= self.limit / 4 + SHORT_TEXT {
            self.spent = (self.spent + whole) - cost;
            if let Some(shown) = self.shown.get_mut(id) {
                shown.body = Body::Whole;
                shown.cost = whole;
            }
            return Ok(());
        }
        let room = cost * 2;
        if room > self.limit / 2 {
            return Ok(());
        }
        let Some(short) = self.format.shorten(&node, room)? else { return Ok(()) };
        let longer = self.cost_of(node.start..short.omit.start)?
            + self.cost_of_text(&short.mark)
            + self.cost_of(short.omit.end..node.end)?;
        if longer <= cost || longer - cost > left {
            return Ok(());
        }
        self.spent = self.spent + longer - cost;
        if let Some(shown) = self.shown.get_mut(id) {
            shown.body = Body::Short(short);
            shown.cost = longer;
        }
        self.order += 1;
        self.wishes.push(Wish { worth: inner * 0.25, order: self.order, step: Step::Lengthen { id } });
        Ok(())
    }
}

/// How worth falls off with rank.
fn decay(rank: u64, power: f64) -> f64 {
    ((1 + rank) as f64).powf(-power)
}
