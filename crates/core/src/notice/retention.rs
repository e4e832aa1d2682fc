//! The line that stands where the rest of an old tool result was.

/// What the line begins with, whatever call it names.
const TRUNCATED: &str = "[TRUNCATED — full output in ";

/// The call that returns the whole text of a tool result.
pub fn task_trace(trace_id: &str) -> String {
    format!("get_task_trace(traceId=\"{trace_id}\")")
}

/// The last line of a shortened tool result, naming the `call` that returns the whole.
pub fn retained(call: &str) -> String {
    format!("{TRUNCATED}{call}]")
}

/// Whether `line` is one that [`retained`] made.
pub fn is_retained(line: &str) -> bool {
    line.strip_prefix(TRUNCATED).is_some_and(|rest| rest.len() > 1 && rest.ends_with(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_recognised_whatever_it_names() {
        let line = retained(&task_trace("abc-123"));
        assert_eq!(line, "[TRUNCATED — full output in get_task_trace(traceId=\"abc-123\")]");
        assert!(is_retained(&line));
        assert!(is_retained(&retained("offcut trace art_1_a --session s")));
        for other in ["", "[TRUNCATED]", "[TRUNCATED — full output in ]", "[TRUNCATED — full output in x"] {
            assert!(!is_retained(other), "{other}");
        }
    }
}
