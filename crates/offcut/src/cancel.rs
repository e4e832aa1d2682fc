//! Asking work that is under way to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop that can be made from anywhere: clones are one and the same. Work that takes long looks at it now
/// and then.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Nobody has asked to stop yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Asks to stop; there is no way back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_hears_of_it() {
        let cancel = Cancel::new();
        let heard = cancel.clone();
        assert!(!heard.is_cancelled());
        cancel.cancel();
        assert!(heard.is_cancelled());
    }
}
