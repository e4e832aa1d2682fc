//! The profiles `paged`, `handle` and `bookends`: fixed shapes, worded to the character.

use offcut_core::budget::Marks;
use offcut_core::cut::{Cut, Piece};
use offcut_core::limit::Unit;
use offcut_core::notice::{self, FullOutput, Next, Paged};
use offcut_core::render::{Markers, end_line, render};
use offcut_core::strategy::CutError;
use offcut_core::text;
use offcut_core::tokens::TokenCounter;

use super::ReplyBuilder;
use crate::clock;
use crate::view::{self, Reserved, View};

impl ReplyBuilder<'_> {
    // ── paged ────────────────────────────────────────────────────────────────────────────────────────────────────

    pub(super) fn paged(&mut self) -> String {
        let summary = self.summary();
        self.commit(&summary, None);
        self.shrunk(|this, less| {
            let page = this.page(less)?;
            Ok((this.paged_text(&page), page.view))
        })
    }

    /// Makes a reply with `make`, again with so many characters less while it is longer than the output that it
    /// stands for.
    fn shrunk(&mut self, make: impl Fn(&Self, u64) -> Result<(String, View), CutError>) -> String {
        let mut less = 0;
        for _ in 0..8 {
            match make(self, less) {
                Ok((text, view)) => match self.beyond(&text, &view) {
                    0 => {
                        self.record_view(&view);
                        return text;
                    }
                    over => less += over,
                },
                Err(error) => {
                    self.report.degraded.push(format!("the profile's own shape could not be made: {error}"));
                    break;
                }
            }
        }
        self.framed(None)
    }

    /// By how many characters a reply is too long: for the output that it stands for, or for a limit in tokens, which
    /// what is kept has to hold.
    fn beyond(&self, text: &str, view: &View) -> u64 {
        let longer = text::chars(text).saturating_sub(self.document.extent().chars);
        let limit = self.plan.limits.of(Unit::Tokens).unwrap_or(u64::MAX);
        let tokens = match limit {
            u64::MAX => 0,
            limit => self.plan.limit_tokenizer.count(&view.rendered.text).saturating_sub(limit),
        };
        longer.max(tokens.saturating_mul(4))
    }

    /// Whole lines from one end, as many as the limits allow; a last line that alone is too long shows its end.
    fn page(&self, less: u64) -> Result<Page, CutError> {
        let document = self.document.as_ref();
        let extent = document.extent();
        let room =
            view::room(document, &self.plan.limits, self.plan.limit_tokenizer, &Reserved::default(), Marks::Free);
        let max_lines = room.lines.unwrap_or(u64::MAX).min(extent.lines);
        let max_bytes = room.bytes.unwrap_or(u64::MAX).saturating_sub(less);
        let max_chars = room.chars.saturating_sub(less);
        let from_start = self.plan.strategy == "head";
        let (from, upto) = if from_start {
            (0, document.line_start(max_lines)?.byte)
        } else {
            (document.line_start(extent.lines - max_lines)?.byte, extent.bytes)
        };
        let fits = |bytes: u64, chars: u64| bytes <= max_bytes && chars <= max_chars;
        // What would fit but for `less` is not left out because of the limit of bytes.
        let would_fit = |bytes: u64, chars: u64| bytes <= room.bytes.unwrap_or(u64::MAX) && chars <= room.chars;
        let mut by_bytes = true;
        // No more than the limit is read, and a little: the line that no longer fits.
        let window = max_bytes.min(max_chars.saturating_mul(4)).saturating_add(4);
        let (from, upto) = if from_start {
            (from, upto.min(from.saturating_add(window)))
        } else {
            (from.max(document.position(upto.saturating_sub(window))?.byte), upto)
        };
        let chunk = document.read_around(from..upto)?;
        let starts_inside = from > 0 && !starts_line(document, from)?;
        let mut lines: Vec<text::Line<'_>> = text::split(&chunk).collect();
        if !from_start {
            lines.reverse();
        }
        let (mut bytes, mut chars, mut shown) = (0, 0, 0);
        for (nth, line) in lines.iter().enumerate() {
            let first_of_window = !from_start && nth + 1 == lines.len() && starts_inside;
            let cut_off = from_start && line.end.is_empty() && upto < extent.bytes;
            let whole = text::slice(&chunk, line.range());
            // A page ends where its last line does: that line's own end is not counted.
            let last_end = if shown == 0 || from_start { line.end.len() as u64 } else { 0 };
            let size = (whole.len() as u64, text::chars(whole));
            let (with_it, chars_with_it) = (bytes + size.0 - last_end, chars + size.1 - last_end);
            if first_of_window || cut_off || !fits(with_it, chars_with_it) {
                by_bytes = less == 0 || !would_fit(with_it, chars_with_it);
                break;
            }
            bytes += size.0;
            chars += size.1;
            shown += 1;
        }
        let by_bytes = by_bytes && shown < max_lines;
        let (kept, long_line) = match (shown, from_start) {
            (0, true) => (0..0, Some(self.line_length(0)?)),
            (0, false) => {
                let start = text::ceil(&chunk, chunk.len().saturating_sub(max_bytes.min(chunk.len() as u64) as usize));
                let start = start.max(text::suffix(&chunk, max_chars));
                (from + start as u64..upto, Some(self.line_length(extent.lines - 1)?))
            }
            (_, true) => (0..from + bytes, None),
            (_, false) => (upto - bytes..upto, None),
        };
        let (first, last) = match (shown, from_start) {
            (0, true) => (1, 0),
            (0, false) => (extent.lines, extent.lines),
            (_, true) => (1, shown),
            (_, false) => (extent.lines - shown + 1, extent.lines),
        };
        let size = kept.end - kept.start;
        let pieces = vec![
            Piece::omit(0..kept.start),
            Piece::keep(kept.clone(), if from_start { "first lines" } else { "last lines" }),
            Piece::omit(kept.end..extent.bytes),
        ];
        let cut = Cut::of(if from_start { "head" } else { "tail" }, pieces, extent)?;
        let rendered = render(document, &cut, Markers::Hidden)?;
        let view = View { cut, rendered, degraded: Vec::new() };
        let byte_limit = match long_line {
            None => by_bytes.then_some(room.bytes).flatten(),
            Some(_) if from_start => Some(room.bytes.unwrap_or(room.chars)),
            // Of a character that the limit would split nothing is shown.
            Some(_) => Some(room.bytes.filter(|limit| limit.abs_diff(size) < 4).unwrap_or(size)),
        };
        Ok(Page { view, first, last, byte_limit, long_line, from_start })
    }

    fn line_length(&self, line: u64) -> Result<u64, CutError> {
        let document = self.document.as_ref();
        Ok(document.line_start(line + 1)?.byte - document.line_start(line)?.byte)
    }

    fn paged_text(&self, page: &Page) -> String {
        let id = self.storage.info().map(|info| info.id.to_string()).unwrap_or_default();
        let path = self.storage.info().and_then(|info| info.path.as_ref()).map(|path| path.display().to_string());
        let file = path_argument(&self.call.arguments);
        let kept = self.kept(&id, path.as_deref());
        let next = match (&file, page.from_start) {
            (Some(path), true) => Next::Offset { path, given: false },
            _ => Next::Full(&kept),
        };
        let notice = notice::paged(&Paged {
            first: page.first,
            last: page.last,
            total: self.document.extent().lines,
            byte_limit: page.byte_limit,
            long_line: page.long_line,
            next,
        });
        let mut text = page.view.rendered.text.clone();
        end_line(&mut text);
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&notice);
        text
    }

    // ── handle ───────────────────────────────────────────────────────────────────────────────────────────────────

    pub(super) fn handle(&mut self) -> String {
        let summary = self.summary();
        self.commit(&summary, None);
        let Some(info) = self.storage.info() else {
            // Nothing to hand out: the ends are shown instead, and the notices say why.
            return self.framed(None);
        };
        let extent = self.document.extent();
        let handle = format!("session-{}/{}", info.session, info.id);
        let text = notice::handle(extent.bytes, extent.lines, self.tokens, &handle);
        if text::chars(&text) > extent.chars {
            // No reply outgrows the output that it stands for: a cut is shorter.
            return self.framed(None);
        }
        let cut = Cut::of("handle", vec![Piece::omit_silently(0..extent.bytes)], extent);
        let told = cut.map_err(CutError::from).and_then(|cut| {
            let rendered = render(self.document.as_ref(), &cut, Markers::Hidden)?;
            Ok(View { cut, rendered, degraded: Vec::new() })
        });
        match told {
            Ok(view) => self.record_view(&view),
            Err(error) => self.report.degraded.push(error.to_string()),
        }
        text
    }

    // ── bookends ─────────────────────────────────────────────────────────────────────────────────────────────────

    pub(super) fn bookends(&mut self) -> String {
        let summary = self.summary();
        let tool = if self.call.tool.is_empty() { "tool" } else { &self.call.tool };
        let call_id = self.call.call_id.as_deref().unwrap_or("call");
        let name = file_name(&format!("{tool}-{call_id}-{}", clock::now_ms() / 1000));
        self.commit(&summary, Some(format!("{name}.txt")));
        self.shrunk(|this, less| {
            let each = this.each_end().saturating_sub(less.div_ceil(2));
            let (view, head, tail) = this.ends(each)?;
            Ok((this.bookends_text(&view, &head, &tail, each), view))
        })
    }

    /// A quarter of the limit from each end; the beginning alone where nothing could be saved.
    fn ends(&self, each: u64) -> Result<(View, String, String), CutError> {
        let document = self.document.as_ref();
        let extent = document.extent();
        let head_end = document.char_start(each)?.byte;
        let tail_start = match self.storage.lost() {
            None => document.char_start(extent.chars.saturating_sub(each))?.byte.max(head_end),
            Some(_) => extent.bytes,
        };
        let pieces = vec![
            Piece::keep(0..head_end, "first characters"),
            Piece::omit(head_end..tail_start),
            Piece::keep(tail_start..extent.bytes, "last characters"),
        ];
        let cut = Cut::of("head_tail", pieces, extent)?;
        let rendered = render(document, &cut, Markers::Hidden)?;
        let head = document.read(0..head_end)?.into_owned();
        let tail = document.read(tail_start..extent.bytes)?.into_owned();
        Ok((View { cut, rendered, degraded: Vec::new() }, head, tail))
    }

    fn each_end(&self) -> u64 {
        let document = self.document.as_ref();
        let limits = &self.plan.limits;
        let chars = limits.of(Unit::Chars).unwrap_or_else(|| {
            view::room(document, limits, self.plan.limit_tokenizer, &Reserved::default(), Marks::Free).chars
        });
        chars / 4
    }

    fn bookends_text(&self, view: &View, head: &str, tail: &str, each: u64) -> String {
        let hidden = view.rendered.omitted_chars();
        let id = self.storage.info().map(|info| info.id.to_string()).unwrap_or_default();
        let path = self.storage.info().and_then(|info| info.path.as_ref()).map(|path| path.display().to_string());
        match self.kept(&id, path.as_deref()) {
            FullOutput::Stored { id, path } => notice::bookends(head, tail, hidden, path.unwrap_or(id), each, each),
            FullOutput::Lost(why) => notice::bookends_head_only(head, hidden, why),
        }
    }
}

/// A page and the facts that its notice needs.
struct Page {
    view: View,
    first: u64,
    last: u64,
    byte_limit: Option<u64>,
    long_line: Option<u64>,
    from_start: bool,
}

fn starts_line(document: &dyn offcut_core::document::Document, byte: u64) -> std::io::Result<bool> {
    let position = document.position(byte)?;
    Ok(document.line_start(position.line)?.byte == byte)
}

/// The file that a reading tool was asked for, where its arguments name one.
fn path_argument(arguments: &str) -> Option<String> {
    let parsed: serde_json::Value = serde_json::from_str(arguments).ok()?;
    ["path", "file_path", "file", "filename"].iter().find_map(|key| Some(parsed.get(key)?.as_str()?.to_owned()))
}

/// `name` with nothing in it that a file system could stumble over.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    text::first_chars(name.trim_start_matches('.'), 120).to_owned()
}
