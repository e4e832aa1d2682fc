//! The other members of the object or section that a password stands in. Where they hold what only data holds (a port, a
//! host, an address of mail, a login), a word in quotes is a password and no label.

use super::class::Class;
use super::code;
use super::dummies::WORDS_FOR_NOTHING;
use super::judge;
use super::passphrase;
use super::quotes::quote;
use super::scan::{BACK, Segment};
use super::shape;
use crate::byte_set::among;

/// How far before and behind an assignment its line is read.
const REACH: usize = 320;
/// How many lines above are read.
const LINES: usize = 6;

/// Names beside a password, in small letters without signs: what a connection or a login needs.
const MACHINE: &[&str] = &[
    "host", "hostname", "server", "addr", "address", "endpoint", "url", "uri", "port", "database", "dbname", "db",
    "dsn", "ssl", "tls", "sslmode", "timeout", "pool", "poolsize", "retries", "driver", "adapter", "region", "from",
    "relay", "sender", "domain", "enabled", "debug", "verbose", "baseurl", "path", "base", "scheme", "protocol",
    "clientid", "dn", "method", "tenant", "ipaddr", "ip", "listen",
];

/// Names of who logs in.
const USERS: &[&str] = &[
    "user", "username", "login", "email", "mail", "uid", "userid", "account", "binddn", "identity", "client", "usr",
    "name",
];

/// Whether the members beside a name of this class can tell that `secret` is one: a password of any kind, or the word that
/// two servers share.
pub(super) fn may_tell(class: Class, name: &[u8], secret: &[u8]) -> bool {
    let lower = secret.to_ascii_lowercase();
    let about = [&b"passw"[..], b"secret", b"token", b"credential", b"kennwort", b"contras", b"senha"];
    let shared = || {
        let digits = secret.iter().filter(|b| b.is_ascii_digit()).count();
        let named = [&b"secret"[..], b"shared_secret", b"sharedsecret", b"shared-secret"];
        named.iter().any(|known| name.eq_ignore_ascii_case(known)) && (1..secret.len()).contains(&digits)
    };
    (class == Class::Password || class == Class::Secret && shared())
        && passphrase::may_be(secret)
        && !judge::placeholder(secret)
        && !secret.iter().all(u8::is_ascii_digit)
        && !about.iter().any(|word| shape::has(&lower, word))
        && !shape::has(secret, b"://")
        && !secret.iter().any(|b| among!(*b, b"(){}[]<>|\\"))
        && !code::reference(secret)
}

/// Whether the members beside the name at `name` show that the value which ends at `end` is one of data. Looks at its line
/// and at those above, as far back as is kept of any text.
pub(super) fn are_data(segment: &Segment<'_>, name: usize, end: usize) -> bool {
    let (line, line_end) = segment.line(name);
    let mut seen = SeenMembers::default();
    seen.read(segment.part(line.max(name.saturating_sub(REACH)), name));
    seen.read(segment.part(end, line_end.min(end + REACH)));
    let floor = name.checked_sub(BACK);
    let mut at = line;
    for _ in 0..LINES {
        if at <= segment.low || seen.label {
            break;
        }
        let (start, stop) = segment.line(at - 1);
        let text = segment.part(start, stop);
        if floor.is_some_and(|floor| start <= floor) || text.trim_ascii().is_empty() || text.len() > REACH {
            break;
        }
        seen.read(text);
        at = start;
    }
    seen.data && !seen.label
}

/// Whether the name at `name` stands in a section of settings: below a line `[mail]`.
pub(super) fn in_section(segment: &Segment<'_>, name: usize) -> bool {
    let floor = name.checked_sub(BACK);
    let (mut at, _) = segment.line(name);
    for _ in 0..2 * LINES {
        if at <= segment.low {
            return false;
        }
        let (start, stop) = segment.line(at - 1);
        let text = segment.part(start, stop).trim_ascii();
        if floor.is_some_and(|floor| start <= floor) || text.is_empty() {
            return false;
        }
        if text.starts_with(b"[") && text.ends_with(b"]") {
            return !text.contains(&b'"') && !text.contains(&b',');
        }
        at = start;
    }
    false
}

/// What was seen of the members.
#[derive(Default)]
struct SeenMembers {
    data: bool,
    label: bool,
}

