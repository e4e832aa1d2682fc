//! `offcut artifacts`: the way back to what was cut off.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use offcut::core::limit::human_size;
use offcut::recall::{Recall, Selector};
use offcut::store::{ArtifactInfo, Cleared, Sweep};

use crate::args::{ArtifactsCommand, CleanArgs, GrepArgs, PlaceFlags, QueryArgs, ShowArgs};
use crate::failure::{Failure, OTHER, while_doing};
use crate::place::Storage;
use crate::setup::Setup;
use crate::table::{Table, counted, thousands};

/// Does what the command says.
pub(crate) fn artifacts(command: &ArtifactsCommand) -> Result<ExitCode, Failure> {
    match command {
        ArtifactsCommand::List { json, place } => list(&stored(place)?, *json),
        ArtifactsCommand::Info { id, json, place } => info(&stored(place)?, id, *json),
        ArtifactsCommand::Show(args) => show(args),
        ArtifactsCommand::Grep(args) => return grep(args),
        ArtifactsCommand::Search(args) => return crate::extract::search(args),
        ArtifactsCommand::Query(args) => query(args),
        ArtifactsCommand::Export { id, file, force, place } => export(&stored(place)?, id, file, *force),
        ArtifactsCommand::Clean(args) => clean(args),
    }
    .map(|()| ExitCode::SUCCESS)
}

pub(crate) fn stored(place: &PlaceFlags) -> Result<Setup, Failure> {
    let setup = Setup::new(place, None)?;
    if setup.place.store == Storage::Nothing {
        return Err(Failure::usage("nothing is kept here: the store is `none`").hint("name one with `--store DIR`"));
    }
    Ok(setup)
}

/// The id that is meant: `last` is the newest artifact of the session.
pub(crate) fn id_of(recall: &Recall<'_>, id: &str) -> Result<String, Failure> {
    if id != "last" {
        return Ok(id.to_owned());
    }
    let newest = recall.list()?.pop();
    newest.map(|info| info.id.to_string()).ok_or_else(|| Failure::other("this session has no artifacts"))
}

fn list(setup: &Setup, json: bool) -> Result<(), Failure> {
    let infos = setup.offcut.recall().list()?;
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
        serde_json::to_writer_pretty(&mut out, &infos)?;
        writeln!(out)?;
    } else if infos.is_empty() {
        writeln!(out, "No artifacts in session `{}`.", setup.place.session)?;
    } else {
        let mut table = Table::new(&["ID", ">Size", ">Lines", "Kind", "Source", "Created"]);
        for info in &infos {
            let lines = if info.binary { "-".to_owned() } else { thousands(info.extent.lines) };
            table.row([
                info.id.to_string(),
                human_size(info.extent.bytes),
                lines,
                info.kind.clone(),
                offcut::core::notice::one_line(&source(info), 40),
                offcut::clock::utc(info.created_ms),
            ]);
        }
        table.write(&mut out)?;
        let bytes: u64 = infos.iter().map(|info| info.extent.bytes).sum();
        writeln!(out, "Total: {}, {}", counted(infos.len() as u64, "artifact"), human_size(bytes))?;
    }
    out.flush()?;
    Ok(())
}

fn source(info: &ArtifactInfo) -> String {
    match info.source.arguments.as_str() {
        "" => info.source.tool.clone(),
        arguments => format!("{} {arguments}", info.source.tool),
    }
}

fn info(setup: &Setup, id: &str, json: bool) -> Result<(), Failure> {
    let recall = setup.offcut.recall();
    let artifact = recall.open(&id_of(&recall, id)?)?;
    let info = artifact.info();
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
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
        writeln!(out, "Source: {}", offcut::core::notice::one_line(&source(info), 400))?;
        writeln!(out, "BLAKE3: {}", info.blake3)?;
        if let Some(path) = &info.path {
            writeln!(out, "Path: {}", path.display())?;
        }
    }
    out.flush()?;
    Ok(())
}

