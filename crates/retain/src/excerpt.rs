//! Results that an agent has cut itself before they came here.
//!
//! Such a text is not the tool's output but an excerpt of it, and its mark says where the rest is. Cutting it again would
//! hide that mark, and calling it the full output would be false: so it is left as it is. What is known of the agents
//! stands in `excerpts.json`.

use std::sync::LazyLock;

use serde::Deserialize;

/// What is known of the agents.
const KNOWN: &str = include_str!("excerpts.json");

#[derive(Debug, Deserialize)]
struct Known {
    agents: Vec<Agent>,
}

/// An agent that cuts results, and how it says so.
#[derive(Debug, Deserialize)]
struct Agent {
    agent: String,
    /// The largest excerpt that it sends, in bytes. A larger text only tells of such a mark.
    most: usize,
    /// Lines that mark an excerpt; `*` stands for anything.
    marks: Vec<String>,
}

static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    let known: Result<Known, _> = serde_json::from_str(KNOWN);
    known.map(|known| known.agents).unwrap_or_default()
});

/// The agent whose excerpt `text` is, if it has the mark of one.
pub(crate) fn agent_of(text: &str) -> Option<&'static str> {
    let agents: Vec<&'static Agent> = AGENTS.iter().filter(|agent| text.len() <= agent.most).collect();
    if agents.is_empty() {
        return None;
    }
    let marked = |line: &str, agent: &Agent| agent.marks.iter().any(|mark| fits(mark, line));
    let found = text.lines().find_map(|line| agents.iter().find(|agent| marked(line.trim_end(), agent)));
    found.map(|agent| agent.agent.as_str())
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
}
