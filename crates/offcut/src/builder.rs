//! The library's one object: a policy, a store, a session, and those who watch.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use offcut_core::document::Document;
use offcut_core::kind::Classification;
use offcut_core::notice::Recall as RecallWording;
use offcut_core::redact::{Redactor, RuleError};
use offcut_core::strategy::Strategy;
use offcut_core::strategy::registry::Registry;
use offcut_store::{ArtifactId, Cleared, LocalStore, MemoryStore, SessionId, Store, StoreError};

use crate::call::Call;
use crate::context::Context;
use crate::event::{Event, Observer};
use crate::excerpt::{self, Excerpt};
use crate::intake::Intake;
use crate::keep;
use crate::options::{Durability, Options};
use crate::policy::{Policy, PolicyError};
use crate::recall::Recall;
use crate::redaction::Redaction;
use crate::reply::Reply;
use crate::session::SessionUse;
use crate::trace_context::TraceContext;

/// How much of an output is held in memory before it goes to its draft.
const MEMORY_BOUND: usize = 6 * 1024 * 1024;

/// How many characters of an agent's name are told.
const LONGEST_AGENT: usize = 60;

/// Turns outputs into replies. Cheap to share between threads; it has no state but its store's.
///
/// With `artifacts.cleanup_on_exit` it owns its session: when the last clone is dropped, or one is
/// [closed](Offcut::close), the session's artifacts go, unless another process uses the session as well. Sessions whose
/// owner was killed are swept away when the next owner is built.
#[derive(Debug, Clone)]
pub struct Offcut {
    context: Arc<Context>,
}

/// Builds an [`Offcut`].
#[derive(Debug, Default)]
pub struct Builder {
    options: Options,
    registry: Registry,
    store: Option<Arc<dyn Store>>,
    /// A directory that is trusted, and the way down from it.
    directory: Option<(PathBuf, PathBuf)>,
    session: Option<String>,
    outlived: bool,
    durability: Durability,
    wording: RecallWording,
    observers: Vec<Arc<dyn Observer>>,
    memory_bound: Option<usize>,
}

/// Why an [`Offcut`] could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A value of the options is refused.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The session or the store is refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A redaction rule is refused.
    #[error(transparent)]
    Rules(#[from] RuleError),
}

impl Builder {
    /// With this profile; shorthand for `options.profile`.
    #[must_use]
    pub fn profile(mut self, name: impl Into<String>) -> Builder {
        self.options.profile = Some(name.into());
        self
    }

    /// With these options; they replace what was said before.
    #[must_use]
    pub fn options(mut self, options: Options) -> Builder {
        self.options = options;
        self
    }

    /// With a strategy of one's own, which the options may name.
    #[must_use]
    pub fn strategy(mut self, strategy: Arc<dyn Strategy>) -> Builder {
        self.registry.add(strategy);
        self
    }

    /// Keeps whole outputs under this directory.
    #[must_use]
    pub fn store(self, directory: impl Into<PathBuf>) -> Builder {
        self.store_below(directory, "")
    }

    /// Keeps whole outputs in the directory `below` of `base`. Only `base` is trusted: a link on the way down from it
    /// is refused, so that a project cannot lead its artifacts elsewhere.
    #[must_use]
    pub fn store_below(mut self, base: impl Into<PathBuf>, below: impl Into<PathBuf>) -> Builder {
        self.directory = Some((base.into(), below.into()));
        self.store = None;
        self
    }

    /// Keeps whole outputs in this store.
    #[must_use]
    pub fn store_in(mut self, store: Arc<dyn Store>) -> Builder {
        self.store = Some(store);
        self
    }

    /// Keeps whole outputs in memory, as long as the [`Offcut`] lives.
    #[must_use]
    pub fn in_memory(self) -> Builder {
        self.store_in(Arc::new(MemoryStore::default()))
    }

    /// The session that artifacts belong to (`default`).
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Builder {
        self.session = Some(session.into());
        self
    }

    /// The session goes on when this process ends, so `cleanup_on_exit` does not apply: a command that is run once
    /// must not take away what the next one is told to ask for.
    #[must_use]
    pub fn outlived(mut self) -> Builder {
        self.outlived = true;
        self
    }

