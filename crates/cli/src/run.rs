//! `offcut run -- CMD…`: a command's output becomes a reply, and its exit code stays what it was.
//!
//! The command writes stdout and stderr to one pipe, so their order is the order of the writes. It stays in our
//! process group: Ctrl-C, and whoever ends the whole group, reach it as if we were not there.

pub(crate) mod audience;
mod interim;
mod screen;
mod stream;

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::Args;
use offcut::{Call, Intake, Outcome, Reply};
use offcut_platform::{ReceivedSignal, Signals};
use offcut_tools::process::{Capture, Scope, Stop, Supervisor};

use crate::duration;
use crate::failure::Failure;
use crate::filter::{self, Ended};
use crate::flags::{CutFlags, PlaceFlags, ReplyFlags, ToolFlags};
use crate::place::quoted;
use crate::setup::{self, Setup};
use crate::signals;
use audience::{LiveView, ReplyWhen};
use interim::Interim;
use screen::Screen;
use stream::Stream;

const EXAMPLES: &str = "\
Examples:
  offcut run -- cargo test
  offcut run --limit 4000 --timeout 10m -- npm run build
  offcut run -- sh -c 'make 2>&1 | tee build.log'

On a person's terminal the output is streamed, and a notice follows if it was cut.
In a pipe, and on the terminal of a coding agent, only the reply is printed.
Ctrl-C reaches the command; the output until then still becomes a reply.";

#[derive(Debug, Default, Args)]
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
    /// When to print the reply and not the whole stream [default: $OFFCUT_REPLY, else auto]
    #[arg(long = "reply", value_enum, value_name = "WHEN")]
    pub(crate) reply_when: Option<ReplyWhen>,
    /// Print the beginning of the output, as far as it fits, while the command runs, once it has run for AFTER
    /// [default: $OFFCUT_INTERIM, else never; with the bare flag: 100ms]
    #[arg(long, value_name = "AFTER", num_args = 0..=1, require_equals = true, default_missing_value = "100ms",
          value_parser = duration::parse)]
    pub(crate) interim: Option<Duration>,
    /// End the command and its child processes after this time: `90`, `90s`, `10m`, `1h`
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub(crate) timeout: Option<Duration>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
    /// Variables that are set for the command alone.
    #[arg(skip)]
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// The exit code of a command whose time was up: that of `timeout`.
const TIMED_OUT: u8 = 124;

/// The exit code of a command that could not even be killed.
const KILLED: u8 = 137;

/// Runs the command and prints its reply.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    prepare(args)?.run()
}

/// Everything that a command needs to be run, before it is.
pub(crate) struct Prepared<'a> {
    args: &'a RunArgs,
    setup: Setup,
    call: Call,
}

/// Prepares to run a command. Until the result is run, nothing has been started or printed to stdout.
pub(crate) fn prepare(args: &RunArgs) -> Result<Prepared<'_>, Failure> {
    let mut setup = Setup::for_one_output(&args.place, args.cut.profile.as_deref())?;
    let mut call = setup::call(&args.cut, &args.tool);
    if args.tool.args.is_none() {
        call = call.arguments(command_line(&args.command));
    }
    let call = setup.accept(call);
    setup.offcut.policy().plan(&call)?;
    Ok(Prepared { args, setup, call })
}

impl Prepared<'_> {
    /// Runs the command and prints its reply.
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let Prepared { args, setup, call } = self;
        let tool = call.tool.clone();
        let intake = setup.offcut.intake(call)?;
        let shown = if args.reply.json {
            LiveView::default()
        } else {
            LiveView::of(args.reply_when, args.interim, io::stdout().is_terminal(), |name| env::var_os(name))
        };
        // A signal that comes while the command starts waits for it.
        let signals = signals::take();
        let capture = start(&args.command, &args.environment)?;
        let unheard = pass_signals_on(signals, &capture);
        let mut running = Running {
            intake,
            interim: shown.interim.map(Interim::new),
            screen: Screen::new(shown.stream.then(|| Stream::new(setup.offcut.redactor(&tool)))),
            started: Instant::now(),
            timeout: args.timeout,
        };
        let ended = Ended::from(capture.drive(&mut running));
        let Running { mut intake, mut screen, interim, .. } = running;
        screen.finish();
        for why in shown.problems.into_iter().chain(unheard) {
            screen.say(&why);
        }
        if let Some(interim) = &interim {
            interim.leave_room(&mut intake);
        }
        intake.ended(if ended.timed_out { Outcome::TimedOut } else { Outcome::exit(ended.exit_code.into()) });
        let mut reply = intake.finish();
        if let Some(interim) = &interim {
            interim.shorten(&mut reply);
        }
        if ended.timed_out {
            let time = args.timeout.unwrap_or_default();
            screen.say(&format!("the command was ended after {time:?} (--timeout)"));
        }
        let printed = if shown.stream {
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
}

