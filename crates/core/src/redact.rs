//! Taking secrets out of text before anything else sees it.
//!
//! A [`Redactor`] is fed text in whatever chunks it comes and hands on what is final: the text itself, with
//! `[REDACTED: KIND]` in place of each secret. It holds back no more than the last line, and of a line longer than
//! 24 KiB no more than that; the chunking never changes the result. Lines stay lines and JSON stays JSON.
//!
//! ```
//! use offcut_core::redact::{Rules, redact};
//!
//! let (text, counts) = redact("db: postgres://app:hunter22@db.local/main\n", &Rules::builtin());
//! assert_eq!(text, "db: postgres://app:[REDACTED: PASSWORD]@db.local/main\n");
//! assert_eq!(counts["PASSWORD"], 1);
//! ```
//!
//! Text passes three searches, each of which touches few bytes: literals that begin names and headers, `://`, and
//! words of 20 characters and more. Only what they find is looked at closely.

mod anchors;
mod argv;
mod assign;
mod assigned;
mod authorization;
mod bare;
mod below;
mod block;
mod borders;
mod card;
mod cells;
mod class;
mod code;
mod command;
mod context;
mod continued;
mod definition;
mod dummies;
mod encoded;
mod escaped;
mod extent;
mod generated;
mod generic;
mod heads;
mod identifier;
mod insert;
mod invisible;
mod json;
mod judge;
mod label;
mod lines;
mod link;
mod manifest;
mod name;
mod neighbours;
mod number;
mod operator;
mod options;
mod parameters;
mod passphrase;
mod phrase;
mod protocol;
mod public;
mod quotes;
mod rule;
mod rule_words;
mod rules;
mod scan;
mod schemes;
mod second_look;
mod shape;
mod siblings;
mod surroundings;
mod table;
#[cfg(test)]
mod tests;
mod tokens;
mod unquoted;
mod url;
mod word_lists;
mod words;
mod worth;
mod wrapped;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use crate::text;
use anchors::Anchor;
use assigned::Assigned;
use block::Block;
use class::Class;
use continued::Continued;
use insert::Values;
pub use json::{JsonKeys, JsonRedactor};
pub use number::Numbers;
pub use options::{Mode, RedactOptions, RuleError, RuleSpec};
use public::Public;
pub use rules::Rules;
use scan::{AHEAD, BACK, SEGMENT, Segment, Span, With};

/// How many secrets of each kind were found.
pub type Counts = BTreeMap<String, u64>;

/// Redacts one stream of text.
#[derive(Debug, Clone)]
pub struct Redactor {
    rules: Arc<Rules>,
    numbers: Option<Arc<Mutex<Numbers>>>,
    /// Text that is not final yet, behind some that is and that is kept for looking back.
    held: String,
    /// Where in `held` the text begins that was not handed on.
    held_from: usize,
    block: Block,
    public: Public,
    counts: Counts,
    spans: Vec<Span>,
    /// A segment as it is handed on; here to be used again.
    clear: String,
}

impl Redactor {
    /// A redactor for one stream.
    pub fn new(rules: Arc<Rules>) -> Redactor {
        Redactor {
            rules,
            numbers: None,
            held: String::new(),
            held_from: 0,
            block: Block::None,
            public: Public::default(),
            counts: Counts::new(),
            spans: Vec::new(),
            clear: String::new(),
        }
    }

    /// A redactor whose placeholders are numbered by `numbers`, which a session shares.
    pub fn numbered(rules: Arc<Rules>, numbers: Arc<Mutex<Numbers>>) -> Redactor {
        Redactor { numbers: Some(numbers), ..Redactor::new(rules) }
    }

    /// Another redactor by the same rules, for another text.
    pub fn again(&self) -> Redactor {
        Redactor { numbers: self.numbers.clone(), ..Redactor::new(Arc::clone(&self.rules)) }
    }

