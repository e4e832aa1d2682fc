//! Secrets that go over several lines: private keys and YAML block scalars.
//!
//! The lines around a key (`-----BEGIN …`, `-----END …`) stay; of its own lines the first becomes the placeholder and
//! the others empty, so that every line keeps its number.

use memchr::memmem;

use super::below;
use super::class::Class;
use super::command;
use super::continued::{Continued, Heredoc};
use super::definition::Definition;
use super::generated::Generated;
use super::insert;
use super::judge;
use super::manifest::{Manifest, ManifestLine};
use super::operator;
use super::parameters::Bound;
use super::phrase;
use super::public::Public;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::table::{self, TableHead};
use super::wrapped::{self, Wrapped};
use crate::byte_set::among;

/// What the next line may belong to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Block {
    /// Nothing that goes over lines.
    #[default]
    None,
    /// The lines of a private key.
    Key {
        /// How many lines of it were seen.
        seen: usize,
        /// How long its lines are, and where in the line they begin.
        width: usize,
        margin: usize,
    },
    /// The value of a name that stood at the end of the line before, or a few empty lines above.
    NextLine { class: Class, empty: usize },
    /// The lines of a login: the user, and when that was `named`, the password.
    Login { named: bool },
    /// The other half of a pair: `name: DB_PASSWORD` stood on the line before, or a few properties above.
    Pair { class: Class, properties: usize },
    /// The line that underlines a heading.
    Heading { class: Class },
    /// A word that a sentence above announced, or asked for.
    Announced { class: Class, empty: usize, asked: bool },
    /// What a command prints; further lines are as long as the first, whose `length` is known then.
    Printed { class: Class, length: usize },
    /// The value of a form's field or of a flag, after an empty line perhaps.
    Field { class: Class, empty: usize },
    /// The rows of a table.
    TableHead(TableHead),
    /// The rows of a table that was defined, among other lines.
    Definition(Definition),
    /// The values of a statement's placeholders, among other lines.
    Bound(Bound),
    /// The attributes of a resource, among other lines.
    Generated(Generated),
    /// Recovery codes, one or more a line.
    Codes,
    /// The words of a seed phrase.
    Phrase,
    /// The lines of a private key in hexadecimal: `b6:9a:e6:`.
    Hex { seen: usize },
    /// The lines below the first one of a token.
    Wrapped(Wrapped),
    /// What follows `kind: Secret`.
    Manifest(Manifest),
    /// The lines of a text up to the word that ends it.
    Heredoc(Heredoc),
    /// The lines that backslashes join.
    Continued(Continued),
    /// The lines of a YAML block scalar.
    Scalar { class: Class, indent: usize, seen: usize },
    /// The rest of a word that was longer than what may be held back.
    Word,
}

impl Block {
    pub(super) const KEY: Block = Block::Key { seen: 0, width: 0, margin: 0 };
}

/// Takes the lines from `from` on that belong to `block`; returns where they end.
pub(super) fn take_lines(
    segment: &Segment<'_>,
    rules: &Rules,
    block: &mut Block,
    from: usize,
    spans: &mut Vec<Span>,
) -> usize {
    let mut at = from;
    while at < segment.end && *block != Block::None {
        if *block == Block::Word {
            let rest = segment.part(at, segment.end);
            let end =
                rest.iter().position(|&b| !key_byte(b) && !matches!(b, b'_' | b'-')).map_or(segment.end, |n| at + n);
            if let Some(kind) = rules.detector(Detector::Generic).filter(|_| end > at) {
                spans.push(Span { start: at, end, kind, weight: weight::BLOCK, with: With::Nothing });
            }
            if end < segment.end {
                *block = Block::None;
            }
            return end;
        }
        let end = segment.line_end(at);
        let next = segment.line(at).1.max(at) + 1;
        if !take_line(segment, rules, block, at, end, spans) {
            return at;
        }
        at = next;
    }
    at.min(segment.limit)
}

