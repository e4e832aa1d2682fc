//! The five profiles: named sets of limits, strategies and wordings.

use std::str::FromStr;

use offcut_core::limit::{Limit, Limits};

/// A named set of limits, strategies and wordings; each can be overridden key by key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub enum Profile {
    /// Cuts by what the output is; header first, footer last, everything within the limit.
    #[default]
    Auto,
    /// Per-tool strategies; the limit counts kept text only.
    Balanced,
    /// Pages of 2,000 lines or 30 KB, never a partial line.
    Paged,
    /// A handle instead of a large output.
    Handle,
    /// The first and the last 10,000 characters of what is over 40,000.
    Bookends,
}

/// What a profile says before anybody overrides it.
#[derive(Debug, Clone, PartialEq)]
pub struct Defaults {
    /// An output within these is shown whole.
    pub limits: Limits,
    /// From so many characters on a reply is an artifact reference; `None`: never.
    pub artifact_threshold: Option<u64>,
    /// From so many bytes on an output is refused.
    pub max_artifact_bytes: u64,
}

const MIB: u64 = 1024 * 1024;

impl Profile {
    /// Every profile, in the order of the documentation.
    pub const ALL: [Profile; 5] =
        [Profile::Auto, Profile::Balanced, Profile::Paged, Profile::Handle, Profile::Bookends];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Auto => "auto",
            Profile::Balanced => "balanced",
            Profile::Paged => "paged",
            Profile::Handle => "handle",
            Profile::Bookends => "bookends",
        }
    }

    /// What it is for, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Profile::Auto => "cuts by what the output is; notices count within the limit (the default)",
            Profile::Balanced => "a fixed strategy for each tool; the limit counts kept text",
            Profile::Paged => "pages of 2000 lines or 30KB, whichever is reached first",
            Profile::Handle => "a handle for tool_output instead of a large output",
            Profile::Bookends => "the first and last 10000 characters of what is over 40000, and a file",
        }
    }

    /// What it says before anybody overrides it.
    pub fn defaults(self) -> Defaults {
        let defaults = |limits: Limits, artifact_threshold, max_artifact_bytes| Defaults {
            limits,
            artifact_threshold,
            max_artifact_bytes,
        };
        match self {
            Profile::Auto => defaults(Limit::chars(8000).into(), Some(50_000), 1024 * MIB),
            Profile::Balanced => defaults(Limit::chars(8000).into(), Some(50_000), 10 * MIB),
            Profile::Paged => {
                let lines = Limit::lines(2000);
                let limits = Limits::new([lines, Limit::bytes(30 * 1024)]).unwrap_or_else(|| lines.into());
                defaults(limits, None, 1024 * MIB)
            }
            Profile::Handle => defaults(Limit::bytes(12 * 1024).into(), None, 1024 * MIB),
            Profile::Bookends => defaults(Limit::chars(40_000).into(), None, 1024 * MIB),
        }
    }

    /// The strategy of a tool that has none of its own.
    pub fn strategy(self, tool: &str) -> Option<&'static str> {
        match self {
            Profile::Auto => Some("auto"),
            Profile::Balanced => fallback(tool),
            Profile::Paged => match tool {
                "read" | "read_file" | "grep" | "find" | "ls" | "search_files" | "list_directory" => Some("head"),
                _ => Some("tail"),
            },
            Profile::Handle | Profile::Bookends => Some("head_tail"),
        }
    }

    /// Whether notices and markers count within the limit.
    pub fn notices_count(self) -> bool {
        matches!(self, Profile::Auto | Profile::Handle)
    }
}

/// The strategy of a tool where the content does not say another.
pub fn fallback(tool: &str) -> Option<&'static str> {
    match tool {
        "read_file" | "read" => Some("head_tail"),
        "execute_command" | "bash" => Some("tail"),
        "list_directory" | "ls" | "search_files" | "grep" | "find" | "http_request" => Some("element"),
        "git_diff" => Some("head_tail"),
        _ => None,
    }
}

/// A profile that nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile `{0}`: expected one of {names}", names = Profile::ALL.map(Profile::name).join(", "))]
pub struct UnknownProfile(pub String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Profile, UnknownProfile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == name).ok_or_else(|| UnknownProfile(name.to_owned()))
    }
}
