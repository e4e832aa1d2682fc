//! The call that the benches of the packages compare theirs with: `cut FILE ROUNDS` prints the median time in milliseconds.

use std::time::Instant;

use offcut::{Call, Offcut};

#[expect(clippy::print_stdout, reason = "what it is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(rounds)) = (arguments.next(), arguments.next()) else {
        return Err("usage: cut FILE ROUNDS".into());
    };
    let (output, rounds) = (std::fs::read(file)?, rounds.parse::<usize>()?);
    let offcut = Offcut::builder().in_memory().build()?;
    let mut times = Vec::new();
    for _ in 0..=rounds {
        let started = Instant::now();
        let reply = offcut.process(Call::new("bash"), &output)?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
        drop(reply);
    }
    // The first one warms up.
    let mut times = times.split_off(1);
    times.sort_by(f64::total_cmp);
    println!("{}", times.get(times.len() / 2).copied().unwrap_or_default());
    Ok(())
}
