//! `bash`: a command in a process group of its own, its output taken in while it runs.
//!
//! stdout and stderr are one pipe, so their order is the order of the writes. At the timeout, on cancel, and when the
//! output is larger than anything that may be kept, the whole group is ended; what there was until then is the answer.

mod child;

use std::io::Write as _;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use offcut::core::cut::Piece;
use offcut::core::document::Document;
use offcut::core::limit::Unit;
use offcut::core::notice::{self, CommandEnd};
use offcut::policy::Plan;
use offcut::{Call, Cancel, Explanation, Intake};
use serde_json::{Map, Value, json};

use crate::Toolbox;
use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::page::{EndedBy, truncation};
use crate::reply::{Content, ToolReply};
use crate::tool::Tool;
use crate::toolbox::{arguments_json, room_of, with_notices};
use child::{Child, Ended, Event};

/// How long a process in the background may keep the pipe open without a word after the command itself has ended.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long such a process may go on talking.
const LINGER: Duration = Duration::from_secs(2);

/// How much may come after a command has ended: more than a pipe and its reader hold is not the command's own.
const LEFT_OVER: u64 = 8 << 20;

/// How often the clock and the caller are looked at.
const TICK: Duration = Duration::from_millis(20);

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
        let child = Child::start(&bash.command, self.root())?;
        let ended = see_it_through(child, &mut intake, bash.timeout, cancel);
        let notice = ended.told(bash.timeout);
        let notices: Vec<String> = notice.into_iter().map(notice::command_end).collect();
        if !notices.is_empty() {
            intake.tool_failed();
        }
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

/// Takes in what the command writes until it has ended.
fn see_it_through(mut child: Child, intake: &mut Intake<'_>, timeout: Option<Duration>, cancel: &Cancel) -> Ended {
    let started = Instant::now();
    let (mut closed, mut heard) = (false, started);
    let mut after: Option<After> = None;
    let mut ended = Ended::default();
    loop {
        match child.events().recv_timeout(TICK) {
            Ok(Event::Bytes(bytes)) => {
                heard = Instant::now();
                if let Some(after) = &mut after {
                    after.bytes += bytes.len() as u64;
                }
                if !intake.is_full() {
                    // It fails only where the output is over the maximum size, and then the command is ended.
                    let _ = intake.write_all(&bytes);
                }
            }
            Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => closed = true,
            Ok(Event::Exited) => {
                heard = Instant::now();
                after = Some(After { exited: heard, drained: false, bytes: 0 });
            }
            Err(RecvTimeoutError::Timeout) if child.has_more() => heard = Instant::now(),
            Err(RecvTimeoutError::Timeout) => {
                if let Some(after) = &mut after {
                    after.drained = true;
                }
            }
        }
        let over = |after: &After| {
            let unwanted = after.drained && cancel.is_cancelled();
            closed || unwanted || heard.elapsed() > PATIENCE || after.is_another()
        };
        if after.as_ref().is_some_and(over) || child.is_hopeless() {
            ended.status = child.finish(after.is_some());
            return ended;
        }
        if after.is_none() {
            ended.timed_out |= timeout.is_some_and(|timeout| started.elapsed() >= timeout);
            ended.cancelled |= cancel.is_cancelled();
            ended.too_much |= intake.is_full();
        }
        if ended.timed_out || ended.cancelled || ended.too_much {
            child.end();
        }
    }
}

/// What comes after a command has ended.
struct After {
    exited: Instant,
    /// Whether all that the command itself had written was read.
    drained: bool,
    bytes: u64,
}

impl After {
    /// Whether what is heard now is a process in the background.
    fn is_another(&self) -> bool {
        (self.drained && self.exited.elapsed() > LINGER) || self.bytes > LEFT_OVER
    }
}

impl Ended {
    /// What is to be said about it; nothing where it ended well.
    fn told(&self, timeout: Option<Duration>) -> Option<CommandEnd<'_>> {
        if self.timed_out {
            return Some(CommandEnd::TimedOut(timeout.unwrap_or_default().as_secs_f64()));
        }
        if self.cancelled {
            return Some(CommandEnd::Cancelled);
        }
        if self.too_much {
            return Some(CommandEnd::TooMuch);
        }
        match (self.code(), self.signal()) {
            (Some(0), _) => None,
            (Some(code), _) => Some(CommandEnd::Code(code)),
            (None, Some((number, name))) => Some(CommandEnd::Signal(number, name)),
            (None, None) => Some(CommandEnd::Cancelled),
        }
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
    for (name, so) in [("timedOut", ended.timed_out), ("cancelled", ended.cancelled)] {
        if so {
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
