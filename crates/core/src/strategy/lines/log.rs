//! Logs, test and build output, stack traces: one way of weighing for all of them.

use std::borrow::Cow;

use super::about::Found;
use super::fill::Unit;
use super::notes::{Notes, Style};
use super::scored::Scored;
use super::table::Table;
use super::whole;
use crate::interner::{ById, Interner};
use crate::line::system::subject;
use crate::line::trace::TraceLine;
use crate::line::{LineRules, LineScore, Role, Severity, classify_line, prefix, template};
use crate::strategy::Settings;

/// What is known of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighed {
    pub(super) class: Role,
    pub(super) worth: f32,
    /// What it gets from its neighbours.
    pub(super) lent: f32,
    /// What it is in a stack trace.
    pub(super) line: TraceLine,
    pub(super) shape: u64,
    /// How its shape begins.
    stem: u64,
    /// The numbers of its shape and its stem.
    shape_number: u32,
    stem_number: u32,
    indent: u16,
    /// Whether it repeats what stands before it, and is never shown by itself.
    pub(super) folded: bool,
    /// Whether it belongs to a trace that came before.
    pub(super) again: bool,
}

/// What the lines of a log are worth, each by itself and by what stands around it.
pub(super) fn read(table: &Table<'_>, settings: &Settings) -> Scored {
    let mut numbers = Interner::default();
    let mut rows = weigh(table, &mut numbers, &settings.line_rules);
    let traces = whole::find(table, &mut rows);
    let found = Found::in_rows(&rows, &traces);
    let counts = count(&rows, &numbers);
    let last = last_of_shape(&rows, &numbers);
    let share = repetition(&rows, &counts);
    rare(&mut rows, &counts, &last, share, &numbers);
    let severe = stretch(&mut rows);
    if settings.prioritize_errors {
        lend(&mut rows, &numbers);
        place(&mut rows);
    }
    ends(&mut rows, severe);
    whole::weigh(&traces, &mut rows);
    let stem_fade = 0.95 - 0.12 * share;
    let first = rows.iter().position(|row| row.class != Role::Blank);
    let mut seen = ById::new(numbers.len());
    let units = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.class != Role::Blank && !row.folded)
        .map(|(at, row)| {
            let worth = row.worth.max(row.lent) + 0.2 * row.worth.min(row.lent);
            // Of many, the first ones are shown.
            let worth = worth * (1.0 + 0.15 / seen.add(row.stem_number) as f32);
            Unit {
                rows: at as u32..at as u32 + 1,
                worth,
                // The last of many counts as one of its own, and so does the line that a log begins with.
                key: match last.get(row.shape_number) == at {
                    _ if first == Some(at) => row.shape.rotate_left(1),
                    true => !row.shape,
                    false => row.shape,
                },
                stem: if first == Some(at) { 0 } else { row.stem },
                stem_fade: match row.class {
                    Role::FailedTest => 0.985,
                    Role::AuditEvent => 0.95,
                    _ => stem_fade,
                },
                fade: fade(row.class),
                why: why(row),
            }
        })
        .collect();
    let mut notes = notes(&rows);
    traces.iter().flat_map(|trace| &trace.folds).for_each(|fold| notes.fold(fold.clone()));
    let bundles = whole::bundles(&traces, &rows);
    Scored { units, bundles, insets: Vec::new(), notes, found, by_novelty: true }
}

/// Whether a text that quotes code is what a run printed: it names failing tests, counts results behind the commands
/// that a shell traced, or is a trace of calls and what they returned.
pub(super) fn is_output(table: &Table<'_>, rules: &LineRules) -> bool {
    let (mut results, mut counts, mut traced, mut calls) = (0, 0, 0, 0);
    for (row, found) in table.signals().into_iter().enumerate() {
        let body = prefix::body(table.words(row));
        traced += u32::from(body.starts_with("+ "));
        let opened = body.find(['(', ' ']).is_some_and(|at| body.as_bytes().get(at) == Some(&b'('));
        calls += usize::from(opened && body.contains(" = "));
        if !found.is_empty() {
            let verdict = classify_line(body, found, rules);
            results += u32::from(matches!(verdict.role, Role::FailedTest | Role::Summary) && verdict.worth >= 60.0);
            counts += u32::from(verdict.role == Role::Summary);
        }
    }
    results >= 8 || counts >= 1 && traced >= 5 || calls * 5 > table.len()
}

