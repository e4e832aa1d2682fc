//! The audit log: who created and fetched what, how many secrets were taken out, what was refused.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::event::{Event, Observer, Record, Requester};
use crate::json_lines::JsonLines;

/// When the log has so many bytes, it is put aside and a new one begins.
const LONGEST: u64 = 10 * 1024 * 1024;

/// How many logs that were put aside are kept.
const KEPT: usize = 3;

/// Something that an auditor may ask about. As in an [`Event`], there is no field that could hold content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AuditEntry {
    /// An artifact was created.
    Creation {
        /// Its id.
        id: String,
        /// The session it belongs to.
        session: String,
        /// The tool whose output it holds.
        tool: String,
        /// Its bytes.
        bytes: u64,
    },
    /// An artifact, or a part of one, was asked for.
    Retrieval {
        /// Its id.
        id: String,
        /// The session that asked.
        session: String,
        /// What was asked for: `whole`, `lines 1-100`, `bytes 0-500`, `pattern`, `query`.
        range: String,
        /// Who asked.
        by: Requester,
        /// `ok`, or the code of the error.
        outcome: String,
    },
    /// Secrets were found in an output.
    Redaction {
        /// Whose output it was.
        tool: String,
        /// The session it belongs to.
        session: String,
        /// How many, by kind: never their values, lengths or hashes.
        counts: BTreeMap<String, u64>,
    },
    /// An id was refused before anything was looked up.
    Refusal {
        /// What was given for an id: without secrets and control characters, at most 80 characters.
        id: String,
        /// The session that asked.
        session: String,
        /// Who asked.
        by: Requester,
        /// `invalid_id`, or `other_session`.
        reason: String,
    },
    /// An output was larger than anything that may be kept.
    Oversize {
        /// Whose output it was.
        tool: String,
        /// The session it belongs to.
        session: String,
        /// Bytes that came before it was stopped.
        bytes: u64,
        /// Bytes that are allowed.
        max: u64,
    },
}

impl AuditEntry {
    /// What an auditor wants to know of an event; of most replies, nothing.
    fn of(event: &Event) -> Option<AuditEntry> {
        match event.clone() {
            Event::Artifact { id, session, tool, bytes } => Some(AuditEntry::Creation { id, session, tool, bytes }),
            // The refusal itself is an entry of its own.
            Event::Retrieval { outcome, .. } if outcome == "invalid_id" => None,
            Event::Retrieval { id, session, range, by, outcome, .. } => {
                Some(AuditEntry::Retrieval { id, session, range, by, outcome })
            }
            Event::Extraction { outcome, .. } if outcome == "invalid_id" => None,
            Event::Extraction { id, session, by, mode, outcome, .. } => {
                Some(AuditEntry::Retrieval { id, session, range: format!("extract {mode}"), by, outcome })
            }
            Event::Request { .. } => None,
            Event::Reply { redactions, .. } if redactions.is_empty() => None,
            Event::Reply { tool, session, redactions, .. } => {
                Some(AuditEntry::Redaction { tool, session, counts: redactions })
            }
            Event::Refusal { id, session, by, reason } => Some(AuditEntry::Refusal { id, session, by, reason }),
            Event::Oversize { tool, session, bytes, max } => Some(AuditEntry::Oversize { tool, session, bytes, max }),
        }
    }
}

/// An entry with its moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub entry: AuditEntry,
}

/// Writes `audit.jsonl` in a store's directory; where the directory is missing it writes nothing.
///
/// Any number of processes write to it at once. Of 10 MiB a log is put aside, and the last three of those are kept.
#[derive(Debug)]
pub struct AuditLog {
    lines: JsonLines,
}

