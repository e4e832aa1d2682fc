//! Diffs and histories with diffs: every file's header and commit's subject first, then whole hunks spread over files.

use std::ops::Range;

use crate::hash::{Counts, Hash};
use crate::line::{Role, classify_line, definitions, git, paths, template};
use crate::strategy::Settings;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::score::scored::{Scored, Scorer};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::{CONTEXT, Unit};
use crate::strategy::lines::weights::diff as weights;

/// Why a hunk is kept.
const HUNK: &str = "hunk";

/// Why a line is kept that belongs to no change.
const BESIDE: &str = "beside the changes";

/// Hunks longer than this are chosen in parts.
const PART: usize = 14;

/// The most lines of headers that come before the first hunk.
const HEADERS: usize = 12;

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiffLine {
    /// `commit 1234`.
    Commit,
    /// A header of a commit: author, date.
    About,
    /// An indented line of a commit's message.
    Words,
    /// `diff --git a/x b/x`, or `+++` where there is none.
    File,
    /// `index`, `---`, `+++`, modes.
    Header,
    /// A file that was renamed, added, deleted, or that is binary.
    Fate,
    /// ` path | 12 ++--`.
    Stat,
    /// ` 3 files changed, …`.
    Total,
    /// `@@ … @@`.
    Hunk,
    /// A line of a hunk.
    Body,
    /// Something else.
    Other,
}

