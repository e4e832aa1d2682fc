//! Finding any of a few hundred words in one quick pass.
//!
//! Every second place of a text is looked at, three bytes at a time: any four bytes have three bytes of their own at one
//! of two such places. Of each word the four bytes are looked for that are rarest in outputs. One byte says whether a
//! word may have such three bytes, which is seldom the case; then the four bytes lead to the words that have them.
//!
//! The tables are made when the crate is built, so that a small output does not pay for them.

mod slots;

use slots::{BOTH_CASES, BUCKETS, MARK_WORDS, SLOTS, bucket, folded, mark, slot, slot_of};
pub(crate) use slots::{Part, Place};

/// Words to find, with tables that lead to them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finder {
    pub(crate) words: &'static [&'static str],
    /// Whether letters may be of any case.
    pub(crate) any_case: bool,
    /// 1 for each slot that three bytes of a word are in.
    pub(crate) slots: &'static [u8; SLOTS],
    /// A bit for each four bytes that are looked for; others share it by chance.
    pub(crate) marks: &'static [u64; MARK_WORDS],
    /// For each bucket the last of its parts, by number and one more.
    pub(crate) buckets: &'static [u16; BUCKETS],
    pub(crate) parts: &'static [Part],
    pub(crate) places: &'static [Place],
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

// What is found so: `SIGNALS`, `ELEMENT_WORDS`, `VOTE_PARTS` and `LITERALS`.
include!(concat!(env!("OUT_DIR"), "/finders.rs"));

/// How many windows are put aside before they are looked at again.
const ASIDE: usize = 16;

/// How far a window is from the next one, in bytes.
const STEP: usize = 16;

/// A window: eight places, two bytes apart, with four bytes from each on.
type Window = [u8; STEP + 2];

impl Finder {
    /// What is added to bytes before they are compared.
    fn fold(&self) -> u32 {
        if self.any_case { BOTH_CASES } else { 0 }
    }

    /// Calls `each` with every word in `text`, also where words overlap. The words are not quite in order, but where
    /// none holds a line feed those of a line come before those of the next.
    pub(crate) fn each(&self, text: &[u8], mut each: impl FnMut(Hit)) {
        let at_place = |place| self.check(text, place, &mut each);
        if self.any_case { self.places::<BOTH_CASES>(text, at_place) } else { self.places::<0>(text, at_place) }
    }

    /// Calls `each` with every place where four bytes may begin that are looked for, or one byte before, in order.
    fn places<const FOLD: u32>(&self, text: &[u8], mut each: impl FnMut(usize)) {
        let window_at = |at: usize| text.get(at..).and_then(<[u8]>::first_chunk);
        let mut at = 0;
        // Windows of which a place leads somewhere. They are put aside and looked at together, so that the processor
        // need not guess after each window whether it is one of them.
        let mut aside = [0; ASIDE];
        loop {
            let mut count = 0;
            while let Some(window) = window_at(at)
                && let Some(next) = aside.get_mut(count)
            {
                *next = at;
                count += usize::from(self.leads_somewhere::<FOLD>(window));
                at += STEP;
            }
            for &from in aside.get(..count).unwrap_or_default() {
                let mut places = window_at(from).map_or(0, |window| self.leading::<FOLD>(window));
                while places != 0 {
                    let place = from + 2 * (places.trailing_zeros() / u8::BITS) as usize;
                    places &= places - 1;
                    if self.may_be_at::<FOLD>(text, place) {
                        each(place);
                    }
                }
            }
            if count < ASIDE {
                break;
            }
        }
        while let Some(&[a, b, c]) = text.get(at..).and_then(<[u8]>::first_chunk) {
            if self.slots[slot_of([a, b, c], FOLD)] != 0 {
                each(at);
            }
            at += 2;
        }
    }

    /// What the slot holds of the three bytes at `at` of a window.
    #[inline]
    fn held<const FOLD: u32>(&self, window: &Window, at: usize) -> u8 {
        self.slots[slot(folded([window[at], window[at + 1], window[at + 2], window[at + 3]], FOLD))]
    }

