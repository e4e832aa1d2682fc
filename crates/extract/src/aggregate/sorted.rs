//! The cells of a result, and the order that they stand in.

use std::cmp::Ordering;

use super::Order;
use super::condition::number;

/// A cell of the result, and what it is sorted by.
#[derive(Debug, Clone)]
pub(super) struct Sorted {
    number: Option<f64>,
    pub(super) text: Option<String>,
}

impl Sorted {
    pub(super) fn missing() -> Sorted {
        Sorted { number: None, text: None }
    }

    pub(super) fn text(text: &str) -> Sorted {
        Sorted { number: number(text), text: Some(text.to_owned()) }
    }

    pub(super) fn number(number: f64, text: String) -> Sorted {
        Sorted { number: Some(number), text: Some(text) }
    }

    /// What is missing stands first, then numbers, then texts.
    fn compare(&self, other: &Sorted) -> Ordering {
        match (self.number, other.number) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (Some(_), None) if other.text.is_some() => Ordering::Less,
            (None, Some(_)) if self.text.is_some() => Ordering::Greater,
            _ => self.text.cmp(&other.text),
        }
    }
}

/// Sorts rows; those that are equal stay in their order.
pub(super) fn sort(rows: &mut [Vec<Sorted>], order: &[Order]) {
    rows.sort_by(|a, b| {
        let compared = order.iter().map(|Order { column, descending }| {
            let (Some(a), Some(b)) = (a.get(*column), b.get(*column)) else { return Ordering::Equal };
            if *descending { b.compare(a) } else { a.compare(b) }
        });
        compared.fold(Ordering::Equal, Ordering::then)
    });
}

/// A number without digits that say nothing.
pub(super) fn shown_number(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
