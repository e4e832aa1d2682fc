//! The schemes of authentication that stand before credentials.

/// The schemes, in lower case.
const SCHEMES: &[&str] = &[
    "bearer",
    "basic",
    "token",
    "api-token",
    "apikey",
    "api-key",
    "key",
    "geniekey",
    "ssws",
    "splunk",
    "oauth",
    "discordbot",
    "bot",
    "negotiate",
    "jwt",
    "digest",
    "secret",
    "access-token",
    "apitoken",
    "private-token",
    "ntlm",
    "klaviyo-api-key",
    "sharedkey",
    "macaroon",
    "jwt-bearer",
    "user-token",
    "pat",
];

/// Whether `word` is an authentication scheme.
pub(super) fn scheme(word: &[u8]) -> bool {
    SCHEMES.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}
