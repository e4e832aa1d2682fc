//! Conversations to replay: recorded ones, and generated ones with the sizes that were published.

use std::fs;
use std::path::{Path, PathBuf};

use offcut_retain::Conversation;
use serde_json::Value;

use super::texts::{Random, printed, result_size, said};
use crate::failure::Failure;

/// A conversation: what was said and returned, and when.
#[derive(Debug, Clone)]
pub(super) struct Talk {
    pub(super) name: String,
    pub(super) length: Length,
    pub(super) instructions: String,
    pub(super) task: String,
    pub(super) turns: Vec<Turn>,
}

/// How long a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Length {
    /// 5 to 29 turns.
    Short,
    /// 30 to 120 turns.
    Long,
    /// As it was recorded.
    Recorded,
}

/// An answer of the model, and what its calls returned.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    pub(super) answer: String,
    pub(super) results: Vec<String>,
    /// Seconds between the request before and the one that carries the results.
    pub(super) pace_s: u64,
    /// The same where somebody comes back later.
    pub(super) paused_s: u64,
}

impl Talk {
    /// When each request is sent, in seconds: without pauses as an agent runs, with them as people come back.
    pub(super) fn times(&self, pauses: bool) -> Vec<u64> {
        let mut at = 0;
        let later = self.turns.iter().map(|turn| {
            at += if pauses { turn.paused_s } else { turn.pace_s };
            at
        });
        [0].into_iter().chain(later).collect()
    }
}

/// Conversations of both lengths, the same for the same seed.
pub(super) fn generated(seed: u64, of_each: u64) -> Vec<Talk> {
    let lengths = [(Length::Short, 5, 25), (Length::Long, 30, 91)];
    let all = lengths.into_iter().flat_map(|(length, least, span)| {
        (0..of_each).map(move |number| {
            let mut random = Random(seed ^ (least << 32) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let turns = least + random.below(span);
            generate(format!("generated-{turns}-{number}"), length, turns, &mut random)
        })
    });
    all.collect()
}

fn generate(name: String, length: Length, turns: u64, random: &mut Random) -> Talk {
    let words = 12_000 + random.below(24_000) as usize;
    let (instructions, task) = (said(random, words), said(random, 600));
    let mut turn = || {
        let pace_s = 2 + random.below(58);
        let paused_s = if random.below(100) < 4 { 400 + random.below(4000) } else { pace_s };
        let words = 160 + random.below(880) as usize;
        let answer = said(random, words);
        let size = result_size(random);
        Turn { answer, results: vec![printed(random, size)], pace_s, paused_s }
    };
    let turns = (0..turns).map(|_| turn()).collect();
    Talk { name, length, instructions, task, turns }
}

/// The conversations in these files and folders.
pub(super) fn recorded(paths: &[PathBuf]) -> Result<Vec<Talk>, Failure> {
    let mut talks = Vec::new();
    for path in paths {
        if !path.is_dir() {
            talks.push(read(path)?);
            continue;
        }
        let mut files = Vec::new();
        for folder in [path.clone(), path.join("trajectory")] {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
            files.extend(
                entries.filter(|file| file.extension().is_some_and(|ending| ending == "json" || ending == "traj")),
            );
        }
        files.sort();
        // A folder may hold other JSON too.
        let found = talks.len();
        talks.extend(files.iter().filter_map(|file| read(file).ok()));
        if talks.len() == found {
            return Err(Failure::usage(format!("`{}` holds no conversation of a known shape", path.display())));
        }
    }
    Ok(talks)
}

fn read(path: &Path) -> Result<Talk, Failure> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let bytes =
        fs::read(path).map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", path.display())))?;
    let json: Option<Value> = serde_json::from_slice(&bytes).ok();
    if let Some(history) = json.as_ref().and_then(|json| json.get("history")).and_then(Value::as_array) {
        return Ok(of_trajectory(name, history));
    }
    match Conversation::read(&bytes, None) {
        Ok(conversation) if !conversation.results.is_empty() => Ok(of_body(name, &conversation)),
        _ => Err(Failure::usage(format!("`{}` is not a conversation of a known shape", path.display()))),
    }
}

fn empty(name: String) -> Talk {
    let (instructions, task) = (String::new(), String::new());
    Talk { name, length: Length::Recorded, instructions, task, turns: Vec::new() }
}

/// A turn as a recording has it, which does not say when.
fn recorded_turn() -> Turn {
    Turn { pace_s: 20, paused_s: 20, ..Turn::default() }
}

/// A request's body: each of its requests is one of the conversation's.
fn of_body(name: String, conversation: &Conversation<'_>) -> Talk {
    let mut talk = empty(name);
    for segment in &conversation.segments {
        let request = usize::try_from(segment.request).unwrap_or_default();
        while talk.turns.len() < request {
            talk.turns.push(recorded_turn());
        }
        let end = segment.start + usize::try_from(segment.bytes).unwrap_or_default();
        let words = conversation.body.get(segment.start..end).unwrap_or_default();
        let written = request.checked_sub(1).and_then(|turn| talk.turns.get_mut(turn));
        match (segment.result.and_then(|index| conversation.results.get(index)), written) {
            (Some(result), Some(turn)) => turn.results.extend(result.text().map(|text| text.into_owned())),
            // The text itself does not matter, its size does.
            (None, Some(turn)) => turn.answer.push_str(words),
            (_, None) => talk.instructions.push_str(words),
        }
    }
    talk
}

/// A trajectory of SWE-agent: what follows a message of the model is what its command printed.
fn of_trajectory(name: String, history: &[Value]) -> Talk {
    let mut talk = empty(name);
    for message in history {
        let content = &message["content"];
        let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
        match talk.turns.last_mut() {
            _ if message["role"] == "assistant" => {
                let calls = message.get("tool_calls").map(Value::to_string).unwrap_or_default();
                talk.turns.push(Turn { answer: text + &calls, ..recorded_turn() });
            }
            Some(turn) => turn.results.push(text),
            None => talk.instructions.push_str(&text),
        }
    }
    talk
}
