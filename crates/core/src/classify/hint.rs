//! What the tool's name and arguments suggest.

use super::Hints;
use crate::kind::{Kind, Language};

/// A suggestion; content overrides it.
#[derive(Debug, Default)]
pub(super) struct Hint {
    /// The language of the file that was read.
    pub(super) language: Option<Language>,
    /// The kind of the file that was read.
    pub(super) file: Option<Kind>,
    /// The kind that the command usually prints.
    pub(super) command: Option<Kind>,
}

const EXTENSIONS: [(&str, Kind); 82] = [
    ("rs", Kind::Code(Language::Rust)),
    ("py", Kind::Code(Language::Python)),
    ("pyi", Kind::Code(Language::Python)),
    ("ts", Kind::Code(Language::TypeScript)),
    ("mts", Kind::Code(Language::TypeScript)),
    ("cts", Kind::Code(Language::TypeScript)),
    ("tsx", Kind::Code(Language::Tsx)),
    ("js", Kind::Code(Language::JavaScript)),
    ("mjs", Kind::Code(Language::JavaScript)),
    ("cjs", Kind::Code(Language::JavaScript)),
    ("jsx", Kind::Code(Language::JavaScript)),
    ("go", Kind::Code(Language::Go)),
    ("java", Kind::Code(Language::Java)),
    ("c", Kind::Code(Language::C)),
    ("h", Kind::Code(Language::C)),
    ("cc", Kind::Code(Language::Cpp)),
    ("cpp", Kind::Code(Language::Cpp)),
    ("cxx", Kind::Code(Language::Cpp)),
    ("hpp", Kind::Code(Language::Cpp)),
    ("hh", Kind::Code(Language::Cpp)),
    ("cs", Kind::Code(Language::CSharp)),
    ("rb", Kind::Code(Language::Ruby)),
    ("php", Kind::Code(Language::Php)),
    ("sh", Kind::Code(Language::Bash)),
    ("bash", Kind::Code(Language::Bash)),
    ("zsh", Kind::Code(Language::Bash)),
    ("kt", Kind::Code(Language::Other)),
    ("swift", Kind::Code(Language::Other)),
    ("scala", Kind::Code(Language::Other)),
    ("lua", Kind::Code(Language::Other)),
    ("pl", Kind::Code(Language::Other)),
    ("css", Kind::Code(Language::Other)),
    ("scss", Kind::Code(Language::Other)),
    ("sql", Kind::Code(Language::Other)),
    ("toml", Kind::Code(Language::Other)),
    ("lock", Kind::Code(Language::Other)),
    ("pm", Kind::Code(Language::Other)),
    ("ex", Kind::Code(Language::Other)),
    ("exs", Kind::Code(Language::Other)),
    ("erl", Kind::Code(Language::Other)),
    ("hs", Kind::Code(Language::Other)),
    ("ml", Kind::Code(Language::Other)),
    ("mli", Kind::Code(Language::Other)),
    ("fs", Kind::Code(Language::Other)),
    ("vb", Kind::Code(Language::Other)),
    ("mm", Kind::Code(Language::Other)),
    ("dart", Kind::Code(Language::Other)),
    ("jl", Kind::Code(Language::Other)),
    ("clj", Kind::Code(Language::Other)),
    ("el", Kind::Code(Language::Other)),
    ("scm", Kind::Code(Language::Other)),
    ("nim", Kind::Code(Language::Other)),
    ("zig", Kind::Code(Language::Other)),
    ("cr", Kind::Code(Language::Other)),
    ("groovy", Kind::Code(Language::Other)),
    ("gradle", Kind::Code(Language::Other)),
    ("f90", Kind::Code(Language::Other)),
    ("tcl", Kind::Code(Language::Other)),
    ("vim", Kind::Code(Language::Other)),
    ("proto", Kind::Code(Language::Other)),
    ("graphql", Kind::Code(Language::Other)),
    ("tf", Kind::Code(Language::Other)),
    ("cmake", Kind::Code(Language::Other)),
    ("less", Kind::Code(Language::Other)),
    ("vue", Kind::Code(Language::Other)),
    ("svelte", Kind::Code(Language::Other)),
    ("ini", Kind::Code(Language::Other)),
    ("cfg", Kind::Code(Language::Other)),
    ("conf", Kind::Code(Language::Other)),
    ("json", Kind::Json),
    ("jsonl", Kind::Ndjson),
    ("ndjson", Kind::Ndjson),
    ("xml", Kind::Xml),
    ("html", Kind::Html),
    ("htm", Kind::Html),
    ("yaml", Kind::Yaml),
    ("yml", Kind::Yaml),
    ("csv", Kind::Csv),
    ("tsv", Kind::Tsv),
    ("md", Kind::Markdown),
    ("markdown", Kind::Markdown),
    ("log", Kind::Log),
];

