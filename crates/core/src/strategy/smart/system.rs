//! What a system's own logs tell beside trouble: who came in, who acted with the rights of another, which accounts
//! changed. Attempts that failed come in thousands; what succeeded is rare, and it is what one looks for.

use super::judge::{Class, Verdict, verdict};
use super::shape::Hash;
use super::signal::Signals;

/// A line that tells of an event that an audit looks for.
pub(super) fn audited(line: &str, signals: Signals) -> Option<Verdict> {
    if !signals.has(Signals::EVENT) {
        return None;
    }
    let login = line.contains("Accepted ") && line.contains(" for ") && line.contains(" from ");
    let command = line.contains("COMMAND=") && (line.contains("USER=") || line.contains("TTY="));
    let account = ["new user: ", "new group: ", "password changed for ", "delete user ", "Successful su for "];
    match () {
        () if login => Some(verdict(Class::Event, 46.0)),
        () if command => Some(verdict(Class::Event, 42.0)),
        () if account.iter().any(|said| line.contains(said)) => Some(verdict(Class::Event, 30.0)),
        () if line.contains("FAILED su for ") => Some(verdict(Class::Event, 30.0)),
        () => None,
    }
}

/// What an event is about: the command and what it was done to, or who came in and how. Events about the same say
/// the same, wherever they came from.
pub(super) fn subject(line: &str) -> u64 {
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
    use super::super::judge::judge;
    use super::super::signal::of_line;
    use super::*;

    #[test]
    fn logins_and_commands_of_others_are_events() {
        let class = |line: &str| judge(line, of_line(line)).class;
        for line in [
            "sshd[1361]: Accepted publickey for ubuntu from 10.0.0.7 port 54259 ssh2: RSA SHA256:x",
            "sudo:   ann : TTY=pts/0 ; PWD=/home/ann ; USER=root ; COMMAND=/usr/bin/apt-key add -",
            "useradd[750]: new user: name=bob, UID=1001, GID=1001, home=/home/bob, shell=/bin/bash",
            "su[3537]: Successful su for root by ann",
        ] {
            assert_eq!(class(line), Class::Event, "{line}");
        }
        for line in ["Accepted 5 patches", "make COMMAND=x", "sshd[1]: Failed password for root from 10.0.0.7 port 22"]
        {
            assert_ne!(class(line), Class::Event, "{line}");
        }
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
