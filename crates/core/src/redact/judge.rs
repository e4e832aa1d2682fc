//! Telling a secret from what only stands in its place: dummies, templates, expressions, labels, names.
//!
//! Everything here looks at one short piece of a line and is linear in it.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::class::Class;
use super::code::{camel, camel_name, code, constant, generic_type, identifier, reference, statement, type_name};
use super::dummies::{DUMMY_PARTS, LABELS, TYPES, WORDS_FOR_NOTHING};
use super::passphrase;
use super::shape::{
    Shape, counted_up, entropy, find, gibberish, has, monotonous, number, rare_pairs, shape, uuid, version, wordy,
};
use crate::byte_set::among;

/// What is known of the place a value was found in.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ValuePlace {
    pub(super) quoted: bool,
    /// A setting and no code: `NAME=value`, a flag, a query string, a connection string.
    pub(super) setting: bool,
    /// Nothing but the name and the value is on the line.
    pub(super) alone: bool,
    /// Nothing but a blank or the line's end follows the value.
    pub(super) free: bool,
    /// Other assignments of the same form stand beside it, as in a dump of an object or on a command line.
    pub(super) listed: bool,
    /// What is in quotes may have blanks in it: it is a setting's, and no label.
    pub(super) phrase: bool,
}

/// Whether `value`, assigned to a name of this class, is worth hiding.
pub(super) fn secret_value(class: Class, value: &[u8], place: ValuePlace) -> bool {
    if placeholder(value) {
        return false;
    }
    let shape = shape(value);
    let blank = value.iter().any(|b| b.is_ascii_whitespace() || b.is_ascii_control());
    let phrase = class == Class::Password && place.quoted && (place.setting || place.phrase);
    let words = matches!(class, Class::Password | Class::Secret) && place.quoted && passphrase::is_one(value);
    if words {
        return true;
    }
    if blank && !scrambled(value, shape) && !phrase {
        return false;
    }
    match class {
        Class::Password => password(value, shape, place),
        Class::Authorization => {
            value.len() >= 8
                && !wordy(value.strip_prefix(b"'").and_then(|inner| inner.strip_suffix(b"'")).unwrap_or(value))
                && !names_a_header(value)
                && !masked(value)
                && (place.quoted || !code(value) && !statement(value))
        }
        Class::Secret | Class::Token | Class::Key => machine_made(value, shape, place),
        Class::SomeKey => chosen_by_chance(value, shape),
    }
}

/// Whether `value` is a parameter that stands for a secret: `key=undefined`.
fn masked(value: &[u8]) -> bool {
    let name = value.iter().take_while(|b| b.is_ascii_lowercase()).count();
    let rest = value.get(name..).and_then(|rest| rest.strip_prefix(b"=")).unwrap_or_default();
    name > 0 && rest.len() >= 4 && placeholder(rest)
}

/// Whether `value` is the name of a header about authorization: `proxy-authorization`.
fn names_a_header(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    lower.ends_with(b"authorization") && lower.iter().all(|b| b.is_ascii_lowercase() || *b == b'-')
}

/// Whether `value` stands for a secret that is elsewhere: a variable, a template, a mask, a word such as `changeme`.
pub(super) fn placeholder(value: &[u8]) -> bool {
    let Some((&first, rest)) = value.split_first() else { return true };
    let last = *value.last().unwrap_or(&first);
    if rest.iter().all(|&b| b == first) || value.iter().all(|b| among!(*b, b"*xX.-_#?+=~ \"'\\")) {
        return true;
    }
    if masks(value) {
        return true;
    }
    // In code a sign may follow what stands for the value: `=> $password,`, `= <STDIN>;`.
    if matches!(last, b',' | b';') && matches!(first, b'$' | b'<') {
        return value.split_last().is_some_and(|(_, inner)| placeholder(inner));
    }
    let encrypted = value.starts_with(b"ENC[") && value.ends_with(b"]") || value.starts_with(b"ext:");
    if encrypted || value.starts_with(b"<|") && value.ends_with(b"|>") {
        return true;
    }
    // A type of GraphQL: `String!`.
    if last == b'!' && value.split_last().is_some_and(|(_, name)| for_nothing(name)) {
        return true;
    }
    let enclosed = matches!((first, last), (b'<', b'>') | (b'{', b'}') | (b'[', b']') | (b'(', b')') | (b'*', b'*'));
    let named = |inner: &[u8]| inner.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_-."));
    if enclosed && tidy(rest) || matches!(rest, [inner @ .., b'%'] if first == b'%' && named(inner)) {
        return true;
    }
    if has(value, b"[REDACTED") || value.ends_with(b"...") || value.ends_with("…".as_bytes()) {
        return true;
    }
    // A tag of YAML: `!Ref`, `!vault`.
    if first == b'!' && rest.len() <= 12 && rest.iter().all(u8::is_ascii_alphabetic) {
        return true;
    }
    if value.starts_with(b"&lt;") || variable(value) || template(value) || escapes(value) {
        return true;
    }
    if value.len() > 256 {
        return false;
    }
    for_nothing(value) || dummy(value)
}

