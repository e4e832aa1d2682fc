//! How long writing an event takes while several processes write, and whether any is lost.
//!
//!     cargo run --release -p offcut-history --example write_events [PROCESSES [EVENTS]]

use std::process::Command;
use std::time::{Duration, Instant};

use offcut::event::{Event, Observer, Record};
use offcut::event_log::EventLog;
use offcut_history::{History, Period};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |at: usize, usual: u64| arguments.get(at).and_then(|word| word.parse().ok()).unwrap_or(usual);
    if let Some(directory) = arguments.get(3) {
        write(directory, number(2, 0));
        return Ok(());
    }
    let (processes, events) = (number(1, 8), number(2, 2000));
    let directory = tempfile::tempdir()?;
    let mut writers = Vec::new();
    for _ in 0..processes {
        let mut writer = Command::new(std::env::current_exe()?);
        writer.arg("writer").arg(events.to_string()).arg(directory.path());
        writers.push(writer.spawn()?);
    }
    for mut writer in writers {
        writer.wait()?;
    }
    let mut history = History::open(directory.path())?;
    history.refresh()?;
    let calls = history.statistics(Period::default(), None)?.total.calls;
    print(&format!("{processes} processes wrote {} events, {calls} are in the history", processes * events));
    Ok(())
}

/// Writes events one after the other, and prints how long each took.
fn write(directory: &str, events: u64) {
    let log = EventLog::in_store(directory);
    let mut times: Vec<Duration> = Vec::new();
    for number in 0..events {
        let record =
            Record { at_ms: offcut::clock::now_ms(), agent: "agent".to_owned(), trace: None, event: reply(number) };
        let started = Instant::now();
        log.observe(&record);
        times.push(started.elapsed());
    }
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    print(&format!("median {:?}, 95% within {:?}, 99% within {:?}", at(50), at(95), at(99)));
}

fn reply(number: u64) -> Event {
    Event::Reply {
        tool: "execute_command".to_owned(),
        session: "default".to_owned(),
        kind: "log".to_owned(),
        strategy: "smart".to_owned(),
        original_size: 40_000 + number,
        truncated_size: 8000,
        was_truncated: true,
        redactions: Default::default(),
        artifact_id: Some(format!("art_{number}_0123456789abcdef")),
        degraded: 0,
        duration_us: 900,
        original_tokens: 10_000,
        truncated_tokens: 2000,
        kept: (0..20).map(|range| (range * 50, range * 50 + 9)).collect(),
    }
}

#[expect(clippy::print_stdout, reason = "its figures are what it is for")]
fn print(line: &str) {
    println!("{line}");
}
