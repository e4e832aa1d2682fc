//! What the placeholders of a statement stand for: `UPDATE users SET password = ? WHERE id = ?; params: ["…", 17]`, or on
//! the lines below, one by one (`binding parameter [2] as [VARCHAR] - […]`) or together (`Parameters: …(String), …`).

use super::class::Class;
use super::code;
use super::insert;
use super::judge::{self, ValuePlace};
use super::name;
use super::quotes::quote;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::shape;
use super::table::TableHead;
use super::word_lists::STATEMENTS_PARAMETERS;
use crate::byte_set::among;

/// How long a statement may be on either side of a name in it.
const REACH: usize = 2048;
/// How many lines below its statement a value may stand.
const LINES: u8 = 24;
/// How many lists behind a statement are read.
const LISTS: usize = 8;

/// How statements begin.
const STATEMENTS: &[&[u8]] = &[b"INSERT ", b"REPLACE INTO ", b"UPDATE ", b"SELECT ", b"DELETE FROM ", b"MERGE "];

/// A statement whose values may follow on the lines below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    /// A column for each placeholder.
    table: TableHead,
    left: u8,
}

/// A value in a list of them, without its quotes.
#[derive(Debug, Clone, Copy)]
struct Element {
    start: usize,
    end: usize,
    quoted: bool,
}

/// Whether a placeholder of a statement stands at `at`: its length, and its number where it has one.
pub(super) fn placeholder(text: &[u8], at: usize) -> Option<(usize, Option<usize>)> {
    let rest = text.get(at..)?;
    let before = at.checked_sub(1).and_then(|before| text.get(before)).copied().unwrap_or(b' ');
    let digits = rest.iter().skip(1).take_while(|b| b.is_ascii_digit()).count().min(3);
    let length = match rest.first()? {
        b'?' => 1 + digits,
        b'$' | b':' if digits > 0 => 1 + digits,
        b'%' if rest.get(1) == Some(&b's') => 2,
        _ => return None,
    };
    let ends = rest.get(length).is_none_or(|b| among!(*b, b" ,);\"'`\\:\r\n"));
    let number = rest.get(1..1 + digits)?.iter().fold(0, |sum, b| 10 * sum + usize::from(b - b'0'));
    (ends && among!(before, b" =(,")).then_some((length, (digits > 0 && number > 0).then_some(number)))
}

/// Whether the value at `value` may be a placeholder of a statement, in a call perhaps.
pub(super) fn begins(segment: &Segment<'_>, value: usize) -> bool {
    let call = segment.part(value, value + 24).iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let at = if segment.byte(value + call) == b'(' { value + call + 1 } else { value };
    matches!(segment.byte(at), b'?') || matches!(segment.part(at, at + 2), b"%s" | [b'$' | b':', b'0'..=b'9'])
}

/// The statement that the name at `name` is a column of: a column for each of its placeholders, and where the last of
/// those ends. `None` if none of them stands for a secret.
pub(super) fn of_statement(segment: &Segment<'_>, name: usize) -> Option<(Bound, usize)> {
    let (line, line_end) = segment.line(name);
    let low = line.max(name.saturating_sub(REACH));
    let text = segment.part(low, line_end.min(name + REACH));
    let upper = text.to_ascii_uppercase();
    let begin = STATEMENTS.iter().filter_map(|word| shape::find(&upper, word)).min()?;
    let columns = insert::classes(text.get(begin..)?).unwrap_or_default();
    let values = shape::find(&upper, b"VALUES").unwrap_or(usize::MAX);
    let mut classes: Vec<Option<Class>> = Vec::new();
    let (mut at, mut last, mut depth, mut cell) = (begin, None, 0usize, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\'' => at += memchr::memchr(b'\'', text.get(at + 1..)?).map_or(0, |close| close + 1),
            b'(' if at > values => (depth, cell) = (depth + 1, if depth == 0 { 0 } else { cell }),
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => cell += 1,
            _ => {}
        }
        if let Some((length, number)) = placeholder(text, at) {
            let in_row = if depth > 0 { columns.get(cell).copied().flatten() } else { None };
            let place = number.map_or(classes.len(), |number| number - 1);
            if place >= 64 {
                return None;
            }
            if place >= classes.len() {
                classes.resize(place + 1, None);
            }
            if let Some(slot) = classes.get_mut(place) {
                *slot = slot.or(in_row).or_else(|| class_before(text, at));
            }
            last = Some(at + length);
            at += length;
            continue;
        }
        at += 1;
    }
    let mut table = TableHead::new(b'?');
    classes.into_iter().for_each(|class| table.add(class));
    table.has_secrets().then_some((Bound { table, left: LINES }, low + last?))
}

