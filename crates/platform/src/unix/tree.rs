//! A process and its descendants, by the system's table of processes.

use std::fs;

use rustix::process::Pid;

use super::process::{ProcessId, named};
use crate::Signal;

/// Processes, each with the moment of its start, so that another one with the same id is not taken for it.
#[derive(Debug)]
pub struct Tree {
    members: Vec<(Pid, u64)>,
}

/// A row of the table.
struct Process {
    pid: Pid,
    parent: i32,
    started: u64,
}

impl Tree {
    /// The child `first`, which is not reaped yet, and its descendants.
    pub fn of(ProcessId(first): ProcessId) -> Tree {
        let table = table();
        let started = table.iter().find(|process| process.pid == first).map_or(0, |process| process.started);
        let mut tree = Tree { members: vec![(first, started)] };
        tree.adopt(&table);
        tree
    }

    /// Adds what they have started since.
    pub fn grow(&mut self) {
        self.adopt(&table());
    }

    fn adopt(&mut self, table: &[Process]) {
        let mut at = 0;
        while let Some((parent, _)) = self.members.get(at).copied() {
            let children = table.iter().filter(|process| process.parent == parent.as_raw_nonzero().get());
            for child in children {
                if self.members.iter().all(|(pid, _)| *pid != child.pid) {
                    self.members.push((child.pid, child.started));
                }
            }
            at += 1;
        }
    }

    /// Sends `signal` to every one of them that is still itself.
    pub fn send(&self, signal: Signal) {
        let Some(signal) = named(signal) else { return };
        for (at, (pid, started)) in self.members.iter().enumerate() {
            let same = read(pid.as_raw_nonzero().get()).is_some_and(|process| process.started == *started);
            // The first is our own child, which is not reaped yet; it needs no table to be known.
            if same || (at == 0 && *started == 0) {
                // It may have ended meanwhile.
                let _ = rustix::process::kill_process(*pid, signal);
            }
        }
    }
}

/// The processes that there are; none where the system does not tell.
fn table() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let mut table: Vec<Process> =
        entries.filter_map(|entry| read(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect();
    table.sort_by_key(|process| (process.started, process.pid.as_raw_nonzero()));
    table
}

fn read(pid: i32) -> Option<Process> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may hold anything; what follows is plain.
    let (_, rest) = line.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    Some(Process { pid: Pid::from_raw(pid)?, parent, started })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_child_started_belongs_to_its_tree() {
        let mut child = std::process::Command::new("sh").args(["-c", "sleep 30 & wait"]).spawn().unwrap();
        let pid = ProcessId::of(&child).unwrap();
        let mut tree = Tree::of(pid);
        while tree.members.len() < 2 {
            tree.grow();
        }
        assert_eq!(tree.members[0].0, pid.0);
        tree.send(Signal::KILL);
        assert!(!child.wait().unwrap().success());
    }
}
