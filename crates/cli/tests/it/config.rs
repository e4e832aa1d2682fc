//! Configuration: layers, mistakes, and the reference file.

use crate::workbench::{Bench, filtered, lines};

/// The keys and values of the reference configuration.
const REFERENCE: &str = "\
tools:
  truncation:
    inline_limit: 8000
    artifact_threshold: 50000
    max_artifact_size: 10485760
    default_strategy: head_tail
    head_ratio: 0.6
    line_truncation:
      tail_lines: 200
      head_lines: 300
      max_line_length: 500
    element_truncation:
      first_elements: 5
      last_elements: 5
      max_depth: 3
      preserve_json: true
    smart_truncation:
      enabled: false
      preserve_functions: true
      prioritize_errors: true
    artifacts:
      storage_path: .acode/artifacts
      cleanup_on_exit: true
      compress_large: false
      enable_partial_retrieval: true
    metadata:
      include_original_size: true
      include_token_estimate: true
      include_strategy: true
      include_retrieval_instructions: true
    overrides:
      execute_command:
        strategy: tail
        inline_limit: 5000
        line_truncation:
          tail_lines: 150
      read_file:
        strategy: head_tail
        inline_limit: 12000
        head_ratio: 0.65
      list_directory:
        strategy: element
        inline_limit: 10000
        element_truncation:
          first_elements: 10
          last_elements: 5
      search_files:
        strategy: element
        inline_limit: 15000
        element_truncation:
          first_elements: 8
          last_elements: 3
      git_diff:
        strategy: smart
        inline_limit: 20000
        smart_truncation:
          preserve_functions: true
      http_request:
        strategy: element
        inline_limit: 10000
        element_truncation:
          preserve_json: true
          max_depth: 2
";

#[test]
fn the_reference_configuration_loads_and_its_values_hold() {
    let bench = Bench::new();
    bench.write(".agent/config.yml", &format!("model: something\n{REFERENCE}"));
    let left = bench.call(&["config", "check"]);
    let checked = filtered(&left.stdout, &bench);
    assert_eq!((checked.as_str(), left.stderr.as_str()), ("PROJECT/.agent/config.yml: ok\n", ""));

    let changed = bench.call(&["config", "show", "--changed", "--json"]).stdout;
    let changed: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&changed).unwrap();
    assert_eq!(changed.len(), REFERENCE.lines().filter(|line| !line.trim_end().ends_with(':')).count());
    assert_eq!(changed["overrides.read_file.head_ratio"]["value"], 0.65);

    // A command's own limit and count of lines: 5,000 characters, and no more than 150 lines.
    let input: String = (1..=4000).map(|n| format!("{n}\n")).collect();
    let left = bench.pipe(input.as_bytes(), &[]);
    assert!(left.stdout.chars().count() <= 5001, "{}", left.stdout.chars().count());
    let shown = left.stdout.lines().filter(|line| line.parse::<u32>().is_ok()).count();
    assert_eq!(shown, 150);
    assert!(bench.path(".acode/artifacts").is_dir());
}

#[test]
fn a_mistake_names_file_line_key_and_the_nearest_right_one() {
    let check = |file: &str, text: &str, expected: &str| {
        let bench = Bench::new();
        bench.write(file, text);
        for command in [&["config", "check"][..], &["artifacts", "list"], &["config", "show"]] {
            let left = bench.call(command);
            assert_eq!((left.stdout.as_str(), left.code), ("", Some(2)), "{file}: {command:?}");
            assert_eq!(filtered(&left.stderr, &bench), expected, "{file}");
        }
    };
    check(
        "offcut.yml",
        "profile: auto\n\ninline_limt: 5\n",
        "error: PROJECT/offcut.yml:3: unknown key `inline_limt`\nhint: did you mean `inline_limit`?\n",
    );
    check(
        "offcut.toml",
        "[line_truncation]\ntail_lines = 5\nhead_line = 5\n",
        "error: PROJECT/offcut.toml:3: unknown key `line_truncation.head_line`\nhint: did you mean `head_lines`?\n",
    );
    check(
        ".agent/config.yml",
        "tools:\n  truncation:\n    head_ratio: much\n",
        "error: PROJECT/.agent/config.yml:3: `head_ratio` is `much`: expected a number\n",
    );
    check(
        "offcut.toml",
        "\nhead_ratio = 1.5\n",
        "error: PROJECT/offcut.toml:2: `head_ratio` is `1.5`: expected a number from 0 to 1\n",
    );
    check(
        "offcut.toml",
        "[overrides.read_file]\ninline_limit = 0\n",
        "error: PROJECT/offcut.toml:2: `overrides.read_file.inline_limit` is `0`: expected a positive whole number of \
         characters, or one with a unit (\"2000 tokens\", \"30KB\", \"200 lines\")\n",
    );
    check(
        "offcut.toml",
        "profile = \"pagd\"\n",
        "error: PROJECT/offcut.toml:1: `profile` is `pagd`: expected one of auto, balanced, paged, handle, bookends\n\
         hint: did you mean `paged`?\n",
    );
    check(
        "offcut.yml",
        "artifacts:\n  on_quota: evikt\n",
        "error: PROJECT/offcut.yml:2: `artifacts.on_quota` is `evikt`: expected one of evict, reject\n\
         hint: did you mean `evict`?\n",
    );
}

