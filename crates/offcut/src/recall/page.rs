//! What a model gets of what it asked for: at most one page, and the call for the next.
//!
//! The notice is composed first, at its longest; what is left of the page is for content. Nothing here is ever stored:
//! a page leads to the same artifact, never to another one.

use std::ops::Range;

use offcut_core::document::Document;
use offcut_core::notice::{self, Address, MatchesFrom, MatchesPage, Recall as Wording};
use offcut_core::text;

use super::document::ArtifactDocument;
use super::part::{self, Part};
use super::pattern::{ResultLine, Search};
use super::query::{self, Bounds, Node};
use super::request::{Request, Selector};
use super::scan::Form;
use super::{RecallError, WIDTH};

/// One page of retrieved content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The content. The bodies of all pages of lines or bytes, joined, are what was asked for.
    pub body: String,
    /// What stands under it, where something is left or something has to be said.
    pub notice: Option<String>,
    /// The request for what is left, if anything is.
    pub next: Option<Request>,
}

impl Page {
    /// The page as a model reads it: the body, and the notice on a line of its own.
    pub fn text(&self) -> String {
        match &self.notice {
            None => self.body.clone(),
            Some(notice) if self.body.is_empty() || self.body.ends_with('\n') => format!("{}{notice}", self.body),
            Some(notice) => format!("{}\n{notice}", self.body),
        }
    }
}

/// Makes one page of an open artifact.
pub(super) struct Pager<'a> {
    pub(super) source: &'a ArtifactDocument<'a>,
    pub(super) request: &'a Request,
    pub(super) wording: &'a Wording,
    /// The artifact's short handle.
    pub(super) handle: &'a str,
    /// The most characters of a page, notice included.
    pub(super) limit: u64,
    /// Whether what is left may be asked for.
    pub(super) parts: bool,
}

