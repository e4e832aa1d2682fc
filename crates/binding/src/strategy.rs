//! Strategies that are callbacks.
//!
//! A callback gets a reader for the document and the room in characters, and returns ranges of lines, the most
//! important first; as many as fit are shown. It runs on a thread of its own, and what it reads is read by the thread
//! that cuts: so a document of any size is read in parts, and none outlives its cut.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use offcut_core::budget::Budget;
use offcut_core::cut::Cut;
use offcut_core::document::Document;
use offcut_core::extent::Position;
use offcut_core::strategy::{CutContext, CutError, Cutter, Strategy};
use parking_lot::Mutex;

use crate::failure::Failure;

/// Lines that a callback wants shown, 1-based and inclusive, and why.
pub type WantedLines = (u64, u64, String);

/// Chooses the lines to show.
pub trait ChooseLines: Send + Sync {
    /// Whether it can be asked now, or why not. Called by the thread that cuts.
    fn ready(&self) -> Result<(), String> {
        Ok(())
    }

    /// The lines, the most important first; none where the strategy does not apply to this output. An error gives way
    /// to the usual strategies, and the report says why.
    fn choose(&self, document: DocumentReader, room: u64) -> Result<Option<Vec<WantedLines>>, String>;
}

/// A strategy whose lines a callback chooses.
pub struct CallbackStrategy<C> {
    /// The name that options and calls use.
    pub name: String,
    /// The callback.
    pub callback: C,
}

/// A request for lines, and where the answer goes.
type Request = (u64, u64, SyncSender<Result<String, String>>);

/// Reads a document for a strategy, while it is being cut.
#[derive(Clone)]
pub struct DocumentReader {
    requests: Arc<Mutex<Option<SyncSender<Request>>>>,
    /// How many lines it has.
    pub lines: u64,
    /// How many characters it has.
    pub chars: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// What it looks like.
    pub kind: String,
}

impl DocumentReader {
    /// The text of lines `first` to `last`, 1-based and inclusive.
    pub fn read(&self, first: u64, last: u64) -> Result<String, Failure> {
        let gone = || Failure::new("closed", "the document can be read only while it is being cut");
        let requests = self.requests.lock().clone().ok_or_else(gone)?;
        let (sender, answer) = sync_channel(1);
        requests.send((first, last, sender)).map_err(|_| gone())?;
        drop(requests);
        answer.recv().map_err(|_| gone())?.map_err(|why| Failure::new("unreadable", why))
    }

    /// Whoever keeps the reader cannot keep the cut waiting.
    fn close(&self) {
        self.requests.lock().take();
    }
}

impl<C: ChooseLines> Strategy for CallbackStrategy<C> {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare<'a>(
        &'a self,
        document: &'a dyn Document,
        context: &CutContext<'a>,
    ) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let wanted = self.wanted(document, context)?;
        let ranges = placed(document, &wanted, context.budget.chars)?;
        Ok(Box::new(move |budget: &Budget| cut(&self.name, document, &ranges, budget)))
    }
}

impl<C: ChooseLines> CallbackStrategy<C> {
    /// The lines that the callback wants shown.
    fn wanted(&self, document: &dyn Document, context: &CutContext<'_>) -> Result<Vec<WantedLines>, CutError> {
        self.callback.ready().map_err(CutError::Shape)?;
        let (requests, received) = sync_channel::<Request>(0);
        let extent = document.extent();
        let reader = DocumentReader {
            requests: Arc::new(Mutex::new(Some(requests))),
            lines: extent.lines,
            chars: extent.chars,
            bytes: extent.bytes,
            kind: context.classification.kind.to_string(),
        };
        let room = context.budget.chars;
        thread::scope(|scope| {
            let asked = scope.spawn(move || {
                let chosen = self.callback.choose(reader.clone(), room);
                reader.close();
                chosen
            });
            serve(document, &received);
            asked.join().unwrap_or_else(|_| Err("the strategy's thread ended".to_owned()))
        })
        .and_then(|chosen| chosen.ok_or_else(|| "it does not apply to this output".to_owned()))
        .map_err(CutError::Shape)
    }
}

