//! Whether what is assigned to a name is worth hiding, for the operators and names that ask for more than others.

use super::class::Class;
use super::code;
use super::judge::{self, ValuePlace};
use super::name;
use super::operator::Operator;
use crate::byte_set::among;

/// Whether what is assigned is a secret, for the operators and names that ask for more than others.
pub(super) fn worth(
    class: Class,
    name: &[u8],
    operator: Operator,
    value: &[u8],
    secret: &[u8],
    place: ValuePlace,
    scheme: bool,
) -> bool {
    let word = || !secret.iter().any(u8::is_ascii_digit) && !super::shape::gibberish(secret);
    match class {
        // `PASS: TestSomething` is a verdict.
        Class::Password
            if name.eq_ignore_ascii_case(b"pass")
                && !place.setting
                && !(name == b"pass" && operator == Operator::Equals && is_set(secret))
                && !(name == b"pass" && place.alone && no_verdict(secret))
                && (!place.quoted || word()) =>
        {
            false
        }
        // `pw` and a bare `auth` are short for many things.
        Class::Password if name.eq_ignore_ascii_case(b"pw") && is_word_or_code(secret, place) => false,
        // What goes on with an object's member is code: `{type: "password", value: form.apiKey}`.
        _ if operator == Operator::Pair && !place.quoted && secret.contains(&b'.') && code::code(secret) => false,
        // A name in a table says nothing of the next cell's words.
        _ if operator == Operator::Cell && super::shape::wordy(secret) && !place.listed => false,
        // The next string in a list, a comparison with a word.
        _ if matches!(operator, Operator::Comma | Operator::Compare) && word() => false,
        // One of several words in a list, where no flag says more: `["md5", "password", "scram-sha-256"]`.
        _ if operator == Operator::Comma
            && name.first() != Some(&b'-')
            && (super::shape::wordy(secret)
                || one_case(secret)
                || code::camel_name(secret)
                || name::class_of(secret).is_some()) =>
        {
            false
        }
        // The name of a variable, which is what its constant is called.
        Class::Password if place.quoted && code::constant(secret) && name::class_of(secret).is_some() => false,
        Class::Password if operator == Operator::Comma && (secret.ends_with(b"pwd") || secret.ends_with(b"Pwd")) => {
            false
        }
        Class::Authorization if operator == Operator::Comma && !scheme => false,
        Class::Authorization if super::shape::has(secret, b"://") => false,
        Class::Token if super::shape::uuid(secret) && !name::opens_doors(name) => false,
        // Machines make what follows a scheme; words speak of it: `Bearer token`, `OAuth realm="…"`.
        _ if scheme => {
            secret.len() >= 6
                && !judge::placeholder(secret)
                && !super::shape::monotonous(secret)
                && secret.is_ascii()
                && (secret.iter().any(u8::is_ascii_digit) || !super::shape::wordy(secret))
                && !secret.starts_with(b"realm=")
                && !secret.starts_with(b"{")
        }
        Class::Authorization => judge::secret_value(class, value, place),
        _ => judge::secret_value(class, secret, place),
    }
}

/// Whether `secret` is letters of one case, and no more of them than words have.
fn one_case(secret: &[u8]) -> bool {
    secret.len() < 16 && (secret.iter().all(u8::is_ascii_lowercase) || secret.iter().all(u8::is_ascii_uppercase))
}

/// Whether `secret`, behind a bare `pass`, says nothing of a test that passed: `pass: lantern4711`, not `pass: test_a`.
pub(super) fn no_verdict(secret: &[u8]) -> bool {
    let digits = secret.iter().filter(|b| b.is_ascii_digit()).count();
    let test = secret.iter().any(|b| among!(*b, b"_/:(.,")) && !super::shape::gibberish(secret);
    secret.len() >= 8 && digits >= 2 && !test && !super::shape::number(secret)
}

/// Whether `secret`, which `pass = …` sets, is no code: a figure or two, no call and no variable.
fn is_set(secret: &[u8]) -> bool {
    let digits = secret.iter().filter(|b| b.is_ascii_digit()).count();
    digits >= 2 && secret.first().is_some_and(u8::is_ascii_alphanumeric) && !secret.iter().any(|b| among!(*b, b"({>"))
}

/// Whether what `pw` holds is a word, which no person made up for a password, or code.
fn is_word_or_code(secret: &[u8], place: ValuePlace) -> bool {
    let made_up = place.quoted && judge::by_hand(secret, super::shape::shape(secret));
    let has_digit = secret.iter().any(u8::is_ascii_digit);
    !has_digit && !made_up || !place.quoted && !place.setting && code::code(secret)
}
