//! Links that open a door to whoever follows them: `https://app.acme.io/verify?key=…`, `…/accept-invite/…`.

use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::shape;
use crate::byte_set::among;

/// How much of an address before a token is read.
const ADDRESS: usize = 256;
/// What the parts of such an address are called.
const DOORS: &[&str] = &[
    "verify",
    "verification",
    "confirm",
    "confirmation",
    "activate",
    "activation",
    "invite",
    "invitation",
    "invitations",
    "magic",
    "reset",
    "unlock",
    "recover",
    "recovery",
    "signin",
    "login",
    "accept",
    "unsubscribe",
    "onboarding",
];
/// The parameters that hold such a token.
const PARAMETERS: &[&str] = &[
    "key",
    "code",
    "t",
    "hash",
    "signature",
    "id",
    "invite",
    "invitation",
    "magic",
    "verification",
    "confirmation",
    "activation",
];

/// The word `from..to` if it is the token of such a link.
pub(super) fn token(segment: &Segment<'_>, rules: &Rules, from: usize, to: usize) -> Option<Span> {
    let from = from + memchr::memrchr(b'/', segment.part(from, to)).map_or(0, |at| at + 1);
    let lowest = segment.low.max(from.saturating_sub(ADDRESS));
    let ahead = segment.part(lowest, from);
    // Most values are in no address, of which they would be the last part or a parameter's value.
    ahead.last().filter(|last| among!(**last, b"/=?"))?;
    memchr::memrchr(b'/', ahead)?;
    let start = ahead.iter().rposition(|b| *b <= b' ' || among!(*b, b"\"'<>()[]")).map_or(0, |at| at + 1);
    let address = ahead.get(start..)?;
    if !shape::has(address, b"://") {
        // The value may hold the whole address, whose last part is the token.
        return None;
    }
    let (path, query) = match memchr::memchr(b'?', address) {
        Some(mark) => (address.get(..mark)?, address.get(mark + 1..)?),
        None => (address, &[][..]),
    };
    let door = |part: &[u8]| {
        part.split(|b| among!(*b, b"-_"))
            .any(|word| DOORS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())))
    };
    if shape::has(path, b"/shared_invite/") {
        return None;
    }
    let mut parts = path.rsplit(|b| *b == b'/');
    let opens = match query {
        [] => parts.next().is_some_and(<[u8]>::is_empty) && parts.take(2).any(door),
        _ => {
            let name = query.rsplit(|b| among!(*b, b"&;")).next()?.strip_suffix(b"=")?;
            PARAMETERS.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes())) && parts.take(2).any(door)
        }
    };
    let secret = segment.part(from, to);
    let shape = shape::shape(secret);
    let drawn = secret.len() >= 24
        && shape.digits >= 3
        && secret.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_-."))
        && !shape::wordy(secret)
        && (shape.hex || shape.upper > 1 && shape.lower > 1 || shape::gibberish(secret))
        && !shape::uuid(secret);
    let kind = rules.detector(Detector::Token)?;
    (opens && drawn && from < segment.end && !rules.allowed(secret)).then_some(Span {
        start: from,
        end: to,
        kind,
        weight: weight::ASSIGNED,
        with: With::Placeholder,
    })
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    #[test]
    fn the_token_of_a_link_goes_and_other_addresses_stay() {
        let (text, _) =
            redact("open https://acme.io/auth/verify?key=59b042d3e3127fe221a3e4041498f63d now\n", &Rules::builtin());
        assert_eq!(text, "open https://acme.io/auth/verify?key=[REDACTED: TOKEN] now\n");
        for text in [
            "https://acme.io/accept-invite/how-to-accept-an-invitation-in-2026\n",
            "https://acme.io/commit/59b042d3e3127fe221a3e4041498f63d15d1bd12\n",
            "https://acme.io/static/login.59b042d3e3127fe221a3e404.js\n",
        ] {
            assert_eq!(redact(text, &Rules::builtin()).0, text);
        }
    }
}
