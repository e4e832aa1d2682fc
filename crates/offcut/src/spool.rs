//! Where an output waits while it flows: in memory while it is small, in its artifact's draft once it is not.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use offcut_core::classify::{Hints, classify};
use offcut_core::condensed::Condensed;
use offcut_core::document::{BLOCK, Document, TextDocument, not_on_a_border};
use offcut_core::extent::{Extent, Index, Meter, Position, STRIDE};
use offcut_core::line::LineRules;
use offcut_core::prescan::{Candidates, Prescan};
use offcut_core::strategy::element::Structure;
use offcut_core::text;
use offcut_store::{Draft, Progress, SessionId, Store};

use crate::call::Call;
use crate::progress::Journal;
use crate::storage::{SharedDraft, Storage};

mod blocks;
mod highlights;
mod prescan;
mod sparse;
mod structuring;

use blocks::{Block, Blocks};
use highlights::Highlights;
use prescan::Prescanning;
use sparse::SparseDocument;
use structuring::Structuring;

/// So much of a text's beginning says whether the rest is looked through while it comes.
const SAMPLE: usize = 1024 * 1024;

/// Takes cleaned text in, measures it, and keeps it readable.
pub(crate) struct Spool<'s> {
    store: Option<(&'s dyn Store, &'s SessionId)>,
    memory_bound: usize,
    /// How much of each end is kept beside the draft, should it fail.
    window: usize,
    meter: Meter,
    /// The whole text while there is no draft; its beginning afterwards.
    head: String,
    tail: Tail,
    draft: Option<Box<dyn Draft>>,
    /// What is on its way to the draft and to who looks through it.
    blocks: Blocks,
    /// How much of the block that is being filled the draft has already.
    drafted: usize,
    lost: Option<String>,
    /// The lines that tell, where the whole can be kept nowhere.
    highlights: Option<Highlights>,
    line_rules: Arc<LineRules>,
    spilled: bool,
    ahead: Ahead,
    /// Who looks through what comes.
    looking: Option<Looking>,
    /// A copy of what is in memory, of an output that takes its time.
    journal: Option<Journal>,
}

/// What may be looked through while it comes, if it does not stay in memory.
pub(crate) struct Ahead {
    /// Whose output it is.
    pub(crate) call: Arc<Call>,
    /// The rules by which its lines are told, if it may be cut by its lines.
    pub(crate) lines: Option<Arc<LineRules>>,
    /// How many characters a cut has at most, if it may be cut by its elements.
    pub(crate) elements: Option<u64>,
}

/// Who looks through a text while it comes.
enum Looking {
    Lines(Prescanning),
    Elements(Structuring),
}

/// What was found in a text while it came.
#[derive(Default)]
pub(crate) struct Prescanned {
    /// Its promising lines.
    pub(crate) candidates: Option<Candidates>,
    /// Its elements.
    pub(crate) structure: Option<Structure>,
}

impl Looking {
    fn push(&mut self, block: &Block) {
        match self {
            Looking::Lines(prescanning) => prescanning.push(block),
            Looking::Elements(structuring) => structuring.push(block),
        }
    }

    fn finish(self) -> Prescanned {
        match self {
            Looking::Lines(prescanning) => Prescanned { candidates: prescanning.finish(), structure: None },
            Looking::Elements(structuring) => Prescanned { candidates: None, structure: structuring.finish() },
        }
    }
}

/// What the spool ends in.
pub(crate) struct Spooled {
    /// The text, readable many times.
    pub(crate) document: Box<dyn Document>,
    /// The parts of it that can be read, where that is not all of it and more than its ends.
    pub(crate) condensed: Option<Condensed>,
    /// Where it is kept: in memory, in its draft, or only in part.
    pub(crate) storage: Storage,
    /// What was found in it while it came.
    pub(crate) prescanned: Prescanned,
}

