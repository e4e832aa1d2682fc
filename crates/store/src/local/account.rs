//! What the ledger of a session says, and how a process follows it without reading all of it for every artifact.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use parking_lot::Mutex;

use crate::id::{ArtifactId, SHORTEST_HANDLE, SessionId};
use crate::limits::ArtifactSize;

/// How many evicted artifacts are remembered when a ledger is rewritten.
pub(super) const REMEMBERED: usize = 10_000;

/// What a ledger says.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// What is kept, oldest first, with holes where something is gone.
    entries: VecDeque<Option<ArtifactSize>>,
    /// How many entries were taken off the front.
    passed: u64,
    /// The numbers of what is kept, by the hash of its name.
    places: HashMap<u64, u64>,
    /// What was evicted, oldest first.
    pub(super) evicted: Vec<ArtifactId>,
    /// When anything was created, kept or not.
    pub(super) times: Vec<u64>,
    /// How many lines were read.
    lines: usize,
}

impl Account {
    /// What is kept, oldest first.
    pub(super) fn kept(&self) -> impl Iterator<Item = &ArtifactSize> + Clone {
        self.entries.iter().flatten()
    }

    /// Takes in the lines that make sense; a last one that was cut short by a crash does not.
    pub(super) fn read(&mut self, text: &[u8]) {
        for line in lines(text) {
            self.lines += 1;
            let Some(id) = line.id() else { continue };
            match (line.sign, line.numbers()) {
                (b'+', Some((stored_bytes, created_ms))) => {
                    self.take_out(&id);
                    self.times.push(created_ms);
                    self.places.insert(hash(&id), self.passed + self.entries.len() as u64);
                    self.entries.push_back(Some(ArtifactSize { id, stored_bytes, created_ms }));
                }
                (b'+', None) => {}
                (sign, _) => {
                    self.take_out(&id);
                    if sign == b'e' {
                        self.evicted.push(id);
                    }
                }
            }
        }
    }

    fn take_out(&mut self, id: &ArtifactId) {
        let Some(number) = self.places.remove(&hash(id)) else { return };
        let place = number.checked_sub(self.passed).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| self.entries.get_mut(place)).into_iter().for_each(|entry| *entry = None);
        while let Some(None) = self.entries.front() {
            self.entries.pop_front();
            self.passed += 1;
        }
    }

    /// Whether most lines are about what is gone.
    fn is_bloated(&self) -> bool {
        self.lines > 2 * (self.places.len() + REMEMBERED) + REMEMBERED
    }
}

/// The most that the lines of a ledger can say is kept: as if nothing were gone.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AtMost {
    pub(super) artifacts: u64,
    pub(super) bytes: u64,
    /// When each was created.
    pub(super) times: Vec<u64>,
}

impl AtMost {
    /// Reads the lines of a whole ledger, without looking at names: a process that keeps one artifact need not know them.
    pub(super) fn of(text: &[u8]) -> AtMost {
        let mut most = AtMost::default();
        for (stored_bytes, created_ms) in lines(text).filter(|line| line.sign == b'+').filter_map(|line| line.numbers())
        {
            most.artifacts += 1;
            most.bytes = most.bytes.saturating_add(stored_bytes);
            most.times.push(created_ms);
        }
        most
    }
}

fn hash(id: &ArtifactId) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// A line of a ledger. It is looked at byte by byte, and no further than is asked for: a session may have thousands.
pub(super) struct LedgerLine<'a> {
    pub(super) sign: u8,
    id: &'a [u8],
    /// What stands behind the id.
    rest: &'a [u8],
}

impl<'a> LedgerLine<'a> {
    /// The artifact that it speaks of; none where that makes no sense.
    pub(super) fn id(&self) -> Option<ArtifactId> {
        std::str::from_utf8(self.id).ok()?.parse().ok()
    }

    /// The bytes and the time of an artifact that was created.
    fn numbers(&self) -> Option<(u64, u64)> {
        let mut words = self.rest.split(|byte| *byte == b' ').map(number);
        Some((words.next()??, words.next()??))
    }

    /// The shortest handle that its artifact may have.
    pub(super) fn handle(&self) -> Option<&'a str> {
        let rest = self.id.strip_prefix(b"art_")?;
        let random = rest.get(memchr::memchr(b'_', rest)? + 1..)?;
        std::str::from_utf8(random.get(..SHORTEST_HANDLE).unwrap_or(random)).ok()
    }
}

