//! What stands beside an assignment: in dumps of objects, in connection strings and on command lines a value is a
//! setting, whatever it looks like; in code it is not.

use super::extent::{Extent, Style};
use super::heads::below_names_and_values;
use super::operator::Operator;
use super::scan::Segment;
use super::surroundings::name_byte;
use crate::byte_set::among;

/// How far back the beginning of an object is looked for.
const REACH: usize = 256;

/// What the neighbours of an assignment say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neighbours {
    /// Nothing.
    None,
    /// There are others of the same form: data, or code that passes named arguments.
    Alike,
    /// There are others of the same form, and code would not be written so.
    Data,
}

/// What stands beside the value that was `found` for the name at `name`.
pub(super) fn of(segment: &Segment<'_>, name: usize, found: &Extent, style: Style, line_end: usize) -> Neighbours {
    if style.operator == Operator::Cell && below_names_and_values(segment, name) {
        return Neighbours::Data;
    }
    if style.spaced && style.operator == Operator::Equals && !found.quoted && in_record(segment, name, found.end) {
        return Neighbours::Data;
    }
    if style.spaced || style.leads {
        return Neighbours::None;
    }
    let end = found.end + usize::from(found.quoted);
    match style.operator {
        Operator::Equals if matches!(style.before, b' ' | b'"' | b'\'') => {
            in_words(segment, name, end, line_end, style)
        }
        Operator::Equals => Neighbours::None,
        Operator::Colon if !found.quoted => in_struct(segment, name, end),
        _ => Neighbours::None,
    }
    .max(if style.operator == Operator::Equals { in_object(segment, name, end) } else { Neighbours::None })
}

impl Neighbours {
    fn max(self, other: Neighbours) -> Neighbours {
        match (self, other) {
            (Neighbours::Data, _) | (_, Neighbours::Data) => Neighbours::Data,
            (Neighbours::Alike, _) | (_, Neighbours::Alike) => Neighbours::Alike,
            _ => Neighbours::None,
        }
    }
}

/// `host=db user=app password=… sslmode=require`, `--set auth.password=…,auth.database=shop`.
fn in_words(segment: &Segment<'_>, name: usize, end: usize, line_end: usize, style: Style) -> Neighbours {
    let after = segment.byte(end);
    if !(after <= b' ' || end >= line_end || after == b',' || style.open.has(after)) {
        return Neighbours::None;
    }
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(REACH)), name);
    // Markup has labels in its attributes.
    if ahead.contains(&b'<') {
        return Neighbours::None;
    }
    let word = ahead.trim_ascii_end().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let before = style.before == b' ' && assigns(word);
    let behind = segment.part(end, line_end.min(end + REACH));
    let next = behind.strip_prefix(b",").unwrap_or(behind).trim_ascii_start();
    let follows = next.len() < behind.len() && assigns(next);
    match (before, follows) {
        _ if before && connects(word) || follows && connects(next) => Neighbours::Data,
        _ if [&b"--set"[..], b"--set-string", b"-e", b"--env", b"--build-arg", b"--from-literal"].contains(&word) => {
            Neighbours::Data
        }
        (false, false) if style.before == b' ' && !word.starts_with(b"--") => Neighbours::None,
        _ => Neighbours::Alike,
    }
}