/// What the name is of that the placeholder at `at` is compared with or assigned to, through a call perhaps.
fn class_before(text: &[u8], at: usize) -> Option<Class> {
    let mut ahead = text.get(..at)?.trim_ascii_end();
    while let Some(call) = ahead.strip_suffix(b"(") {
        let name = call.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        ahead = call.get(..call.len() - name)?.trim_ascii_end();
    }
    let ahead = ahead.strip_suffix(b"=")?.trim_ascii_end();
    let marks = ahead.iter().rev().take_while(|b| among!(**b, b"\"`]\\")).count();
    let ahead = ahead.get(..ahead.len() - marks)?;
    let length = ahead.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_-")).count();
    name::class_of_column(ahead.get(ahead.len() - length..)?)
}

impl Bound {
    /// Adds the secrets among the values behind the statement on its own line, from `from` on; `false` if there are none.
    pub(super) fn take_here(self, segment: &Segment<'_>, rules: &Rules, from: usize, spans: &mut Vec<Span>) -> bool {
        let to = segment.line_end(from);
        let lists = lists(segment, from, to, self.table.cells());
        // What a program passes on with a statement is names; what it prints is values.
        let between = |list: &[Element]| list.first().map_or(&[][..], |first| segment.part(from, first.start));
        let passed = |list: &[Element]| between(list).windows(2).any(|two| matches!(two, [mark, b','] if quote(*mark)));
        match lists.iter().find(|list| list.iter().any(|element| element.quoted)).or(lists.first()) {
            Some(list) => {
                let only_quoted = passed(list);
                self.take(segment, rules, list, only_quoted, spans);
                true
            }
            None => false,
        }
    }

    /// Adds the secrets of the line `at..end` below the statement; what is still to come, if anything is.
    pub(super) fn take_line(
        mut self,
        segment: &Segment<'_>,
        rules: &Rules,
        at: usize,
        end: usize,
        spans: &mut Vec<Span>,
    ) -> Option<Bound> {
        self.left = self.left.checked_sub(1)?;
        if let Some((number, element)) = one(segment, at, end) {
            let list: Vec<Element> = std::iter::repeat_n(element, number).collect();
            if let Some(class) = self.table.class_of(number - 1) {
                self.push(segment, rules, class, list.first()?, false, spans);
            }
            return (number < self.table.cells()).then_some(self);
        }
        let line = segment.part(at, end);
        let lower = line.to_ascii_lowercase();
        let announced = STATEMENTS_PARAMETERS.iter().any(|word| shape::has(&lower, word.as_bytes()));
        let alone = self.left + 1 == LINES && among!(line.trim_ascii().first().copied().unwrap_or(b' '), b"[(");
        if !announced && !alone {
            return Some(self);
        }
        let lists = lists(segment, at, end, self.table.cells());
        let Some(list) = lists.iter().find(|list| list.iter().any(|element| element.quoted)).or(lists.first()) else {
            return Some(self);
        };
        self.take(segment, rules, list, !announced, spans);
        None
    }

    fn take(&self, segment: &Segment<'_>, rules: &Rules, list: &[Element], only_quoted: bool, spans: &mut Vec<Span>) {
        for (place, element) in list.iter().enumerate() {
            if let Some(class) = self.table.class_of(place) {
                self.push(segment, rules, class, element, only_quoted || !element.quoted && list.len() == 1, spans);
            }
        }
    }

    fn push(
        &self,
        segment: &Segment<'_>,
        rules: &Rules,
        class: Class,
        element: &Element,
        only_quoted: bool,
        spans: &mut Vec<Span>,
    ) {
        let Element { start, end, quoted } = *element;
        let secret = segment.part(start, end);
        let place = ValuePlace { setting: true, alone: true, free: true, ..ValuePlace::default() };
        let worth = match class {
            Class::Password => secret.len() >= 4 && !judge::placeholder(secret),
            _ => judge::secret_value(class, secret, place),
        };
        let value = quoted || !only_quoted && !code::code(secret) || secret.contains(&b' ');
        let kind = rules.detector(Detector::from(class)).filter(|_| worth && value && !rules.allowed(secret));
        if let Some(kind) = kind.filter(|_| (segment.start..segment.end).contains(&start)) {
            spans.push(Span { start, end, kind, weight: weight::ASSIGNED, with: With::Placeholder });
        }
    }
}

