//! Work that is done at the same time.

use std::num::NonZero;
use std::sync::LazyLock;
use std::thread;

static TWO_AT_ONCE: LazyLock<bool> =
    LazyLock::new(|| thread::available_parallelism().is_ok_and(|threads| threads > NonZero::<usize>::MIN));

/// Whether this machine can do two things at once.
pub(crate) fn two_at_once() -> bool {
    *TWO_AT_ONCE
}

/// Does `one` here and `other` in a thread of its own, where there can be one, and comes back when both are done.
pub(crate) fn both<T>(one: impl FnOnce() -> T, other: &mut (dyn FnMut() + Send)) -> T {
    let (done, begun) = thread::scope(|scope| {
        let aside = thread::Builder::new().name("offcut-aside".to_owned());
        let begun = two_at_once() && aside.spawn_scoped(scope, &mut *other).is_ok();
        (one(), begun)
    });
    if !begun {
        other();
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_once() {
        let mut other = 0;
        assert_eq!(both(|| 7, &mut || other += 1), 7);
        assert_eq!(other, 1);
    }
}