#[test]
fn what_is_not_yaml_or_toml_names_its_line() {
    let bench = Bench::new();
    bench.write("offcut.toml", "profile = \"auto\"\nthis is not toml\n");
    let left = bench.call(&["config", "check"]);
    assert!(
        filtered(&left.stderr, &bench).starts_with("error: PROJECT/offcut.toml:2: not valid TOML: "),
        "{}",
        left.stderr
    );
    assert_eq!(left.code, Some(2));
}

#[test]
fn later_layers_win_key_by_key_and_every_value_has_its_origin() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.root().join("../.config/offcut")).unwrap();
    bench.write("../.config/offcut/config.toml", "inline_limit = 1000\nhead_ratio = 0.1\ntokenizer = \"o200k\"\n");
    bench.write(".agent/config.yml", "tools:\n  truncation:\n    inline_limit: 2000\n    head_ratio: 0.2\n");
    bench.write("offcut.yml", "inline_limit: 3000\n");
    let show = |line: &str| {
        let shown = bench.shell(&format!("{line} config show --changed")).stdout;
        let rows = shown.lines().skip(2).map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "));
        let home = bench.root().parent().unwrap().display().to_string();
        filtered(&rows.collect::<Vec<_>>().join("\n"), &bench).replace(&home, "HOME")
    };
    assert_eq!(
        show("OFFCUT_LINE_TRUNCATION__TAIL_LINES=7 offcut "),
        "inline_limit 3000 PROJECT/offcut.yml:1\n\
         head_ratio 0.2 PROJECT/.agent/config.yml:4\n\
         tokenizer o200k HOME/.config/offcut/config.toml:3\n\
         line_truncation.tail_lines 7 $OFFCUT_LINE_TRUNCATION__TAIL_LINES"
    );
    assert_eq!(show("OFFCUT_INLINE_LIMIT=4000 offcut ").lines().next(), Some("inline_limit 4000 $OFFCUT_INLINE_LIMIT"));
    let size = |flags: &[&str]| {
        let flags = [&["--strategy", "head_tail"], flags].concat();
        bench.pipe(lines(500).as_bytes(), &flags).stdout.chars().count()
    };
    assert!(size(&[]) > 2000 && size(&[]) <= 3001);
    assert!(size(&["--limit", "1500"]) <= 1501);
    bench.write("own.toml", "inline_limit = 600\n");
    assert!(size(&["--config", "own.toml"]) <= 601);
}

#[test]
fn show_lists_every_key_with_its_built_in_value() {
    let bench = Bench::new();
    let shown = bench.call(&["config", "show"]).stdout;
    assert!(shown.contains("inline_limit") && shown.contains("built in"), "{shown}");
    let paged = bench.call(&["config", "show", "--profile", "paged", "--json"]).stdout;
    let paged: serde_json::Value = serde_json::from_str(&paged).unwrap();
    assert_eq!(paged["inline_limit"]["value"], "2000 lines, 30KB");
    assert_eq!(paged["profile"]["from"], "--profile");
}

#[test]
fn a_variable_that_is_no_key_is_a_warning_everywhere() {
    let bench = Bench::new();
    let warning = "offcut: $OFFCUT_INLINE_LIMT: unknown key `inline_limt` (did you mean `OFFCUT_INLINE_LIMIT`?)\n";
    let left = bench.shell("echo x | OFFCUT_INLINE_LIMT=5 offcut ");
    assert_eq!((left.stdout.as_str(), left.stderr.as_str(), left.code), ("x\n", warning, Some(0)));
    let left = bench.shell("OFFCUT_INLINE_LIMT=5 offcut config check");
    assert_eq!((left.stderr.as_str(), left.code), (warning, Some(0)));
}

