//! Finding any of a few hundred words in one quick pass.
//!
//! Every second place of a text is looked at, three bytes at a time: any four bytes have three bytes of their own at one
//! of two such places. Of each word the four bytes are looked for that are rarest in outputs. One byte says whether a
//! word may have such three bytes, which is seldom the case; then the four bytes lead to the words that have them.

mod common;

use std::borrow::Cow;

use common::{commonness, pair};

/// Words to find.
#[derive(Debug)]
pub(crate) struct Finder {
    words: Vec<Cow<'static, str>>,
    any_case: bool,
    /// [`BOTH_CASES`] where letters may be of any case, else nothing: what is added to bytes before they are compared.
    fold: u64,
    /// 1 for each slot that three bytes of a word are in.
    slots: Box<[u8; SLOTS]>,
    /// A bit for each four bytes that are looked for; others share it by chance.
    marks: Box<[u64; MARKS / u64::BITS as usize]>,
    /// For each bucket the last of its parts, by number and one more.
    buckets: Box<[u16; BUCKETS]>,
    parts: Vec<Part>,
    places: Vec<Place>,
}

/// Four bytes that are looked for.
#[derive(Debug)]
struct Part {
    /// The four bytes, folded.
    bytes: u32,
    /// The part before it in its bucket, by number and one more.
    before: u16,
    /// The last of its places, by number and one more.
    place: u16,
}

/// A word that has a part.
#[derive(Debug)]
struct Place {
    word: u16,
    /// How far from the word's beginning the part stands.
    offset: u16,
    /// The place before it of its part, by number and one more.
    before: u16,
}

/// A word that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    /// The place of the word among the words.
    pub(crate) word: usize,
    /// Where it starts.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
}

/// How many bytes of a word are looked for; it cannot be shorter.
pub(crate) const SHORTEST: usize = 4;

/// So many slots that hardly two words share one, and few enough for the nearest cache.
const SLOTS: usize = 1 << 15;

/// So many buckets that hardly two parts share one.
const BUCKETS: usize = 1 << 11;

/// What another slot costs that is not free, beside how common its three bytes are: other bytes share it by chance.
const SLOT_COST: u32 = 200;

/// However they are led to, four bytes are compared with every word that has them: that costs such a share of how common
/// they are.
const COMPARED_SHARE: u32 = 16;

/// How many bits tell four bytes that are looked for from others.
const MARKS: usize = 1 << 14;

/// How many windows are put aside before they are looked at.
const ASIDE: usize = 16;

/// What is added to eight bytes so that letters of both cases are the same.
const BOTH_CASES: u64 = 0x2020_2020_2020_2020;

/// The slot of the first three of folded bytes: the others are shifted out.
#[inline]
fn slot(folded: u64) -> usize {
    const MIXED: u32 = 0x85eb_ca6b << 8;
    ((folded as u32).wrapping_mul(MIXED) >> 17) as usize
}

/// The slots of three places, each two bytes behind the one before.
#[inline]
fn three_slots(bytes: &[u8; 8], fold: u64) -> [usize; 3] {
    let folded = u64::from_le_bytes(*bytes) | fold;
    [slot(folded), slot(folded >> 16), slot(folded >> 32)]
}

/// Four bytes as a number, folded.
#[inline]
fn folded(bytes: [u8; 4], fold: u64) -> u32 {
    u32::from_le_bytes(bytes) | fold as u32
}

/// The hash of four folded bytes that is one of so many.
#[inline]
fn hash(bytes: u32, many: usize) -> u32 {
    bytes.wrapping_mul(0x9e37_79b1) >> (u32::BITS - many.ilog2())
}

/// The bit of four folded bytes: which of the numbers it is in, and that number with no other bit.
#[inline]
fn mark(bytes: u32) -> (usize, u64) {
    let mark = hash(bytes, MARKS);
    ((mark / u64::BITS) as usize, 1 << (mark % u64::BITS))
}

/// The bucket of four folded bytes.
#[inline]
fn bucket(bytes: u32) -> usize {
    hash(bytes, BUCKETS) as usize
}

/// The slot of three bytes.
fn slot_of([a, b, c]: [u8; 3], fold: u64) -> usize {
    slot(u64::from(folded([a, b, c, 0], fold)))
}

/// The two slots that lead to four bytes.
fn slots_of([a, b, c, d]: [u8; 4], fold: u64) -> [usize; 2] {
    [slot_of([a, b, c], fold), slot_of([b, c, d], fold)]
}

