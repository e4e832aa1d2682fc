//! The laws on random texts: nothing leaks, the chunking does not matter, lines stay, twice is once.

use std::sync::Arc;

use proptest::prelude::*;

use super::examples::{Dice, cook, examples};
use crate::redact::{Redactor, Rules, redact};

/// Feeds `text` in chunks whose lengths `cuts` gives, over and over.
fn in_chunks(text: &str, cuts: &[usize]) -> String {
    let mut redactor = Redactor::new(Rules::builtin());
    let mut out = String::new();
    let (mut at, mut turn) = (0, 0);
    while at < text.len() {
        let end = text.ceil_char_boundary(at + cuts[turn % cuts.len()].max(1));
        redactor.push(crate::text::slice(text, at..end), &mut |piece| out.push_str(piece));
        (at, turn) = (end, turn + 1);
    }
    redactor.finish(&mut |piece| out.push_str(piece));
    out
}

/// Text that secrets may stand in: words, quotes, operators, names, escapes, line ends, and other scripts.
fn filler(dice: &mut Dice, parts: usize) -> String {
    let words = [
        "INFO",
        " ",
        "\n",
        "\r\n",
        "request",
        "=",
        ": ",
        "\"",
        "'",
        "{",
        "}",
        ", ",
        "password",
        "token",
        "https://",
        "@",
        "/usr/lib/",
        "é",
        "世界",
        "🎉",
        "\\n",
        "\\\"",
        "key",
        " -u ",
        "PRIVATE KEY",
        "-----BEGIN ",
        "-----",
        "|",
        "  ",
        "secret: |\n",
        "<Pass>",
        "</Pass>",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "eyJ",
        "0123456789abcdef0123456789abcdef",
        "\t",
        "Authorization: ",
        "Bearer ",
        "some_long_identifier_name_for_tests",
        "%3D",
        "xoxb-",
        "[REDACTED: JWT]",
        ";",
        "&",
    ];
    (0..parts).map(|_| words[dice.below(words.len())]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: super::cases(400) as u32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_chunking_does_not_matter(seed: u64, cuts in prop::collection::vec(1usize..200, 1..6)) {
        let mut dice = Dice(seed);
        let parts = 5 + dice.below(120);
        let text = filler(&mut dice, parts);
        let (whole, _) = redact(&text, &Rules::builtin());
        prop_assert_eq!(in_chunks(&text, &cuts), whole);
    }

    #[test]
    fn lines_stay_lines_and_twice_is_once(seed: u64) {
        let mut dice = Dice(seed);
        let parts = 5 + dice.below(120);
        let text = filler(&mut dice, parts);
        let rules = Rules::builtin();
        let (once, _) = redact(&text, &rules);
        prop_assert_eq!(once.matches('\n').count(), text.matches('\n').count());
        prop_assert_eq!(redact(&once, &rules).0, once);
    }

    #[test]
    fn planted_secrets_never_come_out(seed: u64, cuts in prop::collection::vec(1usize..300, 1..6)) {
        let mut dice = Dice(seed);
        let rules: Vec<_> = examples().into_iter().filter(|rule| rule.id != "modal-token").collect();
        let rule = &rules[dice.below(rules.len())];
        let planted = cook(&rule.good[dice.below(rule.good.len())], &mut dice);
        // What the rule takes out of its own example is the secret.
        let (alone, _) = redact(&planted, &Rules::builtin());
        let Some((before, after)) = alone.split_once("[REDACTED") else { return Ok(()) };
        let after = after.split_once(']').map_or("", |(_, after)| after);
        let Some(secret) = planted.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) else { return Ok(()) };
        let lines = |dice: &mut Dice| -> String { (0..dice.below(40)).map(|n| format!("line {n} of the log, all is well\n")).collect() };
        let indent = ["", "  ", "2026-11-15T12:00:00Z INFO app: ", "+ ", "> ", "\t"][dice.below(6)];
        let text = format!("{}{indent}{planted}\n{}", lines(&mut dice), lines(&mut dice));
        let out = in_chunks(&text, &cuts);
        prop_assert!(!out.contains(secret), "{}: {text:?} came out as {out:?}", rule.id);
        prop_assert_eq!(out.matches('\n').count(), text.matches('\n').count());
    }
}

/// One line far longer than what is held back, with a secret at every kind of place in it.
#[test]
fn a_secret_is_found_anywhere_in_a_very_long_line() {
    let rules = Rules::builtin();
    let mut dice = Dice(3);
    for place in [0, 100, 16_300, 16_370, 16_384, 24_500, 24_570, 32_760, 40_000, 70_000] {
        let secret = cook("ghp_{w36}", &mut dice);
        let text = format!("{} {secret} {}", "word ".repeat(place / 5), "word ".repeat(15_000));
        let (whole, counts) = redact(&text, &rules);
        assert!(!whole.contains(&secret), "at {place}");
        assert_eq!(counts["GITHUB_TOKEN"], 1, "at {place}");
        for cut in [1_000, 4_096, 65_536] {
            assert_eq!(in_chunks(&text, &[cut]), whole, "at {place} in chunks of {cut}");
        }
    }
}

