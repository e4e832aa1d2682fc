//! Commands that print a secret and nothing else: `vault kv get -field=password …`, `echo $TOKEN`, a name in a shell of a
//! programming language. What they printed is on the next line.

use super::class::Class;
use super::judge::{self, ValuePlace};
use super::name;
use super::passphrase;
use super::rules::{Detector, Rules};
use super::scan::{Segment, Span, With, weight};
use super::shape;
use super::surroundings::PREFIX;
use crate::byte_set::among;

/// Parts of command lines: where all parts of an entry are in one, what it prints is a secret.
const COMMANDS: &[&[&str]] = &[
    &["get secret", "base64 "],
    &["get secret", "base64decode"],
    &["kv get ", "-field"],
    &["vault read ", "-field"],
    &["op read "],
    &["pass show "],
    &["pass get "],
    &["bw get password"],
    &["op item get", "--reveal"],
    &["op item get", "--fields"],
    &["lpass show", "--password"],
    &["gopass show"],
    &["configure get aws_secret"],
    &["bws secret get"],
    &["passbolt get"],
    &["sops ", "--extract"],
    &["pulumi config get"],
    &["print token"],
    &["get-secret-value", "text"],
    &["get-parameter", "--with-decryption", "text"],
    &["gcloud secrets versions access"],
    &["keyvault secret show", "tsv"],
    &["find-generic-password", "-w"],
    &["find-internet-password", "-w"],
    &["secret-tool lookup"],
    &["wg genkey"],
    &["wg genpsk"],
    &["openssl rand "],
    &["pwgen "],
    &["gh auth token"],
    &["auth print-access-token"],
    &["auth print-identity-token"],
    &["whoami --show-token"],
    &["doppler secrets get", "--plain"],
    &["get-login-password"],
    &["get-access-token", "tsv"],
    &["create token "],
    &["initial-password"],
    &["swarm join-token -q"],
    &["infisical secrets get", "--plain"],
    &["chamber read -q"],
    &["fly auth token"],
    &["auth:token"],
    &["config:get "],
    &["output -raw "],
    &["config get ", "--show-secrets"],
    &["keyring get "],
    &["cat ", "/secrets/"],
];

/// Whether the line around `at` is a command that prints a secret, or asks for one in a protocol; what it is.
pub(super) fn announces(segment: &Segment<'_>, at: usize) -> Option<Class> {
    let (start, end) = segment.line(at);
    let line = segment.part(start, end).trim_ascii();
    // SMTP asks for the password in base64.
    let asked = line.ends_with(b"334 UGFzc3dvcmQ6");
    prints(segment, at).or_else(|| asked.then_some(Class::Password))
}

/// What the command on the line around `at` prints, if that is a secret.
pub(super) fn prints(segment: &Segment<'_>, at: usize) -> Option<Class> {
    let command = typed(segment, at)?;
    let has = |part: &&str| shape::has(command, part.as_bytes());
    let known = COMMANDS.iter().any(|parts| parts.iter().all(has));
    // Its output goes elsewhere.
    let kept = command.contains(&b'>') || shape::has(command, b"$(");
    (known && !kept).then(|| if shape::has(command, b"oken") { Class::Token } else { Class::Password })
}

/// What was typed on the line around `at`, behind the prompt of a shell.
fn typed<'a>(segment: &Segment<'a>, at: usize) -> Option<&'a [u8]> {
    let (start, end) = segment.line(at);
    let line = segment.part(start, end.min(start + 512)).trim_ascii();
    let prompts = [&b"$ "[..], b"# ", b"% ", b"> ", b"+ ", "❯ ".as_bytes()];
    if let Some(rest) = prompts.iter().find_map(|prompt| line.strip_prefix(*prompt)) {
        return Some(rest);
    }
    let sign = line.iter().take(96).position(|b| among!(*b, b"$#%>"))?;
    let (host, rest) = line.split_at_checked(sign)?;
    (host.contains(&b'@') && rest.get(1) == Some(&b' ')).then(|| rest.get(2..)).flatten()
}

