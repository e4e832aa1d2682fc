//! The rules of `rules/steps`: templates of lines, and what a line that fits one says.

/// A system that runs commands and prints their output.
#[derive(Debug)]
pub(super) struct System {
    /// Its name, for people.
    pub(super) name: &'static str,
    /// Lines that only this system prints.
    pub(super) marks: &'static [&'static [Segment]],
    /// Whether its rules hold only below such a line, because they mean other things elsewhere.
    pub(super) only_when_marked: bool,
    /// Whether it prints how every step ended, so that one without an end was broken off.
    pub(super) reports_exits: bool,
}

/// What a line of some form says about steps.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) does: Does,
    pub(super) level: Level,
    pub(super) like: &'static [Segment],
    /// Whether what the template describes may go on over the following lines.
    pub(super) spans_lines: bool,
    /// The system's number in [`SYSTEMS`].
    pub(super) system: usize,
}

/// What a line does to the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// A step begins, and the one before it at its level is over.
    Begins,
    /// The step of that name, or the open one, is over.
    Ends,
    /// The step of that name, or the open one, is over with a status.
    Exits,
    /// The open step failed, but may go on.
    Fails,
    /// Everything was broken off in the open step.
    Stops,
    /// The step of that name did not run, because an earlier one failed.
    Skips,
    /// What follows runs in any case: a failure that is reported later does not belong to it.
    CleansUp,
    /// Everything is over, with a status.
    Concludes,
}

/// Whether a step is one of the system's own, or a command that a step ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A step of the CI system, or a command that the user typed.
    Step,
    /// A command inside such a step.
    Command,
}

/// A part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Segment {
    /// This text.
    Text(&'static str),
    /// The step's name: anything but nothing.
    Name,
    /// The exit status: digits, perhaps after a minus.
    Status,
    /// Digits.
    Number,
    /// Anything without white space but nothing.
    Word,
    /// Anything.
    Rest,
}

/// What the placeholders of a template stand for in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TemplateMatch<'l> {
    pub(super) name: Option<&'l str>,
    pub(super) status: Option<i64>,
}

include!(concat!(env!("OUT_DIR"), "/step_rules.rs"));

/// Fits a whole line to a template. Where the text after a placeholder occurs several times, the last is meant.
pub(super) fn fit<'l>(line: &'l str, like: &[Segment]) -> Option<TemplateMatch<'l>> {
    let mut found = TemplateMatch::default();
    let mut rest = line;
    let mut segments = like.iter().peekable();
    while let Some(segment) = segments.next() {
        if let Segment::Text(text) = segment {
            rest = rest.strip_prefix(text)?;
            continue;
        }
        if matches!(segment, Segment::Status | Segment::Number) {
            let digits = rest.strip_prefix('-').filter(|_| *segment == Segment::Status).unwrap_or(rest);
            let after = digits.trim_start_matches(|c: char| c.is_ascii_digit());
            match segment {
                Segment::Status => found.status = Some(rest.strip_suffix(after)?.parse().ok()?),
                _ if after.len() == digits.len() => return None,
                _ => {}
            }
            rest = after;
            continue;
        }
        let taken = match (segments.peek(), segment) {
            (Some(Segment::Text(text)), Segment::Word) => rest.split_once(text)?,
            (Some(Segment::Text(text)), _) => rest.rsplit_once(text)?,
            _ => (rest, ""),
        };
        if matches!(segments.peek(), Some(Segment::Text(_))) {
            segments.next();
        }
        let empty = taken.0.trim().is_empty();
        match segment {
            Segment::Name if empty => return None,
            Segment::Name => found.name = Some(taken.0),
            Segment::Word if empty || taken.0.contains(char::is_whitespace) => return None,
            _ => {}
        }
        rest = taken.1;
    }
    rest.is_empty().then_some(found)
}

/// The text that a template begins with.
pub(super) fn opening(like: &[Segment]) -> &'static str {
    match like.first() {
        Some(Segment::Text(text)) => text,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_take_what_they_stand_for_and_nothing_else() {
        use Segment::{Name, Number, Rest, Status, Text, Word};
        let check = |line: &str, like: &[Segment], name: Option<&str>, status: Option<i64>| {
            assert_eq!(fit(line, like).map(|found| (found.name, found.status)), Some((name, status)), "{line}");
        };
        check("$ a b", &[Text("$ "), Name], Some("a b"), None);
        check(
            "x \"a\" exits \"b\" exits 3.",
            &[Text("x \""), Name, Text("\" exits "), Status, Text(".")],
            Some("a\" exits \"b"),
            Some(3),
        );
        check("exit -9", &[Text("exit "), Status], None, Some(-9));
        check("stopped", &[Text("stopped"), Rest], None, None);
        check("> shop@1.0 test", &[Text("> "), Word, Text("@"), Word, Text(" "), Name], Some("test"), None);
        let refused = |line: &str, like: &[Segment]| assert_eq!(fit(line, like), None, "{line}");
        refused("$ ", &[Text("$ "), Name]);
        refused("exit -9", &[Text("exit "), Number]);
        refused("exit ", &[Text("exit "), Status]);
        refused("exit 1 then", &[Text("exit "), Status]);
        refused("> two words@1 x", &[Text("> "), Word, Text("@"), Word, Text(" "), Name]);
    }

    #[test]
    fn every_rule_fits_its_good_examples_and_no_bad_one() {
        const FILES: &[&str] = include!(concat!(env!("OUT_DIR"), "/step_rule_files.rs"));
        let mut examples = 0;
        for (system, file) in FILES.iter().enumerate() {
            let file: toml::Table = file.parse().unwrap();
            for rule in file["rule"].as_array().unwrap() {
                let like = rule["like"].as_str().unwrap();
                let written = |rule: &&Rule| rule.system == system && spelled(rule.like) == like;
                let compiled = RULES.iter().find(written).unwrap_or_else(|| panic!("{like} is not in the table"));
                let all = |key: &str| rule.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
                for good in all("good") {
                    examples += 1;
                    assert!(fit(good.as_str().unwrap(), compiled.like).is_some(), "{like} misses {good:?}");
                }
                for bad in all("bad") {
                    assert!(fit(bad.as_str().unwrap(), compiled.like).is_none(), "{like} takes {bad:?}");
                }
            }
        }
        assert!(examples >= 40, "only {examples} examples were tried");
    }

    /// A template as it is written in a file.
    fn spelled(like: &[Segment]) -> String {
        let spell = |segment: &Segment| match segment {
            Segment::Text(text) => (*text).to_owned(),
            placeholder => format!("{{{placeholder:?}}}").to_lowercase(),
        };
        like.iter().map(spell).collect()
    }
}
