//! The values that children have under their names, and how many have each.

use super::tree::Node;

/// So many names are told apart.
pub(super) const COLUMNS: usize = 64;
/// So many children of each sort are remembered.
pub(super) const EXAMPLES: usize = 3;

/// Children that have something in common.
#[derive(Debug, Clone)]
pub(super) struct Sort {
    pub(super) hash: u64,
    pub(super) count: u64,
    /// The first of them.
    pub(super) examples: Vec<Node>,
}

impl Sort {
    fn new(hash: u64) -> Sort {
        Sort { hash, count: 0, examples: Vec::new() }
    }

    #[inline]
    fn add(&mut self, node: &Node) {
        self.count += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(*node);
        }
    }
}

/// Adds `node` to the sort of `hash`; says no if that would be one sort too many.
#[inline(always)]
pub(super) fn sort_in(sorts: &mut Vec<Sort>, most: usize, hash: u64, node: &Node) -> bool {
    match sorts.first_mut() {
        // Mostly it is the most frequent one.
        Some(first) if first.hash == hash => {
            first.add(node);
            true
        }
        _ => sort_among_others(sorts, most, hash, node),
    }
}

fn sort_among_others(sorts: &mut Vec<Sort>, most: usize, hash: u64, node: &Node) -> bool {
    let found = match sorts.iter().position(|sort| sort.hash == hash) {
        Some(found) => found,
        None if sorts.len() < most => {
            sorts.push(Sort::new(hash));
            sorts.len() - 1
        }
        None => return false,
    };
    if let Some(sort) = sorts.get_mut(found) {
        sort.add(node);
    }
    // The frequent ones are found first next time.
    if found > 0 && sorts.get(found).zip(sorts.get(found - 1)).is_some_and(|(a, b)| a.count > b.count) {
        sorts.swap(found, found - 1);
    }
    true
}

/// What is known of the values that children have under one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// There are few different ones.
    Few,
    /// There are too many different ones to compare.
    Various,
}

/// The values under one name.
#[derive(Debug, Clone)]
pub(super) struct Values {
    name: u64,
    pub(super) seen: u64,
    pub(super) sorts: Vec<Sort>,
    pub(super) various: bool,
    /// The place of the name that came behind this one last.
    next: usize,
}

/// The values under all names, in the order in which these came first.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    values: Vec<Values>,
    /// The place of the name that came last.
    last: usize,
}

impl Columns {
    /// Starts again.
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.last = 0;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Values> {
        self.values.iter()
    }

    /// What is known of the values under `name`, and the place of that name; quick if it is the `hint`.
    #[inline]
    pub(super) fn of(&self, name: u64, hint: usize) -> Option<(usize, Column)> {
        let known = |values: &&Values| values.name == name;
        let (place, values) = match self.values.get(hint).filter(known) {
            Some(values) => (hint, values),
            None => self.values.iter().enumerate().find(|(_, values)| known(values))?,
        };
        Some((place, if values.various { Column::Various } else { Column::Few }))
    }

    /// Counts the value of `node` under a name, of which `most` may differ; quick where names come in the order in which
    /// they came last.
    #[inline]
    pub(super) fn add(&mut self, most: usize, (name, value): (u64, u64), node: &Node) {
        let expected = self.values.get(self.last).map_or(0, |last| last.next);
        let is_expected = self.values.get(expected).is_some_and(|values| values.name == name);
        let Some(place) = (if is_expected { Some(expected) } else { self.find(name) }) else { return };
        self.last = place;
        if let Some(values) = self.values.get_mut(place) {
            values.seen += 1;
            if !values.various && !sort_in(&mut values.sorts, most, value, node) {
                values.various = true;
                values.sorts = Vec::new();
            }
        }
    }

    /// The place of `name`, which comes behind the last one; a new one if there is room for it.
    fn find(&mut self, name: u64) -> Option<usize> {
        let known = self.values.iter().position(|values| values.name == name);
        let place = known.or((self.values.len() < COLUMNS).then_some(self.values.len()))?;
        if let Some(last) = self.values.get_mut(self.last) {
            last.next = place;
        }
        if known.is_none() {
            self.values.push(Values { name, seen: 0, sorts: Vec::new(), various: false, next: 0 });
        }
        Some(place)
    }
}
