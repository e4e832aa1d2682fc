//! Secrets over several lines keep the lines.

use crate::redact::{Rules, redact};

fn check(text: &str, expected: &str) {
    let (redacted, counts) = redact(text, &Rules::builtin());
    assert_eq!(redacted, expected);
    assert_eq!(redact(&redacted, &Rules::builtin()).0, redacted, "twice is once");
    assert!(counts.values().all(|&count| count == 1), "{counts:?}");
}

/// A body line of a key: 64 characters that look like base64.
fn body(seed: u8) -> String {
    (0..64u8)
        .map(|n| char::from(b"QWERTYUIOPasdfghjklZXCVBNM1234567890+/"[usize::from(n.wrapping_mul(seed) % 38)]))
        .collect()
}

const DASHES: &str = "-----";

#[test]
fn a_private_key_becomes_one_placeholder_and_empty_lines() {
    let (begin, end) =
        (format!("{DASHES}BEGIN RSA PRIVATE KEY{DASHES}"), format!("{DASHES}END RSA PRIVATE KEY{DASHES}"));
    let text = format!("a\n{begin}\n{}\n{}\nAbc1=\n{end}\nz\n", body(3), body(5));
    check(&text, &format!("a\n{begin}\n[REDACTED: PRIVATE_KEY]\n\n\n{end}\nz\n"));
}

#[test]
fn a_key_in_json_stays_in_its_string() {
    let (begin, end) = (format!("{DASHES}BEGIN PRIVATE KEY{DASHES}"), format!("{DASHES}END PRIVATE KEY{DASHES}"));
    let text = format!("{{\"private_key\": \"{begin}\\n{}\\n{}\\n{end}\\n\", \"a\": 1}}\n", body(3), body(5));
    check(&text, &format!("{{\"private_key\": \"{begin}\\n[REDACTED: PRIVATE_KEY]\\n{end}\\n\", \"a\": 1}}\n"));
}

#[test]
fn a_key_that_is_cut_off_ends_where_its_lines_end() {
    let begin = format!("{DASHES}BEGIN OPENSSH PRIVATE KEY{DASHES}");
    let text = format!("  {begin}\n  {}\n  {}\n$ echo done\ndone\n", body(3), body(7));
    check(&text, &format!("  {begin}\n  [REDACTED: PRIVATE_KEY]\n  \n$ echo done\ndone\n"));
}

#[test]
fn a_mention_of_a_key_stays() {
    let mention = format!("if text.startswith(\"{DASHES}BEGIN PRIVATE KEY{DASHES}\"):\n    return parse(text)\n");
    check(&mention, &mention);
    let certificate = format!("{DASHES}BEGIN CERTIFICATE{DASHES}\n{}\n{DASHES}END CERTIFICATE{DASHES}\n", body(3));
    check(&certificate, &certificate);
}

#[test]
fn a_putty_key_loses_its_private_lines_only() {
    let text = format!("Public-Lines: 1\n{}\nPrivate-Lines: 2\n{}\nQz==\nPrivate-MAC: 67\n", body(3), body(5));
    check(
        &text,
        &format!("Public-Lines: 1\n{}\nPrivate-Lines: 2\n[REDACTED: PRIVATE_KEY]\n\nPrivate-MAC: 67\n", body(3)),
    );
}

#[test]
fn a_block_scalar_under_a_secret_name_goes() {
    check("a: 1\npassword: |\n  one\n  two\nb: 2\n", "a: 1\npassword: |\n  [REDACTED: PASSWORD]\n  \nb: 2\n");
    check("- secret: >-\n    one\n  b: 2\n", "- secret: >-\n    [REDACTED: SECRET]\n  b: 2\n");
}

#[test]
fn a_value_on_the_next_line_is_found() {
    check(
        "{\"password\":\n  \"swordfish!23\",\n \"a\": 1}\n",
        "{\"password\":\n  \"[REDACTED: PASSWORD]\",\n \"a\": 1}\n",
    );
    check("password:\n  valueFrom: x\n", "password:\n  valueFrom: x\n");
}