/// The value of one placeholder and its number: `binding parameter [2] as [VARCHAR] - […]`,
/// `binding parameter (2:VARCHAR) <- […]`.
fn one(segment: &Segment<'_>, at: usize, end: usize) -> Option<(usize, Element)> {
    let line = segment.part(at, end);
    let word = shape::find(line, b"binding parameter ")? + b"binding parameter ".len();
    let rest = line.get(word..)?;
    let sign = rest.iter().take_while(|b| among!(**b, b"[(#")).count();
    let digits = rest.get(sign..)?.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = rest.get(sign..sign + digits)?.iter().take(4).fold(0, |sum, b| 10 * sum + usize::from(b - b'0'));
    let open =
        [&b"- ["[..], b"<- ["].iter().find_map(|mark| shape::find(rest, mark).map(|found| found + mark.len()))?;
    let text = rest.get(open..)?.trim_ascii_end().strip_suffix(b"]")?;
    let start = at + word + open;
    (digits > 0 && (1..=64).contains(&number))
        .then_some((number, Element { start, end: start + text.len(), quoted: true }))
}

/// The lists of `count` values in `from..to`: those in brackets, or what follows `Parameters:` up to the line's end.
fn lists(segment: &Segment<'_>, from: usize, to: usize, count: usize) -> Vec<Vec<Element>> {
    let line = segment.part(from, to);
    let mut found = Vec::new();
    for open in line.iter().enumerate().filter(|(_, b)| among!(**b, b"[({")).map(|(at, _)| from + at).take(LISTS) {
        let close = match segment.byte(open) {
            b'[' => b']',
            b'(' => b')',
            _ => b'}',
        };
        found.extend(elements(segment, open + 1, to, Some(close)).filter(|list| list.len() == count));
    }
    let bare = [&b"arameters: "[..], b"arams: ", b"ARAMETERS: ", b"indings: "]
        .iter()
        .find_map(|word| shape::find(line, word).map(|at| from + at + word.len()));
    if let Some(at) = bare.filter(|at| !among!(segment.byte(*at), b"[({")) {
        found.extend(elements(segment, at, to, None).filter(|list| list.len() == count));
    }
    found
}