/// Takes one line; `false` if it is not part of the block after all and is to be looked at like any other.
fn take_line(
    segment: &Segment<'_>,
    rules: &Rules,
    block: &mut Block,
    at: usize,
    end: usize,
    spans: &mut Vec<Span>,
) -> bool {
    match *block {
        Block::None | Block::Word => false,
        Block::NextLine { class, empty } => {
            if segment.part(at, end).trim_ascii().is_empty() && empty < 2 {
                *block = Block::NextLine { class, empty: empty + 1 };
                return true;
            }
            // Salt says what changed: a rule, `new:`, and the value below.
            if matches!(segment.part(at, end).trim_ascii(), b"----------" | b"new:") {
                return true;
            }
            // Its properties follow, one of which is the value: `Type: String`, `Default: …`.
            if is_property(segment.part(at, end).trim_ascii()) {
                *block = Block::Pair { class, properties: 1 };
                return true;
            }
            *block = Block::None;
            let taken = below::on_its_own_line(segment, at, rules, class).map(|span| spans.push(span)).is_some();
            // A list of them.
            let line = segment.part(at, end).trim_ascii_start();
            let listed = line.starts_with(b"- ") || among!(line.first().copied().unwrap_or(b' '), b"\"'");
            if taken && listed {
                *block = Block::NextLine { class, empty: 2 };
            }
            taken
        }
        Block::Pair { class, properties } => {
            let line = segment.part(at, end).trim_ascii();
            let property = [&b"\"sensitive\":"[..], b"\"type\":", b"\"Type\":", b"\"ARN\":"]
                .iter()
                .any(|name| line.starts_with(name));
            if (property || is_property(line) || is_member(line)) && properties < 4 {
                *block = Block::Pair { class, properties: properties + 1 };
                return true;
            }
            *block = Block::None;
            let value = operator::paired_line(segment, at);
            let span = value.and_then(|value| below::value_of_pair(segment, value, rules, class));
            span.map(|span| spans.push(span)).is_some()
        }
        Block::Login { named } => {
            let opens = segment.part(at, end).trim_ascii().starts_with(b"<");
            *block = if named || opens { Block::None } else { Block::Login { named: true } };
            if !named || opens {
                return !opens;
            }
            below::last_of_login(segment, at, end, rules).map(|span| spans.push(span)).is_some()
        }
        Block::Heading { class } => {
            let line = segment.part(at, end).trim_ascii();
            let underlines = line.len() >= 3 && line.iter().all(|b| among!(*b, b"-=~"));
            *block = if underlines { Block::Announced { class, empty: 0, asked: false } } else { Block::None };
            underlines
        }
        Block::Announced { class, empty, asked } => {
            if segment.part(at, end).trim_ascii().is_empty() && empty < 2 {
                *block = Block::Announced { class, empty: empty + 1, asked };
                return true;
            }
            *block = Block::None;
            let found = if asked { below::answered } else { below::announced };
            found(segment, at, end, rules, class).map(|span| spans.push(span)).is_some()
        }
        Block::Field { class, empty } => {
            if segment.part(at, end).trim_ascii().is_empty() && empty < 1 {
                *block = Block::Field { class, empty: empty + 1 };
                return true;
            }
            *block = Block::None;
            command::field(segment, at, end, rules, class).map(|span| spans.push(span)).is_some()
        }
        Block::Printed { class, length } => {
            let as_long = |span: &Span| length == 0 || span.end - span.start == length;
            let printed = command::printed(segment, at, end, rules, class).filter(as_long);
            *block = printed.map_or(Block::None, |span| Block::Printed { class, length: span.end - span.start });
            printed.map(|span| spans.push(span)).is_some()
        }
        Block::TableHead(table) => {
            let row = if table.is_of_tuples() { insert::rows } else { table::row };
            let taken = row(segment, rules, &table, at, end, spans);
            if taken {
                // Other columns may hold what is a secret by itself.
                names_in_line(segment, rules, at, spans);
            } else {
                *block = Block::None;
            }
            taken
        }
        Block::Codes => {
            let taken = phrase::codes(segment, rules, at, end, spans);
            if !taken {
                *block = Block::None;
            }
            taken
        }
        Block::Phrase => {
            *block = Block::None;
            phrase::words(segment, rules, at, end, spans)
        }
        Block::Hex { seen } => {
            let line = segment.part(at, end);
            let text = line.trim_ascii();
            let part = [&b"prime1:"[..], b"prime2:", b"exponent1:", b"exponent2:", b"coefficient:"].contains(&text);
            if part && seen > 0 {
                *block = Block::Hex { seen: 0 };
                return true;
            }
            let Some(kind) = rules.detector(Detector::PrivateKey).filter(|_| in_pairs(text)) else {
                *block = Block::None;
                return false;
            };
            let start = at + line.len() - line.trim_ascii_start().len();
            let with = if seen == 0 { With::Placeholder } else { With::Nothing };
            spans.push(Span { start, end: start + text.len(), kind, weight: weight::BLOCK, with });
            *block = Block::Hex { seen: seen + 1 };
            true
        }
        Block::Wrapped(wrapped) => {
            let taken = wrapped::line(segment, &wrapped, at, end);
            *block = if taken.is_some_and(|(_, more)| more) { Block::Wrapped(wrapped) } else { Block::None };
            taken.map(|(span, _)| spans.push(span)).is_some()
        }
        Block::Definition(definition) => {
            let before = spans.len();
            let rest = definition.take_line(segment, rules, at, end, spans);
            let mut inner = Block::None;
            if spans.len() == before {
                other_line(segment, rules, &mut inner, at, spans);
            }
            let defined = matches!(inner, Block::Definition(_)) && rest.is_some();
            *block = match rest {
                Some(rest) if inner == Block::None || defined => Block::Definition(rest),
                _ => inner,
            };
            true
        }
        Block::Bound(bound) => {
            let before = spans.len();
            let rest = bound.take_line(segment, rules, at, end, spans);
            let mut inner = Block::None;
            if spans.len() == before {
                other_line(segment, rules, &mut inner, at, spans);
            }
            *block = if inner == Block::None { rest.map_or(Block::None, Block::Bound) } else { inner };
            true
        }
        Block::Generated(generated) => {
            let before = spans.len();
            let rest = generated.take_line(segment, rules, at, end, spans);
            let mut inner = Block::None;
            if spans.len() == before {
                other_line(segment, rules, &mut inner, at, spans);
            }
            *block = if inner == Block::None { rest.map_or(Block::None, Block::Generated) } else { inner };
            true
        }
        Block::Manifest(mut manifest) => {
            let taken = manifest.take_line(segment, rules, at, end, spans);
            if taken == ManifestLine::Other {
                names_in_line(segment, rules, at, spans);
            }
            *block = if taken == ManifestLine::Over { Block::None } else { Block::Manifest(manifest) };
            taken != ManifestLine::Over
        }
        Block::Heredoc(heredoc) => {
            let next = heredoc.take(segment, rules, at, end, spans);
            *block = next.map_or(Block::None, Block::Heredoc);
            next.is_some()
        }
        Block::Continued(continued) => {
            let (taken, next) = continued.take(segment, rules, at, end, spans);
            *block = next.map_or(Block::None, Block::Continued);
            taken
        }
        Block::Scalar { class, indent, seen } => {
            let line = segment.part(at, end);
            let text = line.trim_ascii();
            if text.is_empty() {
                return true;
            }
            let margin = line.iter().take_while(|b| b.is_ascii_whitespace()).count();
            if margin <= indent || text.starts_with(b"-----BEGIN") || text.starts_with(b"[REDACTED") {
                *block = Block::None;
                return false;
            }
            if seen == 0 && judge::placeholder(text) {
                *block = Block::None;
                return false;
            }
            let Some(kind) = rules.detector(Detector::from(class)) else { return false };
            let with = if seen == 0 { With::Placeholder } else { With::Nothing };
            spans.push(Span { start: at + margin, end: at + margin + text.len(), kind, weight: weight::BLOCK, with });
            *block = Block::Scalar { class, indent, seen: seen + 1 };
            true
        }
        Block::Key { seen, width, margin } => {
            let line = segment.part(at, end);
            if line.trim_ascii().is_empty() {
                return true;
            }
            let Some(kind) = rules.detector(Detector::PrivateKey) else { return false };
            if memmem::find(line, b"-----END").is_some() || memmem::find(line, b"---- END").is_some() {
                *block = Block::None;
                return false;
            }
            if seen == 0 && is_key_header(line) {
                return true;
            }
            let Some((start, stop)) = key_part(line, seen > 0, width, margin) else {
                *block = Block::None;
                return false;
            };
            let with = if seen == 0 { With::Placeholder } else { With::Nothing };
            spans.push(Span { start: at + start, end: at + stop, kind, weight: weight::BLOCK, with });
            let length = stop - start;
            // All lines of a key are equally long but for the last.
            *block = match (seen, length < width) {
                (0, _) => Block::Key { seen: 1, width: length, margin: start },
                (_, true) => Block::Key { seen: seen + 1, width: 0, margin: usize::MAX },
                (_, false) => Block::Key { seen: seen + 1, width, margin },
            };
            true
        }
    }
}

