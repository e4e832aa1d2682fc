//! Words that outputs use for what people ask in other words.
//!
//! `synonyms.txt` lists them: a word, a colon, and what it finds as well. They say nothing about any one program.

use std::sync::LazyLock;

use offcut::words::{Token, WordSplitter};

static TABLE: LazyLock<Vec<(Token, Vec<&'static str>)>> = LazyLock::new(|| {
    let mut words = WordSplitter::default();
    let mut table: Vec<(Token, Vec<&str>)> = Vec::new();
    for line in include_str!("synonyms.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some((asked, others)) = line.split_once(':') else { continue };
        let others: Vec<&str> = others.split(',').map(str::trim).filter(|other| !other.is_empty()).collect();
        for asked in asked.split(',') {
            table.push((words.stem(asked.trim()), others.clone()));
        }
    }
    table
});

/// The words and phrases that outputs use for `word`, in any of its forms.
pub(super) fn of(word: &str, words: &mut WordSplitter) -> impl Iterator<Item = &'static str> + use<> {
    let stem = words.stem(word);
    TABLE.iter().filter(move |(known, _)| *known == stem).flat_map(|(_, others)| others.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_known_in_all_its_forms() {
        let found = |word: &str| of(word, &mut WordSplitter::default()).collect::<Vec<&str>>();
        assert!(found("depends").contains(&"requires") && found("dependency").contains(&"requires"));
        assert!(found("folders").contains(&"directory"));
        assert!(found("zebra").is_empty());
    }

    #[test]
    fn the_table_is_in_lower_case_and_has_no_empty_lines() {
        for line in include_str!("synonyms.txt").lines().filter(|line| !line.starts_with('#')) {
            assert!(
                line.split_once(':').is_some_and(|(asked, others)| !asked.is_empty() && !others.trim().is_empty()),
                "{line}"
            );
            assert_eq!(line, line.to_lowercase());
        }
    }
}