/// Whether `value` is nothing but dots and stars that hide a secret: `••••••••`.
fn masks(value: &[u8]) -> bool {
    let masked =
        |sign: char| matches!(sign, '•' | '●' | '·' | '∙' | '∗' | '＊' | '▪' | '■' | '█' | '…' | '◦' | '⬤' | '*' | ' ');
    !value.is_ascii() && std::str::from_utf8(value).is_ok_and(|text| text.chars().all(masked))
}

/// Whether `value` is one of [`WORDS_FOR_NOTHING`], in any case.
fn for_nothing(value: &[u8]) -> bool {
    static SORTED: LazyLock<Vec<&[u8]>> = LazyLock::new(|| {
        let mut words: Vec<&[u8]> = WORDS_FOR_NOTHING.iter().map(|word| word.as_bytes()).collect();
        words.sort_unstable();
        words
    });
    let mut lower = [0u8; 16];
    let Some(lower) = lower.get_mut(..value.len()) else { return false };
    lower.copy_from_slice(value);
    lower.make_ascii_lowercase();
    SORTED.binary_search(&&*lower).is_ok()
}

/// Whether `value` has one of [`DUMMY_PARTS`] in it. Chance puts a short word into a password now and then, so a short
/// one counts only where a word may begin.
fn dummy(value: &[u8]) -> bool {
    static PARTS: LazyLock<Option<AhoCorasick>> =
        LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(DUMMY_PARTS).ok());
    let begins = |at: usize| at == 0 || !value.get(at - 1).is_some_and(u8::is_ascii_alphanumeric);
    PARTS.as_ref().is_some_and(|parts| {
        parts.find_overlapping_iter(value).any(|hit| {
            let part = value.get(hit.range()).unwrap_or_default();
            let short =
                part.len() < 6 && part.iter().all(u8::is_ascii_alphabetic) && !part.eq_ignore_ascii_case(b"xxxx");
            !short || begins(hit.start())
        })
    })
}

/// Whether `inner` may be the name in a template: words, and what joins them.
fn tidy(inner: &[u8]) -> bool {
    let joins = |b: u8| among!(b, b"_-. :$|/,'\"{}<>()[]%*=");
    inner.iter().all(|&b| b.is_ascii_alphabetic() || b.is_ascii_digit() || joins(b) || !b.is_ascii())
        && inner.iter().filter(|b| b.is_ascii_digit()).count() * 3 <= inner.len()
}

/// Whether `value` is a variable: `$PASSWORD`, `${DB_PASS:-x}`, `$(cat file)`, `$1`.
fn variable(value: &[u8]) -> bool {
    let Some(rest) = value.strip_prefix(b"$") else { return false };
    if rest.starts_with(b"{") || rest.starts_with(b"(") {
        return rest.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_{}()-:.?!@#*/ \"'$=+%[]"));
    }
    // `$config->password`, `$_ENV['PASSWORD']`
    let arrows = rest.iter().enumerate().all(|(at, &b)| b != b'>' || at > 0 && rest.get(at - 1) == Some(&b'-'));
    let name = arrows && rest.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_.:->[]'\""));
    let shape = shape(rest);
    let mixed = shape.upper > 0 && shape.lower > 0;
    // Names of variables are words; chance writes `cEiEonX`.
    let drawn = shape.letters() == rest.len() && if mixed { !camel(rest) } else { shape.upper == 0 && gibberish(rest) };
    let random = mixed && shape.digits > 0 && shape.others == 0;
    name && (rest.len() < 6 || !random && !drawn)
}

