//! A process and its descendants.

use super::process::ProcessId;
use crate::Signal;

/// A process and its descendants, whom the system finds when they are to end.
#[derive(Debug)]
pub struct Tree(ProcessId);

impl Tree {
    /// The child `first`, which is still held, and its descendants.
    pub fn of(first: ProcessId) -> Tree {
        Tree(first)
    }

    /// Does nothing: the system looks for what they have started since when they are to end.
    pub fn grow(&mut self) {}

    /// Asks every one of them to end, or ends them where the signal is SIGKILL.
    pub fn send(&self, signal: Signal) {
        self.0.send_to_tree(signal);
    }
}
