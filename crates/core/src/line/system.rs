//! What an audit event is about: what was done, or who came in, wherever it came from.

use crate::hash::Hash;

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
    use super::*;

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
