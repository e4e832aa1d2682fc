//! A project's own configuration is somebody else's text until the user trusts it.

use std::os::unix::fs::{chown, symlink};

use crate::workbench::{Bench, exists, filtered, id_in, lines};

/// A line with a secret that is put together here, and how it is shown.
fn secret() -> (String, &'static str) {
    (format!("password={}\n", "hunter22secret"), "password=[REDACTED: PASSWORD]\n")
}

#[test]
fn a_cloned_project_cannot_switch_redaction_off() {
    let (line, redacted) = secret();
    for (file, text) in [
        ("offcut.toml", "[redaction]\nmode = \"off\"\n"),
        ("offcut.toml", "redaction.mode = \"report\"\n"),
        ("offcut.yml", "redaction:\n  allow: ['.*']\n"),
        ("offcut.toml", "redaction.disable = [\"PASSWORD\"]\n"),
        ("offcut.toml", "[overrides.execute_command.redaction]\nmode = \"off\"\n"),
        (".agent/config.yml", "tools:\n  truncation:\n    redaction:\n      mode: 'off'\n"),
    ] {
        let bench = Bench::new();
        bench.write(file, text);
        let left = bench.pipe(line.as_bytes(), &[]);
        assert_eq!((left.stdout.as_str(), left.code), (redacted, Some(0)), "{text}");
        let said = filtered(&left.stderr, &bench);
        let ends = "and the file is not trusted (see `offcut config trust`)\n";
        assert!(said.starts_with(&format!("offcut: PROJECT/{file}:")) && said.ends_with(ends), "{said}");
        // The user may: then it holds, until the file changes.
        assert_eq!(bench.call(&["config", "trust"]).code, Some(0));
        let left = bench.pipe(line.as_bytes(), &[]);
        assert_eq!((left.stdout.as_str(), left.stderr.as_str()), (line.as_str(), ""), "{text}");
        bench.write(file, &format!("{text}# changed\n"));
        assert_eq!(bench.pipe(line.as_bytes(), &[]).stdout, redacted, "{text}");
    }
}

#[test]
fn a_cloned_project_cannot_lead_artifacts_elsewhere() {
    for text in [
        "artifacts.storage_path = \"../beside\"\n",
        "artifacts.storage_path = \"/tmp/offcut-elsewhere\"\n",
        "artifacts.storage = \"s3://bucket/prefix\"\n",
        "artifacts.storage = \"file:///tmp/offcut-elsewhere\"\n",
    ] {
        let bench = Bench::new();
        bench.write("offcut.toml", text);
        let left = bench.pipe(lines(300).as_bytes(), &["--limit", "2000"]);
        assert!(left.stderr.contains("stores artifacts outside of the project"), "{}", left.stderr);
        assert!(exists(&bench.path(".offcut/artifacts/default")) && !exists(&bench.path("../beside")), "{text}");
        assert_eq!(bench.call(&["artifacts", "show", &id_in(&left.stdout), "--all"]).stdout, lines(300));
    }
}

#[test]
fn what_is_ignored_is_shown_with_its_reason() {
    let bench = Bench::new();
    bench.write("offcut.toml", "inline_limit = 600\n\n[redaction]\nmode = \"off\"\n");
    let shown = bench.call(&["config", "show", "--changed"]);
    let last = filtered(shown.stdout.lines().last().unwrap(), &bench);
    assert_eq!(
        last,
        "Ignored PROJECT/offcut.toml:4: `redaction.mode` = `off`: it switches redaction off, and the file is not trusted"
    );
    let json: serde_json::Value = serde_json::from_str(&bench.call(&["config", "show", "--json"]).stdout).unwrap();
    let mode = &json["redaction.mode"];
    assert_eq!((&mode["value"], &mode["from"]), (&"on".into(), &"built in".into()));
    assert_eq!(mode["ignored"][0]["why"], "switches redaction off");
    assert_eq!(bench.call(&["config", "check"]).code, Some(0));

    let trusted = filtered(&bench.call(&["config", "trust"]).stdout, &bench);
    assert_eq!(trusted, "PROJECT/offcut.toml: trusted\n  line 4: `redaction.mode` switches redaction off\n");
    let json: serde_json::Value = serde_json::from_str(&bench.call(&["config", "show", "--json"]).stdout).unwrap();
    assert_eq!(json["redaction.mode"]["value"], "off");
    let revoked = filtered(&bench.call(&["config", "trust", "--revoke"]).stdout, &bench);
    assert_eq!(revoked, "PROJECT/offcut.toml: no longer trusted\n");
    let json: serde_json::Value = serde_json::from_str(&bench.call(&["config", "show", "--json"]).stdout).unwrap();
    assert_eq!(json["redaction.mode"]["value"], "on");
}

#[test]
fn the_user_s_own_file_the_environment_and_a_named_file_need_no_trust() {
    let (line, _) = secret();
    let off = "[redaction]\nmode = \"off\"\n";
    let bench = Bench::new();
    bench.write("own.toml", off);
    assert_eq!(bench.pipe(line.as_bytes(), &["--config", "own.toml"]).stdout, line);
    assert_eq!(bench.shell("echo password=hunter22secret | OFFCUT_REDACTION__MODE=off offcut ").stdout, line);
    bench.write("../.config/offcut/config.toml", off);
    assert_eq!(bench.pipe(line.as_bytes(), &[]).stdout, line);
}

#[test]
fn a_link_out_of_the_project_is_not_followed_without_trust() {
    let bench = Bench::new();
    bench.write("../elsewhere.toml", "inline_limit = 600\n");
    symlink("../elsewhere.toml", bench.path("offcut.toml")).unwrap();
    let left = bench.pipe(lines(100).as_bytes(), &[]);
    assert_eq!(left.stdout, lines(100));
    assert!(left.stderr.contains("ignored: it is a link that leads out of the project"), "{}", left.stderr);
    assert_eq!(bench.call(&["config", "trust"]).code, Some(0));
    assert!(bench.pipe(lines(100).as_bytes(), &[]).stdout.chars().count() <= 601);
}

#[test]
fn another_user_s_file_is_not_obeyed() {
    let bench = Bench::new();
    bench.write("offcut.toml", "inline_limit = 600\n");
    if chown(bench.path("offcut.toml"), Some(12345), None).is_err() {
        // Only the administrator can give a file away.
        assert!(!rustix::process::geteuid().is_root(), "the administrator could not give a file away");
        return;
    }
    let left = bench.pipe(lines(100).as_bytes(), &[]);
    assert_eq!(left.stdout, lines(100));
    assert!(left.stderr.contains("ignored: it belongs to another user"), "{}", left.stderr);
    assert_eq!(bench.call(&["config", "trust"]).code, Some(0));
    assert!(bench.pipe(lines(100).as_bytes(), &[]).stdout.chars().count() <= 601);
}
