//! What a line is in a stack trace, told by how it begins.

/// The part that a line can have in a trace, whatever stands around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::strategy::smart) enum Line {
    /// Nothing that belongs to traces alone.
    #[default]
    Other,
    /// White space only.
    Blank,
    /// `Traceback (most recent call last):`
    Python,
    /// `File "x.py", line 3, in f`
    PythonFrame,
    /// `During handling of the above exception, another exception occurred:`
    PythonLink,
    /// `at a.B.c(D.java:1)`, as Java, Kotlin, JavaScript, C# and the places of Rust are written.
    At,
    /// `... 23 more`, `--- End of inner exception stack trace ---`, `- locked <0x1>`: goes with the frames around it.
    More,
    /// `Caused by: x`, `Suppressed: x`, `---> x`, `[cause]: x`
    Cause,
    /// `panic: x`, `fatal error: x`
    GoPanic,
    /// `goroutine 1 [running]:`
    Goroutine,
    /// `/path/x.go:12 +0x1d`
    GoPlace,
    /// `thread 'main' panicked at x.rs:1:2:`
    RustPanic,
    /// `stack backtrace:`
    Backtrace,
    /// `12: name`, as Rust numbers frames and causes.
    Numbered,
    /// `#12 name`, as PHP and debuggers number frames.
    Hashed,
    /// ``x.rb:3:in `f': message (Class)``
    RubyHead,
    /// ``from x.rb:3:in `f'``
    RubyFrame,
}

impl Line {
    /// What a line is, of which `body` is left without its time.
    pub(in crate::strategy::smart) fn of_row(line: &str, body: &str) -> Line {
        // The number of a frame looks like that of a step of BuildKit.
        let hashed = line.trim_start();
        if hashed.starts_with('#') && is_hashed(hashed) { Line::Hashed } else { Line::of(body) }
    }

    /// What `body` (a line without its time) is. Plain lines are told by their first byte.
    fn of(body: &str) -> Line {
        let line = body.trim_start();
        let Some(&first) = line.as_bytes().first() else { return Line::Blank };
        let indented = line.len() < body.len();
        let starts = |start: &str| line.starts_with(start);
        let found = match first {
            b'T' if starts("Traceback (most recent call last)") => Line::Python,
            b'T' if starts("The above exception was the direct cause") => Line::PythonLink,
            b'D' if starts("During handling of the above exception") => Line::PythonLink,
            b'F' if starts("File \"") && line.contains(", line ") => Line::PythonFrame,
            b'a' if starts("at ") && is_at(line, indented) => Line::At,
            b'.' if starts("... ") && is_more(line) => Line::More,
            b'-' if starts("--- End of ") => Line::More,
            b'-' if starts("- locked ") || starts("- waiting ") || starts("- parking ") => Line::More,
            b'-' if starts("---> ") => Line::Cause,
            b'C' if starts("Caused by:") => Line::Cause,
            b'S' if starts("Suppressed: ") => Line::Cause,
            b'S' if starts("Stack backtrace:") || starts("Stack trace:") => Line::Backtrace,
            b's' if starts("stack backtrace:") => Line::Backtrace,
            b'[' if starts("[cause]: ") => Line::Cause,
            b'p' if starts("panic: ") => Line::GoPanic,
            b'f' if starts("fatal error: ") => Line::GoPanic,
            b'f' if starts("from ") && line.contains(":in ") => Line::RubyFrame,
            b'g' if starts("goroutine ") && line.trim_end().ends_with("]:") => Line::Goroutine,
            b't' if starts("thread '") && line.contains(" panicked at ") => Line::RustPanic,
            b'/' | b'A'..=b'Z' if indented && line.contains(".go:") => Line::GoPlace,
            b'#' if is_hashed(line) => Line::Hashed,
            b'0'..=b'9' if indented && is_numbered(line) => Line::Numbered,
            _ => Line::Other,
        };
        if found == Line::Other && line.ends_with(')') && is_ruby_head(line) { Line::RubyHead } else { found }
    }

    /// Whether it is a call, or the place of one.
    pub(super) fn is_frame(self) -> bool {
        matches!(self, Line::PythonFrame | Line::At | Line::GoPlace | Line::Numbered | Line::Hashed | Line::RubyFrame)
    }
}

/// Whether what follows `at ` is a call with its place, or a place alone.
fn is_at(line: &str, indented: bool) -> bool {
    let line = line.trim_end().trim_end_matches('{').trim_end();
    let closes = line.ends_with(')') || line.contains(") in ") || line.contains(") [") || line.contains(") ~[");
    if closes && line.contains('(') {
        return true;
    }
    let place = line.trim_end_matches(|c: char| c.is_ascii_digit());
    indented && (place.len() < line.len() && place.ends_with(':') || line.ends_with("<anonymous>"))
}

