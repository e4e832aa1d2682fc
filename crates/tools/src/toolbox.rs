//! An Offcut and a root directory: what the tools work with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use offcut::policy::Plan;
use offcut::profile::Profile;
use offcut::{Call, Cancel, Offcut, Reply};
use offcut_core::text;
use serde_json::{Map, Value, json};

use crate::arguments::Arguments;
use crate::error::ToolError;
use crate::reply::{Content, ToolReply};
use crate::tool::Tool;
use crate::{Bash, Find, Grep, Ls, Read};

/// The five tools over one root directory. Cheap to clone; clones are one and the same.
#[derive(Debug, Clone)]
pub struct Toolbox {
    offcut: Offcut,
    root: Arc<Path>,
}

impl Toolbox {
    /// Tools whose relative paths start at `root`, and whose output leaves through `offcut`.
    pub fn new(offcut: Offcut, root: impl Into<PathBuf>) -> Toolbox {
        let root: PathBuf = root.into();
        // An absolute root shows the same paths wherever the process goes.
        let root = std::path::absolute(&root).unwrap_or(root);
        Toolbox { offcut, root: root.into() }
    }

    /// The library that its output leaves through.
    pub fn offcut(&self) -> &Offcut {
        &self.offcut
    }

    /// Where relative paths start, and commands run.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Calls a tool with the arguments that a model gave. A call that takes long looks at `cancel` now and then.
    pub fn call(&self, tool: Tool, arguments: &Value, cancel: &Cancel) -> Result<ToolReply, ToolError> {
        let arguments = Arguments::of(tool, arguments)?;
        match tool {
            Tool::Read => self.read(&Read::from_arguments(&arguments), cancel),
            Tool::Bash => self.bash(&Bash::from_arguments(&arguments), cancel),
            Tool::Grep => self.grep(&Grep::from_arguments(&arguments), cancel),
            Tool::Find => self.find(&Find::from_arguments(&arguments), cancel),
            Tool::Ls => self.ls(&Ls::from_arguments(&arguments), cancel),
        }
    }

    /// Whether the tools page by themselves.
    pub(crate) fn pages(&self) -> bool {
        self.offcut.policy().profile() == Profile::Paged
    }

    /// The rules for one call of a tool.
    pub(crate) fn plan(&self, tool: Tool) -> Result<Plan, ToolError> {
        Ok(self.offcut.policy().plan(&Call::new(tool.name()))?)
    }
}

/// The reply of the library with a tool's own notices under it.
pub(crate) fn with_notices(reply: Reply, notices: &[String], details: Map<String, Value>) -> ToolReply {
    let Reply { text: shown, mut report } = reply;
    let text = under(&shown, notices);
    report.truncated_size = text::chars(&text);
    let is_error = report.is_error;
    ToolReply { content: vec![Content::Text(text)], details: Value::Object(details), is_error, report: Some(report) }
}

/// A text with notices under it, an empty line between them.
pub(crate) fn under(shown: &str, notices: &[String]) -> String {
    if notices.is_empty() {
        return shown.to_owned();
    }
    let notices = notices.join("\n");
    match shown.ends_with(['\n', '\r']) {
        _ if shown.is_empty() => notices,
        true => format!("{shown}\n{notices}"),
        false => format!("{shown}\n\n{notices}"),
    }
}

/// What the notices under a text take of its limit, in characters and lines.
pub(crate) fn room_of(notices: &[String]) -> (u64, u64) {
    match notices.len() as u64 {
        0 => (0, 0),
        lines => (2 + notices.iter().map(|notice| text::chars(notice) + 1).sum::<u64>(), lines + 1),
    }
}

/// `arguments` without those that were not given.
pub(crate) fn arguments_json<const N: usize>(arguments: [(&str, Value); N]) -> String {
    let given = arguments.into_iter().filter(|(_, value)| !value.is_null() && *value != json!(false));
    Value::Object(given.map(|(name, value)| (name.to_owned(), value)).collect()).to_string()
}
