//! The groups of records, and what is computed of each.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use super::condition::number;
use super::fields::Fields;
use super::sorted::{Sorted, shown_number};
use super::{Aggregation, Cell, Measure};

/// The most groups that are told apart; records of further ones count as [`OTHERS`].
const MOST: usize = 100_000;

/// The group of records that have no such key.
const NONE: &str = "(none)";

/// The group of records whose group came too late.
const OTHERS: &str = "(others)";

/// The groups so far.
#[derive(Debug)]
pub(super) struct Groups {
    aggregation: Arc<Aggregation>,
    /// By their values, each with its length before it.
    groups: HashMap<String, RecordGroup>,
    name: String,
}

#[derive(Debug, Clone, Default)]
struct RecordGroup {
    /// The values that make it.
    values: Vec<Option<String>>,
    count: u64,
    /// For each column, what it is computed of.
    sums: Vec<Sums>,
}

#[derive(Debug, Clone, Default)]
struct Sums {
    present: u64,
    numbers: u64,
    sum: f64,
    least: f64,
    greatest: f64,
    /// The least or greatest text, where that is asked for.
    text: Option<String>,
}

impl Groups {
    pub(super) fn new(aggregation: &Arc<Aggregation>) -> Groups {
        Groups { aggregation: aggregation.clone(), groups: HashMap::new(), name: String::new() }
    }

    /// Takes a record in.
    pub(super) fn push(&mut self, fields: &Fields) {
        let aggregation = &self.aggregation;
        self.name.clear();
        for key in &aggregation.group_by {
            match fields.get(*key) {
                // Writing to a string does not fail.
                Some(value) => drop(write!(self.name, "{}:{value}", value.len())),
                None => self.name.push('-'),
            }
        }
        if !self.groups.contains_key(&self.name) {
            let known = self.groups.len() < MOST;
            let values = aggregation.group_by.iter().map(|key| match known {
                true => fields.get(*key).map(str::to_owned),
                false => Some(OTHERS.to_owned()),
            });
            if !known {
                OTHERS.clone_into(&mut self.name);
            }
            let sums = vec![Sums::default(); aggregation.columns.len()];
            self.groups.entry(self.name.clone()).or_insert_with(|| RecordGroup {
                values: values.collect(),
                count: 0,
                sums,
            });
        }
        let Some(group) = self.groups.get_mut(&self.name) else { return };
        group.count += 1;
        for (column, sums) in aggregation.columns.iter().zip(&mut group.sums) {
            match column.cell {
                Cell::Measure(measure, key) => sums.push(measure, fields.get(key)),
                Cell::CountOf(key) => sums.present += u64::from(fields.get(key).is_some()),
                Cell::Key(_) | Cell::Record | Cell::Count => {}
            }
        }
    }

    /// Takes the groups of other records in.
    pub(super) fn merge(&mut self, other: Groups) {
        // In an order that does not depend on the hashes, since only so many groups are told apart.
        let mut groups: Vec<(String, RecordGroup)> = other.groups.into_iter().collect();
        groups.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, group) in groups {
            let known = self.groups.len() < MOST || self.groups.contains_key(&name);
            let name = if known { name } else { OTHERS.to_owned() };
            let into = self.groups.entry(name).or_insert_with(|| {
                let others = || group.values.iter().map(|_| Some(OTHERS.to_owned())).collect();
                let values = if known { group.values.clone() } else { others() };
                RecordGroup { values, count: 0, sums: vec![Sums::default(); group.sums.len()] }
            });
            into.count += group.count;
            for ((column, into), from) in self.aggregation.columns.iter().zip(&mut into.sums).zip(&group.sums) {
                into.merge(column.cell, from);
            }
        }
    }

    /// The groups as rows that can be sorted, and how many there are.
    pub(super) fn rows(self) -> Vec<Vec<Sorted>> {
        let aggregation = self.aggregation.clone();
        let mut groups: Vec<RecordGroup> = self.groups.into_values().collect();
        if groups.is_empty() && aggregation.group_by.is_empty() {
            groups
                .push(RecordGroup { sums: vec![Sums::default(); aggregation.columns.len()], ..RecordGroup::default() });
        }
        // What is sorted by nothing else stands in the order of its values.
        groups.sort_by(|a, b| values(a).cmp(values(b)));
        groups.into_iter().map(|group| group.row(&aggregation)).collect()
    }
}

fn values(group: &RecordGroup) -> impl Iterator<Item = &str> {
    group.values.iter().map(|value| value.as_deref().unwrap_or(NONE))
}

impl RecordGroup {
    fn row(&self, aggregation: &Aggregation) -> Vec<Sorted> {
        let cells = aggregation.columns.iter().zip(&self.sums).map(|(column, sums)| match column.cell {
            Cell::Key(key) => {
                let place = aggregation.group_by.iter().position(|by| *by == key);
                let value = place.and_then(|place| self.values.get(place)).and_then(Option::as_deref);
                Sorted::text(value.unwrap_or(NONE))
            }
            Cell::Record => Sorted::missing(),
            Cell::Count => Sorted::number(self.count as f64, self.count.to_string()),
            Cell::CountOf(_) => Sorted::number(sums.present as f64, sums.present.to_string()),
            Cell::Measure(measure, _) => sums.cell(measure),
        });
        cells.collect()
    }
}

impl Sums {
    fn push(&mut self, measure: Measure, value: Option<&str>) {
        let Some(value) = value else { return };
        self.present += 1;
        match number(value) {
            Some(number) => {
                self.add(&Sums { numbers: 1, sum: number, least: number, greatest: number, ..Sums::default() })
            }
            None => self.add_text(measure, value),
        }
    }

    fn merge(&mut self, cell: Cell, from: &Sums) {
        self.present += from.present;
        self.add(from);
        if let (Cell::Measure(measure, _), Some(text)) = (cell, &from.text) {
            self.add_text(measure, text);
        }
    }

    fn add(&mut self, from: &Sums) {
        if from.numbers == 0 {
            return;
        }
        self.sum += from.sum;
        self.least = if self.numbers == 0 { from.least } else { self.least.min(from.least) };
        self.greatest = if self.numbers == 0 { from.greatest } else { self.greatest.max(from.greatest) };
        self.numbers += from.numbers;
    }

    fn add_text(&mut self, measure: Measure, text: &str) {
        let better = match measure {
            Measure::Min => Ordering::Less,
            Measure::Max => Ordering::Greater,
            Measure::Sum | Measure::Mean => return,
        };
        if self.text.as_deref().is_none_or(|known| text.cmp(known) == better) {
            self.text = Some(text.to_owned());
        }
    }

    fn cell(&self, measure: Measure) -> Sorted {
        if self.numbers == 0 {
            return self.text.as_deref().map_or_else(Sorted::missing, Sorted::text);
        }
        let number = match measure {
            Measure::Sum => self.sum,
            Measure::Mean => self.sum / self.numbers as f64,
            Measure::Min => self.least,
            Measure::Max => self.greatest,
        };
        Sorted::number(number, shown_number(number))
    }
}
