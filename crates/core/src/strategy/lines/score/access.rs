//! Access logs: a line of every status, then of every path that was answered so, and whatever took long or much.

use std::collections::HashSet;

use crate::hash::{Hash, Plain};
use crate::line::access::{self, Request};
use crate::line::template;
use crate::strategy::Settings;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::score::scored::{Scored, Scorer};
use crate::strategy::lines::score::values::ColumnGroup;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::access as weights;

/// Weighs the lines of access logs.
pub(in crate::strategy::lines) struct AccessLog;

/// How many figures behind a status are compared.
const FIGURES: usize = 6;

/// So many lines are looked at to know what a log is.
const LOOKED_AT: usize = 200;

/// Whether most lines of a text are requests with their answers.
pub(in crate::strategy::lines) fn is_access_log(table: &Table<'_>) -> bool {
    let step = (table.len() / LOOKED_AT).max(1);
    let (mut all, mut requests) = (0, 0);
    for row in (0..table.len()).step_by(step).filter(|row| !table.words(*row).trim().is_empty()) {
        all += 1;
        requests += u32::from(access::request(table.words(row)).is_some());
        if all == 10 && requests < 5 {
            return false;
        }
    }
    requests >= 3 && requests * 10 >= all * 8
}

impl Scorer for AccessLog {
    fn score(&self, table: &Table<'_>, _: &Settings) -> Scored {
        let requests: Vec<Option<Request<'_>>> =
            (0..table.len()).map(|row| access::request(table.words(row))).collect();
        let mut group = ColumnGroup::new(COLUMNS + FIGURES);
        for (row, request) in requests.iter().enumerate() {
            if let Some(request) = request {
                group.add(row, |each| columns(request, each));
            }
        }
        let mut labels = GapLabels::new(Style::Results);
        let mut units = Vec::with_capacity(requests.len());
        for (row, request) in requests.iter().enumerate() {
            let Some(request) = request else {
                labels.push(0);
                let (key, _) = template::template(table.words(row));
                units.push(Unit::row(row, weights::OTHER, key, weights::NEXT, "rare line"));
                continue;
            };
            let name = labels.name(CLASSES.get(usize::from(request.status / 100)).copied().unwrap_or(""));
            labels.push(name);
            let prefix = Hash::of(&request.status.to_le_bytes()) | 1;
            let key = request.answer();
            let worth = weights::of_class(request.status / 100);
            let prefix_fade = weights::NEXT_OF_STATUS;
            units.push(Unit { prefix, prefix_fade, ..Unit::row(row, worth, key, weights::NEXT, "request") });
        }
        for (row, gain, _) in group.gains() {
            if let Some(unit) = units.get_mut(row) {
                unit.worth += gain;
            }
        }
        first_of_each(&requests, &mut units);
        Scored { floor: weights::FLOOR, ..Scored::of_units(units, labels) }
    }
}

const CLASSES: [&str; 6] = ["", "1xx", "2xx", "3xx", "4xx", "5xx"];

/// The columns of a request before its figures.
const COLUMNS: usize = 3;

/// The values of a request, by column: method, path, who asked, and the figures behind the status.
fn columns<'a>(request: &Request<'a>, each: &mut dyn FnMut(usize, &'a str)) {
    each(0, request.method);
    each(1, request.path);
    let mut figures = COLUMNS;
    let mut quoted = false;
    for part in request.tail.split('"') {
        if quoted {
            each(2, part);
        } else {
            for word in part.split([' ', '\t']).filter(|word| !word.is_empty()) {
                // `rt=0.123`, `12ms`.
                let value = word.rsplit('=').next().unwrap_or(word);
                let figure = value.trim_end_matches(|c: char| !c.is_ascii_digit());
                if figure.starts_with(|c: char| c.is_ascii_digit()) && figures < COLUMNS + FIGURES {
                    each(figures, figure);
                    figures += 1;
                }
            }
        }
        quoted = !quoted;
    }
}

/// The first line of every class and of every status stands before all others; the ends of a log tell when it was.
fn first_of_each(requests: &[Option<Request<'_>>], units: &mut [Unit]) {
    let mut seen: HashSet<u64, Plain> = HashSet::default();
    for (unit, request) in units.iter_mut().zip(requests) {
        let Some(request) = request else { continue };
        if seen.insert(u64::from(request.status / 100)) {
            unit.worth += weights::FIRST_OF_CLASS;
        } else if seen.insert(u64::from(request.status)) {
            unit.worth += weights::FIRST_OF_STATUS;
        }
    }
    if let Some(first) = units.first_mut() {
        first.worth = first.worth.max(weights::END);
    }
    if let Some(last) = units.last_mut() {
        last.worth = last.worth.max(weights::END);
    }
}
