//! `… | offcut`: what comes in by stdin leaves as a reply.

use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use offcut::Reply;
use serde::Serialize;
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::failure::{Failure, OTHER, while_doing};
use crate::flags::{CutFlags, PlaceFlags, ReplyFlags, ToolFlags};
use crate::setup::{self, Setup};

/// The arguments of the filter.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) cut: CutFlags,
    #[command(flatten)]
    pub(crate) tool: ToolFlags,
    #[command(flatten)]
    pub(crate) reply: ReplyFlags,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

/// How much is read at a time.
pub(crate) const CHUNK: usize = 256 * 1024;

/// The exit code of those that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// Reads stdin to its end, or until there is more than may be kept, and prints the reply.
pub(crate) fn filter(flags: &FilterArgs) -> Result<ExitCode, Failure> {
    let mut setup = Setup::tolerant(&flags.place, flags.cut.profile.as_deref())?;
    let call = setup.accept(setup::call(&flags.cut, &flags.tool));
    let mut intake = setup.offcut.intake(call)?;
    let interrupted = stay_for_the_rest();
    let ended = feed(&mut io::stdin().lock(), &mut intake);
    let reply = intake.finish();
    print(&reply, &flags.reply, None)?;
    ended.map_err(while_doing("read all of stdin"))?;
    Ok(match (interrupted.load(Ordering::Relaxed), reply.report.is_error) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, true) => ExitCode::from(OTHER),
        (false, false) => ExitCode::SUCCESS,
    })
}

/// Ctrl-C ends the command that writes to us; we stay to the end of what it wrote. A second one ends us too.
pub(crate) fn stay_for_the_rest() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // Where this fails, Ctrl-C ends us at once: no worse than without it.
    let _ = flag::register_conditional_shutdown(SIGINT, i32::from(INTERRUPTED), interrupted.clone())
        .and_then(|_| flag::register(SIGINT, interrupted.clone()));
    interrupted
}

/// Whether somebody types at us rather than pipes.
pub(crate) fn nobody_pipes() -> bool {
    io::stdin().is_terminal()
}

/// Reads `source` into `intake` until either has enough.
pub(crate) fn feed(source: &mut impl Read, intake: &mut offcut::Intake<'_>) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    while !intake.is_full() {
        let read = match source.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        // It fails only where the output is over the maximum size, and that is asked for above.
        let _ = intake.write_all(chunk.get(..read).unwrap_or_default());
    }
    Ok(())
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Ended {
    /// The exit code, as a shell would tell it.
    pub(crate) exit_code: u8,
    /// The signal that ended it, if one did.
    pub(crate) signal: Option<i32>,
    /// Whether its time was up.
    pub(crate) timed_out: bool,
}

/// A reply with how the command ended, for programs.
#[derive(Serialize)]
struct Whole<'r> {
    #[serde(flatten)]
    reply: &'r Reply,
    #[serde(flatten)]
    ended: Option<Ended>,
}

/// Prints a reply, and writes its report where one is wanted.
pub(crate) fn print(reply: &Reply, flags: &ReplyFlags, ended: Option<Ended>) -> Result<(), Failure> {
    // A report that cannot be written must not cost the reply.
    let reported = report(reply, flags);
    let mut stdout = io::stdout().lock();
    if flags.json {
        serde_json::to_writer(&mut stdout, &Whole { reply, ended })?;
        stdout.write_all(b"\n")?;
    } else {
        stdout.write_all(reply.text.as_bytes())?;
        // What fits is handed on as it came; a notice is ours, and ends its line.
        let cut = reply.report.was_truncated || reply.report.is_error;
        if cut && !reply.text.ends_with('\n') {
            stdout.write_all(b"\n")?;
        }
    }
    stdout.flush()?;
    reported
}

/// Writes the report to its file, where one is wanted.
pub(crate) fn report(reply: &Reply, flags: &ReplyFlags) -> Result<(), Failure> {
    let Some(path) = &flags.report else { return Ok(()) };
    let mut json = serde_json::to_vec_pretty(&reply.report)?;
    json.push(b'\n');
    std::fs::write(path, json).map_err(while_doing(format!("write the report to `{}`", path.display())))
}
