//! Finding any of a few dozen words in one quick pass.
//!
//! Every second place of a text is looked at, three bytes at a time: a word of four bytes or more has three bytes of
//! its own at one of two such places. One bit says whether a word may have them, which hardly ever is the case; only
//! then words are compared.

/// Words to find.
#[derive(Debug)]
pub(crate) struct Finder {
    words: Vec<&'static str>,
    any_case: bool,
    /// A bit for each slot that a word has three bytes in.
    filter: Box<[u64; SLOTS / 64]>,
    /// The words by those slots, in order.
    starts: Vec<(u16, Start)>,
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

const SLOTS: usize = 1 << 16;

/// Four bytes as a number that is the same for letters of both cases.
fn fold(bytes: u32) -> u32 {
    bytes | 0x2020_2020
}

/// The slot of three bytes. Letters count alike in both cases, and the fourth byte does not count.
fn slot(bytes: u32) -> u16 {
    let key = fold(bytes) & 0x00ff_ffff;
    (key.wrapping_mul(0x9e37_79b1) >> 16) as u16
}

impl Finder {
    /// A finder of `words`, each of four bytes at least (shorter ones are not found). Where letters may be of
    /// `any_case`, the words are given in lower case.
    pub(crate) fn new(words: &[&'static str], any_case: bool) -> Finder {
        let mut filter = Box::new([0; SLOTS / 64]);
        let mut starts = Vec::new();
        for (number, word) in words.iter().enumerate().filter(|(_, word)| word.len() >= SHORTEST) {
            for offset in 0..2 {
                let Some(&[a, b, c]) = word.as_bytes().get(offset..offset + 3) else { continue };
                let lead = word.as_bytes().first_chunk().map_or(0, |lead| fold(u32::from_le_bytes(*lead)));
                let slot = slot(u32::from_le_bytes([a, b, c, 0]));
                filter[usize::from(slot >> 6)] |= 1 << (slot & 63);
                starts.push((slot, Start { word: number as u16, offset: offset as u8, lead }));
            }
        }
        starts.sort_by_key(|(slot, _)| *slot);
        Finder { words: words.to_vec(), any_case, filter, starts }
    }

    /// Calls `each` with every word in `text`, also where words overlap, roughly in order: no word starts more than a
    /// byte before the one that was found before it.
    pub(crate) fn each(&self, text: &[u8], mut each: impl FnMut(Hit)) {
        let mut at = 0;
        // Three places at a time, while there are so many.
        while let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let bytes = u64::from_le_bytes(*bytes);
            let slots = [bytes, bytes >> 16, bytes >> 32].map(|bytes| slot(bytes as u32));
            if slots.iter().fold(0, |any, slot| any | self.has(*slot)) != 0 {
                for (slot, at) in slots.into_iter().zip([at, at + 2, at + 4]) {
                    self.check(text, at, slot, &mut each);
                }
            }
            at += 6;
        }
        while let Some(&[a, b, c, ..]) = text.get(at..) {
            self.check(text, at, slot(u32::from_le_bytes([a, b, c, 0])), &mut each);
            at += 2;
        }
    }

    /// Whether a word has three bytes in this slot: 1 if so.
    fn has(&self, slot: u16) -> u64 {
        self.filter[usize::from(slot >> 6)] >> (slot & 63) & 1
    }

    #[cold]
    fn check(&self, text: &[u8], at: usize, slot: u16, each: &mut impl FnMut(Hit)) {
        if self.has(slot) == 0 {
            return;
        }
        let first = self.starts.partition_point(|(known, _)| *known < slot);
        let same = self.starts.get(first..).unwrap_or_default().iter().take_while(|(known, _)| *known == slot);
        for &(_, Start { word, offset, lead }) in same {
            let Some(start) = at.checked_sub(usize::from(offset)) else { continue };
            let Some(begins) = text.get(start..).and_then(|rest| rest.first_chunk()) else { continue };
            if fold(u32::from_le_bytes(*begins)) != lead {
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
