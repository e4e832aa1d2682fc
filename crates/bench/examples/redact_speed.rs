//! Redacts a file, or a made log or source, and prints MB/s. For callgrind, give few megabytes.
//!
//! `cargo run --release -p offcut-bench --example redact_speed -- log|code|FILE [MEGABYTES]`
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a measuring command reads files and the clock, and prints"
)]

use std::sync::Arc;
use std::time::Instant;
use std::{env, fs};

use offcut_core::redact::{Redactor, Rules};

#[path = "../../core/benches/support/samples.rs"]
mod samples;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let what = env::args().nth(1).ok_or("usage: redact_speed log|code|FILE [MEGABYTES]")?;
    let megabytes: usize = env::args().nth(2).map_or(Ok(64), |number| number.parse())?;
    let text = match what.as_str() {
        "log" => samples::log(megabytes << 20),
        "code" => samples::code(megabytes << 20),
        file => {
            let once = String::from_utf8_lossy(&fs::read(file)?).into_owned();
            once.repeat(((megabytes << 20) / once.len().max(1)).max(1))
        }
    };
    let start = Instant::now();
    let rules = Rules::builtin();
    println!("rules ready in {:?}", start.elapsed());
    let (start, ticks) = (Instant::now(), cpu_ticks());
    let mut redactor = Redactor::new(Arc::clone(&rules));
    let mut length = 0;
    for chunk in samples::chunks(&text) {
        redactor.push(chunk, &mut |piece| length += piece.len());
    }
    redactor.finish(&mut |piece| length += piece.len());
    let seconds = start.elapsed().as_secs_f64();
    if let Some((before, after)) = ticks.zip(cpu_ticks()) {
        // A busy machine makes the clock lie; the time on the processor lies less.
        println!("{:.0} MB a processor second", text.len() as f64 / 1e4 / (after - before).max(1) as f64);
    }
    println!(
        "{} bytes in, {length} out, {:.0} MB/s, {:?}",
        text.len(),
        text.len() as f64 / 1e6 / seconds,
        redactor.counts()
    );
    Ok(())
}

/// The hundredths of a second that this process spent on a processor, where the system tells.
fn cpu_ticks() -> Option<u64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(11)?.parse().ok()
}