impl Pager<'_> {
    pub(super) fn page(&self, selector: &Selector) -> Result<Page, RecallError> {
        match selector {
            Selector::Query { path, offset } => self.nodes(path, *offset),
            Selector::Pattern { pattern, context, max_matches, start, end } => {
                let lines = self.source.extent().lines;
                let searched = if lines == 0 { (1, 0) } else { part::checked_lines(lines, *start, *end)? };
                let search = Search::new(pattern, *context, searched, WIDTH.min(self.limit / 8))?;
                self.matches(pattern, &search, max_matches.unwrap_or(u64::MAX))
            }
            lines_or_bytes => match part::part(self.source, lines_or_bytes)? {
                Some(part) if self.source.is_binary() => self.binary(part),
                Some(part) => self.text(part),
                None => Ok(Page { body: String::new(), notice: None, next: None }),
            },
        }
    }

    /// The call for a part.
    fn call(&self, address: Address) -> String {
        self.wording.part(self.handle, &address.to_string())
    }

    fn again(&self) -> Request {
        Request::whole(&self.request.id)
    }

    fn text(&self, part: Part) -> Result<Page, RecallError> {
        if part.end.char - part.start.char <= self.limit {
            return Ok(Page { body: self.source.text(part.bytes())?, notice: None, next: None });
        }
        let extent = *self.source.extent();
        let longest = [
            self.lines_notice(extent.lines, extent.lines, extent.lines),
            self.bytes_notice(extent.bytes, extent.bytes, extent.lines, extent.bytes),
        ];
        let longest = longest.iter().map(|notice| text::chars(notice)).max().unwrap_or(0);
        let room = self.limit.saturating_sub(longest + 1).max(1);

        let start = part.start;
        let read = self.source.floor(part.end.byte.min(start.byte.saturating_add(room.saturating_mul(4))))?;
        let content = self.source.text(start.byte..read)?;
        let fits = text::first_chars(&content, room);
        let whole_lines = last_line_end(fits, text::slice(&content, fits.len()..content.len()));
        let body = if whole_lines == 0 { fits } else { text::slice(fits, 0..whole_lines) };
        let end = start.byte + body.len() as u64;
        if part.in_lines && whole_lines > 0 {
            let shown = start.line + text::lines(body);
            let last = self.last_line(&part);
            let notice = self.lines_notice(start.line + 1, shown, last);
            let next = Request { lines: Some(format!("{}-{last}", shown + 1)), ..self.again() };
            return Ok(Page { body: body.to_owned(), notice: Some(notice), next: self.parts.then_some(next) });
        }
        let line = start.line + text::lines(body).max(1);
        let notice = self.bytes_notice(start.byte, end, line, part.end.byte);
        let next = Request { lines: Some(format!("b{end}-{}", part.end.byte)), ..self.again() };
        Ok(Page { body: body.to_owned(), notice: Some(notice), next: self.parts.then_some(next) })
    }

    /// The number of the last line of a part that was asked for in lines, which ends where a line starts, or the text.
    fn last_line(&self, part: &Part) -> u64 {
        part.end.line.min(self.source.extent().lines)
    }

    fn lines_notice(&self, first: u64, shown: u64, last: u64) -> String {
        let next = self.parts.then(|| self.call(Address::Lines { first: shown + 1, last }));
        notice::lines_page(first, shown, self.source.extent().lines, next.as_deref())
    }

    fn bytes_notice(&self, start: u64, shown: u64, line: u64, end: u64) -> String {
        let next = self.parts.then(|| self.call(Address::Bytes { start: shown, end }));
        notice::bytes_page(start, shown, self.source.size(), line, next.as_deref())
    }

    /// Binary content as base64, which takes four characters for three bytes.
    fn binary(&self, part: Part) -> Result<Page, RecallError> {
        let (start, end) = (part.start.byte, part.end.byte);
        let size = self.source.size();
        let notice = |shown: u64| {
            let next = (shown < end && self.parts).then(|| self.call(Address::Bytes { start: shown, end }));
            notice::binary_page(&self.source.media_type(), start, shown, size, next.as_deref())
        };
        let longest = text::chars(&notice(end.saturating_sub(1))) + 1;
        let room = (self.limit.saturating_sub(longest) / 4 * 3).max(3);
        let shown = end.min(start.saturating_add(room));
        let body = base64(&self.source.bytes(start..shown)?);
        let left = shown < end && self.parts;
        let next = left.then(|| Request { lines: Some(format!("b{shown}-{end}")), ..self.again() });
        Ok(Page { body, notice: Some(notice(shown)), next })
    }

    fn matches(&self, pattern: &str, search: &Search, most: u64) -> Result<Page, RecallError> {
        let lines = self.source.extent().lines;
        let from = |first: u64| {
            let words = MatchesFrom {
                pattern,
                context: self.request.context,
                max_matches: self.request.max_matches,
                first,
                last: self.request.end_line,
            };
            self.wording.matches_from(self.handle, &words, self.limit / 4)
        };
        let searched = (search.first <= search.last).then_some((search.first, search.last));
        let longest = notice::matches_page(&MatchesPage {
            shown: lines.max(most.min(lines)),
            total: lines,
            searched: Some((lines, lines)),
            next: Some(&from(lines)),
            shortened: Some(search.width),
        });
        let mut shown = PageLines::new(self.limit.saturating_sub(text::chars(&longest)), most);
        let total = search.run(self.source, &mut |entry| Ok(shown.take(entry)))?;

        let left = total > shown.hits;
        // The next page may begin with context of its first match, but never with a match that was shown.
        let continues = left.then(|| match shown.first_left {
            Some(line) => line.saturating_sub(self.request.context.unwrap_or(0)).max(shown.last_hit.unwrap_or(0) + 1),
            None => shown.last_hit.unwrap_or(search.first) + 1,
        });
        let next = continues.map(from);
        let notice = notice::matches_page(&MatchesPage {
            shown: shown.hits,
            total,
            searched,
            next: next.as_deref(),
            shortened: shown.shortened.then_some(search.width),
        });
        let next = continues.map(|line| Request { start_line: Some(line), ..self.request.clone() });
        Ok(Page { body: shown.body, notice: Some(notice), next })
    }

    fn nodes(&self, path: &str, offset: u64) -> Result<Page, RecallError> {
        let size = self.source.size();
        let longest = {
            let next = self.wording.nodes_from(self.handle, path, size, self.limit / 4);
            notice::nodes_page(size, size, size, size, Some(&next))
        };
        // Brackets and line ends around the nodes take four characters.
        let (room, spare) = (self.limit.saturating_sub(text::chars(&longest) + 4), self.limit.saturating_sub(4));
        let mut nodes = Nodes { offset, room, spare, ..Nodes::of(self.source) };
        query::nodes(self.source, path, Bounds::default(), &mut |node| nodes.take(node))?;
        if nodes.total > 0 && offset >= nodes.total {
            let why = format!("offset={offset} is past the end; the query selects {} nodes", nodes.total);
            return Err(RecallError::BadRange { why });
        }
        if !nodes.full && offset == 0 && nodes.left_out == 0 {
            nodes.lines.append(&mut nodes.extra);
        } else if nodes.lines.is_empty()
            && let Some(span) = nodes.first_extra.take()
        {
            // With its notice not even this one node fits.
            nodes.lines.push(notice::node_left_out(span.start, span.end));
            nodes.left_out += 1;
        }
        let body = nodes.written();
        let shown = offset + nodes.lines.len() as u64;
        let left = shown < nodes.total;
        let next = left.then(|| self.wording.nodes_from(self.handle, path, shown, self.limit / 4));
        let notice = if nodes.total == 0 {
            (query::root(self.source)?.1 == Form::Records).then(|| notice::records_hint().to_owned())
        } else if left || offset > 0 || nodes.left_out > 0 {
            Some(notice::nodes_page(offset + 1, shown, nodes.total, nodes.left_out, next.as_deref()))
        } else {
            None
        };
        let next = left.then(|| Request { offset: Some(shown), ..self.request.clone() });
        Ok(Page { body, notice, next })
    }
}

