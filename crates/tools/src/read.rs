//! `read`: a file, whole or a range of its lines; images as images, other binary files by name.
//!
//! A line ends with LF here (CRLF is one end), as editors and `sed` count. Where the profile is `paged`, or the caller
//! names a range, a page of whole lines is shown and the notice names the offset that goes on; otherwise the whole file
//! leaves through the library.

mod image;
mod lines;

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use encoding_rs_io::DecodeReaderBytesBuilder;
use offcut::{Call, Cancel, Intake};
use offcut_core::binary;
use offcut_core::notice::{self, Next, Paged as PagedNotice};
use serde_json::{Map, json};

use crate::Toolbox;
use crate::arguments::Arguments;
use crate::error::{ToolError, while_doing};
use crate::page::{EndedBy, PageLimits, Paged, truncation};
use crate::place::{printable, quoted};
use crate::reply::{Content, ToolReply};
use crate::text::Wash;
use crate::tool::Tool;
use crate::toolbox::{arguments_json, with_notices};
use lines::{Gathered, LineRange};

/// How much is read at a time.
const CHUNK: usize = 128 * 1024;

/// A file of unknown size (`/proc` has such) is read up to here.
const UNSIZED: u64 = 64 << 20;

/// Shows a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Read {
    /// The file.
    pub path: String,
    /// The first line, from 1.
    pub offset: Option<u64>,
    /// How many lines.
    pub limit: Option<u64>,
}

impl Read {
    pub(crate) fn from_arguments(arguments: &Arguments<'_>) -> Read {
        Read { path: arguments.text("path"), offset: arguments.number("offset"), limit: arguments.number("limit") }
    }

    fn call(&self) -> Call {
        let arguments = [("path", json!(self.path)), ("offset", json!(self.offset)), ("limit", json!(self.limit))];
        Call::new(Tool::Read.name()).arguments(arguments_json(arguments))
    }
}

impl Toolbox {
    /// Shows a file. Costs one pass over it, and memory for what is shown.
    pub fn read(&self, read: &Read, cancel: &Cancel) -> Result<ToolReply, ToolError> {
        let path = self.resolve(&read.path);
        let source = self.source(read, path)?;
        match source.binary {
            Some(kind) => self.read_binary(read, &source, kind),
            None if source.is_empty => Ok(self.empty_file()),
            None if self.pages() || read.offset.is_some() || read.limit.is_some() => {
                self.read_range(read, &source, cancel)
            }
            None => self.read_whole(read, &source, cancel),
        }
    }

    /// Opens the file and looks at its first bytes.
    fn source(&self, read: &Read, path: PathBuf) -> Result<Source, ToolError> {
        let refused = |error: io::Error| self.refused(&read.path, &path, &error);
        let metadata = fs::metadata(&path).map_err(refused)?;
        let unfit = |problem: &str| {
            let path = printable(read.path.as_bytes()).into_owned();
            Err(ToolError::Path { path, problem: problem.to_owned() })
        };
        if metadata.is_dir() {
            return unfit("is a directory; use ls to list it, or find to search it");
        }
        if !metadata.is_file() {
            return unfit("is not a regular file; use bash to read from it");
        }
        let refused = |error: io::Error| self.refused(&read.path, &path, &error);
        let mut head = Vec::new();
        File::open(&path).map_err(refused)?.take(binary::HEAD as u64).read_to_end(&mut head).map_err(refused)?;
        let bytes = match metadata.len() {
            0 if !head.is_empty() => UNSIZED,
            bytes => bytes,
        };
        let binary = binary::sniff(&head);
        Ok(Source { binary, is_empty: head.is_empty(), path, bytes })
    }

    fn empty_file(&self) -> ToolReply {
        let content = vec![Content::Text("(empty file)".to_owned())];
        ToolReply { content, details: json!({}), is_error: false, report: None }
    }

    // ── The whole ────────────────────────────────────────────────────────────────────────────────────────────────

    fn read_whole(&self, read: &Read, source: &Source, cancel: &Cancel) -> Result<ToolReply, ToolError> {
        let mut intake = self.offcut().intake(read.call())?;
        let mut file = source.open().map_err(while_doing(format!("read {}", read.path)))?;
        let mut chunk = vec![0; CHUNK];
        while !intake.is_full() {
            if cancel.is_cancelled() {
                return Err(ToolError::Cancelled { tool: Tool::Read.name() });
            }
            let taken = lines::read_some(&mut file, &mut chunk).map_err(while_doing(format!("read {}", read.path)))?;
            match chunk.get(..taken) {
                Some(bytes) if taken > 0 => take(&mut intake, bytes),
                _ => break,
            }
        }
        Ok(with_notices(intake.finish(), &[], Map::new()))
    }

    // ── A range ──────────────────────────────────────────────────────────────────────────────────────────────────