/// Whether most of `value` is characters of other scripts, written as escapes: `\u30C8\u30FC`.
fn escapes(value: &[u8]) -> bool {
    if !value.contains(&b'\\') {
        return false;
    }
    let count = value
        .windows(6)
        .filter(|six| matches!(six, [b'\\', b'u', digits @ ..] if digits.iter().all(u8::is_ascii_hexdigit)))
        .count();
    count > 0 && count * 12 > value.len()
}

/// Whether `value` is nothing but templates with a little between them: `{{ .Values.password }}`, `%s:%s`, `@@PW@@`.
fn template(value: &[u8]) -> bool {
    const MARKS: [(&[u8], &[u8]); 9] = [
        (b"${", b"}"),
        (b"{{", b"}}"),
        (b"$(", b")"),
        (b"<%", b"%>"),
        (b"%(", b")s"),
        (b"#{", b"}"),
        (b"@@", b"@@"),
        (b"<", b">"),
        (b"{", b"}"),
    ];
    if !value.iter().any(|b| among!(*b, b"${%#@<")) {
        return false;
    }
    let mut at = 0;
    let (mut templates, mut text) = (0, 0);
    // Between names in single brackets, which any text may hold, nothing stands but what joins them.
    let mut most = 4;
    'next: while let Some(rest) = value.get(at..).filter(|rest| !rest.is_empty()) {
        if matches!(rest, [b'%', b's' | b'd' | b'v' | b'q' | b'@', ..]) || rest.starts_with(b"{}") {
            (templates, at) = (templates + 1, at + 2);
            continue;
        }
        for (open, close) in MARKS {
            if !rest.starts_with(open) {
                continue;
            }
            let inner = rest.get(open.len()..).unwrap_or_default();
            // One brace alone is a sign like any other, unless a name stands between two.
            let named = |end: &usize| {
                *end >= 1
                    && (open.starts_with(b"$")
                        || inner.get(..*end).is_some_and(|name| {
                            if open.len() > 1 {
                                return tidy(name);
                            }
                            name.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_.- :") || !b.is_ascii())
                        }))
            };
            if let Some(end) = find(inner, close).filter(named) {
                let alone = at == 0 && end >= 6 && open == b"{";
                most = if open.len() > 1 || alone { most.min(3) } else { 1 };
                (templates, at) = (templates + 1, at + open.len() + end + close.len());
                continue 'next;
            }
        }
        // A template whose end is cut off, or that goes on behind the value's.
        let opened = rest.starts_with(b"${") || rest.starts_with(b"{{") || rest.starts_with(b"$(");
        if opened
            && at == 0
            && rest.get(2..).is_some_and(|name| name.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"_.-:")))
        {
            return true;
        }
        text += usize::from(!rest.first().is_some_and(|b| among!(*b, b":/-_@., ")));
        at += 1;
    }
    templates > 0 && text < most
}

/// Whether `value` is a path, most parts of which are words: `/run/secrets/db`, `./key.pem`, `~/.ssh/id`, `C:\Users`.
fn path(value: &[u8]) -> bool {
    if let [drive, b':', b'\\', rest @ ..] = value {
        return drive.is_ascii_alphabetic()
            && rest.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"\\._-~ ()"))
            && !gibberish(rest);
    }
    const ROOTS: [&[u8]; 9] =
        [b"/etc/", b"/var/", b"/usr/", b"/home/", b"/root/", b"/run/", b"/tmp/", b"/opt/", b"/srv/"];
    if ROOTS.iter().any(|root| value.starts_with(root)) && shape(value).digits <= 4 {
        return value.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"/._-~@+"));
    }
    let rooted =
        value.starts_with(b"/") || value.starts_with(b"./") || value.starts_with(b"~/") || value.starts_with(b"../");
    if !rooted || !value.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"/._-~@+")) || gibberish(value) {
        return false;
    }
    let (mut parts, mut words) = (0, 0);
    for part in value.split(|&b| b == b'/').filter(|part| part.iter().any(u8::is_ascii_alphanumeric)) {
        parts += 1;
        words += usize::from(wordy(part));
    }
    words * 2 > parts
}

