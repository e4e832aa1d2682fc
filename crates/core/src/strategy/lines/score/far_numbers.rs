//! Numbers that are far from those at the same place of like lines: a request that took a thousand times as long.

use std::collections::HashMap;

use super::weighed::WeighedLine;
use crate::interner::ById;
use crate::line::Role;
use crate::strategy::lines::table::Table;
use crate::strategy::lines::weights::log as weights;

/// With fewer lines of a template no number is usual.
const OFTEN: u32 = 20;

/// So many numbers of a line are compared, by how many digits they have.
const PLACES: usize = 8;
const DIGITS: usize = 20;

/// A number is far from the others if it has so many digits more than is usual.
const FAR: usize = 2;

/// A size is usual if one in so many numbers has it, and more than one.
const USUAL: u32 = 50;

/// So many lines of a template may be far from the others.
const FEW: u32 = 3;

/// How many numbers of each size stand at a place.
type Sizes = [u32; DIGITS];

/// Makes the lines worth more that have a number far from those of their template.
pub(super) fn raise(table: &Table<'_>, rows: &mut [WeighedLine], counts: &ById<u32>) {
    let compared = |row: &WeighedLine| {
        matches!(row.role, Role::Plain | Role::Warning | Role::Boilerplate) && counts.get(row.template_id) >= OFTEN
    };
    let mut sizes: HashMap<(u32, usize), Sizes> = HashMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| compared(row)) {
        each_number(table.body(at), |place, digits| {
            let sizes = sizes.entry((row.template_id, place)).or_insert([0; DIGITS]);
            sizes.get_mut(digits).into_iter().for_each(|count| *count += 1);
        });
    }
    let mut far: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| compared(row)) {
        let mut is_far = false;
        each_number(table.body(at), |place, digits| {
            let usual = sizes.get(&(row.template_id, place)).and_then(largest_usual);
            is_far |= usual.is_some_and(|usual| digits >= usual + FAR);
        });
        if is_far {
            far.entry(row.template_id).or_default().push(at);
        }
    }
    for at in far.into_values().filter(|found| found.len() as u32 <= FEW).flatten() {
        rows.get_mut(at).into_iter().for_each(|row| row.worth += weights::FAR_NUMBER);
    }
}

/// The largest size that is usual.
fn largest_usual(sizes: &Sizes) -> Option<usize> {
    let all: u32 = sizes.iter().sum();
    sizes.iter().rposition(|count| *count > 1 && *count * USUAL >= all)
}

/// Calls `each` with the place of every whole number of a line and how many digits it has. What is a part of a name, and
/// what stands behind a point, is none.
fn each_number(line: &str, mut each: impl FnMut(usize, usize)) {
    let bytes = line.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
    let (mut at, mut place) = (0, 0);
    while at < bytes.len() && place < PLACES {
        if !byte(at).is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while byte(at).is_ascii_digit() {
            at += 1;
        }
        let before = start.checked_sub(1).map_or(b' ', byte);
        if before == b'.' && start > 1 && byte(start - 2).is_ascii_digit() {
            continue;
        }
        let letters = bytes.iter().skip(at).take_while(|byte| byte.is_ascii_alphabetic()).count();
        if !before.is_ascii_alphanumeric() && !matches!(before, b'_' | b'-') && letters <= 3 {
            let zeros = bytes.iter().take(at).skip(start).take_while(|byte| **byte == b'0').count();
            each(place, (at - start - zeros).min(DIGITS - 1));
        }
        place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(line: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        each_number(line, |place, digits| found.push((place, digits)));
        found
    }

    #[test]
    fn whole_numbers_are_found_with_their_places() {
        assert_eq!(numbers("generated 918204117 bytes in 217338 msecs"), [(0, 9), (1, 6)]);
        assert_eq!(numbers("took 4711.930ms of 10s, id a1b2c3 at 007"), [(0, 4), (1, 2), (5, 1)]);
        assert_eq!(numbers("no number"), []);
    }
}