impl<'s> Spool<'s> {
    pub(crate) fn new(
        store: Option<(&'s dyn Store, &'s SessionId)>,
        memory_bound: usize,
        shown_chars: u64,
        ahead: Ahead,
        line_rules: Arc<LineRules>,
    ) -> Spool<'s> {
        let window = shown_chars.saturating_mul(4).saturating_add(4 * STRIDE);
        Spool {
            store,
            memory_bound,
            window: usize::try_from(window).unwrap_or(usize::MAX).min(memory_bound / 2),
            meter: Meter::default(),
            head: String::new(),
            tail: Tail::default(),
            draft: None,
            blocks: Blocks::default(),
            drafted: 0,
            lost: None,
            highlights: None,
            line_rules,
            spilled: false,
            ahead,
            looking: None,
            journal: None,
        }
    }

    /// Brings what came so far to the disk, should this process be killed.
    pub(crate) fn save_progress(&mut self, progress: &Progress) {
        if let Some(draft) = &mut self.draft {
            // A draft that cannot be written says so with the next write.
            let open = self.blocks.open();
            if draft.write(text::slice(open, self.drafted..open.len()).as_bytes()).is_ok() {
                self.drafted = open.len();
            }
            if draft.save_progress(progress).is_ok() {
                self.journal = None;
            }
        } else if let Some(store) = self.store.filter(|_| !self.spilled) {
            self.journal.get_or_insert_with(|| Journal::begin(store)).copy(&self.head, progress);
        }
    }

    /// All of the text, while it is in memory.
    pub(crate) fn in_memory(&self) -> Option<&str> {
        (!self.spilled).then_some(self.head.as_str())
    }

    /// The copy of what is in memory, for whoever outlives the spool.
    pub(crate) fn take_journal(&mut self) -> Option<Journal> {
        self.journal.take()
    }

    pub(crate) fn extent(&self) -> Extent {
        self.meter.extent()
    }

    /// Makes room for so many bytes, as far as they are going to lie in memory.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        if bytes <= self.memory_bound {
            self.head.reserve(bytes);
        }
    }

    pub(crate) fn push(&mut self, piece: &str) {
        self.meter.push(piece);
        if !self.spilled {
            if self.head.len() + piece.len() <= self.memory_bound {
                self.head.push_str(piece);
                return;
            }
            let whole = self.spill();
            self.pass_on(&whole, piece);
        }
        self.pass_on(piece, "");
    }

    /// Sends a piece to the draft, block by block. The text that was measured goes on with `behind`.
    fn pass_on(&mut self, piece: &str, behind: &str) {
        let mut rest = piece;
        while self.draft.is_some() && !rest.is_empty() {
            rest = self.blocks.fill(rest);
            if !rest.is_empty() {
                let lines = self.blocks.take_lines();
                self.hand_on(lines, [rest, behind]);
            }
        }
        self.keep(rest);
    }

    /// Hands a block on to all who read it. The text that was measured goes on with the block that is being filled, and
    /// with `behind`.
    fn hand_on(&mut self, text: String, behind: [&str; 2]) {
        self.keep_ends(&text);
        let block = self.blocks.share(text);
        if let Some(looking) = &mut self.looking {
            looking.push(&block);
        }
        let drafted = self.drafted.min(block.len());
        self.drafted -= drafted;
        let Some(draft) = &mut self.draft else { return };
        let written = match drafted {
            0 => draft.write_shared(&block),
            _ => draft.write(block.get(drafted..).unwrap_or_default()),
        };
        if let Err(error) = written {
            let text = String::from_utf8_lossy(&block);
            let highlights = self.read_back(&text, behind);
            self.lose(error.to_string(), highlights);
            let open = self.blocks.take_rest();
            self.keep(&open);
        }
    }

    /// Keeps what there is room for of a piece that no draft takes.
    fn keep(&mut self, piece: &str) {
        if let Some(highlights) = &mut self.highlights {
            highlights.push(piece);
        }
        self.keep_ends(piece);
    }

    /// Keeps what belongs to the ends of the text.
    fn keep_ends(&mut self, piece: &str) {
        let missing = self.window.saturating_sub(self.head.len());
        self.head.push_str(text::slice(piece, 0..missing));
        self.tail.push(piece, self.window);
    }

    /// Begins a draft for what is in memory, and returns that.
    fn spill(&mut self) -> String {
        self.spilled = true;
        let whole = std::mem::take(&mut self.head);
        match self.store.map(|(store, session)| store.draft(session)) {
            None => self.lose("no store is configured".to_owned(), Highlights::new(self.line_rules.clone())),
            Some(Err(error)) => self.lose(error.to_string(), Highlights::new(self.line_rules.clone())),
            Some(Ok(draft)) => {
                self.draft = Some(draft);
                self.looking = self.look_through(&whole);
            }
        }
        whole
    }

    /// Who looks through a text that begins like this while it comes; nobody where that does not help to cut it.
    fn look_through(&self, beginning: &str) -> Option<Looking> {
        let Ahead { call, lines, elements } = &self.ahead;
        let rules = Some(self.line_rules.as_ref());
        let hints = Hints { tool: &call.tool, arguments: &call.arguments, forced: call.kind, rules };
        let sample = TextDocument::new(text::slice(beginning, 0..SAMPLE));
        let kind = classify(&sample, &hints).ok()?.kind;
        let by_lines = || lines.clone().filter(|_| Prescan::serves(kind)).map(Prescanning::new).map(Looking::Lines);
        let elements = elements.filter(|_| Structure::serves(kind));
        let by_elements = || elements.and_then(|chars| Structuring::start(kind, chars)).map(Looking::Elements);
        by_lines().or_else(by_elements)
    }

    /// The lines that tell in what the draft took before it failed at `block`, and in that.
    fn read_back(&self, block: &str, behind: [&str; 2]) -> Highlights {
        let highlights = Highlights::new(self.line_rules.clone());
        // What the draft has taken until now is still to be read.
        let start = self.blocks.start() - block.len() as u64;
        let (mut highlights, seen) = match &self.draft {
            Some(draft) => read_back(draft.as_ref(), start, highlights),
            None => (highlights, 0),
        };
        if seen < start {
            // The block ends where the measured text does, but for what comes behind it.
            let mut rest = Meter::default();
            [block, self.blocks.open()].into_iter().chain(behind).for_each(|text| rest.push(text));
            let (all, rest) = (self.meter.position(), rest.position());
            let from = Position { byte: all.byte - rest.byte, char: all.char - rest.char, line: all.line - rest.line };
            highlights.go_on_at(from);
        }
        highlights.push(block);
        highlights
    }

    /// From here on only what `highlights` keeps of the middle is left.
    fn lose(&mut self, why: String, highlights: Highlights) {
        self.lost = Some(why);
        self.highlights = Some(highlights);
        self.draft = None;
        self.looking = None;
    }

    pub(crate) fn finish(mut self) -> Spooled {
        let last = self.blocks.take_rest();
        if !last.is_empty() {
            self.hand_on(last, ["", ""]);
        }
        let (extent, index) = self.meter.finish();
        if !self.spilled {
            let document = Box::new(TextDocument::measured(self.head, extent, index));
            let prescanned = Prescanned::default();
            return Spooled { document, condensed: None, storage: Storage::InMemory, prescanned };
        }
        let ends = SparseDocument::new(self.head, self.tail.finish(), extent, index);
        match self.draft {
            Some(draft) => {
                let (storage, draft) = Storage::written(draft);
                let prescanned = self.looking.map(Looking::finish).unwrap_or_default();
                Spooled { document: Box::new(DraftDocument { draft, ends }), condensed: None, storage, prescanned }
            }
            None => {
                let document = ends.with_parts(self.highlights.map(Highlights::finish).unwrap_or_default());
                let condensed = document.condensed();
                let storage = Storage::Lost(self.lost.unwrap_or_default());
                let prescanned = Prescanned::default();
                Spooled { document: Box::new(document), condensed, storage, prescanned }
            }
        }
    }
}

