//! Signals that reach us are the command's.

use std::io;
use std::sync::PoisonError;

use rustix::process::Signal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Origin};

use crate::run::child::Alive;

/// Passes signals on to the command instead of ending by them: we stay to print what there was.
///
/// What the terminal sends (Ctrl-C) goes to the whole group and so reaches the command without us.
pub(super) fn forward(alive: Alive) -> io::Result<()> {
    let mut signals = SignalsInfo::<WithOrigin>::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
    std::thread::spawn(move || {
        for origin in signals.forever() {
            let Some(signal) = passed_on(&origin) else { continue };
            let alive = alive.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(pid) = *alive {
                // It may end this very moment.
                let _ = rustix::process::kill_process(pid, signal);
            }
        }
    });
    Ok(())
}

fn passed_on(origin: &Origin) -> Option<Signal> {
    if matches!(origin.cause, Cause::Kernel) {
        return None;
    }
    match origin.signal {
        SIGINT => Some(Signal::INT),
        SIGTERM => Some(Signal::TERM),
        SIGHUP => Some(Signal::HUP),
        SIGQUIT => Some(Signal::QUIT),
        _ => None,
    }
}
