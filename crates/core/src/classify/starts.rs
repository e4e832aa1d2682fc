//! Many beginnings of lines, looked up by their first byte: a line is compared with the few that it may have.

/// Beginnings, each with what it stands for.
#[derive(Debug)]
pub(super) struct Starts<T> {
    by_byte: Vec<Vec<(&'static str, T)>>,
}

impl<T: Copy> Starts<T> {
    /// A table of `starts`; an empty one never matches.
    pub(super) fn new(starts: impl IntoIterator<Item = (&'static str, T)>) -> Starts<T> {
        let mut by_byte: Vec<Vec<(&'static str, T)>> = (0..256).map(|_| Vec::new()).collect();
        for (start, meaning) in starts {
            let first = start.bytes().next().and_then(|byte| by_byte.get_mut(usize::from(byte)));
            first.into_iter().for_each(|list| list.push((start, meaning)));
        }
        Starts { by_byte }
    }

    /// What the beginnings of `line` stand for, in the order in which they were given.
    pub(super) fn of(&self, line: &str) -> impl Iterator<Item = T> {
        let list =
            line.bytes().next().and_then(|byte| self.by_byte.get(usize::from(byte))).map_or(&[][..], Vec::as_slice);
        list.iter().filter(move |(start, _)| line.starts_with(start)).map(|(_, meaning)| *meaning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_every_beginning_that_it_has() {
        let starts = Starts::new([("a", 1), ("ab", 2), ("✓ ", 3), ("b", 4), ("", 5)]);
        let check = |line: &str, expected: &[u8]| assert_eq!(starts.of(line).collect::<Vec<u8>>(), expected, "{line}");
        check("abc", &[1, 2]);
        check("ac", &[1]);
        check("✓ ok", &[3]);
        check("✗", &[]);
        check("", &[]);
    }
}