    /// What is left of a whole text, and how many secrets of each kind were in it.
    fn whole(mut self, text: &str) -> (String, Counts) {
        let mut result = String::with_capacity(text.len());
        self.push(text, &mut |piece| result.push_str(piece));
        self.finish(&mut |piece| result.push_str(piece));
        (result, self.counts)
    }

    /// Whether `text` holds a secret.
    fn finds_any(&self, text: &str) -> bool {
        let (new, counts) = self.again().whole(text);
        !counts.is_empty() || new != text
    }

    /// Takes `text` in and hands what is final by now to `out`, in order and in pieces.
    pub fn push(&mut self, text: &str, out: &mut dyn FnMut(&str)) {
        if self.rules.mode == Mode::Off {
            return out(text);
        }
        let mut rest = text;
        // What is held ends in the middle of a line, or is what the next lines look back at: go on behind it until there
        // is as much to look back at in `text` itself.
        while !self.held.is_empty() && !rest.is_empty() {
            let taken = text.len() - rest.len();
            if self.held_from == self.held.len() && taken >= BACK {
                break;
            }
            let least = BACK.saturating_sub(taken).clamp(1, rest.len()) - 1;
            let behind = rest.as_bytes().get(least..).unwrap_or_default();
            let line = memchr(b'\n', behind).map_or(rest.len(), |at| least + at + 1);
            let piece = text::slice(rest, 0..text::floor(rest, line.min(SEGMENT)));
            self.held.push_str(piece);
            rest = text::slice(rest, piece.len()..rest.len());
            if !piece.ends_with('\n') && self.held.len() - self.held_from < SEGMENT + AHEAD {
                continue;
            }
            let held = std::mem::take(&mut self.held);
            let done = self.work(&held, self.held_from, false, out);
            self.hold(held, done);
        }
        if !rest.is_empty() {
            let done = self.work(text, text.len() - rest.len(), false, out);
            let kept = text::floor(text, done.saturating_sub(BACK));
            self.held.clear();
            self.held.push_str(text::slice(text, kept..text.len()));
            self.held_from = done - kept;
        }
    }

    /// Hands on what was held back. The stream is over.
    pub fn finish(&mut self, out: &mut dyn FnMut(&str)) {
        let held = std::mem::take(&mut self.held);
        self.work(&held, self.held_from, true, out);
        self.held_from = 0;
        self.block = Block::None;
        self.public = Public::default();
    }

    /// How many secrets of each kind were found so far. Their values, lengths and hashes are not kept.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Keeps what is not final of `held`, and a little before it.
    fn hold(&mut self, mut held: String, done: usize) {
        let kept = text::floor(&held, done.saturating_sub(BACK));
        // Not at each line that comes by itself.
        if kept >= BACK {
            held.drain(..kept);
        }
        self.held_from = if kept >= BACK { done - kept } else { done };
        self.held = held;
    }

    /// Works through `text` from `from` on and returns how far it came: all whole lines, and long lines in part.
    fn work(&mut self, text: &str, from: usize, last: bool, out: &mut dyn FnMut(&str)) -> usize {
        let bytes = text.as_bytes();
        let mut at = from;
        while at < bytes.len() {
            let window = bytes.get(at..bytes.len().min(at + SEGMENT)).unwrap_or_default();
            let segment = match memrchr(b'\n', window) {
                Some(line_end) => {
                    Segment::new(bytes, at.saturating_sub(BACK), at, at + line_end + 1, at + line_end + 1)
                }
                None => {
                    let end = text::floor(text, at + SEGMENT);
                    let reach = text::floor(text, at + SEGMENT + AHEAD);
                    let ahead = bytes.get(end..reach).unwrap_or_default();
                    match memchr(b'\n', ahead) {
                        Some(line_end) => Segment::new(bytes, at.saturating_sub(BACK), at, end, end + line_end + 1),
                        None if last || bytes.len() >= at + SEGMENT + AHEAD => {
                            Segment::new(bytes, at.saturating_sub(BACK), at, end, reach)
                        }
                        None => return at,
                    }
                }
            };
            at = self.segment(text, &segment, out);
        }
        at
    }

