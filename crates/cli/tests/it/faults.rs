//! Whatever goes wrong around a command line that works: nothing is lost, nothing hangs, nothing is said that is not so.

mod any_configuration;
mod background;
mod configuration;
mod durability;
mod interim;
mod shown;
mod signals;
mod surroundings;
pub(crate) mod terminal;
mod trust;
mod unfinished;

use std::process::Child;

use rustix::process::{Pid, Signal};

use crate::workbench::until;

/// Sends a signal to a process.
fn send(child: &Child, signal: Signal) {
    rustix::process::kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits until a process takes a signal for itself: before that it would die of it.
fn until_caught(child: &Child, signal: Signal) {
    let path = format!("/proc/{}/status", child.id());
    until("the signal is caught", || {
        let status = std::fs::read_to_string(&path).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() & 1 << (signal.as_raw() - 1) != 0
    });
}
