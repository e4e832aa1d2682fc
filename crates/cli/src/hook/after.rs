//! A command has run: the reply that takes the place of its output.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use offcut::{Call, Outcome};
use serde_json::Value;

use super::agents::{Output, OutputSource};
use super::event::text;
use crate::failure::Failure;
use crate::filter;
use crate::flags::PlaceFlags;
use crate::setup::{Setup, TOOL};
use crate::shell::fetch::is_fetch;

/// The reply, where it is not what the agent shows by itself.
pub(super) fn reply(event: &Value, output: Output, agent: &str) -> Option<String> {
    // What reads back is a page already.
    if is_fetch(&output.command) {
        return None;
    }
    enter(event);
    match make(output, agent) {
        Ok(reply) => reply,
        Err(failure) => {
            let _ = failure.tell();
            None
        }
    }
}

/// Goes where the agent works, so that its project's session is found.
fn enter(event: &Value) {
    if let Some(directory) = text(event, "/cwd").map(Path::new).filter(|directory| directory.is_absolute()) {
        // Where it is gone, what is here has to do.
        let _ = std::env::set_current_dir(directory);
    }
}

fn make(output: Output, agent: &str) -> Result<Option<String>, Failure> {
    let mut setup = Setup::for_one_output(&PlaceFlags::default(), None)?;
    setup.offcut = setup.offcut.for_agent(agent);
    let call = setup.accept(Call::new(TOOL).arguments(&output.command));
    let mut intake = setup.offcut.intake(call)?;
    intake.ended(output.exit.map_or(Outcome::Unsaid, Outcome::exit));
    let room = output.remark.chars().count() as u64 + 1;
    let shown = match output.whole {
        OutputSource::Text(text) => {
            // It fails only where the output is over the maximum size, which the reply says.
            let _ = intake.write_all(text.as_bytes());
            Some(text)
        }
        OutputSource::File(path) => {
            let Ok(mut file) = regular(&path) else { return Ok(None) };
            filter::feed(&mut file, &mut intake)?;
            None
        }
    };
    if !output.remark.is_empty() && intake.may_be_cut() {
        intake.leave_room(room, 1);
    }
    let reply = intake.finish();
    if shown.is_some_and(|shown| shown == reply.text) {
        return Ok(None);
    }
    let mut text = reply.text;
    if !output.remark.is_empty() {
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&output.remark);
    }
    Ok(Some(text))
}

/// Opens a file that can be read to its end.
fn regular(path: &Path) -> std::io::Result<impl Read> {
    let file = File::open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(std::io::ErrorKind::InvalidInput.into()),
    }
}
