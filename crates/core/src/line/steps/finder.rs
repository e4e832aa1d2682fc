//! Following a log from line to line.

use std::sync::LazyLock;

use super::rules::{Does, Level, RULES, Rule, SYSTEMS, Segment, TemplateMatch, fit, opening};
use super::{Evidence, Outcome, Step, Steps};
use crate::line::heads::{Head, head};
use crate::line::prefix;
use crate::text;

/// No more steps than this are told apart; what a longer log opens belongs to the last.
const MOST_STEPS: usize = 4096;

/// How many lines a line that spans several may take.
const MOST_SPANNED: usize = 64;

/// How much of a step's name is kept.
const LONGEST_NAME: u64 = 200;

/// The rules and the systems' marks, by the first byte of the lines that they fit.
static BY_FIRST_BYTE: LazyLock<Vec<Candidates>> = LazyLock::new(|| {
    let mut by_byte = Vec::new();
    by_byte.resize_with(256, Candidates::default);
    let mut at = |like: &[Segment], add: &dyn Fn(&mut Candidates, Head)| {
        let opening = opening(like);
        let byte = opening.bytes().next().map(usize::from);
        byte.and_then(|byte| by_byte.get_mut(byte))
            .into_iter()
            .for_each(|candidates| add(candidates, Head::of(opening)));
    };
    RULES.iter().for_each(|rule| at(rule.like, &|candidates, head| candidates.rules.push((head, rule))));
    for (number, system) in SYSTEMS.iter().enumerate() {
        system.marks.iter().for_each(|mark| at(mark, &|candidates, head| candidates.marks.push((head, number, *mark))));
    }
    by_byte
});

