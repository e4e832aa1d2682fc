//! `offcut artifacts rm` and `clean`.

use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use offcut::recall::RecallError;
use offcut_core::limit::human_size;
use offcut_store::{Cleared, Sweep};

use crate::duration;
use crate::failure::Failure;
use crate::flags::PlaceFlags;
use crate::setup::stored;
use crate::table::counted;

#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// The artifacts' ids, or `last`
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// Remove every session's artifacts
    #[arg(long, visible_alias = "force")]
    all: bool,
    /// Remove artifacts older than this, in every session: `7d`, `12h`
    #[arg(long, value_name = "TIME", value_parser = duration::parse, conflicts_with = "all")]
    older_than: Option<Duration>,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceFlags,
}

/// Removes the artifacts that are named. An unknown id is an error, and nothing is removed then.
pub(crate) fn rm(args: &RmArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    let Some((store, session)) = setup.offcut.store() else { return Ok(()) };
    let recall = setup.offcut.recall();
    let mut found = Vec::new();
    for written in &args.ids {
        let (id, bytes) = match recall.open(written) {
            Ok(artifact) => (artifact.info().id.clone(), artifact.info().stored_bytes),
            Err(RecallError::Corrupt { id, .. }) => (id, 0),
            Err(error) => return Err(error.into()),
        };
        if !found.iter().any(|(known, _)| *known == id) {
            found.push((id, bytes));
        }
    }
    let mut cleared = Cleared::default();
    for (id, bytes) in found {
        store.remove(session, &id)?;
        cleared.artifacts += 1;
        cleared.bytes += bytes;
    }
    report(cleared, args.json)
}

/// Removes the session's artifacts, everybody's, or those that are old.
pub(crate) fn clean(args: &CleanArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    let Some((store, session)) = setup.offcut.store() else { return Ok(()) };
    let cleared = match (args.all, args.older_than) {
        (_, Some(age)) => {
            let swept = store.sweep(&Sweep { older_than: Some(age), ..Sweep::default() })?;
            Cleared { artifacts: swept.artifacts, bytes: swept.bytes }
        }
        (true, None) => {
            let mut all = Cleared::default();
            for info in store.sessions()? {
                let cleared = store.clear(&info.session)?;
                all.artifacts += cleared.artifacts;
                all.bytes += cleared.bytes;
            }
            all
        }
        (false, None) => store.clear(session)?,
    };
    report(cleared, args.json)
}

fn report(cleared: Cleared, json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, &cleared)?;
        writeln!(out)?;
    } else {
        writeln!(out, "Removed {} ({} freed)", counted(cleared.artifacts, "artifact"), human_size(cleared.bytes))?;
    }
    Ok(())
}
