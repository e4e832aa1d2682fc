//! Conversations to replay: recorded ones, and generated ones with the shape that was published.

use std::fs;
use std::path::{Path, PathBuf};

use offcut_core::retention::Retention;
use offcut_core::text;
use offcut_retain::Conversation;
use offcut_retain::plan::Piece;
use serde_json::Value;

use crate::failure::Failure;

/// A conversation as the price model sees it.
#[derive(Debug, Clone)]
pub(crate) struct Talk {
    pub(crate) name: String,
    /// The parts of its last request, each with the request that first carried it. `tokens` counts a result as it is
    /// cut when it first comes by.
    pub(crate) pieces: Vec<Piece>,
    /// For each request, which turn was going on.
    pub(crate) turn_at: Vec<u64>,
    /// For each request, how many seconds passed since the one before.
    pub(crate) pauses: Vec<u64>,
}

/// How large a result may be before it is cut, in characters.
const LIMIT: u64 = 8000;

/// How large tool results of agents are: how many of 10,085 have 2ⁿ to 2ⁿ⁺¹ characters (482 SWE-agent trajectories).
const SIZES: [(u32, u64); 19] = [
    (0, 589),
    (1, 13),
    (2, 97),
    (3, 130),
    (4, 456),
    (5, 1129),
    (6, 2129),
    (7, 701),
    (8, 537),
    (9, 688),
    (10, 870),
    (11, 1387),
    (12, 1253),
    (13, 49),
    (14, 19),
    (15, 16),
    (16, 13),
    (18, 6),
    (19, 3),
];

/// How many turns generated conversations have.
const TURNS: [u64; 8] = [10, 25, 50, 90, 150, 200, 300, 400];

/// What is written around a result and a shortened one, in characters.
const NOTICE: u64 = 100;

impl Talk {
    fn new(name: String, instructions: u64) -> Talk {
        let words = Piece { raw: instructions, tokens: instructions, short: None, request: 0, turn: 0, result: false };
        Talk { name, pieces: vec![words], turn_at: vec![0], pauses: vec![0] }
    }

    /// The model said something of so many tokens, so that there is a next request.
    fn said(&mut self, tokens: u64, calls: bool, pause: u64) {
        let turn = self.turn() + u64::from(calls);
        self.turn_at.push(turn);
        self.pauses.push(pause);
        let request = self.request();
        self.pieces.push(Piece { raw: tokens, tokens, short: None, request, turn, result: false });
    }

    /// A tool returned so many characters, whose first lines have `head`.
    fn returned(&mut self, chars: u64, head: u64) {
        let (request, turn) = (self.request(), self.turn());
        let (raw, cut) = (tokens(chars + NOTICE), tokens(chars.min(LIMIT) + NOTICE));
        let short = Some(tokens(head + 2 * NOTICE)).filter(|short| *short < cut);
        self.pieces.push(Piece { raw, tokens: cut, short, request, turn, result: true });
    }

    fn request(&self) -> u64 {
        self.turn_at.len() as u64 - 1
    }

    fn turn(&self) -> u64 {
        self.turn_at.last().copied().unwrap_or_default()
    }

    /// Tokens of the last request as it would be without us.
    pub(crate) fn tokens(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.raw).sum()
    }
}

fn tokens(chars: u64) -> u64 {
    chars.div_ceil(4)
}

/// The conversations in these files and folders.
pub(crate) fn recorded(paths: &[PathBuf]) -> Result<Vec<Talk>, Failure> {
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
        talks.extend(files.iter().filter_map(|file| read(file).ok()));
    }
    Ok(talks)
}

fn read(path: &Path) -> Result<Talk, Failure> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let bytes =
        fs::read(path).map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", path.display())))?;
    if let Ok(conversation) = Conversation::read(&bytes, None) {
        return Ok(of_body(name, &conversation));
    }
    let json: Option<Value> = serde_json::from_slice(&bytes).ok();
    let history = json.as_ref().and_then(|json| json.get("history")).and_then(Value::as_array);
    let refused = || Failure::usage(format!("`{}` is no conversation of a known shape", path.display()));
    Ok(of_trajectory(name, history.ok_or_else(refused)?))
}

/// A request's body: each of its requests is one of the conversation's.
fn of_body(name: String, conversation: &Conversation<'_>) -> Talk {
    let mut talk = Talk::new(name, 0);
    (talk.pieces, talk.turn_at) = (Vec::new(), conversation.turn_at.clone());
    talk.pauses = vec![0; talk.turn_at.len()];
    for segment in &conversation.segments {
        let Some(result) = segment.result.and_then(|index| conversation.results.get(index)) else {
            let raw = tokens(segment.bytes);
            let request = segment.request;
            talk.pieces.push(Piece { raw, tokens: raw, short: None, request, turn: 0, result: false });
            continue;
        };
        let full = result.text().unwrap_or_default();
        let (raw, chars) = (tokens(segment.bytes), text::chars(&full));
        let cut = if chars > LIMIT { tokens(LIMIT + NOTICE) } else { raw };
        let head = Retention::default().head(&full).len() as u64;
        let short = Some(tokens(head + NOTICE)).filter(|short| *short < cut);
        talk.pieces.push(Piece { raw, tokens: cut, short, request: segment.request, turn: result.turn, result: true });
    }
    talk
}

/// A trajectory of SWE-agent: what follows a message of the model is what its command printed.
fn of_trajectory(name: String, history: &[Value]) -> Talk {
    let words = |message: &Value| message.get("content").map_or(0, length);
    let started = history.iter().position(|message| message["role"] == "assistant").unwrap_or(history.len());
    let instructions = history.iter().take(started).map(words).sum();
    let mut talk = Talk::new(name, tokens(instructions));
    for message in history.iter().skip(started) {
        if message["role"] == "assistant" {
            talk.said(tokens(words(message) + message.get("tool_calls").map_or(0, length)), true, 0);
        } else {
            let full = message["content"].as_str().unwrap_or_default();
            talk.returned(words(message), Retention::default().head(full).chars().count() as u64);
        }
    }
    talk
}

fn length(value: &Value) -> u64 {
    value.as_str().map_or_else(|| value.to_string().chars().count() as u64, text::chars)
}

/// Conversations of several lengths with results of the published sizes: of each pair one runs without a pause, in the
/// other somebody thinks now and then.
pub(crate) fn generated(seed: u64, of_each: u64) -> Vec<Talk> {
    let mut talks = Vec::new();
    for turns in TURNS {
        for number in 0..of_each {
            let mut random = Random(seed ^ (turns << 32) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let pauses = number % 2 == 1;
            let kind = if pauses { "pauses" } else { "runs" };
            let mut talk = Talk::new(format!("generated-{turns}-{kind}-{number}"), 3000 + random.below(6000));
            for _ in 0..turns {
                let pause = if pauses && random.below(100) < 4 { 400 + random.below(4000) } else { random.below(60) };
                talk.said(40 + random.below(220), true, pause);
                let chars = size(&mut random);
                talk.returned(chars, chars.min(60 + random.below(180)));
            }
            talks.push(talk);
        }
    }
    talks
}

fn size(random: &mut Random) -> u64 {
    let mut at = random.below(SIZES.iter().map(|(_, count)| count).sum());
    for (power, count) in SIZES {
        if at < count {
            return (1 << power) + random.below(1 << power);
        }
        at -= count;
    }
    0
}

/// A small generator of numbers that are the same everywhere (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }
}
