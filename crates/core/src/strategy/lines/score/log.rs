//! Logs, test and build output, stack traces: one way of weighing for all of them.

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memmem;

use super::scored::{Scored, Scorer};
use super::weighed::WeighedLine;
use super::{failures, far_numbers, neighbours, whole_traces};
use crate::hash::Plain;
use crate::interner::{ById, Interner};
use crate::line::errors::is_excerpt;
use crate::line::signals::Signals;
use crate::line::system::subject;
use crate::line::trace::TraceLine;
use crate::line::{LineRules, LineScore, Role, Severity, classify_line, locations, template};
use crate::strategy::Settings;
use crate::strategy::lines::findings::Findings;
use crate::strategy::lines::gap_labels::{GapLabels, Style};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::unit::{CONTEXT, Unit};
use crate::strategy::lines::weights::neighbours::SEVERE;
use crate::strategy::lines::weights::{FLOOR, log as weights};
use crate::text;

/// Weighs the lines of logs, test and build output, and stack traces.
pub(in crate::strategy::lines) struct Log;

impl Scorer for Log {
    /// What the lines are worth, each by itself and by what stands around it.
    fn score(&self, table: &Table<'_>, settings: &Settings) -> Scored {
        self.score_from(FLOOR, table, settings)
    }
}

impl Log {
    /// The same for lines that may yet be worth more: a unit for each that is worth `least`.
    pub(super) fn score_from(&self, least: f32, table: &Table<'_>, settings: &Settings) -> Scored {
        let mut ids = Interner::default();
        let mut rows = weigh(table, &mut ids, &settings.line_rules);
        let traces = whole_traces::find(table, &mut rows);
        let found = Findings::in_rows(&rows, &traces);
        let counts = count(&rows, &ids);
        let last = last_of_template(&rows, &ids);
        let repetition = repetition(&rows, &counts);
        let is_failed_run = tells_of_failed_run(&rows);
        let rarity = if is_failed_run { weights::RARE_IN_FAILED_RUN } else { 1.0 };
        rare(&mut rows, &counts, &last, Repeats { repetition, rarity }, &ids);
        if !is_failed_run {
            far_numbers::raise(table, &mut rows, &counts);
        }
        strange(table, &mut rows, &ids);
        let severe = stretch(&mut rows);
        if settings.prioritize_errors {
            neighbours::lend(&mut rows, &ids);
            neighbours::place(&mut rows);
            neighbours::heads(table, &mut rows);
            neighbours::alone(&mut rows);
        }
        neighbours::ends(&mut rows, severe);
        if !severe {
            neighbours::last_summaries(&mut rows, &last);
        }
        whole_traces::weigh(&traces, &mut rows);
        let units = units(&rows, &last, repetition, &ids, least);
        let mut labels = labels(&rows);
        traces.iter().flat_map(|trace| &trace.folds).for_each(|fold| labels.fold(fold.clone()));
        let bundles = whole_traces::bundles(&traces, &rows);
        let blocks = failures::find(table, &rows, &bundles);
        let (embeds, failed) = (Vec::new(), Vec::new());
        Scored { units, bundles, blocks, embeds, failed, labels, found, by_novelty: true, floor: FLOOR }
    }
}

/// A unit for each row that can be shown by itself and is worth `least`.
fn units(rows: &[WeighedLine], last: &ById<usize>, repetition: f32, ids: &Interner, least: f32) -> Vec<Unit> {
    let first = rows.iter().position(|row| row.role != Role::Blank);
    let mut seen = ById::new(ids.len());
    let shown = rows.iter().enumerate().filter(|(_, row)| row.role != Role::Blank && !row.folded);
    let unit = |(at, row): (usize, &WeighedLine)| {
        let is_first = first == Some(at);
        let worth = row.worth.max(row.lent) + weights::LESSER * row.worth.min(row.lent);
        // Of many, the first ones are shown.
        let worth = worth * (1.0 + weights::EARLIER / seen.add(row.prefix_id) as f32);
        if worth < least {
            return None;
        }
        // The last of many counts as one of its own, and so does the line that a log begins with.
        let key = match last.get(row.template_id) == at {
            _ if is_first => row.template.rotate_left(1),
            true => !row.template,
            false => row.template,
        };
        let prefix = if is_first { 0 } else { row.prefix };
        let headed = row.heads.unwrap_or(row.role);
        let fade = weights::fade(row.role).max(weights::fade(headed));
        let prefix_fade = weights::prefix_fade(row.role, repetition).max(weights::prefix_fade(headed, repetition));
        Some(Unit { prefix, prefix_fade, ..Unit::row(at, worth, key, fade, why(row)) })
    };
    shown.filter_map(unit).collect()
}

