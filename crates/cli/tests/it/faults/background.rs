//! Processes that a command leaves in the background.

use std::time::{Duration, Instant};

use crate::workbench::{Bench, exists, until};

#[test]
fn one_that_goes_on_writing_does_not_hold_the_reply_up() {
    let bench = Bench::new();
    let since = Instant::now();
    let line = "(n=0; while [ $n -lt 400 ]; do echo t; sleep 0.05; n=$((n + 1)); done) & exit 5";
    let left = bench.call(&["run", "--", "sh", "-c", line]);
    assert!(left.stdout.starts_with("t\n"), "{left:?}");
    assert_eq!(left.code, Some(5));
    assert!(since.elapsed() < Duration::from_secs(15));
}

#[test]
fn one_that_goes_on_writing_lives_on() {
    let bench = Bench::new();
    let line = "(n=0; while [ $n -lt 60 ]; do echo t || exit 1; sleep 0.05; n=$((n + 1)); done; : > survived) & exit 0";
    let left = bench.call(&["run", "--", "sh", "-c", line]);
    assert_eq!(left.code, Some(0));
    assert!(!exists(&bench.path("survived")), "the reply came before it ended");
    until("the background process has done its work", || exists(&bench.path("survived")));
}
