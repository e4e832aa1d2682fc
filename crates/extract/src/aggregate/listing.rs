//! Records that are listed: those that are shown, and no more.

use std::sync::Arc;

use super::fields::Fields;
use super::sorted::{Sorted, sort};
use super::{Aggregation, Cell};

/// The rows so far.
#[derive(Debug)]
pub(super) struct Listing {
    aggregation: Arc<Aggregation>,
    rows: Vec<Vec<Sorted>>,
}

impl Listing {
    pub(super) fn new(aggregation: &Arc<Aggregation>) -> Listing {
        Listing { aggregation: aggregation.clone(), rows: Vec::new() }
    }

    /// Takes a record in.
    pub(super) fn push(&mut self, fields: &Fields, record: &str) {
        let limit = self.aggregation.limit;
        if self.aggregation.order.is_empty() && self.rows.len() >= limit {
            return;
        }
        let cell = |cell: Cell| match cell {
            Cell::Record => Sorted::text(record),
            Cell::Key(key) => fields.get(key).map_or_else(Sorted::missing, Sorted::text),
            Cell::Count | Cell::CountOf(_) | Cell::Measure(..) => Sorted::missing(),
        };
        self.rows.push(self.aggregation.columns.iter().map(|column| cell(column.cell)).collect());
        // Now and then, so that it costs little, what is not going to be shown is dropped.
        if self.rows.len() >= limit.saturating_mul(2).saturating_add(1000) {
            sort(&mut self.rows, &self.aggregation.order);
            self.rows.truncate(limit);
        }
    }

    pub(super) fn rows(self) -> Vec<Vec<Sorted>> {
        self.rows
    }
}
