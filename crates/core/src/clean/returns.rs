//! What a carriage return inside a line means: back to the start of it, or the end of it.
//!
//! A terminal goes back. But texts whose lines end with CR exist, and reading them so would lose all lines but the last
//! in silence. So a line with carriage returns is looked at as a whole: a progress display shows percentages, bars or
//! counts, or nearly the same text again and again; lines of a text do not.

/// The meaning of the carriage returns in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Returns {
    /// Back to the start of the line; what follows overwrites it.
    Start,
    /// The end of a line.
    End,
}

/// How many states of a line are compared, at most.
const COMPARED: usize = 256;

impl Returns {
    /// What they mean in `line`; `feeds` says whether the input has lines that end with LF, this one included.
    pub(super) fn of(line: &str, feeds: bool) -> Returns {
        if line.contains(['\x1b', '\x08', '\u{9b}']) {
            return Returns::Start;
        }
        let states: Vec<&str> =
            line.split('\r').map(str::trim_end).filter(|state| !state.is_empty()).take(COMPARED).collect();
        let progress = states.iter().filter(|state| shows_progress(state)).count();
        if progress > 0 && progress * 2 >= states.len() {
            return Returns::Start;
        }
        if !feeds {
            return Returns::End;
        }
        let alike = states.windows(2).filter(|pair| matches!(pair, [one, next] if are_alike(one, next))).count();
        if states.len() < 4 || alike * 2 >= states.len() - 1 { Returns::Start } else { Returns::End }
    }
}

/// Whether `state` has what progress displays have: a percentage, a bar, a count of a total, a rate.
fn shows_progress(state: &str) -> bool {
    let bytes = state.as_bytes();
    let percentage = bytes.windows(2).any(|pair| matches!(pair, [b'0'..=b'9', b'%']));
    let total = bytes.windows(3).any(|three| matches!(three, [b'0'..=b'9', b'/', b'0'..=b'9']));
    let bar = state.contains("==") || state.contains("##") || state.contains("--:--") || state.contains("[>");
    let blocks = state.contains(['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '░', '▒', '▓', '━', '╸', '⣿']);
    let rate = ["B/s", "it/s", "ETA", "eta ", " kB", " MB", "KiB", "MiB"].iter().any(|unit| state.contains(unit));
    percentage || total || bar || blocks || rate
}

/// Whether two states are the same but for a few characters.
fn are_alike(one: &str, next: &str) -> bool {
    let shorter = one.len().min(next.len());
    let same_start = one.bytes().zip(next.bytes()).take_while(|(a, b)| a == b).count();
    let same_end = one.bytes().rev().zip(next.bytes().rev()).take_while(|(a, b)| a == b).count();
    shorter <= 3 || (same_start + same_end) * 2 >= shorter
}
