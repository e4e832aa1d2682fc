//! Lines of access logs: what was asked for, and how it was answered.

use std::sync::LazyLock;

use memchr::{memchr, memchr2, memchr3, memmem};

use crate::hash::Hash;
use crate::text;

/// A request with its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    /// The status of the answer, from 100 to 599.
    pub(crate) status: u16,
    /// `GET` and the like; empty where the request is broken.
    pub(crate) method: &'a str,
    /// The path, without what is asked of it.
    pub(crate) path: &'a str,
    /// What stands behind the status: sizes, times, who asked.
    pub(crate) tail: &'a str,
}

impl Request<'_> {
    /// A key of what was asked for and how it was answered: parts of the path with figures in them are masked.
    pub(crate) fn answer(&self) -> u64 {
        let mut hash = Hash::from_state(u64::from(self.status));
        hash.push(Hash::of(self.method.as_bytes()));
        for part in self.path.as_bytes().split(|byte| *byte == b'/').take(PARTS) {
            let masked = part.iter().any(u8::is_ascii_digit);
            hash.push(if masked { 1 } else { Hash::of(part) });
        }
        hash.value()
    }
}

/// How many parts of a path are compared.
const PARTS: usize = 6;

const METHODS: [&str; 11] =
    ["GET", "POST", "PUT", "HEAD", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE", "PROPFIND", "REPORT"];

/// How far into a line the method may stand.
const REACH: usize = 400;

/// The request that a line tells, in the forms of the common log and its kin: `… "GET /x HTTP/1.1" 200 12 …`, also
/// without quotes, and with the status before the request.
pub(crate) fn request(line: &str) -> Option<Request<'_>> {
    let Some((start, method)) = method(line) else { return broken(line) };
    let quoted = start > 0 && line.as_bytes().get(start - 1) == Some(&b'"');
    let asked = text::slice(line, start + method.len() + 1..line.len());
    let path = before(asked, memchr2(b' ', b'"', asked.as_bytes()));
    let behind = match quoted {
        true => memchr(b'"', asked.as_bytes()).map_or("", |end| text::slice(asked, end + 1..asked.len())),
        false => text::slice(asked, path.len()..asked.len()),
    };
    let path = before(path, memchr3(b'?', b'#', b';', path.as_bytes()));
    // `method=GET path=/x`
    let path = path.strip_prefix("path=").unwrap_or(path);
    let named = if quoted { None } else { named_status(behind) };
    if let Some((status, tail)) = named.or_else(|| status(behind)) {
        return Some(Request { status, method, path, tail });
    }
    let head = text::slice(line, 0..start);
    if let Some(status) = head.split(' ').find_map(of_result) {
        return Some(Request { status, method, path, tail: head });
    }
    let status = head.split(' ').find_map(of_word)?;
    quoted.then_some(Request { status, method, path, tail: head })
}

/// What stands before a place that was found, or all of it.
fn before(text: &str, found: Option<usize>) -> &str {
    found.map_or(text, |end| text::slice(text, 0..end))
}

/// A method as a word of its own, and where it stands.
fn method(line: &str) -> Option<(usize, &'static str)> {
    let head = text::slice(line, 0..REACH);
    let bytes = head.as_bytes();
    let starts = memchr::memchr3_iter(b' ', b'"', b'=', bytes).map(|at| at + 1);
    std::iter::once(0).chain(starts).find_map(|at| {
        let rest = bytes.get(at..)?;
        rest.first().filter(|byte| byte.is_ascii_uppercase())?;
        let found = METHODS.iter().find(|method| rest.starts_with(method.as_bytes()));
        found.filter(|method| rest.get(method.len()) == Some(&b' ')).map(|method| (at, *method))
    })
}

/// A request that cannot be read, in quotes before its status: `"-" 408 0`.
fn broken(line: &str) -> Option<Request<'_>> {
    let (_, asked) = text::slice(line, 0..REACH).split_once('"')?;
    let (path, behind) = asked.split_once("\" ")?;
    let (word, tail) = behind.split_once(' ').unwrap_or((behind, ""));
    Some(Request { status: of_word(word)?, method: "", path, tail })
}

/// How a status is called.
static STATUS: LazyLock<memmem::Finder<'_>> = LazyLock::new(|| memmem::Finder::new("status"));

