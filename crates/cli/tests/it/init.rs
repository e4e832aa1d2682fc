//! `offcut init`: the files of agents, as people have them, before and after.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workbench::{Bench, Left, OFFCUT};

const AGENTS: [&str; 13] = [
    "claude",
    "codex",
    "gemini",
    "qwen",
    "opencode",
    "copilot",
    "goose",
    "cline",
    "kimi",
    "pi",
    "continue",
    "vibe",
    "openhands",
];

/// Files as people have them: comments, trailing commas, tabs, no line end at the end, servers of their own.
const FILES: [(&str, &str); 14] = [
    (
        ".claude.json",
        "{\"numStartups\": 12, \"mcpServers\": {\"fs\": {\"type\":\"stdio\",\"command\":\"npx\",\"args\":[\"-y\",\"fs\"]}}}",
    ),
    (
        ".claude/settings.json",
        "{\n  // The model of the team.\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"allow\": [\"Bash(ls:*)\"], \
         // harmless\n    \"deny\": [\"Bash(rm:*)\"],\n  },\n}\n",
    ),
    (".claude/CLAUDE.md", "# Rules\n\n- be brief"),
    (
        ".codex/config.toml",
        "# my codex\nmodel = \"gpt-5.5\"\n\n[shell_environment_policy]\ninherit = \"all\" # everything\n\n\
         [mcp_servers.git]\ncommand = \"uvx\"\nargs = [\"mcp-server-git\"] # the official one\n\n\
         [projects.\"/src/x\"]\ntrust_level = \"trusted\"\n",
    ),
    (
        ".gemini/settings.json",
        "{\r\n\t\"hooks\": {\r\n\t\t\"AfterTool\": [\r\n\t\t\t{ \"matcher\": \"write_file\", \"hooks\": [] } // \
         mine\r\n\t\t]\r\n\t}\r\n}\r\n",
    ),
    (".qwen/settings.json", "{}"),
    (
        ".config/opencode/opencode.json",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"plugin\": [\n    \"other\" /* needed */\n  ],\n  \
         \"mcp\": {\n    \"fs\": { \"type\": \"local\", \"command\": [\"npx\", \"fs\"] }\n  }\n}",
    ),
    (".copilot/mcp-config.json", "{\n  \"mcpServers\": {}\n}\n"),
    (
        ".config/goose/config.yaml",
        "GOOSE_PROVIDER: openai # at work\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n  fetch:\n    \
         type: stdio\n    cmd: uvx\n    args:\n    - mcp-server-fetch\n  # memory is off\nGOOSE_MODE: auto\n",
    ),
    (".cline/data/settings/cline_mcp_settings.json", "{\"mcpServers\":{}}"),
    (
        ".kimi-code/mcp.json",
        "{\n    \"mcpServers\": {\n        \"web\": {\n            \"url\": \"http://x\"\n        }\n    }\n}",
    ),
    (
        ".continue/config.yaml",
        "name: Mine\nversion: 1.0.0\nmcpServers:\n  - name: fs\n    command: npx\n    args: [\"-y\", fs]",
    ),
    (
        ".vibe/config.toml",
        "active_model = \"devstral\"\n\n[[mcp_servers]]\nname = \"fetch\"\ntransport = \"stdio\"\ncommand = \"uvx\"\n\
         args = [\n  \"mcp-server-fetch\", # web pages\n]\n",
    ),
    (".vibe/hooks.toml", "# none yet\n"),
];

/// A project, and a home directory with the files of agents.
struct Home {
    bench: Bench,
    directory: PathBuf,
}

impl Home {
    fn new() -> Home {
        let bench = Bench::new();
        let directory = bench.root().parent().unwrap().to_owned();
        Home { bench, directory }
    }

    fn with_files() -> Home {
        let home = Home::new();
        for (name, text) in FILES {
            home.write(name, text);
        }
        home
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.directory.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.directory.join(name)).unwrap()
    }

    fn call(&self, arguments: &[&str]) -> Left {
        self.bench.call(arguments)
    }

    fn init(&self, arguments: &[&str]) -> Left {
        let left = self.call(&[&["init"], arguments].concat());
        assert_eq!(left.code, Some(0), "{arguments:?}: {left:?}");
        left
    }

    /// Every file and link below the home directory.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        collect(&self.directory, &mut files);
        files
    }
}