/// The class of a name that stands alone behind a shell's prompt, or that `echo` prints: its value is on the next line.
pub(super) fn shows(segment: &Segment<'_>, name_start: usize, name_end: usize) -> Option<Class> {
    let (line, _) = segment.line(name_start);
    let rest = segment.part(name_end, segment.line_end(name_end)).trim_ascii_end();
    if name_start - line > PREFIX || !matches!(rest, b"" | b"']" | b"\"]" | b"}" | b"\"" | b"}\"" | b"%") {
        return None;
    }
    let before = segment.part(line, name_start);
    let ahead = before.trim_ascii_start();
    let language = [&b">>> "[..], b"In [", b"irb", b"PS", b"(Pdb) ", b"ipdb> ", b"(gdb) ", b"(lldb) ", b"(byebug) "]
        .iter()
        .any(|prompt| ahead.starts_with(prompt));
    let prompt = ahead.ends_with(b" ") || among!(segment.before(name_start), b".'\")");
    let variable = before.trim_ascii_end_matches(b"\"{");
    let echoed = (variable.ends_with(b"$") || variable.ends_with(b"%") || variable.ends_with(b"$env:"))
        && typed(segment, name_start).is_some_and(|typed| typed.starts_with(b"echo "))
        || ahead.ends_with(b"printenv ") && typed(segment, name_start).is_some();
    // `consul kv get app/db/password`
    let gets = [&b" get "[..], b" read ", b" lookup "].iter().any(|word| shape::has(before, word))
        && among!(segment.before(name_start), b"/: ")
        && rest.is_empty()
        && typed(segment, name_start).is_some();
    // A variable of PowerShell prints itself.
    let printed = language && ahead.ends_with(b"$env:");
    if !(language && prompt || printed || echoed || gets) {
        return None;
    }
    name::class_of(segment.part(name_start, name_end)).filter(|class| *class != Class::SomeKey)
}

/// `trim_ascii_end` for other bytes.
trait TrimEnd {
    fn trim_ascii_end_matches(&self, marks: &[u8]) -> &[u8];
}

impl TrimEnd for [u8] {
    fn trim_ascii_end_matches(&self, marks: &[u8]) -> &[u8] {
        let end = self.iter().rposition(|b| !marks.contains(b)).map_or(0, |at| at + 1);
        self.get(..end).unwrap_or_default()
    }
}

/// The line `start..end` below such a command: one word that is no message, in quotes perhaps.
pub(super) fn printed(segment: &Segment<'_>, start: usize, end: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line = segment.part(start, end);
    let mut from = start + line.len() - line.trim_ascii_start().len();
    let text = line.trim_ascii();
    // What a shell of a programming language puts before a value.
    let mark = match text {
        [b'=', b'>', b' ', ..] => 3,
        [b'-', b'-', b'-', b' ', ..] => 4,
        // What a trace puts before what was sent to a server.
        [b'>', b'>', b' ', ..] | [b'-', b'>', b' ', ..] | [b'C', b':', b' ', ..] => 3,
        [b'O', b'u', b't', b'[', ..] => memchr::memmem::find(text, b"]: ")? + 3,
        _ => 0,
    };
    let mark = mark.max(behind_variable(text));
    let text = text.get(mark..)?;
    from += mark;
    let quoted = matches!(text, [open @ (b'"' | b'\''), _, .., close] if open == close);
    let secret = match text {
        [open @ (b'"' | b'\''), inner @ .., close] if open == close => {
            from += 1;
            inner
        }
        _ => text,
    };
    let words = secret.last().is_some_and(u8::is_ascii_digit) && passphrase::may_be(secret);
    let one = (6..=4096).contains(&secret.len()) && (secret.iter().all(u8::is_ascii_graphic) || words);
    let shape = shape::shape(secret);
    let signed = secret.iter().any(|b| among!(*b, b"!@#$%^&*+?~=")) && shape.letters() >= 6;
    let made = quoted && !secret.contains(&b'.')
        || signed
        || shape.digits > 0
        || shape::gibberish(secret)
        || shape.upper > 0 && shape.lower > 0 && shape.others > 0;
    let message = matches!(secret.last(), Some(b':' | b'.')) || shape::number(secret) || shape::has(secret, b"://");
    (one && made && !message && !judge::placeholder(secret) && !secret.starts_with(b"/") && !rules.allowed(secret))
        .then_some(Span {
            start: from,
            end: from + secret.len(),
            kind,
            weight: weight::ASSIGNED,
            with: With::Placeholder,
        })
}

/// How long what a debugger writes before a string is: `$1 = `, and an address perhaps.
fn behind_variable(text: &[u8]) -> usize {
    let digits = text.iter().skip(1).take_while(|b| b.is_ascii_digit()).count();
    let behind = text.strip_prefix(b"$").and_then(|rest| rest.get(digits..)).filter(|_| digits > 0).unwrap_or_default();
    let Some(rest) = behind.strip_prefix(b" = ") else { return 0 };
    let address =
        rest.strip_prefix(b"0x").map_or(0, |hex| hex.iter().take_while(|b| b.is_ascii_hexdigit()).count() + 3);
    1 + digits + 3 + address
}