#[test]
fn init_writes_a_file_that_checks_and_does_not_overwrite() {
    let bench = Bench::new();
    assert_eq!(bench.call(&["config", "init"]).code, Some(0));
    assert_eq!(filtered(&bench.call(&["config", "check"]).stdout, &bench), "PROJECT/offcut.toml: ok\n");
    let again = bench.call(&["config", "init"]);
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.ends_with("already exists; use --force to overwrite it\n"), "{}", again.stderr);
}

#[test]
fn the_schema_is_json_and_knows_the_keys() {
    let bench = Bench::new();
    let schema: serde_json::Value = serde_json::from_str(&bench.call(&["config", "schema"]).stdout).unwrap();
    assert!(schema["properties"]["inline_limit"].is_object());
}

#[test]
fn profiles_completions_and_the_manual_are_printed() {
    let bench = Bench::new();
    let profiles: serde_json::Value = serde_json::from_str(&bench.call(&["profiles", "--json"]).stdout).unwrap();
    let names: Vec<&str> = profiles.as_array().unwrap().iter().filter_map(|profile| profile["name"].as_str()).collect();
    assert_eq!(names, ["auto", "balanced", "paged", "handle", "bookends"]);
    assert_eq!(bench.call(&["profiles"]).stdout.lines().count(), 7);
    for shell in ["bash", "zsh", "fish"] {
        assert!(bench.call(&["completions", shell]).stdout.contains("offcut"), "{shell}");
    }
    assert!(bench.call(&["man"]).stdout.contains(".TH"));
    assert!(bench.call(&["--help"]).stdout.contains("Examples:"));
    let features: String = [
        ("cloud", cfg!(feature = "cloud")),
        ("code", cfg!(feature = "code")),
        ("otlp", cfg!(feature = "otlp")),
        ("tokenizers", cfg!(feature = "tokenizers")),
    ]
    .into_iter()
    .filter(|&(_, is_on)| is_on)
    .map(|(name, _)| format!(" +{name}"))
    .collect();
    assert_eq!(bench.call(&["--version"]).stdout, format!("offcut {}{features}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_redaction_rule_is_tested_against_its_examples() {
    let bench = Bench::new();
    let file = |off: &str, examples: &str| {
        format!(
            "[redaction]\nmode = \"{off}\"\n\n[[redaction.rules]]\nkind = \"ACME\"\nid = \"acme\"\n\
             keywords = [\"acme\"]\nregex = 'acme-[0-9]{{8}}'\n{examples}\n"
        )
    };
    let check = |text: &str, expected: &str| {
        bench.write("offcut.toml", text);
        assert_eq!(bench.call(&["config", "trust"]).code, Some(0));
        let left = bench.call(&["config", "check"]);
        assert_eq!(filtered(&(left.stdout + &left.stderr), &bench), expected);
    };
    check(&file("on", "good = ['acme-12345678']\nbad = ['acme-1']"), "PROJECT/offcut.toml: ok\n");
    let missed = "error: PROJECT/offcut.toml:6: redaction rule `acme`: does not find its `good` example 1\n";
    check(&file("on", "good = ['acme-1']"), missed);
    check(&file("off", "good = ['acme-1']"), missed);
    let found = "error: PROJECT/offcut.toml:6: redaction rule `acme`: finds its `bad` example 2\n";
    check(&file("on", "bad = ['acme', 'acme-12345678']"), found);
    let unknown = "error: PROJECT/offcut.toml:2: redaction rule `nosuch`: is switched off, but no rule has this id or \
                   kind\n";
    check("[redaction]\ndisable = ['nosuch']\n", unknown);
    // The other rules hold all the same, and so does the one that is right.
    let twin = "[[redaction.rules]]\nid = \"twin\"\nkind = \"TWIN\"\nkeywords = [\"twin\"]\nregex = 'twin-[0-9]{4}'\n";
    bench.write("offcut.toml", &(file("on", "good = ['acme-1']") + twin));
    let left = bench.pipe(b"twin-1234 acme-12345678\n", &[]);
    assert_eq!((left.stdout.as_str(), left.code), ("[REDACTED: TWIN] acme-12345678\n", Some(0)));
    assert_eq!(left.stderr.replacen("offcut:", "error:", 1), bench.call(&["config", "check"]).stderr);
}