/// Where the last line that ends in `fits` ends, given what comes after; 0 if none does.
fn last_line_end(fits: &str, after: &str) -> usize {
    let split = fits.ends_with('\r') && (after.is_empty() || after.starts_with('\n'));
    let whole = if split { text::slice(fits, 0..fits.len() - 1) } else { fits };
    memchr::memrchr2(b'\n', b'\r', whole.as_bytes()).map_or(0, |at| at + 1)
}

/// The lines of a search that fit a page.
#[derive(Debug)]
struct PageLines {
    body: String,
    room: u64,
    most: u64,
    hits: u64,
    /// Context that waits for its match.
    waiting: Vec<ResultLine>,
    last_line: Option<u64>,
    last_hit: Option<u64>,
    first_left: Option<u64>,
    shortened: bool,
}

impl PageLines {
    fn new(room: u64, most: u64) -> PageLines {
        PageLines {
            body: String::new(),
            room,
            most,
            hits: 0,
            waiting: Vec::new(),
            last_line: None,
            last_hit: None,
            first_left: None,
            shortened: false,
        }
    }

    /// Takes one line of the result in; says whether there is room for more.
    fn take(&mut self, entry: ResultLine) -> bool {
        if entry.hit {
            if self.hits >= self.most {
                self.first_left = Some(entry.line);
                return false;
            }
            let mut block = std::mem::take(&mut self.waiting);
            block.push(entry);
            if !self.write(&block) {
                // A match that stands alone on its page may lose its context, but is shown.
                let alone = block.split_off(block.len() - 1);
                if self.hits > 0 || !self.write(&alone) {
                    self.first_left = alone.first().map(|entry| entry.line);
                    return false;
                }
            }
            self.hits += 1;
            self.last_hit = self.last_line;
            true
        } else if self.last_hit.is_some_and(|hit| entry.line > hit) && self.follows(&entry) {
            // Context that no longer fits ends the page.
            self.write(&[entry])
        } else {
            self.waiting.push(entry);
            true
        }
    }