/// `... 23 more`, `... 4 lines matching cause stack trace ...`
fn is_more(line: &str) -> bool {
    let rest = line.trim_start_matches("... ");
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let words = rest.get(digits..).unwrap_or("").trim_start();
    digits > 0 && ["more", "common frames", "lines matching", "frames", "filtered"].iter().any(|w| words.starts_with(w))
}

/// `#0 /path/file.php(12): name()`, `#1  0x0000 in name ()`, `#2  main () at x.c:3`
fn is_hashed(line: &str) -> bool {
    let rest = line.strip_prefix('#').unwrap_or("");
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let name = rest.get(digits..).unwrap_or("");
    let call = name.trim_start();
    let named = match call.as_bytes().first() {
        Some(b'/') => call.contains("): "),
        Some(b'0') => call.starts_with("0x"),
        Some(b'{') => call.starts_with("{main}"),
        Some(b'[') => call.starts_with("[internal function]"),
        _ => name.starts_with("  ") && call.contains(" (") && call.contains(" at "),
    };
    (1..=5).contains(&digits) && name.starts_with(' ') && named
}

/// `12: name`
fn is_numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=5).contains(&digits) && line.as_bytes().get(digits..digits + 2) == Some(b": ")
}

/// ``x.rb:3:in `f': message (Class)``
fn is_ruby_head(line: &str) -> bool {
    let Some((place, rest)) = line.split_once(":in ") else { return false };
    let numbered = place.ends_with(|c: char| c.is_ascii_digit()) && place.contains(':') && !place.contains(' ');
    numbered && rest.contains("': ")
}

/// What tells one frame from another: its words, without its number and without addresses.
pub(super) fn words(body: &str) -> &str {
    let line = body.trim();
    let unnumbered = line.trim_start_matches('#').trim_start_matches(|c: char| c.is_ascii_digit());
    let line = match unnumbered.strip_prefix(':').or_else(|| unnumbered.strip_prefix(' ')) {
        Some(rest) if unnumbered.len() < line.len() => rest.trim_start(),
        _ => line,
    };
    // Where debuggers write an address first, what it is the address of comes behind it.
    let line = line.strip_prefix("0x").and_then(|rest| rest.split_once(" in ")).map_or(line, |(_, name)| name);
    let end = [" +0x", "(0x", "({0x"].iter().filter_map(|mark| line.find(mark)).min();
    end.and_then(|end| line.get(..end)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_by_how_they_begin() {
        let check = |body: &str, expected| assert_eq!(Line::of(body), expected, "{body}");
        check("Traceback (most recent call last):", Line::Python);
        check("  File \"/a/b.py\", line 3, in f", Line::PythonFrame);
        check("\tat a.B.c(D.java:1)", Line::At);
        check("\tat a.B.c(D.java:1) ~[b.jar:1.2]", Line::At);
        check("   at A.B.C() in C:\\x\\y.cs:line 12", Line::At);
        check("    at async f (file:///a/b.js:1:2) {", Line::At);
        check("    at /a/b.js:1:2", Line::At);
        check("             at ./src/main.rs:3:5", Line::At);
        check("at the end of the day", Line::Other);
        check("  at last we are done", Line::Other);
        check("\t... 23 more", Line::More);
        check("    ... 4 lines matching cause stack trace ...", Line::More);
        check("... and so on", Line::Other);
        check("Caused by: java.io.IOException: x", Line::Cause);
        check("  [cause]: Error: x", Line::Cause);
        check(" ---> System.Exception: x", Line::Cause);
        check("goroutine 18 [chan receive, 2 minutes]:", Line::Goroutine);
        check("\t/go/src/x/main.go:12 +0x1d", Line::GoPlace);
        check("thread 'main' panicked at src/main.rs:2:5:", Line::RustPanic);
        check("   3: core::ops::function::FnOnce::call_once", Line::Numbered);
        check("3: not indented", Line::Other);
        check("#1 /a/b.php(12): f()", Line::Hashed);
        check("#1 a heading", Line::Other);
        check("#12 0.345 Done in 3s", Line::Other);
        check("#2  main () at x.c:3", Line::Hashed);
        check("a.rb:3:in `f': divided by 0 (ZeroDivisionError)", Line::RubyHead);
        check("\tfrom a.rb:9:in `<main>'", Line::RubyFrame);
        check("  ", Line::Blank);
        check("", Line::Blank);
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
