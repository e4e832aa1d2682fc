//! Traces as each language writes them: where they begin and end, what they say, and what caused it.

use super::*;
use crate::document::TextDocument;
use crate::executor::Sequential;
use crate::strategy::lines::score::log::lines_of;

pub(in crate::strategy::lines) const PYTHON: &str = r#"Traceback (most recent call last):
  File "/app/store.py", line 12, in load
    return json.loads(text)
           ^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.12/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/app/main.py", line 40, in <module>
    load("x")
app.errors.BadStore: store x is damaged
  key: 7

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/main.py", line 44, in <module>
    report()
NameError: name 'report' is not defined
"#;

pub(in crate::strategy::lines) const JAVA: &str = "2026-11-15 10:00:00,123 ERROR [main] c.e.Job - job failed
com.example.JobException: could not run job 7
with more words
\tat com.example.Job.run(Job.java:31)
\tat com.example.Main.main(Main.java:9)
\tSuppressed: java.io.IOException: could not close
\t\tat com.example.Pool.close(Pool.java:50)
\t\t... 2 more
Caused by: java.sql.SQLException: no connection
\tat org.postgresql.Driver.connect(Driver.java:99) ~[postgresql.jar:42]
\tat com.example.Pool.open(Pool.java:17)
\t... 23 more
Caused by: java.net.ConnectException: Connection refused
\tat java.base/sun.nio.ch.Net.connect0(Native Method)
\tat com.example.Net.dial(Net.java:3)
\t... 25 common frames omitted
";

pub(in crate::strategy::lines) const NODE: &str = "Error: cannot start
    at start (/app/server.js:10:11)
    at async main (file:///app/index.mjs:3:1) {
  code: 'ESTART',
  [cause]: TypeError: port is not a number
      at check (/app/config.js:5:9)
      at node:internal/main:3:1 {
    [cause]: RangeError: -1
        at parse (/app/parse.js:2:3)
        at <anonymous>
  }
}
";

pub(in crate::strategy::lines) const SHARP: &str = "Unhandled exception. System.InvalidOperationException: cannot ship
 ---> Shop.OrderException: order 7 is empty
   at Shop.Order.Check() in /src/Order.cs:line 12
   at Shop.Order.Ship() in /src/Order.cs:line 30
   --- End of inner exception stack trace ---
   at Shop.Program.Main(String[] args) in /src/Program.cs:line 8
";

pub(in crate::strategy::lines) const GO: &str = "panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
runtime.panicIndex(0x5, 0x3)
\t/usr/local/go/src/runtime/panic.go:114 +0x74
main.pick(...)
\t/app/main.go:9
main.main()
\t/app/main.go:14 +0x1d

goroutine 18 [chan receive]:
main.wait(0xc00001)
\t/app/wait.go:5 +0x2a
created by main.main in goroutine 1
\t/app/main.go:12 +0x11
exit status 2
";

pub(in crate::strategy::lines) const RUST: &str = "thread 'main' (42) panicked at src/main.rs:5:9:
called `Option::unwrap()` on a `None` value
stack backtrace:
   0: rust_begin_unwind
             at /rustc/abc/library/std/src/panicking.rs:697:5
   1: core::panicking::panic_fmt
             at /rustc/abc/library/core/src/panicking.rs:75:14
   2: app::pick
             at ./src/main.rs:5:9
   3: app::main
             at ./src/main.rs:10:5
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
";

