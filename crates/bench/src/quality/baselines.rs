//! The cuts of today's agents, each written from its published rule.

use offcut_core::text;

/// A cut that knows nothing but sizes.
pub(crate) struct Baseline {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    cut: fn(&str, &str, u64) -> String,
}

impl Baseline {
    /// What the model would see of `output`, printed by `tool`, where `limit` characters are ours.
    pub(crate) fn cut(&self, output: &str, tool: &str, limit: u64) -> String {
        (self.cut)(output, tool, limit)
    }
}

/// All of them.
pub(crate) const ALL: [Baseline; 9] = [
    Baseline {
        name: "head",
        about: "the first characters, as many as ours",
        cut: |output, _, limit| text::first_chars(output, limit).to_owned(),
    },
    Baseline {
        name: "tail",
        about: "the last characters, as many as ours",
        cut: |output, _, limit| text::last_chars(output, limit).to_owned(),
    },
    Baseline {
        name: "head+tail",
        about: "60 : 40, as many characters as ours",
        cut: |output, _, limit| ends(output, limit, limit * 6 / 10, limit - limit * 6 / 10),
    },
    Baseline {
        name: "claude-code",
        about: "over 50,000 characters the first 2,000",
        cut: |output, _, _| {
            if text::chars(output) <= 50_000 { output.to_owned() } else { text::first_chars(output, 2000).to_owned() }
        },
    },
    Baseline {
        name: "codex",
        about: "10,000 tokens of 4 bytes, the middle cut",
        cut: |output, _, _| byte_ends(output, 40_000),
    },
    Baseline {
        name: "opencode",
        about: "2,000 lines or 50 KB from the beginning",
        cut: |output, _, _| lines(output, 2000, 50 * 1024, false),
    },
    Baseline {
        name: "gemini-cli",
        about: "40,000 characters, 20 : 80",
        cut: |output, _, _| ends(output, 40_000, 8000, 32_000),
    },
    Baseline {
        name: "pi",
        about: "2,000 lines or 50 KB; of commands the end",
        cut: |output, tool, _| lines(output, 2000, 50 * 1024, tool == "execute_command"),
    },
    Baseline {
        name: "klaude",
        about: "over 40,000 characters the first and last 10,000",
        cut: |output, _, _| ends(output, 40_000, 10_000, 10_000),
    },
];

/// The first `head` and the last `tail` characters of what is over `limit`.
fn ends(output: &str, limit: u64, head: u64, tail: u64) -> String {
    let chars = text::chars(output);
    if chars <= limit {
        return output.to_owned();
    }
    let hidden = chars - head - tail;
    format!(
        "{}\n... [{hidden} characters truncated] ...\n{}",
        text::first_chars(output, head),
        text::last_chars(output, tail)
    )
}

fn byte_ends(output: &str, bytes: usize) -> String {
    if output.len() <= bytes {
        return output.to_owned();
    }
    let head = text::slice(output, 0..bytes / 2);
    let tail = text::slice(output, output.len() - bytes / 2..output.len());
    format!("{head}…{} tokens truncated…{tail}", (output.len() - bytes) / 4)
}

/// Whole lines from one end while they fit.
fn lines(output: &str, most: usize, bytes: usize, from_end: bool) -> String {
    let mut all: Vec<&str> = output.split('\n').collect();
    if all.len() <= most && output.len() <= bytes {
        return output.to_owned();
    }
    if from_end {
        all.reverse();
    }
    let mut size = 0;
    let mut kept: Vec<&str> = Vec::new();
    for line in all.iter().take(most) {
        size += line.len() + usize::from(!kept.is_empty());
        if size > bytes {
            break;
        }
        kept.push(line);
    }
    if from_end {
        kept.reverse();
        if let (true, Some(last)) = (kept.is_empty(), all.first()) {
            return text::slice(last, last.len().saturating_sub(bytes)..last.len()).to_owned();
        }
    }
    kept.join("\n")
}