/// What can be said of lines that are left out.
fn notes(rows: &[Weighed]) -> Notes {
    let mut notes = Notes::new(Style::Results);
    let [failed, errors, warnings, passed] =
        ["failing tests", "errors", "warnings", "passed"].map(|name| notes.name(name));
    for row in rows {
        notes.push(match row.class {
            Role::FailedTest if row.worth >= 85.0 => failed,
            Role::Error | Role::Message if row.worth >= 35.0 => errors,
            Role::Warning => warnings,
            Role::Pass => passed,
            _ => 0,
        });
        notes.push_shape(if row.class == Role::Blank { 0 } else { row.shape });
    }
    notes
}

/// Where each shape stands last: the last of many is as telling as the first.
fn last_of_shape(rows: &[Weighed], numbers: &Interner) -> ById<usize> {
    let mut last = ById::new(numbers.len());
    let told = rows.iter().enumerate().filter(|(_, row)| !row.again);
    told.for_each(|(at, row)| last.set(row.shape_number, at));
    last
}

fn fade(class: Role) -> f32 {
    match class {
        Role::FailedTest => 0.97,
        Role::Message | Role::Error | Role::Summary => 0.85,
        Role::Location | Role::Frame | Role::Detail => 0.85,
        Role::Warning => 0.8,
        Role::AuditEvent => 0.8,
        _ => 0.6,
    }
}

/// Why a line is kept that says nothing itself but stands beside one that does.
pub(super) const CONTEXT: &str = "context";

fn why(row: &Weighed) -> &'static str {
    if row.lent > row.worth {
        return CONTEXT;
    }
    row.class.reason().unwrap_or("rare line")
}

fn weigh(table: &Table<'_>, numbers: &mut Interner, rules: &LineRules) -> Vec<Weighed> {
    let signals = table.signals();
    let mut list = List::default();
    let mut quoted = 0;
    (0..table.len())
        .map(|row| {
            let line = table.words(row);
            let plain = without_carets(prefix::body(line));
            let body = plain.as_ref();
            let mut verdict = classify_line(body, signals.get(row).copied().unwrap_or_default(), rules);
            let trimmed = body.trim_start();
            let indent = (body.len() - trimmed.len()).min(200) as u16;
            list.read(body, indent, &mut verdict);
            // The first lines that pytest marks with `E` say it; the rest shows values.
            quoted = if verdict.role == Role::Message && trimmed.starts_with("E  ") { quoted + 1 } else { 0 };
            if quoted > 1 {
                verdict.worth *= 0.7f32.powi((quoted - 1).min(7));
            }
            let (shape, stem) = template::template(trimmed);
            let shape = if verdict.role == Role::AuditEvent { subject(trimmed) } else { shape };
            let (shape_number, stem_number) = (numbers.of(shape), numbers.of(stem));
            let LineScore { role: class, worth, .. } = verdict;
            let (line, folded, again) = (TraceLine::of_row(line, body), false, false);
            Weighed { class, worth, lent: 0.0, line, folded, again, shape, stem, shape_number, stem_number, indent }
        })
        .collect()
}

/// The line without colours that were written out as `^[[31m`.
fn without_carets(body: &str) -> Cow<'_, str> {
    if memchr::memchr(b'^', body.as_bytes()).is_none() || !body.contains("^[[") {
        return Cow::Borrowed(body);
    }
    let mut plain = String::with_capacity(body.len());
    let mut parts = body.split("^[[");
    plain.push_str(parts.next().unwrap_or(""));
    for part in parts {
        plain.push_str(
            part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').strip_prefix(['m', 'K']).unwrap_or(part),
        );
    }
    Cow::Owned(plain)
}

