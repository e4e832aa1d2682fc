//! Cuts a file by element and prints what would be shown: `structured KIND LIMIT FILE [--facts]`.
//!
//! With `--facts` a line about the cut (shape, elements left out, sizes, times) goes to the error stream.
#![allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "an example stands outside the core")]

use std::borrow::Cow;
use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::time::Instant;

use offcut_core::budget::Budget;
use offcut_core::cut::{Mark, Piece};
use offcut_core::document::{Document, TextDocument, not_on_a_border};
use offcut_core::extent::{Extent, Index, Meter};
use offcut_core::kind::{Classification, Kind};
use offcut_core::strategy::code::Code;
use offcut_core::strategy::element::Element;
use offcut_core::strategy::{CutContext, Settings, Strategy};

/// A document that stays on disk.
struct FileDocument {
    file: File,
    extent: Extent,
    index: Index,
}

impl FileDocument {
    fn open(path: &str) -> io::Result<FileDocument> {
        let mut file = File::open(path)?;
        let mut meter = Meter::default();
        let mut buffer = vec![0; 1 << 20];
        let mut held = 0;
        loop {
            let read = file.read(buffer.get_mut(held..).unwrap_or_default())?;
            if read == 0 {
                break;
            }
            let filled = buffer.get(..held + read).unwrap_or_default();
            let valid = match std::str::from_utf8(filled) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to(),
            };
            meter.push(std::str::from_utf8(filled.get(..valid).unwrap_or_default()).unwrap_or_default());
            buffer.copy_within(valid..held + read, 0);
            held = held + read - valid;
        }
        let (extent, index) = meter.finish();
        Ok(FileDocument { file, extent, index })
    }
}

impl Document for FileDocument {
    fn extent(&self) -> &Extent {
        &self.extent
    }

    fn index(&self) -> &Index {
        &self.index
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, str>> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
        self.file.read_exact_at(&mut bytes, range.start)?;
        String::from_utf8(bytes).map(Cow::Owned).map_err(|_| not_on_a_border(&range))
    }

    fn text(&self) -> Option<&str> {
        None
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, limit, path, rest @ ..] = arguments.as_slice() else {
        return Err("usage: structured KIND LIMIT FILE [--facts] [--strict]".into());
    };
    let kind: Kind = kind.parse()?;
    let started = Instant::now();
    let large = std::fs::metadata(path)?.len() > 8 << 20;
    let document: Box<dyn Document> = if large {
        Box::new(FileDocument::open(path)?)
    } else {
        Box::new(TextDocument::new(String::from_utf8_lossy(&std::fs::read(path)?).into_owned()))
    };
    let measured = started.elapsed();
    let settings = Settings { adaptive: !rest.iter().any(|flag| flag == "--strict"), ..Settings::default() };
    let classification = Classification::new(kind, 1.0, "said so");
    let context = CutContext::new(Budget::chars(limit.parse()?), &settings, &classification);
    let started = Instant::now();
    let cut = match kind {
        Kind::Code(_) => Code.cut(&*document, &context)?,
        _ => Element.cut(&*document, &context)?,
    };
    let took = started.elapsed();
    let mut out = io::BufWriter::new(io::stdout().lock());
    for piece in cut.pieces() {
        match piece {
            Piece::Keep { range, .. } => out.write_all(document.read(range.clone())?.as_bytes())?,
            Piece::Omit { mark: Mark::Silent, .. } => {}
            Piece::Omit { range, mark } => {
                let text = document.read(range.clone())?;
                let (lines, chars) = (offcut_core::text::lines(&text), offcut_core::text::chars(&text));
                match mark {
                    Mark::Line(Some(detail)) => {
                        writeln!(out, "... [{lines} lines / {chars} chars omitted: {detail}] ...")?;
                    }
                    _ => writeln!(out, "... [{lines} lines / {chars} chars omitted] ...")?,
                }
            }
            Piece::Insert(inserted) => out.write_all(inserted.as_bytes())?,
        }
    }
    out.flush()?;
    if rest.iter().any(|flag| flag == "--facts") {
        let about = cut.about.unwrap_or_default();
        let omitted = cut.omitted_elements.unwrap_or(0);
        writeln!(io::stderr(), "\n{about}\n{omitted} elements omitted; measured in {measured:?}, cut in {took:?}")?;
    }
    Ok(())
}