/// Whether `text` assigns something that a connection needs beside its password.
fn connects(text: &[u8]) -> bool {
    let name = text.iter().take_while(|b| name_byte(**b)).count();
    let name = text.get(..name).unwrap_or_default();
    [&b"host"[..], b"hostaddr", b"port", b"user", b"username", b"dbname", b"database", b"sslmode", b"uid", b"server"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether `text` begins with a name and an equals sign that something is joined to.
fn assigns(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let text = text.iter().position(|b| !among!(*b, b"\"'(")).and_then(|at| text.get(at..)).unwrap_or_default();
    let name = text.iter().take_while(|b| name_byte(**b)).count();
    name >= 2
        && text.first().is_some_and(u8::is_ascii_alphabetic)
        && text.get(name) == Some(&b'=')
        && text.get(name + 1).is_some_and(|b| *b > b' ' && *b != b'=')
}

/// `Login(user=app, password=…)`: an object of a type, as programs print it. Data if what stands there is no code.
fn in_object(segment: &Segment<'_>, name: usize, end: usize) -> Neighbours {
    if !among!(segment.byte(end), b",)]}") {
        return Neighbours::None;
    }
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(REACH)), name);
    let mut depth = 0usize;
    let opener = ahead.iter().rposition(|b| match b {
        b')' | b']' | b'}' => {
            depth += 1;
            false
        }
        b'(' | b'[' | b'{' if depth > 0 => {
            depth -= 1;
            false
        }
        b'(' | b'[' | b'{' => true,
        _ => false,
    });
    let Some((of_type, inside)) =
        opener.map(|at| (ahead.get(..at).unwrap_or_default(), ahead.get(at..).unwrap_or_default()))
    else {
        return Neighbours::None;
    };
    let length = of_type.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_$")).count();
    let of_type = of_type.get(of_type.len() - length..).unwrap_or_default();
    if length < 3 || !of_type.first().is_some_and(u8::is_ascii_uppercase) || !of_type.iter().any(u8::is_ascii_lowercase)
    {
        return Neighbours::None;
    }
    let address = super::shape::has(inside, b"://") || inside.contains(&b'@');
    let strings = inside.iter().any(|b| among!(*b, b"\"'`"));
    if address && !strings { Neighbours::Data } else { Neighbours::Alike }
}

/// Whether the member at `name` stands in square brackets behind another: `[user=bot, pass=…]`, which no code says.
pub(super) fn in_brackets(segment: &Segment<'_>, name: usize) -> bool {
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(REACH)), name);
    let open = ahead.iter().rposition(|b| among!(*b, b"[]{}()"));
    open.is_some_and(|open| ahead.get(open) == Some(&b'[')) && ahead.ends_with(b", ")
}

/// Whether the member at `name`, whose value ends at `end`, is one of an object that was printed.
pub(super) fn is_in_object(segment: &Segment<'_>, name: usize, end: usize) -> bool {
    in_object(segment, name, end) != Neighbours::None || in_record(segment, name, end)
}

/// Whether the member at `name`, whose value ends at `end`, is one of a struct or a map as Go prints it.
pub(super) fn is_in_struct(segment: &Segment<'_>, name: usize, end: usize) -> bool {
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(REACH)), name);
    let open = ahead.iter().rposition(|b| among!(*b, b"[]{}()"));
    let in_map = open.and_then(|open| ahead.get(..=open)).is_some_and(|ahead| ahead.ends_with(b"map["));
    in_map || in_struct(segment, name, end) == Neighbours::Data
}

/// `Settings { Host = db, Password = …, Ssl = True }`: a record as C# prints it, rather than one that code makes.
fn in_record(segment: &Segment<'_>, name: usize, end: usize) -> bool {
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(REACH)), name);
    let Some(open) = ahead.iter().rposition(|b| among!(*b, b"{}")).filter(|at| ahead.get(*at) == Some(&b'{')) else {
        return false;
    };
    let inside = ahead.get(open + 1..).unwrap_or_default();
    let words = ahead.get(..open).unwrap_or_default().trim_ascii_end();
    let mut words = words.rsplit(|b| b.is_ascii_whitespace());
    let of_type = words.next().unwrap_or_default();
    let code = matches!(words.next(), Some(b"new" | b"with" | b"struct" | b"class" | b"record"));
    let rest = segment.part(end, segment.line_end(end).min(end + 64));
    segment.byte(name).is_ascii_uppercase()
        && of_type.first().is_some_and(u8::is_ascii_uppercase)
        && !code
        && !inside.iter().any(|b| among!(*b, b";()\"'"))
        && (inside.ends_with(b", ") || inside == b" ")
        && (rest.starts_with(b", ") || rest.starts_with(b" }"))
}