/// The line `start..end` that is the value of a form's field or of a flag.
pub(super) fn field(segment: &Segment<'_>, start: usize, end: usize, rules: &Rules, class: Class) -> Option<Span> {
    let kind = rules.detector(Detector::from(class))?;
    let line = segment.part(start, end);
    let from = start + line.len() - line.trim_ascii_start().len();
    let secret = line.trim_ascii().strip_suffix(b"\\").unwrap_or(line.trim_ascii()).trim_ascii_end();
    let item = if secret.starts_with(b"- ") { 2 } else { behind_index(secret) };
    let (from, secret) = (from + item, secret.get(item..)?);
    let (from, secret) = match secret {
        [open @ (b'"' | b'\''), inner @ .., close] if open == close => (from + 1, inner),
        // The end of a string that began on the line before.
        [inner @ .., b'"' | b'\''] => (from, inner),
        _ => (from, secret),
    };
    let place = ValuePlace { quoted: false, setting: true, alone: true, free: true, ..ValuePlace::default() };
    (!secret.starts_with(b"--") && judge::secret_value(class, secret, place) && !rules.allowed(secret)).then_some(
        Span { start: from, end: from + secret.len(), kind, weight: weight::ASSIGNED, with: With::Placeholder },
    )
}

/// How long the number of an argument at the beginning of `line` is, with what joins them: `argv[3] = `, `[3] `, `3: `.
pub(super) fn behind_index(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|b| **b == b' ').count();
    let text = line.get(blanks..).unwrap_or_default();
    let name =
        ["arg", "args", "argv"].iter().rfind(|name| text.starts_with(name.as_bytes())).map_or(0, |name| name.len());
    let rest = text.get(name..).unwrap_or_default();
    let open = usize::from(rest.first() == Some(&b'['));
    let digits = rest.iter().skip(open).take_while(|b| b.is_ascii_digit()).count();
    let behind = rest.get(open + digits..).unwrap_or_default();
    let signs = behind.iter().take_while(|b| among!(**b, b"]=:) ")).count();
    let joined = behind.get(..signs).unwrap_or_default();
    if digits > 0 && joined.len() > usize::from(open > 0) { blanks + name + open + digits + signs } else { 0 }
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
    }

    #[test]
    fn what_a_command_prints_goes() {
        for command in ["vault kv get -field=password secret/x", "pass show web/acme", "echo $DB_PASSWORD"] {
            check(
                &format!("$ {command}\nLak3!Mountain\n$ ls\n"),
                &format!("$ {command}\n[REDACTED: PASSWORD]\n$ ls\n"),
            );
        }
        check(">>> settings.SECRET_KEY\n'x8Lq2!mR9vTz'\n", ">>> settings.SECRET_KEY\n'[REDACTED: API_KEY]'\n");
        check("In [3]: password\nOut[3]: 'maple-42-otter'\n", "In [3]: password\nOut[3]: '[REDACTED: PASSWORD]'\n");
    }

    #[test]
    fn fields_of_forms_and_flags_have_their_value_below() {
        check(
            "Content-Disposition: form-data; name=\"password\"\r\n\r\nsommerregen\r\n--x\r\n",
            "Content-Disposition: form-data; name=\"password\"\r\n\r\n[REDACTED: PASSWORD]\r\n--x\r\n",
        );
        check(
            "  --password \\\n    sommerregen \\\n    --user x\n",
            "  --password \\\n    [REDACTED: PASSWORD] \\\n    --user x\n",
        );
        check("334 UGFzc3dvcmQ6\nc29tbWVycmVnZW4x\n235 OK\n", "334 UGFzc3dvcmQ6\n[REDACTED: PASSWORD]\n235 OK\n");
    }

    #[test]
    fn messages_and_other_commands_stay() {
        for text in [
            "$ pass show web/acme\nError: web/acme is not in the password store.\n",
            "$ kubectl get secret db\nNAME   TYPE     DATA   AGE\ndb     Opaque   2      4d\n",
            "$ echo $DB_PASSWORD | wc -c\n14\n",
            ">>> len(password)\n14\n",
            "$ openssl rand -base64 32 > key.txt\nkey4711.txt\n",
        ] {
            check(text, text);
        }
    }
}
