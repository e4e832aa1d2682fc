//! This program on PATH, the store, and the configuration.

use std::path::{Path, PathBuf};
use std::process::Command;

use offcut_core::limit::human_size;

use super::{Check, process};
use crate::config::problem::Severity;
use crate::init::surroundings::Surroundings;
use crate::place::Storage;
use crate::setup::Setup;
use crate::table::counted;

/// What is found about this machine and this project.
pub(super) fn findings(setup: &Setup, surroundings: &Surroundings) -> Vec<Check> {
    let mut findings = vec![program(surroundings), login_shell(surroundings), store(&setup.place.store)];
    findings.extend(configuration(setup));
    findings
}

/// Whether `offcut` is this program for a shell.
fn program(surroundings: &Surroundings) -> Check {
    let this = surroundings.program.display();
    match surroundings.program("offcut") {
        None => Check::note("PATH", format!("`offcut` is not on PATH; this is {this}"))
            .advice("notices name commands of `offcut`: put its directory on PATH"),
        Some(found) if found.canonicalize().ok() == surroundings.program.canonicalize().ok() => {
            Check::ok("PATH", found.display().to_string())
        }
        Some(found) => Check::note("PATH", format!("`offcut` is {}, and this is {this}", found.display()))
            .advice("remove the one that you do not want, and run `offcut init` again for each agent"),
    }
}

/// Whether a login shell finds it too: some agents start one, and it sets PATH anew.
fn login_shell(surroundings: &Surroundings) -> Check {
    let shell = surroundings.variable("SHELL").unwrap_or_else(|| "bash".into());
    let name = shell.to_string_lossy().into_owned();
    let found = process::run(Command::new(&shell).args(["-lc", "command -v offcut"]), Vec::new());
    match found {
        Ok(printed) if printed.success => Check::ok("login shell", format!("`{name} -lc` finds `offcut`")),
        Ok(_) => Check::note("login shell", format!("`{name} -lc` does not find `offcut`"))
            .advice("Codex, goose and Continue run commands in one: set PATH in its profile"),
        Err(why) => Check::note("login shell", why),
    }
}

/// Whether artifacts can be kept, and how much there is of them.
fn store(storage: &Storage) -> Check {
    match storage {
        Storage::Nothing => Check::note("store", "nothing is kept: what is cut off cannot be read back")
            .advice("`offcut config show artifacts` tells where that comes from"),
        Storage::Address(address) => Check::ok("store", address.clone()),
        Storage::Directory(path) => directory(path),
    }
}

fn directory(path: &Path) -> Check {
    let shown = path.display();
    let there = path.ancestors().find(|directory| directory.is_dir()).unwrap_or(Path::new("/"));
    if let Err(error) = tempfile::tempfile_in(there) {
        return Check::broken("store", format!("{shown} cannot be written: {error}"))
            .advice("make it writable, or name another directory by `artifacts.storage_path`");
    }
    let mut held = StoreContents::default();
    held.count(path);
    let size = human_size(held.bytes);
    Check::ok(
        "store",
        format!("{shown}, {} in {}, {size}", counted(held.files, "file"), counted(held.sessions, "session")),
    )
}

/// What a store holds.
#[derive(Default)]
struct StoreContents {
    sessions: u64,
    files: u64,
    bytes: u64,
}

impl StoreContents {
    fn count(&mut self, store: &Path) {
        let entries = |path: &Path| -> Vec<PathBuf> {
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
        };
        for session in entries(store).into_iter().filter(|path| path.is_dir()) {
            self.sessions += 1;
            for file in entries(&session) {
                let bytes = file.symlink_metadata().map_or(0, |found| found.len());
                self.files += 1;
                self.bytes += bytes;
            }
        }
    }
}

/// What is wrong with the configuration, and what of it waits for trust.
fn configuration(setup: &Setup) -> Vec<Check> {
    let mut findings: Vec<Check> = Vec::new();
    for problem in setup.config.problems.iter() {
        let finding = match problem.severity {
            Severity::Error => Check::broken("configuration", problem.message.clone()),
            Severity::Warning => Check::note("configuration", problem.message.clone()),
        };
        findings.push(match &problem.hint {
            Some(hint) => finding.advice(hint.clone()),
            None => finding,
        });
    }
    for (path, withheld) in &setup.config.withheld {
        let shown = path.display();
        let found = format!("{shown}:{}: `{}` is ignored: it {}", withheld.line, withheld.key, withheld.why);
        findings.push(Check::note("trust", found).advice(format!("`offcut config trust {shown}` uses it")));
    }
    if findings.is_empty() {
        let files: Vec<String> = setup.config.files.iter().map(|path| path.display().to_string()).collect();
        let found = if files.is_empty() { "built-in values".to_owned() } else { files.join(", ") };
        findings.push(Check::ok("configuration", found));
    }
    findings
}
