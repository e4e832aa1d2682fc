//! Being asked to end.

use crate::Signal;

/// All of `signals`: this system does not tell which of them our starter wants ignored.
pub fn without_ignored(signals: &[Signal]) -> Vec<Signal> {
    signals.to_vec()
}

/// Waits for Ctrl-C, where that is among the signals. Where it cannot be heard it ends us at once, and this never
/// returns.
#[cfg(feature = "async")]
pub async fn asked_to_end(by: &[Signal]) -> Signal {
    if by.contains(&Signal::INTERRUPT) && tokio::signal::ctrl_c().await.is_ok() {
        return Signal::INTERRUPT;
    }
    std::future::pending().await
}
