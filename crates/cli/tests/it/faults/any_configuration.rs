//! Whatever the configuration and the environment are: a pipe gets a valid reply, a command runs, and secrets go
//! unless the user switched that off.
//!
//! `PROCESS_CASES` sets how many random ones are tried; each takes three processes.

use std::process::Command;

use serde_json::Value;

use crate::workbench::{Bench, exists, lines};

/// How many are tried where nobody says.
const CASES: u64 = 24;

/// The user's own file, and whether redaction is on by it.
const USER_FILES: [(&[u8], bool); 7] = [
    (b"", true),
    (b"inline_limit = 900\n", true),
    (b"[redaction]\nmode = \"off\"\n", false),
    (b"[redaction]\nmode = \"OFF\"\n", true),
    (b"redaction = \"off\"\n", true),
    (b"[redaction]\nmode = \"off\"\nmode = \"off\"\n", true),
    (b"\xff\xfe[redaction]\nmode = \"off\"\n", true),
];

/// Lines of a project's file, right and wrong.
const LINES: [&str; 24] = [
    "inline_limit = 700",
    "inline_limit = 0",
    "inline_limit = \"2,000 tokens\"",
    "inline_limit = [1]",
    "inline_limt = 700",
    "artifact_threshold = 500",
    "artifact_threshold = -1",
    "max_artifact_size = \"1 line\"",
    "max_artifact_size = \"64KB\"",
    "profile = \"paged\"",
    "profile = \"nosuch\"",
    "strategy = \"nosuch\"",
    "default_strategy = \"tail\"",
    "tokenizer = \"abacus\"",
    "head_ratio = nan",
    "retrieval_limit = 1",
    "redaction.mode = \"off\"",
    "redaction.allow = [\".*\"]",
    "redaction.disable = [\"PASSWORD\"]",
    "redaction.rules = [{ id = \"x\", kind = \"X\", regex = \"(\" }]",
    "artifacts.storage_path = \"../beside\"",
    "artifacts.storage = \"gopher://hole\"",
    "overrides.execute_command.redaction.mode = \"off\"",
    "extraction.parallel = 0",
];

/// Variables of the environment, right and wrong.
const VARIABLES: [(&str, &[&str]); 9] = [
    ("OFFCUT_PROFILE", &["", "auto", "balanced", "handle", "bookends", "nosuch"]),
    ("OFFCUT_INLINE_LIMIT", &["800", "-1", "2000 tokens", "x", ""]),
    ("OFFCUT_REDACTION__MODE", &["on", "off", "of", ""]),
    ("OFFCUT_REDACTION__ALLOW", &["(", "nothing-like-it"]),
    ("OFFCUT_SESSION", &["s", "a/b", ".", ""]),
    ("OFFCUT_ARTIFACTS__STORAGE", &["s3://", "gopher://hole", "memory://", ""]),
    ("OFFCUT_ARTIFACTS__STORAGE_PATH", &["none", "temp", "kept", "/dev/null/kept"]),
    ("OFFCUT_LOG", &["[[[", "nosuch=", ""]),
    ("OFFCUT_NOSUCH__KEY", &["1"]),
];

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// One random world, and whether redaction is on in it.
struct World {
    bench: Bench,
    environment: Vec<(&'static str, &'static str)>,
    redacts: bool,
}

impl World {
    fn new(random: &mut Random) -> World {
        let bench = Bench::new();
        let (user, by_user) = random.pick(&USER_FILES);
        bench.write("../.config/offcut/config.toml", "");
        std::fs::write(bench.path("../.config/offcut/config.toml"), user).unwrap();
        for name in ["offcut.toml", "offcut.yml", ".agent/config.yml"] {
            if random.one_in(2) {
                bench.write(name, "");
                std::fs::write(bench.path(name), project_file(random)).unwrap();
            }
        }
        let mut environment = Vec::new();
        for (name, values) in VARIABLES {
            if random.one_in(3) {
                environment.push((name, *random.pick(values)));
            }
        }
        let by_variable = environment.iter().find(|(name, _)| *name == "OFFCUT_REDACTION__MODE");
        let redacts = match by_variable.map(|(_, value)| *value) {
            Some("on") => true,
            Some("off") => false,
            _ => *by_user,
        };
        World { bench, environment, redacts }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.bench.command(arguments);
        command.env("TMPDIR", self.bench.path("..")).envs(self.environment.iter().copied());
        command
    }
}

/// A few lines; sometimes broken ones, sometimes bytes of any kind.
fn project_file(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..random.below(5) {
        let line: &&str = random.pick(&LINES);
        text.push_str(line);
        text.push('\n');
    }
    let mut bytes = text.into_bytes();
    if random.one_in(4) && !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] = u8::try_from(random.below(256)).unwrap();
    }
    bytes
}

#[test]
fn a_pipe_gets_a_valid_reply_and_a_command_runs() {
    let cases = std::env::var("PROCESS_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    let value = ["hunter22", "secret"].concat();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for case in 0..cases {
        let world = World::new(&mut random);
        let about = format!("case {case}: {:?}, {}", world.environment, world.bench.root().display());
        let output = format!("{}password={value}\n", lines(random.below(400)));
        let left = world.bench.pipe_into(&mut world.command(&["--json"]), output.as_bytes());
        let reply: Value = serde_json::from_str(&left.stdout).unwrap_or_else(|_| panic!("{about}\n{left:?}"));
        let too_large = reply["report"]["is_error"] == true;
        assert_eq!(left.code, Some(i32::from(too_large)), "{about}\n{left:?}");
        assert_eq!(reply["report"]["version"], 1, "{about}");
        let text = reply["text"].as_str().unwrap();
        assert!(!text.is_empty() && (!world.redacts || !text.contains(&value)), "{about}\n{text}");
        let compacted = reply["report"]["compacted"] == true;
        if reply["report"]["was_truncated"] == false && !too_large && !compacted {
            assert_eq!(text.lines().count(), output.lines().count(), "{about}\n{text}");
        }
        let left = world.bench.run(&mut world.command(&["run", "--", "sh", "-c", ": > ran; exit 3"]));
        assert!(exists(&world.bench.path("ran")) && left.code == Some(3), "{about}\n{left:?}");
        let left = world.bench.pipe_into(&mut world.command(&["redact", "-q"]), output.as_bytes());
        assert!(left.code == Some(0) && !left.stdout.contains(&value), "{about}\n{left:?}");
    }
}