impl SeenMembers {
    fn read(&mut self, text: &[u8]) {
        for (at, _) in text.iter().enumerate().filter(|(_, b)| among!(**b, b":=")).take(24) {
            let Some((name, value, quoted)) = member(text, at) else { continue };
            let plain: Vec<u8> =
                name.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect();
            let is = |words: &[&str]| words.iter().any(|word| plain == word.as_bytes());
            let suffixed =
                [&b"host"[..], b"port", b"user", b"username", b"login"].iter().any(|word| plain.ends_with(word));
            let machine = is_of_machine(value, quoted);
            self.data |= machine && (is(MACHINE) || is(USERS) || suffixed);
            self.data |= (is(USERS) || suffixed) && is_login(value);
            // The text of a label: `Your name`, `Forgot it?`.
            self.label |= value.contains(&b' ') && value.first().is_some_and(u8::is_ascii_uppercase);
        }
    }
}

/// The name and the value of the member whose sign is at `at`.
fn member(text: &[u8], at: usize) -> Option<(&[u8], &[u8], bool)> {
    let ahead = text.get(..at)?.trim_ascii_end();
    let ahead = ahead.strip_suffix(b"\\").unwrap_or(ahead);
    let marks = ahead.iter().rev().take_while(|b| among!(**b, b"\"'`]\\")).count();
    let ahead = ahead.get(..ahead.len() - marks)?;
    let length = ahead.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || among!(**b, b"_-.")).count();
    let name = ahead.get(ahead.len() - length..)?;
    let behind = text.get(at + 1..)?;
    let behind = behind.strip_prefix(b">").unwrap_or(behind).trim_ascii_start();
    let slashes = behind.iter().take_while(|b| **b == b'\\').count();
    let behind = behind.get(slashes..)?;
    let value = match behind.first() {
        Some(&mark) if quote(mark) => {
            let inner = behind.get(1..)?;
            let close = memchr::memchr(mark, inner)?;
            inner.get(..close)?.strip_suffix(b"\\").unwrap_or(inner.get(..close)?)
        }
        _ => {
            let end = behind.iter().position(|b| *b <= b' ' || among!(*b, b",;)}]\"'")).unwrap_or(behind.len());
            behind.get(..end)?
        }
    };
    let quoted = behind.first().is_some_and(|b| quote(*b));
    (length > 1 && !value.is_empty()).then_some((name, value, quoted))
}

/// Whether `value` is what no label says: a number, a switch, a host, an address.
fn is_of_machine(value: &[u8], quoted: bool) -> bool {
    if value.len() > 160 || value.contains(&b' ') || among!(value.first().copied().unwrap_or(b'$'), b"$<{[(&*") {
        return false;
    }
    let number = value.iter().all(|b| b.is_ascii_digit());
    let switch = [&b"true"[..], b"false", b"localhost"].contains(&value);
    let joined = value.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b".@/_:-+?&%="))
        && value.iter().any(|b| among!(*b, b".@/="))
        && !among!(value.last().copied().unwrap_or(b'.'), b".:?")
        && !value.iter().any(u8::is_ascii_uppercase);
    // Without quotes names that dots join are code.
    number || switch || joined && (quoted || value.iter().any(|b| b.is_ascii_digit() || among!(*b, b"@/")))
}

/// Whether `value` is somebody's name to log in with, and no label: `app`, `svc-backup`.
fn is_login(value: &[u8]) -> bool {
    (2..=40).contains(&value.len())
        && value.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || among!(*b, b"_-"))
        && !WORDS_FOR_NOTHING.iter().any(|word| word.as_bytes() == value)
        && ![&b"username"[..], b"email", b"e-mail", b"user-name", b"user_name"].contains(&value)
        && !shape::has(value, b"name")
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::{goes, stays};

    #[test]
    fn a_word_beside_data_is_a_password() {
        goes("{\"user\": \"mara\", \"password\": \"Ahornblatt\", \"port\": 25}\n", "Ahornblatt");
        goes("  host: 'db1.acme.io',\n  pass: 'Löwenzahn',\n", "Löwenzahn");
        goes("auth: {username: \"bot\", password: \"rote rübe\"}\n", "rote rübe");
        goes("smtp:\n  port: 587\n  password: Ahornblatt\n", "Ahornblatt");
    }

    #[test]
    fn labels_of_forms_stay() {
        stays("{\"username\": \"Benutzername\", \"password\": \"Kennung\"}\n");
        stays("{\"login\": \"Log in\", \"password\": \"Ahornblatt\"}\n");
        stays("{host: config.host, password: \"Ahornblatt\"}\n");
        stays("{\"user\": \"mara\", \"password\": \"Managed by Vault\"}\n");
        stays("user: mara\npassword: expires in 30 days\n");
        stays("user: mara\npassword: Unchanged\n");
        stays("  user: string,\n  password: Secret,\n");
    }
}