#[test]
fn a_value_below_or_beside_its_name_goes() {
    for (text, secret) in [
        (
            "influx:\n    token:\n        gphuAyW0xYvEIg2qYOaJattz9q0R3EiQ\n    org: acme\n",
            "gphuAyW0xYvEIg2qYOaJattz9q0R3EiQ",
        ),
        ("<key>Password</key>\n<string>zwetschge99</string>\n", "zwetschge99"),
        ("[\"dbPassword\":protected]=>\nstring(14) \"Bruch.Rechnen7\"\n", "Bruch.Rechnen7"),
        ("    passphrase: Some(\n        \"Uhu.im.Turm4\",\n    ),\n", "Uhu.im.Turm4"),
        ("API secret\n----------\n93sPVJ4leGVgqshUX1xW0JIEQAJVRPMW\n", "93sPVJ4leGVgqshUX1xW0JIEQAJVRPMW"),
        ("{\"value\": \"Tr0ub4dor-horse\", \"name\": \"DB_PASS\"},\n", "Tr0ub4dor-horse"),
        ("{\"db_pw\":{\"sensitive\":true,\"type\":\"string\",\"value\":\"D#gDont6Wc\"}}\n", "D#gDont6Wc"),
        (
            "\"db_pw\": {\n  \"sensitive\": true,\n  \"type\": \"string\",\n  \"value\": \"D#gDont6Wc\"\n}\n",
            "D#gDont6Wc",
        ),
        ("s:8:\"password\";s:10:\"D#gDont6Wc\";\n", "D#gDont6Wc"),
        ("/prod/db/host\tdb1\n/prod/db/password\tQu1etRiver_Stone\n", "Qu1etRiver_Stone"),
        ("    DefaultPassword    REG_SZ    Eis.Diele.44\n", "Eis.Diele.44"),
        ("<Password><Value>Eis.Diele.44</Value></Password>\n", "Eis.Diele.44"),
        ("<password><![CDATA[Eis.Diele.44]]></password>\n", "Eis.Diele.44"),
    ] {
        let (redacted, counts) = redact(text, &Rules::builtin());
        let kind = counts.keys().next().map_or("", String::as_str);
        assert_eq!(redacted, text.replace(secret, &format!("[REDACTED: {kind}]")), "from {text}");
    }
}

#[test]
fn what_stands_below_a_name_and_is_no_value_stays() {
    for text in [
        "token:\n    description: one\n",
        "const token =\n    base64UrlEncodeWithSha256Digest;\n",
        "<key>Password</key>\n<true/>\n",
        "[\"dbPassword\":protected]=>\nNULL\n",
        "API secret\n----------\nYou can create one under Settings > Developers.\n",
        "{\"valueFrom\": \"arn:aws:ssm:eu-west-1:702463686427:parameter/db\", \"name\": \"DB_PASS\"},\n",
        "\"password\": {\n  \"type\": \"string\",\n  \"minLength\": 8\n}\n",
        "s:9:\"commit_id\";s:40:\"876690c9f1601b6689cc8af536f66191e679ac1b\";\n",
        "/prod/db/password\tSecureString\n",
        "    PasswordExpiryWarning    REG_DWORD    0x5\n",
        "http POST api.acme.io/login user=mara password=@pw.txt\n",
    ] {
        assert_eq!(redact(text, &Rules::builtin()).0, text);
    }
}

#[test]
fn a_key_in_hexadecimal_loses_its_lines() {
    check(
        "Private-Key: (256 bit)\npriv:\n    b6:9a:e6:22:\n    41:d5\npub:\n    04:aa:bb:cc:\n",
        "Private-Key: (256 bit)\npriv:\n    [REDACTED: PRIVATE_KEY]\n    \npub:\n    04:aa:bb:cc:\n",
    );
    let (redacted, _) = redact("privateExponent:\n    00:9a:\n    1b\nprime1:\n    00:ee\n", &Rules::builtin());
    assert_eq!(redacted, "privateExponent:\n    [REDACTED: PRIVATE_KEY]\n    \nprime1:\n    [REDACTED: PRIVATE_KEY]\n");
    check("    priv: 12:00 to 13:00\n", "    priv: 12:00 to 13:00\n");
    check("priv:\nno key here\n", "priv:\nno key here\n");
}