fn collect(directory: &Path, into: &mut BTreeMap<PathBuf, String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let found = path.symlink_metadata().unwrap();
        if found.is_dir() {
            collect(&path, into);
        } else if found.is_symlink() {
            into.insert(path.clone(), format!("-> {}", path.read_link().unwrap().display()));
        } else {
            let mode = found.permissions().mode() & 0o777;
            into.insert(path.clone(), format!("{mode:o} {}", std::fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn every_agent_is_set_up_once_and_leaves_no_trace() {
    for flags in [&[] as &[&str], &["--wrap-servers"], &["--project"]] {
        let home = Home::with_files();
        let before = home.files();
        home.init(&[&AGENTS[..12], flags].concat());
        let once = home.files();
        assert_ne!(once, before);
        home.init(&[&AGENTS[..12], flags].concat());
        assert_eq!(home.files(), once, "twice is not once with {flags:?}");
        let scope: Vec<&str> = flags.iter().copied().filter(|flag| *flag == "--project").collect();
        home.init(&[&AGENTS[..12], scope.as_slice(), &["--check"]].concat());
        home.init(&[&AGENTS[..12], scope.as_slice(), &["--undo"]].concat());
        assert_eq!(home.files(), before, "not as it was with {flags:?}");
    }
}

#[test]
fn every_agent_is_set_up_where_there_is_nothing_yet() {
    for agent in AGENTS {
        let home = Home::new();
        let before = home.files();
        let missing = home.call(&["init", agent, "--check"]);
        assert!(missing.code == Some(1) && missing.stdout.contains("missing"), "{missing:?}");
        home.init(&[agent]);
        home.init(&[agent, "--check"]);
        home.init(&[agent, "--undo"]);
        assert_eq!(home.files(), before, "{agent}");
    }
}

#[test]
fn what_the_user_changes_in_between_stays() {
    let home = Home::with_files();
    let names = [".claude/settings.json", ".codex/config.toml", ".config/goose/config.yaml", ".claude/CLAUDE.md"];
    home.init(&["claude", "codex", "goose", "--wrap-servers"]);
    let edit = |text: &str| {
        text.replace("opus", "sonnet")
            .replace("gpt-5.5", "gpt-6")
            .replace("openai", "mine")
            .replace("be brief", "be kind")
    };
    for name in names {
        let edited = edit(&home.read(name));
        home.write(name, &edited);
    }
    home.init(&["claude", "codex", "goose", "--undo"]);
    for name in names {
        let original = FILES.iter().find(|(file, _)| *file == name).unwrap().1;
        assert_eq!(home.read(name), edit(original), "{name}");
    }
}

#[test]
fn the_copy_beside_a_file_follows_what_the_user_changes() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    home.init(&["claude"]);
    let set = home.read(".claude/settings.json");
    // The user takes our entry out and changes something; we set it up again.
    let edited = "{\n  \"model\": \"sonnet\" // cheaper\n}\n";
    home.write(".claude/settings.json", edited);
    home.init(&["claude"]);
    assert_ne!(home.read(".claude/settings.json"), set);
    assert_eq!(home.read(".claude/settings.json.offcut-backup"), edited);
    home.init(&["claude", "--undo"]);
    assert_eq!(home.read(".claude/settings.json"), edited);
}

#[test]
fn print_shows_a_diff_and_writes_nothing() {
    let home = Home::with_files();
    let before = home.files();
    let printed = home.init(&["codex", "--print"]).stdout;
    assert_eq!(home.files(), before);
    let expected = format!(
        "--- ~/.codex/config.toml\n+++ ~/.codex/config.toml\n@@ -10,3 +10,10 @@\n \n [projects.\"/src/x\"]\n trust_level \
         = \"trusted\"\n+\n+[mcp_servers.offcut]\n+command = \"{OFFCUT}\"\n+args = [\"mcp\"]\n\
         +\n+[shell_environment_policy.set]\n+BASH_ENV = \"{}/.config/offcut/bash-env.sh\"\n",
        home.directory.display()
    );
    assert!(printed.starts_with(&expected), "{printed}");
}

#[test]
fn a_broken_file_is_named_with_its_line_and_nothing_is_written() {
    for (agent, name, text, line) in [
        ("claude", ".claude/settings.json", "{\n  \"model\": \"opus\",\n  \"env\": {\n", 3),
        ("codex", ".codex/config.toml", "a = 1\n[b\n", 2),
        ("goose", ".config/goose/config.yaml", "a: 1\nb: [1\nc: 2\n", 3),
        ("gemini", ".gemini/settings.json", "{\n  \"mcpServers\": []\n}\n", 2),
    ] {
        let home = Home::new();
        home.write(name, text);
        let before = home.files();
        for flags in [&[] as &[&str], &["--check"], &["--print"]] {
            let left = home.call(&[&["init", agent], flags].concat());
            assert_eq!(left.code, Some(1), "{left:?}");
            let expected = format!("{name}:{line}: ");
            assert!(left.stderr.contains(&expected) && left.stderr.contains("nothing was written"), "{left:?}");
            assert_eq!(home.files(), before);
        }
    }
}

#[test]
fn a_setting_of_the_users_own_is_kept_and_said() {
    let home = Home::new();
    home.write(".claude/settings.json", "{\"env\": {\"CLAUDE_CODE_SHELL_PREFIX\": \"/usr/bin/logger\"}}\n");
    home.write(".cline/hooks/PreToolUse", "#!/bin/sh\nexec mine\n");
    let told = home.init(&["claude"]).stdout;
    assert!(told.contains("kept `env.CLAUDE_CODE_SHELL_PREFIX`: \"/usr/bin/logger\""), "{told}");
    assert_eq!(home.call(&["init", "claude", "--check"]).code, Some(1));
    let told = home.init(&["cline"]).stdout;
    assert!(told.contains("kept `~/.cline/hooks/PreToolUse`: a file of your own"), "{told}");
    home.init(&["claude", "cline", "--undo"]);
    assert!(home.read(".claude/settings.json").contains("logger"));
    assert_eq!(home.read(".cline/hooks/PreToolUse"), "#!/bin/sh\nexec mine\n");
}

#[test]
fn links_are_followed_and_permissions_kept() {
    let home = Home::new();
    home.write("dotfiles/settings.json", "{}\n");
    let file = home.directory.join("dotfiles/settings.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir_all(home.directory.join(".claude")).unwrap();
    let link = home.directory.join(".claude/settings.json");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let before = home.files();
    home.init(&["claude"]);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(home.read("dotfiles/settings.json").contains("CLAUDE_CODE_SHELL_PREFIX"));
    home.init(&["claude", "--undo"]);
    assert_eq!(home.files(), before);

    std::fs::remove_file(&file).unwrap();
    let left = home.call(&["init", "claude"]);
    assert!(left.code == Some(1) && left.stderr.contains("the link leads to nothing"), "{left:?}");
    assert!(!home.directory.join(".claude.json").exists(), "nothing is written where one file cannot be");
}

#[test]
fn where_one_file_cannot_be_written_the_others_are_as_they_were() {
    let home = Home::new();
    home.write(".claude.json", "{}\n");
    // A file where a directory has to be.
    home.write(".config/offcut", "in the way\n");
    let before = home.files();
    let left = home.call(&["init", "claude"]);
    assert!(left.code == Some(1) && left.stderr.contains("could not create"), "{left:?}");
    let mut after = home.files();
    after.remove(&home.directory.join(".claude.json.offcut-backup"));
    assert_eq!(after, before);
}

#[test]
fn a_directory_that_cannot_be_written_is_said() {
    if rustix::process::geteuid().is_root() {
        // Nothing is read-only for root.
        eprintln!("SKIPPED: a_directory_that_cannot_be_written_is_said needs a user other than root");
        return;
    }
    let home = Home::new();
    home.write(".claude/settings.json", "{}\n");
    let directory = home.directory.join(".claude");
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o555)).unwrap();
    let left = home.call(&["init", "claude"]);
    std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(left.code == Some(1) && left.stderr.contains("settings.json"), "{left:?}");
    assert_eq!(home.read(".claude/settings.json"), "{}\n");
}

#[test]
fn the_agents_of_this_machine_are_listed_with_their_commands() {
    let home = Home::new();
    let nothing = Command::new(OFFCUT);
    let mut nothing = nothing;
    nothing.arg("init").env("HOME", &home.directory).env("PATH", "/nowhere").env_remove("XDG_CONFIG_HOME");
    let left = home.bench.run(nothing.current_dir(home.bench.root()));
    assert!(left.code == Some(1) && left.stderr.contains("no coding agent was found"), "{left:?}");

    home.write(".codex/config.toml", "");
    home.write(".gemini/settings.json", "{");
    home.init(&["codex"]);
    let mut listed = home.bench.command(&["init"]);
    let listed = home.bench.run(listed.env("PATH", "/nowhere"));
    assert_eq!(
        listed.stdout,
        "Agent       Set up                 Command\n\
         ──────────  ─────────────────────  ──────────────────\n\
         Codex       set up                 offcut init codex\n\
         Gemini CLI  a file cannot be read  offcut init gemini\n"
    );
}

#[test]
fn an_unknown_agent_and_a_scope_without_files_are_refused() {
    let home = Home::new();
    let left = home.call(&["init", "banana"]);
    assert!(left.code == Some(2) && left.stderr.contains("known agents: claude, cline, codex"), "{left:?}");
    let left = home.call(&["init", "claude", "--undo", "--check"]);
    assert_eq!(left.code, Some(2), "{left:?}");
}
