//! Directory listings, lists of paths and trees: the upper levels first, then some of every folder.

use std::collections::{BTreeMap, HashSet};

use crate::hash::{Counts, Hash, Plain};
use crate::line::{entries, paths};
use crate::strategy::Settings;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::score::scored::{Scored, Scorer};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::listing as weights;
use crate::text;

/// One entry of a listing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct ListingEntry<'a> {
    /// How deep it lies; 0 is the top.
    depth: usize,
    /// The folder it lies in, as a key.
    folder: u64,
    /// Its own path, as a key; 0 where the line does not give it.
    path: u64,
    name: &'a str,
    /// The folder's name, where the line gives it.
    place: &'a str,
    /// What it takes; 0 where the line does not say.
    size: u64,
    is_folder: bool,
    /// Whether its path begins with `./`.
    is_dotted: bool,
    /// Whether the entries of a folder stand below it.
    is_heading: bool,
    /// Whether it sums others up.
    is_total: bool,
    /// Whether it names the columns.
    is_header: bool,
    /// Whether it is a sentence rather than an entry.
    is_said: bool,
    /// Whether it lies among what others wrote, or what tools made.
    is_foreign: bool,
    /// Its mode; empty where the line does not give it.
    mode: &'a str,
}

/// Weighs the entries of a listing.
pub(in crate::strategy::lines) struct Listing;

impl Scorer for Listing {
    fn score(&self, table: &Table<'_>, _: &Settings) -> Scored {
        let mut labels = GapLabels::new(Style::Places);
        let joined = |row: usize| table.words(row).contains("─┬ ");
        let mut reader = ListingReader { narrow: (0..table.len()).any(joined), ..ListingReader::default() };
        let mut entries: Vec<ListingEntry<'_>> =
            (0..table.len()).map(|row| reader.read(table.words(row), row)).collect();
        find_folders(&mut entries);
        let top = entries.iter().filter(|entry| entry.is_entry()).map(|entry| entry.depth).min().unwrap_or(0);
        let mut before = 0;
        let shared = shared(&entries, top);
        let largest = [false, true].map(|folders| largest(&entries, folders));
        let strange = strange(&entries);
        let mut units = Vec::with_capacity(entries.len());
        for (row, entry) in entries.iter().enumerate() {
            let first_of_folder = entry.folder != std::mem::replace(&mut before, entry.folder);
            let count = shared.get(row).copied().unwrap_or(1);
            let most = largest.get(usize::from(entry.is_folder)).copied().unwrap_or(0);
            let worth = || entry.worth(top, count, first_of_folder) * entry.largeness(most);
            let worth = match row + 1 == entries.len() {
                last if entry.is_total && (last || entry.is_folder) => weights::TOTAL,
                _ if entry.is_total => weights::PART_TOTAL,
                _ if entry.is_header => weights::COLUMNS,
                _ if entry.name.is_empty() => weights::RULE,
                last if last || row == 0 => worth().max(weights::FIRST),
                _ if is_root(table, row) => worth().max(weights::ROOT),
                _ => worth(),
            };
            let folder = entry.upper_folder(top);
            let here = if entry.is_dotted { "./" } else { "" };
            let place = if entry.is_total || folder.is_empty() { 0 } else { labels.name(&format!("{here}{folder}/")) };
            labels.push(place);
            let why = if entry.is_folder { "folder" } else { "entry" };
            units.push(Unit::row(row, worth, entry.folder, weights::FADE, why));
        }
        // What names the columns or sums everything up comes before any entry, and so does what is unlike all others.
        let best = units.iter().map(|unit| unit.worth).fold(0.0, f32::max);
        let leads = |entry: &ListingEntry<'_>, at: usize| {
            entry.is_header || entry.is_total && (entry.is_folder || at + 1 == entries.len())
        };
        for (at, unit) in units.iter_mut().enumerate() {
            if entries.get(at).is_some_and(|entry| leads(entry, at)) || strange.binary_search(&at).is_ok() {
                unit.worth = best;
            }
        }
        Scored { floor: weights::FLOOR, ..Scored::of_units(units, labels) }
    }
}

