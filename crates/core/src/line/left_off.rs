//! What nearly every line of an output begins with: a time, the name of a job or a container, a level.
//!
//! Said once it leaves the room to what the lines say. Only what can be said again is left off: times by their range,
//! everything else literally, so that a name that changes from line to line stays.

use super::prefix;
use crate::byte_set::among;
use crate::text;

/// The share of the lines, in percent, that must begin with a name or a level: who reads that each line was without it
/// takes the others to have had it, too.
const NEARLY_EVERY: usize = 95;

/// The share that must begin with a time, where that is all: what follows without one, as a trace does, is of the same
/// time.
const MOST: usize = 75;

/// Fewer lines are shown as they are.
const FEWEST_LINES: usize = 12;

/// A beginning of fewer bytes is not worth a sentence.
const SHORTEST: u32 = 8;

/// The longest that is looked at, in bytes; less than 256.
const LONGEST: usize = 120;

/// Levels that say nothing where nearly every line has them.
const LEVELS: [&str; 10] =
    ["INFO", "DEBUG", "TRACE", "info", "debug", "trace", "[INFO]", "[DEBUG]", "[info]", "[debug]"];

/// The bytes of the longest of them.
const LONGEST_LEVEL: usize = 7;

/// What is left off the lines of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOff {
    /// The bytes that each line loses at its beginning.
    pub(crate) widths: Vec<u32>,
    /// What that was, for the header: `its time (13:01:04 to 13:09:12), "web-1 | "`.
    pub(crate) said: String,
}

/// What a line begins with.
#[derive(Debug, Clone, Copy)]
struct Beginning<'l> {
    line: &'l str,
    /// How many bytes it takes of the line.
    width: u8,
    /// Where the time is in it; empty where there is none.
    time: (u8, u8),
}

impl<'l> Beginning<'l> {
    /// All that stands before the words of `line`.
    fn of(line: &'l str, width: u16) -> Beginning<'l> {
        let text = text::slice(line, 0..usize::from(width).min(LONGEST));
        let time = prefix::time_in(text.as_bytes()).unwrap_or(0..0);
        Beginning { line, width: text.len() as u8, time: (time.start as u8, time.end as u8) }
    }

    /// Only what goes up to the time.
    fn up_to_time(self) -> Beginning<'l> {
        Beginning { width: separated(self.text(), usize::from(self.time.1)) as u8, ..self }
    }

    fn text(&self) -> &'l str {
        text::slice(self.line, 0..usize::from(self.width))
    }

    /// How many of its bytes are `leader`'s, but for the time: all of `leader`'s, or none.
    fn width_of(&self, leader: &Beginning<'_>) -> u32 {
        let ((before, behind), (led, follows)) = (self.key(), leader.key());
        let is_led = self.width > 0 && before == led && behind.starts_with(follows);
        if is_led && self.has_time() == leader.has_time() { u32::from(self.time.1) + follows.len() as u32 } else { 0 }
    }

    /// What it has in common with others: all but its time.
    fn key(&self) -> (&'l [u8], &'l [u8]) {
        let (line, width) = (self.line.as_bytes(), usize::from(self.width));
        let (from, to) = (usize::from(self.time.0), usize::from(self.time.1));
        (line.get(..from).unwrap_or_default(), line.get(to..width).unwrap_or_default())
    }

    /// The same, for people.
    fn named(&self) -> [&'l str; 2] {
        let text = self.text();
        [text::slice(text, 0..usize::from(self.time.0)), text::slice(text, usize::from(self.time.1)..text.len())]
    }

    fn time(&self) -> &'l str {
        text::slice(self.line, usize::from(self.time.0)..usize::from(self.time.1))
    }

    fn has_time(&self) -> bool {
        self.time.0 < self.time.1
    }
}

/// Where the words go on behind a time: closing brackets and one space belong to it.
fn separated(text: &str, end: usize) -> usize {
    let rest = text::slice(text, end..text.len());
    let closed = rest.len() - rest.trim_start_matches([']', ')', ':', ',']).len();
    end + closed + usize::from(text::slice(rest, closed..rest.len()).starts_with([' ', '\t']))
}