/// `{User:app Password:… MaxConns:10}`: a struct as Go prints it.
fn in_struct(segment: &Segment<'_>, name: usize, end: usize) -> Neighbours {
    let opens = segment.before(name) == b'{';
    let rest = segment.part(end, (end + 48).min(segment.limit));
    let next = rest.strip_prefix(b" ").unwrap_or_default();
    let field = next.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let another = field > 0 && next.first().is_some_and(u8::is_ascii_uppercase) && next.get(field) == Some(&b':');
    let closes = rest.starts_with(b"}");
    if !segment.byte(name).is_ascii_uppercase() || !(opens || segment.before(name) == b' ') || !(another || closes) {
        return Neighbours::None;
    }
    let (line, _) = segment.line(name);
    let ahead = segment.part(line.max(name.saturating_sub(REACH)), name).trim_ascii_end();
    let word = ahead.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    if opens && another || word.contains(&b':') { Neighbours::Data } else { Neighbours::None }
}

/// Whether the string that was `found` is all that the line assigns: `+ pass='Lak3 & Mountain'`.
pub(super) fn stands_alone(segment: &Segment<'_>, found: &Extent, style: Style, line_end: usize) -> bool {
    let value = segment.part(found.start, found.end);
    if style.operator == Operator::Colon && style.leads && found.end + 2 >= line_end {
        return scrambled(value);
    }
    style.operator == Operator::Equals
        && style.leads
        && !style.spaced
        && found.end + 1 >= line_end
        && value.iter().any(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        && value.iter().any(|b| b.is_ascii_punctuation() || b.is_ascii_digit())
        && !matches!(value.last(), Some(b'.' | b':' | b'!' | b'?'))
}

/// Whether a string with blanks in it is no sentence: most of its parts hold figures or signs, and there are both.
fn scrambled(value: &[u8]) -> bool {
    let parts = || value.split(|b| *b == b' ').filter(|part| !part.is_empty());
    let words = parts().filter(|part| part.iter().all(u8::is_ascii_alphabetic)).count();
    parts().count() <= 4
        && words * 2 < parts().count()
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && value.iter().any(u8::is_ascii_punctuation)
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::{goes, stays};

    #[test]
    fn the_password_of_an_object_goes_from_its_dump() {
        goes("DataSource(url=jdbc:postgresql://db1/shop, username=web, password=Laub.Frosch, n=10)\n", "Laub.Frosch");
        goes("Config[user=app, password=Laub.Frosch7, pool=Pool[size=3]]\n", "Laub.Frosch7");
        goes("cfg: {Addr:db1:5432 User:web Password:Laub_Frosch MaxConns:10 TLS:<nil>}\n", "Laub_Frosch");
        goes("Settings(db=Db(host='db1', pwd='Laub.Frösche'))\n", "Laub.Frösche");
    }

    #[test]
    fn a_password_among_other_settings_goes_with_its_blanks() {
        goes("psql \"host=db1 user=web password='drei kleine Enten' sslmode=require\"\n", "drei kleine Enten");
        goes("+ pass='Lak3 & Mountain'\n", "Lak3 & Mountain");
        goes("[\"--set\",\"auth.dbPassword=laub.Frosch7,auth.database=shop\"]\n", "laub.Frosch7");
        goes("helm install --set auth.password=Laub.Frosch ./chart\n", "Laub.Frosch");
    }

    #[test]
    fn code_that_passes_a_password_on_stays() {
        stays("conn = connect(host=host, password=password)\n");
        stays("conn = Connection(host=cfg.host, password=cfg.password, user=user)\n");
        stays("Client(user=user, password=get(), n=1)\n");
        stays("Client(user=user, password=Settings.Default, n=1)\n");
        stays("Field(type=String, password=user_input, n=1)\n");
        stays("type T struct {User string; Password string}\n");
        stays("password='Please enter a password'\n");
        stays("<Login user=\"Your name\" password=\"Your word\" send=\"Go\" />\n");
        stays("class=Token password=Types.String name=x\n");
    }
}
