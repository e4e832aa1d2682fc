//! Work that a caller may lend threads and a clock to; core has neither.

use std::sync::atomic::AtomicBool;

/// Does work for strategies.
pub trait Executor: Sync {
    /// Does both pieces of work, the second in another thread where there is one, and returns when both are done.
    fn join(&self, here: &mut dyn FnMut(), aside: &mut (dyn FnMut() + Send));

    /// Does work that may take too long, and returns whether it was done. Sets `stop` when its time is over; work that
    /// does not stop then may be left behind.
    fn bounded(&self, work: Box<dyn FnOnce() + Send>, stop: &AtomicBool) -> bool;
}

/// Does one piece of work after the other, for as long as it takes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sequential;

impl Executor for Sequential {
    fn join(&self, here: &mut dyn FnMut(), aside: &mut (dyn FnMut() + Send)) {
        here();
        aside();
    }

    fn bounded(&self, work: Box<dyn FnOnce() + Send>, _stop: &AtomicBool) -> bool {
        work();
        true
    }
}