/// What a line may mean that begins with some byte.
#[derive(Debug, Default)]
struct Candidates {
    rules: Vec<(Head, &'static Rule)>,
    /// Templates that only one system prints, and that system's number.
    marks: Vec<(Head, usize, &'static [Segment])>,
}

/// Finds the steps of a text that is fed to it line by line.
#[derive(Debug, Default)]
pub struct StepFinder {
    line: usize,
    steps: Vec<Step>,
    /// The step that runs, and the command inside it, by their numbers.
    open_step: Option<usize>,
    open_command: Option<usize>,
    /// The step that a failure belongs to which is reported after clean-up.
    before_clean_up: Option<usize>,
    /// The systems that have shown themselves, a bit each.
    marked: u64,
    /// The text so far of something that spans lines, and how many those are.
    spanned: Option<(&'static Rule, String, usize)>,
    /// The status of the whole, where it is given.
    conclusion: Option<i64>,
}

impl StepFinder {
    /// Takes the next line in, without its line end.
    pub fn push(&mut self, line: &str) {
        self.push_body(prefix::body(line));
    }

    /// The same, without the times and names before the line.
    pub(crate) fn push_body(&mut self, body: &str) {
        let body = text::trim(body);
        let first = body.bytes().next().map(usize::from);
        if let Some(candidates) = first.and_then(|byte| BY_FIRST_BYTE.get(byte)) {
            self.read(body, candidates);
        }
        self.line += 1;
    }

    /// The steps of all that was taken in.
    pub fn finish(mut self) -> Steps {
        let failed = |step: &Step| matches!(step.outcome, Outcome::Failed { .. });
        let reports_exits =
            SYSTEMS.iter().enumerate().any(|(number, system)| system.reports_exits && self.is_marked(number));
        let last = self.line.saturating_sub(1);
        let open = self.open_step;
        self.close(Level::Step, self.line);
        if let Some(step) = open.and_then(|open| self.steps.get_mut(open))
            && reports_exits
            && self.conclusion != Some(0)
            && step.outcome == Outcome::Unknown
        {
            step.outcome = Outcome::Failed { evidence: Evidence::BrokenOff, line: last };
        }
        if self.conclusion == Some(0) {
            // What went wrong on the way did not matter in the end.
            for step in self.steps.iter_mut().filter(|step| failed(step)) {
                step.outcome = Outcome::Unknown;
            }
        }
        Steps { steps: self.steps }
    }

    fn is_marked(&self, system: usize) -> bool {
        self.marked & (1 << system) != 0
    }

    /// Does what the first rule says that fits the line.
    fn read(&mut self, body: &str, candidates: &Candidates) {
        let begins = head(body);
        for (head, system, mark) in &candidates.marks {
            if head.may_begin(begins) && fit(body, mark).is_some() {
                self.marked |= 1 << system;
            }
        }
        if let Some((rule, mut text, lines)) = self.spanned.take() {
            text.push('\n');
            text.push_str(body);
            match fit(&text, rule.like) {
                Some(found) => return self.apply(rule, found),
                None if lines < MOST_SPANNED => self.spanned = Some((rule, text, lines + 1)),
                None => {}
            }
        }
        for &(_, rule) in candidates.rules.iter().filter(|(head, _)| head.may_begin(begins)) {
            let system = SYSTEMS.get(rule.system);
            if system.is_some_and(|system| system.only_when_marked) && !self.is_marked(rule.system) {
                continue;
            }
            if let Some(found) = fit(body, rule.like) {
                return self.apply(rule, found);
            }
            if rule.spans_lines && self.spanned.is_none() && body.starts_with(opening(rule.like)) {
                self.spanned = Some((rule, body.to_owned(), 1));
            }
        }
    }

    fn apply(&mut self, rule: &Rule, found: TemplateMatch<'_>) {
        self.spanned = None;
        match rule.does {
            Does::Begins => self.begin(rule, found.name.unwrap_or_default()),
            Does::Ends => {
                self.close(rule.level, self.line + 1);
            }
            Does::Exits => self.exit(rule.level, found),
            Does::Fails => {
                for step in [self.open_command, self.open_step.or(self.before_clean_up)].into_iter().flatten() {
                    self.fail(step, Evidence::Said);
                }
            }
            Does::Stops => {
                if let Some(step) = self.before_clean_up.or(self.open_step) {
                    self.fail(step, Evidence::Stopped);
                }
            }
            Does::Skips => self.skip(found.name),
            Does::CleansUp => {
                self.before_clean_up = self.before_clean_up.or(self.open_step).or_else(|| self.latest(|_| true));
                self.close(Level::Step, self.line);
            }
            Does::Concludes => {
                self.close(Level::Step, self.line);
                self.conclusion = found.status;
            }
        }
    }

    fn begin(&mut self, rule: &Rule, name: &str) {
        if self.steps.len() >= MOST_STEPS {
            return;
        }
        self.close(rule.level, self.line);
        let name = text::first_chars(name.lines().next().unwrap_or_default(), LONGEST_NAME).to_owned();
        let number = Some(self.steps.len());
        match rule.level {
            Level::Step => self.open_step = number,
            Level::Command => self.open_command = number,
        }
        let system = SYSTEMS.get(rule.system).map_or("", |system| system.name);
        let lines = self.line..self.line;
        self.steps.push(Step { name, system, level: rule.level, lines, outcome: Outcome::Unknown });
    }

    /// Ends what is open at a level, and the commands inside it, before line `end`.
    fn close(&mut self, level: Level, end: usize) {
        let step = match level {
            Level::Step => self.open_step.take(),
            Level::Command => None,
        };
        for number in [step, self.open_command.take()].into_iter().flatten() {
            if let Some(step) = self.steps.get_mut(number) {
                step.lines.end = end;
            }
        }
    }

    fn exit(&mut self, level: Level, found: TemplateMatch<'_>) {
        let named = found.name.and_then(|name| {
            let name = text::first_chars(name.lines().next().unwrap_or_default().trim(), LONGEST_NAME);
            self.latest(|step| step.level == level && step.name == name)
        });
        let open = match level {
            Level::Step => self.before_clean_up.or(self.open_step).or_else(|| self.latest(|step| step.level == level)),
            Level::Command => self.open_command,
        };
        let failed = found.status != Some(0);
        let Some(number) = named.or(open) else {
            // A command that nobody announced: it counts for the step that ran it.
            if let (true, Some(step)) = (failed, self.open_step) {
                self.fail(step, Evidence::Said);
            }
            return;
        };
        if named.is_some() {
            // What looked like a step of its own since then was printed by this one.
            for inside in self.steps.iter_mut().skip(number + 1) {
                inside.level = Level::Command;
            }
            if level == Level::Step {
                self.open_command = self.open_step.filter(|open| *open > number).or(self.open_command);
                self.open_step = Some(number);
            }
        }
        let runs = self.open_step == Some(number) || self.open_command == Some(number);
        match (failed, self.steps.get_mut(number)) {
            (true, _) => self.fail(number, Evidence::Exit(found.status.unwrap_or(1))),
            (false, Some(step)) => step.outcome = Outcome::Passed,
            (false, None) => {}
        }
        if runs {
            self.close(level, self.line + 1);
        }
    }

    fn fail(&mut self, number: usize, evidence: Evidence) {
        let line = self.line;
        if let Some(step) = self.steps.get_mut(number) {
            let known =
                matches!(step.outcome, Outcome::Failed { evidence: known, .. } if known.rank() <= evidence.rank());
            if !known && step.outcome != Outcome::Passed {
                step.outcome = Outcome::Failed { evidence, line };
            }
        }
    }

    fn skip(&mut self, name: Option<&str>) {
        let skipped = self.latest(|step| step.level == Level::Step && name.is_none_or(|name| step.name == name));
        if let Some(step) = skipped.and_then(|number| self.steps.get_mut(number)) {
            step.outcome = Outcome::Skipped;
            self.before_clean_up = self.before_clean_up.or_else(|| self.latest(|step| step.level == Level::Step));
        }
    }

    /// The number of the latest step that is like this, skipped ones aside.
    fn latest(&self, like: impl Fn(&Step) -> bool) -> Option<usize> {
        self.steps.iter().rposition(|step| step.outcome != Outcome::Skipped && like(step))
    }
}