    /// Whether a line of context stands right behind what is shown.
    fn follows(&self, entry: &ResultLine) -> bool {
        self.waiting.is_empty() && self.last_line.is_some_and(|line| line + 1 == entry.line)
    }

    fn write(&mut self, entries: &[ResultLine]) -> bool {
        let gap = match (self.last_line, entries.first()) {
            (Some(last), Some(first)) if first.line > last + 1 && entries.iter().any(|entry| !entry.hit) => "--\n",
            _ => "",
        };
        let lines: String = std::iter::once(gap.to_owned()).chain(entries.iter().map(ResultLine::written)).collect();
        let cost = text::chars(&lines);
        if cost > self.room {
            return false;
        }
        self.room -= cost;
        self.body.push_str(&lines);
        self.last_line = entries.last().map(|entry| entry.line);
        self.shortened |= entries.iter().any(|entry| entry.shortened);
        true
    }
}

/// The nodes of a query that fit a page.
struct Nodes<'a> {
    source: &'a ArtifactDocument<'a>,
    offset: u64,
    /// Characters that are left for nodes if a notice follows.
    room: u64,
    /// Characters that are left if none does.
    spare: u64,
    total: u64,
    left_out: u64,
    /// Whether there is a node that would not fit even without a notice.
    full: bool,
    lines: Vec<String>,
    /// Nodes that fit only without a notice.
    extra: Vec<String>,
    first_extra: Option<Range<u64>>,
}

impl<'a> Nodes<'a> {
    fn of(source: &'a ArtifactDocument<'a>) -> Nodes<'a> {
        let (lines, extra) = (Vec::new(), Vec::new());
        Nodes {
            source,
            offset: 0,
            room: 0,
            spare: 0,
            total: 0,
            left_out: 0,
            full: false,
            lines,
            extra,
            first_extra: None,
        }
    }

    fn take(&mut self, node: Node) -> Result<(), RecallError> {
        let number = self.total;
        self.total += 1;
        if number < self.offset || self.full {
            return Ok(());
        }
        let size = node.span.end - node.span.start;
        let mut written = Vec::new();
        // White space may be most of a node, but not of one so much larger than a page.
        if size <= self.room.saturating_mul(32) {
            query::write(self.source, &node, &mut written)?;
        }
        let mut line = String::from_utf8_lossy(&written).into_owned();
        let mut cost = text::chars(&line) + 2;
        // A node that no page could hold is left out in its turn; others wait for the next page.
        let left_out = written.is_empty() || (cost > self.room && self.lines.is_empty() && cost > self.spare);
        if left_out {
            line = notice::node_left_out(node.span.start, node.span.end);
            cost = text::chars(&line) + 2;
        }
        if cost <= self.room && self.extra.is_empty() {
            self.left_out += u64::from(left_out);
            self.room -= cost;
            self.spare -= cost;
            self.lines.push(line);
        } else if cost <= self.spare && !left_out {
            self.spare -= cost;
            self.extra.push(line);
            self.first_extra.get_or_insert(node.span);
        } else {
            self.full = true;
        }
        Ok(())
    }

    fn written(&self) -> String {
        if self.lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n]", self.lines.join(",\n")) }
    }
}

/// Bytes in the 64 letters of RFC 4648.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for letter in 0..4 {
            let index = (bits >> (18 - 6 * letter) & 63) as usize;
            let used = letter <= three.len();
            written.push(LETTERS.get(index).filter(|_| used).copied().map_or('=', char::from));
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, written) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")]
        {
            assert_eq!(base64(bytes.as_bytes()), written);
        }
    }

    #[test]
    fn a_page_never_ends_between_cr_and_lf() {
        assert_eq!(last_line_end("ab\r", "\ncd"), 0);
        assert_eq!(last_line_end("a\nb\r", "\ncd"), 2);
        assert_eq!(last_line_end("ab\r", "cd"), 3);
        assert_eq!(last_line_end("ab\r\n", "cd"), 4);
        assert_eq!(last_line_end("abc", "d"), 0);
    }
}