/// The number that is called a status, and what stands behind it: `status=200`, `"status": 200`.
fn named_status(text: &str) -> Option<(u16, &str)> {
    let at = STATUS.find(text.as_bytes())?;
    let value = text::slice(text, at + STATUS.needle().len()..text.len()).trim_start_matches(['"', '=', ':', ' ']);
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (number, tail) = value.split_at_checked(digits)?;
    Some((of_word(number)?, tail))
}

/// What a number before one of these measures: a time, a size.
const UNITS: [&str; 11] = ["ms", "s", "sec", "seconds", "us", "µs", "ns", "bytes", "B", "KB", "kB"];

/// The first word that is a status, and what stands behind it.
fn status(text: &str) -> Option<(u16, &str)> {
    let mut at = 0;
    loop {
        let rest = text::slice(text, at..text.len());
        let word = before(rest, memchr3(b' ', b'\t', b',', rest.as_bytes()));
        at += word.len();
        if let Some(status) = of_word(word) {
            let tail = text::slice(text, at..text.len());
            let unit = tail.strip_prefix(' ').and_then(|tail| tail.split([' ', ',']).next());
            if !unit.is_some_and(|unit| UNITS.contains(&unit)) {
                return Some((status, tail));
            }
        }
        if word.len() == rest.len() {
            return None;
        }
        at += 1;
    }
}

/// The status that a word is, also behind its name: `200`, `status=200`.
fn of_word(word: &str) -> Option<u16> {
    // Most words do not end in a figure, and are not looked at further.
    word.bytes().last().filter(|byte| byte.is_ascii_digit() || *byte == b'"')?;
    let named = word.rsplit_once(['=', ':']).filter(|(name, _)| name.contains("status"));
    let word = named.map_or(word, |(_, value)| value).trim_matches('"');
    let status = Some(word).filter(|word| word.len() == 3)?.parse().ok()?;
    // A port that is written like one.
    (100..600).contains(&status).then_some(status).filter(|status| *status != 443)
}

/// The status behind what a cache did for it: `TCP_MISS/502`.
fn of_result(word: &str) -> Option<u16> {
    let (result, status) = word.split_once('/')?;
    let is_name = result.len() >= 3 && result.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    is_name.then(|| of_word(status)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, status: u16, method: &str, path: &str) {
        let found = request(line).map(|found| (found.status, found.method, found.path));
        assert_eq!(found, Some((status, method, path)), "{line}");
    }

    #[test]
    fn requests_are_read_in_every_form() {
        let common = r#"10.0.0.1 - - [16/Nov/2026:05:00:00 +0000] "GET /a/b?x=200 HTTP/1.1" 404 153 "-" "curl/8""#;
        check(common, 404, "GET", "/a/b");
        check(r#"INFO:     127.0.0.1:5000 - "POST /x HTTP/1.1" 201 Created"#, 201, "POST", "/x");
        check(r#"1.2.3.4 - - [16/Nov/2026:05:00:00 +0000] "-" 408 0 "-" "-""#, 408, "", "-");
        check("2026-11-16 05:00:00 10.0.0.1 GET /x - 443 - 1.2.3.4 curl 500 0 0 12", 500, "GET", "/x");
        let cached = "1795033794.397    201 10.0.0.1 TCP_MISS/502 397 GET http://h/x - HIER_DIRECT/10.0.0.2 text/html";
        check(cached, 502, "GET", "http://h/x");
        check("GET /favicon.ico 304 1.234 ms - -", 304, "GET", "/favicon.ico");
        check(
            r#"ha[1]: 1.2.3.4:5 [16/Nov/2026:05:00:00.1] fe be/s1 0/0/1/2/3 503 99 - - ---- 1/1 "GET /x HTTP/1.1""#,
            503,
            "GET",
            "/x",
        );
        check("INFO app[7] request 0 GET /items/777820 served in 367 ms status=200", 200, "GET", "/items/777820");
        check("GET /items took 250 ms, 404", 404, "GET", "/items");
        check(r#"level=info method=GET path=/x bytes=512 msg="GET /x 512 bytes" status=503"#, 503, "GET", "/x");
        assert_eq!(request("Nov 16 05:00:00 host sshd[1]: Accepted password for a"), None);
        assert_eq!(
            request("GET ready for 200 more"),
            Some(Request { status: 200, method: "GET", path: "ready", tail: " more" })
        );
    }
}
