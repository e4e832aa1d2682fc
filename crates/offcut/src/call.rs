//! One call of a tool, as the caller describes it.

use offcut_core::hidden;
use offcut_core::kind::Kind;
use offcut_core::limit::{Limit, Limits};

/// Whose output is taken in, and what the caller wants of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// The tool's name; chooses its limits and strategy.
    pub tool: String,
    /// Its arguments: JSON, or a command line.
    pub arguments: String,
    /// The caller's own id of the call, where it has one.
    pub call_id: Option<String>,
    /// What the output is, where the caller knows better than the classifier.
    pub kind: Option<Kind>,
    /// The limit of this call alone.
    pub limits: Option<Limits>,
    /// The strategy of this call alone.
    pub strategy: Option<String>,
    /// Whether lines keep what nearly every line begins with, whatever the configuration says.
    pub keep_prefixes: bool,
    /// The tokens left in the conversation; the profile `handle` hands out a handle for an output that would not fit.
    pub token_budget: Option<u64>,
}

impl Call {
    /// A call of `tool`.
    pub fn new(tool: impl Into<String>) -> Call {
        Call { tool: tool.into(), ..Call::default() }
    }

    /// With these arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: impl Into<String>) -> Call {
        self.arguments = arguments.into();
        self
    }

    /// With the caller's own id.
    #[must_use]
    pub fn call_id(mut self, call_id: impl Into<String>) -> Call {
        self.call_id = Some(call_id.into());
        self
    }

    /// Whose output is of this kind, whatever it looks like.
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Call {
        self.kind = Some(kind);
        self
    }

    /// With a limit of its own, in characters: `.limit(8000)`.
    #[must_use]
    pub fn limit(self, characters: u64) -> Call {
        self.limits(Limit::chars(characters))
    }

    /// With limits of its own, in any unit.
    #[must_use]
    pub fn limits(mut self, limits: impl Into<Limits>) -> Call {
        self.limits = Some(limits.into());
        self
    }

    /// With a strategy of its own.
    #[must_use]
    pub fn strategy(mut self, strategy: impl Into<String>) -> Call {
        self.strategy = Some(strategy.into());
        self
    }

    /// With so many tokens left in the conversation.
    #[must_use]
    pub fn token_budget(mut self, tokens: u64) -> Call {
        self.token_budget = Some(tokens);
        self
    }

    /// The tool and its arguments on one line, for people, with what is not seen written out.
    pub(crate) fn source(&self) -> String {
        let (tool, arguments) = (hidden::visible(&self.tool), hidden::visible(&self.arguments));
        match (tool.is_empty(), arguments.is_empty()) {
            (true, true) => "unknown".to_owned(),
            (true, false) => arguments.into_owned(),
            (false, true) => tool.into_owned(),
            (false, false) => format!("{tool} {arguments}"),
        }
    }

    /// How many characters of the tool's name and arguments are not seen.
    pub(crate) fn hidden(&self) -> u64 {
        hidden::count(&self.tool) + hidden::count(&self.arguments)
    }
}
