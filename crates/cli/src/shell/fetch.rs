//! Telling a command that reads back what was kept from any other: what it prints is a page already.

use std::path::Path;

use super::words::{self, Separator, Simple};

/// Whether all that `command` does is call Offcut, in whatever directory.
pub(crate) fn is_fetch(command: &str) -> bool {
    let Some(commands) = words::commands(command) else { return false };
    let is_alone = |simple: &Simple| simple.separator == Separator::Sequence && !simple.is_redirected;
    let ours = commands.iter().filter(|simple| calls_offcut(simple)).count();
    ours > 0 && commands.iter().all(|simple| is_alone(simple) && (calls_offcut(simple) || changes_directory(simple)))
}

fn calls_offcut(simple: &Simple) -> bool {
    let mut words = simple.words.iter().skip_while(|word| is_assignment(&word.text));
    words.next().is_some_and(|word| Path::new(&word.text).file_name().is_some_and(|name| name == "offcut"))
}

fn changes_directory(simple: &Simple) -> bool {
    simple.words.first().is_some_and(|word| word.text == "cd" || is_assignment(&word.text) && simple.words.len() == 1)
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_only_reads_back_is_a_fetch() {
        for command in [
            "offcut show 9kgw 10-20",
            "/usr/local/bin/offcut artifacts grep art_1_a 'x y' 2>&1",
            "cd sub && offcut show 9kgw; offcut show 9kgw 3-4",
            "OFFCUT_SESSION=x offcut grep 9kgw error",
        ] {
            assert!(is_fetch(command), "{command}");
        }
    }

    #[test]
    fn anything_else_is_not() {
        for command in [
            "cat offcut",
            "offcut show 9kgw; cat a.log",
            "offcut show 9kgw | sort",
            "offcut < a.log",
            "echo offcut show",
            "cd sub",
            "",
            "offcut show '9kgw",
            "(offcut show 9kgw)",
        ] {
            assert!(!is_fetch(command), "{command}");
        }
    }
}
