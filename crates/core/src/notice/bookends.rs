//! The texts of the profile `bookends`, to the character: the file notice stands at the beginning, where no later
//! cut can lose it, and the end is announced again.

/// The reply that shows the two ends of an output that was saved to `path`.
pub fn bookends(head: &str, tail: &str, hidden: u64, path: &str, head_chars: u64, tail_chars: u64) -> String {
    format!(
        "[Output truncated: {hidden} chars hidden, full output saved to {path}. Use Read tool or rg to get details. \
         Showing first {head_chars} and last {tail_chars} chars below.]\n\n{head}\n\n\
         ... ({hidden} characters truncated) ...\n\n[Last {tail_chars} chars below]\n{tail}"
    )
}

/// The reply where nothing could be saved: the beginning alone, and why.
pub fn bookends_head_only(head: &str, hidden: u64, why: &str) -> String {
    format!(
        "{head}\n\n... ({hidden} characters truncated; the full output could not be saved: {}) ...",
        super::one_line(why, 160)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_notice_comes_first_and_the_end_is_announced() {
        assert_eq!(
            bookends("HEAD", "TAIL", 30000, "/tmp/Bash-call_1-17.txt", 10000, 10000),
            "[Output truncated: 30000 chars hidden, full output saved to /tmp/Bash-call_1-17.txt. \
             Use Read tool or rg to get details. Showing first 10000 and last 10000 chars below.]\n\n\
             HEAD\n\n... (30000 characters truncated) ...\n\n[Last 10000 chars below]\nTAIL"
        );
    }
}