/// Whether `value` is a salt or key of printable characters, blanks among them, rather than a sentence.
fn scrambled(value: &[u8], shape: Shape) -> bool {
    let signs = value.iter().filter(|b| b.is_ascii_punctuation()).count();
    value.len() >= 32
        && signs * 6 >= value.len()
        && shape.digits >= 3
        && shape.upper >= 3
        && shape.lower >= 3
        && shape.changes * 2 >= value.len()
}

/// Whether `value` is characters and signs as a generator draws them: `r!3k^x8w#q2(v$9z&m5t@b7*n0^p4s6d1f_g`.
fn full_of_signs(value: &[u8], shape: Shape) -> bool {
    let signs = value.iter().filter(|b| b.is_ascii_punctuation()).count();
    let longest = value.split(|b| !b.is_ascii_alphabetic()).map(<[u8]>::len).max().unwrap_or(0);
    value.len() >= 20
        && signs * 8 >= value.len()
        && shape.digits >= 3
        && shape.changes * 2 >= value.len()
        && longest < 5
}

fn password(value: &[u8], shape: Shape, place: ValuePlace) -> bool {
    if value.len() < 4 || value.len() > 1024 || version(value) || has(value, b"://") {
        return false;
    }
    let letters_only = shape.letters() == value.len();
    let capitalised = letters_only && shape.upper == 1 && value.first().is_some_and(u8::is_ascii_uppercase);
    if path(value) || resource(value) {
        return false;
    }
    // A word about passwords: `current-password`, `auth/wrong-password`, `form.password`, `userPassword`.
    let about = shape.digits == 0 && (wordy(value) || letters_only && camel(value)) && {
        let lower = value.to_ascii_lowercase();
        ["passw", "passkey", "pwd", "secret", "token", "credential"].iter().any(|word| has(&lower, word.as_bytes()))
            || lower.split(|b| among!(*b, b"-_")).any(|part| part == b"pass")
    };
    // The name of an error or a label: `invalidUserNameOrPassword`.
    let camel_case = letters_only && shape.upper > 0 && value.first().is_some_and(u8::is_ascii_lowercase);
    if about && (!place.setting || place.quoted && camel_case && camel(value)) {
        return false;
    }
    let kind = !place.setting && !place.alone && type_name(value);
    let refers = reference(value) && !(place.setting && by_hand(value, shape));
    if !place.quoted && (refers || kind) {
        return false;
    }
    if place.quoted {
        if !value.is_ascii() {
            let inside = value.split_last().is_some_and(|(_, rest)| rest.iter().any(u8::is_ascii_punctuation));
            let signed = value.iter().any(|b| among!(*b, b"=#$%&*+@^~|<>\\"));
            let capital = inside && shape.upper > 0;
            return signed && !value.contains(&b' ')
                || capital
                || shape.digits > 0 && value.iter().any(u8::is_ascii_punctuation);
        }
        let dotted = memchr::memchr(b'.', value).is_some()
            && (value.split(|&b| b == b'.').all(identifier) && wordy(value) && !by_hand(value, shape) || number(value));
        let label = capitalised && !gibberish(value) || matches!(value.last(), Some(b':' | b'?')) && wordy(value);
        let slashed = memchr::memchr(b'/', value).is_some() && wordy(value);
        let short = letters_only && value.len() < 6 && !place.setting && !gibberish(value);
        return !(label || dotted || slashed || short);
    }
    if place.setting {
        // A word that says something of the password, or the file that it is in.
        let word = place.listed && (value.starts_with(b"@") || TYPES.iter().any(|known| known.as_bytes() == value));
        let ends = value.strip_suffix(b",").or_else(|| value.strip_suffix(b";")).unwrap_or(value);
        let call = matches!(ends.last(), Some(b')' | b'(' | b'{' | b'[')) && statement(ends);
        return !call && !word;
    }
    if place.listed && by_hand(value, shape) {
        return true;
    }
    if letters_only {
        let plain = shape.upper == 0 && value.len() >= 6 && !TYPES.iter().any(|known| known.as_bytes() == value);
        // So long a word of a log has no pair of letters that languages avoid.
        let drawn = gibberish(value) || value.len() >= 12 && rare_pairs(value) > 0;
        let drawn = drawn && !(shape.upper > 0 && shape.lower > 0 && camel(value));
        return (place.free && drawn) || (place.alone && (plain || shape.upper > 0 && !camel(value)));
    }
    let sum = shape.letters() == 0 && has(value, b"<<");
    if number(value) && shape.digits < value.len() || sum {
        return false;
    }
    if place.alone {
        // A word in the quotes of print.
        let said = ["„", "“", "«", "「"].iter().any(|mark| value.starts_with(mark.as_bytes()));
        return !statement(value) && shape.digits < value.len() && (shape.digits > 0 || !said);
    }
    let mixed = shape.digits > 0 || shape.others > 0;
    let word = || wordy(value) && !with_a_sign(value, shape);
    !code(value) && mixed && !number(value) && (!word() || place.free && shape.digits > 0 && shape.others == 0)
}

