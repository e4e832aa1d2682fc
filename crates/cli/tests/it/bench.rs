//! `offcut bench` runs the program that measures, where it is installed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use crate::workbench::{Bench, OFFCUT};

/// The binary under another roof, with nothing beside it.
fn installed(bench: &Bench) -> PathBuf {
    let program = bench.path("bin/offcut");
    fs::create_dir(bench.path("bin")).unwrap();
    if fs::hard_link(OFFCUT, &program).is_err() {
        fs::copy(OFFCUT, &program).unwrap();
    }
    program
}

#[test]
fn bench_becomes_the_program_beside_it_with_all_arguments_and_its_exit_code() {
    let bench = Bench::new();
    let program = installed(&bench);
    let beside = bench.path("bin/offcut-bench");
    fs::write(&beside, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o755)).unwrap();
    let left = bench.run(Command::new(program).args(["bench", "quality", "a corpus", "--json", "--help"]));
    assert_eq!(left.stdout, "<quality><a corpus><--json><--help>", "{}", left.stderr);
    assert_eq!(left.code, Some(7));
}

#[test]
fn bench_says_how_to_get_the_program_where_there_is_none() {
    let bench = Bench::new();
    let left = bench.run(Command::new(installed(&bench)).env("PATH", bench.root()).args(["bench", "quality", "."]));
    assert_eq!(left.code, Some(2));
    let expected = "error: `offcut-bench` is neither beside this program nor on the PATH\nhint: `cargo build --release -p offcut-bench` in Offcut's sources builds it\n";
    assert_eq!(left.stderr, expected);
}
