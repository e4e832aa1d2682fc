//! `offcut audit`: the log of artifacts created and read, secrets redacted and ids refused.

use std::io::{self, BufWriter, Write};

use clap::{Args, ValueEnum};
use offcut::audit_log::{AuditEntry, AuditLog, AuditRecord};
use offcut_core::limit::human_size;

use crate::duration;
use crate::failure::{Failure, while_doing};
use crate::flags::PlaceFlags;
use crate::setup;
use crate::table::{Table, thousands};

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Print only the last `24h` or `7d`, or since a date (`2026-11-01`)
    #[arg(long, value_name = "TIME", value_parser = duration::since)]
    pub(crate) since: Option<u64>,
    /// Print only entries of this kind
    #[arg(long, value_enum)]
    pub(crate) kind: Option<AuditKind>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

/// What an entry of the audit log is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuditKind {
    /// An artifact was created.
    Creation,
    /// An artifact was asked for.
    Retrieval,
    /// Secrets were found in an output.
    Redaction,
    /// An id was refused.
    Refusal,
    /// An output was larger than anything that may be kept.
    Oversize,
}

/// Prints the audit log of the project's store.
pub(crate) fn audit(args: &AuditArgs) -> Result<(), Failure> {
    let (_, place) = setup::load(&args.place, None)?;
    let Some(directory) = place.log_directory() else {
        return Err(Failure::usage("no log is kept here: the store is `none`").hint("name one with `--store DIR`"));
    };
    let log = AuditLog::in_store(directory);
    let records = log.records().map_err(while_doing(format!("read `{}`", log.path().display())))?;
    let since = args.since.unwrap_or(0);
    let wanted =
        |record: &AuditRecord| record.at_ms >= since && args.kind.is_none_or(|kind| kind == kind_of(&record.entry));
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        for record in records.filter(wanted) {
            serde_json::to_writer(&mut out, &record)?;
            out.write_all(b"\n")?;
        }
    } else {
        write(records.filter(wanted), &mut out)?;
    }
    out.flush()?;
    Ok(())
}

fn kind_of(entry: &AuditEntry) -> AuditKind {
    match entry {
        AuditEntry::Creation { .. } => AuditKind::Creation,
        AuditEntry::Retrieval { .. } => AuditKind::Retrieval,
        AuditEntry::Redaction { .. } => AuditKind::Redaction,
        AuditEntry::Refusal { .. } => AuditKind::Refusal,
        AuditEntry::Oversize { .. } => AuditKind::Oversize,
    }
}

fn write(records: impl Iterator<Item = AuditRecord>, out: &mut dyn Write) -> io::Result<()> {
    let mut table = Table::new(&["Time", "Kind", "~Artifact or tool", "~Session", "By", "~What"]);
    let mut any = false;
    for AuditRecord { at_ms, entry } in records {
        any = true;
        let (kind, subject, session, by, what) = cells(entry);
        table.row([offcut::clock::utc(at_ms), kind.to_owned(), subject, session, by, what]);
    }
    if any { table.write(out) } else { writeln!(out, "No entries: the log starts with the first output that is kept.") }
}

/// Kind, subject, session, requester and the rest of an entry, for people.
fn cells(entry: AuditEntry) -> (&'static str, String, String, String, String) {
    let nobody = || "-".to_owned();
    match entry {
        AuditEntry::Creation { id, session, tool, bytes } => {
            ("creation", id, session, nobody(), format!("{} of {tool}", human_size(bytes)))
        }
        AuditEntry::Retrieval { id, session, range, by, outcome } => {
            ("retrieval", id, session, by.to_string(), format!("{range}: {outcome}"))
        }
        AuditEntry::Redaction { tool, session, counts } => {
            let counts: Vec<String> =
                counts.iter().map(|(kind, count)| format!("{} {kind}", thousands(*count))).collect();
            ("redaction", tool, session, nobody(), counts.join(", "))
        }
        AuditEntry::Refusal { id, session, by, reason } => ("refusal", id, session, by.to_string(), reason),
        AuditEntry::Oversize { tool, session, max, .. } => {
            ("oversize", tool, session, nobody(), format!("more than {}", human_size(max)))
        }
    }
}