/// A list of names below a heading such as `failures:`.
#[derive(Default)]
struct List {
    heading: Option<u16>,
    items: Option<u16>,
}

impl List {
    fn read(&mut self, body: &str, indent: u16, verdict: &mut LineScore) {
        let heads = verdict.role == Role::Heading || verdict.role == Role::Summary && verdict.worth > 50.0;
        if heads && body.trim_end().ends_with(':') {
            *self = List { heading: Some(indent), items: None };
            return;
        }
        let Some(heading) = self.heading else { return };
        let maven = body.starts_with("[ERROR]   ");
        if verdict.role == Role::Blank || indent <= heading && !maven {
            *self = List::default();
            return;
        }
        let items = *self.items.get_or_insert(indent);
        if indent <= items && matches!(verdict.role, Role::Plain | Role::Boilerplate | Role::Error) {
            *verdict = LineScore { role: Role::FailedTest, severity: Severity::Critical, worth: 85.0 };
        } else if matches!(verdict.role, Role::Plain | Role::Boilerplate) {
            verdict.worth = verdict.worth.max(6.0);
        }
    }
}

/// How often each shape and each stem occurs.
fn count(rows: &[Weighed], numbers: &Interner) -> ById<u32> {
    let mut counts = ById::new(numbers.len());
    for row in rows.iter().filter(|row| row.class != Role::Blank) {
        counts.add(row.shape_number);
        counts.add(row.stem_number);
    }
    counts
}

/// How much of a text repeats itself as logs do, from 0 to 1.
fn repetition(rows: &[Weighed], counts: &ById<u32>) -> f32 {
    // A run of one stem counts once: progress does not make a log.
    let (mut runs, mut repeated, mut before) = (1, 0, 0);
    for row in rows.iter().filter(|row| row.class != Role::Blank) {
        if row.stem == before {
            continue;
        }
        before = row.stem;
        runs += 1;
        repeated += u32::from(counts.get(row.stem_number) >= 8);
    }
    (repeated as f32 / runs as f32 - 0.4).max(0.0) / 0.6
}

/// Rare lines are worth something where most lines repeat; frequent ones lose, but for the last of them.
fn rare(rows: &mut [Weighed], counts: &ById<u32>, last: &ById<usize>, share: f32, numbers: &Interner) {
    // From 0 to 1 as a text becomes a plain log, where frequent errors are routine.
    let plain = (share - 0.7).max(0.0) / 0.3;
    let mut seen = ById::new(numbers.len());
    for (at, row) in rows.iter_mut().enumerate() {
        // In a log each kind of line is shown once or twice before anything is shown often.
        let count = seen.add(row.stem_number);
        let sample = if count <= 3 { 12.0 * plain / count as f32 } else { 0.0 };
        let of = |number: u32| counts.get(number).max(1) as f32;
        let is_last = last.get(row.shape_number) == at;
        let count = (of(row.shape_number) * of(row.stem_number)).sqrt();
        let count = if is_last { count.min(4.0) } else { count };
        match row.class {
            Role::Plain | Role::Boilerplate | Role::Warning | Role::Command => {
                row.worth += (0.8 + 12.0 * share) / count.sqrt().max(1.0);
                row.worth /= 1.0 + (count.log2() / 6.0);
                row.worth += sample;
            }
            Role::Error | Role::Message if is_last => row.worth *= 1.2,
            Role::Error | Role::Message => row.worth /= 1.0 + count.log2() / (12.0 - 8.0 * plain),
            Role::Location => row.worth /= 1.0 + (count.log2() / 10.0),
            _ => {}
        }
    }
}

/// Where nothing is severe, the most telling lines take its place. Says whether something is severe.
fn stretch(rows: &mut [Weighed]) -> bool {
    let most = rows.iter().map(|row| row.worth).fold(0.0, f32::max);
    if (1.0..50.0).contains(&most) {
        let factor = (50.0 / most).min(4.0);
        rows.iter_mut().for_each(|row| row.worth *= factor);
    }
    most >= 50.0
}

