//! Reading back what was kept.

use offcut::Cancel;
use offcut::recall::{Request, Selector};
use offcut_retain::trace::task_trace;

use crate::engine::Engine;
use crate::failure::Failure;

impl Engine {
    /// The text of an artifact: all of it, the part at an address as a gap prints it, or its last lines.
    pub fn read(&self, handle: &str, at: Option<&str>, tail: Option<u64>) -> Result<String, Failure> {
        let selector = match (at, tail) {
            (Some(_), Some(_)) => return Err(Failure::argument("`lines` and `tail` cannot be used together")),
            (Some(at), None) => Selector::at(at)?,
            (None, Some(lines)) => Selector::Tail(lines),
            (None, None) => Selector::Whole,
        };
        self.selected(handle, &selector)
    }

    /// The lines that a regular expression matches, each with its number.
    pub fn grep(
        &self,
        handle: &str,
        pattern: String,
        context: u64,
        max_matches: Option<u64>,
        lines: Option<&str>,
    ) -> Result<String, Failure> {
        let (start, end) = match lines.map(Selector::at).transpose()? {
            None => (None, None),
            Some(Selector::Lines { start, end }) => (start, end),
            Some(_) => return Err(Failure::argument("`lines` of a search are lines: `200-260`")),
        };
        self.selected(handle, &Selector::Pattern { pattern, context, max_matches, start, end })
    }

    /// The nodes that a JSONPath selects, as a JSON array.
    pub fn query(&self, handle: &str, path: String, offset: u64) -> Result<String, Failure> {
        self.selected(handle, &Selector::Query { path, offset })
    }

    fn selected(&self, handle: &str, selector: &Selector) -> Result<String, Failure> {
        Ok(self.offcut.recall().read(handle, selector)?.text)
    }

    /// The page that a model gets for the arguments of its retrieval tool, a JSON object.
    pub fn page(&self, arguments: &str) -> Result<String, Failure> {
        let request = Request::from_json(serde_json::from_str(arguments)?)?;
        Ok(offcut_extract::page(&self.offcut.recall(), &request)?)
    }

    /// The whole text of a result that a conversation no longer carries.
    pub fn trace(&self, trace_id: &str) -> Result<String, Failure> {
        Ok(task_trace(&self.offcut, trace_id)?)
    }

    /// The session's artifacts, oldest first, as a JSON array.
    pub fn artifacts(&self) -> Result<String, Failure> {
        Ok(serde_json::to_string(&self.offcut.recall().list()?)?)
    }

    /// The passages of all artifacts that fit some words best, as a JSON array.
    pub fn search(&self, words: &str, most: usize) -> Result<String, Failure> {
        let found = offcut_extract::search(&self.offcut, words, most, &Cancel::new())?;
        Ok(serde_json::to_string(&found)?)
    }
}