/// The values from `from` on, up to `close` or to the end; `None` if that is missing, or if a value has a name.
fn elements(segment: &Segment<'_>, from: usize, to: usize, close: Option<u8>) -> Option<Vec<Element>> {
    let mut elements = Vec::new();
    let (mut at, mut start, mut depth) = (from, from, 0usize);
    loop {
        let byte = if at < to { Some(segment.byte(at)) } else { None };
        let ends = byte.is_none() || depth == 0 && (byte == Some(b',') || byte == close);
        if ends {
            let empty = segment.part(start, at).trim_ascii().is_empty();
            if !empty {
                elements.push(element(segment, start, at)?);
            }
            match byte {
                Some(b',') if elements.len() < 64 => start = at + 1,
                None if close.is_some() => return None,
                _ => return (!elements.is_empty()).then_some(elements),
            }
        }
        match byte {
            Some(mark) if quote(mark) && opens(segment, start, at) => at = string_end(segment, at + 1, to, mark)?,
            Some(b'[' | b'(' | b'{') => depth += 1,
            Some(b']' | b')' | b'}') if !ends => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
    }
}

/// Whether the quote at `at` opens a string: none of the value's own letters stands before it.
fn opens(segment: &Segment<'_>, start: usize, at: usize) -> bool {
    let before = segment.before(at);
    at == start || !before.is_ascii_alphanumeric() || at - start <= 2
}

/// Where the string that goes on at `at` ends: at a quote that is neither doubled nor escaped.
fn string_end(segment: &Segment<'_>, at: usize, to: usize, mark: u8) -> Option<usize> {
    let mut at = at;
    while at < to {
        match segment.byte(at) {
            b'\\' => at += 1,
            byte if byte == mark && segment.byte(at + 1) == mark => at += 1,
            byte if byte == mark => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The value in `from..to`: without its number (`$1 = …`), its type (`…(String)`), its quotes; of a pair in brackets the
/// last string.
fn element(segment: &Segment<'_>, from: usize, to: usize) -> Option<Element> {
    let text = segment.part(from, to);
    let blanks = text.len() - text.trim_ascii_start().len();
    let (from, text) = (from + blanks, text.trim_ascii());
    let number = behind_number(text)?;
    let (from, text) = (from + number, text.get(number..)?);
    if text.starts_with(b"[REDACTED") {
        return Some(Element { start: from, end: from + text.len(), quoted: true });
    }
    if matches!(text.first(), Some(b'[' | b'(')) {
        let close = text.iter().rposition(|b| quote(*b))?;
        let open = text.get(..close)?.iter().rposition(|b| Some(b) == text.get(close))?;
        return Some(Element { start: from + open + 1, end: from + close, quoted: true });
    }
    let prefix = usize::from(matches!(text, [b'b' | b'u' | b'r' | b'N', mark, ..] if quote(*mark)));
    if let Some(mark) = text.get(prefix).copied().filter(|mark| quote(*mark)) {
        let start = from + prefix + 1;
        let end = string_end(segment, start, from + text.len(), mark)?;
        return Some(Element { start, end, quoted: true });
    }
    let typed = text.strip_suffix(b")").and_then(|text| {
        let open = memchr::memrchr(b'(', text)?;
        text.get(open + 1..)?.iter().all(u8::is_ascii_alphanumeric).then_some(open)
    });
    // What has a type behind it is a value, whatever it looks like.
    Some(Element { start: from, end: from + typed.unwrap_or(text.len()), quoted: typed.is_some_and(|open| open > 0) })
}

/// How long the number of a value is, with what joins them: `$1 = `, `"2": `, `1 => `; `None` if that is a name.
fn behind_number(text: &[u8]) -> Option<usize> {
    let marks = text.iter().take_while(|b| among!(**b, b"\"'$:@[")).count();
    let digits = text.get(marks..)?.iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = text.get(marks + digits..)?;
    let close = rest.iter().take_while(|b| among!(**b, b"\"'] ")).count();
    let sign = rest.get(close..)?.iter().take_while(|b| among!(**b, b"=>:")).count();
    let joined = marks + digits + close + sign;
    let blanks = text.get(joined..)?.iter().take_while(|b| **b == b' ').count();
    if digits > 0 && sign > 0 {
        return Some(joined + blanks);
    }
    // `{name: value}`
    let name = text.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let named = name > 0 && matches!(text.get(name), Some(b'=')) && !text.ends_with(b"=");
    (!named).then_some(0)
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::{goes, stays};

    #[test]
    fn values_on_the_line_of_their_statement_go() {
        goes("SQL: UPDATE users SET password = ? WHERE id = ?; params: [\"Maple!Otter\", 17]\n", "Maple!Otter");
        goes(
            "INSERT INTO users (name, password, n) VALUES (%s, %s, %s); args=('mara', 'otter maple', 3); x\n",
            "otter maple",
        );
        goes("\"INSERT INTO user (email, password) VALUES (?, ?)\" [mara@acme.io, Maple_34]\n", "Maple_34");
        goes(
            "UPDATE \"u\" SET \"password\" = $1 WHERE \"id\" = $2  [[\"password\", \"maple otter\"], [\"id\", 7]]\n",
            "maple otter",
        );
        goes("insert into `u` (`n`, `passwd`) values (?, crypt(?)) {\"1\":\"mara\",\"2\":\"maple\"}\n", "maple");
        goes("query: UPDATE u SET password = $2 WHERE id = $1 -- PARAMETERS: [7,\"maple\"]\n", "maple");
    }

    #[test]
    fn values_below_their_statement_go() {
        goes(
            "Hibernate: insert into users (email, password, id) values (?, ?, ?)\nbinding parameter [1] as [VARCHAR] - [mara]\nbinding parameter [2] as [VARCHAR] - [Maple2021]\n",
            "Maple2021",
        );
        goes("update a set password=?, name=? where id=?\nbinding parameter (1:VARCHAR) <- [otter]\n", "otter");
        goes(
            "==>  Preparing: UPDATE u SET password = ? WHERE id = ?\n==> Parameters: otter(String), 7(Integer)\n",
            "otter",
        );
        goes(
            "Engine INSERT INTO users (name, password) VALUES (?, ?)\nEngine [generated in 0.00012s] ('mara', 'otter maple')\n",
            "otter maple",
        );
        goes(
            "LOG:  execute <unnamed>: UPDATE a SET password = $1 WHERE id = $2\nDETAIL:  parameters: $1 = 'otter', $2 = '12'\n",
            "otter",
        );
    }

    #[test]
    fn other_parameters_and_code_stay() {
        for text in [
            "SQL: UPDATE users SET city = ? WHERE id = ?; params: [\"Maple!Otter\", 17]\n",
            "db.query(\"UPDATE users SET password = ? WHERE id = ?\", [newPassword, id])\n",
            "cursor.execute(\"INSERT INTO u (name, password) VALUES (%s, %s)\", (name, pw_new))\n",
            "UPDATE users SET password = ? WHERE id = ?\nfoo(bar, baz)\nmain(argc, argv)\n",
            "SELECT * FROM u WHERE password = $1\nparameters: $1 = NULL\n",
            "url?password=?&x=1 [abc]\n",
        ] {
            stays(text);
        }
    }
}
