//! Which passages fit the words best: BM25 over overlapping windows of lines.

use super::intent::Intents;
use super::outline::Outline;
use super::query::Query;
use super::units::Units;

/// How soon a word that occurs again counts no more.
const K1: f32 = 1.2;

/// What a word that stands nearly everywhere is still worth.
const COMMON: f32 = 0.1;

/// How much longer windows are held back; they are of much the same size, so not much.
const B: f32 = 0.3;

/// A window has at most so many units, and so many bytes unless it is a single one.
const WINDOW: usize = 8;
const WINDOW_BYTES: u64 = 900;

/// Each window begins so many units after the one before.
const STRIDE: usize = 4;

/// The most windows that are looked at closely.
const MOST: usize = 400;

/// What a window is worth more if it shows an error, a failing test or how a process ended.
const TROUBLE: f32 = 1.3;

/// What a window is worth more if its best unit has nothing but what is asked for: the share of its words counts.
const DENSE: f32 = 0.6;

/// Units of a window are shown that have at least this share of what its best one has.
const NEAR: f32 = 0.4;

/// Units, 0-based and the end exclusive, with what showing them is worth.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ranked {
    pub(super) first: usize,
    pub(super) end: usize,
    /// The one unit that is shown where many fit equally well.
    pub(super) core: usize,
    pub(super) score: f32,
}

/// What fits best, and how well.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ranking {
    /// Best first; of equal ones the first in the document.
    pub(super) ranked: Vec<Ranked>,
    /// How much of what was asked the best one has, from 0 to 1.
    pub(super) coverage: f32,
}

struct Window {
    first: usize,
    last: usize,
    words: u32,
    /// Term and how often.
    found: Vec<(u16, u16)>,
}

