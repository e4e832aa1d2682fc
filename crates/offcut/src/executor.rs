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
        bounded(work, stop, DEADLINE, GRACE)
    }
}

/// Does the work in a thread; whether it came to an end within the time it has and, told to stop, the grace after it.
fn bounded(work: Box<dyn FnOnce() + Send>, stop: &AtomicBool, deadline: Duration, grace: Duration) -> bool {
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        work();
        // Nobody may be waiting any more.
        let _ = sender.send(());
    };
    if thread::Builder::new().name("offcut-bounded".to_owned()).spawn(work).is_err() {
        return false;
    }
    if receiver.recv_timeout(deadline).is_ok() {
        return true;
    }
    stop.store(true, Ordering::Relaxed);
    receiver.recv_timeout(grace).is_ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::*;

    /// Longer than any machine takes to wake a thread.
    const AMPLE: Duration = Duration::from_secs(60);

    /// A time that shall pass.
    const BRIEF: Duration = Duration::from_millis(20);

    #[test]
    fn work_that_ends_in_time_is_not_told_to_stop() {
        let stop = AtomicBool::new(false);
        assert!(bounded(Box::new(|| {}), &stop, AMPLE, AMPLE));
        assert!(!stop.load(Ordering::Relaxed));
    }

    #[test]
    fn work_whose_time_is_over_is_told_to_stop() {
        let stop = Arc::new(AtomicBool::new(false));
        let (started, told) = (Instant::now(), Arc::clone(&stop));
        let work = move || {
            while !told.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
            }
        };
        assert!(bounded(Box::new(work), &stop, BRIEF, AMPLE));
        assert!(started.elapsed() >= BRIEF);
    }

    #[test]
    fn work_that_does_not_stop_is_left_behind() {
        let (end, ended) = mpsc::channel::<()>();
        let deaf = move || {
            let _ = ended.recv();
        };
        assert!(!bounded(Box::new(deaf), &AtomicBool::new(false), BRIEF, BRIEF));
        drop(end);
    }
}
