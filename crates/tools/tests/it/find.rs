//! `find`.

use offcut_tools::Tool;
use serde_json::json;

use crate::bench::Bench;

fn tree(profile: &str) -> Bench {
    let bench = Bench::new(profile);
    for file in ["src/main.rs", "src/deep/lib.rs", "src-old/main.rs", "README.md", ".github/ci.yml", ".git/HEAD.rs"] {
        bench.file(file, "");
    }
    bench.file("target/debug/x.rs", "");
    bench.file(".gitignore", "/target\n*.log\n");
    bench.file("src/a.log", "");
    bench
}

#[test]
fn a_name_is_found_at_any_depth_and_a_path_from_where_the_search_begins() {
    for bench in [tree("paged"), tree("auto")] {
        let found = |pattern: &str| bench.text(Tool::Find, json!({"pattern": pattern}));
        assert_eq!(found("*.rs"), "src/deep/lib.rs\nsrc/main.rs\nsrc-old/main.rs");
        assert_eq!(found("main.rs"), "src/main.rs\nsrc-old/main.rs");
        assert_eq!(found("src/*.rs"), "src/main.rs");
        assert_eq!(found("src/**/*.rs"), "src/deep/lib.rs\nsrc/main.rs");
        assert_eq!(found("**/deep/*"), "src/deep/lib.rs");
        assert_eq!(found("*.{md,yml}"), ".github/ci.yml\nREADME.md");
        assert_eq!(found("deep"), "src/deep/");
        assert_eq!(found("src*"), "src/\nsrc-old/");
        assert_eq!(found("nothing"), "No files found matching pattern");
        let below = bench.text(Tool::Find, json!({"pattern": "*.rs", "path": "src"}));
        assert_eq!(below, "src/deep/lib.rs\nsrc/main.rs");
    }
}

#[test]
fn hidden_files_are_found_and_ignored_ones_are_not() {
    let bench = tree("paged");
    let all = ".github/\n.github/ci.yml\n.gitignore\nREADME.md\nsrc/\nsrc/deep/\nsrc/deep/lib.rs\nsrc/main.rs\n\
               src-old/\nsrc-old/main.rs";
    assert_eq!(bench.text(Tool::Find, json!({"pattern": "*"})), all);
    let asked = bench.text(Tool::Find, json!({"pattern": "*", "path": "target/debug"}));
    assert_eq!(asked, "target/debug/x.rs");
    let outside = tree("paged");
    let path = outside.path("src").display().to_string();
    let found = bench.text(Tool::Find, json!({"pattern": "main.rs", "path": path}));
    assert_eq!(found, format!("{path}/main.rs"));
}

#[test]
fn the_result_limit_is_announced_and_exactly_at_it_is_not() {
    let bench = Bench::paged();
    let names = |count: u32| (1..=count).map(|n| format!("d{}/f{n:04}", n % 7)).collect::<Vec<_>>();
    let sorted = |count: u32, shown: usize| {
        let mut names = names(count);
        names.sort();
        names.truncate(shown);
        names.join("\n")
    };
    for name in names(999) {
        bench.file(&name, "");
    }
    assert_eq!(bench.text(Tool::Find, json!({"pattern": "f*"})), sorted(999, 999));
    bench.file("d6/f1000", "");
    assert_eq!(bench.text(Tool::Find, json!({"pattern": "f*"})), sorted(1000, 1000));
    bench.file("d0/f1001", "");
    let reply = bench.call(Tool::Find, json!({"pattern": "f*"}));
    let notice = "\n\n[1000 results limit reached. Use limit=2000 for more, or refine pattern]";
    assert_eq!(reply.text(), sorted(1001, 1000) + notice);
    assert_eq!(reply.details, json!({"resultLimitReached": 1000}));
    assert_eq!(bench.text(Tool::Find, json!({"pattern": "f*", "limit": 2000})), sorted(1001, 1001));
    let two = bench.text(Tool::Find, json!({"pattern": "f*", "limit": 2}));
    let notice = "\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]";
    assert_eq!(two, "d0/f0007\nd0/f0014".to_owned() + notice);
    let auto = offcut_tools::Toolbox::new(offcut::Offcut::builder().in_memory().build().unwrap(), bench.folder.path());
    let reply = auto.call(Tool::Find, &json!({"pattern": "f*"}), &offcut::Cancel::new()).unwrap();
    assert_eq!(reply.report.unwrap().original_lines, Some(1001));
}

#[test]
fn the_byte_limit_is_announced_and_exactly_at_it_is_not() {
    let bench = Bench::paged();
    let name = |n: u32| format!("{n:03}{}", "x".repeat(124));
    for n in 1..=240 {
        bench.file(&name(n), "");
    }
    let names = (1..=240).map(name).collect::<Vec<_>>().join("\n");
    assert_eq!(bench.text(Tool::Find, json!({"pattern": "*"})), names);
    bench.file("y", "");
    let reply = bench.call(Tool::Find, json!({"pattern": "*"}));
    assert_eq!(reply.text(), names + "\n\n[30KB limit reached]");
    let truncation = json!({
        "truncated": true, "truncatedBy": "bytes", "outputLines": 240, "totalLines": 241, "lastLinePartial": false
    });
    assert_eq!(reply.details, json!({"truncation": truncation}));
}