fn show(args: &ShowArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    let selector = match (args.lines, args.bytes, args.tail) {
        (Some(span), _, _) => Selector::Lines { start: Some(span.first), end: span.last },
        (_, Some(span), _) => Selector::Bytes { start: Some(span.first), end: span.last },
        (_, _, Some(lines)) => Selector::Tail(lines),
        (None, None, None) => Selector::Whole,
    };
    if io::stdout().is_terminal() {
        let recall = setup.offcut.recall();
        let artifact = recall.open(&id_of(&recall, &args.id)?)?;
        if artifact.info().binary {
            let failure = Failure::other(format!("`{}` is {}, not text", args.id, artifact.info().media_type));
            return Err(failure.hint(format!("offcut artifacts export {} FILE{}", args.id, setup.place.suffix)));
        }
    }
    print(&setup, &args.id, &selector).map(|_| ())
}

fn grep(args: &GrepArgs) -> Result<ExitCode, Failure> {
    let setup = stored(&args.place)?;
    let pattern = if args.ignore_case { format!("(?i){}", args.pattern) } else { args.pattern.clone() };
    let selector = Selector::Pattern {
        pattern,
        context: args.context,
        max_matches: args.max,
        start: args.lines.map(|span| span.first),
        end: args.lines.and_then(|span| span.last),
    };
    let tally = print(&setup, &args.id, &selector)?;
    if tally.shown < tally.total {
        let message = format!("offcut: {} of {} matches shown; `--max` shows more\n", tally.shown, tally.total);
        // The matches themselves are printed; that this was not is no reason to fail.
        let _ = io::stderr().write_all(message.as_bytes());
    }
    // As with any grep: 1 says that nothing was found.
    Ok(if tally.total == 0 { ExitCode::from(OTHER) } else { ExitCode::SUCCESS })
}

fn query(args: &QueryArgs) -> Result<(), Failure> {
    let setup = stored(&args.place)?;
    print(&setup, &args.id, &Selector::Query { path: args.path.clone(), offset: args.offset }).map(|_| ())
}

/// Prints what `selector` selects, as it was stored.
fn print(setup: &Setup, id: &str, selector: &Selector) -> Result<offcut::recall::Tally, Failure> {
    if *selector != Selector::Whole && setup.config.options.artifacts.enable_partial_retrieval == Some(false) {
        let failure =
            Failure::usage("parts of artifacts are not to be read: `artifacts.enable_partial_retrieval` is `false`");
        return Err(failure.hint(format!("the whole is: offcut artifacts show {id}{}", setup.place.suffix)));
    }
    let recall = setup.offcut.recall();
    let mut out = BufWriter::with_capacity(crate::filter::CHUNK, io::stdout().lock());
    let tally = recall.write(&id_of(&recall, id)?, selector, &mut out)?;
    out.flush()?;
    Ok(tally)
}

fn export(setup: &Setup, id: &str, file: &Path, force: bool) -> Result<(), Failure> {
    let recall = setup.offcut.recall();
    let id = id_of(&recall, id)?;
    // An artifact that is not there must not cost the user a file that is.
    recall.open(&id)?;
    let opened = OpenOptions::new().write(true).create(true).create_new(!force).truncate(force).open(file);
    let created = opened.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::other(format!("`{}` is there already", file.display())).hint("`--force` replaces it")
        }
        _ => while_doing(format!("create `{}`", file.display()))(error),
    })?;
    let mut out = BufWriter::with_capacity(crate::filter::CHUNK, created);
    let written = recall.write(&id, &Selector::Whole, &mut out);
    let written = written.map_err(Failure::from).and_then(|tally| {
        out.flush().map_err(while_doing(format!("write `{}`", file.display())))?;
        Ok(tally)
    });
    if written.is_err() {
        // Half a copy is worse than none.
        let _ = std::fs::remove_file(file);
    }
    let tally = written?;
    writeln!(io::stdout().lock(), "Wrote {} to {}", human_size(tally.bytes), file.display())?;
    Ok(())
}

fn clean(args: &CleanArgs) -> Result<(), Failure> {
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
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, &cleared)?;
        writeln!(out)?;
    } else {
        writeln!(out, "Removed {} ({} freed)", counted(cleared.artifacts, "artifact"), human_size(cleared.bytes))?;
    }
    Ok(())
}