/// Looks at the line around `at`, which stands between the lines of a block, as at any other.
fn other_line(segment: &Segment<'_>, rules: &Rules, block: &mut Block, at: usize, spans: &mut Vec<Span>) {
    let line_end = segment.line(at).1.min(segment.end);
    let line = Segment::new(segment.bytes, segment.low, at, line_end, segment.limit);
    super::find(&line, rules, block, &mut Public::default(), at..at, spans);
}

/// Looks for names of secrets, and for what else literals lead to, on the line around `at`.
fn names_in_line(segment: &Segment<'_>, rules: &Rules, at: usize, spans: &mut Vec<Span>) {
    let line_end = segment.line(at).1.min(segment.end);
    if !segment.has_literal(at, line_end) {
        return;
    }
    let line = Segment::new(segment.bytes, segment.low, at, line_end, segment.limit);
    super::literals(&line, rules, &mut Block::None, &mut Public::default(), at, spans);
}

/// Whether `line` says something of a setting between its name and its value: `Type: string`.
fn is_property(line: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', line).filter(|_| line.len() <= 40) else { return false };
    let (name, value) = line.split_at(colon);
    [&b"type"[..], b"scope", b"source", b"sensitive", b"required", b"masked", b"protected", b"encrypted"]
        .iter()
        .any(|known| name.trim_ascii_end().eq_ignore_ascii_case(known))
        && value.iter().all(|b| b.is_ascii_alphabetic() || among!(*b, b": "))
}