/// The command as a shell would read it.
fn command_line(command: &[OsString]) -> String {
    command.iter().map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

/// Starts the command on our stdin, in our process group.
fn start(words: &[OsString], environment: &[(OsString, OsString)]) -> Result<Capture, Failure> {
    let Some((program, arguments)) = words.split_first() else {
        return Err(Failure::usage("no command was given").hint("offcut run -- CMD ARG…"));
    };
    let mut command = Command::new(program);
    command.args(arguments).envs(environment.iter().map(|(name, value)| (name, value)));
    Capture::start(command, Scope::Tree).map_err(|error| refused(program, words.len(), &error))
}

/// Passes signals on to the command; says why where that cannot be done.
fn pass_signals_on(signals: io::Result<Signals>, capture: &Capture) -> Option<String> {
    let remote = capture.remote();
    // What was typed reached the whole group, and so the command, without us.
    let pass_on = move |heard: ReceivedSignal| {
        if !heard.typed {
            remote.signal(heard.signal);
        }
    };
    let listening = signals.map(|signals| signals.tell(pass_on));
    listening.err().map(|error| format!("signals are not passed on: {error}"))
}

/// Says why `program`, given with `words` words in all, was not started.
pub(crate) fn refused(program: &OsString, words: usize, error: &io::Error) -> Failure {
    let name = program.to_string_lossy();
    match error.kind() {
        io::ErrorKind::NotFound => {
            let failure = Failure::other(format!("command not found: `{name}`")).code(127);
            let line = words == 1 && name.contains(|c: char| c.is_whitespace() || "|&;<>()$`".contains(c));
            if line { failure.hint("for a line of shell, write `offcut run -- sh -c '…'`") } else { failure }
        }
        io::ErrorKind::PermissionDenied => Failure::other(format!("`{name}` cannot be executed: {error}")).code(126),
        _ => Failure::other(format!("could not start `{name}`: {error}")).code(126),
    }
}

/// A command under way.
struct Running<'o> {
    intake: Intake<'o>,
    interim: Option<Interim>,
    screen: Screen,
    started: Instant,
    timeout: Option<Duration>,
}

impl Supervisor for Running<'_> {
    fn output(&mut self, bytes: &[u8]) {
        self.screen.show(bytes);
        if !self.intake.is_full() {
            // It fails only where the output is over the maximum size, and then the command is ended.
            let _ = self.intake.write_all(bytes);
        }
    }

    fn stop(&mut self) -> Option<Stop> {
        self.intake.save_progress();
        if let Some(interim) = &mut self.interim {
            interim.pass_on(&self.intake, self.started.elapsed());
        }
        self.screen.progress(self.started.elapsed(), self.intake.extent().lines, self.intake.taken());
        let late = self.timeout.is_some_and(|timeout| self.started.elapsed() >= timeout);
        if late {
            return Some(Stop::TimedOut);
        }
        self.intake.is_full().then_some(Stop::TooMuch)
    }
}

impl From<offcut_tools::process::Ended> for Ended {
    fn from(ended: offcut_tools::process::Ended) -> Ended {
        let timed_out = ended.stopped == Some(Stop::TimedOut);
        let exit_code = if timed_out { TIMED_OUT } else { ended.exit_code().unwrap_or(KILLED) };
        Ended { exit_code, signal: ended.signal().map(|(number, _)| number), timed_out }
    }
}

/// Says on a terminal, where everything was seen already, what a model would not have seen.
fn notices(reply: &Reply, screen: &mut Screen, setup: &Setup) -> Result<(), Failure> {
    let report = &reply.report;
    if report.is_as_it_came() {
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
        let id = report.artifact_handle.as_ref().unwrap_or(id);
        screen.say(&format!("full output: offcut show {id}{}", setup.place.suffix));
    }
    Ok(())
}