/// A number in digits.
fn number(word: &[u8]) -> Option<u64> {
    let digit = |sum: u64, byte: &u8| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    };
    if word.is_empty() { None } else { word.iter().try_fold(0, digit) }
}

/// The lines that make sense as such.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = LedgerLine<'_>> {
    let mut rest = text;
    let split = std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest.get(..end).filter(|_| !rest.is_empty())?;
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line)
    });
    split.filter_map(|line| {
        let (&sign, rest) = line.split_first().filter(|(sign, _)| matches!(sign, b'+' | b'-' | b'e'))?;
        let rest = rest.strip_prefix(b" ")?;
        let end = memchr::memchr(b' ', rest).unwrap_or(rest.len());
        Some(LedgerLine { sign, id: rest.get(..end)?, rest: rest.get(end + 1..).unwrap_or_default() })
    })
}

/// How many bytes before the end of what was read must still be there: they name what was kept last.
const WITNESS: usize = 256;

/// What was read of a ledger so far.
#[derive(Debug, Default)]
pub(super) struct LedgerProgress {
    pub(super) account: Account,
    /// How many bytes were read, and the last of them.
    read: u64,
    witness: Vec<u8>,
    handles: Handles,
}

impl LedgerProgress {
    /// From where on the ledger is to be read.
    pub(super) fn seen_from(&self) -> u64 {
        self.read - self.witness.len() as u64
    }

    /// Takes in the whole lines of `text`, which is the ledger from [`LedgerProgress::seen_from`] on; says no, and does nothing,
    /// where that is another ledger.
    pub(super) fn read_on(&mut self, text: &[u8]) -> bool {
        let Some(new) = text.strip_prefix(self.witness.as_slice()) else { return false };
        let whole = memchr::memrchr(b'\n', new).map_or(0, |end| end + 1);
        let new = new.get(..whole).unwrap_or_default();
        self.account.read(new);
        lines(new).filter_map(|line| line.handle()).for_each(|handle| self.handles.add(handle));
        // Only who rewrites a ledger asks for what was evicted, and reads all of it.
        self.account.evicted.clear();
        self.read += whole as u64;
        let seen = text.get(..self.witness.len() + whole).unwrap_or_default();
        self.witness = seen.get(seen.len().saturating_sub(WITNESS)..).unwrap_or_default().to_vec();
        true
    }

    /// Whether the ledger should be written anew.
    pub(super) fn is_bloated(&self) -> bool {
        self.account.is_bloated()
    }

    /// Whether the ledger may speak of an artifact whose handle is like that of `id`.
    pub(super) fn may_have_alike(&self, id: &ArtifactId) -> bool {
        self.handles.may_have(id.random())
    }
}

/// The shortest handles that a ledger speaks of, whatever became of their artifacts.
#[derive(Debug, Default)]
struct Handles {
    known: HashSet<[u8; SHORTEST_HANDLE]>,
    /// Whether there are names that are shorter than a handle.
    odd: bool,
}

impl Handles {
    /// How the random part of a name begins, the same for letters of both cases.
    fn key(random: &str) -> Option<[u8; SHORTEST_HANDLE]> {
        random.as_bytes().first_chunk().map(|key: &[u8; SHORTEST_HANDLE]| key.map(|byte| byte.to_ascii_lowercase()))
    }

    fn add(&mut self, handle: &str) {
        match Handles::key(handle) {
            Some(key) => {
                self.known.insert(key);
            }
            None => self.odd = true,
        }
    }

    fn may_have(&self, random: &str) -> bool {
        self.odd || Handles::key(random).is_none_or(|key| self.known.contains(&key))
    }
}

/// How many sessions are followed.
const FOLLOWED: usize = 8;

/// What is known of the ledgers of a few sessions. Whoever holds a session's ledger takes its tally out, and puts it back.
#[derive(Debug, Default)]
pub(super) struct Tallies {
    known: Mutex<VecDeque<(SessionId, LedgerProgress)>>,
}