/// Whether `line` is a member of an object in JSON that is neither a name nor a value: `"slotSetting": false,`.
fn is_member(line: &[u8]) -> bool {
    let Some(inner) = line.strip_prefix(b"\"") else { return false };
    let Some(close) = memchr::memchr(b'"', inner).filter(|_| line.len() <= 64) else { return false };
    let (name, rest) = inner.split_at(close);
    let plain = |b: &u8| b.is_ascii_alphanumeric() || among!(*b, b": ,\"._-");
    let name = name.strip_prefix(b"Parameter").unwrap_or(name);
    !["name", "key", "value", "content"].iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        && rest.starts_with(b"\":")
        && rest.iter().all(plain)
}

/// Whether `text` is bytes in hexadecimal with colons between them.
fn in_pairs(text: &[u8]) -> bool {
    let text = text.strip_suffix(b":").unwrap_or(text);
    !text.is_empty() && text.split(|&b| b == b':').all(|pair| pair.len() == 2 && pair.iter().all(u8::is_ascii_hexdigit))
}

/// `Proc-Type: 4,ENCRYPTED`, `DEK-Info: …`, `Version: …`, `Comment: …`.
fn is_key_header(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let name = line.iter().take_while(|b| b.is_ascii_alphabetic() || **b == b'-').count();
    name >= 4 && line.get(name) == Some(&b':') && line.get(name + 1) == Some(&b' ')
}

fn key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// The part of `line` that is a key's: its last word, without quotes and escapes.
fn key_part(line: &[u8], inside: bool, width: usize, margin: usize) -> Option<(usize, usize)> {
    let mut end = line.len();
    let trailing =
        |b: u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'`' | b',' | b';' | b'\\' | b'+' | b')');
    loop {
        match line.get(..end).and_then(<[u8]>::last) {
            Some(&byte) if trailing(byte) && !(byte == b'+' && line.get(end - 2).is_some_and(|&b| key_byte(b))) => {
                end -= 1
            }
            Some(b'n' | b'r') if end >= 2 && line.get(end - 2) == Some(&b'\\') => end -= 2,
            _ => break,
        }
    }
    let line = line.get(..end)?;
    let start = line.iter().rposition(|&b| !key_byte(b)).map_or(0, |at| at + 1);
    let length = end - start;
    let alone = line.get(..start)?.iter().all(|b| b.is_ascii_whitespace() || among!(*b, b"\"'`#*+-|>/"));
    // `grep -n` and the like put a number before each line, and numbers grow.
    let beside = start.abs_diff(margin) <= 2 && start > 0 && line.get(start - 1).is_some_and(|b| among!(*b, b":-|\t "));
    let fits = if inside {
        // After a shorter line the key is over, but for the checksum of PGP.
        let checksum = margin == usize::MAX && length == 5 && line.get(start) == Some(&b'=');
        (width > 0 && length <= width && (alone || start == margin || beside)) || checksum
    } else {
        length >= 16 && (alone || length >= 32)
    };
    (fits && length > 0).then_some((start, end))
}

