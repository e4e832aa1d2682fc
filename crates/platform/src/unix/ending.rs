//! Being asked to end.

use std::fs;

use crate::Signal;

/// Those of `signals` that our starter does not want ignored (`nohup`), as far as the system tells.
pub fn without_ignored(signals: &[Signal]) -> Vec<Signal> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    signals.iter().filter(|signal| mask & 1 << (signal.number() - 1) == 0).copied().collect()
}

/// Waits for the first of these signals. Where they cannot be heard they end us at once, and this never returns.
#[cfg(feature = "async")]
pub async fn asked_to_end(by: &[Signal]) -> Signal {
    use std::io;
    use std::task::Poll;
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind: &Signal| signal(SignalKind::from_raw(kind.number())).map(|heard| (*kind, heard));
    let Ok(mut heard) = by.iter().map(listen).collect::<io::Result<Vec<_>>>() else {
        return std::future::pending().await;
    };
    std::future::poll_fn(|context| {
        let first = heard.iter_mut().find_map(|(kind, heard)| heard.poll_recv(context).is_ready().then_some(*kind));
        first.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}
