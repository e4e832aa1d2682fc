//! What a wrap costs: small calls, a large result, and the memory that a huge one takes.
//!
//! ```sh
//! cargo build --release -p offcut && cargo run --release -p offcut-bench --example wrap_bench
//! ```
//!
//! The server is this program too (`wrap_bench serve`): it answers a call of the tool `show` with as many bytes of log
//! as its argument `bytes` says. Client and server do as little as they can, so that what is measured is the wrap.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How many small calls are measured.
const CALLS: usize = 1000;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return serve();
    }
    let here = std::env::current_exe()?;
    let beside = here.ancestors().nth(2).ok_or("no target directory")?.join("offcut");
    let offcut = std::env::args().nth(1).map_or(beside, PathBuf::from);
    let store = tempfile::tempdir()?;
    let plain = vec![here.display().to_string(), "serve".to_owned()];
    let mut wrapped = vec![offcut.display().to_string()];
    wrapped.extend(["wrap", "--store", &store.path().display().to_string(), "--"].map(str::to_owned));
    wrapped.extend(plain.clone());

    let mut out = io::stdout().lock();
    let (without, with) = (small_calls(&plain)?, small_calls(&wrapped)?);
    writeln!(out, "small call, median of {CALLS}: {without:.0?} without, {with:.0?} with")?;
    for size in [1_000_000, 10_000_000] {
        let (without, with) = (large_call(&plain, size)?, large_call(&wrapped, size)?);
        let ratio = with.as_secs_f64() / without.as_secs_f64();
        writeln!(out, "{} MB result: {without:.1?} without, {with:.1?} with ({ratio:.2} times)", size / 1_000_000)?;
    }
    let mut peer = Peer::start(&wrapped)?;
    peer.call(1000)?;
    let idle = peer.peak_kib()?;
    let started = Instant::now();
    let shown = peer.call(200_000_000)?;
    let took = started.elapsed();
    let peak = peer.peak_kib()?;
    writeln!(
        out,
        "200 MB result: {took:.1?}, {shown} bytes shown, peak {} MiB over {} MiB idle",
        (peak - idle) / 1024,
        idle / 1024
    )?;
    Ok(())
}

/// The median time of a small call.
fn small_calls(command: &[String]) -> Result<Duration> {
    let mut peer = Peer::start(command)?;
    for _ in 0..50 {
        peer.call(100)?;
    }
    let mut times = Vec::new();
    for _ in 0..CALLS {
        let started = Instant::now();
        peer.call(100)?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Ok(times[CALLS / 2])
}

/// The median time of a large call, until the client has read and parsed the answer.
fn large_call(command: &[String], bytes: usize) -> Result<Duration> {
    let mut peer = Peer::start(command)?;
    peer.call(bytes)?;
    let mut times = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        peer.call(bytes)?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// A server on pipes, and what talks to it.
struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    id: u64,
}

impl Peer {
    fn start(command: &[String]) -> Result<Peer> {
        let (program, arguments) = command.split_first().ok_or("no command")?;
        let mut child = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let to = child.stdin.take().ok_or("no stdin")?;
        let from = BufReader::with_capacity(1 << 16, child.stdout.take().ok_or("no stdout")?);
        Ok(Peer { child, to, from, id: 0 })
    }

    /// Calls the tool and reads its answer; how many bytes of text that was.
    fn call(&mut self, bytes: usize) -> Result<usize> {
        self.id += 1;
        let id = self.id;
        let request = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\
             \"params\":{{\"name\":\"show\",\"arguments\":{{\"bytes\":{bytes}}}}}}}\n"
        );
        self.to.write_all(request.as_bytes())?;
        let mut line = Vec::new();
        self.from.read_until(b'\n', &mut line)?;
        let answer: serde_json::Value = serde_json::from_slice(&line)?;
        let text = answer["result"]["content"][0]["text"].as_str().ok_or("no text")?;
        Ok(text.len())
    }

    fn peak_kib(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no peak")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The server.
fn serve() -> Result<()> {
    let line = "2026-11-15T12:00:00Z INFO worker-7 handled request 4711 of tenant a in 12 ms status=200\\n";
    let mut block = line.repeat(1000);
    block.shrink_to_fit();
    let (mut input, mut out) = (io::stdin().lock(), io::stdout().lock());
    let mut request = String::new();
    while input.by_ref().read_line(&mut request)? > 0 {
        let asked: serde_json::Value = serde_json::from_str(&request)?;
        request.clear();
        let id = &asked["id"];
        let mut left = asked["params"]["arguments"]["bytes"].as_u64().unwrap_or(0) as usize;
        out.write_all(b"{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"")?;
        while left > 0 {
            // The text is ASCII; a cut through an escape would end in a backslash.
            let part = block.as_bytes().get(..left.min(block.len())).unwrap_or_default();
            let part = part.strip_suffix(b"\\").unwrap_or(part);
            out.write_all(part)?;
            left -= left.min(block.len());
        }
        writeln!(out, "\"}}]}},\"jsonrpc\":\"2.0\",\"id\":{id}}}")?;
        out.flush()?;
    }
    Ok(())
}
