//! A command that serves over HTTP, as a process, and how it is asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};

use crate::workbench::{Bench, Watch, connected};

/// A running server and its address.
pub(crate) struct Server {
    pub(crate) child: Child,
    _watch: Watch,
    address: String,
}

impl Server {
    /// Starts a command that listens (`serve`, `ui`) on a free port.
    pub(crate) fn start(bench: &Bench, arguments: &[&str], token: Option<&str>) -> Server {
        let mut command = bench.command(arguments);
        command.args(["--listen", "127.0.0.1:0"]).stdin(Stdio::null()).stderr(Stdio::piped());
        if let Some(token) = token {
            command.env("OFFCUT_TOKEN", token);
        }
        let (mut child, watch) = Watch::start(&mut command);
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening at http://").unwrap_or_else(|| panic!("{line}")).to_owned();
        Server { child, _watch: watch, address }
    }

    /// Sends a request as it is written, and returns the whole answer.
    pub(crate) fn ask(&self, head: &str, body: &str) -> String {
        let mut stream = connected(&self.address);
        write!(stream, "{head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// What is at `path`, with these header lines.
    pub(crate) fn get(&self, path: &str, headers: &str) -> String {
        self.ask(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}").trim_end(), "")
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn end(&mut self) -> Option<i32> {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), rustix::process::Signal::TERM)
            .unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