/// The lines that tell among the first `bytes` bytes of a draft that has failed, and how far it could be read.
fn read_back(draft: &dyn Draft, bytes: u64, mut highlights: Highlights) -> (Highlights, u64) {
    let mut buffer = vec![0; BLOCK as usize];
    let (mut at, mut held) = (0, 0);
    while at < bytes {
        let room = usize::try_from(bytes - at).unwrap_or(usize::MAX).min(buffer.len() - held);
        let Some(free) = buffer.get_mut(held..held + room) else { break };
        let read = draft.read_at(at, free).unwrap_or(0);
        if read == 0 {
            break;
        }
        at += read as u64;
        held += read;
        // A character at the end may not be whole yet.
        let filled = buffer.get(..held).unwrap_or_default();
        let whole = filled.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        highlights.push(whole);
        let done = whole.len();
        buffer.copy_within(done..held, 0);
        held -= done;
    }
    (highlights, at - held as u64)
}

/// The end of a text that is still coming: one window that is full, and one that is being filled.
#[derive(Default)]
struct Tail {
    full: String,
    open: String,
}

impl Tail {
    /// Appends `piece`, of which no more than `window` bytes are kept.
    fn push(&mut self, piece: &str, window: usize) {
        if piece.len() > window {
            self.full.clear();
            self.open.clear();
        }
        self.open.push_str(text::slice(piece, piece.len().saturating_sub(window)..piece.len()));
        if self.open.len() >= window {
            std::mem::swap(&mut self.full, &mut self.open);
            self.open.clear();
        }
    }

