//! `offcut artifacts list` and `info`.

use std::io::{self, BufWriter, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use offcut_core::limit::human_size;
use offcut_core::notice;
use offcut_store::{ArtifactInfo, Damaged};
use serde::Serialize;

use crate::failure::Failure;
use crate::flags::PlaceFlags;
use crate::setup::stored;
use crate::table::{Table, counted, thousands};

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Print an array of JSON objects
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// The artifact's id, or `last`
    id: String,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: PlaceFlags,
}

/// An artifact, for programs.
#[derive(Serialize)]
#[serde(untagged)]
enum ListedArtifact<'a> {
    Whole(&'a ArtifactInfo),
    Damaged(&'a Damaged),
}

/// Lists the session's artifacts, oldest first; then those that are damaged.
pub(crate) fn list(args: &ListArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    let infos = setup.offcut.recall().list()?;
    let damaged = setup.offcut.recall().damaged()?;
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        let all: Vec<ListedArtifact<'_>> =
            infos.iter().map(ListedArtifact::Whole).chain(damaged.iter().map(ListedArtifact::Damaged)).collect();
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
    } else if infos.is_empty() && damaged.is_empty() {
        writeln!(out, "No artifacts in session `{}`.", setup.place.session)?;
    } else {
        let mut table = Table::new(&["ID", ">Size", ">Lines", "Kind", "~Source", "Created"]);
        for info in &infos {
            let lines = if info.binary { "-".to_owned() } else { thousands(info.extent.lines) };
            table.row([
                info.id.to_string(),
                human_size(info.extent.bytes),
                lines,
                if info.unfinished { format!("{}, unfinished", info.kind) } else { info.kind.clone() },
                notice::one_line(&source(info), 40),
                age(info.created_ms),
            ]);
        }
        for Damaged { id, damaged } in &damaged {
            let unknown = || "-".to_owned();
            let about = notice::one_line(damaged, 60);
            table.row([id.to_string(), unknown(), unknown(), "damaged".to_owned(), about, unknown()]);
        }
        table.write(&mut out)?;
        let bytes: u64 = infos.iter().map(|info| info.extent.bytes).sum();
        writeln!(out, "Total: {}, {}", counted(infos.len() as u64, "artifact"), human_size(bytes))?;
    }
    out.flush()?;
    Ok(())
}

/// How long ago a moment was, roughly: `5m ago`.
fn age(created_ms: u64) -> String {
    let created = UNIX_EPOCH + Duration::from_millis(created_ms);
    let seconds = SystemTime::now().duration_since(created).unwrap_or_default().as_secs();
    let (number, unit) = match seconds {
        0..60 => (seconds, "s"),
        60..3600 => (seconds / 60, "m"),
        3600..86_400 => (seconds / 3600, "h"),
        _ => (seconds / 86_400, "d"),
    };
    format!("{number}{unit} ago")
}

fn source(info: &ArtifactInfo) -> String {
    match info.source.arguments.as_str() {
        "" => info.source.tool.clone(),
        arguments => format!("{} {arguments}", info.source.tool),
    }
}

/// Shows an artifact's metadata.
pub(crate) fn info(args: &InfoArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    let recall = setup.offcut.recall();
    let artifact = recall.open(&args.id)?;
    let info = artifact.info();
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        serde_json::to_writer_pretty(&mut out, info)?;
        writeln!(out)?;
    } else {
        let bytes = info.extent.bytes;
        writeln!(out, "Artifact: {}", info.id)?;
        writeln!(out, "Session: {}", info.session)?;
        writeln!(out, "Summary: {}", info.summary)?;
        writeln!(out, "Type: {} ({})", info.media_type, info.kind)?;
        writeln!(out, "Size: {} bytes ({})", thousands(bytes), human_size(bytes))?;
        if info.compressed {
            writeln!(out, "Stored: {} bytes, compressed", thousands(info.stored_bytes))?;
        }
        if !info.binary {
            writeln!(out, "Lines: {}", thousands(info.extent.lines))?;
            writeln!(out, "Characters: {}", thousands(info.extent.chars))?;
            writeln!(out, "Estimated tokens: ~{}", thousands(info.tokens))?;
        }
        writeln!(out, "Created: {}", offcut::clock::utc(info.created_ms))?;
        writeln!(out, "Source: {}", notice::one_line(&source(info), 400))?;
        writeln!(out, "BLAKE3: {}", info.blake3)?;
        if let Some(path) = &info.path {
            writeln!(out, "Path: {}", path.display())?;
        }
    }
    out.flush()?;
    Ok(())
}
