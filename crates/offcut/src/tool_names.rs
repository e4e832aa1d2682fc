//! Names that agents give to the same tool.

/// Tools under the names that agents know them by; a configuration may use any of them, in any case.
const SAME: [&[&str]; 6] = [
    &[
        "execute_command",
        "bash",
        "shell",
        "run_command",
        "run_shell_command",
        "run_terminal_cmd",
        "exec_command",
        "local_shell",
    ],
    &["read_file", "read", "view_file", "read_text_file"],
    &["list_directory", "ls", "list_dir", "list_files"],
    &["search_files", "grep", "grep_search", "search_file_content"],
    &["find_files", "find", "glob", "file_search"],
    &["http_request", "fetch", "web_fetch", "webfetch"],
];

/// Whether two names mean the same tool.
pub(crate) fn same_tool(left: &str, right: &str) -> bool {
    let is = |name: &str| SAME.iter().position(|names| names.iter().any(|known| known.eq_ignore_ascii_case(name)));
    left.eq_ignore_ascii_case(right) || is(left).is_some_and(|group| is(right) == Some(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_the_same_are_the_same_in_any_case() {
        let check = |left, right, expected| {
            assert_eq!(same_tool(left, right), expected, "{left} {right}");
            assert_eq!(same_tool(right, left), expected, "{right} {left}");
        };
        check("execute_command", "bash", true);
        check("Bash", "BASH", true);
        check("run_shell_command", "Shell", true);
        check("my_tool", "My_Tool", true);
        check("bash", "read", false);
        check("my_tool", "other_tool", false);
        check("", "bash", false);
    }

    #[test]
    fn a_name_stands_in_one_group_only() {
        let mut all: Vec<&str> = SAME.concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