    /// The last window and more, but for a text that was shorter.
    fn finish(mut self) -> String {
        self.full.push_str(&self.open);
        self.full
    }
}

/// A document in its draft; its ends are at hand should the draft no longer be readable.
struct DraftDocument {
    draft: SharedDraft,
    ends: SparseDocument,
}

impl DraftDocument {
    fn read_draft(&self, range: &Range<u64>) -> io::Result<String> {
        let mut buffer = Vec::new();
        self.fill(range, &mut buffer)?;
        String::from_utf8(buffer).map_err(|_| not_on_a_border(range))
    }

    /// Reads the bytes in `range` into `buffer`, in place of what was there.
    fn fill(&self, range: &Range<u64>, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.resize(usize::try_from(range.end - range.start).map_err(io::Error::other)?, 0);
        let mut filled = 0;
        let draft = self.draft.lock().map_err(|_| io::Error::other("the draft was left locked"))?;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match draft.read_at(range.start + filled as u64, rest)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => filled += read,
            }
        }
        Ok(())
    }
}

impl Document for DraftDocument {
    fn extent(&self) -> &Extent {
        self.ends.extent()
    }

    fn index(&self) -> &Index {
        self.ends.index()
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, str>> {
        if range.end < range.start || range.end > self.ends.extent().bytes {
            return Err(not_on_a_border(&range));
        }
        match self.read_draft(&range) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Err(error),
            Err(error) => self.ends.read(range).map_err(|_| error),
        }
    }

    fn text(&self) -> Option<&str> {
        None
    }

    fn read_bytes(&self, range: Range<u64>, mut buffer: Vec<u8>) -> io::Result<Cow<'_, [u8]>> {
        if range.end < range.start || range.end > self.ends.extent().bytes {
            return Err(not_on_a_border(&range));
        }
        match self.fill(&range, &mut buffer) {
            Ok(()) => Ok(Cow::Owned(buffer)),
            Err(error) => self.ends.read_bytes(range, buffer).map_err(|_| error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_end_of_what_came() {
        let text: String = (0..400).map(|n| format!("{n}é ")).collect();
        for sizes in [&[1, 2, 3][..], &[7], &[50, 1], &[64], &[200, 5, 90], &[400]] {
            let (mut tail, mut at) = (Tail::default(), 0);
            for size in sizes.iter().cycle() {
                let end = text::ceil(&text, (at + size).min(text.len()));
                tail.push(text::slice(&text, at..end), 64);
                at = end;
                let kept = Tail { full: tail.full.clone(), open: tail.open.clone() }.finish();
                assert!(text::slice(&text, 0..at).ends_with(&kept), "in pieces of {sizes:?} up to {at}");
                assert!(kept.len() + 1 >= at.min(64), "in pieces of {sizes:?} up to {at}: {}", kept.len());
                assert!(kept.len() <= 3 * 64);
                if at == text.len() {
                    break;
                }
            }
        }
    }
}