    /// Whether any place of a window leads somewhere.
    #[inline]
    fn leads_somewhere<const FOLD: u32>(&self, window: &Window) -> bool {
        let held = |at| self.held::<FOLD>(window, at);
        held(0) | held(2) | held(4) | held(6) | held(8) | held(10) | held(12) | held(14) != 0
    }

    /// The places of a window that lead somewhere: a byte each, which is 1.
    #[inline]
    fn leading<const FOLD: u32>(&self, window: &Window) -> u64 {
        let held = |at| self.held::<FOLD>(window, at);
        u64::from_le_bytes([held(0), held(2), held(4), held(6), held(8), held(10), held(12), held(14)])
    }

    /// Whether four bytes that are looked for may begin at `at`, or one byte before. Most that are not are told from them.
    #[inline]
    fn may_be_at<const FOLD: u32>(&self, text: &[u8], at: usize) -> bool {
        let around = at.checked_sub(1).and_then(|before| text.get(before..)).and_then(<[u8]>::first_chunk::<8>);
        let Some(around) = around.map(|around| u64::from_le_bytes(*around)) else { return true };
        let marked = |bytes: u64| {
            let (word, bit) = mark(bytes as u32 | FOLD);
            self.marks[word] & bit
        };
        marked(around) | marked(around >> u8::BITS) != 0
    }

    /// Calls `each` with the words whose four bytes begin at `at`, or one byte before.
    #[cold]
    fn check(&self, text: &[u8], at: usize, each: &mut impl FnMut(Hit)) {
        for start in [Some(at), at.checked_sub(1)].into_iter().flatten() {
            let Some(bytes) = text.get(start..).and_then(<[u8]>::first_chunk) else { continue };
            let bytes = folded(*bytes, self.fold());
            let mut number = self.buckets[bucket(bytes)];
            while let Some(part) = part(self.parts, number) {
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
#[path = "../build/finder.rs"]
mod made;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::made::Tables;
    use super::*;

    fn finder<W: Into<String>>(words: impl IntoIterator<Item = W>, any_case: bool) -> Finder {
        let Tables { words, any_case, slots, marks, buckets, parts, places } = Tables::of(words, any_case);
        let words: Vec<&'static str> = words.into_iter().map(|word| &*word.leak()).collect();
        Finder {
            words: words.leak(),
            any_case,
            slots: (&*slots.leak()).try_into().unwrap(),
            marks: (&*marks.leak()).try_into().unwrap(),
            buckets: (&*buckets.leak()).try_into().unwrap(),
            parts: parts.leak(),
            places: places.leak(),
        }
    }

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
        let words = finder(["unexpected", "expect", "fail", "ailed ", "✖ ok", "ab"], false);
        let check = |text: &str, expected: &[(usize, usize)]| assert_eq!(hits(&words, text), expected, "{text}");
        check("", &[]);
        check("ab", &[]);
        check("fail", &[(2, 0)]);
        check("Fail", &[]);
        check(" fail", &[(2, 1)]);
        check("was unexpected, then it failed again", &[(0, 4), (1, 6), (2, 24), (3, 25)]);
        check(&format!("{}✖ ok{}expect", "é".repeat(100), "x".repeat(100)), &[(4, 200), (1, 306)]);
        let any = finder(["fail", "[warn]"], true);
        assert_eq!(hits(&any, "FAIL Fail [Warn]"), [(0, 0), (0, 5), (1, 10)]);
    }

    proptest! {
        #[test]
        fn the_same_is_found_as_by_looking_at_every_place(text in "[abcd✓]{0,40}", any_case: bool) {
            const WORDS: [&str; 6] = ["abcd", "bcda", "aaaa", "abca", "✓a", "dcbabc"];
            let mut found = hits(&finder(WORDS, any_case), &text);
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
            let words: Vec<String> = (0..count).map(|n| format!("{:x}-word", n * 7919)).collect();
            let finder = finder(words.iter().map(String::as_str), false);
            let text = words.join(" ");
            let mut found: Vec<usize> = hits(&finder, &text).into_iter().map(|(word, _)| word).collect();
            found.sort_unstable();
            found.dedup();
            prop_assert_eq!(found.len(), count);
        }
    }
}