/// Strong lines lend some of their worth to the lines around them, the first of a shape most.
fn lend(rows: &mut [Weighed], numbers: &Interner) {
    let mut anchors = ById::new(numbers.len());
    for at in 0..rows.len() {
        let Some(anchor) = rows.get(at).copied() else { break };
        if anchor.worth < 35.0 || anchor.class == Role::Summary {
            continue;
        }
        let repeats = anchors.add(anchor.shape_number) - 1;
        let share = 0.8f32.powi(repeats as i32).max(0.2);
        lend_behind(rows, at, anchor, anchor.worth * 0.6 * share);
        let back = if anchor.class == Role::ProcessExit { 0.7 } else { 0.3 };
        lend_before(rows, at, anchor, anchor.worth * back * share);
    }
}

fn lend_behind(rows: &mut [Weighed], at: usize, anchor: Weighed, mut left: f32) {
    for row in rows.iter_mut().skip(at + 1).take(40) {
        left *= match row.class {
            Role::Blank => 0.6,
            Role::Pass => 0.0,
            Role::Frame => 0.92,
            _ if row.indent > anchor.indent => 0.92,
            _ => 0.75,
        };
        if left < 1.0 {
            break;
        }
        let lent = if row.class == Role::Frame && row.worth < 1.0 { left * 0.3 } else { left };
        row.lent = row.lent.max(lent);
        if row.worth > anchor.worth {
            break;
        }
    }
}

fn lend_before(rows: &mut [Weighed], at: usize, anchor: Weighed, mut left: f32) {
    let ending = anchor.class == Role::ProcessExit;
    let reach = if ending { 14 } else { 6 };
    for row in rows.iter_mut().take(at).rev().take(reach) {
        left *= match row.class {
            Role::Blank if ending => 0.95,
            Role::Blank => 0.4,
            Role::Pass => 0.0,
            _ if ending => 0.85,
            _ => 0.6,
        };
        if left < 1.0 {
            break;
        }
        row.lent = row.lent.max(left);
        if ending && row.class == Role::Command {
            break;
        }
    }
}

/// How far from a message its place is looked for.
const PLACE_REACH: usize = 12;

/// The user's own frame nearest to a message says where it happened: the first below it, or in traces that end with
/// the message, the last above it.
fn place(rows: &mut [Weighed]) {
    for at in 0..rows.len() {
        let Some(anchor) = rows.get(at).copied() else { break };
        if anchor.class != Role::Message || anchor.worth < 50.0 {
            continue;
        }
        let own = |row: &Weighed| row.class == Role::Frame && row.worth >= 5.0;
        let behind = rows.iter().skip(at + 1).take(PLACE_REACH).position(own).map(|found| at + 1 + found);
        let before = rows.iter().take(at).rev().take(PLACE_REACH).position(own).map(|found| at - 1 - found);
        for found in [behind, before].into_iter().flatten() {
            if let Some(row) = rows.get_mut(found) {
                row.worth = row.worth.max(anchor.worth * 0.5);
            }
        }
    }
}

/// What the first line is worth at least: enough to be shown where there is room left.
const FIRST: f32 = 6.0;

/// The first and the last lines say what ran and how it went, above all where nothing else does.
fn ends(rows: &mut [Weighed], severe: bool) {
    let (first, last, step) = if severe { (3.0, 4.0, 1.0) } else { (20.0, 24.0, 1.5) };
    if let Some(row) = rows.iter_mut().find(|row| row.class != Role::Blank) {
        row.lent = row.lent.max(FIRST);
    }
    for (at, row) in rows.iter_mut().filter(|row| row.class != Role::Blank).enumerate().take(16) {
        row.lent = row.lent.max(first - at as f32 * step);
    }
    for (at, row) in rows.iter_mut().rev().filter(|row| row.class != Role::Blank).enumerate().take(16) {
        row.lent = row.lent.max(last - at as f32 * step);
    }
}

/// The rows of a table, weighed one by one.
#[cfg(test)]
pub(super) fn lines_of(table: &Table<'_>) -> Vec<Weighed> {
    weigh(table, &mut Interner::default(), &LineRules::default())
}
