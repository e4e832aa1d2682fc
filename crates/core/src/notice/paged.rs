//! The notices of the profile `paged`, to the character.

use super::FullOutput;
use crate::limit::short_size;

/// What a `paged` notice is made from.
#[derive(Debug, Clone, Copy)]
pub struct Paged<'a> {
    /// The first line shown, 1-based.
    pub first: u64,
    /// The last line shown; `first - 1` if none is.
    pub last: u64,
    /// The lines of the whole.
    pub total: u64,
    /// The byte limit, where that was the one reached.
    pub byte_limit: Option<u64>,
    /// The bytes of the line that alone was too long, where that is why so little is shown.
    pub long_line: Option<u64>,
    /// The reader's own way on.
    pub next: Next<'a>,
}

/// How the reader goes on from a page.
#[derive(Debug, Clone, Copy)]
pub enum Next<'a> {
    /// By reading the file again from an offset.
    Offset {
        /// The file.
        path: &'a str,
        /// Whether the reader itself gave an offset.
        given: bool,
    },
    /// By looking at the stored output.
    Full(&'a FullOutput<'a>),
}

/// The notice under a page.
pub fn paged(page: &Paged<'_>) -> String {
    let Paged { first, last, total, .. } = page;
    let reached = page.byte_limit.map(|limit| format!(" ({} limit)", short_size(limit))).unwrap_or_default();
    match (page.next, page.long_line) {
        (Next::Offset { path, given }, Some(line)) => {
            let limit = page.byte_limit.unwrap_or(30 * 1024);
            let (size, limit, bytes) = (short_size(line), short_size(limit), limit - limit / 1024 * 24);
            if given {
                format!(
                    "[Line {first} is {size}, exceeds {limit} limit. \
                     Use bash: sed -n '{first}p' {path} | head -c {bytes}]"
                )
            } else {
                format!("[Line {first} is {size}, exceeds {limit} limit. Use bash to read: head -c {bytes} {path}]")
            }
        }
        (Next::Offset { .. }, None) => {
            format!("[Showing lines {first}-{last} of {total}{reached}. Use offset={} to continue]", last + 1)
        }
        (Next::Full(kept), Some(line)) => {
            let limit = short_size(page.byte_limit.unwrap_or(30 * 1024));
            format!("[Showing last {limit} of line {last} (line is {}). {}]", short_size(line), full(kept))
        }
        (Next::Full(kept), None) => format!("[Showing lines {first}-{last} of {total}{reached}. {}]", full(kept)),
    }
}

fn full(kept: &FullOutput<'_>) -> String {
    match kept {
        FullOutput::Stored { id, path } => format!("Full output: {}", path.unwrap_or(id)),
        FullOutput::Lost(why) => format!("Full output was not kept: {}", super::one_line(why, 160)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notice_of_read_and_bash_comes_out_to_the_character() {
        let read = |given| Next::Offset { path: "path/to/file", given };
        let page = Paged { first: 1, last: 2000, total: 5000, byte_limit: None, long_line: None, next: read(false) };
        let check = |page: Paged<'_>, expected: &str| assert_eq!(paged(&page), expected);
        check(page, "[Showing lines 1-2000 of 5000. Use offset=2001 to continue]");
        let limit = Some(30 * 1024);
        check(
            Paged { last: 500, byte_limit: limit, ..page },
            "[Showing lines 1-500 of 5000 (30KB limit). Use offset=501 to continue]",
        );
        let long = Paged { last: 0, byte_limit: limit, long_line: Some(50 * 1024), ..page };
        check(long, "[Line 1 is 50KB, exceeds 30KB limit. Use bash to read: head -c 30000 path/to/file]");
        check(
            Paged { first: 1000, next: Next::Offset { path: "file", given: true }, ..long },
            "[Line 1000 is 50KB, exceeds 30KB limit. Use bash: sed -n '1000p' file | head -c 30000]",
        );
        let kept = FullOutput::Stored { id: "art_1_a", path: Some("/tmp/out.log") };
        let tail = Paged { first: 48001, last: 50000, total: 50000, next: Next::Full(&kept), ..page };
        check(tail, "[Showing lines 48001-50000 of 50000. Full output: /tmp/out.log]");
        check(
            Paged { first: 49501, byte_limit: limit, ..tail },
            "[Showing lines 49501-50000 of 50000 (30KB limit). Full output: /tmp/out.log]",
        );
        check(
            Paged { byte_limit: limit, long_line: Some(100 * 1024), ..tail },
            "[Showing last 30KB of line 50000 (line is 100KB). Full output: /tmp/out.log]",
        );
    }
}
