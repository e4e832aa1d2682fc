//! Lines that begin with a place: results of searches, messages of compilers, paths, entries of directories.

use super::hint;

/// Whether a line starts with `path:line:` (some), and also has a column (true).
pub(super) fn location(bytes: &[u8]) -> Option<bool> {
    let path = memchr::memchr2(b':', b'(', bytes.get(..bytes.len().min(300))?)?;
    let (name, rest) = (bytes.get(..path)?, bytes.get(path + 1..)?);
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || !matches!(rest.get(digits), Some(b':' | b',' | b'-')) {
        return None;
    }
    let (mut spaced, mut dotted) = (false, false);
    for &byte in name {
        spaced |= byte == b' ';
        dotted |= byte == b'.' || byte == b'/';
    }
    if spaced || !dotted {
        return None;
    }
    let after = rest.get(digits + 1..)?;
    let column = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let message = after.starts_with(b" error") || after.starts_with(b" warning") || after.starts_with(b" note");
    Some(message || column > 0 && matches!(after.get(column), Some(b':' | b')')))
}

/// Whether a line is nothing but a path.
pub(super) fn is_path(words: &str) -> bool {
    let bytes = words.as_bytes();
    memchr::memchr_iter(b' ', bytes).nth(1).is_none()
        && !words.split_once(' ').is_some_and(|(first, _)| is_verb(first))
        && !words.ends_with(':')
        && memchr::memchr(b'/', bytes).is_some()
        && !bytes.iter().any(|byte| matches!(byte, b';' | b'{' | b'=' | b'<' | b'\t' | b'('))
        && !words.contains("://")
}

/// Whether a word before a path says what was done with it: `Scanning src/a.c`.
fn is_verb(word: &str) -> bool {
    word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Whether a line starts like one of `ls -l`.
pub(super) fn is_mode(bytes: &[u8]) -> bool {
    let kind = bytes.first().is_some_and(|byte| b"-dlcbps".contains(byte));
    kind && bytes.len() > 10
        && bytes.iter().skip(1).take(9).all(|byte| b"rwxsStT-".contains(byte))
        && bytes.get(1..4) != Some(b"---")
}

/// The file of a line that goes on behind it: `path:words`, as `grep` and `rg` print matches without line numbers.
pub(super) fn prefixed(line: &[u8]) -> Option<&[u8]> {
    let colon = memchr::memchr(b':', line.get(..line.len().min(200))?)?;
    let (name, rest) = line.split_at_checked(colon)?;
    let goes_on = rest.len() > 1 && !rest.starts_with(b"::");
    (goes_on && names_a_file(name)).then_some(name)
}

/// Whether a line is one around a match: `path-12-words`.
pub(super) fn surrounds(line: &[u8]) -> bool {
    let head = line.get(..line.len().min(200)).unwrap_or_default();
    memchr::memchr_iter(b'-', head).any(|at| {
        let rest = line.get(at + 1..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (1..8).contains(&digits) && rest.get(digits) == Some(&b'-') && head.get(..at).is_some_and(names_a_file)
    })
}

/// Whether a name can only be a file's.
fn names_a_file(name: &[u8]) -> bool {
    let mut has = 0;
    for &byte in name {
        let part = NAMES[usize::from(byte)];
        if part == 0 {
            return false;
        }
        has |= part;
    }
    // What ends with its first slash is a folder.
    let inside = || memchr::memchr2(b'/', b'\\', name).is_some_and(|at| at + 1 < name.len());
    let ending = || memchr::memrchr(b'.', name).and_then(|dot| name.get(dot + 1..)).unwrap_or_default();
    has & SLASH != 0 && inside() || has & DOT != 0 && hint::is_extension(ending())
}

/// Whether the name of a file has an ending: `a.rs`, not `@scope/name`.
pub(super) fn has_ending(name: &[u8]) -> bool {
    let ending = memchr::memrchr(b'.', name).and_then(|dot| name.get(dot + 1..)).unwrap_or_default();
    (1..=8).contains(&ending.len()) && ending.iter().all(u8::is_ascii_alphanumeric)
}

const PLAIN: u8 = 1;
const DOT: u8 = 2;
const SLASH: u8 = 4;

/// What each byte is in the name of a file; 0 for those that are in none.
const NAMES: [u8; 256] = {
    let mut names = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        names[byte] = match byte as u8 {
            b'.' => DOT,
            b'/' | b'\\' => SLASH,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | 0x80.. => PLAIN,
            b'_' | b'-' | b'+' | b'@' | b'~' | b',' | b'=' => PLAIN,
            _ => 0,
        };
        byte += 1;
    }
    names
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_name_their_file() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(prefixed(line.as_bytes()), expected.map(str::as_bytes), "{line}");
        };
        check("src/a.rs:    use x;", Some("src/a.rs"));
        check("main.py:import os", Some("main.py"));
        check("src/b.rs:// words", Some("src/b.rs"));
        check("tests/a.py::test_x PASSED", None);
        check("https://x.org/a", None);
        check("spring.datasource.url: x", None);
        check("./folder:", None);
        check("error: x", None);
    }

    #[test]
    fn lines_around_matches_name_their_file_and_number() {
        assert!(surrounds(b"src/some-file.rs-12-    let x = 1;"));
        assert!(surrounds(b"main.c-7-"));
        assert!(!surrounds(b"2026-11-15 10:00:00 up"));
        assert!(!surrounds(b"- one - 2 - three"));
    }
}
