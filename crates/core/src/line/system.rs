//! What a system's own logs tell beside trouble: who came in, who acted with the rights of another, which accounts
//! changed. Attempts that failed come in thousands; what succeeded is rare, and it is what one looks for.

use super::role::{LineScore, Role, score};
use super::signals::Signals;
use crate::hash::Hash;

/// A line that tells of an event that an audit looks for.
pub(crate) fn audited(line: &str, signals: Signals) -> Option<LineScore> {
    if !signals.has(Signals::EVENT) {
        return None;
    }
    let login = line.contains("Accepted ") && line.contains(" for ") && line.contains(" from ");
    let command = line.contains("COMMAND=") && (line.contains("USER=") || line.contains("TTY="));
    let account = ["new user: ", "new group: ", "password changed for ", "delete user ", "Successful su for "];
    match () {
        () if login => Some(score(Role::AuditEvent, 46.0)),
        () if command => Some(score(Role::AuditEvent, 42.0)),
        () if account.iter().any(|said| line.contains(said)) => Some(score(Role::AuditEvent, 30.0)),
        () if line.contains("FAILED su for ") => Some(score(Role::AuditEvent, 30.0)),
        () => None,
    }
}

/// What servers and kernels write where something is wrong, in the words of each.
const TROUBLE: [(&str, f32); 25] = [
    ("PANIC:", 80.0),
    ("[emerg]", 75.0),
    (":emerg]", 75.0),
    ("FATAL:", 70.0),
    ("[crit]", 70.0),
    (":crit]", 70.0),
    ("[alert]", 65.0),
    (":alert]", 65.0),
    ("CRITICAL:", 65.0),
    ("segfault at ", 60.0),
    ("oom-kill", 60.0),
    (":error]", 55.0),
    ("remounting filesystem read-only", 55.0),
    ("I/O error", 45.0),
    ("code=dumped", 45.0),
    ("code=killed", 45.0),
    ("code=exited, status=", 45.0),
    ("blocked for more than ", 40.0),
    ("entered failed state", 40.0),
    ("BREAK-IN ATTEMPT", 40.0),
    ("start request repeated too quickly", 40.0),
    ("soft lockup", 60.0),
    ("Hardware Error", 60.0),
    ("Link is Down", 25.0),
    ("link is down", 25.0),
];

/// A line that tells of trouble as servers and kernels do.
pub(crate) fn troubled(line: &str, signals: Signals) -> Option<LineScore> {
    let trouble = Signals::ERROR.with(Signals::FATAL).with(Signals::FAIL).with(Signals::REFUSAL);
    if !signals.has(trouble) {
        return None;
    }
    let (said, worth) = TROUBLE.iter().find(|(said, _)| line.contains(said))?;
    let well = *said == "code=exited, status=" && line.contains("status=0");
    (!well).then(|| score(Role::Error, *worth))
}

/// What an event is about: the command and what it was done to, or who came in and how. Events about the same say
/// the same, wherever they came from.
pub(crate) fn subject(line: &str) -> u64 {
    let about = match line.split_once("COMMAND=") {
        Some((_, command)) => command,
        None => {
            let said = line.split_once("]: ").or_else(|| line.split_once(": ")).map_or(line, |(_, said)| said);
            said.split_once(" from ").map_or(said, |(said, _)| said)
        }
    };
    Hash::of(about.trim_end().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::classify_line;
    use super::super::signals::of_line;
    use super::*;

    #[test]
    fn logins_and_commands_of_others_are_events() {
        let class = |line: &str| classify_line(line, of_line(line)).role;
        for line in [
            "sshd[1361]: Accepted publickey for ubuntu from 10.0.0.7 port 54259 ssh2: RSA SHA256:x",
            "sudo:   ann : TTY=pts/0 ; PWD=/home/ann ; USER=root ; COMMAND=/usr/bin/apt-key add -",
            "useradd[750]: new user: name=bob, UID=1001, GID=1001, home=/home/bob, shell=/bin/bash",
            "su[3537]: Successful su for root by ann",
        ] {
            assert_eq!(class(line), Role::AuditEvent, "{line}");
        }
        for line in ["Accepted 5 patches", "make COMMAND=x", "sshd[1]: Failed password for root from 10.0.0.7 port 22"]
        {
            assert_ne!(class(line), Role::AuditEvent, "{line}");
        }
    }

    #[test]
    fn servers_and_kernels_tell_of_trouble_in_their_own_words() {
        let worth = |line: &str| classify_line(line, of_line(line)).worth;
        for line in [
            "UTC [812] app@db FATAL:  password authentication failed for user \"app\"",
            "[Wed Oct 11 14:32:52 2017] [core:error] [pid 1] [client 10.0.0.7] AH00135: Invalid method in request",
            "[crit] 12#0: *7 connect() to unix:/run/php.sock failed (2: No such file or directory)",
            "kernel: [102.5] app[812]: segfault at 0 ip 00007f sp 00007f error 4 in libc.so",
            "systemd[1]: web.service: Main process exited, code=exited, status=1/FAILURE",
            "kernel: [99.1] INFO: task md0:12 blocked for more than 120 seconds.",
            "kernel: EXT4-fs (sda1): remounting filesystem read-only",
        ] {
            assert!(worth(line) >= 40.0, "{}: {line}", worth(line));
        }
        assert!(worth("systemd[1]: web.service: Main process exited, code=exited, status=0/SUCCESS") < 20.0);
    }

    #[test]
    fn the_subject_of_an_event_is_what_was_done() {
        let same = |a, b| subject(a) == subject(b);
        assert!(same(
            "sshd[1]: Accepted password for a from 10.0.0.1 port 1",
            "sshd[2]: Accepted password for a from 10.0.0.2 port 9"
        ));
        assert!(!same("sshd[1]: Accepted password for a from x", "sshd[1]: Accepted password for b from x"));
        assert!(same("sudo: a : PWD=/x ; COMMAND=/bin/ls /", "sudo: b : PWD=/y ; COMMAND=/bin/ls /"));
        assert!(!same("sudo: a : COMMAND=/bin/ls /", "sudo: a : COMMAND=/bin/rm /"));
    }
}