/// Whether a text is a history of commits, with or without their changes.
pub(in crate::strategy::lines) fn is_history(table: &Table<'_>) -> bool {
    let id = table.words(0).strip_prefix("commit ").and_then(|rest| rest.split(' ').next());
    id.is_some_and(|id| id.len() >= 7 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Weighs the lines of a diff.
pub(in crate::strategy::lines) struct Diff;

impl Scorer for Diff {
    fn score(&self, table: &Table<'_>, settings: &Settings) -> Scored {
        let mut labels = GapLabels::new(Style::Changes);
        let mut units = units(table, 0..table.len(), &mut labels);
        raise_others(table, settings, &mut units);
        Scored::of_units(units, labels)
    }
}

/// The rows of a diff that begins at row `start` of another text, if one does.
pub(in crate::strategy::lines) fn part(table: &Table<'_>, start: usize) -> Option<Range<usize>> {
    let mut reader = DiffReader::default();
    let mut hunks = 0;
    let mut end = start;
    for row in start..table.len() {
        if row > start && table.breaks_before(row) {
            break;
        }
        match reader.read(table.words(row)) {
            DiffLine::Commit
            | DiffLine::About
            | DiffLine::Words
            | DiffLine::Other
            | DiffLine::Stat
            | DiffLine::Total => break,
            DiffLine::Hunk => hunks += 1,
            DiffLine::File | DiffLine::Header | DiffLine::Fate | DiffLine::Body => {}
        }
        end = row + 1;
        if hunks == 0 && end - start > HEADERS {
            return None;
        }
    }
    (hunks > 0).then_some(start..end)
}

/// What the lines of a diff are worth that takes the rows `rows`.
pub(in crate::strategy::lines) fn units(table: &Table<'_>, rows: Range<usize>, labels: &mut GapLabels) -> Vec<Unit> {
    let mut name = 0;
    let mut units = Vec::new();
    let mut reader = DiffReader::default();
    let mut file = File::default();
    let mut commits = 0;
    // Of the newest commit the first change is shown with it: it tells what the history is about now.
    let mut first_change = false;
    let mut row = rows.start;
    while row < rows.end {
        let line = table.words(row);
        let kind = reader.read(line);
        let (worth, why) = match kind {
            DiffLine::Commit => {
                (file, name) = (File::default(), 0);
                let end = behind_subject(table, row, rows.end);
                let worth = weights::COMMIT * weights::OLDER.powi(commits);
                commits += 1;
                first_change = commits == 1;
                units.push(Unit { rows: row as u32..end as u32, ..Unit::row(row, worth, 0, 1.0, "commit") });
                (row..end).for_each(|_| labels.push(name));
                row = end;
                continue;
            }
            DiffLine::About => (weights::HEADER, "commit"),
            DiffLine::Words if line.trim().is_empty() => (0.0, "commit"),
            DiffLine::Words => (weights::MESSAGE, "commit"),
            DiffLine::File => {
                file = File::of(line);
                name = labels.name(File::path(line));
                (if first_change { weights::FIRST_CHANGE } else { weights::FILE * file.weight }, "file header")
            }
            DiffLine::Header => (weights::HEADER, "file header"),
            DiffLine::Fate => (weights::FATE, "file header"),
            DiffLine::Stat => {
                (weights::STAT * paths::weight(line.split('|').next().unwrap_or("").trim()), "file header")
            }
            DiffLine::Total => (weights::TOTAL, "summary"),
            DiffLine::Hunk => {
                let end = (row + 1..rows.end).find(|&next| reader.read(table.words(next)) != DiffLine::Body);
                let end = end.unwrap_or(rows.end);
                let from = if std::mem::take(&mut first_change) {
                    let rows = row as u32..behind_addition(table, row, end) as u32;
                    units.push(Unit { rows: rows.clone(), ..Unit::row(row, weights::FIRST_CHANGE, 0, 1.0, HUNK) });
                    rows.end as usize
                } else {
                    row
                };
                hunk(table, from, end, &mut file, &mut units);
                (row..end).for_each(|_| labels.push(name));
                row = end;
                reader.rewind();
                continue;
            }
            DiffLine::Body => (weights::OTHER, CONTEXT),
            DiffLine::Other => (weights::OTHER, BESIDE),
        };
        labels.push(name);
        let key = Hash::of(line.as_bytes());
        units.push(Unit::row(row, worth, key, weights::HEADER_FADE, why));
        row += 1;
    }
    lessen_alike(table, &mut units);
    units
}

/// Makes what a program says beside the changes that it shows worth what it would be in a log; what it says last sums up.
fn raise_others(table: &Table<'_>, settings: &Settings, units: &mut [Unit]) {
    let is_said = |unit: &Unit| unit.why == BESIDE && !table.words(unit.rows.start as usize).trim().is_empty();
    let last_change = units.iter().rposition(|unit| unit.why != BESIDE);
    let last = units.iter().rposition(is_said).filter(|last| last_change.is_some_and(|change| change < *last));
    for (at, unit) in units.iter_mut().enumerate().filter(|(_, unit)| is_said(unit)) {
        let row = unit.rows.start as usize;
        let signals = table.signals().get(row).copied().unwrap_or_default();
        let told = classify_line(table.words(row), signals, &settings.line_rules);
        let tells = !matches!(told.role, Role::Plain | Role::Boilerplate | Role::Pass | Role::Blank | Role::Command);
        if tells && settings.prioritize_errors {
            unit.worth = unit.worth.max(told.worth);
        }
        if last == Some(at) {
            unit.worth = unit.worth.max(weights::LAST_OTHER);
        }
    }
}

/// Makes the hunks worth less that change what others change, too: among many that are alike the odd one tells most.
fn lessen_alike(table: &Table<'_>, units: &mut [Unit]) {
    let changed = |unit: &Unit| {
        let lines = unit.rows.clone().map(|row| table.words(row as usize));
        lines.filter(|line| line.starts_with(['+', '-'])).map(|line| template::template(line).0).collect::<Vec<u64>>()
    };
    let mut counts = Counts::default();
    for unit in units.iter().filter(|unit| unit.why == HUNK) {
        changed(unit).into_iter().for_each(|template| *counts.entry(template).or_default() += 1);
    }
    // The first change stays what it is.
    for unit in units.iter_mut().filter(|unit| unit.why == HUNK && unit.worth < weights::FIRST_CHANGE) {
        let templates = changed(unit);
        let rare: f32 = templates.iter().map(|template| 1.0 / counts.get(template).copied().unwrap_or(1) as f32).sum();
        let share = if templates.is_empty() { 1.0 } else { (rare / templates.len() as f32).sqrt() };
        unit.worth *= weights::CHANGED_ALIKE + (1.0 - weights::CHANGED_ALIKE) * share;
    }
}

/// The row behind the subject of the commit that begins at row `start`: id, author, date and subject are shown together.
fn behind_subject(table: &Table<'_>, start: usize, end: usize) -> usize {
    let mut rows = start + 1..end.min(start + HEADERS);
    let about = |line: &str| line.trim().is_empty() || git::is_about(line);
    let behind = rows.find(|&row| !about(table.words(row)));
    behind.filter(|&row| table.words(row).starts_with("    ")).map_or(start + 1, |row| row + 1)
}

/// The row behind the first line that the hunk of these rows adds, or a few lines of it where that comes late.
fn behind_addition(table: &Table<'_>, start: usize, end: usize) -> usize {
    let reach = end.min(start + PART);
    (start + 1..reach).find(|&row| table.words(row).starts_with('+')).map_or(reach, |row| row + 1)
}

/// The file that the hunks at hand belong to.
#[derive(Debug, Clone, Copy, Default)]
struct File {
    weight: f32,
    key: u64,
}

impl File {
    fn path(line: &str) -> &str {
        match line.strip_prefix("+++ ") {
            Some(named) => named.split('\t').next().unwrap_or(named),
            None => line.rsplit(" b/").next().unwrap_or(line),
        }
    }

    fn of(line: &str) -> File {
        let path = File::path(line);
        File { weight: paths::weight(path), key: Hash::of(path.as_bytes()) }
    }
}

/// A hunk as one unit, or as a few parts where it is long.
fn hunk(table: &Table<'_>, start: usize, end: usize, file: &mut File, units: &mut Vec<Unit>) {
    let mut share = 1.0;
    let mut at = start;
    while at < end {
        let stop = if end - at <= PART * 3 / 2 { end } else { at + PART };
        let defines = (at..stop).any(|row| {
            let line = table.words(row);
            line.starts_with('+') && definitions::is_definition(line.get(1..).unwrap_or(""))
        });
        let changed = (at..stop).filter_map(|row| table.words(row).strip_prefix(['+', '-']));
        let (mut changes, mut remarks) = (0, 0);
        for line in changed {
            changes += 1;
            remarks += usize::from(is_remark(line));
        }
        let worth = (weights::HUNK
            + weights::CHANGE * (changes as f32).sqrt()
            + if defines { weights::DEFINITION } else { 0.0 })
            * file.weight
            * if changes > 0 && changes == remarks { weights::COMMENTS } else { 1.0 }
            * share
            + if (at..stop).any(|row| is_conflict(table.words(row))) { weights::CONFLICT } else { 0.0 };
        units.push(Unit {
            rows: at as u32..stop as u32,
            worth,
            key: file.key,
            prefix: 0,
            prefix_fade: 1.0,
            fade: weights::HUNK_FADE,
            why: HUNK,
        });
        share *= weights::NEXT_PART;
        at = stop;
    }
}

/// Whether a line opens, parts or closes what two sides of a merge want to be there.
fn is_conflict(line: &str) -> bool {
    let line = line.trim_start_matches(['+', '-', ' ']);
    line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ")
}

/// Whether a line is blank or a comment.
fn is_remark(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line == "#"
        || ["# ", "//", "/*", "* ", "*/", "-- ", "; ", "<!--"].iter().any(|mark| line.starts_with(mark))
}

/// Tells lines apart by what came before.
#[derive(Debug, Default)]
struct DiffReader {
    in_hunk: bool,
    in_commit: bool,
    git: bool,
    left: (u64, u64),
    last: Option<(bool, bool, bool, (u64, u64))>,
}

impl DiffReader {
    fn read(&mut self, line: &str) -> DiffLine {
        self.last = Some((self.in_hunk, self.in_commit, self.git, self.left));
        if self.in_hunk {
            match line.as_bytes().first() {
                Some(b'+') if self.left.1 > 0 => {
                    self.left.1 -= 1;
                    return DiffLine::Body;
                }
                Some(b'-') if self.left.0 > 0 => {
                    self.left.0 -= 1;
                    return DiffLine::Body;
                }
                Some(b' ' | b'\t') | None if self.left.0 > 0 && self.left.1 > 0 => {
                    self.left = (self.left.0 - 1, self.left.1 - 1);
                    return DiffLine::Body;
                }
                Some(b'\\') => return DiffLine::Body,
                _ => self.in_hunk = false,
            }
        }
        self.outside(line)
    }

    /// Takes the last line back.
    fn rewind(&mut self) {
        if let Some(last) = self.last.take() {
            (self.in_hunk, self.in_commit, self.git, self.left) = last;
        }
    }

    fn outside(&mut self, line: &str) -> DiffLine {
        if let Some(ranges) = line.strip_prefix("@@ ") {
            self.in_hunk = true;
            self.left = lengths(ranges);
            return DiffLine::Hunk;
        }
        // The hunks of a merge have a range for each parent, and a column of signs: they end where no sign stands.
        if line.starts_with("@@@ ") {
            self.in_hunk = true;
            self.left = (u64::MAX, u64::MAX);
            return DiffLine::Hunk;
        }
        let starts = |starts: &[&str]| starts.iter().any(|start| line.starts_with(start));
        if starts(&["diff --git ", "diff --cc ", "diff --combined ", "Index: "]) {
            (self.in_commit, self.git) = (false, true);
            return DiffLine::File;
        }
        if line.starts_with("commit ") && line.len() >= 14 {
            (self.in_commit, self.git) = (true, false);
            return DiffLine::Commit;
        }
        if self.in_commit && line.starts_with("    ") {
            return DiffLine::Words;
        }
        if self.in_commit && starts(&["Author:", "Date:", "Commit:", "AuthorDate:", "CommitDate:", "Merge:"]) {
            return DiffLine::About;
        }
        // What a file is called now tells more than what it was called; one that is gone has no name.
        if starts(&["+++ "]) && !self.git {
            return if starts(&["+++ /dev/null"]) { DiffLine::Fate } else { DiffLine::File };
        }
        if starts(&["index ", "--- ", "+++ ", "old mode", "new mode", "similarity ", "===="]) {
            return DiffLine::Header;
        }
        let fates = ["rename ", "new file", "deleted file", "copy ", "Binary files", "Subproject", "Only in "];
        if starts(&fates) {
            return DiffLine::Fate;
        }
        if line.starts_with(' ') && line.contains(" | ") {
            return DiffLine::Stat;
        }
        if line.starts_with(' ') && line.contains(" changed") {
            return DiffLine::Total;
        }
        DiffLine::Other
    }
}

/// How many old and new lines a hunk has, from `-1,6 +1,7 @@`.
fn lengths(ranges: &str) -> (u64, u64) {
    let mut counts = ranges.split(' ').filter_map(|range| {
        let range = range.strip_prefix(['-', '+'])?;
        Some(range.split_once(',').map_or(1, |(_, count)| count.parse().unwrap_or(1)))
    });
    (counts.next().unwrap_or(1), counts.next().unwrap_or(1))
}
