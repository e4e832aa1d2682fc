//! What an output looks like.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The kinds of content that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Prose, or anything that has no other name.
    Text,
    /// A log: lines with times and levels.
    Log,
    /// The output of a test runner.
    Test,
    /// The output of a compiler, a build tool, a package manager or a CI job.
    Build,
    /// A stack trace.
    Trace,
    /// A unified diff or patch.
    Diff,
    /// Source code.
    Code(Language),
    /// One JSON document.
    Json,
    /// One JSON document a line.
    Ndjson,
    /// XML.
    Xml,
    /// HTML.
    Html,
    /// YAML.
    Yaml,
    /// Comma-separated values.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// Markdown.
    Markdown,
    /// Search results: `path:line:text` and the like.
    Search,
    /// A directory listing or a list of paths.
    Listing,
    /// What git prints beside diffs: histories, states, who wrote a line.
    Git,
    /// A table in columns, as `ps`, `kubectl get` and `psql` print it.
    Table,
    /// Not text.
    Binary,
}

/// The programming languages whose structure is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Rust.
    Rust,
    /// Python.
    Python,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript, JSX included.
    JavaScript,
    /// Go.
    Go,
    /// Java.
    Java,
    /// C.
    C,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Bash and other shells.
    Bash,
    /// Code in a language without a grammar here.
    Other,
}

const LANGUAGES: [(Language, &str); 14] = [
    (Language::Rust, "rust"),
    (Language::Python, "python"),
    (Language::TypeScript, "typescript"),
    (Language::Tsx, "tsx"),
    (Language::JavaScript, "javascript"),
    (Language::Go, "go"),
    (Language::Java, "java"),
    (Language::C, "c"),
    (Language::Cpp, "cpp"),
    (Language::CSharp, "csharp"),
    (Language::Ruby, "ruby"),
    (Language::Php, "php"),
    (Language::Bash, "bash"),
    (Language::Other, "other"),
];

/// Each kind but code, with its name and its media type.
const KINDS: [(Kind, &str, &str); 19] = [
    (Kind::Text, "text", "text/plain"),
    (Kind::Log, "log", "text/x-log"),
    (Kind::Test, "test", "text/x-test-output"),
    (Kind::Build, "build", "text/x-build-output"),
    (Kind::Trace, "trace", "text/x-stack-trace"),
    (Kind::Diff, "diff", "text/x-diff"),
    (Kind::Json, "json", "application/json"),
    (Kind::Ndjson, "ndjson", "application/x-ndjson"),
    (Kind::Xml, "xml", "application/xml"),
    (Kind::Html, "html", "text/html"),
    (Kind::Yaml, "yaml", "application/yaml"),
    (Kind::Csv, "csv", "text/csv"),
    (Kind::Tsv, "tsv", "text/tab-separated-values"),
    (Kind::Markdown, "markdown", "text/markdown"),
    (Kind::Search, "search", "text/x-search-results"),
    (Kind::Listing, "listing", "text/x-listing"),
    (Kind::Git, "git", "text/x-git"),
    (Kind::Table, "table", "text/x-table"),
    (Kind::Binary, "binary", "application/octet-stream"),
];

impl Language {
    /// The language's name as configuration and reports write it.
    pub fn name(self) -> &'static str {
        LANGUAGES.iter().find(|(language, _)| *language == self).map_or("other", |(_, name)| name)
    }
}

impl Kind {
    /// Whether it is structured data: a cut of it parses, and its gaps are the data's own.
    pub fn is_data(self) -> bool {
        matches!(self, Kind::Json | Kind::Ndjson | Kind::Xml | Kind::Html | Kind::Yaml | Kind::Csv | Kind::Tsv)
    }

    /// The media type that artifacts of this kind are stored under.
    pub fn media_type(self) -> Cow<'static, str> {
        match self {
            Kind::Code(language) => Cow::Owned(format!("text/x-{}", language.name())),
            other => Cow::Borrowed(
                KINDS.iter().find(|(kind, _, _)| *kind == other).map_or("text/plain", |(_, _, media)| media),
            ),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Code(language) => write!(f, "code/{}", language.name()),
            other => f.write_str(KINDS.iter().find(|(kind, _, _)| kind == other).map_or("text", |(_, name, _)| name)),
        }
    }
}

/// A kind that nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind `{0}`: expected one of {names}, or code/LANGUAGE", names = names())]
pub struct UnknownKind(pub String);

/// The names of all kinds but those of code.
fn names() -> String {
    KINDS.map(|(_, name, _)| name).join(", ")
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Kind, UnknownKind> {
        if let Some(wanted) = name.strip_prefix("code/") {
            let found = LANGUAGES.iter().find(|(_, name)| *name == wanted);
            return found.map(|(language, _)| Kind::Code(*language)).ok_or_else(|| UnknownKind(name.into()));
        }
        if name == "code" {
            return Ok(Kind::Code(Language::Other));
        }
        let found = KINDS.iter().find(|(_, known, media)| *known == name || *media == name);
        found.map(|(kind, _, _)| *kind).ok_or_else(|| UnknownKind(name.into()))
    }
}

/// A kind, how sure we are of it, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    /// What it looks like.
    pub kind: Kind,
    /// From 0 (a guess) to 1 (certain).
    pub confidence: f32,
    /// What gave it away, in a few words.
    pub reason: Cow<'static, str>,
}

impl Classification {
    /// A classification.
    pub fn new(kind: Kind, confidence: f32, reason: impl Into<Cow<'static, str>>) -> Classification {
        Classification { kind, confidence, reason: reason.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_own_name() {
        for (kind, name, media) in KINDS {
            assert_eq!(name.parse(), Ok(kind));
            assert_eq!(media.parse(), Ok(kind));
            assert_eq!(kind.to_string(), name);
        }
        for (language, name) in LANGUAGES {
            let kind = Kind::Code(language);
            assert_eq!(kind.to_string(), format!("code/{name}"));
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert_eq!("jsn".parse::<Kind>(), Err(UnknownKind("jsn".into())));
    }
}
