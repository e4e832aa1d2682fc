//! Passing on what fits while a command runs, for a reader who looks in between or does not wait for the end.
//!
//! It is the beginning of the output, whole lines, up to a part of the limit. An output that fits is printed once, bit by
//! bit; of one that does not, the reply follows at the end, in the room that is left.

use std::ffi::OsString;
use std::io::{self, Write};
use std::time::Duration;

use offcut::{Intake, Reply};

use crate::duration;

/// The variable that says what `--interim` does where nobody gives that flag.
pub(super) const VARIABLE: &str = "OFFCUT_INTERIM";

/// One part in so many of the limit is passed on before the end.
const SHARE: u64 = 4;

/// What was passed on.
pub(super) struct Interim {
    after: Duration,
    passed: String,
    /// How many bytes had come when it was last looked at.
    seen: u64,
    over: bool,
}

/// The time after which the environment wants something passed on, if it does: what is not a time is an error.
pub(super) fn from_environment(value: Option<OsString>) -> Result<Option<Duration>, String> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
    let value = value.to_string_lossy();
    duration::parse(&value).map(Some).map_err(|why| format!("${VARIABLE} is `{value}`: {why}"))
}

impl Interim {
    /// Passes on what a command writes once it has run for `after`.
    pub(super) fn new(after: Duration) -> Interim {
        Interim { after, passed: String::new(), seen: 0, over: false }
    }

    /// Passes on what is new, `elapsed` after the command's start.
    pub(super) fn pass_on(&mut self, intake: &Intake<'_>, elapsed: Duration) {
        if self.over || elapsed < self.after || intake.taken() == self.seen {
            return;
        }
        self.seen = intake.taken();
        let Some(text) = intake.text_so_far(SHARE) else {
            self.over = true;
            return;
        };
        // Lines that a program has overwritten since cannot be taken back.
        let Some(new) = text.strip_prefix(&self.passed) else {
            self.over = true;
            return;
        };
        let mut stdout = io::stdout().lock();
        self.over = stdout.write_all(new.as_bytes()).and_then(|()| stdout.flush()).is_err();
        self.passed = text;
    }

    /// Keeps the room of what was passed on out of the reply's, where that is going to be a cut.
    pub(super) fn leave_room(&self, intake: &mut Intake<'_>) {
        if intake.may_be_cut() {
            let lines = self.passed.bytes().filter(|&byte| byte == b'\n').count() as u64;
            intake.leave_room(self.passed.chars().count() as u64, lines);
        }
    }

    /// Takes what was passed on out of a reply that begins with it.
    pub(super) fn shorten(&self, reply: &mut Reply) {
        let whole = reply.report.is_as_it_came();
        if let Some(rest) = reply.text.strip_prefix(&self.passed).filter(|_| whole) {
            reply.text = rest.to_owned();
        }
    }
}
