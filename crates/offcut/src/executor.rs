//! The threads and the clock that strategies are lent.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use offcut_core::executor::Executor;

use crate::threads::both;

/// How long work may take that has a bound.
const DEADLINE: Duration = Duration::from_millis(1500);

/// How long work that was told to stop may take to do so.
const GRACE: Duration = Duration::from_millis(100);

/// Does work in threads, where there can be some.
///
/// A parser's own bounds hold for everything but input that was made to defeat them. So work with a bound has a thread
/// of its own; when its time is over it is told to stop, and if it does not, it is left behind.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Threads;

impl Executor for Threads {
    fn join(&self, here: &mut dyn FnMut(), aside: &mut (dyn FnMut() + Send)) {
        both(here, aside);
    }

    fn bounded(&self, work: Box<dyn FnOnce() + Send>, stop: &AtomicBool) -> bool {
        let (sender, receiver) = mpsc::channel();
        let work = move || {
            work();
            // Nobody may be waiting any more.
            let _ = sender.send(());
        };
        if thread::Builder::new().name("offcut-bounded".to_owned()).spawn(work).is_err() {
            return false;
        }
        if receiver.recv_timeout(DEADLINE).is_ok() {
            return true;
        }
        stop.store(true, Ordering::Relaxed);
        receiver.recv_timeout(GRACE).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::*;

    #[test]
    fn work_that_does_not_end_is_told_to_stop_and_left_behind() {
        let stop = Arc::new(AtomicBool::new(false));
        assert!(Threads.bounded(Box::new(|| {}), &stop));
        assert!(!stop.load(Ordering::Relaxed));
        let (started, stopped) = (Instant::now(), Arc::clone(&stop));
        let work = move || {
            while !stopped.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        };
        assert!(Threads.bounded(Box::new(work), &stop));
        assert!(started.elapsed() >= DEADLINE);
        assert!(!Threads.bounded(Box::new(|| thread::sleep(DEADLINE + 2 * GRACE)), &stop));
    }
}
