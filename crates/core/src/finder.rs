//! Finding any of a few dozen words in one quick pass.
//!
//! Every second place of a text is looked at, three bytes at a time: a word of four bytes or more has three bytes of
//! its own at one of two such places. One byte says whether a word may have them, which hardly ever is the case; only
//! then words are compared.

/// Words to find.
#[derive(Debug)]
pub(crate) struct Finder {
    words: Vec<&'static str>,
    any_case: bool,
    /// For each slot that a word has three bytes in, its bucket and one more; else 0.
    slots: Box<[u8; SLOTS]>,
    /// Which words have three bytes in each slot: those of a bucket, which slots share where there are very many words.
    buckets: Vec<Vec<Start>>,
}

/// A word, and how far from its beginning the three bytes stand that led to it.
#[derive(Debug, Clone, Copy)]
struct Start {
    word: u16,
    offset: u8,
    /// How the word begins.
    lead: u32,
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

/// The shortest word that can be found, in bytes.
const SHORTEST: usize = 4;

/// So many slots that hardly two words share one, and few enough for the nearest cache.
const SLOTS: usize = 1 << 14;

/// The most buckets that a byte can tell apart from none.
const BUCKETS: usize = u8::MAX as usize;

/// Eight bytes as a number that is the same for letters of both cases.
#[inline]
fn fold(bytes: u64) -> u64 {
    bytes | 0x2020_2020_2020_2020
}

/// The slot of the first three of folded bytes: the others are shifted out.
#[inline]
fn slot(folded: u64) -> usize {
    const MIXED: u32 = 0x9e37_79b1 << 8;
    ((folded as u32).wrapping_mul(MIXED) >> 18) as usize
}

/// The slots of three places, each two bytes behind the one before.
#[inline]
fn three_slots(bytes: &[u8; 8]) -> [usize; 3] {
    let folded = fold(u64::from_le_bytes(*bytes));
    [slot(folded), slot(folded >> 16), slot(folded >> 32)]
}

impl Finder {
    /// A finder of `words`, each of four bytes at least (shorter ones are not found). Where letters may be of
    /// `any_case`, the words are given in lower case.
    pub(crate) fn new(words: &[&'static str], any_case: bool) -> Finder {
        let mut slots = Box::new([0; SLOTS]);
        let mut buckets: Vec<Vec<Start>> = Vec::new();
        for (number, word) in words.iter().enumerate().filter(|(_, word)| word.len() >= SHORTEST) {
            for offset in 0..2 {
                let Some(&[a, b, c]) = word.as_bytes().get(offset..offset + 3) else { continue };
                let Some(lead) = lead(word.as_bytes()) else { continue };
                let start = Start { word: number as u16, offset: offset as u8, lead };
                let place = &mut slots[slot(fold(u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0])))];
                if *place == 0 {
                    let bucket = if buckets.len() < BUCKETS { buckets.len() } else { number % BUCKETS };
                    buckets.resize(buckets.len().max(bucket + 1), Vec::new());
                    *place = (bucket + 1) as u8;
                }
                buckets.get_mut(usize::from(*place) - 1).into_iter().for_each(|bucket| bucket.push(start));
            }
        }
        Finder { words: words.to_vec(), any_case, slots, buckets }
    }

    /// Calls `each` with every word in `text`, also where words overlap, roughly in order: no word starts more than a
    /// byte before the one that was found before it.
    pub(crate) fn each(&self, text: &[u8], mut each: impl FnMut(Hit)) {
        let mut at = 0;
        // Six places at a time, while there are so many.
        while let Some(window) = text.get(at..).and_then(<[u8]>::first_chunk::<14>)
            && let (Some(first), Some(second)) = (window.first_chunk(), window.last_chunk())
        {
            let ([a, b, c], [d, e, f]) = (three_slots(first), three_slots(second));
            let any = self.slots[a] | self.slots[b] | self.slots[c] | self.slots[d] | self.slots[e] | self.slots[f];
            if any != 0 {
                for (place, slot) in (at..).step_by(2).zip([a, b, c, d, e, f]) {
                    if self.slots[slot] != 0 {
                        self.check(text, place, self.slots[slot], &mut each);
                    }
                }
            }
            at += 12;
        }
        while let Some(&[a, b, c, ..]) = text.get(at..) {
            let found = self.slots[slot(fold(u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0])))];
            self.check(text, at, found, &mut each);
            at += 2;
        }
    }

    /// Calls `each` with the words of what the slot of the three bytes at `at` holds.
    #[cold]
    fn check(&self, text: &[u8], at: usize, found: u8, each: &mut impl FnMut(Hit)) {
        let bucket = usize::from(found).checked_sub(1).and_then(|bucket| self.buckets.get(bucket));
        for &Start { word, offset, lead: begins } in bucket.into_iter().flatten() {
            let Some(start) = at.checked_sub(usize::from(offset)) else { continue };
            if text.get(start..).and_then(lead) != Some(begins) {
                continue;
            }
            let number = usize::from(word);
            let Some(word) = self.words.get(number) else { continue };
            let end = start + word.len();
            let Some(found) = text.get(start..end) else { continue };
            let same =
                if self.any_case { found.eq_ignore_ascii_case(word.as_bytes()) } else { found == word.as_bytes() };
            if same {
                each(Hit { word: number, start, end });
            }
        }
    }
}

/// How a text begins, the same for letters of both cases.
fn lead(text: &[u8]) -> Option<u32> {
    text.first_chunk().map(|lead| fold(u64::from(u32::from_le_bytes(*lead))) as u32)
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
        let finder = Finder::new(&["unexpected", "expect", "fail", "ailed ", "✖ ok", "ab"], false);
        let check = |text: &str, expected: &[(usize, usize)]| assert_eq!(hits(&finder, text), expected, "{text}");
        check("", &[]);
        check("ab", &[]);
        check("fail", &[(2, 0)]);
        check("Fail", &[]);
        check(" fail", &[(2, 1)]);
        check("was unexpected, then it failed again", &[(0, 4), (1, 6), (2, 24), (3, 25)]);
        check(&format!("{}✖ ok{}expect", "é".repeat(100), "x".repeat(100)), &[(4, 200), (1, 306)]);
        let any = Finder::new(&["fail", "[warn]"], true);
        assert_eq!(hits(&any, "FAIL Fail [Warn]"), [(0, 0), (0, 5), (1, 10)]);
    }

    proptest! {
        #[test]
        fn the_same_is_found_as_by_looking_at_every_place(text in "[abcd✓]{0,40}", any_case: bool) {
            const WORDS: [&str; 6] = ["abcd", "bcda", "aaaa", "abca", "✓a", "dcbabc"];
            let mut found = hits(&Finder::new(&WORDS, any_case), &text);
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
            let finder = Finder::new(&words, false);
            let text = words.join(" ");
            let mut found: Vec<usize> = hits(&finder, &text).into_iter().map(|(word, _)| word).collect();
            found.sort_unstable();
            found.dedup();
            prop_assert_eq!(found.len(), count);
        }
    }
}