impl AuditLog {
    /// The log of the store in `directory`.
    pub fn in_store(directory: impl AsRef<Path>) -> AuditLog {
        AuditLog { lines: JsonLines::new(directory.as_ref(), "audit", LONGEST, KEPT) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.lines.path()
    }

    /// Every record in the log, oldest first; lines that cannot be read are passed over. No log is no record.
    pub fn records(&self) -> io::Result<impl Iterator<Item = AuditRecord> + use<>> {
        self.lines.records()
    }
}

impl Observer for AuditLog {
    fn observe(&self, record: &Record) {
        if let Some(entry) = AuditEntry::of(&record.event) {
            self.lines.append(&AuditRecord { at_ms: record.at_ms, entry });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recall::{Request, Selector};
    use crate::{Call, Offcut};
    use std::sync::Arc;

    /// Every entry of what `acts` does to a store, the ids of artifacts replaced.
    fn audited(acts: impl FnOnce(&Offcut)) -> Vec<AuditEntry> {
        let directory = tempfile::tempdir().unwrap();
        let store = directory.path().join("store");
        let log = Arc::new(AuditLog::in_store(&store));
        let mut options = crate::options::Options::default();
        options.max_artifact_size = Some(crate::options::LimitOption::Text("200KB".to_owned()));
        let builder = Offcut::builder().options(options).store(&store).session("s").observer(log.clone());
        acts(&builder.build().unwrap());
        log.records().unwrap().map(|record| record.entry).collect()
    }

    fn long(line: &str) -> String {
        line.repeat(100_000 / line.len())
    }

    #[test]
    fn creations_and_retrievals_say_who_and_what() {
        let mut id = String::new();
        let entries = audited(|offcut| {
            let reply = offcut.process(Call::new("bash"), long("all is well\n")).unwrap();
            id = reply.report.artifact_id.unwrap();
            offcut.recall().page(&Request { start_line: Some(1), end_line: Some(2), ..Request::whole(&id) }).unwrap();
            offcut.recall().read(&id, &Selector::Bytes { start: Some(0), end: Some(5) }).unwrap();
            assert!(offcut.recall().whole("art_1_none").is_err());
        });
        let retrieval = |id: &str, range: &str, by, outcome: &str| AuditEntry::Retrieval {
            id: id.to_owned(),
            session: "s".to_owned(),
            range: range.to_owned(),
            by,
            outcome: outcome.to_owned(),
        };
        let creation =
            AuditEntry::Creation { id: id.clone(), session: "s".to_owned(), tool: "bash".to_owned(), bytes: 99_996 };
        let expected = [
            creation,
            retrieval(&id, "lines 1-2", Requester::Model, "ok"),
            retrieval(&id, "bytes 0-5", Requester::User, "ok"),
            retrieval("art_1_none", "whole", Requester::User, "not_found"),
        ];
        assert_eq!(entries, expected);
    }

    #[test]
    fn redactions_are_counted_by_kind() {
        let entries = audited(|offcut| {
            let secret = format!("postgres://app:{}@db.local/main\n", "hunter22");
            offcut.process(Call::new("bash"), long("all is well\n") + &secret + &secret).unwrap();
        });
        let counts = BTreeMap::from([("PASSWORD".to_owned(), 2)]);
        let redaction = AuditEntry::Redaction { tool: "bash".to_owned(), session: "s".to_owned(), counts };
        assert_eq!(entries.get(1), Some(&redaction));
    }

    #[test]
    fn refused_ids_are_told_without_what_could_harm_a_reader() {
        let token = format!("ghp_{}", "k3Jx9QmZ2vTr7LwNb5Yc8HsPd4FgAe6RuB1W");
        let entries = audited(|offcut| {
            offcut.process(Call::new("bash"), long("all is well\n")).unwrap();
            let recall = offcut.recall();
            assert!(recall.page(&Request::whole("../../etc/passwd\u{1b}[2J\n\u{202e}x")).is_err());
            assert!(recall.open(&"a".repeat(500)).is_err());
            assert!(recall.whole(&token).is_err());
            assert!(recall.whole("session-other/art_1_a").is_err());
        });
        let refusal = |id: &str, by, reason: &str| AuditEntry::Refusal {
            id: id.to_owned(),
            session: "s".to_owned(),
            by,
            reason: reason.to_owned(),
        };
        let refusals: Vec<AuditEntry> =
            entries.into_iter().filter(|entry| matches!(entry, AuditEntry::Refusal { .. })).collect();
        let expected = [
            refusal("../../etc/passwd[2Jx", Requester::Model, "invalid_id"),
            refusal(&"a".repeat(80), Requester::User, "invalid_id"),
            refusal("[REDACTED: GITHUB_TOKEN]", Requester::User, "invalid_id"),
            refusal("session-other/art_1_a", Requester::User, "other_session"),
        ];
        assert_eq!(refusals, expected);
    }

    #[test]
    fn outputs_over_the_maximum_size_are_told_text_or_not() {
        let entries = audited(|offcut| {
            offcut.process(Call::new("bash"), long("all is well\n")).unwrap();
            offcut.process(Call::new("bash"), long("all is well\n").repeat(3)).unwrap();
            let reply = offcut.process(Call::new("cat"), [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 300_000]].concat());
            assert_eq!(reply.unwrap().report.artifact_id, None);
        });
        let max = 200 * 1024;
        let oversize =
            |tool: &str| AuditEntry::Oversize { tool: tool.to_owned(), session: "s".to_owned(), bytes: max, max };
        assert_eq!(entries.get(1..), Some(&[oversize("bash"), oversize("cat")][..]));
    }
}
