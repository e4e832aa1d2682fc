//! Which of a session's artifacts are worth reading for a question, where the store can tell without reading them.

use std::collections::BTreeMap;

use offcut::Offcut;

use offcut::words::{self, Token, WordSplitter};
use offcut_store::{ArtifactId, StoreError, TermMatches};

use super::query::Query;

/// The most artifacts that are read for one question.
const MOST_READ: usize = 256;

/// The artifacts to read, the newest first, and how many there are in all; none where the store cannot tell.
pub(super) fn candidates(offcut: &Offcut, query: &Query) -> Result<Option<(Vec<ArtifactId>, usize)>, StoreError> {
    let Some((store, session)) = offcut.store().filter(|(store, _)| store.keeps_terms()) else { return Ok(None) };
    let sought = sought(query);
    let mut terms: Vec<u32> =
        sought.iter().flat_map(|sought| sought.forms.iter().flatten()).map(|token| words::term(*token)).collect();
    terms.sort_unstable();
    terms.dedup();
    let Some(matches) = store.find(session, &terms)? else { return Ok(None) };
    let all = matches.artifacts.len();
    Ok(Some((best(matches, &terms, &sought), all)))
}

/// Something that is looked for: it is there where all tokens of one of its forms are.
struct Sought {
    forms: Vec<Vec<Token>>,
    weight: f32,
}

/// A term is there in any of its forms, a phrase where all its words are.
fn sought(query: &Query) -> Vec<Sought> {
    let mut words = WordSplitter::default();
    let terms = query.terms.iter().map(|term| {
        let forms = term.tokens.iter().map(|token| vec![*token]).collect();
        Sought { forms, weight: term.weight }
    });
    let phrases = query.phrases.iter().map(|phrase| {
        let mut tokens = Vec::new();
        words.each(phrase.text.as_bytes(), |token| tokens.push(token));
        Sought { forms: vec![tokens], weight: phrase.weight }
    });
    terms.chain(phrases).collect()
}

/// The artifacts that hold most of what is looked for, what few hold counting more; of equal ones the newest. Those of
/// which nothing is known come first: they may hold anything.
fn best(matches: TermMatches, terms: &[u32], sought: &[Sought]) -> Vec<ArtifactId> {
    let TermMatches { artifacts, holding, unknown } = matches;
    let holding: BTreeMap<u32, Vec<u32>> = terms.iter().copied().zip(holding).collect();
    let mut scores = vec![0.0f32; artifacts.len()];
    for Sought { forms, weight } in sought {
        let mut holders: Vec<u32> = forms.iter().flat_map(|form| all_of(form, &holding)).collect();
        holders.sort_unstable();
        holders.dedup();
        let (all, found) = (artifacts.len() as f32, holders.len() as f32);
        let rarity = weight * (1.0 + (all - found + 0.5).max(0.0) / (found + 0.5)).ln();
        for holder in holders {
            scores.iter_mut().skip(holder as usize).take(1).for_each(|score| *score += rarity);
        }
    }
    for place in unknown {
        scores.iter_mut().skip(place as usize).take(1).for_each(|score| *score = f32::INFINITY);
    }
    let mut order: Vec<(usize, f32)> = scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    let mut read: Vec<usize> = order.into_iter().take(MOST_READ).map(|(place, _)| place).collect();
    read.sort_unstable_by(|a, b| b.cmp(a));
    read.into_iter().filter_map(|place| artifacts.get(place).cloned()).collect()
}

/// The artifacts that hold all tokens of a form.
fn all_of(form: &[Token], holding: &BTreeMap<u32, Vec<u32>>) -> Vec<u32> {
    let mut holders = form.iter().map(|token| holding.get(&words::term(*token)).map_or(&[][..], Vec::as_slice));
    let Some(first) = holders.next() else { return Vec::new() };
    holders
        .fold(first.to_vec(), |kept, next| kept.into_iter().filter(|place| next.binary_search(place).is_ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(asked: &str, texts: &[&str], unknown: &[u32]) -> Vec<String> {
        let query = Query::read(asked);
        let sought = sought(&query);
        let terms: Vec<u32> = sought.iter().flat_map(|s| s.forms.iter().flatten()).map(|t| words::term(*t)).collect();
        let held: Vec<Vec<u32>> = texts.iter().map(|text| words::terms_of(text).unwrap()).collect();
        let holders = |term: &u32| (0..).zip(&held).filter(|(_, held)| held.contains(term)).map(|(n, _)| n).collect();
        let holding = terms.iter().map(holders).collect();
        let artifacts = (0..texts.len()).map(|n| format!("art_{n}_a").parse().unwrap()).collect();
        let matches = TermMatches { artifacts, holding, unknown: unknown.to_vec() };
        best(matches, &terms, &sought).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn those_that_hold_a_word_are_read_the_newest_first() {
        let texts = ["a disk error", "all is well", "DISKS are full", "nothing"];
        assert_eq!(chosen("disk", &texts, &[]), ["art_2_a", "art_0_a"]);
        assert_eq!(chosen("disk", &texts, &[3]), ["art_3_a", "art_2_a", "art_0_a"]);
        assert_eq!(chosen("kubelet", &texts, &[]), [""; 0]);
    }

    #[test]
    fn of_very_many_those_that_hold_more_of_it_are_read() {
        let mut texts = vec!["port"; 1000];
        texts[10] = "the port of redis";
        let chosen = chosen("redis port", &texts, &[]);
        assert_eq!(chosen.len(), MOST_READ);
        assert!(chosen.contains(&"art_10_a".to_owned()) && chosen[0] == "art_999_a");
    }
}
