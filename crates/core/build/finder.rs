//! Makes the tables of a finder of words: which four bytes of each word are looked for, and what leads to them.

#[path = "common.rs"]
mod common;

use common::{commonness, pair};

use super::slots::{BOTH_CASES, BUCKETS, MARK_WORDS, Part, Place, SLOTS, bucket, folded, mark, slot_of};

/// How many bytes of a word are looked for; it cannot be shorter.
pub(crate) const SHORTEST: usize = 4;

/// What another slot costs that is not free, beside how common its three bytes are: other bytes share it by chance.
const SLOT_COST: u32 = 200;

/// However they are led to, four bytes are compared with every word that has them: that costs such a share of how common
/// they are.
const COMPARED_SHARE: u32 = 16;

/// The tables, as a finder has them.
pub(crate) struct Tables {
    pub(crate) words: Vec<String>,
    pub(crate) any_case: bool,
    pub(crate) slots: Vec<u8>,
    pub(crate) marks: Vec<u64>,
    pub(crate) buckets: Vec<u16>,
    pub(crate) parts: Vec<Part>,
    pub(crate) places: Vec<Place>,
}

impl Tables {
    /// The tables for `words`, each of four bytes at least (shorter ones are not found). Where letters may be of
    /// `any_case`, the words are given in lower case.
    pub(crate) fn of<W: Into<String>>(words: impl IntoIterator<Item = W>, any_case: bool) -> Tables {
        let mut tables = Tables {
            words: words.into_iter().map(W::into).collect(),
            any_case,
            slots: vec![0; SLOTS],
            marks: vec![0; MARK_WORDS],
            buckets: vec![0; BUCKETS],
            parts: Vec::new(),
            places: Vec::new(),
        };
        let fold = if any_case { BOTH_CASES } else { 0 };
        let mut shortest_first: Vec<usize> = (0..tables.words.len()).collect();
        // The longer a word is, the more choice it has among what is looked for already.
        shortest_first.sort_by_key(|&number| tables.words[number].len());
        for number in shortest_first {
            let Some((at, part)) = tables.rarest(tables.words[number].as_bytes(), fold) else { continue };
            slots_of(part, fold).into_iter().for_each(|slot| tables.slots[slot] = 1);
            tables.add(folded(part, fold), number as u16, at as u16);
        }
        tables
    }

    /// Where in a word the four bytes stand that are looked for, and these.
    fn rarest(&self, word: &[u8], fold: u32) -> Option<(usize, [u8; 4])> {
        let parts = word.windows(SHORTEST).filter_map(|part| part.first_chunk::<4>().copied()).enumerate();
        let weigh = |bytes: [u8; 3]| {
            let common = commonness(pair(bytes[0], bytes[1]), pair(bytes[1], bytes[2]));
            // A slot that leads to another word already is free.
            (if self.slots[slot_of(bytes, fold)] == 0 { SLOT_COST + common } else { 0 }, common)
        };
        parts.min_by_key(|&(_, [a, b, c, d])| {
            let (first, second) = (weigh([a, b, c]), weigh([b, c, d]));
            first.0 + second.0 + first.1.min(second.1) / COMPARED_SHARE
        })
    }

    /// Has a word found by four of its bytes, which stand at `offset` in it.
    fn add(&mut self, bytes: u32, word: u16, offset: u16) {
        let (mark, bit) = mark(bytes);
        self.marks[mark] |= bit;
        let last = &mut self.buckets[bucket(bytes)];
        let mut number = *last;
        while number != 0 && self.parts[usize::from(number) - 1].bytes != bytes {
            number = self.parts[usize::from(number) - 1].before;
        }
        if number == 0 {
            self.parts.push(Part { bytes, before: *last, place: 0 });
            number = self.parts.len() as u16;
            *last = number;
        }
        let part = &mut self.parts[usize::from(number) - 1];
        self.places.push(Place { word, offset, before: part.place });
        part.place = self.places.len() as u16;
    }
}

/// The two slots that lead to four bytes.
fn slots_of([a, b, c, d]: [u8; 4], fold: u32) -> [usize; 2] {
    [slot_of([a, b, c], fold), slot_of([b, c, d], fold)]
}