impl Finder {
    /// A finder of `words`, each of four bytes at least (shorter ones are not found). Where letters may be of
    /// `any_case`, the words are given in lower case.
    pub(crate) fn new<W: Into<Cow<'static, str>>>(words: impl IntoIterator<Item = W>, any_case: bool) -> Finder {
        let words: Vec<Cow<'static, str>> = words.into_iter().map(W::into).collect();
        let (parts, places) = (Vec::with_capacity(words.len()), Vec::with_capacity(words.len()));
        let (slots, buckets) = (Box::new([0; SLOTS]), Box::new([0; BUCKETS]));
        let marks = Box::new([0; MARKS / u64::BITS as usize]);
        let fold = if any_case { BOTH_CASES } else { 0 };
        let mut finder = Finder { words, any_case, fold, slots, marks, buckets, parts, places };
        let mut shortest_first: Vec<usize> = (0..finder.words.len()).collect();
        // The longer a word is, the more choice it has among what is looked for already.
        shortest_first.sort_by_key(|&number| finder.words.get(number).map_or(0, |word| word.len()));
        for number in shortest_first {
            let Some((at, part)) = finder.words.get(number).and_then(|word| finder.rarest(word.as_bytes())) else {
                continue;
            };
            slots_of(part, fold).into_iter().for_each(|slot| finder.slots[slot] = 1);
            finder.add(folded(part, fold), number as u16, at as u16);
        }
        finder
    }

    /// Where in a word the four bytes stand that are looked for, and these.
    fn rarest(&self, word: &[u8]) -> Option<(usize, [u8; 4])> {
        let parts = word.windows(SHORTEST).filter_map(|part| part.first_chunk::<4>().copied()).enumerate();
        let weigh = |bytes, common| {
            // A slot that leads to another word already is free.
            (if self.slots[slot_of(bytes, self.fold)] == 0 { SLOT_COST + common } else { 0 }, common)
        };
        // What the last three bytes weigh, and how common the last two are: the next four bytes begin with those.
        let mut shared = None;
        parts.min_by_key(|&(_, [a, b, c, d])| {
            let (first, middle) = shared.unwrap_or_else(|| {
                let middle = pair(b, c);
                (weigh([a, b, c], commonness(pair(a, b), middle)), middle)
            });
            let last = pair(c, d);
            let second = weigh([b, c, d], commonness(middle, last));
            shared = Some((second, last));
            first.0 + second.0 + first.1.min(second.1) / COMPARED_SHARE
        })
    }

    /// Has a word found by four of its bytes, which stand at `offset` in it.
    fn add(&mut self, bytes: u32, word: u16, offset: u16) {
        let (mark, bit) = mark(bytes);
        self.marks[mark] |= bit;
        let last = &mut self.buckets[bucket(bytes)];
        let mut number = *last;
        while let Some(part) = part(&self.parts, number)
            && part.bytes != bytes
        {
            number = part.before;
        }
        if number == 0 {
            self.parts.push(Part { bytes, before: *last, place: 0 });
            number = self.parts.len() as u16;
            *last = number;
        }
        let Some(part) = self.parts.get_mut(usize::from(number) - 1) else { return };
        self.places.push(Place { word, offset, before: part.place });
        part.place = self.places.len() as u16;
    }

    /// Calls `each` with every word in `text`, also where words overlap. The words are not quite in order, but where
    /// none holds a line feed those of a line come before those of the next.
    pub(crate) fn each(&self, text: &[u8], mut each: impl FnMut(Hit)) {
        let (mut at, fold) = (0, self.fold);
        // Windows of which a place leads somewhere, with what the slots of its six places hold. They are put aside and
        // looked at together, so that the processor need not guess after each window whether it is one of them.
        let mut aside = [(0, 0); ASIDE];
        loop {
            let mut count = 0;
            // Six places at a time, while there are so many.
            while let Some(window) = text.get(at..).and_then(<[u8]>::first_chunk::<14>)
                && let (Some(first), Some(second)) = (window.first_chunk(), window.last_chunk())
                && let Some(next) = aside.get_mut(count)
            {
                let ([a, b, c], [d, e, f]) = (three_slots(first, fold), three_slots(second, fold));
                let [a, b, c, d, e, f] = [a, b, c, d, e, f].map(|slot| self.slots[slot]);
                let places = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
                *next = (at, places);
                count += usize::from(places != 0);
                at += 12;
            }
            for &(from, mut places) in aside.get(..count).unwrap_or_default() {
                while places != 0 {
                    let place = from + 2 * (places.trailing_zeros() / u8::BITS) as usize;
                    places &= places - 1;
                    if self.may_be_at(text, place) {
                        self.check(text, place, &mut each);
                    }
                }
            }
            if count < ASIDE {
                break;
            }
        }
        while let Some(&[a, b, c]) = text.get(at..).and_then(<[u8]>::first_chunk) {
            if self.slots[slot_of([a, b, c], fold)] != 0 {
                self.check(text, at, &mut each);
            }
            at += 2;
        }
    }

    /// Whether four bytes that are looked for may begin at `at`, or one byte before. Most that are not are told from them.
    #[inline]
    fn may_be_at(&self, text: &[u8], at: usize) -> bool {
        let around = at.checked_sub(1).and_then(|before| text.get(before..)).and_then(<[u8]>::first_chunk::<5>);
        let Some(&[a, b, c, d, e]) = around else { return true };
        let marked = |bytes: [u8; 4]| {
            let (word, bit) = mark(folded(bytes, self.fold));
            self.marks[word] & bit
        };
        marked([a, b, c, d]) | marked([b, c, d, e]) != 0
    }

    /// Calls `each` with the words whose four bytes begin at `at`, or one byte before.
    #[cold]
    fn check(&self, text: &[u8], at: usize, each: &mut impl FnMut(Hit)) {
        for start in [Some(at), at.checked_sub(1)].into_iter().flatten() {
            let Some(bytes) = text.get(start..).and_then(<[u8]>::first_chunk) else { continue };
            let bytes = folded(*bytes, self.fold);
            let mut number = self.buckets[bucket(bytes)];
            while let Some(part) = part(&self.parts, number) {
                if part.bytes == bytes {
                    self.compare(text, start, part, each);
                }
                number = part.before;
            }
        }
    }

    /// Calls `each` with the words that are there, where four bytes of them are.
    fn compare(&self, text: &[u8], at: usize, part: &Part, each: &mut impl FnMut(Hit)) {
        let mut number = part.place;
        while let Some(place) = usize::from(number).checked_sub(1).and_then(|number| self.places.get(number)) {
            number = place.before;
            let word = usize::from(place.word);
            let (Some(start), Some(known)) = (at.checked_sub(usize::from(place.offset)), self.words.get(word)) else {
                continue;
            };
            let known = known.as_bytes();
            let end = start + known.len();
            let Some(found) = text.get(start..end) else { continue };
            let same = if self.any_case { found.eq_ignore_ascii_case(known) } else { found == known };
            if same {
                each(Hit { word, start, end });
            }
        }
    }
}

