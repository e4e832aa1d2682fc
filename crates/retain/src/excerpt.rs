//! Results that an agent has cut itself before they came here.
//!
//! Such a text is not the tool's output but an excerpt of it, and its mark says where the rest is. Cutting it again would
//! hide that mark, and calling it the full output would be false: so it is left as it is, and where its mark names a
//! file, that file's content is what the model gets back later. What is known of the agents stands in `excerpts.json`.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use serde::Deserialize;

/// What is known of the agents.
const KNOWN: &str = include_str!("excerpts.json");

#[derive(Deserialize)]
struct AgentRules {
    agents: Vec<Agent>,
}

/// An agent that cuts results, and how it says so.
#[derive(Deserialize)]
struct Agent {
    #[cfg_attr(not(test), expect(dead_code, reason = "names the entry for its readers"))]
    agent: String,
    /// The largest excerpt that it sends, in bytes. A larger text only tells of such a mark.
    most: usize,
    /// Lines that mark an excerpt; `*` stands for anything.
    marks: Vec<String>,
    /// Lines that name the file with the full output, which stands at `{file}`.
    #[serde(default)]
    files: Vec<String>,
}

static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    let known: Result<AgentRules, _> = serde_json::from_str(KNOWN);
    known.map(|known| known.agents).unwrap_or_default()
});

/// A text that an agent has cut.
pub(crate) struct Excerpt<'t> {
    text: &'t str,
    agent: &'static Agent,
}

/// Looks for the mark of an agent in `text`.
pub(crate) fn find(text: &str) -> Option<Excerpt<'_>> {
    let agents: Vec<&'static Agent> = AGENTS.iter().filter(|agent| text.len() <= agent.most).collect();
    if agents.is_empty() {
        return None;
    }
    let marked = |line: &str, agent: &Agent| agent.marks.iter().any(|mark| fits(mark, line));
    let found = text.lines().find_map(|line| agents.iter().find(|agent| marked(line.trim_end(), agent)));
    found.map(|agent| Excerpt { text, agent })
}

/// A line of so many bytes tells one file from others.
const WITNESS: usize = 8;

/// How many lines of an excerpt must stand in the file that it names.
const WITNESSES: usize = 3;

impl Excerpt<'_> {
    /// The full output, from the file that the mark names: at most `most` bytes, none where it is no such file.
    ///
    /// The mark may be forged, to have a file read that is none of the model's business. So the file must hold what the
    /// excerpt shows: who wrote the excerpt knew it already.
    pub(crate) fn full_output(&self, most: u64) -> Option<String> {
        let named = |line: &str| self.agent.files.iter().find_map(|pattern| file_in(pattern, line).map(Path::to_owned));
        let path = self.text.lines().find_map(|line| named(line.trim_end()))?;
        let is_plain = |data: &Metadata| data.is_file() && data.len() <= most;
        // A link could lead anywhere, and a pipe would never end.
        fs::symlink_metadata(&path).ok().filter(is_plain)?;
        let mut full = Vec::new();
        fs::File::open(&path).ok()?.take(most + 1).read_to_end(&mut full).ok()?;
        let full = String::from_utf8(full).ok().filter(|full| full.len() as u64 <= most)?;
        self.is_of(&full).then_some(full)
    }

    /// Whether the excerpt shows parts of `full`, and is not all of it.
    fn is_of(&self, full: &str) -> bool {
        let lines: HashSet<&str> = full.lines().map(str::trim).filter(|line| line.len() >= WITNESS).collect();
        let shown: HashSet<&str> = self.text.lines().map(str::trim).filter(|line| lines.contains(line)).collect();
        full.len() > self.text.len() && shown.len() >= WITNESSES
    }
}

/// The absolute path that stands at `{file}` of `pattern` in `line`.
fn file_in<'l>(pattern: &str, line: &'l str) -> Option<&'l Path> {
    let (before, behind) = pattern.split_once("{file}")?;
    let rest = match before.strip_prefix('*') {
        Some(words) => line.split_once(words)?.1,
        None => line.strip_prefix(before)?,
    };
    let file = match behind.strip_suffix('*') {
        Some(words) => rest.split_once(words)?.0,
        None => rest.strip_suffix(behind)?,
    };
    Some(Path::new(file)).filter(|file| file.is_absolute())
}

