//! Histories, newest first: each commit with its id and its subject, then what it says and changed.

use crate::hash::{Counts, Hash};
use crate::line::{git, paths, template};
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::Unit;
use crate::strategy::lines::weights::git as weights;

/// A commit's rows.
struct Commit {
    start: usize,
    /// Behind its subject.
    head: usize,
    end: usize,
    is_named: bool,
    /// Whether it takes another commit back, is a stash with words of its own, or moved a branch otherwise.
    stands_out: bool,
    /// How it moved the branch, as a key.
    action: u64,
    /// The form of its subject.
    subject: u64,
    /// The row that sums its changes up, and how many files and lines changed.
    total: Option<(usize, [u64; 2])>,
}

/// What the rows of a history are worth.
pub(super) fn units(table: &Table<'_>) -> (Vec<Unit>, GapLabels) {
    let commits = commits(table);
    let totals = || commits.iter().filter_map(|commit| commit.total);
    let largest = [0, 1].map(|of| totals().max_by_key(|(row, counts)| (counts.get(of).copied(), usize::MAX - row)));
    let largest = largest.map(|total| total.map(|(row, _)| row));
    let mut units = Vec::new();
    let mut labels = GapLabels::new(Style::Results);
    let name = labels.name("commits");
    let (mut worth, mut named) = (weights::COMMIT, weights::NAMED);
    let (mut actions, mut subjects) = (Counts::default(), Counts::default());
    (0..commits.first().map_or(table.len(), |commit| commit.start)).for_each(|row| {
        labels.push(0);
        units.push(Unit::row(row, weights::MESSAGE, 0, 1.0, "first lines"));
    });
    for (number, commit) in commits.iter().enumerate() {
        let is_last = number + 1 == commits.len();
        let alike = subjects.entry(commit.subject).or_default();
        let mut head = worth * weights::SAME_SUBJECT.powi((*alike).min(weights::MOST_ALIKE) as i32);
        *alike += 1;
        if commit.is_named {
            head = head.max(named);
            named *= weights::NEXT_NAMED;
        }
        if commit.stands_out {
            let before = actions.entry(commit.action).or_default();
            head = head.max(weights::REVERT * weights::NEXT_REVERT.powi(*before as i32));
            *before += 1;
        }
        head = match number {
            0 => weights::NEWEST,
            _ if is_last => head.max(weights::OLDEST),
            _ => head,
        };
        let rows = commit.start as u32..commit.head as u32;
        units.push(Unit { rows, ..Unit::row(commit.start, head, 0, 1.0, "commit") });
        let part = head / weights::NEWEST;
        for row in commit.head..commit.end {
            units.push(Unit::row(row, below(table.words(row), part, largest.contains(&Some(row))), 0, 1.0, "commit"));
        }
        (commit.start..commit.end).for_each(|row| labels.push(if row == commit.start { name } else { 0 }));
        worth *= weights::OLDER;
    }
    (units, labels)
}

/// What a row below a commit's subject is worth, where the commit is worth `part` of the newest one; of all sums the
/// largest counts most.
fn below(line: &str, part: f32, is_largest: bool) -> f32 {
    match () {
        () if is_largest => weights::LARGEST,
        () if git::is_total(line) => weights::TOTAL * part,
        () if line.trim_matches(['|', '/', '\\', '_', ' ']).is_empty() => weights::GRAPH * part,
        () => match git::change(line) {
            Some((path, _)) => weights::FILE * paths::weight(path) * part,
            None => git::recorded(line).map_or(weights::MESSAGE, |path| weights::FILE * paths::weight(path)) * part,
        },
    }
}

fn commits(table: &Table<'_>) -> Vec<Commit> {
    let mut commits: Vec<Commit> = Vec::new();
    // Below `commit 1234` stand the author and the date, and then the subject.
    let mut waits = false;
    for row in 0..table.len() {
        let line = table.words(row);
        if let Some(found) = git::commit(line) {
            let is_named = found.is_named();
            let stands_out = git::takes_back(found.words) || found.is_worded_stash() || found.moves_a_branch();
            let (head, end) = (row + 1, row + 1);
            let action = Hash::of(found.action().as_bytes());
            let subject = template::template(found.words.trim_start()).0;
            commits.push(Commit { start: row, head, end, is_named, stands_out, action, subject, total: None });
            waits = found.goes_on;
            continue;
        }
        let Some(commit) = commits.last_mut() else { continue };
        commit.end = row + 1;
        if waits {
            commit.head = row + 1;
            let words = line.trim_start_matches(['|', '/', '\\', '*', ' ']);
            waits = words.is_empty() || git::is_about(words);
            commit.stands_out |= !waits && git::takes_back(words);
            commit.subject = template::template(words).0;
        }
        if git::is_total(line) {
            commit.total = Some((row, changed(line)));
        }
    }
    commits
}

/// How many files and lines ` 3 files changed, 12 insertions(+), 4 deletions(-)` counts.
fn changed(total: &str) -> [u64; 2] {
    let behind = total.trim_start_matches(['|', '/', '\\', '*', ' ']);
    let mut counts = behind.split(", ").map(|part| part.split(' ').next().and_then(|count| count.parse().ok()));
    [counts.next().flatten().unwrap_or(0), counts.flatten().sum()]
}

/// What the rows of `diff --stat` are worth: the sum, then the files that changed most.
pub(super) fn changes(table: &Table<'_>) -> (Vec<Unit>, GapLabels) {
    let most = (0..table.len()).filter_map(|row| git::change(table.words(row))).map(|(_, lines)| lines).max();
    let scale = (most.unwrap_or(1).max(1) as f32).ln_1p();
    let mut labels = GapLabels::new(Style::Places);
    let mut unit = |row: usize| {
        let line = table.words(row);
        let Some((path, lines)) = git::change(line) else {
            labels.push(0);
            let worth = if git::is_total(line) { weights::NEWEST } else { weights::MESSAGE };
            return Unit::row(row, worth, 0, 1.0, "summary");
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let name = if folder.is_empty() { 0 } else { labels.name(folder) };
        labels.push(name);
        let share = (lines as f32).ln_1p() / scale;
        let worth = weights::SMALL_CHANGE + weights::LARGE_CHANGE * share.powi(3) * paths::weight(path).max(0.5);
        Unit::row(row, worth, Hash::of(folder.as_bytes()), weights::NEXT_CHANGE, "file header")
    };
    let units = (0..table.len()).map(&mut unit).collect();
    (units, labels)
}

/// What the rows of `branch -v` are worth: the current branch, then those that parted from their upstream.
pub(super) fn branches(table: &Table<'_>) -> (Vec<Unit>, GapLabels) {
    let mut labels = GapLabels::new(Style::Results);
    let name = labels.name("branches");
    let mut unit = |row: usize| {
        labels.push(name);
        let line = table.words(row);
        let parted = [": ahead ", ": behind ", ": gone]"].iter().any(|words| line.contains(words));
        let (worth, key) = match () {
            () if line.starts_with("* ") => (weights::NEWEST, 0),
            () if parted => (weights::PARTED, 1),
            () => (weights::BRANCH, 2),
        };
        Unit::row(row, worth, key, weights::OLDER, "branch")
    };
    let units = (0..table.len()).map(&mut unit).collect();
    (units, labels)
}
