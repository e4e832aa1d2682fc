//! A folder to work in, and tools over it.

#![allow(clippy::unwrap_used)] // These are tests, though not all of them are marked so.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use offcut::{Cancel, Offcut};
use offcut_tools::{Content, Tool, ToolReply, Toolbox};
use serde_json::Value;
use tempfile::TempDir;

/// A workbench: a folder, and tools whose root it is.
pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) tools: Toolbox,
}

impl Bench {
    /// With this profile, artifacts in memory.
    pub(crate) fn new(profile: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let offcut = Offcut::builder().profile(profile).in_memory().build().unwrap();
        let tools = Toolbox::new(offcut, folder.path());
        Bench { folder, tools }
    }

    /// With the profile `paged`.
    pub(crate) fn paged() -> Bench {
        Bench::new("paged")
    }

    /// Writes a file, and the folders that it needs.
    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn call(&self, tool: Tool, arguments: Value) -> ToolReply {
        patiently(|cancel| self.tools.call(tool, &arguments, cancel).unwrap())
    }

    /// The text of an answer that is one text.
    pub(crate) fn text(&self, tool: Tool, arguments: Value) -> String {
        match self.call(tool, arguments).content.as_slice() {
            [Content::Text(text)] => text.clone(),
            other => panic!("not one text: {other:?}"),
        }
    }

    pub(crate) fn error(&self, tool: Tool, arguments: Value) -> String {
        self.tools.call(tool, &arguments, &Cancel::new()).unwrap_err().to_string()
    }
}

/// Far more than anything takes: a test that waits longer has found a hang.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Does something that is cancelled, and fails, where it takes too long.
pub(crate) fn patiently<T>(work: impl FnOnce(&Cancel) -> T) -> T {
    let cancel = Cancel::new();
    let (done, waits) = mpsc::channel::<()>();
    let late = cancel.clone();
    let watch = thread::spawn(move || {
        let is_late = waits.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
        if is_late {
            late.cancel();
        }
        is_late
    });
    let result = work(&cancel);
    drop(done);
    assert!(!watch.join().unwrap(), "the call took longer than {PATIENCE:?}");
    result
}

/// `line 1` to `line count`, each with its end.
pub(crate) fn lines(count: u32) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

/// Whether a process is there and not merely waiting to be reaped.
pub(crate) fn is_alive(pid: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat")).unwrap_or_default();
    status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}