    /// Redacts one segment, hands it on, and returns where the next one begins.
    fn segment(&mut self, text: &str, segment: &Segment<'_>, out: &mut dyn FnMut(&str)) -> usize {
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        let rules = Arc::clone(&self.rules);
        let in_word = self.block == Block::Word;
        let taken = block::take_lines(segment, &rules, &mut self.block, segment.start, &mut spans).max(segment.start);
        // What a line that was taken holds may have a name of its own; the rest of a word has none.
        let from = if in_word { taken } else { segment.start };
        find(segment, &rules, &mut self.block, &mut self.public, from..taken, &mut spans);
        scan::join(&mut spans);
        if rules.mode == Mode::On {
            second_look::add(segment, &rules, &mut spans);
        }
        let next = self.emit(text, segment, &spans, out);
        self.spans = spans;
        next
    }

    /// Hands on `segment` with `spans` replaced, which are in order and do not overlap.
    fn emit(&mut self, text: &str, segment: &Segment<'_>, spans: &[Span], out: &mut dyn FnMut(&str)) -> usize {
        if spans.is_empty() {
            out(text::slice(text, segment.start..segment.end));
            return segment.end;
        }
        self.count(spans);
        // Whoever takes it has work with each piece: one is handed on, however many secrets were in it.
        let mut clear = std::mem::take(&mut self.clear);
        clear.clear();
        let mut at = segment.start;
        for span in spans.iter() {
            if self.rules.mode == Mode::Report {
                continue;
            }
            clear.push_str(text::slice(text, at..span.start));
            match span.with {
                With::Nothing => {}
                With::Placeholder => self.placeholder(text, span, &mut clear),
                With::Quoted => {
                    clear.push('"');
                    self.placeholder(text, span, &mut clear);
                    clear.push('"');
                }
            }
            at = span.end;
        }
        let end = segment.end.max(spans.last().map_or(0, |span| span.end));
        clear.push_str(text::slice(text, at..end));
        out(&clear);
        self.clear = clear;
        // A word that was cut off by how far one may look goes on in the next segment.
        if end == segment.limit && end > segment.end && segment.before(end) != b'\n' && self.rules.mode == Mode::On {
            self.block = Block::Word;
        }
        end
    }

    /// Counts `spans` by their kinds.
    fn count(&mut self, spans: &[Span]) {
        let counted = |span: &&Span| span.with != With::Nothing;
        for same in spans.chunk_by(|a, b| a.kind == b.kind) {
            let number = same.iter().filter(counted).count() as u64;
            let kind = same.first().map_or("", |span| self.rules.kind(span.kind));
            match self.counts.get_mut(kind) {
                Some(count) => *count += number,
                None if number > 0 => _ = self.counts.insert(kind.to_owned(), number),
                None => {}
            }
        }
    }

    /// Appends `[REDACTED: KIND]` for `span` to `clear`, with the secret's number where that is asked for.
    fn placeholder(&self, text: &str, span: &Span, clear: &mut String) {
        let kind = self.rules.kind(span.kind);
        clear.push_str("[REDACTED: ");
        clear.push_str(kind);
        if let Some(numbers) = self.numbers.as_ref().filter(|_| self.rules.numbered) {
            let secret = text::slice(text, span.start..span.end);
            let number = numbers.lock().unwrap_or_else(PoisonError::into_inner).of(kind, secret.as_bytes());
            clear.push_str(&format!(" #{number}"));
        }
        clear.push(']');
    }
}

