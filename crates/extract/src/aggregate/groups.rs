//! The groups of records, and what is computed of each.

use std::collections::HashMap;

use offcut_core::notice;
use serde_json::Value;

use super::{Aggregation, Measure};

/// The most groups that are told apart; records of further ones count as [`OTHERS`].
const MOST: usize = 100_000;

/// The group of records that have no such key.
const NONE: &str = "(none)";

/// The group of records whose group came too late.
const OTHERS: &str = "(others)";

/// The characters of a group's name that are told.
const LONGEST_NAME: u64 = 200;

/// The groups so far.
#[derive(Debug)]
pub(super) struct Groups {
    aggregation: Aggregation,
    groups: HashMap<String, Group>,
    records: u64,
    numbers: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Group {
    count: u64,
    /// Numbers that were computed.
    numbers: u64,
    sum: f64,
    least: f64,
    greatest: f64,
}

impl Groups {
    pub(super) fn new(aggregation: Aggregation) -> Groups {
        Groups { aggregation, groups: HashMap::new(), records: 0, numbers: 0 }
    }

    /// Takes a record in.
    pub(super) fn push(&mut self, record: &Value) {
        let name = match &self.aggregation.group_by {
            Some(key) => lookup(record, key).map_or(NONE.to_owned(), written),
            None => String::new(),
        };
        let known = self.groups.len() < MOST || self.groups.contains_key(&name);
        let group = self.groups.entry(if known { name } else { OTHERS.to_owned() }).or_default();
        let number = self.aggregation.measure.as_ref().and_then(|(_, key)| number(lookup(record, key)?));
        self.records += 1;
        group.count += 1;
        if let Some(number) = number {
            self.numbers += 1;
            group.sum += number;
            group.least = if group.numbers == 0 { number } else { group.least.min(number) };
            group.greatest = if group.numbers == 0 { number } else { group.greatest.max(number) };
            group.numbers += 1;
        }
    }

    /// The groups as a table.
    pub(super) fn table(self) -> String {
        let Groups { aggregation, groups, records, numbers } = self;
        let Aggregation { group_by, measure, top } = aggregation;
        let mut rows: Vec<(String, Group)> = groups.into_iter().collect();
        if rows.is_empty() && group_by.is_none() {
            rows.push((String::new(), Group::default()));
        }
        let value = |group: &Group| measure.as_ref().and_then(|(measure, _)| group.value(*measure));
        rows.sort_by(|(a_name, a), (b_name, b)| {
            let order = |group: &Group| match measure {
                Some(_) => value(group).unwrap_or(f64::NEG_INFINITY),
                None => group.count as f64,
            };
            order(b).total_cmp(&order(a)).then_with(|| a_name.cmp(b_name))
        });
        let measured = measure.as_ref().map(|(measure, key)| format!("{}({key})", measure.name()));
        let heads = measured.into_iter().chain(["count".to_owned()]).chain(group_by.clone());
        let mut table = heads.collect::<Vec<String>>().join("\t") + "\n";
        for (name, group) in rows.iter().take(top) {
            let value = measure.as_ref().map(|_| value(group).map_or("-".to_owned(), shown));
            let name = group_by.as_ref().map(|_| notice::one_line(name, LONGEST_NAME));
            let cells = value.into_iter().chain([group.count.to_string()]).chain(name);
            table.push_str(&(cells.collect::<Vec<String>>().join("\t") + "\n"));
        }
        let all = rows.len();
        let of = match &group_by {
            Some(_) if all > top => format!("{top} of {all} groups of {records} records, the greatest first"),
            Some(_) => format!("{all} groups of {records} records"),
            None => format!("{records} records"),
        };
        let empty = measure.filter(|_| numbers == 0 && records > 0);
        let empty = empty.map_or(String::new(), |(_, key)| format!("; none of them has a number in `{key}`"));
        table + &format!("[{of}{empty}]\n")
    }
}

impl Group {
    fn value(&self, measure: Measure) -> Option<f64> {
        (self.numbers > 0).then(|| match measure {
            Measure::Sum => self.sum,
            Measure::Mean => self.sum / self.numbers as f64,
            Measure::Min => self.least,
            Measure::Max => self.greatest,
        })
    }
}

/// The value of a key: a member of that name, else one that a path of names leads to.
fn lookup<'v>(record: &'v Value, key: &str) -> Option<&'v Value> {
    record.get(key).or_else(|| key.split('.').try_fold(record, |value, name| value.get(name)))
}

/// A value as the name of a group.
fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The number that a value is, or that a column holds.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        other => other.as_f64(),
    }
}

/// A number without digits that say nothing.
fn shown(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