/// Whether a text that quotes code is what a run printed: it names failing tests, counts results behind the commands
/// that a shell traced, is a trace of calls and what they returned, numbers the lines that it quotes, or puts the
/// program's name before what it says.
pub(in crate::strategy::lines) fn is_output(table: &Table<'_>, rules: &LineRules) -> bool {
    let (mut results, mut counts, mut traced, mut calls) = (0, 0, 0, 0);
    let (mut numbered, mut signed) = (0, 0);
    for (row, &found) in table.signals().iter().enumerate() {
        let body = table.body(row);
        traced += u32::from(body.starts_with("+ "));
        let opened = body.find(['(', ' ']).is_some_and(|at| body.as_bytes().get(at) == Some(&b'('));
        calls += usize::from(opened && body.contains(" = "));
        numbered += usize::from(is_excerpt(body));
        signed += usize::from(is_signed(body));
        if !found.is_empty() {
            let verdict = classify_line(body, found, rules);
            let tells = matches!(verdict.role, Role::FailedTest | Role::Summary) && verdict.severity >= Severity::High;
            results += u32::from(tells && !names_member(body));
            counts += u32::from(verdict.role == Role::Summary);
        }
    }
    results >= 8
        || counts >= 1 && traced >= 5
        || [calls * 5, numbered * 6, signed * 10].into_iter().any(|count| count > table.len())
}

/// Whether a line of code has the name of a result that belongs to something: `Result.FAIL`, `Status::FAILED`.
fn names_member(body: &str) -> bool {
    [".FAIL", "::FAIL", ".ERROR", "::ERROR"].iter().any(|member| body.contains(member))
}

/// Whether a line says who says it: `[NbConvertApp] Executing cell:`.
fn is_signed(body: &str) -> bool {
    let named = body.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    named.is_some_and(|(name, said)| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(plain) && !said.trim().is_empty()
    })
}

/// What can be said of lines that are left out.
fn labels(rows: &[WeighedLine]) -> GapLabels {
    let mut labels = GapLabels::new(Style::Results);
    let [failed, errors, warnings, passed] =
        ["failing tests", "errors", "warnings", "passed"].map(|name| labels.name(name));
    for row in rows {
        labels.push(match row.role {
            Role::FailedTest if row.is_failed_test() => failed,
            // One that repeats may be routine, but a count that leaves it out would be wrong.
            _ if row.is_error() => errors,
            Role::Warning => warnings,
            Role::Pass => passed,
            _ => 0,
        });
        labels.push_template(if row.role == Role::Blank { 0 } else { row.template });
    }
    labels
}

/// Where each template stands last: the last of many is as telling as the first.
fn last_of_template(rows: &[WeighedLine], ids: &Interner) -> ById<usize> {
    let mut last = ById::new(ids.len());
    let told = rows.iter().enumerate().filter(|(_, row)| !row.again);
    told.for_each(|(at, row)| last.set(row.template_id, at));
    last
}

/// How grave the `nth` line is, counted from 0, that goes on with what the first one says.
fn quoted_severity(nth: i32) -> Severity {
    match nth {
        0 | 1 => Severity::Medium,
        2..=4 => Severity::Low,
        _ => Severity::Negligible,
    }
}

fn why(row: &WeighedLine) -> &'static str {
    if row.lent > row.worth {
        return CONTEXT;
    }
    row.role.reason().unwrap_or("rare line")
}

/// Reads rows, each by itself.
struct RowReader<'t> {
    table: &'t Table<'t>,
    rules: &'t LineRules,
    /// Whether colours are written out anywhere as `^[[31m`.
    has_carets: bool,
}

impl<'t> RowReader<'t> {
    fn of(table: &'t Table<'t>, rules: &'t LineRules) -> RowReader<'t> {
        let has_carets = memmem::find(table.text().as_bytes(), CARETS.as_bytes()).is_some();
        RowReader { table, rules, has_carets }
    }

    /// The words of a row without its time and without colours that were written out.
    fn body(&self, row: usize) -> Cow<'t, str> {
        let body = self.table.body(row);
        if self.has_carets { without_carets(body) } else { Cow::Borrowed(body) }
    }

    fn read(&self, row: usize, signals: Signals) -> WeighedLine {
        let plain = self.body(row);
        let body = plain.as_ref();
        let LineScore { role, severity, worth } = classify_line(body, signals, self.rules);
        let trimmed = text::trim_start(body);
        let (template, prefix) = template::template(trimmed);
        WeighedLine {
            role,
            severity,
            worth,
            told: worth,
            lent: 0.0,
            line: TraceLine::of_row(self.table.words(row), body),
            template,
            prefix,
            template_id: 0,
            prefix_id: 0,
            indent: (body.len() - trimmed.len()).min(200) as u16,
            folded: false,
            again: false,
            heads: None,
        }
    }
}

