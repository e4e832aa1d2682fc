//! `… | offcut`: what comes in by stdin leaves as a reply.

use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use offcut::Reply;
use serde::Serialize;

use crate::failure::{Failure, OTHER, while_doing};
use crate::flags::{CutFlags, PlaceFlags, ReplyFlags, ToolFlags};
use crate::setup::{self, Setup};
use crate::signals::Input;

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

/// How often it is asked whether to save what came.
const TICK: Duration = Duration::from_millis(100);

/// Reads stdin to its end, until a signal comes, or until there is more than may be kept, and prints the reply.
pub(crate) fn filter(flags: &FilterArgs) -> Result<ExitCode, Failure> {
    let mut input = Input::open();
    let mut setup = Setup::for_one_output(&flags.place, flags.cut.profile.as_deref())?;
    let call = setup.accept(setup::call(&flags.cut, &flags.tool));
    let mut intake = setup.offcut.intake(call)?;
    let ended = take_in(&mut input, &mut intake);
    let reply = intake.finish();
    print(&reply, &flags.reply, None)?;
    ended.map_err(while_doing("read all of stdin"))?;
    Ok(input.interrupted().unwrap_or(if reply.report.is_error { ExitCode::from(OTHER) } else { ExitCode::SUCCESS }))
}

/// Whether somebody types at us rather than pipes.
pub(crate) fn nobody_pipes() -> bool {
    io::stdin().is_terminal()
}

/// Reads stdin into `intake` until either has enough, and saves what came while it waits for more.
fn take_in(input: &mut Input, intake: &mut offcut::Intake<'_>) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    while !intake.is_full() {
        match input.read_within(&mut chunk, Some(TICK))? {
            Some(0) => return Ok(()),
            // It fails only where the output is over the maximum size, and that is asked for above.
            Some(read) => drop(intake.write_all(chunk.get(..read).unwrap_or_default())),
            None => {}
        }
        intake.save_progress();
    }
    Ok(())
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
struct JsonReply<'r> {
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
        serde_json::to_writer(&mut stdout, &JsonReply { reply, ended })?;
        stdout.write_all(b"\n")?;
    } else {
        stdout.write_all(reply.text.as_bytes())?;
        // What fits is handed on as it came; a notice is ours, and ends its line.
        if !reply.report.is_as_it_came() && !reply.text.ends_with('\n') {
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