    /// What artifacts outlive where the options do not say ([`Durability::Sync`]).
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Builder {
        self.durability = durability;
        self
    }

    /// How notices tell the reader to ask for more: `get_artifact(…)`, unless the interface says otherwise.
    #[must_use]
    pub fn wording(mut self, wording: RecallWording) -> Builder {
        self.wording = wording;
        self
    }

    /// Tells this observer of every event.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Builder {
        self.observers.push(observer);
        self
    }

    /// Holds at most so many bytes of an output in memory (6 MiB).
    #[must_use]
    pub fn memory_bound(mut self, bytes: usize) -> Builder {
        self.memory_bound = Some(bytes);
        self
    }

    /// Checks everything that was said.
    pub fn build(mut self) -> Result<Offcut, BuildError> {
        self.options.artifacts.durability.get_or_insert(self.durability);
        let session: SessionId = self.session.as_deref().unwrap_or("default").parse()?;
        let policy = Policy::new(self.options, self.registry)?;
        let store: Option<Arc<dyn Store>> = match (self.store, self.directory) {
            (Some(store), _) => Some(store),
            (None, Some((base, below))) => Some(Arc::new(LocalStore::below(base, below, policy.store_options()?)?)),
            (None, None) => None,
        };
        let degraded = policy.line_rule_faults().iter().map(|fault| format!("configuration: {fault}")).collect();
        let redaction = Redaction::new(policy.options())?;
        let owned = store.as_deref().filter(|_| policy.cleanup_on_exit() && !self.outlived);
        let session_use = owned.map(|store| Arc::new(SessionUse::begin(store, &session)));
        Ok(Offcut {
            context: Arc::new(Context {
                policy: Arc::new(policy),
                store,
                session,
                session_use,
                wording: self.wording,
                redaction: Arc::new(redaction),
                observers: self.observers,
                agent: String::new(),
                trace: None,
                memory_bound: self.memory_bound.unwrap_or(MEMORY_BOUND).max(64 * 1024),
                degraded,
                dedup: None,
            }),
        })
    }
}

impl Offcut {
    /// Begins to build one.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The same rules and the same store for another session: an interface that serves several clients has one for each.
    pub fn in_session(&self, session: &str) -> Result<Offcut, StoreError> {
        let session: SessionId = session.parse()?;
        let owned = self.context.store.as_deref().filter(|_| self.context.session_use.is_some());
        let session_use = owned.map(|store| Arc::new(SessionUse::begin(store, &session)));
        Ok(Offcut { context: Arc::new(Context { session, session_use, ..Context::clone(&self.context) }) })
    }

    /// Ends the session where it is owned (`artifacts.cleanup_on_exit`) now rather than when the last clone is dropped;
    /// says what was cleared, if nobody else uses the session. What is kept afterwards stays.
    pub fn close(&self) -> Result<Option<Cleared>, StoreError> {
        self.context.session_use.as_ref().map_or(Ok(None), |session_use| session_use.end())
    }

    /// The same with notices that tell the reader to ask for more in another way.
    #[must_use]
    pub fn worded(&self, wording: RecallWording) -> Offcut {
        Offcut { context: Arc::new(Context { wording, ..Context::clone(&self.context) }) }
    }

    /// The same for the coding agent of this name, for those who watch.
    #[must_use]
    pub fn for_agent(&self, name: &str) -> Offcut {
        let agent = self.redacted("", name).chars().filter(|c| !c.is_control()).take(LONGEST_AGENT).collect();
        Offcut { context: Arc::new(Context { agent, ..Context::clone(&self.context) }) }
    }

    /// The same for a call that belongs to a trace, for those who watch; without one it belongs where it did.
    #[must_use]
    pub fn in_trace(&self, trace: Option<TraceContext>) -> Offcut {
        match trace {
            None => self.clone(),
            Some(_) => Offcut { context: Arc::new(Context { trace, ..Context::clone(&self.context) }) },
        }
    }

    /// The same with one more who is told of every event.
    #[must_use]
    pub fn observed_by(&self, observer: Arc<dyn Observer>) -> Offcut {
        let observers = self.context.observers.iter().cloned().chain([observer]).collect();
        Offcut { context: Arc::new(Context { observers, ..Context::clone(&self.context) }) }
    }

