//! The names of tools: the server's, and ours under names that do not clash with them.

use std::collections::BTreeSet;

use offcut_extract as extract;

/// A tool of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OwnTool {
    /// Reads back what was cut off.
    GetArtifact,
    /// Answers a question about what was cut off.
    ToolOutput,
}

impl OwnTool {
    /// Every one of them, in the order in which they are listed.
    pub(crate) const ALL: [OwnTool; 2] = [OwnTool::GetArtifact, OwnTool::ToolOutput];

    /// The name where the server has no such tool.
    pub(crate) fn name(self) -> &'static str {
        match self {
            OwnTool::GetArtifact => "get_artifact",
            OwnTool::ToolOutput => extract::TOOL_NAME,
        }
    }

    /// The definition under `name`, as JSON.
    pub(crate) fn definition(self, name: &str) -> String {
        let name = serde_json::Value::from(name);
        match self {
            OwnTool::GetArtifact => format!(
                "{{\"name\":{name},\"description\":\"Reads back a tool output that was cut: whole (in pages), or by one \
                 of lines, bytes, query, pattern.\",\"inputSchema\":{{\"type\":\"object\",\"properties\":{{\
                 \"id\":{{\"type\":\"string\",\"description\":\"As the notice gives it\"}},\
                 \"lines\":{{\"type\":\"string\",\"description\":\"As a gap gives them: 1422-1832\"}},\
                 \"start_line\":{{\"type\":\"integer\",\"description\":\"From 1\"}},\
                 \"end_line\":{{\"type\":\"integer\",\"description\":\"Inclusive\"}},\
                 \"start_byte\":{{\"type\":\"integer\",\"description\":\"From 0\"}},\
                 \"end_byte\":{{\"type\":\"integer\",\"description\":\"Exclusive\"}},\
                 \"query\":{{\"type\":\"string\",\"description\":\"JSONPath, or SELECT k, count(*) FROM rows GROUP BY k, for JSON, NDJSON, CSV\"}},\
                 \"offset\":{{\"type\":\"integer\",\"description\":\"Nodes of the query to pass over\"}},\
                 \"pattern\":{{\"type\":\"string\",\"description\":\"Regular expression; the lines that match\"}},\
                 \"context\":{{\"type\":\"integer\",\"description\":\"Lines around a match\"}},\
                 \"max_matches\":{{\"type\":\"integer\"}}}},\"required\":[\"id\"],\"additionalProperties\":false}},\
                 \"annotations\":{{\"readOnlyHint\":true,\"idempotentHint\":true,\"openWorldHint\":false}}}}"
            ),
            OwnTool::ToolOutput => {
                let extract::Definition { description, schema, .. } = extract::definition();
                let description = serde_json::Value::from(description);
                format!(
                    "{{\"name\":{name},\"description\":{description},\"inputSchema\":{schema},\
                     \"annotations\":{{\"readOnlyHint\":true,\"openWorldHint\":false}}}}"
                )
            }
        }
    }
}

/// Which tools the server has, as far as it was asked, and what ours are called beside them.
#[derive(Debug, Default)]
pub(crate) struct ToolNames {
    /// The server's, by the last listing.
    server: BTreeSet<String>,
    /// The names on the pages of a listing that is under way.
    listing: BTreeSet<String>,
    /// Whether a listing was seen to its end.
    listed: bool,
}

impl ToolNames {
    /// A page of a listing: whether it is the first, whether it is the last, and the names on it.
    pub(crate) fn page(&mut self, first: bool, last: bool, names: impl IntoIterator<Item = String>) {
        if first {
            self.listing.clear();
        }
        self.listing.extend(names);
        if last {
            self.server = std::mem::take(&mut self.listing);
            self.listed = true;
        }
    }

    /// The name of `tool`: its own, with a prefix where the server has one of that name.
    pub(crate) fn own(&self, tool: OwnTool) -> String {
        let plain = tool.name();
        let numbered = (2..).map(|number| format!("offcut{number}_{plain}"));
        [plain.to_owned(), format!("offcut_{plain}")]
            .into_iter()
            .chain(numbered)
            .find(|name| !self.server.contains(name))
            .unwrap_or_default()
    }

    /// Our tool of this name, if it is one. Before the server was asked for its tools, `ours` says by the arguments
    /// whether the call is meant for us.
    pub(crate) fn find(&self, name: &str, ours: impl FnOnce() -> bool) -> Option<OwnTool> {
        let tool = OwnTool::ALL.into_iter().find(|tool| self.own(*tool) == name)?;
        (self.listed || ours()).then_some(tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clash_gets_a_prefix() {
        let mut names = ToolNames::default();
        assert_eq!(names.own(OwnTool::GetArtifact), "get_artifact");
        names.page(true, false, ["a".to_owned(), "get_artifact".to_owned()]);
        names.page(false, true, ["offcut_get_artifact".to_owned()]);
        assert_eq!(names.own(OwnTool::GetArtifact), "offcut2_get_artifact");
        assert_eq!(names.find("get_artifact", || true), None);
        assert_eq!(names.find("offcut2_get_artifact", || false), Some(OwnTool::GetArtifact));
        names.page(true, true, []);
        assert_eq!(names.own(OwnTool::GetArtifact), "get_artifact");
    }

    #[test]
    fn before_a_listing_the_arguments_decide() {
        let names = ToolNames::default();
        assert_eq!(names.find("get_artifact", || true), Some(OwnTool::GetArtifact));
        assert_eq!(names.find("get_artifact", || false), None);
        assert_eq!(names.find("echo", || true), None);
    }

    #[test]
    fn our_definitions_are_json_and_small() {
        for tool in OwnTool::ALL {
            let definition = tool.definition("a \"name\"");
            let parsed: serde_json::Value = serde_json::from_str(&definition).unwrap();
            assert_eq!(parsed["name"], "a \"name\"");
            assert!(definition.len() < 1200, "{}", definition.len());
        }
    }
}
