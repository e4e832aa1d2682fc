//! Passwords of several words without quotes: in a section of settings, where the value goes to the line's end, and in
//! dumps of objects, where it goes to the next member.

use super::extent::{Extent, Style};
use super::judge;
use super::neighbours;
use super::operator::Operator;
use super::passphrase;
use super::scan::Segment;
use super::siblings;
use super::word_lists::COMMANDS_CALLED;
use crate::byte_set::among;

/// How long such a value may be.
const LONGEST: usize = 96;

/// Where the password ends of which only the first word was `found`, if it goes on behind the blank.
pub(super) fn end(segment: &Segment<'_>, name: usize, found: &Extent, style: Style, line_end: usize) -> Option<usize> {
    let first = segment.part(found.start, found.end);
    if found.quoted || segment.byte(found.end) != b' ' || judge::placeholder(first) {
        return None;
    }
    let opened = segment.before(name);
    if style.open.any() {
        // The string is the setting, or the flag: `"DB_PASS=…"`, `"--password=…"`.
        let end = memchr::memchr(opened, segment.part(found.end, line_end)).map(|at| found.end + at)?;
        let whole = style.operator == Operator::Equals && !style.spaced && style.open.has(opened);
        let value = segment.part(found.start, end);
        return (whole && value.len() <= LONGEST && passphrase::may_be(value)).then_some(end);
    }
    let whole = || {
        let rest = segment.part(found.start, line_end).trim_ascii_end();
        (!rest.contains(&b'=') && !names_a_member(rest)).then_some(found.start + rest.len())
    };
    let end = match style.operator {
        Operator::Equals if style.before == b'[' && segment.part(found.start - 4, found.start) == b" => " => whole()?,
        Operator::Equals | Operator::Colon if style.leads && whole().is_some() => whole().filter(|end| {
            let variable = style.capitals && segment.part(name, found.start).contains(&b'_');
            let settings = match style.operator {
                Operator::Equals => {
                    style.capitals && follows_setting(segment, name) || is_in_file(segment, name, found, style)
                }
                _ => variable && segment.before(name) == b' ',
            };
            settings || siblings::are_data(segment, name, *end)
        })?,
        Operator::Equals | Operator::Colon => to_next_member(segment, name, found, style, line_end)?,
        _ => return None,
    };
    let value = segment.part(found.start, end);
    (value.len() <= LONGEST && passphrase::may_be(value)).then_some(end)
}

/// Whether the setting at `name` is joined to its value as in a file of settings, where nothing is called behind it:
/// `spring.mail.password=maple otter`, `- DB_PASSWORD=maple otter`, `+DB_PASSWORD=…`.
fn is_in_file(segment: &Segment<'_>, name: usize, found: &Extent, style: Style) -> bool {
    let (line, line_end) = segment.line(name);
    let prefix = segment.part(line, name);
    let typed = prefix.iter().any(|b| among!(*b, b"$#%")) || prefix.trim_ascii_end().ends_with(b"export");
    let next = segment.part(found.end, line_end).trim_ascii();
    !style.spaced && !typed && !COMMANDS_CALLED.iter().any(|command| next.starts_with(command.as_bytes()))
}

/// Whether another member with its sign stands in `rest`: `maple otter port:5432`.
fn names_a_member(rest: &[u8]) -> bool {
    rest.split(|b| *b == b' ').skip(1).any(|word| memchr::memchr(b':', word).is_some_and(|colon| colon > 1))
}

/// Whether the line above is a setting in capitals as well: `LANG=C`.
fn follows_setting(segment: &Segment<'_>, name: usize) -> bool {
    let (line, _) = segment.line(name);
    if line <= segment.low {
        return false;
    }
    let (start, end) = segment.line(line - 1);
    let text = segment.part(start, end);
    let length = text.iter().take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b'_').count();
    length > 1 && text.get(length) == Some(&b'=')
}

/// Where the next member of an object begins, or where the object ends, if one is printed around the name.
fn to_next_member(segment: &Segment<'_>, name: usize, found: &Extent, style: Style, line_end: usize) -> Option<usize> {
    let rest = segment.part(found.start, line_end.min(found.start + LONGEST));
    let closes = rest.iter().position(|b| among!(*b, b",)]}")).map(|at| found.start + at);
    match style.operator {
        Operator::Equals => closes.filter(|end| neighbours::is_in_object(segment, name, *end)),
        _ => {
            let next = rest.iter().enumerate().filter(|(_, b)| **b == b' ').find_map(|(at, _)| {
                let rest = rest.get(at + 1..)?;
                let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                (name > 1 && rest.get(name) == Some(&b':')).then_some(found.start + at)
            });
            let end = [next, closes].into_iter().flatten().min()?;
            neighbours::is_in_struct(segment, name, end).then_some(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::{goes, stays};

    #[test]
    fn a_setting_among_others_goes_to_the_end_of_its_line() {
        goes("username: mara\npassword: maple otter heron\n", "maple otter heron");
        goes("UserName : svc-sql\nPassword : Maple Otter 3\n", "Maple Otter 3");
        goes("LANG=C\nRESTIC_PASSWORD=maple otter\n", "maple otter");
        goes("spring.mail.password=maple otter\n", "maple otter");
        goes("      - DB_PASSWORD=Maple Otter\n", "Maple Otter");
        goes("    [db_password] => maple otter 3\n", "maple otter 3");
    }

    #[test]
    fn a_member_of_an_object_goes_to_the_next_one() {
        goes("User(id=4, login=mara, password=Maple otter, enabled=true)\n", "Maple otter");
        goes("{Host:db1 User:app Password:maple otter heron SSL:off}\n", "maple otter heron");
        goes("map[host:10.0.0.1 password:maple otter port:5432]\n", "maple otter");
    }

    #[test]
    fn sentences_and_commands_stay() {
        stays("user: mara\npassword: must be changed\n");
        stays("password: maple otter\n");
        stays("Settings: port=80\npassword: Please enter one\n");
        stays("user: mara\npassword: see the wiki page\n");
        goes("PGPASSWORD=otter4711 pg_dump shop\n", "otter4711");
    }
}