    /// The same for a reader that cuts again by itself what is larger than `bytes`: no reply and no page is.
    #[must_use]
    pub fn within(&self, bytes: u64) -> Offcut {
        let policy = Arc::new(self.context.policy.within(bytes));
        Offcut { context: Arc::new(Context { policy, ..Context::clone(&self.context) }) }
    }

    /// The same with one artifact for equal outputs, also for those of a process before this one: what a model is
    /// shown of an output that it sends again is then the same text with the same id.
    #[must_use]
    pub fn keeping_once(&self) -> Offcut {
        Offcut { context: Arc::new(Context { dedup: Some(Arc::default()), ..Context::clone(&self.context) }) }
    }

    /// The same with these reasons, beside those given before, in the `degraded` of every report: what is wrong around
    /// the library that its replies are made in spite of, such as a mistake in the configuration.
    #[must_use]
    pub fn degraded(&self, reasons: impl IntoIterator<Item = String>) -> Offcut {
        let mut degraded = self.context.degraded.clone();
        for reason in reasons {
            if !degraded.contains(&reason) {
                degraded.push(reason);
            }
        }
        Offcut { context: Arc::new(Context { degraded, ..Context::clone(&self.context) }) }
    }

    /// The rules.
    pub fn policy(&self) -> &Policy {
        &self.context.policy
    }

    /// The session that artifacts belong to.
    pub fn session(&self) -> &SessionId {
        &self.context.session
    }

    /// The store and the session, where there is a store.
    pub fn store(&self) -> Option<(&dyn Store, &SessionId)> {
        self.context.store()
    }

    /// Takes one output in, in chunks.
    pub fn intake(&self, call: Call) -> Result<Intake<'_>, PolicyError> {
        Intake::new(&self.context, call)
    }

    /// The reply to an output that is there already.
    pub fn process(&self, call: Call, output: impl AsRef<[u8]>) -> Result<Reply, PolicyError> {
        let mut intake = self.intake(call)?;
        intake.reserve(output.as_ref().len());
        // An output over the maximum size stops being taken in; its reply says so.
        let _ = intake.write_all(output.as_ref());
        Ok(intake.finish())
    }

    /// Reading back what was kept.
    pub fn recall(&self) -> Recall<'_> {
        Recall::new(&self.context)
    }

    /// How notices tell the reader to ask for more.
    pub fn recall_wording(&self) -> &RecallWording {
        &self.context.wording
    }

    /// The redactor for one output of `tool`; none where redaction is off.
    pub fn redactor(&self, tool: &str) -> Option<Redactor> {
        self.context.redactor(tool)
    }

    /// A short text (arguments, a source line) of a call without its secrets.
    pub fn redacted(&self, tool: &str, text: &str) -> String {
        self.context.redacted(tool, text)
    }

    /// A text without what only a terminal understands, and without secrets: as an output would be kept.
    pub fn cleaned(&self, tool: &str, text: &str) -> String {
        keep::cleaned(&self.context, tool, text)
    }

    /// Keeps a text that [`cleaned`](Offcut::cleaned) has made; with [`keeping_once`](Offcut::keeping_once) equal texts
    /// share an artifact. `trace_id` is the caller's own name for it.
    pub fn keep(
        &self,
        text: &str,
        tool: &str,
        arguments: &str,
        trace_id: Option<&str>,
    ) -> Result<ArtifactId, StoreError> {
        keep::keep(&self.context, text, tool, arguments, trace_id)
    }

    /// The part of a document of a known kind that is worth seeing within `chars` characters, cut as an output of
    /// `tool` would be; none where nothing fits. Costs as much as cutting an output.
    pub fn excerpt(
        &self,
        tool: &str,
        document: &dyn Document,
        classification: &Classification,
        chars: u64,
    ) -> Option<Excerpt> {
        excerpt::excerpt(self.policy(), tool, document, classification, chars)
    }

    /// Logs an event and tells the observers of it.
    pub fn emit(&self, event: Event) {
        self.context.emit(event);
    }
}
