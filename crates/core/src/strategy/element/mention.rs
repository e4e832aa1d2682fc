//! Names that are mentioned elsewhere in what is shown.

use std::collections::BTreeSet;

use super::format::{Body, Format, ShownNode};
use super::tree::Form;
use crate::document::Document;
use crate::strategy::CutError;

/// A map with more members than this cannot show them all, so names that are mentioned elsewhere come first.
const MANY_NAMES: u64 = 40;
/// If it is no more than so many of them.
const MOST_MENTIONED: u64 = 32;

/// The members of large maps of records whose names are mentioned in what is shown: where a package lists what it
/// depends on, these are the entries that the reader will look for.
pub(super) fn members<F: Format>(
    document: &dyn Document,
    format: &F,
    shown: &[ShownNode],
) -> Result<BTreeSet<u64>, CutError> {
    let large = |shown: &&ShownNode| match &shown.body {
        Body::Open { family, .. } => {
            shown.node.form == Form::Map && family.records && family.count > MANY_NAMES && format.has_named_records()
        }
        _ => false,
    };
    let maps: Vec<&ShownNode> = shown.iter().filter(large).collect();
    if maps.is_empty() {
        return Ok(BTreeSet::new());
    }
    let listed = |start: u64| {
        maps.iter().any(|map| match &map.body {
            Body::Open { family, .. } => family.children.binary_search_by_key(&start, |(node, _)| node.start).is_ok(),
            _ => false,
        })
    };
    let mut words = BTreeSet::new();
    for shown in shown {
        if !listed(shown.node.start) {
            words.extend(format.name_of(&shown.node)?);
        }
        if matches!(shown.body, Body::Whole) && shown.node.end - shown.node.value < 80 {
            // A text, or a small container with its names and texts.
            let value = document.read(shown.node.value..shown.node.end)?;
            words.extend(value.split('"').map(str::trim).filter(|word| word.len() > 1).map(str::to_string));
        }
    }
    let mut all = BTreeSet::new();
    for map in maps {
        let Body::Open { family, .. } = &map.body else { continue };
        let mut mentioned = BTreeSet::new();
        for (node, _) in &family.children {
            let Some(name) = format.name_of(node)? else { continue };
            let last = name.rsplit('/').next().unwrap_or_default();
            if !last.is_empty() && (words.contains(last) || words.contains(&name)) {
                mentioned.insert(node.start);
            }
        }
        // What is said of most of them tells nothing.
        if mentioned.len() as u64 <= (family.count / 8).min(MOST_MENTIONED) {
            all.append(&mut mentioned);
        }
    }
    Ok(all)
}
