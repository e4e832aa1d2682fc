//! `bash`: a command in a process group of its own, its output taken in while it runs.
//!
//! stdout and stderr are one pipe, so their order is the order of the writes. At the timeout, on cancel, and when the
//! output is larger than anything that may be kept, the whole group is ended; what there was until then is the answer.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use offcut::policy::Plan;
use offcut::{Call, Cancel, Explanation, Intake, Outcome};
use offcut_core::cut::Piece;
use offcut_core::document::Document;
use offcut_core::limit::Unit;
use offcut_core::notice::{self, CommandEnd};
use serde_json::{Map, Value, json};

use crate::Toolbox;
use crate::arguments::Arguments;
use crate::error::{ToolError, while_doing};
use crate::page::{EndedBy, truncation};
use crate::process::{Capture, Ended, SECRETS, Scope, Stop, Supervisor};
use crate::reply::{Content, ToolReply};
use crate::tool::Tool;
use crate::toolbox::{arguments_json, room_of, with_notices};

/// Runs a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bash {
    /// What a shell is to run.
    pub command: String,
    /// When it is ended.
    pub timeout: Option<Duration>,
}

impl Bash {
    pub(crate) fn from_arguments(arguments: &Arguments<'_>) -> Bash {
        Bash { command: arguments.text("command"), timeout: arguments.seconds("timeout") }
    }

    fn call(&self) -> Call {
        let timeout = self.timeout.map(|timeout| timeout.as_secs_f64());
        let arguments = [("command", json!(self.command)), ("timeout", json!(timeout))];
        Call::new(Tool::Bash.name()).arguments(arguments_json(arguments))
    }
}

impl Toolbox {
    /// Runs a command. It is an answer, not an error, that a command failed, was ended, or ran out of time.
    pub fn bash(&self, bash: &Bash, cancel: &Cancel) -> Result<ToolReply, ToolError> {
        let call = bash.call();
        let plan = self.offcut().policy().plan(&call)?;
        let mut intake = self.offcut().intake(call)?;
        let capture = start(&bash.command, self.root())?;
        let running = &mut Running { intake: &mut intake, started: Instant::now(), timeout: bash.timeout, cancel };
        let ended = capture.drive(running);
        let notice = end_of(&ended, bash.timeout);
        let notices: Vec<String> = notice.into_iter().map(notice::command_end).collect();
        intake.ended(ended.exit_code().map_or(Outcome::Failed, |code| Outcome::exit(code.into())));
        let (chars, lines) = room_of(&notices);
        intake.leave_room(chars, lines);
        let explanation = intake.finish_explained();
        let details = details(&explanation, &plan, &ended);
        let failed = !notices.is_empty();
        let mut reply = with_notices(explanation.reply, &notices, details);
        reply.is_error |= failed;
        match reply.content.first_mut() {
            Some(Content::Text(text)) if text.is_empty() => "(no output)".clone_into(text),
            _ => {}
        }
        Ok(reply)
    }
}

/// Starts a shell on `command` in `directory`, with nothing to read and without what only we may know.
fn start(command: &str, directory: &Path) -> Result<Capture, ToolError> {
    let shell = |program: &str| {
        let mut shell = Command::new(program);
        shell.arg("-c").arg(command).current_dir(directory).stdin(Stdio::null());
        for secret in SECRETS {
            shell.env_remove(secret);
        }
        Capture::start(shell, Scope::Group)
    };
    let started = match shell("bash") {
        Err(error) if error.kind() == io::ErrorKind::NotFound && directory.is_dir() => shell("sh"),
        started => started,
    };
    started.map_err(while_doing(format!("start a shell in {}", directory.display())))
}

/// A call under way.
struct Running<'r, 'o> {
    intake: &'r mut Intake<'o>,
    started: Instant,
    timeout: Option<Duration>,
    cancel: &'r Cancel,
}

impl Supervisor for Running<'_, '_> {
    fn output(&mut self, bytes: &[u8]) {
        if !self.intake.is_full() {
            // It fails only where the output is over the maximum size, and then the command is ended.
            let _ = self.intake.write_all(bytes);
        }
    }

    fn stop(&mut self) -> Option<Stop> {
        self.intake.save_progress();
        let late = self.timeout.is_some_and(|timeout| self.started.elapsed() >= timeout);
        let reasons = [
            (late, Stop::TimedOut),
            (self.cancel.is_cancelled(), Stop::Cancelled),
            (self.intake.is_full(), Stop::TooMuch),
        ];
        reasons.into_iter().find_map(|(so, stop)| so.then_some(stop))
    }
}

/// The sentence about how a command ended; none where it ended well.
fn end_of(ended: &Ended, timeout: Option<Duration>) -> Option<CommandEnd<'static>> {
    match ended.stopped {
        Some(Stop::TimedOut) => return Some(CommandEnd::TimedOut(timeout.unwrap_or_default().as_secs_f64())),
        Some(Stop::Cancelled) => return Some(CommandEnd::Cancelled),
        Some(Stop::TooMuch) => return Some(CommandEnd::TooMuch),
        None => {}
    }
    match (ended.code(), ended.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(CommandEnd::Code(code)),
        (None, Some((number, name))) => Some(CommandEnd::Signal(number, name)),
        (None, None) => Some(CommandEnd::Cancelled),
    }
}

/// What programs are told: how it ended, and what is not shown.
fn details(explanation: &Explanation, plan: &Plan, ended: &Ended) -> Map<String, Value> {
    let mut details = Map::new();
    if let Some(code) = ended.exit_code() {
        details.insert("exitCode".to_owned(), json!(code));
    }
    if let Some((_, name)) = ended.signal() {
        details.insert("signal".to_owned(), json!(name));
    }
    for (name, stop) in [("timedOut", Stop::TimedOut), ("cancelled", Stop::Cancelled)] {
        if ended.stopped == Some(stop) {
            details.insert(name.to_owned(), json!(true));
        }
    }
    let report = &explanation.reply.report;
    if !report.was_truncated {
        return details;
    }
    let shown: u64 = report.kept.iter().map(|(first, last)| last - first + 1).sum();
    let extent = explanation.document.extent();
    let fits = plan.limits.of(Unit::Bytes).is_some_and(|bytes| extent.bytes <= bytes);
    let by_lines = plan.limits.of(Unit::Lines).is_some_and(|lines| shown >= lines || fits);
    let ended_by = if by_lines { EndedBy::Lines } else { EndedBy::Bytes };
    let partial = last_line_partial(explanation).unwrap_or(false);
    let total = report.original_lines.unwrap_or(extent.lines);
    details.insert("truncation".to_owned(), truncation(ended_by, shown, total, partial));
    if let Some(place) = report.artifact_path.as_ref().or(report.artifact_id.as_ref()) {
        details.insert("fullOutputPath".to_owned(), json!(place));
    }
    details
}

/// Whether the last line is shown, but not from its beginning.
fn last_line_partial(explanation: &Explanation) -> Option<bool> {
    let document: &dyn Document = explanation.document.as_ref();
    let last = document.extent().lines.checked_sub(1)?;
    let start = document.line_start(last).ok()?.byte;
    let kept = |piece: &Piece| matches!(piece, Piece::Keep { .. }).then(|| piece.range().cloned()).flatten();
    let last_kept = explanation.cut.pieces().iter().rev().find_map(kept)?;
    Some(last_kept.start > start)
}
