//! `offcut run -- CMD…`: a command's output becomes a reply, and its exit code stays what it was.
//!
//! The command writes stdout and stderr to one pipe, so their order is the order of the writes. It stays in our
//! process group: Ctrl-C, and whoever ends the whole group, reach it as if we were not there.

mod child;
mod processes;
mod screen;
mod signals;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use clap::Args;
use offcut::{Intake, Reply};

use crate::duration;
use crate::failure::Failure;
use crate::filter::{self, Ended};
use crate::flags::{CutFlags, PlaceFlags, ReplyFlags, ToolFlags};
use crate::place::quoted;
use crate::setup::{self, Setup};
use child::{Child, Event};
use screen::Screen;

const EXAMPLES: &str = "\
Examples:
  offcut run -- cargo test
  offcut run --limit 4000 --timeout 10m -- npm run build
  offcut run -- sh -c 'make 2>&1 | tee build.log'

On a terminal the output is streamed, and a notice follows if it was cut. In a
pipe only the reply is printed. Ctrl-C reaches the command; the output until then
still becomes a reply.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) cut: CutFlags,
    #[command(flatten)]
    pub(crate) tool: ToolFlags,
    #[command(flatten)]
    pub(crate) reply: ReplyFlags,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
    /// End the command and its child processes after this time: `90`, `90s`, `10m`, `1h`
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// How long a background process may keep the pipe open without a word after the command itself has ended.
const PATIENCE: Duration = Duration::from_millis(300);

/// How often the progress is drawn anew, and deadlines are looked at.
const TICK: Duration = Duration::from_millis(100);

/// The exit code of a command whose time was up: that of `timeout`.
const TIMED_OUT: u8 = 124;

/// Runs the command and prints its reply.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let mut setup = Setup::tolerant(&args.place, args.cut.profile.as_deref())?;
    let mut call = setup::call(&args.cut, &args.tool);
    if args.tool.args.is_none() {
        call = call.arguments(command_line(&args.command));
    }
    let call = setup.accept(call);
    let intake = setup.offcut.intake(call)?;
    let streams = io::stdout().is_terminal() && !args.reply.json;
    let child = Child::start(&args.command)?;
    let mut running =
        Running { child, intake, screen: Screen::new(streams), started: Instant::now(), timeout: args.timeout };
    let ended = running.see_it_through();
    let Running { mut intake, mut screen, child, .. } = running;
    let failed_signals = child.finish();
    screen.clear();
    if ended.exit_code != 0 {
        intake.tool_failed();
    }
    let reply = intake.finish();
    if ended.timed_out {
        let time = args.timeout.unwrap_or_default();
        screen.say(&format!("the command was ended after {time:?} (--timeout)"));
    }
    if let Some(why) = failed_signals {
        screen.say(&why);
    }
    let printed = if streams {
        filter::report(&reply, &args.reply).and_then(|()| notices(&reply, &mut screen, &setup))
    } else {
        filter::print(&reply, &args.reply, Some(ended))
    };
    // Whether or not the reply could be printed, the command ended as it did; a success that nobody could read is none.
    match printed {
        Err(failure) if ended.exit_code == 0 => Err(failure),
        Err(failure) => {
            let _ = failure.tell();
            Ok(ExitCode::from(ended.exit_code))
        }
        Ok(()) => Ok(ExitCode::from(ended.exit_code)),
    }
}

/// The command as a shell would read it.
fn command_line(command: &[OsString]) -> String {
    command.iter().map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// A command on its way.
struct Running<'o> {
    child: Child,
    intake: Intake<'o>,
    screen: Screen,
    started: Instant,
    timeout: Option<Duration>,
}

impl Running<'_> {
    /// Takes in what the command writes until it has ended.
    fn see_it_through(&mut self) -> Ended {
        let (mut closed, mut exited, mut timed_out) = (false, None, false);
        let mut heard = Instant::now();
        loop {
            match self.child.events().recv_timeout(TICK) {
                Ok(Event::Bytes(bytes)) => {
                    heard = Instant::now();
                    self.take(&bytes);
                }
                Ok(Event::Closed) => closed = true,
                Ok(Event::Exited(status)) => {
                    heard = Instant::now();
                    exited = Some(status);
                }
                Err(RecvTimeoutError::Timeout) => self.draw(),
                Err(RecvTimeoutError::Disconnected) => closed = true,
            }
            if let Some(status) = exited
                && (closed || heard.elapsed() > PATIENCE)
            {
                let exit_code = if timed_out { TIMED_OUT } else { child::exit_code(status) };
                return Ended { exit_code, signal: child::signal(status), timed_out };
            }
            let late = self.timeout.is_some_and(|timeout| self.started.elapsed() >= timeout);
            if late && exited.is_none() {
                timed_out = true;
            }
            if late || self.intake.is_full() {
                self.child.end();
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.show(bytes);
        if !self.intake.is_full() {
            // It fails only where the output is over the maximum size, and then the command is ended.
            let _ = self.intake.write_all(bytes);
        }
        self.draw();
    }

    fn draw(&mut self) {
        self.screen.progress(self.started.elapsed(), self.intake.extent().lines, self.intake.taken());
    }
}

/// Says on a terminal, where everything was seen already, what a model would not have seen.
fn notices(reply: &Reply, screen: &mut Screen, setup: &Setup) -> Result<(), Failure> {
    let report = &reply.report;
    if !report.was_truncated && !report.is_error {
        return Ok(());
    }
    let lines = report.original_lines.unwrap_or_default();
    screen.say(&format!(
        "a model sees {} of {lines} lines ({} of {} characters)",
        lines.saturating_sub(report.omitted_lines),
        report.truncated_size,
        report.original_size.unwrap_or_default(),
    ));
    for shortfall in &report.degraded {
        screen.say(shortfall);
    }
    if let Some(id) = &report.artifact_id {
        screen.say(&format!("full output: offcut artifacts show {id}{}", setup.place.suffix));
    }
    Ok(())
}
