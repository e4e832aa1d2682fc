//! What may be cut, and to what size: the rules for one server.

use std::collections::BTreeMap;

use offcut_core::limit::Limits;

/// How the results of one server are treated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// Nothing is cut and no tool is added: a plain pipe.
    pub off: bool,
    /// The limit of every result, instead of the policy's.
    pub limit: Option<Limits>,
    /// The limits of single tools; a `*` in a name stands for anything.
    pub tools: BTreeMap<String, Limits>,
    /// Tools whose results pass as they are; a `*` in a name stands for anything.
    pub exempt: Vec<String>,
    /// Whether what `resources/read` returns is cut too.
    pub resources: bool,
    /// The most that a client shows, by a part of its name, instead of what is known of it.
    pub clients: BTreeMap<String, Limits>,
    /// How often a server that crashes is started again.
    pub restarts: u32,
}

/// How often a server that crashes is started again where nobody says.
pub const RESTARTS: u32 = 3;

impl Rules {
    /// The rules that hold where nobody says otherwise.
    pub fn new() -> Rules {
        Rules { restarts: RESTARTS, ..Rules::default() }
    }

    /// Whether results of `tool` may be cut.
    pub fn may_cut(&self, tool: &str) -> bool {
        !self.off && !self.exempt.iter().any(|pattern| matches(pattern, tool))
    }

    /// The limit that is said for `tool`, or for all; the longest pattern that fits it holds.
    pub(crate) fn limit(&self, tool: &str) -> Option<&Limits> {
        let fitting = self.tools.iter().filter(|(pattern, _)| matches(pattern, tool));
        fitting.max_by_key(|(pattern, _)| pattern.len()).map(|(_, limits)| limits).or(self.limit.as_ref())
    }

    /// What is said of the client of this name.
    pub(crate) fn client(&self, name: &str) -> Option<&Limits> {
        let name = name.to_lowercase();
        let fitting = self.clients.iter().filter(|(part, _)| name.contains(&part.to_lowercase()));
        fitting.max_by_key(|(part, _)| part.len()).map(|(_, limits)| limits)
    }
}

/// Whether `name` is what `pattern` describes, in which `*` stands for anything.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, fits) in [
            ("read", "read", true),
            ("read", "read_file", false),
            ("read_*", "read_file", true),
            ("*_file", "read_file", true),
            ("*", "", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn the_most_exact_rule_holds() {
        let limits = |written: &str| written.parse::<Limits>().unwrap();
        let rules = Rules {
            limit: Some(limits("1000")),
            tools: [("read_*".to_owned(), limits("2000")), ("read_file".to_owned(), limits("3000"))].into(),
            exempt: vec!["list_*".to_owned()],
            ..Rules::new()
        };
        assert_eq!(rules.limit("read_file"), Some(&limits("3000")));
        assert_eq!(rules.limit("read_text"), Some(&limits("2000")));
        assert_eq!(rules.limit("other"), Some(&limits("1000")));
        assert!(!rules.may_cut("list_all") && rules.may_cut("read_file"));
    }
}
