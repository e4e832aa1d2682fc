//! Numbers that are far from those at the same place of like lines: a request that took a thousand times as long.

use std::ops::Range;

use super::weighed::WeighedLine;
use crate::byte_set::among;
use crate::digits;
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
const FEW: usize = 3;

/// How many digits a line's numbers have and one more, place by place; 0 where no number stands that is compared.
type Numbers = [u8; PLACES];

/// How many lines have each of these at a place.
type Sizes = [u32; DIGITS + 1];

/// Lines of one template that are compared.
#[derive(Default)]
struct Alike {
    sizes: [Sizes; PLACES],
    /// The lines with a number that is far from the others.
    far: Vec<usize>,
}

/// Makes the lines worth more that have a number far from those of their template.
pub(super) fn raise(table: &Table<'_>, rows: &mut [WeighedLine], counts: &ById<u32>) {
    let compared = |row: &WeighedLine| {
        matches!(row.role, Role::Plain | Role::Warning | Role::Boilerplate) && counts.get(row.template_id) >= OFTEN
    };
    let numbers: Vec<Numbers> = table.each(|range, numbers| {
        let rows = rows.get(range.clone()).unwrap_or_default();
        let read = |(at, row)| if compared(row) { numbers_of(table.body(at)) } else { Numbers::default() };
        numbers.extend(range.zip(rows).map(read));
    });
    // Where a template's lines stand among those that are compared, counted from 1.
    let mut groups: ById<u32> = ById::new(counts.len());
    let mut alike: Vec<Alike> = Vec::new();
    for (row, numbers) in rows.iter().zip(&numbers).filter(|(row, _)| compared(row)) {
        if groups.get(row.template_id) == 0 {
            alike.push(Alike::default());
            groups.set(row.template_id, alike.len() as u32);
        }
        let Some(Alike { sizes, .. }) = alike.get_mut(groups.get(row.template_id) as usize - 1) else { continue };
        for (sizes, number) in sizes.iter_mut().zip(numbers) {
            sizes.get_mut(usize::from(*number)).into_iter().for_each(|count| *count += 1);
        }
    }
    let bounds: Vec<Numbers> = alike.iter().map(|alike| alike.sizes.each_ref().map(far_from_usual)).collect();
    for (at, (row, numbers)) in rows.iter().zip(&numbers).enumerate().filter(|(_, (row, _))| compared(row)) {
        let group = groups.get(row.template_id) as usize - 1;
        let Some((bounds, alike)) = bounds.get(group).zip(alike.get_mut(group)) else { continue };
        if numbers.iter().zip(bounds).any(|(number, bound)| number >= bound) {
            alike.far.push(at);
        }
    }
    for at in alike.into_iter().map(|alike| alike.far).filter(|far| far.len() <= FEW).flatten() {
        rows.get_mut(at).into_iter().for_each(|row| row.worth += weights::FAR_NUMBER);
    }
}

/// From which size on a number is far from the largest one that is usual; more than any number has where none is.
fn far_from_usual(sizes: &Sizes) -> u8 {
    let all: u32 = sizes.iter().skip(1).sum();
    let usual = sizes.iter().skip(1).rposition(|count| *count > 1 && *count * USUAL >= all);
    usual.map_or(u8::MAX, |usual| (usual + 1 + FAR) as u8)
}

/// The sizes of a line's numbers.
fn numbers_of(line: &str) -> Numbers {
    let mut numbers = Numbers::default();
    each_number(line.as_bytes(), |place, digits| {
        numbers.get_mut(place).into_iter().for_each(|number| *number = digits as u8 + 1);
    });
    numbers
}

/// Calls `each` with the place of every whole number of a line and how many digits it has. What is a part of a name, and
/// what stands behind a point, is none.
fn each_number(bytes: &[u8], mut each: impl FnMut(usize, usize)) {
    let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    let mut place = 0;
    for Range { start, end } in digits::runs(bytes) {
        let before = byte(start.checked_sub(1));
        if before == b'.' && byte(start.checked_sub(2)).is_ascii_digit() {
            continue;
        }
        if !before.is_ascii_alphanumeric() && !among!(before, b"_-") && !behind_is_a_word(bytes, end) {
            let number = bytes.get(start..end).unwrap_or_default();
            let zeros = number.iter().take_while(|byte| **byte == b'0').count();
            each(place, (number.len() - zeros).min(DIGITS - 1));
        }
        place += 1;
        if place == PLACES {
            break;
        }
    }
}

/// Whether more letters stand at `at` than a unit has.
fn behind_is_a_word(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..at + 4).is_some_and(|behind| behind.iter().all(u8::is_ascii_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(line: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        each_number(line.as_bytes(), |place, digits| found.push((place, digits)));
        found
    }

    #[test]
    fn whole_numbers_are_found_with_their_places() {
        assert_eq!(numbers("generated 918204117 bytes in 217338 msecs"), [(0, 9), (1, 6)]);
        assert_eq!(numbers("took 4711.930ms of 10s, id a1b2c3 at 007"), [(0, 4), (1, 2), (5, 1)]);
        assert_eq!(numbers("no number"), []);
    }
}