    fn read_range(&self, read: &Read, source: &Source, cancel: &Cancel) -> Result<ToolReply, ToolError> {
        let started = Instant::now();
        let limits = match self.pages() {
            true => PageLimits::of(&self.plan(Tool::Read)?),
            // A range that was asked for is shown as it is, in pages like anything that is read back.
            false => PageLimits { lines: u64::MAX, bytes: self.offcut().policy().retrieval_chars() },
        };
        let first = read.offset.unwrap_or(1);
        let limits = PageLimits { lines: limits.lines.min(read.limit.unwrap_or(u64::MAX)), ..limits };
        let wanted = LineRange { first, lines: limits.lines, bytes: limits.bytes.saturating_add(limits.bytes / 4) };
        let failed = || while_doing(format!("read {}", read.path));
        let file = source.open().map_err(failed())?;
        let gathered = lines::gather(file, &wanted, cancel).map_err(failed())?;
        let Some(Gathered { before, lines, total }) = gathered else {
            return Err(ToolError::Cancelled { tool: Tool::Read.name() });
        };
        if first > total {
            return Err(ToolError::BadArgument {
                tool: Tool::Read.name(),
                argument: "offset",
                found: first.to_string(),
                expected: format!("at most {total}, the lines of {}", printable(read.path.as_bytes())),
            });
        }
        // What stands before the page tells a secret of many lines from ordinary text.
        let mut wash = Wash::new(self.offcut(), Tool::Read);
        let before: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
        for line in &before {
            wash.line(line.strip_suffix(b"\n").unwrap_or(line), "\n");
        }
        for line in &lines {
            wash.line(&line.bytes, line.end());
        }
        let (text, redactions) = wash.finish();
        let washed = || text.split_inclusive('\n').skip(before.len());
        let whole = lines.iter().take_while(|line| line.is_whole()).count();
        let shown = limits.fit(washed().take(whole));
        let left = total - (first - 1) - shown;
        if shown == 0 && !self.pages() {
            return self.read_long_line(read, source, &wanted, cancel);
        }
        let by_bytes = left > 0 && shown < limits.lines;
        let long_line = (shown == 0).then(|| lines.first().map_or(0, |line| line.length));
        let (mut notices, mut details) = (Vec::new(), Map::new());
        if left > 0 {
            notices.push(notice::paged(&PagedNotice {
                first,
                last: first - 1 + shown,
                total,
                byte_limit: by_bytes.then_some(limits.bytes),
                long_line,
                next: Next::Offset { path: &quoted(&printable(read.path.as_bytes())), given: read.offset.is_some() },
            }));
            let ended_by = if by_bytes { EndedBy::Bytes } else { EndedBy::Lines };
            details.insert("truncation".to_owned(), truncation(ended_by, shown, total, false));
        }
        let shown_lines = usize::try_from(shown).unwrap_or(usize::MAX);
        Ok(self.paged(Paged {
            tool: Tool::Read,
            text: washed().take(shown_lines).collect(),
            notices,
            details,
            first,
            lines: shown,
            total,
            bytes: source.bytes,
            redactions,
            started,
        }))
    }

    /// A range whose first line alone is over the page's limit is cut like any output: bytes of it can be asked for.
    fn read_long_line(
        &self,
        read: &Read,
        source: &Source,
        wanted: &LineRange,
        cancel: &Cancel,
    ) -> Result<ToolReply, ToolError> {
        let mut intake = self.offcut().intake(read.call())?;
        let failed = || while_doing(format!("read {}", read.path));
        let file = source.open().map_err(failed())?;
        let done = lines::pass(file, wanted, cancel, &mut |bytes| {
            take(&mut intake, bytes);
            !intake.is_full()
        });
        match done.map_err(failed())? {
            true => Ok(with_notices(intake.finish(), &[], Map::new())),
            false => Err(ToolError::Cancelled { tool: Tool::Read.name() }),
        }
    }
}

/// A file that was looked at.
struct Source {
    path: PathBuf,
    is_empty: bool,
    bytes: u64,
    /// What it is, where it is not text.
    binary: Option<binary::BinaryType>,
}

impl Source {
    /// The file, as long as it was when it was looked at: one that grows does not keep us. Where a byte order mark says
    /// UTF-16 it comes as UTF-8, without the mark, and what is broken in it as U+FFFD.
    fn open(&self) -> io::Result<impl io::Read + use<>> {
        let file = File::open(&self.path)?.take(self.bytes);
        Ok(DecodeReaderBytesBuilder::new().utf8_passthru(true).build(file))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// Hands bytes to the intake; what is over its maximum size is left, and its reply says so.
fn take(intake: &mut Intake<'_>, bytes: &[u8]) {
    let _ = intake.write_all(bytes);
}