impl Tallies {
    /// The tally of a session; none where the session was not asked about before.
    pub(super) fn take(&self, session: &SessionId) -> Option<LedgerProgress> {
        let mut known = self.known.lock();
        let at = known.iter().position(|(of, _)| of == session)?;
        known.remove(at).map(|(_, tally)| tally)
    }

    pub(super) fn put(&self, session: &SessionId, tally: LedgerProgress) {
        let mut known = self.known.lock();
        known.retain(|(of, _)| of != session);
        known.push_front((session.clone(), tally));
        known.truncate(FOLLOWED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(account: &Account) -> Vec<(&str, u64)> {
        account.kept().map(|entry| (entry.id.as_str(), entry.stored_bytes)).collect()
    }

    #[test]
    fn lines_add_up_in_order_and_broken_ones_are_passed_over() {
        let text = b"+ art_9_a 10 9\n+ art_5_b 20 5\nnonsense\n+ art_6_c x 6\n\xff\n+ art_7_d 30 7\n- art_5_b\ne art_9_a\n+ art_8_e 4";
        let mut account = Account::default();
        account.read(text);
        assert_eq!(kept(&account), [("art_7_d", 30)]);
        assert_eq!(account.times, [9, 5, 7]);
        assert_eq!(account.evicted, ["art_9_a".parse().unwrap()]);
    }

    #[test]
    fn there_is_never_more_than_the_lines_can_say() {
        let text = b"+ art_9_a 10 9\n+ art_5_b 20 5\nnonsense\n+ art_6_c x 6\n+ art_7_d 30 7\n- art_5_b\ne art_9_a\n";
        assert_eq!(AtMost::of(text), AtMost { artifacts: 3, bytes: 60, times: vec![9, 5, 7] });
    }

    #[test]
    fn a_ledger_that_grows_is_read_on_and_comes_to_the_same() {
        let mut text = Vec::new();
        for number in 0..60u32 {
            text.extend(format!("+ art_{number}_a {number} {number}\n").bytes());
            if number % 3 == 1 {
                text.extend(format!("e art_{}_a\n", number / 3).bytes());
            }
            if number % 7 == 6 {
                text.extend(format!("- art_{}_a\n", number - 2).bytes());
            }
            if number % 20 == 19 {
                // Created again.
                text.extend(format!("+ art_{number}_a 1 {number}\n").bytes());
            }
        }
        let mut whole = Account::default();
        whole.read(&text);
        for step in [1, 2, 7, 64, 1000] {
            let mut tally = LedgerProgress::default();
            for end in (0..text.len()).step_by(step).chain([text.len()]) {
                assert!(tally.read_on(&text[tally.seen_from() as usize..end]), "{step} {end}");
            }
            assert_eq!(kept(&tally.account), kept(&whole), "{step}");
            assert_eq!(tally.account.times, whole.times);
        }
    }

    #[test]
    fn a_ledger_without_a_like_handle_is_told_by_what_was_read_of_it() {
        let mut tally = LedgerProgress::default();
        assert!(tally.read_on(b"+ art_1_abcdefg 1 1\n+ art_2_bcdefgh 1 2\n- art_1_abcdefg\n"));
        let may = |tally: &LedgerProgress, id: &str| tally.may_have_alike(&id.parse().unwrap());
        assert!(may(&tally, "art_3_abcdxyz") && may(&tally, "art_3_BCDExyz") && may(&tally, "art_3_ab"));
        assert!(!may(&tally, "art_3_abcxyzz"));
        let known = tally.seen_from() as usize;
        let text = b"+ art_1_abcdefg 1 1\n+ art_2_bcdefgh 1 2\n- art_1_abcdefg\n+ art_4_x 1 4\n";
        assert!(tally.read_on(&text[known..]));
        assert!(may(&tally, "art_3_abcxyzz"));
    }

    #[test]
    fn another_ledger_is_not_read_on() {
        let mut tally = LedgerProgress::default();
        assert!(tally.read_on(b"+ art_1_a 1 1\n+ art_2_b 1 2\n"));
        let known = tally.seen_from();
        for other in [&b""[..], b"+ art_1_a 1 1\n+ art_2_c 1 2\n", b"+ art_1_a 1 1\n"] {
            assert!(!tally.read_on(other.get(known as usize..).unwrap_or_default()));
        }
        assert_eq!(kept(&tally.account), [("art_1_a", 1), ("art_2_b", 1)]);
    }
}
