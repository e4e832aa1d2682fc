//! How a process ended, in the ways that people and programs read it.

use std::process::ExitStatus;

use offcut_platform::signal_of;

/// The signals that end a process in practice.
const NAMES: [(i32, &str); 14] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (25, "SIGXFSZ"),
];

/// The exit code as a shell gives it: the process's own, or 128 plus the signal that ended it.
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| signal_of(status).map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// The name of a signal by its number.
pub fn signal_name(signal: i32) -> &'static str {
    NAMES.iter().find(|(number, _)| *number == signal).map_or("another signal", |(_, name)| name)
}

/// The end of a process in words: `exit code 3`, `signal 9`.
pub fn describe(status: ExitStatus) -> String {
    match (status.code(), signal_of(status)) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown status".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_signal_is_told_as_a_shell_tells_it() {
        let run = |script: &str| Command::new("sh").args(["-c", script]).status().unwrap();
        let (exited, killed) = (run("exit 3"), run("kill -9 $$"));
        assert_eq!((exit_code(exited), describe(exited).as_str()), (3, "exit code 3"));
        assert_eq!((exit_code(killed), describe(killed).as_str()), (137, "signal 9"));
        assert_eq!((signal_name(15), signal_name(64)), ("SIGTERM", "another signal"));
    }
}
