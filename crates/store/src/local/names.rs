//! What the files in a session's folder are called, and what a name says about a file.

use crate::id::ArtifactId;

/// What one of our names stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// The metadata of an artifact: its presence is what makes the artifact visible.
    Metadata(ArtifactId),
    /// Content under its artifact's id.
    Content(ArtifactId),
    /// Content on its way.
    ContentStaging(ArtifactId),
    /// Says that content on its way is worth keeping if its writer dies, and where it comes from.
    Progress(ArtifactId),
    /// Metadata on its way.
    MetadataStaging(ArtifactId),
    /// What a reader of an artifact put aside.
    Aside(ArtifactId),
    /// The same on its way.
    AsideStaging,
    /// Content under a name of its own, or something that is not ours.
    Other,
}

/// The file whose lock says that a process uses the session.
pub(super) const OWNER: &str = ".owner";

/// What the session has kept and evicted.
pub(super) const LEDGER: &str = ".ledger";

const CONTENT_ENDS: [&str; 3] = [".txt", ".bin", ".zst"];

pub(super) fn metadata(id: &ArtifactId) -> String {
    format!("{id}.meta")
}

pub(super) fn content(id: &ArtifactId, binary: bool, compressed: bool) -> String {
    let end = match (compressed, binary) {
        (true, _) => "zst",
        (false, true) => "bin",
        (false, false) => "txt",
    };
    format!("{id}.{end}")
}

/// Every name that the content of `id` may have under its id.
pub(super) fn contents(id: &ArtifactId) -> impl Iterator<Item = String> {
    CONTENT_ENDS.iter().map(move |end| format!("{id}{end}"))
}

pub(super) fn content_staging(id: &ArtifactId) -> String {
    format!(".{id}.part")
}

pub(super) fn progress(id: &ArtifactId) -> String {
    format!(".{id}.progress")
}

pub(super) fn metadata_staging(id: &ArtifactId) -> String {
    format!(".{id}.meta.part")
}

pub(super) fn aside(id: &ArtifactId) -> String {
    format!("{id}.aside")
}

pub(super) fn aside_staging(id: &ArtifactId) -> String {
    format!(".{id}.aside.part")
}

/// The `attempt`-th name to try for a content file that wants its own: `a.txt`, `a-2.txt`, `a-3.txt`, …
pub(super) fn numbered(name: &str, attempt: u32) -> String {
    match (attempt, name.rsplit_once('.')) {
        (0 | 1, _) => name.to_owned(),
        (_, Some((stem, end))) if !stem.is_empty() => format!("{stem}-{attempt}.{end}"),
        _ => format!("{name}-{attempt}"),
    }
}

/// Whether a name in a record is one that a content file may have: a single component, neither hidden nor metadata.
pub(super) fn is_content_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let reserved = name.starts_with('.') || name.ends_with(".meta") || name.ends_with(".aside");
    !name.is_empty() && !reserved && name.bytes().all(allowed)
}

/// What the file of this name is.
pub(super) fn classify(name: &str) -> Named {
    if let Some(hidden) = name.strip_prefix('.') {
        let metadata = hidden.strip_suffix(".meta.part").and_then(|id| id.parse().ok()).map(Named::MetadataStaging);
        let aside = hidden.strip_suffix(".aside.part").and_then(|id| id.parse::<ArtifactId>().ok());
        if aside.is_some() {
            return Named::AsideStaging;
        }
        let content = || hidden.strip_suffix(".part").and_then(|id| id.parse().ok()).map(Named::ContentStaging);
        let progress = || hidden.strip_suffix(".progress").and_then(|id| id.parse().ok()).map(Named::Progress);
        return metadata.or_else(content).or_else(progress).unwrap_or(Named::Other);
    }
    let id_before = |end: &str| name.strip_suffix(end).and_then(|id| id.parse::<ArtifactId>().ok());
    let content = || CONTENT_ENDS.iter().find_map(|end| id_before(end)).map(Named::Content);
    let aside = || id_before(".aside").map(Named::Aside);
    id_before(".meta").map(Named::Metadata).or_else(content).or_else(aside).unwrap_or(Named::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_is_given_is_recognised() {
        let id: ArtifactId = "art_1_a".parse().unwrap();
        assert_eq!(classify(&metadata(&id)), Named::Metadata(id.clone()));
        assert_eq!(classify(&metadata_staging(&id)), Named::MetadataStaging(id.clone()));
        assert_eq!(classify(&content_staging(&id)), Named::ContentStaging(id.clone()));
        assert_eq!(classify(&progress(&id)), Named::Progress(id.clone()));
        assert_eq!(classify(&aside(&id)), Named::Aside(id.clone()));
        assert_eq!(classify(&aside_staging(&id)), Named::AsideStaging);
        for (binary, compressed) in [(false, false), (true, false), (false, true), (true, true)] {
            assert_eq!(classify(&content(&id, binary, compressed)), Named::Content(id.clone()));
        }
        for other in [
            OWNER,
            "",
            ".",
            "bash-call_1-2024.txt",
            "art_1_a",
            "art_1_.txt",
            ".art_1_a",
            "art_1_a.meta.part",
            ".x.part",
        ] {
            assert_eq!(classify(other), Named::Other, "{other}");
        }
    }

    #[test]
    fn a_taken_name_is_numbered_before_its_end() {
        assert_eq!(numbered("a.txt", 1), "a.txt");
        assert_eq!(numbered("a.b.txt", 2), "a.b-2.txt");
        assert_eq!(numbered("a", 3), "a-3");
    }

    #[test]
    fn a_content_name_cannot_lead_elsewhere() {
        assert!(is_content_name("art_1_a.txt") && is_content_name("bash-1.txt"));
        for name in ["", ".", "..", "../x", "/etc/passwd", "a/b", ".hidden", "art_1_a.meta", "a\0b"] {
            assert!(!is_content_name(name), "{name:?}");
        }
    }
}
