//! Numbers that are far from those at the same place of like lines: a request that took a thousand times as long.

use super::weighed::WeighedLine;
use crate::digits::next_digit;
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

/// How many numbers of each size stand at a place.
type Sizes = [u32; DIGITS];

/// The sizes of a line's numbers, place by place; none where no number stands that is compared.
type Numbers = [Option<u8>; PLACES];

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
    // Where a template's lines stand among those that are compared, counted from 1.
    let mut groups: ById<u32> = ById::new(counts.len());
    let mut alike: Vec<Alike> = Vec::new();
    let mut read: Vec<(usize, u32, Numbers)> = Vec::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| compared(row)) {
        if groups.get(row.template_id) == 0 {
            alike.push(Alike::default());
            groups.set(row.template_id, alike.len() as u32);
        }
        let group = groups.get(row.template_id) - 1;
        let Some(Alike { sizes, .. }) = alike.get_mut(group as usize) else { continue };
        let mut numbers = Numbers::default();
        each_number(table.body(at).as_bytes(), |place, digits| {
            let (size, number) = (sizes.get_mut(place).and_then(|sizes| sizes.get_mut(digits)), numbers.get_mut(place));
            size.into_iter().for_each(|count| *count += 1);
            number.into_iter().for_each(|number| *number = Some(digits as u8));
        });
        read.push((at, group, numbers));
    }
    let usual: Vec<[Option<usize>; PLACES]> =
        alike.iter().map(|alike| alike.sizes.each_ref().map(largest_usual)).collect();
    for (at, group, numbers) in read {
        let Some((usual, alike)) = usual.get(group as usize).zip(alike.get_mut(group as usize)) else { continue };
        let far = |(digits, usual): (&Option<u8>, &Option<usize>)| {
            digits.zip(*usual).is_some_and(|(digits, usual)| usize::from(digits) >= usual + FAR)
        };
        if numbers.iter().zip(usual).any(far) {
            alike.far.push(at);
        }
    }
    for at in alike.into_iter().map(|alike| alike.far).filter(|far| far.len() <= FEW).flatten() {
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
fn each_number(bytes: &[u8], mut each: impl FnMut(usize, usize)) {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
    let (mut at, mut place) = (0, 0);
    while place < PLACES {
        let start = next_digit(bytes, at);
        if start == bytes.len() {
            break;
        }
        at = start + 1;
        while byte(at).is_ascii_digit() {
            at += 1;
        }
        let before = start.checked_sub(1).map_or(b' ', byte);
        if before == b'.' && start > 1 && byte(start - 2).is_ascii_digit() {
            continue;
        }
        if !before.is_ascii_alphanumeric() && !matches!(before, b'_' | b'-') && !behind_is_a_word(bytes, at) {
            let zeros = bytes.iter().take(at).skip(start).take_while(|byte| **byte == b'0').count();
            each(place, (at - start - zeros).min(DIGITS - 1));
        }
        place += 1;
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