/// Whether `value` is a word with figures and a sign, as people make passwords up: `Rocket444@`, and no address.
fn with_a_sign(value: &[u8], shape: Shape) -> bool {
    let sign = |b: &u8| among!(*b, b"!@#$%^&*");
    shape.digits >= 2
        && shape.letters() >= 4
        && value.iter().any(sign)
        && !value.split(|b| *b == b'@').skip(1).any(|host| host.contains(&b'.') || host.contains(&b':'))
}

/// Whether words that signs join are a password that a person made up: one has a capital, or a figure stands at the end,
/// and none is a word of labels and types. `Hasel.Nuss5`, not `login.form.title`, `Types.String` or `Foo.BAR`.
pub(super) fn by_hand(value: &[u8], shape: Shape) -> bool {
    let joins = |b: &u8| among!(*b, b"._-!#$%&*+/:@");
    let capital = |word: &[u8]| matches!(word, [first, rest @ ..] if first.is_ascii_uppercase() && rest.iter().any(|b| b.is_ascii_lowercase() || !b.is_ascii()));
    let loud = |word: &[u8]| word.len() > 1 && word.iter().all(u8::is_ascii_uppercase);
    let words = || value.split(joins).filter(|word| !word.is_empty());
    let made_up = words().any(capital) || value.last().is_some_and(u8::is_ascii_digit) && shape.letters() >= 4;
    (8..=64).contains(&value.len())
        && made_up
        && words().count() > 1
        && value.iter().all(|b| b.is_ascii_alphanumeric() || joins(b) || !b.is_ascii())
        && !words().any(|word| loud(word) || LABELS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())))
        && !matches!(value.last(), Some(b':' | b'.'))
        && !resource(value)
        && !version(value)
        && !number(value)
        && !has(value, b"//")
}

fn machine_made(value: &[u8], shape: Shape, place: ValuePlace) -> bool {
    if value.len() < 8 || value.len() > 4096 || !value.is_ascii() || version(value) {
        return false;
    }
    // Words with figures and signs are what a person makes up, where nothing else can stand there.
    let sign = |b: &u8| among!(*b, b"!@#$%^&*");
    let chosen = place.setting && shape.digits >= 2 && shape.letters() >= 4 && value.iter().any(sign) && !code(value);
    if chosen && !has(value, b"://") {
        return true;
    }
    if has(value, b"://") || path(value) || number(value) || wordy(value) || resource(value) {
        return false;
    }
    if !place.quoted && (reference(value) || !place.setting && type_name(value)) || constant(value) {
        return false;
    }
    // What a program makes for another has no brackets and no operators in it.
    let operators = [&b"==="[..], b"&&", b"??", b"?.", b"=>", b"(", b"{"];
    if !place.quoted && place.setting && operators.iter().any(|part| has(value, part)) && !full_of_signs(value, shape) {
        return false;
    }
    let reads_as_code = if place.setting || place.quoted {
        matches!(value.last(), Some(b')' | b'(' | b'{' | b'[')) && statement(value)
    } else if place.alone {
        statement(value)
    } else {
        code(value)
    };
    // A number, or a constant that is one: `0x16C9A130`, `TPM2B_DIGEST`.
    let hexadecimal = value.strip_prefix(b"0x").or_else(|| value.strip_prefix(b"0X"));
    let loud = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
    let named = value.contains(&b'_') && value.iter().all(loud) && shape.digits * 5 <= value.len();
    if named || hexadecimal.is_some_and(|digits| digits.len() <= 16 && digits.iter().all(u8::is_ascii_hexdigit)) {
        return false;
    }
    let of_types = camel_name(value) || generic_type(value);
    if reads_as_code || of_types || name_with_suffix(value) || names_a_secret(value, place) {
        return false;
    }
    if counted_up(value) && value.len() < 64 {
        return false;
    }
    let bits = entropy(value);
    let mixed = shape.digits > 0 && shape.letters() > 0;
    let disorderly = shape.upper > 1 && shape.lower > 1 && shape.changes * 4 >= value.len() && value.len() >= 12;
    let letters = shape.digits == 0 && value.len() >= 12 && gibberish(value);
    (mixed && bits >= 2.75)
        || (disorderly && bits >= 3.3)
        || (letters && bits >= 2.75)
        || (value.len() >= 32 && shape.hex && bits >= 2.5)
}

