//! Tables in columns: the header, rows that differ from the others, the extremes of each numeric column.

use std::collections::BTreeMap;

use crate::line::columns::{TableLine, TableReader};
use crate::line::{Role, classify_line, template};
use crate::strategy::Settings;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::score::scored::{Scored, Scorer};
use crate::strategy::lines::score::values::ColumnGroup;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::columns as weights;

/// Weighs the rows of tables.
pub(in crate::strategy::lines) struct ColumnTables;

impl Scorer for ColumnTables {
    fn score(&self, table: &Table<'_>, settings: &Settings) -> Scored {
        let mut reader = TableReader::default();
        let read = |row: usize| reader.read(table.words(row), table.words(row + 1), table.words(row + 2));
        let lines: Vec<TableLine> = (0..table.len()).map(read).collect();
        let mut groups: Vec<ColumnGroup> =
            reader.groups.iter().map(|columns| ColumnGroup::new(columns.len())).collect();
        for (row, line) in lines.iter().enumerate() {
            if let TableLine::Row(group) = line
                && let Some((group, columns)) = groups.get_mut(*group).zip(reader.groups.get(*group))
            {
                group.add(row, |each| columns.cells(table.words(row), each));
            }
        }
        let mut units = units(table, &lines);
        for group in groups {
            for (row, gain, key) in group.gains() {
                if let Some(unit) = units.get_mut(row) {
                    unit.worth += gain;
                    unit.key = key;
                    unit.why = if gain > 0.0 { "row that differs" } else { "row" };
                }
            }
        }
        if settings.prioritize_errors {
            add_trouble(table, settings, &lines, &mut units);
        }
        lend(&lines, &mut units);
        let mut labels = GapLabels::new(Style::Results);
        let name = labels.name("rows");
        lines.iter().for_each(|line| labels.push(if matches!(line, TableLine::Row(_)) { name } else { 0 }));
        Scored { floor: weights::FLOOR, ..Scored::of_units(units, labels) }
    }
}

/// What stands above the first table sums up what is in it, where it is no more than so many lines.
const LONGEST_LEAD: usize = 8;

/// A unit for each row, worth what its place says.
fn units(table: &Table<'_>, lines: &[TableLine]) -> Vec<Unit> {
    let last_other = lines.iter().rposition(|line| *line == TableLine::Other);
    let first_other = lines.iter().position(|line| *line == TableLine::Other);
    let lead = lines.iter().position(|line| *line != TableLine::Other && *line != TableLine::Blank);
    let lead = lead.filter(|lead| *lead <= LONGEST_LEAD).unwrap_or(0);
    let ends = ends(lines);
    let mut ruled = false;
    let unit = |(row, line): (usize, &TableLine)| match line {
        TableLine::Header(group) => Unit::row(row, weights::HEADER, *group as u64, weights::NEXT_HEADER, "header"),
        TableLine::Row(group) => {
            let (first, last) = ends.get(group).copied().unwrap_or_default();
            let worth = match row {
                row if row == first => weights::FIRST_ROW,
                row if row == last => weights::LAST_ROW,
                _ => weights::ROW,
            };
            Unit::row(row, worth, 0, weights::NEXT_ROW, "row")
        }
        TableLine::Rule => {
            let first = !std::mem::replace(&mut ruled, true);
            Unit::row(row, if first { weights::FIRST_RULE } else { weights::RULE }, 1, 1.0, "header")
        }
        TableLine::Blank => Unit::row(row, 0.0, 1, 1.0, "context"),
        TableLine::Other => {
            let worth = match Some(row) {
                row if row == last_other => weights::LAST_OTHER,
                row if row == first_other => weights::FIRST_OTHER,
                Some(row) if row < lead => weights::LEAD,
                _ => weights::OTHER,
            };
            let key = template::template(table.words(row)).0;
            Unit::row(row, worth, key, weights::NEXT_OTHER, "beside a table")
        }
    };
    lines.iter().enumerate().map(unit).collect()
}

/// The first and the last row of each group.
fn ends(lines: &[TableLine]) -> BTreeMap<usize, (usize, usize)> {
    let mut ends = BTreeMap::new();
    for (row, line) in lines.iter().enumerate() {
        if let TableLine::Row(group) = line {
            ends.entry(*group).or_insert((row, row)).1 = row;
        }
    }
    ends
}

/// Rows that tell of trouble, and what a rule knows beside a table, are worth what they would be in a log.
fn add_trouble(table: &Table<'_>, settings: &Settings, lines: &[TableLine], units: &mut [Unit]) {
    for (row, &signals) in table.signals().iter().enumerate() {
        if signals.is_empty() && lines.get(row) != Some(&TableLine::Other) {
            continue;
        }
        let told = classify_line(table.words(row), signals, &settings.line_rules);
        let tells = !matches!(told.role, Role::Plain | Role::Boilerplate | Role::Pass | Role::Blank | Role::Command);
        if let Some(unit) = units.get_mut(row).filter(|_| tells) {
            unit.worth = unit.worth.max(told.worth * weights::TROUBLE);
        }
    }
}

/// Lets rows that differ lend to the line above their table.
fn lend(lines: &[TableLine], units: &mut [Unit]) {
    let mut above = None;
    for (row, line) in lines.iter().enumerate() {
        let worth = units.get(row).map_or(0.0, |unit| unit.worth);
        match line {
            TableLine::Other => above = Some(row),
            TableLine::Row(_) if worth >= weights::LENDS => {
                if let Some(unit) = above.and_then(|above| units.get_mut(above)) {
                    unit.worth = unit.worth.max(worth * weights::LENT);
                }
            }
            TableLine::Header(_) | TableLine::Row(_) | TableLine::Rule | TableLine::Blank => {}
        }
    }
}
