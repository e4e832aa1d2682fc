//! A project of its own for each test, and the binary in it.

use std::io::Write;
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Once;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use tempfile::TempDir;

/// The binary under test.
pub(crate) const OFFCUT: &str = env!("CARGO_BIN_EXE_offcut");

/// A directory that nothing else touches.
pub(crate) struct Bench {
    directory: TempDir,
}

/// What a call left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Bench {
    /// A new project.
    pub(crate) fn new() -> Bench {
        hear_what_is_ignored();
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("project")).unwrap();
        std::fs::create_dir(directory.path().join("project/.git")).unwrap();
        Bench { directory }
    }

    /// The project's root.
    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    /// A path in the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Writes a file in the project.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The binary, about to be called in the project, with nothing of the machine's own configuration.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(OFFCUT);
        self.prepare(&mut command);
        command.args(arguments);
        command
    }

    /// A line of shell in the project; `$OFFCUT_BIN` is the binary.
    pub(crate) fn shell(&self, line: &str) -> Left {
        let mut command = Command::new("sh");
        self.prepare(&mut command);
        command.args(["-c", &line.replace("offcut ", &format!("{OFFCUT} "))]);
        self.run(&mut command)
    }

    /// Runs a command with no input to its end.
    pub(crate) fn run(&self, command: &mut Command) -> Left {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (child, watch) = Watch::start(command);
        watch.left(child)
    }

    fn prepare(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("OFFCUT_")) {
            command.env_remove(name);
        }
        command.current_dir(self.root());
        command.env("HOME", self.directory.path()).env_remove("XDG_CONFIG_HOME");
        // Installed, as for a user: notices then call it by its name.
        let own = Path::new(OFFCUT).parent().unwrap().to_owned();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(own).chain(std::env::split_paths(&others));
        command.env("PATH", std::env::join_paths(path).unwrap());
    }

    /// Calls the binary with no input.
    pub(crate) fn call(&self, arguments: &[&str]) -> Left {
        self.run(&mut self.command(arguments))
    }

    /// Pipes `input` into the binary.
    pub(crate) fn pipe(&self, input: &[u8], arguments: &[&str]) -> Left {
        self.pipe_into(&mut self.command(arguments), input)
    }

    /// Pipes `input` into a command.
    pub(crate) fn pipe_into(&self, command: &mut Command, input: &[u8]) -> Left {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, watch) = Watch::start(command);
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // It may stop reading before the end.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let left = watch.left(child);
        writer.join().unwrap();
        left
    }
}

/// Hears the signals that our own starter has ignored, as shells do for what they start in the background. What is ignored
/// here would be ignored by all that is started from here; what is heard is not.
fn hear_what_is_ignored() {
    use offcut_platform::{Signal, Signals, without_ignored};
    static HEARD: Once = Once::new();
    HEARD.call_once(|| {
        let all = [Signal::INTERRUPT, Signal::QUIT, Signal::HANG_UP, Signal::TERMINATE];
        let usual = without_ignored(&all);
        let ignored: Vec<Signal> = all.into_iter().filter(|signal| !usual.contains(signal)).collect();
        Signals::take(&ignored).unwrap().tell(|_| {});
    });
}

/// Far more than anything takes: a test that waits longer has found a hang.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Ends a process and what it started when nobody can wait for it any longer, so that whoever reads from it, writes to
/// it or waits for it goes on; then fails the test.
pub(crate) struct Watch {
    what: String,
    done: Option<Sender<()>>,
    watching: Option<JoinHandle<bool>>,
}

impl Watch {
    /// Starts a process in a group of its own, and watches it.
    pub(crate) fn start(command: &mut Command) -> (Child, Watch) {
        let child = command.process_group(0).spawn().unwrap();
        let (done, waits) = mpsc::channel();
        let group = Pid::from_child(&child);
        let watching = std::thread::spawn(move || {
            let late = waits.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
            if late {
                // It may have ended just now.
                let _ = rustix::process::kill_process_group(group, Signal::KILL);
            }
            late
        });
        (child, Watch { what: format!("{command:?}"), done: Some(done), watching: Some(watching) })
    }

    /// What the process leaves behind when it has ended.
    pub(crate) fn left(self, child: Child) -> Left {
        let output = child.wait_with_output().unwrap();
        drop(self);
        left(output)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.done = None;
        let late = self.watching.take().is_some_and(|watching| watching.join().unwrap_or(true));
        assert!(!late || std::thread::panicking(), "it did not end within {PATIENCE:?}: {}", self.what);
    }
}

/// Waits until something is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A connection on which nothing is waited for without end.
pub(crate) fn connected(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn left(output: Output) -> Left {
    Left {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    }
}

/// `text` with artifact ids, times and the project's path replaced by what does not change.
pub(crate) fn filtered(text: &str, bench: &Bench) -> String {
    let text = text.replace(&bench.root().display().to_string(), "PROJECT");
    let mut filtered = String::new();
    for (at, part) in text.split("art_").enumerate() {
        if at == 0 {
            filtered.push_str(part);
            continue;
        }
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        filtered.push_str("ART");
        filtered.push_str(&part[end..]);
    }
    filtered
}

/// The short handle or the first artifact id in `text`.
pub(crate) fn id_in(text: &str) -> String {
    if let Some((_, rest)) = text.split_once("[offcut ") {
        return rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    }
    let start = text.find("art_").unwrap_or_else(|| panic!("no artifact in {text:?}"));
    let rest = &text[start..];
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest[..end].to_owned()
}

/// Whether `path` is there.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// `count` lines that differ so much that no lossless form of them is short.
pub(crate) fn lines(count: usize) -> String {
    let word = |n: usize| n.wrapping_mul(2_654_435_761) % 268_435_399;
    (1..=count).map(|n| format!("entry {n} of the list, {:07x} {:07x} about it\n", word(n), word(n + count))).collect()
}