/// Whether `value` speaks of secrets, as names of types and variables do: `PKCS7PrivateKeyTypes`, `MYTOKEN1`.
fn names_a_secret(value: &[u8], place: ValuePlace) -> bool {
    if value.len() > 40 || (place.quoted && value.len() > 24) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    ["token", "secret", "passw", "private", "credential"].iter().any(|word| has(&lower, word.as_bytes()))
}

/// Whether `value` names a resource of a cloud: an ARN, a `projects/…` path, an image with its tag.
fn resource(value: &[u8]) -> bool {
    value.starts_with(b"arn:")
        || value.starts_with(b"urn:")
        || value.starts_with(b"projects/")
        || value.starts_with(b"/subscriptions/")
}

/// Whether `value` is a name made of words with something random behind it: `db-creds-7d9f8b6c5d`.
fn name_with_suffix(value: &[u8]) -> bool {
    let word = |part: &[u8]| part.len() >= 2 && part.iter().all(u8::is_ascii_lowercase) && wordy(part);
    let (mut words, mut letters) = (0, 0);
    for part in value.split(|b| among!(*b, b"-_./:")) {
        if part.len() >= 3 && word(part) {
            words += 1;
            letters += part.len();
        }
    }
    let mut parts = value.split(|&b| b == b'-').rev();
    let suffix = parts.next().is_some_and(|part| part.len() <= 10);
    let kebab = value.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-');
    (words >= 2 && letters * 2 >= value.len()) || (kebab && suffix && parts.clone().count() >= 2 && parts.all(word))
}

/// Whether only chance can have made `value`: what is asked of a value under a name that says no more than `key`.
fn chosen_by_chance(value: &[u8], shape: Shape) -> bool {
    (20..=512).contains(&value.len())
        && value.iter().all(|b| b.is_ascii_alphanumeric() || among!(*b, b"+/=_-."))
        && shape.digits >= 2
        && shape.letters() >= 4
        && !uuid(value)
        && !wordy(value)
        && !name_with_suffix(value)
        && !resource(value)
        && !monotonous(value)
        && !counted_up(value)
        && !camel_name(value)
        && !constant(value)
        && memchr::memchr(b'.', value).is_none()
        && entropy(value) >= 3.0
}

/// Whether `value`, all that a line below a secret's name holds, is what chance alone writes, rather than code or a name.
pub(super) fn by_chance_alone(value: &[u8]) -> bool {
    let shape = shape(value);
    chosen_by_chance(value, shape)
        && !placeholder(value)
        && (shape.digits * 8 >= value.len() || gibberish(value))
        && (shape.upper > 1 && shape.lower > 1 || value.len() >= 32 && shape.hex)
}

/// Whether the password part of a URL is a template or a mask. Here a plain word is taken for what it says.
pub(super) fn placeholder_in_url(value: &[u8]) -> bool {
    let Some((&first, rest)) = value.split_first() else { return true };
    let opened = matches!(first, b'$' | b'<' | b'{' | b'[' | b'(') || (first == b'%' && rest.last() == Some(&b'%'));
    let mask = value.iter().all(|b| among!(*b, b"*xX.-_#?")) || rest.len() < 2;
    (first == b'<' && value.contains(&b'>'))
        || (opened && (template(value) || variable(value) || placeholder(value)))
        || mask
        || template(value)
        || has(value, b"[REDACTED")
        || value.ends_with(b"...")
}