/// What nearly all of `lines` begin with, where that is worth leaving off; of each line, how wide the times and names
/// before its words are. Lines that are indented go on with the one before them: they need not begin so.
pub(crate) fn left_off<'l>(lines: impl Iterator<Item = (&'l str, u16)> + Clone) -> Option<LeftOff> {
    let (mut of_lines, mut prefixed) = (0, 0);
    for (_, width) in lines.clone().filter(|(line, _)| begins(line)) {
        of_lines += 1;
        prefixed += usize::from(width > 0);
    }
    let is_share = |count: usize, percent: usize| count * 100 >= of_lines * percent;
    if of_lines < FEWEST_LINES || !is_share(prefixed, MOST) {
        return None;
    }
    let wholes: Vec<Beginning<'l>> = lines.map(|(line, width)| Beginning::of(line, width)).collect();
    // All that stands before the words, or only what goes up to the time.
    let forms: [fn(Beginning<'l>) -> Beginning<'l>; 2] = [|whole| whole, Beginning::up_to_time];
    forms.into_iter().find_map(|form| {
        let beginnings = wholes.iter().copied().map(form);
        let leader = majority(beginnings.filter(|beginning| beginning.width > 0))?;
        let width_of = |whole: &Beginning<'l>| whole.width_of(&leader);
        let mut widths: Vec<u32> = wholes.iter().map(width_of).collect();
        let count = wholes.iter().zip(&widths).filter(|(whole, width)| **width > 0 && begins(whole.line)).count();
        let widest = widths.iter().max().copied().unwrap_or(0);
        let names = leader.named().map(str::trim);
        let least = if leader.has_time() && !names.iter().any(|part| tells(part)) { MOST } else { NEARLY_EVERY };
        if !is_share(count, least) || widest < SHORTEST || !names.iter().all(|part| part.is_ascii()) {
            return None;
        }
        let nearly_every = |count: usize| is_share(count, NEARLY_EVERY);
        let level = leave_level_off(wholes.iter().map(|whole| whole.line), &mut widths, &nearly_every);
        let mut times = wholes.iter().filter(|whole| leader.has_time() && width_of(whole) > 0).map(Beginning::time);
        let first = times.next();
        let last = times.next_back().or(first);
        if first.zip(last).is_some_and(|(first, last)| over_days(first, last)) {
            return None;
        }
        let mut said: Vec<String> = first.zip(last).map(|(first, last)| time_said(first, last)).into_iter().collect();
        said.extend(names.iter().filter(|part| tells(part)).map(|part| format!("`{part}`")));
        said.extend(level.map(|level| format!("`{level}`")));
        Some(LeftOff { widths, said: said.join(", ") })
    })
}

/// Whether words stand at the beginning of a line.
fn begins(line: &str) -> bool {
    line.bytes().next().is_some_and(|byte| !among!(byte, b" \t\r\n"))
}

/// The beginning that more than half of them share, but for its time; where nothing is so frequent, any of them.
fn majority<'l>(beginnings: impl Iterator<Item = Beginning<'l>>) -> Option<Beginning<'l>> {
    let mut leading: Option<Beginning<'l>> = None;
    let mut lead = 0_usize;
    for beginning in beginnings {
        match &leading {
            Some(leader) if leader.key() == beginning.key() => lead += 1,
            Some(_) if lead > 0 => lead -= 1,
            _ => (leading, lead) = (Some(beginning), 1),
        }
    }
    leading
}

/// Whether a part of a beginning says something; brackets around a time do not.
fn tells(part: &str) -> bool {
    part.chars().any(char::is_alphanumeric)
}

