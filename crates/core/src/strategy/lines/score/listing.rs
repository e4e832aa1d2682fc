//! Directory listings, lists of paths and trees: the upper levels first, then some of every folder.

use crate::hash::{Counts, Hash};
use crate::line::paths;
use crate::strategy::Settings;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::score::scored::{Scored, Scorer};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::listing as weights;
use crate::text;

/// One entry of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry<'a> {
    /// How deep it lies; 0 is the top.
    depth: usize,
    /// The folder it lies in, as a key.
    folder: u64,
    name: &'a str,
    /// The folder's name, where the line gives it.
    place: &'a str,
    is_folder: bool,
    is_total: bool,
    /// Whether it lies among what others wrote, or what tools made.
    is_foreign: bool,
}

/// Weighs the entries of a listing.
pub(in crate::strategy::lines) struct Listing;

impl Scorer for Listing {
    fn score(&self, table: &Table<'_>, _: &Settings) -> Scored {
        let mut labels = GapLabels::new(Style::Places);
        let mut reader = Reader::default();
        let entries: Vec<Entry<'_>> = (0..table.len()).map(|row| reader.read(table.words(row))).collect();
        let top = entries.iter().filter(|entry| !entry.is_total).map(|entry| entry.depth).min().unwrap_or(0);
        let mut before = 0;
        let sizes = sizes(&entries, top);
        let mut units = Vec::with_capacity(entries.len());
        for (row, entry) in entries.iter().enumerate() {
            let first_of_folder = entry.folder != std::mem::replace(&mut before, entry.folder);
            let size = sizes.get(row).copied().unwrap_or(1);
            let worth = match row + 1 == entries.len() {
                last if entry.is_total && (last || entry.is_folder) => weights::TOTAL,
                _ if entry.is_total => weights::PART_TOTAL,
                _ if entry.name.is_empty() => 0.0,
                _ if row == 0 => entry.worth(top, size, first_of_folder).max(weights::FIRST),
                _ => entry.worth(top, size, first_of_folder),
            };
            let place = if entry.is_total || entry.place.is_empty() { 0 } else { labels.name(entry.place) };
            labels.push(place);
            let why = if entry.is_folder { "folder" } else { "entry" };
            units.push(Unit::row(row, worth, entry.folder, weights::FADE, why));
        }
        Scored::of_units(units, labels)
    }
}

impl Entry<'_> {
    /// What it is worth by its place, where the listing's uppermost entries lie at depth `top` and so many lie below
    /// its upper folder.
    fn worth(&self, top: usize, size: u32, first_of_folder: bool) -> f32 {
        let depth = (self.depth - top.min(self.depth)) as f32;
        let mut worth = weights::ENTRY / weights::DEEPER.powf(depth.min(weights::DEEPEST));
        if self.is_folder {
            worth *= weights::FOLDER;
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
fn sizes(entries: &[Entry<'_>], top: usize) -> Vec<u32> {
    let upper = |entry: &Entry<'_>| {
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

/// Tells the forms apart: paths, `tree`, `ls -R`, `ls -l`.
#[derive(Debug, Default)]
struct Reader<'a> {
    heading: Option<(usize, &'a str)>,
    branch: Vec<u64>,
    /// The depth of the foreign folder at hand.
    foreign: Option<usize>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, line: &'a str) -> Entry<'a> {
        let words = line.trim();
        if let Some(entry) = self.branch(line) {
            return entry;
        }
        let total = words.starts_with("total ") || words.contains(" directories") || words.contains(" files");
        if total || words.is_empty() {
            return Entry {
                depth: 0,
                folder: 0,
                name: words,
                place: "",
                is_folder: words.contains(" files"),
                is_total: true,
                is_foreign: false,
            };
        }
        if let Some(folder) = words.strip_suffix(':') {
            let folder = folder.trim_start_matches("./");
            let depth = folder.matches('/').count();
            self.heading = Some((depth + 1, folder));
            return Entry {
                depth: depth.saturating_sub(1),
                folder: 1,
                name: folder,
                place: "",
                is_folder: true,
                is_total: false,
                is_foreign: paths::foreign(folder),
            };
        }
        let long = mode(words);
        let name = if long { words.rsplit(' ').next().unwrap_or(words) } else { words };
        let is_folder = long && words.starts_with('d') && name != "." && name != ".." || name.ends_with('/');
        match self.heading {
            Some((depth, place)) => Entry {
                depth,
                folder: Hash::of(place.as_bytes()),
                name,
                place,
                is_folder,
                is_total: false,
                is_foreign: paths::foreign(place),
            },
            None => {
                let path = name.trim_start_matches("./").trim_end_matches('/');
                let (folder, leaf) = path.rsplit_once('/').unwrap_or(("", path));
                let depth = path.matches('/').count();
                Entry {
                    depth,
                    folder: Hash::of(folder.as_bytes()),
                    name: leaf,
                    place: folder,
                    is_folder,
                    is_total: false,
                    is_foreign: paths::foreign(folder),
                }
            }
        }
    }

    /// An entry of a tree: `│   ├── name`, `|-- name`, `` `-- name ``.
    fn branch(&mut self, line: &'a str) -> Option<Entry<'a>> {
        let at = ["── ", "-- ", "─┬ ", "─ "].iter().find_map(|mark| line.find(mark).map(|at| (at, at + mark.len())));
        let (at, name) = at?;
        let (lead, _) = line.split_at(at);
        if !lead.chars().all(|c| matches!(c, '│' | '├' | '└' | '|' | '`' | '+' | '\\' | ' ' | '\u{a0}' | '─' | '┬'))
        {
            return None;
        }
        let width = lead.chars().count();
        let depth = width.div_ceil(if line.contains("── ") && !line.contains("├─┬") { 4 } else { 2 }).max(1);
        let name = line.get(name..).unwrap_or("");
        self.branch.truncate(depth);
        let folder = Hash::of(self.branch.last().copied().unwrap_or(depth as u64).to_le_bytes().as_slice());
        self.branch.resize(depth, 0);
        let is_foreign = self.foreign.is_some_and(|above| above < depth);
        if !is_foreign {
            self.foreign = paths::foreign(name).then_some(depth);
        }
        self.branch.push(Hash::of(name.as_bytes()));
        let is_folder = !name.contains('.') || name.ends_with('/');
        Some(Entry { depth, folder, name, place: "", is_folder, is_total: false, is_foreign })
    }
}

/// Whether a line begins with `drwxr-xr-x`.
fn mode(line: &str) -> bool {
    let first = line.split(' ').next().unwrap_or("");
    first.len() >= 10
        && first
            .bytes()
            .take(10)
            .all(|b| matches!(b, b'd' | b'r' | b'w' | b'x' | b'-' | b'l' | b's' | b't' | b'S' | b'T'))
}
