//! What of a line only code can tell, by the names that rules call it by.

use super::view::View;
use crate::line::errors::exception;
use crate::line::frames;
use crate::line::locations::{behind_place, status};
use crate::line::results::counts;
use crate::line::role::Role;
use crate::line::verdicts;

/// A check that rules refer to by its name in snake case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hook {
    /// A letter for the level, month and day, a time, as glog begins a line.
    Glog,
    /// `#0 /path/file.php(12): name()`, `#1  0x0000 in name ()`
    NumberedFrame,
    /// Nothing but one character.
    Ruler,
    /// `____ words ____`
    TitledRuler,
    /// `  3) suite name`, as mocha, RSpec and PHPUnit number failures.
    NumberedItem,
    /// Before the letter at its end stands a word with `test` in it and nothing else.
    OneWordTest,
    /// Behind the start stands what looks like the name of a test or of a file.
    TestName,
    /// Behind the start stands an identifier.
    Identifier,
    /// The same, and it looks like the name of a test.
    CalledIdentifier,
    /// The line counts results.
    Counts,
    /// And it counts failures.
    CountsFailures,
    /// Behind signs of failure the line counts results.
    CountsBehindSigns,
    /// A word for a failure is set off by marks or stands at the end, beside a name.
    MarkedVerdict,
    /// `name:PASS`
    OneWordBeforeColon,
    /// `name ... ok (12 ms)`, `[PASS] name`
    Well,
    /// A word for a failure stands behind a number or marks and before a colon or a bracket.
    LabelledVerdict,
    /// Signs of failure and nothing else.
    SignsAlone,
    /// Behind a sign of failure stands a place in a file, with its line.
    PlaceBehindSign,
    /// `some.package.NameError: words`, or the name alone.
    Exception,
    /// The same with the name of a warning.
    ExceptionWarning,
    /// Either of the two.
    ExceptionNamed,
    /// Words that begin with the code of a linter's rule: `E501 words`, `C: Style/Name: words`.
    FindingCode,
    /// A request that a server answered with 500 to 599.
    Status5xx,
    /// A request that a server answered with 400 to 499.
    Status4xx,
    /// Behind `at ` stands a call with its place, or a place alone.
    CallOrPlace,
    /// `... 23 more`
    MoreFrames,
    /// `#12 name`, as PHP and debuggers number frames.
    HashedFrame,
    /// `12: name`
    NumberedEntry,
    /// ``x.rb:3:in `f': message (Class)``
    RubyMessage,
}

impl Hook {
    /// Whether it holds for `view`, of which `rest` stands behind what the rule wants at the start.
    pub(super) fn holds(self, view: &View<'_>, rest: &str) -> bool {
        let line = view.line;
        let thrown = || exception(line);
        match self {
            Hook::Glog => glog(line),
            Hook::NumberedFrame => numbered_frame(line),
            Hook::Ruler => line.len() > 8 && ruler(line),
            Hook::TitledRuler => line.ends_with("__") && !line.trim_matches('_').trim().is_empty(),
            Hook::NumberedItem => numbered_item(line),
            Hook::OneWordTest => one_word_test(line),
            Hook::TestName => test_name(rest),
            Hook::Identifier => identifier(name_of(rest)),
            Hook::CalledIdentifier => (rest.contains('(') || named(name_of(rest))) && identifier(name_of(rest)),
            Hook::Counts => view.counts().is_some(),
            Hook::CountsFailures => view.counts() == Some(true),
            Hook::CountsBehindSigns => counts(&unsigned(line).to_ascii_lowercase()).is_some(),
            Hook::MarkedVerdict => verdicts::marked(line),
            Hook::OneWordBeforeColon => line.split_once(':').is_some_and(|(word, _)| identifier(word)),
            Hook::Well => verdicts::well(line),
            Hook::LabelledVerdict => verdicts::labelled(line),
            Hook::SignsAlone => unsigned(line).trim().is_empty(),
            Hook::PlaceBehindSign => place_behind_sign(line),
            Hook::Exception => thrown() == Some(Role::Message),
            Hook::ExceptionWarning => thrown() == Some(Role::Warning),
            Hook::ExceptionNamed => thrown().is_some(),
            Hook::FindingCode => finding_code(line),
            Hook::Status5xx => matches!(status(line), Some(500..=599)),
            Hook::Status4xx => matches!(status(line), Some(400..=499)),
            Hook::CallOrPlace => frames::call_or_place(line, view.indent > 0),
            Hook::MoreFrames => frames::more_frames(line),
            Hook::HashedFrame => frames::hashed_frame(line),
            Hook::NumberedEntry => frames::numbered_entry(line),
            Hook::RubyMessage => frames::ruby_message(line),
        }
    }
}

/// The line without signs of failure before it.
fn unsigned(line: &str) -> &str {
    line.trim_start_matches(crate::line::signals::SIGNS)
}

fn place_behind_sign(line: &str) -> bool {
    let (_, behind) = line.split_once(crate::line::signals::SIGNS).unwrap_or_default();
    behind_place(unsigned(behind).trim_start()).is_some()
}

fn name_of(rest: &str) -> &str {
    rest.split([' ', '(']).next().unwrap_or("")
}

/// Whether `rest`, behind a verdict, begins with the name of a test or of a file; nextest puts the time first.
fn test_name(rest: &str) -> bool {
    let rest = rest.trim_start();
    let timed = rest.strip_prefix('[').and_then(|time| time.split_once("] "));
    let timed = timed.filter(|(time, _)| time.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    let rest = timed.map_or(rest, |(_, name)| name);
    named(rest.split([' ', '\t']).next().unwrap_or("")) || rest.contains("::")
}

/// Whether a word looks like the name of a test or of a file.
fn named(word: &str) -> bool {
    word.contains("::") || (word.contains(['/', '.', '_']) && word.len() > 4 && !word.ends_with([':', '.', ',']))
}

fn identifier(word: &str) -> bool {
    word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b':' | b'/'))
}

fn finding_code(words: &str) -> bool {
    let word = words.trim_start_matches(['[', '(']).split([' ', ']', ')']).next().unwrap_or("");
    let code = word.trim_end_matches(':');
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = code.bytes().skip(letters).take_while(u8::is_ascii_digit).count();
    let numbered = (1..=5).contains(&letters) && (2..=6).contains(&digits) && letters + digits == code.len();
    numbered || code.len() == 1 && letters == 1 && word.len() == 2
}

fn one_word_test(line: &str) -> bool {
    let name = line.get(..line.len().saturating_sub(2)).unwrap_or("").trim_end();
    name.contains("test") && !name.contains(' ')
}

fn numbered_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=4).contains(&digits) && line.as_bytes().get(digits..digits + 2) == Some(b") ")
}

fn glog(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.get(1..5).is_some_and(|date| date.iter().all(u8::is_ascii_digit))
        && bytes.get(5) == Some(&b' ')
        && line.contains("] ")
}

fn numbered_frame(line: &str) -> bool {
    let rest = line.trim_start_matches('#');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (1..=3).contains(&digits) && (rest.contains("): ") || rest.contains(" in ") || rest.contains(" 0x"))
}

fn ruler(line: &str) -> bool {
    let mut bytes = line.bytes();
    let first = bytes.next();
    bytes.all(|byte| Some(byte) == first)
}