/// As many of the ranges as fit, in the document's order.
fn cut(name: &str, document: &dyn Document, ranges: &[Placed], budget: &Budget) -> Result<Cut, CutError> {
    let extent = document.extent();
    let mark = budget.marks.most(extent);
    // A gap can stand before each range and behind the last.
    let mut chars = budget.chars.saturating_sub(mark);
    let mut bytes = budget.bytes.unwrap_or(u64::MAX).saturating_sub(mark);
    let mut lines = budget.lines.unwrap_or(u64::MAX).saturating_sub(1);
    let mut chosen: Vec<Cow<'_, Placed>> = Vec::new();
    for range in ranges {
        let room = (chars.saturating_sub(mark), lines.saturating_sub(1));
        let range = match range.chars <= room.0 && range.lines <= room.1 {
            true => Cow::Borrowed(range),
            false => Cow::Owned(range.shortened(document, room)?),
        };
        let size = range.bytes.end - range.bytes.start;
        if range.lines == 0 || size.saturating_add(mark) > bytes {
            continue;
        }
        (chars, bytes, lines) = (chars - range.chars - mark, bytes - size - mark, lines - range.lines - 1);
        chosen.push(range);
    }
    if chosen.is_empty() {
        return Err(CutError::Shape("none of the lines that it wants shown fits".to_owned()));
    }
    chosen.sort_by_key(|range| range.bytes.start);
    let kept = chosen.into_iter().map(|range| (range.bytes.clone(), Cow::Owned(range.why.clone())));
    Ok(Cut::keeping(name.to_owned(), kept, extent)?)
}

/// A wanted range in the document.
#[derive(Clone)]
struct Placed {
    start: Position,
    bytes: Range<u64>,
    chars: u64,
    lines: u64,
    why: String,
}

impl Placed {
    /// Its first lines, as many as have room in so many characters and lines.
    fn shortened(&self, document: &dyn Document, (chars, lines): (u64, u64)) -> Result<Placed, CutError> {
        let within = document.char_start(self.start.char + chars.min(self.chars))?.line;
        let last = within.min(self.start.line.saturating_add(lines)).min(self.start.line + self.lines);
        let end = document.line_start(last)?;
        Ok(Placed {
            bytes: self.start.byte..end.byte,
            chars: end.char - self.start.char,
            lines: last - self.start.line,
            ..self.clone()
        })
    }
}

/// How often the room is filled before nothing more is looked at: some of what fills it may not fit.
const FILLINGS: u64 = 4;

/// Where the wanted lines are, as far as there can be `room` characters for them. Lines that an earlier range has
/// already are left out of a later one.
fn placed(document: &dyn Document, wanted: &[WantedLines], room: u64) -> Result<Vec<Placed>, CutError> {
    let total = document.extent().lines;
    let mut left = room.saturating_mul(FILLINGS);
    let mut taken: Vec<Range<u64>> = Vec::new();
    let mut placed = Vec::new();
    for (first, last, why) in wanted {
        if *first == 0 || last < first {
            return Err(CutError::Shape(format!(
                "{first}-{last} is not a range of lines: lines count from 1, and the last one is included"
            )));
        }
        if left == 0 {
            break;
        }
        for range in without(first - 1..(*last).min(total).max(first - 1), &taken) {
            let (start, end) = (document.line_start(range.start)?, document.line_start(range.end)?);
            let lines = range.end - range.start;
            let (bytes, chars) = (start.byte..end.byte, end.char - start.char);
            left = left.saturating_sub(chars.clamp(1, room.max(1)));
            placed.push(Placed { start, bytes, chars, lines, why: why.clone() });
            taken.push(range);
        }
    }
    Ok(placed)
}

/// The parts of `range` that none of `taken` has.
fn without(range: Range<u64>, taken: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut parts = vec![range];
    for hole in taken {
        parts = parts
            .into_iter()
            .flat_map(|part| [part.start..part.end.min(hole.start), part.start.max(hole.end)..part.end])
            .filter(|part| part.start < part.end)
            .collect();
    }
    parts.retain(|part| part.start < part.end);
    parts
}

/// Answers a callback's requests until it asks no more.
fn serve(document: &dyn Document, received: &Receiver<Request>) {
    while let Ok((first, last, answer)) = received.recv() {
        let read = || {
            let start = document.line_start(first.max(1) - 1)?.byte;
            let end = document.line_start(last.max(first.max(1) - 1))?.byte;
            document.read(start..end.max(start)).map(Cow::into_owned)
        };
        // Nobody waits for an answer that cannot be sent.
        let _ = answer.send(read().map_err(|error: std::io::Error| error.to_string()));
    }
}
