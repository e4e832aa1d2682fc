//! Random values under plain names, in every form and every wrapping: each goes whole, and its benign twin stays.

use super::examples::Dice;
use crate::redact::{Rules, redact};

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const MIXED: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// What a password manager draws from: all that prints, but for quotes, backslashes and blanks.
const SIGNS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&()*+,-./:;<=>?@[]^_{|}~";
const HEX: &str = "0123456789abcdef";

/// One form of an assignment: its name, what is before and behind the value, the values it may hold, and a twin that
/// holds no secret.
struct Form {
    name: &'static str,
    before: &'static str,
    behind: &'static str,
    alphabet: &'static str,
    lengths: [usize; 3],
    twin: &'static str,
}

const fn form(
    name: &'static str,
    before: &'static str,
    behind: &'static str,
    alphabet: &'static str,
    lengths: [usize; 3],
    twin: &'static str,
) -> Form {
    Form { name, before, behind, alphabet, lengths, twin }
}

const FORMS: &[Form] = &[
    form("setting", "DB_PASSWORD=", "", SIGNS, [12, 16, 24], "DB_PORT=5432"),
    form("setting of letters", "MYSQL_PASSWORD=", "", LOWER, [8, 12, 16], "MYSQL_PASSWORD=${PASSWORD}"),
    form("exported", "export API_TOKEN=", "", MIXED, [20, 24, 40], "export API_TOKEN=$(cat token)"),
    form("property", "spring.datasource.password=", "", SIGNS, [12, 16, 24], "spring.datasource.url=jdbc:x"),
    form("YAML", "password: ", "", SIGNS, [12, 16, 24], "password: string"),
    form("YAML of letters and figures", "  password: ", "", MIXED, [8, 12, 20], "  password: !Ref Password"),
    form("JSON", "{\"password\": \"", "\", \"port\": 1}", SIGNS, [8, 12, 24], "{\"password\": null, \"port\": 1}"),
    form("JSON token", "{\"access_token\":\"", "\"}", MIXED, [20, 32, 40], "{\"NextToken\":\"k3jf93kd02kf9dq8\"}"),
    form(
        "log line",
        "INFO login user=bob password=",
        " from 10.0.0.1",
        LOWER,
        [12, 14, 16],
        "INFO login user=bob from 10.0.0.1",
    ),
    form(
        "connection string",
        "Server=db;Uid=app;Pwd=",
        ";Timeout=5",
        MIXED,
        [8, 12, 16],
        "Server=db;Trusted_Connection=yes;Timeout=5",
    ),
    form("query string", "GET /a?x=1&password=", "&y=2", MIXED, [8, 12, 16], "GET /a?x=1&page=3&y=2"),
    form("flag", "tool --password ", " run", MIXED, [8, 12, 16], "tool --password-file /run/pw run"),
    form("code", "password = \"", "\"", SIGNS, [8, 12, 24], "password = getpass.getpass()"),
    form("hex key", "SENDINBLUE_KEY=", "", HEX, [32, 40, 64], "CACHE_KEY=b8163e7b416f782d8be3bfb2a0591049"),
    form("URL", "postgres://app:", "@db.acme.io/main", MIXED, [8, 12, 20], "postgres://db.acme.io/main"),
    form("table", "| DB_PASSWORD | ", " |", MIXED, [8, 12, 16], "| DB_PORT | 5432 |"),
];

/// What tools put around a line.
const WRAPPINGS: &[(&str, &str)] = &[
    ("", ""),
    ("     7\t", ""),
    ("12:", ""),
    ("src/.env:3:", ""),
    ("2026-11-15T12:00:00.000Z ", ""),
    ("web-1  | ", ""),
    ("+", ""),
    ("", "\r"),
];

fn value(form: &Form, dice: &mut Dice) -> String {
    let alphabet: Vec<char> = form.alphabet.chars().collect();
    let length = form.lengths[dice.below(form.lengths.len())];
    (0..length).map(|_| alphabet[dice.below(alphabet.len())]).collect()
}

#[test]
fn random_values_go_whole_in_every_form() {
    let rules = Rules::builtin();
    let mut dice = Dice(16);
    // So few fail that fewer cases would tell nothing.
    let cases = super::cases(600).max(600);
    for form in FORMS {
        let mut failed = Vec::new();
        for case in 0..cases {
            let value = value(form, &mut dice);
            let (lead, trail) = WRAPPINGS[case % WRAPPINGS.len()];
            let text = format!("{lead}{}{value}{}{trail}\nnext line\n", form.before, form.behind);
            let (redacted, _) = redact(&text, &rules);
            let (start, end) =
                (format!("{lead}{}[REDACTED: ", form.before), format!("]{}{trail}\nnext line\n", form.behind));
            if !redacted.starts_with(&start) || !redacted.ends_with(&end) {
                failed.push(format!("{text:?} became {redacted:?}"));
            }
        }
        // Chance now and then writes a word, a variable or a mask.
        let shown = failed.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
        assert!(failed.len() * 200 <= cases, "{}: {} of {cases} failed:\n{shown}", form.name, failed.len());
    }
}

#[test]
fn the_twins_stay() {
    let rules = Rules::builtin();
    for form in FORMS {
        for (lead, trail) in WRAPPINGS {
            let text = format!("{lead}{}{trail}\nnext line\n", form.twin);
            assert_eq!(redact(&text, &rules).0, text, "{}", form.name);
        }
    }
}

#[test]
fn a_value_in_a_json_string_ends_with_its_line() {
    let rules = Rules::builtin();
    let mut dice = Dice(17);
    for _ in 0..super::cases(300) {
        let value = value(&FORMS[0], &mut dice);
        let text = format!("{{\"stdout\": \"DB_PASSWORD={value}\\nok\\n\", \"exit\": 0}}\n");
        let (redacted, _) = redact(&text, &rules);
        if !redacted.contains(&value) {
            assert_eq!(redacted, "{\"stdout\": \"DB_PASSWORD=[REDACTED: PASSWORD]\\nok\\n\", \"exit\": 0}\n", "{text}");
        }
    }
}
