//! Frames of stack traces and what stands around them, as languages write them.

/// The part that a line can have in a trace, whatever stands around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TraceLine {
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

impl TraceLine {
    /// Whether it is a call, or the place of one.
    pub(crate) fn is_frame(self) -> bool {
        matches!(
            self,
            TraceLine::PythonFrame
                | TraceLine::At
                | TraceLine::GoPlace
                | TraceLine::Numbered
                | TraceLine::Hashed
                | TraceLine::RubyFrame
        )
    }
}

/// Whether what follows `at ` is a call with its place, or a place alone.
pub(super) fn call_or_place(line: &str, indented: bool) -> bool {
    let line = line.trim_end().trim_end_matches('{').trim_end();
    let closes = line.ends_with(')') || line.contains(") in ") || line.contains(") [") || line.contains(") ~[");
    if closes && line.contains('(') {
        return true;
    }
    let place = line.trim_end_matches(|c: char| c.is_ascii_digit());
    indented && (place.len() < line.len() && place.ends_with(':') || line.ends_with("<anonymous>"))
}

/// `... 23 more`, `... 4 lines matching cause stack trace ...`
pub(super) fn more_frames(line: &str) -> bool {
    let rest = line.trim_start_matches("... ");
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let words = rest.get(digits..).unwrap_or("").trim_start();
    digits > 0 && ["more", "common frames", "lines matching", "frames", "filtered"].iter().any(|w| words.starts_with(w))
}

/// `#0 /path/file.php(12): name()`, `#1  0x0000 in name ()`, `#2  main () at x.c:3`
pub(super) fn hashed_frame(line: &str) -> bool {
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
pub(super) fn numbered_entry(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=5).contains(&digits) && line.as_bytes().get(digits..digits + 2) == Some(b": ")
}

/// ``x.rb:3:in `f': message (Class)``
pub(super) fn ruby_message(line: &str) -> bool {
    let Some((place, rest)) = line.split_once(":in ") else { return false };
    let numbered = place.ends_with(|c: char| c.is_ascii_digit()) && place.contains(':') && !place.contains(' ');
    numbered && rest.contains("': ")
}

/// What tells one frame from another: its words, without its number and without addresses.
pub(crate) fn words(body: &str) -> &str {
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