/// Leaves off the level that nearly every line has behind what is left off, too, and says which.
fn leave_level_off<'l>(
    lines: impl Iterator<Item = &'l str> + Clone,
    widths: &mut [u32],
    enough: &dyn Fn(usize) -> bool,
) -> Option<&'static str> {
    let mut counts = [0_usize; LEVELS.len()];
    let behind = |line: &'l str, width: u32| level(text::slice(line, width as usize..line.len()));
    for (line, width) in lines.clone().zip(&*widths).filter(|(_, width)| **width > 0) {
        if let Some((number, _)) = behind(line, *width) {
            counts.get_mut(number).into_iter().for_each(|count| *count += 1);
        }
    }
    let common = counts.iter().position(|count| enough(*count))?;
    for (line, width) in lines.zip(widths).filter(|(_, width)| **width > 0) {
        *width += behind(line, *width).filter(|(number, _)| *number == common).map_or(0, |(_, more)| more);
    }
    LEVELS.get(common).copied()
}

/// The number of the level that `rest` begins with, and how wide it is with the spaces around it.
fn level(rest: &str) -> Option<(usize, u32)> {
    let bytes = rest.as_bytes();
    let padding = bytes.iter().take_while(|byte| **byte == b' ').count();
    let word = bytes.get(padding..)?;
    let end = word.iter().take(LONGEST_LEVEL + 1).position(|byte| *byte == b' ')?;
    // All levels begin with one of these, and most words do not.
    word.first().filter(|byte| among!(**byte, b"IDTidt["))?;
    let number = LEVELS.iter().position(|level| Some(level.as_bytes()) == word.get(..end))?;
    let spaces = word.iter().skip(end).take_while(|byte| **byte == b' ').count();
    (padding <= 2).then_some((number, (padding + end + spaces) as u32))
}

/// Whether a log goes over days: then when something happened is a part of what happened. A run may go past midnight.
fn over_days(first: &str, last: &str) -> bool {
    let (first, last) = (seconds(first), seconds(last));
    let day_and_hour = |time: &str| {
        let (day, clock) = time.rsplit_once(' ')?;
        Some((day.to_owned(), clock.split(':').next()?.parse::<u32>().ok()?))
    };
    let Some(((day, hour), (last_day, last_hour))) = day_and_hour(&first).zip(day_and_hour(&last)) else {
        return false;
    };
    day != last_day && !(hour >= EVENING && last_hour < MORNING)
}

/// A run that begins from this hour on may end in the hours before the other one, the day after.
const EVENING: u32 = 18;
const MORNING: u32 = 6;

/// The times of the first and the last line, the date said once: `its time (2021-12-01 13:01:04 to 13:09:12)`.
fn time_said(first: &str, last: &str) -> String {
    let (first, last) = (seconds(first), seconds(last));
    let same = first.bytes().zip(last.bytes()).take_while(|(one, other)| one == other).count();
    let day = text::slice(&first, 0..same).rfind(' ').map_or(0, |at| at + 1);
    match first == last {
        true => format!("its time ({first})"),
        false => format!("its time ({first} to {})", text::slice(&last, day..last.len())),
    }
}

