//! The requests between a client and a server that are not answered yet.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use offcut::TraceContext;
use offcut_core::text;

use super::view::MessageView;
use crate::wire::id::RequestId;

/// How many requests may wait for an answer before the oldest is forgotten.
const MOST_PENDING: usize = 16 * 1024;

/// How many tasks are remembered by the tool that they run.
const MOST_TASKS: usize = 1024;

/// How much of a call's arguments is kept with its result.
const ARGUMENTS: u64 = 4096;

/// A request of the client that the server has not answered, as far as the answer concerns us.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingRequest {
    pub(crate) method: Method,
    /// The tool that is called, or the resource that is read.
    pub(crate) tool: String,
    pub(crate) arguments: String,
    /// The trace that it belongs to, where the client says so.
    pub(crate) trace: Option<TraceContext>,
    /// Whether a listing begins with this page.
    pub(crate) first_page: bool,
    /// The order in which requests came.
    pub(super) nth: u64,
}

/// The methods whose answers are looked into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Method {
    ListTools,
    CallTool,
    ReadResource,
    TaskResult,
    #[default]
    Other,
}

impl Method {
    /// The method of this name.
    pub(crate) fn named(name: &str) -> Method {
        match name {
            "tools/list" => Method::ListTools,
            "tools/call" => Method::CallTool,
            "resources/read" => Method::ReadResource,
            "tasks/result" | "tasks/get" => Method::TaskResult,
            _ => Method::Other,
        }
    }
}

/// Returns whether the arguments of a call are those of our own tools: they name an artifact.
pub(crate) fn names_artifact(view: &MessageView<'_>) -> bool {
    let arguments = view.raw(&["params", "arguments"]).unwrap_or_default();
    let parsed: serde_json::Value = serde_json::from_str(&arguments).unwrap_or_default();
    let handle = parsed.get("id").or_else(|| parsed.get("handle")).and_then(|id| id.as_str()).unwrap_or_default();
    handle.starts_with("art_") || handle.starts_with("session-") || is_short(handle)
}

/// Whether this is a short handle as we give them: a letter, three digits, and more where that is not enough.
fn is_short(handle: &str) -> bool {
    let bytes = handle.as_bytes();
    let digits = bytes.get(1..4).is_some_and(|digits| digits.iter().all(u8::is_ascii_digit));
    digits && bytes.first().is_some_and(u8::is_ascii_lowercase) && bytes.iter().all(u8::is_ascii_alphanumeric)
}

/// The beginning of a call's arguments.
pub(crate) fn arguments(view: &MessageView<'_>) -> String {
    let value = view.message.get("params").and_then(|params| params.get("arguments"));
    let Some(range) = value.map(|value| value.range.clone()) else { return String::new() };
    let short = range.start..range.end.min(range.start + 4 * ARGUMENTS);
    let raw = view.raw_message.read(short).map(|raw| String::from_utf8_lossy(&raw).into_owned()).unwrap_or_default();
    text::first_chars(&raw, ARGUMENTS).to_owned()
}

/// The requests of one client and one server.
///
/// An id that is used again before it was answered does not take the place of the first: answers belong to requests in
/// the order in which they were asked.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    pending: BTreeMap<RequestId, VecDeque<PendingRequest>>,
    /// How many are pending.
    waiting: usize,
    /// How many came so far.
    count: u64,
    /// The call that a task runs, by the task's id.
    tasks: BTreeMap<String, PendingRequest>,
    /// What the server asked and the client has not answered.
    of_server: BTreeSet<RequestId>,
    /// Whether the server has answered anything.
    pub(crate) greeted: bool,
    /// Whether the client has asked what only servers of the latest revision know.
    pub(crate) probed: bool,
}

