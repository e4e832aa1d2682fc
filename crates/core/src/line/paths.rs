//! What paths tell: which files people write, and which tools or others wrote.

/// Files that tools write.
const GENERATED: [&str; 12] = [
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "cargo.lock",
    "poetry.lock",
    "gemfile.lock",
    "composer.lock",
    "go.sum",
    "uv.lock",
    ".min.js",
    ".min.css",
    ".map",
];

/// Folders that hold what others wrote, or what tools made.
const FOREIGN: [&str; 11] = [
    "vendor",
    "node_modules",
    "dist",
    "build",
    "third_party",
    "__snapshots__",
    "generated",
    ".git",
    "target",
    "deps",
    "__pycache__",
];

/// Endings of files that people write code in.
const SOURCE: [&str; 29] = [
    "rs", "py", "js", "jsx", "ts", "tsx", "go", "java", "kt", "c", "h", "cc", "cpp", "hpp", "cs", "rb", "php", "sh",
    "swift", "scala", "lua", "ex", "exs", "hs", "ml", "vue", "sql", "m", "zig",
];

/// Endings of files that say how programs run.
const SETTINGS: [&str; 14] = [
    "yaml",
    "yml",
    "toml",
    "ini",
    "conf",
    "cfg",
    "env",
    "properties",
    "tf",
    "tfvars",
    "hcl",
    "json",
    "service",
    "proto",
];

/// How much a change to a file matters, from a lock file's 0.2 to a source file's 1.
pub(crate) fn weight(path: &str) -> f32 {
    let lower = path.to_ascii_lowercase();
    if GENERATED.iter().any(|end| lower.ends_with(end)) || foreign(folder_of(&lower)) {
        return 0.2;
    }
    let ending = lower.rsplit('.').next().unwrap_or("");
    let name = lower.rsplit('/').next().unwrap_or("");
    let tests =
        lower.contains("test") || lower.contains("spec") || lower.contains("bench") || lower.contains("example");
    match (SOURCE.contains(&ending), tests) {
        (true, false) => 1.0,
        (true, true) => 0.6,
        (false, false) if SETTINGS.contains(&ending) => 0.8,
        (false, _) if telling(name) > 1.0 => 0.6,
        (false, _) => 0.45,
    }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a folder holds what others wrote, or what tools made.
pub(crate) fn foreign(folder: &str) -> bool {
    folder.split('/').any(|part| FOREIGN.contains(&part.trim()))
}

/// Files that say what a project is and how it is built.
const MANIFESTS: [&str; 14] = [
    "package.json",
    "cargo.toml",
    "pyproject.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "cmakelists.txt",
    "setup.py",
    "gemfile",
    "composer.json",
    "dockerfile",
    "makefile",
    "docker-compose.yml",
];

/// Beginnings of files that one looks at first.
const STARTS: [&str; 9] = ["readme", "changelog", "main", "index", "lib", "mod", "__init__", "app", "tsconfig"];

/// How much a file's name says about its folder: 1 for any name, more for a manifest or an entry point.
pub(crate) fn telling(name: &str) -> f32 {
    let lower = name.to_ascii_lowercase();
    let stem = lower.split('.').next().unwrap_or("");
    match () {
        () if MANIFESTS.contains(&lower.as_str()) || lower.ends_with(".csproj") || lower.ends_with(".sln") => 3.0,
        () if STARTS.contains(&stem) || lower.ends_with(".conf") || lower.ends_with(".toml") => 2.0,
        () => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_weigh_less_than_sources() {
        assert!(weight("Cargo.lock") < weight("README.md"));
        assert!(weight("README.md") < weight("src/lib.rs"));
        assert!(weight("tests/a.rs") < weight("src/lib.rs"));
        assert!(weight("node_modules/x/index.js") < weight("docs/a.rst"));
    }
}
