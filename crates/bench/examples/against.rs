//! Measures grep, find and ls on a tree of 100,000 files against `rg`, `fd` and `ls` in one run.
//!
//! `cargo run --release -p offcut-bench --example against [FOLDER]`; a tree is made in FOLDER, or in a temporary
//! directory, where there is none yet. Each pair takes turns, and the medians are compared.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a table for people")]

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io};

use offcut::{Cancel, Offcut};
use offcut_tools::{Tool, Toolbox};
use serde_json::{Value, json};

const FOLDERS: usize = 1000;
const FILES: usize = 100;
const FLAT: usize = 100_000;
const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = std::env::args_os().nth(1).map_or_else(|| temporary.path().to_owned(), Into::into);
    make_tree(&folder)?;
    let store = tempfile::tempdir()?;
    println!("{:<44} {:>9} {:>9} {:>7}", "", "ours", "theirs", "ratio");
    for profile in ["paged", "auto"] {
        let offcut = Offcut::builder().profile(profile).store(store.path()).build()?;
        let tools = Toolbox::new(offcut, &folder);
        let tree = folder.join("tree").display().to_string();
        let rg = |more: &[&str]| peer("rg", &[&["--hidden", "--no-heading", "-n"], more].concat());
        let fd = |more: &[&str]| {
            let fd = if there_is("fdfind") { "fdfind" } else { "fd" };
            peer(fd, &[&["--hidden", "--exclude", ".git", "--glob"], more].concat())
        };
        let cases = [
            (
                "grep, nothing matches",
                Tool::Grep,
                json!({"pattern": "no such words", "path": "tree"}),
                rg(&["no such words", &tree]),
            ),
            (
                "grep, one match in 1,000 files",
                Tool::Grep,
                json!({"pattern": "needle \\d+", "path": "tree"}),
                rg(&["needle \\d+", &tree]),
            ),
            (
                "grep, a match in each file",
                Tool::Grep,
                json!({"pattern": "fn main", "path": "tree"}),
                rg(&["fn main", &tree]),
            ),
            (
                "find, one in a hundred",
                Tool::Find,
                json!({"pattern": "file07.rs", "path": "tree"}),
                fd(&["file07.rs", &tree]),
            ),
            ("find, all of 100,000", Tool::Find, json!({"pattern": "*.rs", "path": "tree"}), fd(&["*.rs", &tree])),
            (
                "ls, 100,000 entries in one folder",
                Tool::Ls,
                json!({"path": "flat"}),
                peer("ls", &["-Ap", &folder.join("flat").display().to_string()]),
            ),
        ];
        for (name, tool, arguments, theirs) in cases {
            measure(&format!("{profile}: {name}"), &tools, tool, &arguments, theirs)?;
        }
    }
    Ok(())
}

fn measure(
    name: &str,
    tools: &Toolbox,
    tool: Tool,
    arguments: &Value,
    mut theirs: Command,
) -> Result<(), Box<dyn Error>> {
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        tools.call(tool, arguments, &Cancel::new())?;
        our_times.push(started.elapsed());
        let started = Instant::now();
        match theirs.status() {
            // 1 is the answer of a search that found nothing.
            Ok(status) if matches!(status.code(), Some(0 | 1)) && tool != Tool::Find || status.success() => {
                their_times.push(started.elapsed());
            }
            Ok(status) => return Err(format!("{theirs:?}: {status}").into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    let ours = median(&mut our_times);
    if their_times.is_empty() {
        println!("{name:<44} {ours:>6.1} ms   skipped: {:?} is not there", theirs.get_program());
        return Ok(());
    }
    let theirs = median(&mut their_times);
    println!("{name:<44} {ours:>6.1} ms {theirs:>6.1} ms {:>6.2}x", ours / theirs);
    Ok(())
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

/// A peer's command whose output goes into a file, as a tool's would.
fn peer(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    // To /dev/null some peers do not write at all.
    let sink = tempfile::tempfile().map_or_else(|_| Stdio::null(), Stdio::from);
    command.args(arguments).env("LC_ALL", "C.UTF-8").stdin(Stdio::null()).stdout(sink).stderr(Stdio::null());
    command
}

fn there_is(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// 1,000 folders of 100 files with some lines of code, and one folder with 100,000 empty files.
fn make_tree(folder: &Path) -> io::Result<()> {
    if folder.join("flat").exists() {
        return Ok(());
    }
    eprintln!("making {} files in {}", FOLDERS * FILES + FLAT, folder.display());
    for outer in 0..FOLDERS {
        let below = folder.join(format!("tree/group{:02}/module{outer:04}", outer / 20));
        fs::create_dir_all(&below)?;
        for file in 0..FILES {
            let mut code = format!("//! Module {outer}, file {file}.\n\nfn main() {{\n");
            for line in 0..20 {
                code.push_str(&format!("    let value_{line} = compute({outer}, {file}, {line});\n"));
            }
            code.push_str("}\n");
            if file == 50 {
                code.push_str(&format!("// needle {outer}\n"));
            }
            fs::write(below.join(format!("file{file:02}.rs")), code)?;
        }
    }
    // Peers respect a .gitignore only in a repository.
    fs::create_dir_all(folder.join("tree/.git"))?;
    fs::write(folder.join("tree/.gitignore"), "*.log\n/build\n")?;
    fs::create_dir_all(folder.join("flat"))?;
    for file in 0..FLAT {
        fs::write(folder.join(format!("flat/File{file:06}.txt")), "")?;
    }
    Ok(())
}
