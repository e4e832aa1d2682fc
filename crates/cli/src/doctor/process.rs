//! Running a command for a while, and no longer.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Far more than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a command printed.
pub(super) struct Printed {
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) success: bool,
}

/// Runs a command with this input to its end; what went wrong where it has none in time.
pub(super) fn run(command: &mut Command, input: Vec<u8>) -> Result<Printed, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| format!("could not start `{program}`: {error}"))?;
    let stdin = child.stdin.take();
    let writer = std::thread::spawn(move || {
        // It may not want its input.
        stdin.map(|mut stdin| stdin.write_all(&input))
    });
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let success = wait(&mut child).ok_or_else(|| format!("`{program}` did not end within {} s", PATIENCE.as_secs()))?;
    // The pipes are closed, so none of these waits.
    let _ = writer.join();
    let text = |bytes: std::thread::Result<Vec<u8>>| String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
    Ok(Printed { stdout: text(stdout.join()), stderr: text(stderr.join()), success })
}

/// Starts a command, gives it this input, and reads lines until `is_last` says so; only then is its stdin closed.
pub(super) fn converse(
    command: &mut Command,
    input: &str,
    is_last: impl Fn(&str) -> bool,
) -> Result<Vec<String>, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| format!("could not start `{program}`: {error}"))?;
    let mut stdin = child.stdin.take();
    let written = stdin.as_mut().map(|stdin| stdin.write_all(input.as_bytes()));
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        std::thread::spawn(move || {
            // Nobody listens any more after the last line.
            BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
    }
    let (mut lines, since) = (Vec::new(), Instant::now());
    while let Ok(line) = receiver.recv_timeout(PATIENCE.saturating_sub(since.elapsed())) {
        let last = is_last(&line);
        lines.push(line);
        if last {
            break;
        }
    }
    drop(stdin);
    wait(&mut child);
    match written {
        Some(Err(error)) => Err(format!("`{program}` does not listen: {error}")),
        _ => Ok(lines),
    }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is as good as there is.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        bytes
    })
}

/// Whether a process ended well; `None` if it had to be ended.
fn wait(child: &mut Child) -> Option<bool> {
    let since = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if since.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                // It may have ended just now.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}