/// Ranks the windows of `units`.
pub(super) fn rank(query: &Query, units: &Units, outline: &Outline, room: u64) -> Ranking {
    let (windows, count) = windows(units);
    let terms = query.terms.len() + query.phrases.len();
    let mut frequency = vec![0u32; terms];
    let mut words = 0u64;
    for window in &windows {
        words += u64::from(window.words);
        for (term, _) in &window.found {
            if let Some(count) = frequency.get_mut(usize::from(*term)) {
                *count += 1;
            }
        }
    }
    let usual = (words as f32 / windows.len().max(1) as f32).max(1.0);
    // A word that names a key of the data is looked for, whatever else it may mean.
    let is_key = |term: usize| units.keys.get(term).copied().unwrap_or(false);
    let weight = |at: usize| match query.terms.get(at) {
        Some(term) if is_key(at) => term.weight.max(1.0),
        Some(term) => term.weight,
        None => query.phrases.get(at - query.terms.len()).map_or(0.0, |phrase| phrase.weight),
    };
    let rarity: Vec<f32> = frequency
        .iter()
        .enumerate()
        .map(|(term, &frequency)| {
            let (all, with) = (count as f32, frequency as f32);
            weight(term) * (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln().max(COMMON)
        })
        .collect();
    let meant = query.intents.has(Intents::DEFINITION.with(Intents::BODY));
    let by_definition = if meant { 3.0 } else { 0.8 };
    let mut scored: Vec<(f32, usize)> = windows
        .iter()
        .enumerate()
        .map(|(at, window)| {
            let length = K1 * (1.0 - B + B * window.words as f32 / usual);
            let score = window.found.iter().map(|(term, times)| {
                let times = f32::from(*times);
                rarity.get(usize::from(*term)).copied().unwrap_or(0.0) * times * (K1 + 1.0) / (times + length)
            });
            let score: f32 = score.sum();
            (score * (1.0 + best_definition(units, window).0 * by_definition), at)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.truncate(MOST);
    let close = Close { query, units, outline, room, rarity: &rarity };
    let mut ranked = Vec::new();
    for (score, at) in scored {
        if let Some(window) = windows.get(at) {
            ranked.push(close.look(window, score));
        }
    }
    ranked.sort_by(|a: &Ranked, b| b.score.total_cmp(&a.score).then(a.first.cmp(&b.first)));
    let coverage = coverage(query, &units.keys, &windows, &rarity, count, &frequency);
    Ranking { ranked: distinct(ranked), coverage }
}

/// How much a window looks like the definition of what is asked for, from 0 to 1, and the unit that does.
fn best_definition(units: &Units, window: &Window) -> (f32, usize) {
    let inside = (window.first..=window.last).filter_map(|at| units.units.get(at).map(|unit| (unit.defines, at)));
    let best = inside.fold((0, window.first), |best, next| if next.0 > best.0 { next } else { best });
    (f32::from(best.0) / 100.0, best.1)
}

/// The windows in which something was found, and how many there are in all.
fn windows(units: &Units) -> (Vec<Window>, usize) {
    let mut windows: Vec<Window> = Vec::new();
    let mut count = 0;
    let mut first = 0;
    let mut hits = units.hits.as_slice();
    while let Some(unit) = units.units.get(first) {
        let (mut end, mut words, mut behind) = (first + 1, unit.words, unit.end);
        while let Some(next) = units.units.get(end) {
            if end - first >= WINDOW || next.end - unit.start > WINDOW_BYTES || next.start != behind {
                break;
            }
            words += next.words;
            behind = next.end;
            end += 1;
        }
        count += 1;
        let skip = hits.iter().take_while(|hit| (hit.unit as usize) < first).count();
        hits = hits.get(skip..).unwrap_or_default();
        let inside: Vec<_> = hits.iter().take_while(|hit| (hit.unit as usize) < end).collect();
        if let (Some(head), Some(tail)) = (inside.first(), inside.last()) {
            let mut found: Vec<(u16, u16)> = Vec::new();
            for hit in &inside {
                match found.iter_mut().find(|(term, _)| *term == hit.term) {
                    Some((_, times)) => *times = times.saturating_add(hit.count),
                    None => found.push((hit.term, hit.count)),
                }
            }
            windows.push(Window { first: head.unit as usize, last: tail.unit as usize, words, found });
        }
        first += STRIDE.min(end - first);
    }
    (windows, count)
}

/// How much of what was asked the best window has. Words that occur nowhere count as well.
fn coverage(query: &Query, keys: &[bool], windows: &[Window], rarity: &[f32], count: usize, frequency: &[u32]) -> f32 {
    let terms = query.terms.len();
    let absent = (1.0 + 2.0 * count as f32).ln() * 0.5;
    // Words that only tell the kind of line do not count where there are others.
    let sought =
        |at: usize| keys.get(at).copied().unwrap_or(false) || query.terms.get(at).is_some_and(|term| !term.meant);
    let only_meant = !(0..terms).any(sought);
    let counts = |at: usize| only_meant || sought(at);
    let all: f32 = query
        .terms
        .iter()
        .enumerate()
        .filter(|(at, _)| counts(*at))
        .map(|(at, term)| match frequency.get(at) {
            Some(0) | None if term.parted => 0.0,
            Some(0) | None => term.weight * absent,
            Some(_) => rarity.get(at).copied().unwrap_or(0.0),
        })
        .sum();
    let best = windows.iter().map(|window| {
        let of = |term: u16| rarity.get(usize::from(term)).copied().unwrap_or(0.0);
        window
            .found
            .iter()
            .filter(|(term, _)| usize::from(*term) < terms && counts(usize::from(*term)))
            .map(|(term, _)| of(*term))
            .sum::<f32>()
    });
    let mut phrases = query.phrases.iter().zip(frequency.iter().skip(terms));
    let phrase = phrases.any(|(phrase, &count)| phrase.given && count > 0);
    let share = if all > 0.0 { best.fold(0.0, f32::max) / all } else { 0.0 };
    match (phrase, only_meant) {
        (true, _) => share.max(0.8),
        (false, true) => share * 0.25,
        (false, false) => share,
    }
}

/// A second look at the windows that fit.
struct Close<'a> {
    query: &'a Query,
    units: &'a Units,
    outline: &'a Outline,
    room: u64,
    /// What finding each term is worth.
    rarity: &'a [f32],
}

impl Close<'_> {
    /// The unit of a window in which most of what is asked stands, and the first and last that come near to it.
    fn core(&self, window: &Window) -> (usize, usize, usize) {
        let start = self.units.hits.partition_point(|hit| (hit.unit as usize) < window.first);
        let hits = self.units.hits.iter().skip(start).take_while(|hit| hit.unit as usize <= window.last);
        let mut worths: Vec<(usize, f32)> = Vec::new();
        for hit in hits {
            let worth = self.rarity.get(usize::from(hit.term)).copied().unwrap_or(0.0);
            match worths.last_mut() {
                Some((unit, sum)) if *unit == hit.unit as usize => *sum += worth,
                _ => worths.push((hit.unit as usize, worth)),
            }
        }
        let best = worths.iter().map(|(_, worth)| *worth).fold(0.0, f32::max);
        let mut near = worths.iter().filter(|(_, worth)| *worth >= best * NEAR).map(|(unit, _)| *unit);
        let core = worths.iter().find(|(_, worth)| *worth >= best).map_or(window.first, |(unit, _)| *unit);
        let first = near.next().unwrap_or(window.first);
        (core, first, near.next_back().unwrap_or(first))
    }

    /// The share of a unit's words that are asked for.
    fn density(&self, unit: usize) -> f32 {
        let start = self.units.hits.partition_point(|hit| (hit.unit as usize) < unit);
        let hits = self.units.hits.iter().skip(start).take_while(|hit| hit.unit as usize == unit);
        let asked = hits.filter(|hit| self.query.terms.get(usize::from(hit.term)).is_some_and(|term| !term.meant));
        let words = self.units.units.get(unit).map_or(1, |unit| unit.words).max(1);
        (asked.count() as f32 / words as f32).min(1.0)
    }

    /// What a window is worth, and which units of it are shown.
    fn look(&self, window: &Window, score: f32) -> Ranked {
        let mut score = score;
        let (best, place) = best_definition(self.units, window);
        let meant = self.query.intents.has(Intents::DEFINITION.with(Intents::BODY));
        if self.is_trouble(window) {
            score *= TROUBLE;
        }
        let (core, first, last) = self.core(window);
        score *= 1.0 + DENSE * self.density(core);
        let core = if best >= 0.5 { place } else { core };
        let (first, end) = match best >= 0.5 && meant {
            true => (place, self.body(place)),
            false => (self.before(first), self.after(last + 1)),
        };
        Ranked { first, end, core, score }
    }

    fn is_trouble(&self, window: &Window) -> bool {
        let (Some(first), Some(last)) = (self.units.units.get(window.first), self.units.units.get(window.last)) else {
            return false;
        };
        let parts = self.outline.parts.iter();
        let troubles = ["error", "failing test", "exit code", "expected and found"];
        parts
            .filter(|part| troubles.contains(&part.why.as_str()))
            .any(|part| part.start < last.end && first.start < part.end)
    }

    /// The end of what a definition in unit `at` holds: the units that are indented deeper, and the one that closes it.
    fn body(&self, at: usize) -> usize {
        let Some(head) = self.units.units.get(at) else { return at + 1 };
        let wanted = self.query.intents.has(Intents::BODY);
        let most = if wanted { self.room * 6 / 10 } else { 300 };
        let (mut end, mut behind) = (at + 1, head.end);
        while let Some(unit) = self.units.units.get(end) {
            let blank = unit.words == 0 && unit.end - unit.start <= 4;
            if unit.end - head.start > most || unit.start != behind {
                break;
            }
            end += 1;
            behind = unit.end;
            // A bracket that closes has no words; one that opens a body below a signature has none either.
            if unit.indent <= head.indent && !blank && unit.words > 0 && end > at + 2 {
                end -= 1;
                break;
            }
        }
        end.max(at + 1)
    }

    fn before(&self, first: usize) -> usize {
        match (first.checked_sub(1).and_then(|at| self.units.units.get(at)), self.units.units.get(first)) {
            (Some(before), Some(unit))
                if !unit.part && before.end == unit.start && before.end - before.start <= 240 =>
            {
                first - 1
            }
            _ => first,
        }
    }

    fn after(&self, end: usize) -> usize {
        let mut to = end;
        while let (Some(last), Some(next)) = (self.units.units.get(to - 1), self.units.units.get(to)) {
            if to >= end + 2 || next.part || next.end - next.start > 240 || next.start != last.end {
                break;
            }
            to += 1;
        }
        to
    }
}

/// The best ones without those that show nothing new.
fn distinct(ranked: Vec<Ranked>) -> Vec<Ranked> {
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut kept: Vec<Ranked> = Vec::new();
    for mut next in ranked {
        // What is shown already is cut off at both ends.
        for (first, end) in &taken {
            if next.first >= *first && next.first < *end {
                next.first = *end;
            }
            if next.end > *first && next.end <= *end {
                next.end = *first;
            }
        }
        if next.first >= next.end {
            continue;
        }
        taken.push((next.first, next.end));
        kept.push(next);
    }
    kept
}