fn weigh(table: &Table<'_>, ids: &mut Interner, rules: &LineRules) -> Vec<WeighedLine> {
    // Found once, by nobody who is one of two already.
    table.prefixes();
    let reader = RowReader::of(table, rules);
    let mut rows = table.each(|rows, read| {
        let signals = table.signals_in(rows.clone());
        read.extend(rows.zip(signals.iter()).map(|(row, signals)| reader.read(row, *signals)));
    });
    let mut list = List::default();
    let mut quoted = 0;
    for (at, row) in rows.iter_mut().enumerate() {
        let body = || reader.body(at);
        list.read(body, row);
        // The first lines that pytest marks with `E` say it; the rest shows values.
        let quotes = row.role == Role::Message && text::trim_start(&body()).starts_with("E  ");
        quoted = if quotes { quoted + 1 } else { 0 };
        if quoted > 1 {
            row.worth *= weights::QUOTED.powi((quoted - 1).min(7));
            row.severity = quoted_severity(quoted - 1).min(row.severity);
        }
        match row.role {
            Role::AuditEvent => row.template = subject(text::trim_start(&body())),
            // Findings of one rule say the same, each of another place.
            Role::Warning | Role::Location | Role::Error => {
                row.template = template::finding(text::trim_start(&body())).unwrap_or(row.template);
            }
            _ => {}
        }
        (row.template_id, row.prefix_id) = (ids.of(row.template), ids.of(row.prefix));
        if row.role == Role::Error && locations::is_foreign_place(text::trim_start(&body())) {
            row.worth *= weights::FOREIGN_ERROR;
        }
        row.told = row.worth;
    }
    rows
}

/// How colours begin that were written out.
const CARETS: &str = "^[[";

/// The line without colours that were written out as `^[[31m`.
fn without_carets(body: &str) -> Cow<'_, str> {
    if !body.contains(CARETS) {
        return Cow::Borrowed(body);
    }
    let mut plain = String::with_capacity(body.len());
    let mut parts = body.split(CARETS);
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
    /// Reads the next row, whose words `body` fetches.
    fn read<'b>(&mut self, body: impl Fn() -> Cow<'b, str>, row: &mut WeighedLine) {
        let heads = row.role == Role::Heading || row.role == Role::Summary && row.severity >= Severity::High;
        if heads && body().trim_end().ends_with(':') {
            *self = List { heading: Some(row.indent), items: None };
            return;
        }
        let Some(heading) = self.heading else { return };
        if row.role == Role::Blank || row.indent <= heading && !body().starts_with("[ERROR]   ") {
            *self = List::default();
            return;
        }
        let items = *self.items.get_or_insert(row.indent);
        if row.indent <= items && matches!(row.role, Role::Plain | Role::Boilerplate | Role::Error) {
            (row.role, row.severity, row.worth) = (Role::FailedTest, Severity::Critical, weights::LISTED);
        } else if matches!(row.role, Role::Plain | Role::Boilerplate) {
            row.worth = row.worth.max(weights::BELOW_LISTED);
        }
    }
}

/// How often each template and each prefix occurs.
fn count(rows: &[WeighedLine], ids: &Interner) -> ById<u32> {
    let mut counts = ById::new(ids.len());
    for row in rows.iter().filter(|row| row.role != Role::Blank) {
        counts.add(row.template_id);
        counts.add(row.prefix_id);
    }
    counts
}

/// How much of a text repeats itself as logs do, from 0 to 1.
fn repetition(rows: &[WeighedLine], counts: &ById<u32>) -> f32 {
    // A run of one prefix counts once: progress does not make a log, unless there is hardly anything else.
    let (mut runs, mut repeated, mut before) = (1, 0, 0);
    let (mut lines, mut repeated_lines) = (0, 0);
    for row in rows.iter().filter(|row| row.role != Role::Blank) {
        let often = u32::from(counts.get(row.prefix_id) >= weights::REPEATED_OFTEN);
        lines += 1;
        repeated_lines += often;
        if row.prefix == before {
            continue;
        }
        before = row.prefix;
        runs += 1;
        repeated += often;
    }
    let share = |part: u32, whole: u32| part as f32 / whole.max(1) as f32;
    weights::repetition(share(repeated, runs)).max(weights::uniformity(share(repeated_lines, lines)))
}

/// How much of a text repeats itself, and how much a line is worth there for being rare; both from 0 to 1.
#[derive(Debug, Clone, Copy)]
struct Repeats {
    repetition: f32,
    rarity: f32,
}