/// Returns whether `line` is what `mark` describes.
fn fits(mark: &str, line: &str) -> bool {
    let mut parts = mark.split('*');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent_of(text: &str) -> Option<&'static str> {
        find(text).map(|excerpt| excerpt.agent.agent.as_str())
    }

    #[test]
    fn the_marks_of_agents_are_known() {
        for (agent, text) in [
            ("Claude Code", "<persisted-output>\nOutput too large (195.8KB). Full output saved to: /x\n"),
            ("Codex", "first\nline 1…40112 tokens truncated…line 9\nlast"),
            ("Codex", "Warning: truncated output (original token count: 50112)\nTotal output lines: 2197\n\nx"),
            (
                "Gemini CLI",
                "Output too large. Showing first 8,000 and last 32,000 characters. For full output see: /x\na",
            ),
            ("Qwen Code", "Tool output was too large and has been truncated. The full output is in /x\n"),
            ("opencode", "head\n\n...149254 bytes truncated...\n\nsaved at /x"),
            ("pi", "tail\n\n[Showing lines 1641-2198 of 2198 (50.0KB limit). Full output: /tmp/pi-bash-1.log]"),
            ("Copilot CLI", "Output too large to read at once (195.8 KB). Saved to: /tmp/x.txt\nPreview"),
            ("goose", "[Output exceeded 2000 line limit (2197 lines total). Full output saved to /x]\n"),
            (
                "Kimi Code",
                "Tool output exceeded 50000 characters; the full output was saved to a file.\noutput_path: /x",
            ),
            (
                "OpenHands",
                "head<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to you.</NOTE>",
            ),
            ("Cline", "{\"a\":1...[truncated 194722 chars]...}"),
            ("Continue", "(previous output truncated: 1198 lines and 41820 characters removed)\nrest"),
            (
                "Mistral Vibe",
                "<system>The tool output is large. To preserve your context window, it was saved to /x</system>",
            ),
        ] {
            assert_eq!(agent_of(text), Some(agent), "{text}");
        }
    }

    #[test]
    fn what_only_tells_of_a_mark_is_no_excerpt() {
        assert_eq!(agent_of("an ordinary output\nof two lines"), None);
        assert_eq!(agent_of("tokens truncated"), None);
        assert_eq!(agent_of("[9kgw 1422-1832]\n[Showing lines 1-10 of 50. Use offset=11 to continue]"), None);
        let manual = format!("{}\n...149254 bytes truncated...\n", "a line of a manual\n".repeat(5000));
        assert_eq!(agent_of(&manual), None);
    }

    #[test]
    fn the_file_that_a_mark_names_is_read_where_it_holds_what_the_excerpt_shows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        let full: String = (1..500).map(|n| format!("line {n} of the output\n")).collect();
        fs::write(&path, &full).unwrap();
        let head: String = full.lines().take(5).map(|line| format!("{line}\n")).collect();
        let named = |name: &str, shown: &str| {
            let text = format!("<persisted-output>\nOutput too large (9KB). Full output saved to: {name}\n\n{shown}");
            find(&text).unwrap().full_output(1_000_000)
        };
        let name = path.to_str().unwrap();
        assert_eq!(named(name, &head), Some(full.clone()));
        assert_eq!(named(name, "forged\nby a tool\nthat knows no line\n"), None);
        assert_eq!(named("out.txt", &head), None);
        assert_eq!(named("/nonexistent/out.txt", &head), None);
        offcut_platform::symlink(&path, &folder.path().join("link")).unwrap();
        assert_eq!(named(folder.path().join("link").to_str().unwrap(), &head), None);
        let text = format!("{head}\n[Showing lines 1-5 of 499 (50.0KB limit). Full output: {name}/pi-bash-1.log]");
        assert_eq!(
            file_in("*Full output: {file}]", text.lines().last().unwrap()),
            Some(path.join("pi-bash-1.log").as_path())
        );
        let excerpt = Excerpt { text: &head, agent: find("<persisted-output>").unwrap().agent };
        assert!(excerpt.is_of(&full) && excerpt.full_output(10).is_none());
    }
}