/// The head of a list is above what came in the same piece, and above what the same segment holds.
#[test]
fn a_list_of_names_and_values_is_one_in_any_pieces() {
    for rows in [0, 3, 12, 25, 40, 200, 1000] {
        let row = |n: usize| format!("feature_{n:04}  {}\n", ["on", "off", "sometimes, to be decided"][n % 3]);
        let list: String = (0..rows).map(row).collect();
        let text = format!("Key           Value\n{list}passphrase    correct-horse-battery\nend\n");
        let (whole, _) = redact(&text, &Rules::builtin());
        assert_eq!(whole.contains("correct-horse"), rows >= 32, "{rows} rows");
        for cut in [1, 7, 41, 4096, 16_384] {
            assert_eq!(in_chunks(&text, &[cut]), whole, "{rows} rows in chunks of {cut}");
        }
        let mut redactor = Redactor::new(Rules::builtin());
        let mut out = String::new();
        text.split_inclusive('\n').for_each(|line| redactor.push(line, &mut |piece| out.push_str(piece)));
        redactor.finish(&mut |piece| out.push_str(piece));
        assert_eq!(out, whole, "{rows} rows, line by line");
    }
}

#[test]
fn a_secret_longer_than_what_is_held_back_goes_whole() {
    let mut dice = Dice(9);
    let secret = cook("sl.{w1100}", &mut dice);
    let long: String = (0..40).map(|_| cook("{w1000}", &mut dice)).collect();
    for text in [format!("{} {secret} end\n", "word ".repeat(3_000)), format!("a\npassword={long}\nend\n")] {
        let (whole, _) = redact(&text, &Rules::builtin());
        for cut in [977, 5_000, 30_000] {
            assert_eq!(in_chunks(&text, &[cut]), whole);
        }
        assert!(whole.ends_with("end\n"));
    }
}

#[test]
fn hostile_lines_come_out_as_they_went_in() {
    for part in [
        "a",
        "key=",
        "pass=",
        "pass=\"",
        "eyJ",
        "-eyJ",
        "eyJaaaaaaaaaaaaaaaaaaaaaaaa.",
        "://",
        "://a:",
        "BEGIN ",
        "token:\n",
        "AKIA-",
        "\\",
    ] {
        let text = part.repeat(200_000 / part.len());
        let mut redactor = Redactor::new(Arc::clone(&Rules::builtin()));
        let mut length = 0;
        redactor.push(&text, &mut |piece| length += piece.len());
        redactor.finish(&mut |piece| length += piece.len());
        if redactor.counts().is_empty() {
            assert_eq!(length, text.len(), "{part}");
        }
    }
}

/// The bracket of a placeholder is none of those that may stand before a setting.
#[test]
fn a_placeholder_is_no_prefix_of_a_setting() {
    let once = redact("Authorization: hunter2xy abcAuthorization: password'\n", &Rules::builtin()).0;
    assert_eq!(once, "Authorization: [REDACTED: AUTHORIZATION] abcAuthorization: password'\n");
    assert_eq!(redact(&once, &Rules::builtin()).0, once);
}

/// What follows a header changes when a secret is taken out there: what is then found is found at once.
#[test]
fn what_a_secret_behind_a_header_hid_is_taken_out_with_it() {
    let text = "Authorization: %3Dxoxb-\"<Pass>xoxb-\\n\r\n";
    let once = redact(text, &Rules::builtin()).0;
    assert_eq!(once, "Authorization: [REDACTED: AUTHORIZATION]\"<Pass>[REDACTED: PASSWORD]\r\n");
    assert_eq!(redact(&once, &Rules::builtin()).0, once);
}

/// A secret that its place tells has the name that its form tells, too, whether its line comes by itself or not.
#[test]
fn a_token_below_the_command_that_prints_it_keeps_its_name() {
    let token = cook("ya29.{W68}", &mut Dice(3));
    for before in ["$ gcloud auth print-access-token\n", "token:\n", "Enter your access token:\n", "  --token\n"] {
        let text = format!("{before}{token}\nend\n");
        let whole = redact(&text, &Rules::builtin()).0;
        assert_eq!(whole, format!("{before}[REDACTED: GOOGLE_OAUTH_TOKEN]\nend\n"));
        for cut in [1, 7, 40] {
            assert_eq!(in_chunks(&text, &[cut]), whole);
        }
    }
}