/// What the first line of a private key says, and what may follow these words.
const LABELS: [(&[u8], &[&[u8]]); 2] = [(b"PRIVATE KEY", &[b"", b" ", b" BLOCK"]), (b"Static key", &[b" V1"])];

/// A private key whose first line holds `BEGIN ` at `at`. Its lines below are left to `block`.
pub(super) fn begin(segment: &Segment<'_>, rules: &Rules, at: usize, spans: &mut Vec<Span>) -> Option<usize> {
    let kind = rules.detector(Detector::PrivateKey)?;
    if segment.before(at) != b'-' && !segment.part(segment.low, at).ends_with(b"- ") {
        return None;
    }
    let line_end = segment.line_end(at);
    let line = segment.part(at, line_end);
    let label = line.get(..line.len().min(80))?;
    let (words, endings) = LABELS.into_iter().find(|(words, _)| memmem::find(label, words).is_some())?;
    let private = memmem::find(label, words)?;
    // Whatever else stands between may be gone when the text is read again.
    if !line.get(b"BEGIN ".len()..private)?.iter().all(|&b| b.is_ascii_alphanumeric() || b == b' ') {
        return None;
    }
    let dashes = line.get(private..)?.iter().position(|&b| b == b'-').map(|n| private + n)?;
    // Far behind the words a dash is somebody else's.
    if !endings.contains(&line.get(private + words.len()..dashes)?) {
        return None;
    }
    let header = dashes + line.get(dashes..)?.iter().take_while(|&&b| b == b'-').count();
    let rest = line.get(header..)?;
    // Another beginning belongs to another key.
    let rest = memmem::find(rest, b"-----BEGIN").and_then(|next| rest.get(..next)).unwrap_or(rest);
    let base = at + header;
    if let Some(end) = memmem::find(rest, b"-----END") {
        // A key on one line, in a JSON string as a rule: its line ends are escapes.
        let (from, to) = inner(rest.get(..end)?);
        let key = rest.get(from..to)?;
        let longest = key.split(|b| !key_byte(*b)).map(<[u8]>::len).max().unwrap_or(0);
        if longest >= 16 && !super::shape::monotonous(key) {
            spans.push(Span {
                start: base + from,
                end: base + to,
                kind,
                weight: weight::BLOCK,
                with: With::Placeholder,
            });
        }
        return None;
    }
    let word = |b: &u8| key_byte(*b) || matches!(b, b'\\' | b' ' | b'-' | b':' | b',');
    let (from, _) = inner(rest);
    let content = rest.get(from..)?;
    let length = content.iter().take_while(|b| word(b)).count();
    let body = content.get(..length)?.trim_ascii_end();
    let longest = body.split(|b| !key_byte(*b)).map(<[u8]>::len).max().unwrap_or(0);
    if longest >= 16 {
        let end = base + from + body.len();
        spans.push(Span { start: base + from, end, kind, weight: weight::BLOCK, with: With::Placeholder });
        return None;
    }
    // Nothing but a quote, an escape or a plus sign may follow on this line if the key is on the next ones.
    rest.iter().all(|b| b.is_ascii_whitespace() || among!(*b, b"\"'`\\nr+,;.<>/")).then_some(line_end)
}

/// `bytes` without the blanks and the escaped line ends around it.
fn inner(bytes: &[u8]) -> (usize, usize) {
    let (mut from, mut to) = (0, bytes.len());
    loop {
        match bytes.get(from..to) {
            Some([b' ' | b'\t', ..]) => from += 1,
            Some([b'\\', b'n' | b'r', ..]) => from += 2,
            Some([b'\\', b'\\', ..]) => from += 1,
            Some([.., b' ' | b'\t']) => to -= 1,
            Some([.., b'\\', b'n' | b'r']) => to -= 2,
            Some([.., b'\\']) => to -= 1,
            _ => return (from, to),
        }
    }
}