pub(in crate::strategy::lines) const RUBY: &str = "shop.rb:12:in `check': order 7 is empty (OrderError)
\tfrom shop.rb:20:in `ship'
\tfrom main.rb:3:in `<main>'
shop.rb:9:in `fetch': key not found: :items (KeyError)
\tfrom shop.rb:11:in `check'
\tfrom main.rb:3:in `<main>'
";

pub(in crate::strategy::lines) const PHP: &str =
    "PHP Fatal error:  Uncaught RuntimeException: order 7 is empty in /app/shop.php:12
Stack trace:
#0 /app/shop.php(20): check(7)
#1 /app/main.php(3): ship()
#2 {main}
  thrown in /app/shop.php on line 12
";

/// The traces of `text` behind two other lines and before two.
fn traces(text: &str) -> Vec<Trace> {
    let document = TextDocument::new(format!("first words\nsecond words\n{text}other words\nlast words\n"));
    let table = Table::whole(&document, &Sequential).unwrap();
    find(&table, &lines_of(&table))
}

/// For each trace of `text` its rows, and the first rows of its heads and its own frames.
fn check(text: &str, expected: &[(Range<usize>, &[usize], &[usize])]) {
    let found = traces(text);
    let found: Vec<_> = found
        .iter()
        .map(|trace| {
            let heads: Vec<usize> = trace.parts.iter().map(|part| part.head.start - 2).collect();
            let own: Vec<usize> = trace.parts.iter().map(|part| part.own.start - 2).collect();
            (trace.rows.start - 2..trace.rows.end - 2, heads, own)
        })
        .collect();
    let expected: Vec<_> =
        expected.iter().map(|(rows, heads, own)| (rows.clone(), heads.to_vec(), own.to_vec())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn traces_of_each_language_are_found_with_their_causes() {
    check(PYTHON, &[(0..22, &[6, 13, 21], &[1, 11, 19])]);
    check(JAVA, &[(0..16, &[0, 5, 8, 12], &[3, 6, 9, 14])]);
    check(NODE, &[(0..12, &[0, 4, 7], &[1, 5, 8])]);
    check(SHARP, &[(0..6, &[0, 1], &[1, 2])]);
    check(GO, &[(0..9, &[0], &[5]), (10..15, &[10], &[11])]);
    check(RUST, &[(0..12, &[0], &[7])]);
    check(RUBY, &[(0..6, &[0, 3], &[0, 3])]);
    check(PHP, &[(0..5, &[0], &[2])]);
}

#[test]
fn traces_behind_times_are_the_same() {
    for text in [PYTHON, JAVA, NODE, SHARP, GO, RUST, RUBY] {
        let prefixed: String = text.lines().map(|line| format!("2026-11-15T10:00:00.123Z {line}\n")).collect();
        let (plain, prefixed) = (traces(text), traces(&prefixed));
        assert_eq!(plain, prefixed, "{text}");
    }
}

#[test]
fn words_about_traces_are_none() {
    for text in [
        "at the beginning\nwe were at home (all of us)\n",
        "Caused by: nothing\n",
        "from here to there\n",
        "goroutine dumps are long\n",
        "1: one\n2: two\n3: three\n",
        "#1 in the list\n",
        "Traceback (most recent call last):\n\n",
        "panic: no goroutine follows\n",
    ] {
        assert_eq!(traces(text), [], "{text}");
    }
}

#[test]
fn cycles_of_frames_are_folded_once() {
    let fold = |text: &str| -> Vec<(Range<usize>, usize, bool)> {
        let traces = traces(text);
        let folds = traces.iter().flat_map(|trace| &trace.folds);
        folds.map(|fold| (fold.rows.start - 2..fold.rows.end - 2, fold.lines, fold.same)).collect()
    };
    let java = |cycle: &str, times: usize| {
        format!(
            "java.lang.StackOverflowError\n\tat a.A.start(A.java:1)\n{}\tat a.A.main(A.java:2)\n",
            cycle.repeat(times)
        )
    };
    assert_eq!(fold(&java("\tat a.A.f(A.java:5)\n", 1000)), [(3..1002, 1, true)]);
    assert_eq!(fold(&java("\tat a.A.f(A.java:5)\n\tat a.A.g(A.java:6)\n", 9)), [(4..20, 2, true)]);
    assert_eq!(fold(&java("\tat a.A.f(A.java:5)\n", 2)), []);
    let python = format!(
        "Traceback (most recent call last):\n{}RecursionError: maximum recursion depth exceeded\n",
        "  File \"/a.py\", line 3, in f\n    return f(n)\n           ^^^^\n".repeat(997)
    );
    assert_eq!(fold(&python), [(4..2992, 3, true)]);
    let go: String = (0..50).map(|n| format!("main.f(0xc{n})\n\t/a/main.go:7 +0x1d\n")).collect();
    assert_eq!(fold(&format!("panic: deep\n\ngoroutine 1 [running]:\n{go}")), [(5..103, 2, false)]);
    let rust: String = (0..50).map(|n| format!("  {n:2}: app::f\n             at ./src/main.rs:2:5\n")).collect();
    let rust = format!("thread 'main' panicked at src/main.rs:1:1:\ndeep\nstack backtrace:\n{rust}");
    assert_eq!(fold(&rust), [(5..103, 2, false)]);
}

#[test]
fn identical_traces_have_the_same_key_and_others_not() {
    let other = JAVA.replace("Net.java:3", "Net.java:4");
    let found = traces(&format!("{JAVA}between\n{JAVA}between\n{other}"));
    let keys: Vec<u64> = found.iter().map(|trace| trace.key).collect();
    assert_eq!(keys.len(), 3);
    assert!(keys[0] == keys[1] && keys[1] != keys[2]);
}