impl Requests {
    /// The client asks something.
    pub(crate) fn ask(&mut self, id: RequestId, mut request: PendingRequest) {
        self.count += 1;
        request.nth = self.count;
        self.pending.entry(id).or_default().push_back(request);
        self.waiting += 1;
        if self.waiting > MOST_PENDING {
            let nth = |requests: &VecDeque<PendingRequest>| requests.front().map_or(u64::MAX, |request| request.nth);
            let oldest = self.pending.iter().min_by_key(|(_, requests)| nth(requests)).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.answer(&id));
        }
    }

    /// The oldest request under `id`, which waits no longer.
    pub(crate) fn answer(&mut self, id: &RequestId) -> Option<PendingRequest> {
        let requests = self.pending.get_mut(id)?;
        let request = requests.pop_front();
        if requests.is_empty() {
            self.pending.remove(id);
        }
        self.waiting -= usize::from(request.is_some());
        request
    }

    /// Every request that waits, in the order in which they came; they wait no longer.
    pub(crate) fn answer_all(&mut self) -> Vec<RequestId> {
        self.waiting = 0;
        let pending = std::mem::take(&mut self.pending);
        let mut all: Vec<(u64, RequestId)> = pending
            .into_iter()
            .flat_map(|(id, requests)| requests.into_iter().map(move |request| (request.nth, id.clone())))
            .collect();
        all.sort_unstable();
        all.into_iter().map(|(_, id)| id).collect()
    }

    pub(crate) fn is_waiting(&self, id: &RequestId) -> bool {
        self.pending.contains_key(id)
    }

    /// How many requests wait for an answer of the server.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// A task runs the call that `request` made.
    pub(crate) fn remember_task(&mut self, task: String, request: &PendingRequest) {
        self.count += 1;
        self.tasks.insert(task, PendingRequest { nth: self.count, ..request.clone() });
        if self.tasks.len() > MOST_TASKS {
            let oldest = self.tasks.iter().min_by_key(|(_, request)| request.nth).map(|(id, _)| id.clone());
            oldest.and_then(|id| self.tasks.remove(&id));
        }
    }

    /// The call that a task runs.
    pub(crate) fn task(&self, task: &str) -> PendingRequest {
        self.tasks.get(task).cloned().unwrap_or_default()
    }

    /// The server asks the client something.
    pub(crate) fn server_asks(&mut self, id: RequestId) {
        if self.of_server.len() < MOST_PENDING {
            self.of_server.insert(id);
        }
    }

    /// The client has answered the server.
    pub(crate) fn answer_server(&mut self, id: &RequestId) {
        self.of_server.remove(id);
    }

    /// What the server asked and the client has not answered; nobody waits for that any longer.
    pub(crate) fn forget_server(&mut self) -> Vec<RequestId> {
        std::mem::take(&mut self.of_server).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(raw: &str) -> RequestId {
        RequestId::read(raw.as_bytes()).unwrap()
    }

    fn request(tool: &str) -> PendingRequest {
        PendingRequest { tool: tool.to_owned(), ..PendingRequest::default() }
    }

    #[test]
    fn an_id_that_is_used_again_does_not_lose_the_first_request() {
        let mut requests = Requests::default();
        for (number, tool) in [("1", "a"), ("2", "b"), ("1", "c")] {
            requests.ask(id(number), request(tool));
        }
        assert_eq!(requests.waiting(), 3);
        assert_eq!(requests.answer(&id("1")).unwrap().tool, "a");
        assert!(requests.is_waiting(&id("1")));
        assert_eq!(requests.answer_all(), [id("2"), id("1")]);
        assert!(requests.answer(&id("1")).is_none());
        assert_eq!(requests.waiting(), 0);
    }

    #[test]
    fn the_oldest_is_forgotten_where_too_many_wait() {
        let mut requests = Requests::default();
        for n in 0..=MOST_PENDING {
            requests.ask(id(&n.to_string()), request("t"));
        }
        assert_eq!(requests.waiting(), MOST_PENDING);
        assert!(!requests.is_waiting(&id("0")) && requests.is_waiting(&id("1")));
    }
}