/// Finds the secrets of `segment` from where `taken` starts on; in what is taken names tell nothing.
fn find(
    segment: &Segment<'_>,
    rules: &Rules,
    block: &mut Block,
    public: &mut Public,
    taken: Range<usize>,
    spans: &mut Vec<Span>,
) {
    static SCHEME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("://"));
    public.enter(segment.start);
    let from = taken.start;
    if from < segment.end {
        let segment = &Segment::new(segment.bytes, segment.low, from, segment.end, segment.limit);
        literals(segment, rules, block, public, taken.end, spans);
        tokens::scan(segment, rules, spans);
        below::listed(segment, rules, spans);
        let goes_on = wrapped::follow(segment, spans);
        if let (Block::None, Some(wrapped)) = (&*block, goes_on) {
            *block = Block::Wrapped(wrapped);
        }
        url::scan(segment, rules, &SCHEME, spans);
        lines::scan(segment, rules, spans);
        invisible::scan(segment, rules, from, spans);
    }
    public.leave(segment, spans);
}

/// Finds the secrets of a text that is there as a whole.
fn find_in_lines(segment: &Segment<'_>, rules: &Rules, spans: &mut Vec<Span>) {
    let start = segment.start;
    find(segment, rules, &mut Block::None, &mut Public::default(), start..start, spans);
}