/// A time without parts of a second and without its zone's letter.
fn seconds(time: &str) -> String {
    let time = time.trim_matches(|c: char| !c.is_alphanumeric()).replacen('T', " ", 1);
    let clock = time.rfind(' ').map_or(0, |at| at + 1);
    let end = text::slice(&time, clock..time.len()).find(['.', ',', 'Z']).map_or(time.len(), |at| clock + at);
    text::slice(&time, 0..end).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_in<'l>(lines: impl Iterator<Item = &'l str> + Clone) -> Option<LeftOff> {
        left_off(lines.map(|line| (line, prefix::width(line.as_bytes()) as u16)))
    }

    fn check(lines: &[String], said: &str, shown: &str) {
        let found = found_in(lines.iter().map(String::as_str)).unwrap();
        assert_eq!(found.said, said);
        let (line, width) = (lines.last().unwrap(), *found.widths.last().unwrap());
        assert_eq!(text::slice(line, width as usize..line.len()), shown);
    }

    fn twenty(line: impl Fn(usize) -> String) -> Vec<String> {
        (0..20).map(line).collect()
    }

    #[test]
    fn times_names_and_levels_that_every_line_has_are_left_off() {
        check(
            &twenty(|n| format!("2021-12-01T13:01:{n:02}.3807878Z compiling part {n}")),
            "its time (2021-12-01 13:01:00 to 13:01:19)",
            "compiling part 19",
        );
        check(
            &twenty(|n| format!("build\ttest\t2021-12-01T13:01:{n:02}.38Z   at {n}")),
            "its time (2021-12-01 13:01:00 to 13:01:19), `build\ttest`",
            "  at 19",
        );
        check(
            &twenty(|n| format!("[2016-12-19 20:54:{n:02},992] INFO  broker {n} is up")),
            "its time (2016-12-19 20:54:00 to 20:54:19), `INFO`",
            "broker 19 is up",
        );
        check(
            &twenty(|n| format!("Mar 27 13:08:{n:02} ip-10 sshd[{n}]: Accepted")),
            "its time (Mar 27 13:08:00 to 13:08:19), `ip-10`",
            "sshd[19]: Accepted",
        );
        check(&twenty(|n| format!("web-1  | request {n}")), "`web-1  |`", "request 19");
    }

    #[test]
    fn a_name_that_changes_and_another_level_stay() {
        let lines = twenty(|n| format!("2021-12-01T13:01:04Z     [task{}] {n}", if n % 2 == 0 { "a" } else { "b" }));
        check(&lines, "its time (2021-12-01 13:01:04)", "    [taskb] 19");
        assert_eq!(found_in(twenty(|n| format!("web-{} | request {n}", n % 3)).iter().map(String::as_str)), None);
        let mut lines: Vec<String> = (0..60).map(|n| format!("2021-12-01 13:01:04 INFO part {n}")).collect();
        lines.push("2021-12-01 13:01:05 ERROR no part".to_owned());
        check(&lines, "its time (2021-12-01 13:01:04 to 13:01:05), `INFO`", "ERROR no part");
    }

    #[test]
    fn a_line_with_more_before_its_words_loses_what_all_have() {
        let mut lines: Vec<String> = (0..60).map(|n| format!("2021-12-01T13:01:04Z part {n}")).collect();
        lines.push("2021-12-01T13:01:05Z     [junit] Tests run: 1".to_owned());
        check(&lines, "its time (2021-12-01 13:01:04 to 13:01:05)", "    [junit] Tests run: 1");
    }

    #[test]
    fn lines_that_go_on_with_the_one_before_need_no_time() {
        let trace =
            ["Traceback (most recent call last):", "  File \"a.py\", line 3, in f", "    raise", "ValueError: x"];
        let entry = |n: usize| format!("2021-12-01 13:01:{n:02} part {n}");
        let mut lines: Vec<String> = trace.map(str::to_owned).to_vec();
        lines.extend(twenty(entry));
        check(&lines, "its time (2021-12-01 13:01:00 to 13:01:19)", "part 19");
        let named: Vec<String> = lines.iter().map(|line| line.replace("part", "INFO part")).collect();
        check(&named, "its time (2021-12-01 13:01:00 to 13:01:19)", "INFO part 19");
    }

    #[test]
    fn times_stay_where_a_log_goes_over_days() {
        let days = twenty(|n| format!("Mar {} 13:08:04 ip-10 sshd[{n}]: Accepted", 10 + n / 4));
        assert_eq!(found_in(days.iter().map(String::as_str)), None);
        check(
            &twenty(|n| format!("2021-12-0{}T{:02}:10:00Z part {n}", 1 + n / 10, (23 + n / 10) % 24)),
            "its time (2021-12-01 23:10:00 to 2021-12-02 00:10:00)",
            "part 19",
        );
    }

    #[test]
    fn what_few_lines_begin_with_stays() {
        let some = twenty(|n| if n % 3 == 0 { "plain".to_owned() } else { format!("2021-12-01 13:01:04 {n}") });
        assert_eq!(found_in(some.iter().map(String::as_str)), None);
        let short = twenty(|n| format!("#7 {n}"));
        assert_eq!(found_in(short.iter().map(String::as_str)), None);
        assert_eq!(found_in(["2021-12-01 13:01:04 x"].into_iter()), None);
    }
}