/// The part of this number and one more.
fn part(parts: &[Part], number: u16) -> Option<&Part> {
    usize::from(number).checked_sub(1).and_then(|number| parts.get(number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hits(finder: &Finder, text: &str) -> Vec<(usize, usize)> {
        let mut hits = Vec::new();
        finder.each(text.as_bytes(), |hit| {
            assert_eq!(hit.end - hit.start, finder.words[hit.word].len());
            hits.push((hit.word, hit.start));
        });
        hits
    }

    #[test]
    fn words_are_found_also_where_they_overlap() {
        let finder = Finder::new(["unexpected", "expect", "fail", "ailed ", "✖ ok", "ab"], false);
        let check = |text: &str, expected: &[(usize, usize)]| assert_eq!(hits(&finder, text), expected, "{text}");
        check("", &[]);
        check("ab", &[]);
        check("fail", &[(2, 0)]);
        check("Fail", &[]);
        check(" fail", &[(2, 1)]);
        check("was unexpected, then it failed again", &[(0, 4), (1, 6), (2, 24), (3, 25)]);
        check(&format!("{}✖ ok{}expect", "é".repeat(100), "x".repeat(100)), &[(4, 200), (1, 306)]);
        let any = Finder::new(["fail", "[warn]"], true);
        assert_eq!(hits(&any, "FAIL Fail [Warn]"), [(0, 0), (0, 5), (1, 10)]);
    }

    proptest! {
        #[test]
        fn the_same_is_found_as_by_looking_at_every_place(text in "[abcd✓]{0,40}", any_case: bool) {
            const WORDS: [&str; 6] = ["abcd", "bcda", "aaaa", "abca", "✓a", "dcbabc"];
            let mut found = hits(&Finder::new(WORDS, any_case), &text);
            let mut expected: Vec<_> = WORDS
                .iter()
                .enumerate()
                .flat_map(|(number, word)| {
                    let at = |at: &usize| text.as_bytes()[*at..].starts_with(word.as_bytes());
                    (0..text.len()).filter(at).map(move |at| (number, at)).collect::<Vec<_>>()
                })
                .collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn many_words_share_buckets_and_are_all_found(count in 1usize..900) {
            let words: Vec<&'static str> =
                (0..count).map(|n| &*Box::leak(format!("{:x}-word", n * 7919).into_boxed_str())).collect();
            let finder = Finder::new(words.iter().copied(), false);
            let text = words.join(" ");
            let mut found: Vec<usize> = hits(&finder, &text).into_iter().map(|(word, _)| word).collect();
            found.sort_unstable();
            found.dedup();
            prop_assert_eq!(found.len(), count);
        }
    }
}
