//! Work that blocks, beside a connection that does not.

use std::time::Duration;

use offcut::Cancel;
use rmcp::ErrorData;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::{RequestContext, RoleServer};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// How long work is quiet before its progress is told, and between two tellings.
const BEAT: Duration = Duration::from_secs(1);

/// Asks the work to stop when nobody waits for it any more.
struct Waiting(Cancel);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs `work` where it may block. A request that is cancelled, or whose client has gone, asks it to stop; a client
/// that gave a token hears once a second that it is still under way.
pub(super) async fn blocking<T: Send + 'static>(
    context: &RequestContext<RoleServer>,
    work: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> Result<T, ErrorData> {
    let cancel = Cancel::new();
    let waiting = Waiting(cancel.clone());
    let started = Instant::now();
    let mut job = tokio::task::spawn_blocking(move || work(&cancel));
    let mut beat = interval_at(started + BEAT, BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let token = context.meta.get_progress_token();
    loop {
        tokio::select! {
            done = &mut job => {
                return done.map_err(|error| ErrorData::internal_error(format!("the work failed: {error}"), None));
            }
            () = context.ct.cancelled(), if !waiting.0.is_cancelled() => waiting.0.cancel(),
            _ = beat.tick(), if token.is_some() => {
                if let Some(token) = token.clone() {
                    let seconds = started.elapsed().as_secs();
                    let progress = ProgressNotificationParam::new(token, seconds as f64);
                    // A client that cannot be told is told nothing.
                    let _ = context.peer.notify_progress(progress.with_message(format!("{seconds} s"))).await;
                }
            }
        }
    }
}