/// Whether files that end with `.ending` are known.
pub(super) fn is_extension(ending: &[u8]) -> bool {
    EXTENSIONS.iter().any(|(known, _)| known.as_bytes().eq_ignore_ascii_case(ending))
}

impl Hint {
    pub(super) fn of(hints: &Hints<'_>) -> Hint {
        let words: Vec<&str> =
            hints.arguments.split(|char: char| char.is_whitespace() || "\"'`,;|&<>(){}[]=".contains(char)).collect();
        let file = words.iter().rev().find_map(|word| {
            let (name, extension) = word.rsplit_once('.')?;
            let known = EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension))?;
            (!name.is_empty()).then_some(known.1)
        });
        // Only a tool that shows one file shows what the file is: `rustc x.rs` does not print Rust.
        let first = words.iter().find(|word| !word.is_empty()).copied().unwrap_or_default();
        let edits = first == "sed" && words.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place"));
        let reads = matches!(hints.tool, "read_file" | "read" | "cat" | "http_request" | "fetch" | "view")
            || matches!(first, "cat" | "head" | "tail" | "less" | "bat" | "sed" | "nl" | "curl") && !edits;
        let file = file.filter(|_| reads || !hints.arguments.trim().contains(char::is_whitespace));
        let language = match file {
            Some(Kind::Code(language)) => Some(language),
            _ => None,
        };
        Hint { language, file, command: command(hints.tool, printing(hints.arguments).unwrap_or(first), &words) }
    }
}

/// Programs that pass on some of what they read.
const FILTERS: [&str; 12] = ["head", "tail", "sort", "uniq", "tee", "cat", "less", "cut", "awk", "sed", "tr", "grep"];

/// The program in a line of shell commands with pipes whose output is shown: the last one that is no filter, or the
/// one that `xargs` calls.
fn printing(arguments: &str) -> Option<&str> {
    let mut parts = arguments.rsplit('|').peekable();
    while let Some(part) = parts.next() {
        let mut words = part.split_whitespace().filter(|word| !word.starts_with('-'));
        let name = words.next()?;
        let name = if name == "xargs" {
            words.find(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or(name)
        } else {
            name
        };
        if parts.peek().is_some() && !FILTERS.contains(&name) {
            return Some(name);
        }
    }
    None
}

/// The kind that a command usually prints.
fn command(tool: &str, first: &str, words: &[&str]) -> Option<Kind> {
    let has = |word: &str| words.contains(&word);
    match (tool, first) {
        ("git_diff", _) => Some(Kind::Diff),
        ("search_files" | "grep", _) | (_, "rg" | "grep" | "ag" | "ack") => Some(Kind::Search),
        ("list_directory" | "ls" | "find" | "glob", _) | (_, "ls" | "find" | "tree" | "fd" | "du") => {
            Some(Kind::Listing)
        }
        (_, "git") if has("diff") || has("show") => Some(Kind::Diff),
        (_, "git") if has("grep") => Some(Kind::Search),
        (_, "docker" | "kubectl" | "podman") if has("logs") => Some(Kind::Log),
        (_, "journalctl" | "dmesg") => Some(Kind::Log),
        (_, "pytest" | "jest" | "vitest" | "mocha" | "rspec" | "phpunit" | "ctest") => Some(Kind::Test),
        (_, "cargo" | "go" | "npm" | "dotnet" | "mvn" | "gradle" | "yarn" | "pnpm") if has("test") => Some(Kind::Test),
        (_, "make" | "cargo" | "gcc" | "g++" | "clang" | "cmake" | "ninja" | "tsc" | "eslint" | "npm" | "pip") => {
            Some(Kind::Build)
        }
        (_, "mvn" | "gradle" | "go" | "dotnet" | "yarn" | "pnpm" | "webpack" | "javac" | "rustc") => Some(Kind::Build),
        _ => None,
    }
}