/// Whether a drawn tree hangs from this row: what is listed is named there.
fn is_root(table: &Table<'_>, row: usize) -> bool {
    let branches = |row: usize| {
        let line = table.words(row).trim_start();
        line.starts_with(['├', '└', '│']) || line.starts_with("|-- ") || line.starts_with("`-- ")
    };
    !branches(row) && branches(row + 1)
}

/// Marks the entries that others lie in as folders.
fn find_folders(entries: &mut [ListingEntry<'_>]) {
    let folders: HashSet<u64, Plain> =
        entries.iter().filter(|entry| entry.path != 0).map(|entry| entry.folder).collect();
    for entry in entries.iter_mut().filter(|entry| entry.path != 0) {
        entry.is_folder |= folders.contains(&entry.path);
    }
}

/// The size of the largest file, or of the largest folder; what holds all others is not counted.
fn largest(entries: &[ListingEntry<'_>], folders: bool) -> u64 {
    let deeper = entries.iter().filter(|entry| entry.is_entry() && entry.is_folder == folders);
    let mut sizes: Vec<u64> =
        deeper.filter(|entry| !entry.name.is_empty() && entry.name != ".").map(|entry| entry.size).collect();
    sizes.sort_unstable();
    let (least, most) = (sizes.first().copied().unwrap_or(0), sizes.last().copied().unwrap_or(0));
    // Where all are as large, as the blocks of folders are, nothing is told.
    if least == most { 0 } else { most }
}

/// So many files may be unlike the others in their size, mode or path, and one in so many.
const STRANGE: usize = 4;
const STRANGE_SHARE: usize = 20;

/// So many times as large as the one in the middle a file is unlike the others.
const FAR_LARGER: u64 = 100;

/// A sentence has so many words at least.
const SENTENCE: usize = 3;

/// More sentences together are a text.
const SAID_TOGETHER: usize = 2;

/// The rows of the files that are far larger than the others, that have a mode of their own, or whose path leads out of
/// where it stands, in order.
fn strange(entries: &[ListingEntry<'_>]) -> Vec<usize> {
    let files: Vec<(usize, &ListingEntry<'_>)> =
        entries.iter().enumerate().filter(|(_, entry)| entry.is_entry() && !entry.is_folder).collect();
    let few = STRANGE.min(files.len() / STRANGE_SHARE);
    let mut sizes: Vec<u64> = files.iter().map(|(_, entry)| entry.size).filter(|size| *size > 0).collect();
    sizes.sort_unstable();
    let usual = sizes.get(sizes.len() / 2).copied().unwrap_or(0).saturating_mul(FAR_LARGER);
    let rows = |is_strange: &dyn Fn(&ListingEntry<'_>) -> bool| {
        let found = files.iter().filter(|(_, entry)| is_strange(entry));
        let rows: Vec<usize> = found.map(|(row, _)| *row).collect();
        if rows.len() <= few { rows } else { Vec::new() }
    };
    let mut modes: BTreeMap<&str, usize> = BTreeMap::new();
    files.iter().for_each(|(_, entry)| *modes.entry(entry.mode).or_default() += 1);
    let is_rare = |mode: &str| modes.get(mode).is_some_and(|count| *count <= few);
    let mut strange = rows(&|entry| usual > 0 && entry.size >= usual);
    strange.extend(rows(&|entry| entry.mode.starts_with('-') && is_rare(entry.mode)));
    strange.extend(rows(&|entry| entry.place.contains("../")));
    strange.extend(said_alone(entries));
    strange.sort_unstable();
    strange.dedup();
    strange
}

/// The sentences among entries, in order, where they are few; those of a text that stands beside the listing are not meant.
fn said_alone(entries: &[ListingEntry<'_>]) -> Vec<usize> {
    let mut rows = Vec::new();
    let mut at = 0;
    for said in entries.chunk_by(|one, next| one.is_said == next.is_said) {
        if said.len() <= SAID_TOGETHER && said.iter().all(|entry| entry.is_said) {
            rows.extend(at..at + said.len());
        }
        at += said.len();
    }
    if rows.len() <= STRANGE && rows.len() * STRANGE_SHARE <= entries.len() { rows } else { Vec::new() }
}

/// Whether a line is a sentence: some words, the first of which is no path.
fn is_sentence(words: &str) -> bool {
    let first = words.split(' ').next().unwrap_or_default();
    words.split_ascii_whitespace().take(SENTENCE).count() == SENTENCE
        && !first.contains(['/', '\\', '.', '|'])
        && first.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b':')
}

impl ListingEntry<'_> {
    fn is_entry(&self) -> bool {
        !self.is_total && !self.is_header && !self.name.is_empty()
    }

    /// The folder that gaps name it by: two levels below the uppermost entries, so that the parts of one count together.
    fn upper_folder(&self, top: usize) -> &str {
        let end = self.place.match_indices('/').nth(top + 1).map_or(self.place.len(), |(at, _)| at);
        text::slice(self.place, 0..end)
    }

    /// How many times as much it is worth for its size, where the largest takes `most`.
    fn largeness(&self, most: u64) -> f32 {
        if most == 0 { 1.0 } else { 1.0 + weights::LARGE * (self.size.min(most) as f32 / most as f32).sqrt() }
    }

    /// What it is worth by its place, where the listing's uppermost entries lie at depth `top` and so many lie below
    /// its upper folder.
    fn worth(&self, top: usize, size: u32, first_of_folder: bool) -> f32 {
        let depth = (self.depth - top.min(self.depth)) as f32;
        let mut worth = weights::ENTRY / weights::DEEPER.powf(depth.min(weights::DEEPEST));
        if self.is_folder {
            worth *= weights::FOLDER;
        }
        if self.is_heading {
            worth *= weights::HEADING;
        }
        if self.is_foreign {
            worth *= weights::FOREIGN;
        }
        let telling = paths::telling(self.name);
        if depth <= 1.0 || !self.is_foreign {
            worth *= telling;
        }
        if depth <= 1.0 && (self.is_folder || telling > 1.0) {
            worth *= 1.0 + weights::DOUBLED * (size.max(1) as f32).log2();
        }
        if first_of_folder { worth * weights::FIRST_OF_FOLDER } else { worth }
    }
}

/// How many entries share each entry's upper folder; those of its family (`jest-cli`, `jest-util`) count for the folder
/// that the family is named after.
fn shared(entries: &[ListingEntry<'_>], top: usize) -> Vec<u32> {
    let upper = |entry: &ListingEntry<'_>| {
        let end = entry.place.match_indices('/').nth(top).map_or(entry.place.len(), |(at, _)| at);
        let upper = text::slice(entry.place, 0..end);
        let name = upper.rfind('/').map_or(0, |slash| slash + 1);
        let family = text::slice(upper, name..upper.len()).find(['-', '_', '.']).map_or(upper.len(), |at| name + at);
        let family = if family > name { Hash::of(text::slice(upper, 0..family).as_bytes()) } else { 0 };
        (if upper.is_empty() { entry.folder } else { Hash::of(upper.as_bytes()) }, family)
    };
    let mut counts = Counts::default();
    for (own, family) in entries.iter().map(upper) {
        *counts.entry(own).or_default() += 1;
        if family != own && family != 0 {
            *counts.entry(family).or_default() += 1;
        }
    }
    entries.iter().map(|entry| counts.get(&upper(entry).0).copied().unwrap_or(0)).collect()
}

/// The names of columns stand in one of the first so many lines.
const HEADER_REACH: usize = 6;

/// Tells the forms apart: paths, `tree`, `ls -R`, `ls -l`.
#[derive(Debug, Default)]
struct ListingReader<'a> {
    heading: Option<(usize, &'a str)>,
    /// Entries in columns so far.
    columns: u32,
    branch: Vec<u64>,
    /// Whether a level of a tree is two columns wide, as npm draws it.
    narrow: bool,
    /// The depth of the foreign folder at hand.
    foreign: Option<usize>,
}

impl<'a> ListingReader<'a> {
    fn read(&mut self, line: &'a str, row: usize) -> ListingEntry<'a> {
        let words = line.trim();
        if let Some(entry) = self.branch(line) {
            return entry;
        }
        let total = words.starts_with("total ") || words.ends_with(" total");
        if total || words.contains(" directories") || words.contains(" files") {
            return ListingEntry {
                name: words,
                is_folder: words.contains(" files"),
                is_total: true,
                ..ListingEntry::default()
            };
        }
        if words.bytes().all(|byte| matches!(byte, b'-' | b' ' | b'=' | b'+' | b'|')) {
            return ListingEntry::default();
        }
        if let Some(folder) = words.strip_suffix(':') {
            let folder = folder.trim_start_matches("./");
            let depth = folder.matches('/').count();
            let is_top = matches!(folder, "" | ".");
            self.heading = Some((if is_top { 0 } else { depth + 1 }, folder));
            let is_foreign = paths::foreign(folder);
            let (name, is_folder, is_heading) = (folder, true, true);
            return ListingEntry {
                depth,
                folder: 1,
                name,
                is_folder,
                is_heading,
                is_foreign,
                ..ListingEntry::default()
            };
        }
        let found = entries::path_entry(line);
        self.columns += u32::from(found.is_some());
        // What stands above the first entries in columns, and has words only, names them.
        let names = || words.split_ascii_whitespace().all(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
        if found.is_none() && self.columns == 0 && row < HEADER_REACH && words.contains("  ") && names() {
            return ListingEntry { name: words, is_header: true, ..ListingEntry::default() };
        }
        let name = found.map_or(words, |found| found.path);
        let is_folder =
            found.is_some_and(|found| found.is_folder) && name != "." && name != ".." || name.ends_with('/');
        // What `ls -l` gives for a folder is its own blocks, not what lies in it.
        let size = found.filter(|found| !(is_folder && found.has_mode())).map_or(0, |found| found.size);
        let mode = found.map_or("", |found| found.mode);
        if let Some((depth, place)) = self.heading.filter(|_| found.is_none_or(|found| found.has_mode())) {
            let is_foreign = paths::foreign(place);
            let folder = Hash::of(place.as_bytes());
            return ListingEntry {
                depth,
                folder,
                name,
                place,
                size,
                is_folder,
                is_foreign,
                mode,
                ..ListingEntry::default()
            };
        }
        let is_said = found.is_none_or(|found| !found.has_mode()) && is_sentence(words);
        let is_dotted = name.starts_with("./");
        let path = name.trim_start_matches("./").trim_end_matches('/');
        let (place, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (folder, path) = (Hash::of(place.as_bytes()), Hash::of(path.as_bytes()));
        let is_foreign = paths::foreign(place);
        let depth = place.matches('/').count() + usize::from(!place.is_empty());
        ListingEntry {
            depth,
            folder,
            path,
            name,
            place,
            size,
            is_folder,
            is_dotted,
            is_said,
            is_foreign,
            mode,
            ..ListingEntry::default()
        }
    }

    /// An entry of a tree: `│   ├── name`, `|-- name`, `` `-- name ``.
    fn branch(&mut self, line: &'a str) -> Option<ListingEntry<'a>> {
        let at = ["── ", "-- ", "─┬ ", "─ "].iter().find_map(|mark| line.find(mark).map(|at| (at, at + mark.len())));
        let (at, name) = at?;
        let (lead, _) = line.split_at(at);
        if !lead.chars().all(|c| matches!(c, '│' | '├' | '└' | '|' | '`' | '+' | '\\' | ' ' | '\u{a0}' | '─' | '┬'))
        {
            return None;
        }
        let width = lead.chars().count();
        let depth = width.div_ceil(if line.contains("── ") && !self.narrow { 4 } else { 2 }).max(1);
        let name = line.get(name..).unwrap_or("");
        // `[4.0K]  name`.
        let sized = name.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (size, name) = sized
            .map_or((0, name), |(size, name)| (entries::figure(size.trim()).unwrap_or(0.0) as u64, name.trim_start()));
        self.branch.truncate(depth);
        let folder = Hash::of(self.branch.last().copied().unwrap_or(depth as u64).to_le_bytes().as_slice());
        self.branch.resize(depth, 0);
        let is_foreign = self.foreign.is_some_and(|above| above < depth);
        if !is_foreign {
            self.foreign = paths::foreign(name).then_some(depth);
        }
        self.branch.push(Hash::of(name.as_bytes()));
        let is_folder = if self.narrow { line.contains("─┬ ") } else { !name.contains('.') || name.ends_with('/') };
        Some(ListingEntry { depth, folder, name, size, is_folder, is_foreign, ..ListingEntry::default() })
    }
}
