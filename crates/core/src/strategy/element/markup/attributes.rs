//! What the attributes of a tag say: how severe they are, what tells an element from others, and its message.

use crate::line::severity;
use crate::line::template::template_taking;
use crate::strategy::element::census::{Traits, hash};
use crate::strategy::element::numbers;

/// Attributes that name something: a test that is called after an error has none.
const NAMES: [&[u8]; 11] =
    [b"name", b"classname", b"class", b"id", b"file", b"path", b"href", b"src", b"url", b"testname", b"fullname"];
/// Values up to this length are compared with each other.
const COMPARED: usize = 64;
/// So many attributes are looked at.
const MOST: usize = 16;

/// How severe the name of a tag is and what its attributes say, those that name something apart.
pub(super) fn severity(tag: &[u8]) -> u32 {
    let name = tag.split(|byte| byte.is_ascii_whitespace() || *byte == b'>').next().unwrap_or_default();
    let values = each(tag).filter(|(name, _)| !names(name)).map(|(_, value)| severity::of(value));
    values.fold(severity::of(name), u32::max)
}

/// Notes what a tag's attributes say in the traits of its element.
pub(super) fn note(tag: &[u8], traits: &mut Traits) {
    for (name, value) in each(tag) {
        if name.eq_ignore_ascii_case(b"message") {
            traits.push_message(template_taking(value).0);
        } else if value.len() <= COMPARED && !names(name) {
            // An attribute is told from a part of the same name.
            let name = hash(name).rotate_left(1);
            traits.push(name, hash(value));
            numbers::parse(value).into_iter().for_each(|number| traits.push_number(name, number));
        }
    }
}

/// Whether a tag's role is to find one's way on a page.
pub(super) fn are_aside(tag: &[u8]) -> bool {
    let asides: [&[u8]; 3] = [b"navigation", b"search", b"contentinfo"];
    each(tag).any(|(name, value)| name.eq_ignore_ascii_case(b"role") && asides.contains(&value))
}

fn names(attribute: &[u8]) -> bool {
    NAMES.iter().any(|name| attribute.eq_ignore_ascii_case(name))
}

/// The names and the values of a tag's attributes.
fn each(tag: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        let equals = memchr::memchr(b'=', rest)?;
        let (ahead, behind) = (rest.get(..equals)?.trim_ascii_end(), rest.get(equals + 1..)?.trim_ascii_start());
        let name = ahead.rsplit(u8::is_ascii_whitespace).next()?;
        let quote = *behind.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
        let value = behind.get(1..)?;
        let end = memchr::memchr(quote, value)?;
        rest = value.get(end + 1..)?;
        Some((name, value.get(..end)?))
    })
    .take(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_not_severe_and_a_status_is() {
        assert_eq!(severity(br#"<testcase classname="t.errors" name="test_error_handler" time="0.1" />"#), 0);
        assert!(severity(br#"<failure message="assert 404 == 400">"#) > 0);
        assert!(severity(b"<issue name='x' severity = \"Error\">") > 0);
        assert_eq!(severity(b"<a b=c d"), 0);
    }
}