/// Whether lines give the verdict on tests, steps or processes that failed: then a reader looks for those, and what is
/// merely rare is most often the set-up.
fn tells_of_failed_run(rows: &[WeighedLine]) -> bool {
    let verdicts = rows.iter().filter(|row| match row.role {
        Role::FailedTest | Role::Summary => row.severity == Severity::Critical,
        Role::ProcessExit => row.severity >= Severity::High,
        _ => false,
    });
    verdicts.take(2).count() == 2
}

/// Rare lines are worth something where most lines repeat; frequent ones lose, but for the last of them.
fn rare(rows: &mut [WeighedLine], counts: &ById<u32>, last: &ById<usize>, repeats: Repeats, ids: &Interner) {
    let Repeats { repetition, rarity } = repeats;
    let plain = weights::plainness(repetition);
    let mut seen = ById::new(ids.len());
    for (at, row) in rows.iter_mut().enumerate() {
        // In a log each kind of line is shown once or twice before anything is shown often.
        let count = seen.add(row.prefix_id);
        let sample = if count <= 3 { weights::SAMPLE * plain * rarity / count as f32 } else { 0.0 };
        let of = |number: u32| counts.get(number).max(1) as f32;
        let is_last = last.get(row.template_id) == at;
        let count = (of(row.template_id) * of(row.prefix_id)).sqrt();
        let count = if is_last { count.min(weights::LAST_COUNTS) } else { count };
        match row.role {
            Role::Plain | Role::Boilerplate | Role::Warning | Role::Command => {
                row.worth += (weights::RARE + weights::RARE_IN_LOG * repetition * rarity) / count.sqrt().max(1.0);
                row.worth /= 1.0 + (count.log2() / weights::FREQUENT);
                row.worth += sample;
            }
            Role::Error | Role::Message if is_last => row.worth *= weights::LAST_ERROR,
            Role::Error | Role::Message => {
                row.worth /= 1.0 + count.log2() / (weights::FREQUENT_ERROR - weights::ROUTINE_ERROR * plain);
            }
            Role::Location => row.worth /= 1.0 + (count.log2() / weights::FREQUENT_PLACE),
            _ => {}
        }
    }
}

/// Where few lines of a quiet text have words that stand nowhere else, each of them is worth a look, whatever it says.
fn strange(table: &Table<'_>, rows: &mut [WeighedLine], ids: &Interner) {
    if most_told(rows) >= SEVERE {
        return;
    }
    // Lines of one template have their plain words in common: the first two say that these do not stand alone.
    let mut seen = ById::new(ids.len());
    let first: Vec<usize> =
        rows.iter().enumerate().filter(|(_, row)| seen.add(row.template_id) <= 2).map(|(at, _)| at).collect();
    let mut words: HashMap<u32, u32, Plain> = HashMap::default();
    for row in &first {
        template::plain_words(table.body(*row), &mut |word| *words.entry(word).or_default() += 1);
    }
    let is_strange = |row: &usize| {
        let mut alone = 0;
        template::plain_words(table.body(*row), &mut |word| alone += u32::from(words.get(&word) == Some(&1)));
        alone >= weights::STRANGE_WORDS
    };
    let strange: Vec<usize> = first.into_iter().filter(is_strange).collect();
    if strange.len() as f32 > rows.len() as f32 * weights::MOST_STRANGE {
        return;
    }
    for row in strange {
        let row = rows.get_mut(row).filter(|row| row.role == Role::Plain);
        row.into_iter().for_each(|row| row.worth += weights::STRANGE);
    }
}

/// What the most telling line is worth. That a run went well is worth showing, and says that nothing was severe.
fn most_told(rows: &[WeighedLine]) -> f32 {
    rows.iter().filter(|row| tells(row)).map(|row| row.worth).fold(0.0, f32::max)
}

fn tells(row: &WeighedLine) -> bool {
    row.role != Role::Summary || row.severity >= Severity::Medium
}

/// Where nothing is severe, the most telling lines take its place. Says whether something is severe.
fn stretch(rows: &mut [WeighedLine]) -> bool {
    let most = most_told(rows);
    if (FLOOR..SEVERE).contains(&most) {
        let factor = (SEVERE / most).min(weights::STRETCHED);
        rows.iter_mut().filter(|row| tells(row)).for_each(|row| row.worth *= factor);
    }
    most >= SEVERE
}

/// The rows of a table, weighed one by one.
#[cfg(test)]
pub(in crate::strategy::lines) fn lines_of(table: &Table<'_>) -> Vec<WeighedLine> {
    weigh(table, &mut Interner::default(), &LineRules::default())
}
