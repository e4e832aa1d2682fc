//! The time, as a store is told it.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Where a store takes the time from.
#[derive(Clone)]
pub struct Clock(Option<Arc<dyn Fn() -> u64 + Send + Sync>>);

impl Clock {
    /// The system's clock.
    pub fn system() -> Clock {
        Clock(None)
    }

    /// A clock of one's own: milliseconds since 1970.
    pub fn new(now: impl Fn() -> u64 + Send + Sync + 'static) -> Clock {
        Clock(Some(Arc::new(now)))
    }

    /// Milliseconds since 1970; 0 before it.
    pub fn now_ms(&self) -> u64 {
        match &self.0 {
            Some(now) => now(),
            None => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
            }
        }
    }
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_some() { "Clock(own)" } else { "Clock(system)" })
    }
}