/// Follows the literals: names that something may be assigned to from `quiet_until` on, and the first lines of keys.
fn literals(
    segment: &Segment<'_>,
    rules: &Rules,
    block: &mut Block,
    public: &mut Public,
    mut quiet_until: usize,
    spans: &mut Vec<Span>,
) {
    let mut searched = lines::Searched::default();
    let mut listed_until = segment.start;
    // A literal may begin in this segment and end in the next.
    anchors::find(segment.part(0, segment.limit), segment.start, segment.end, |at, to, anchor| {
        if anchor == Anchor::ShortToken {
            return spans.extend(tokens::short_token(segment, rules, at));
        }
        if at < quiet_until {
            return;
        }
        let mut go_on_below = |line_end: usize, next: Block, spans: &mut Vec<Span>| {
            let below = (segment.line(line_end).1 + 1).min(segment.limit);
            *block = next;
            quiet_until = block::take_lines(segment, rules, block, below, spans);
        };
        match anchor {
            Anchor::Name => match assign::read(segment, rules, at, to) {
                Some(Assigned::Secret(span)) => {
                    spans.extend(below::changed_to(segment, rules, &span));
                    let line_end = segment.line_end(span.end);
                    spans.push(span);
                    // A backslash at the line's end joins the next one.
                    if span.end == line_end && segment.before(line_end) == b'\\' {
                        go_on_below(line_end, Block::Field { class: Class::Token, empty: 1 }, spans);
                    } else if span.end + 1 == line_end && segment.byte(span.end) == b'\\' {
                        let continued = Continued::behind_the_first_line(Class::Password);
                        go_on_below(line_end, Block::Continued(continued), spans);
                    }
                }
                Some(Assigned::Printed { class, line }) => {
                    go_on_below(line, Block::Printed { class, length: 0 }, spans)
                }
                Some(Assigned::Field { class, line }) => go_on_below(line, Block::Field { class, empty: 0 }, spans),
                Some(Assigned::Columns(Values::Below(table))) => {
                    go_on_below(segment.line_end(at), Block::TableHead(table), spans);
                }
                Some(Assigned::Columns(Values::Here(table, from))) => {
                    insert::rows(segment, rules, &table, from, segment.line_end(from), spans);
                    match parameters::of_statement(segment, at) {
                        Some((bound, last)) if !bound.take_here(segment, rules, last, spans) => {
                            go_on_below(segment.line_end(last), Block::Bound(bound), spans);
                        }
                        _ => quiet_until = from,
                    }
                }
                Some(Assigned::Bound { bound, from }) => {
                    let below = !bound.take_here(segment, rules, from, spans);
                    if below {
                        go_on_below(segment.line_end(from), Block::Bound(bound), spans);
                    }
                }
                Some(Assigned::Defined { definition, line }) => go_on_below(line, Block::Definition(definition), spans),
                Some(Assigned::Generated { generated, line }) => go_on_below(line, Block::Generated(generated), spans),
                Some(Assigned::Login { line }) => go_on_below(line, Block::Login { named: false }, spans),
                Some(Assigned::NextLine { class, line }) => {
                    go_on_below(line, Block::NextLine { class, empty: 0 }, spans);
                }
                Some(Assigned::Announced { class, line, asked }) => {
                    go_on_below(line, Block::Announced { class, empty: 0, asked }, spans);
                }
                Some(Assigned::Pair { class, line }) => {
                    go_on_below(line, Block::Pair { class, properties: 0 }, spans);
                }
                Some(Assigned::Heading { class, line }) => go_on_below(line, Block::Heading { class }, spans),
                Some(Assigned::Heredoc { heredoc, line }) => go_on_below(line, Block::Heredoc(heredoc), spans),
                Some(Assigned::Continued { class, line }) => {
                    go_on_below(line, Block::Continued(Continued::from_the_next_line(class)), spans);
                }
                Some(Assigned::Block { class, indent, line }) => {
                    go_on_below(line, Block::Scalar { class, indent, seen: 0 }, spans);
                }
                Some(Assigned::Column { line }) => {
                    if let Some(table) = table::head(segment, line) {
                        go_on_below(line, Block::TableHead(table), spans);
                    }
                }
                Some(Assigned::Section { section, line }) => go_on_below(line, Block::Manifest(section), spans),
                Some(Assigned::Escaped { at }) => escaped::read(segment, rules, at, spans),
                Some(Assigned::Members { from, to: end }) => manifest::members(segment, rules, from, end, spans),
                Some(Assigned::Nothing { until }) => quiet_until = until,
                None => {}
            },
            Anchor::Begin => {
                if let Some(line_end) = block::begin(segment, rules, at, spans) {
                    go_on_below(line_end, Block::KEY, spans);
                } else if public::begins(segment, at) {
                    public.begin(at);
                }
            }
            Anchor::Command => {
                if let Some(class) = command::announces(segment, at) {
                    go_on_below(segment.line_end(at), Block::Printed { class, length: 0 }, spans);
                }
            }
            Anchor::Escape if escaped::begins(segment, at) => escaped::read(segment, rules, at, spans),
            Anchor::Escape => {}
            Anchor::Argument if at < listed_until => {}
            Anchor::Argument => {
                if let Some(border) = argv::border(segment, at) {
                    listed_until = argv::read(segment, rules, border, spans);
                }
            }
            Anchor::End => public.end(at),
            Anchor::Putty => {
                let line_end = segment.line_end(at);
                go_on_below(line_end, Block::KEY, spans);
            }
            Anchor::Codes => {
                phrase::codes_behind(segment, rules, to, segment.line_end(to), spans);
                go_on_below(at, Block::Codes, spans);
            }
            Anchor::Phrase => {
                let end = segment.line_end(at);
                if !phrase::behind(segment, rules, to, end, spans) {
                    go_on_below(at, Block::Phrase, spans);
                }
            }
            Anchor::Manifest => {
                if let Some(manifest) = manifest::Manifest::at(segment, at, to) {
                    go_on_below(at, Block::Manifest(manifest), spans);
                }
            }
            Anchor::Card => card::behind(segment, rules, to, spans),
            Anchor::Hex if segment.line_end(to) == to => go_on_below(at, Block::Hex { seen: 0 }, spans),
            Anchor::ShortToken | Anchor::Hex => {}
            Anchor::Rules(keyword) => {
                for number in rules.of_keyword(keyword) {
                    lines::search(segment, rules, number, at, &mut searched, spans);
                }
            }
        }
    });
}

/// Redacts a whole text at once.
pub fn redact(text: &str, rules: &Arc<Rules>) -> (String, Counts) {
    Redactor::new(Arc::clone(rules)).whole(text)
}

/// Whether something of `kind` is found in `text`.
fn finds(text: &str, rules: &Rules, kind: u16) -> bool {
    let bytes = text.as_bytes();
    let segment = Segment::new(bytes, 0, 0, bytes.len(), bytes.len());
    let mut spans = Vec::new();
    find_in_lines(&segment, rules, &mut spans);
    spans.iter().any(|span| span.kind == kind)
}
