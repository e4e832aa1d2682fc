//! What a line is in a stack trace, told by how it begins.

use super::frames;
pub(crate) use super::frames::{TraceLine, words};
use super::rules;
use crate::text;

impl TraceLine {
    /// What a line is, of which `body` is left without its time.
    pub(crate) fn of_row(line: &str, body: &str) -> TraceLine {
        // The number of a frame looks like that of a step of BuildKit.
        let hashed = text::trim_start(line);
        if hashed.starts_with('#') && frames::hashed_frame(hashed) { TraceLine::Hashed } else { TraceLine::of(body) }
    }

    /// What `body` (a line without its time) is. Plain lines are told by their first byte.
    pub(super) fn of(body: &str) -> TraceLine {
        let line = text::trim(body);
        if line.is_empty() {
            return TraceLine::Blank;
        }
        rules::trace_part(body, line).unwrap_or(TraceLine::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_by_how_they_begin() {
        let check = |body: &str, expected| assert_eq!(TraceLine::of(body), expected, "{body}");
        check("Traceback (most recent call last):", TraceLine::Python);
        check("  File \"/a/b.py\", line 3, in f", TraceLine::PythonFrame);
        check("\tat a.B.c(D.java:1)", TraceLine::At);
        check("\tat a.B.c(D.java:1) ~[b.jar:1.2]", TraceLine::At);
        check("   at A.B.C() in C:\\x\\y.cs:line 12", TraceLine::At);
        check("    at async f (file:///a/b.js:1:2) {", TraceLine::At);
        check("    at /a/b.js:1:2", TraceLine::At);
        check("             at ./src/main.rs:3:5", TraceLine::At);
        check("at the end of the day", TraceLine::Other);
        check("  at last we are done", TraceLine::Other);
        check("\t... 23 more", TraceLine::More);
        check("    ... 4 lines matching cause stack trace ...", TraceLine::More);
        check("... and so on", TraceLine::Other);
        check("Caused by: java.io.IOException: x", TraceLine::Cause);
        check("  [cause]: Error: x", TraceLine::Cause);
        check(" ---> System.Exception: x", TraceLine::Cause);
        check("goroutine 18 [chan receive, 2 minutes]:", TraceLine::Goroutine);
        check("\t/go/src/x/main.go:12 +0x1d", TraceLine::GoPlace);
        check("thread 'main' panicked at src/main.rs:2:5:", TraceLine::RustPanic);
        check("   3: core::ops::function::FnOnce::call_once", TraceLine::Numbered);
        check("3: not indented", TraceLine::Other);
        check("#1 /a/b.php(12): f()", TraceLine::Hashed);
        check("#1 a heading", TraceLine::Other);
        check("#12 0.345 Done in 3s", TraceLine::Other);
        check("#2  main () at x.c:3", TraceLine::Hashed);
        check("a.rb:3:in `f': divided by 0 (ZeroDivisionError)", TraceLine::RubyHead);
        check("\tfrom a.rb:9:in `<main>'", TraceLine::RubyFrame);
        check("  ", TraceLine::Blank);
        check("", TraceLine::Blank);
    }

    #[test]
    fn frames_are_compared_without_numbers_and_addresses() {
        let check = |line: &str, expected| assert_eq!(words(line), expected, "{line}");
        check("\tat a.B.c(D.java:1)", "at a.B.c(D.java:1)");
        check("  12: name::of", "name::of");
        check("#12 0x00007f in name (n=3)", "name (n=3)");
        check("main.f(0xc0000, 0x1)", "main.f");
        check("\t/a/main.go:12 +0x1d", "/a/main.go:12");
        check("12 apples", "apples");
    }
}
