//! What artifacts outlive: the death of the process always, a loss of power where they are synced; and what a loss of power
//! damages is refused.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::workbench::{Bench, OFFCUT, exists, id_in, lines};

/// How often a command syncs something, by the system calls that it makes; `None` where they cannot be seen.
fn syncs(bench: &Bench, arguments: &[&str]) -> Option<usize> {
    let traced = bench.path("calls");
    let calls = "trace=fsync,fdatasync,sync_file_range,syncfs";
    let mut command = Command::new("strace");
    command.args(["-f", "-e", calls, "-o"]).arg(&traced).arg(OFFCUT).args(arguments);
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        eprintln!("** skipped: strace is not installed, so nobody sees what is synced");
        return None;
    }
    let left = bench.run(&mut command);
    if !exists(&traced) || left.code != Some(0) {
        eprintln!("** skipped: strace may not look at processes here: {}", left.stderr);
        return None;
    }
    let told = fs::read_to_string(&traced).unwrap();
    Some(told.lines().filter(|line| line.contains("sync")).count())
}

#[test]
fn a_command_waits_for_no_disk_unless_it_is_told_to() {
    let bench = Bench::new();
    bench.write("out.log", &lines(5000));
    let command = ["run", "--", "cat", "out.log"];
    let Some(quick) = syncs(&bench, &command) else { return };
    assert_eq!(quick, 0);
    bench.write(".offcut.toml", "[artifacts]\ndurability = \"sync\"\n");
    // The content, the metadata, and the names of both.
    assert_eq!(syncs(&bench, &command), Some(3));
}

/// The content and the metadata of the artifact with this handle.
fn files_of(bench: &Bench, handle: &str) -> [PathBuf; 2] {
    let names = fs::read_dir(bench.path(".offcut/artifacts/default")).unwrap().map(|entry| entry.unwrap().path());
    let own: Vec<PathBuf> = names.filter(|path| path.to_string_lossy().contains(&format!("_{handle}"))).collect();
    let with = |end: &str| own.iter().find(|path| path.to_string_lossy().ends_with(end)).unwrap().clone();
    [with(".txt"), with(".meta")]
}

/// What a loss of power makes of a file.
type Damage = fn(&[u8]) -> Vec<u8>;

#[test]
fn what_a_loss_of_power_damaged_is_refused_and_never_shown_as_right() {
    // As file systems leave a file whose blocks were not written: empty, of zeros, or with a page of zeros at its end.
    let damages: [(&str, Damage); 3] = [
        ("empty", |_| Vec::new()),
        ("zeros", |whole| vec![0; whole.len()]),
        ("its end is zeros", |whole| {
            let kept = whole.len() / 2;
            whole[..kept].iter().copied().chain(std::iter::repeat_n(0, whole.len() - kept)).collect()
        }),
    ];
    for (name, damage) in damages {
        for which in [0, 1] {
            let bench = Bench::new();
            let handle = id_in(&bench.pipe(lines(5000).as_bytes(), &[]).stdout);
            let path = &files_of(&bench, &handle)[which];
            fs::write(path, damage(&fs::read(path).unwrap())).unwrap();
            let shown = bench.call(&["show", &handle, "2000-5000", "--all"]);
            assert_ne!(shown.code, Some(0), "{name} {which}: {}", shown.stdout);
            assert_eq!(shown.stdout, "", "{name} {which}");
            assert!(shown.stderr.contains("damaged"), "{name} {which}: {}", shown.stderr);
            // And it stands in nobody's way.
            let next = id_in(&bench.pipe(lines(6000).as_bytes(), &[]).stdout);
            assert_eq!(bench.call(&["show", &next, "--all"]).stdout, lines(6000));
        }
    }
}
