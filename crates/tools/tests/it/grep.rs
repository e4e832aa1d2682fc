//! `grep`.

use offcut::Cancel;
use offcut_tools::{Grep, Tool};
use serde_json::json;

use crate::bench::Bench;

#[test]
fn matches_come_with_file_and_line_in_a_defined_order() {
    for profile in ["paged", "auto", "balanced", "handle", "bookends"] {
        let bench = Bench::new(profile);
        bench.file("src/b.rs", "fn one() {}\n\nfn two() {}\r\n");
        bench.file("src/a/z.rs", "  fn three() {}");
        bench.file("src-old/a.rs", "fn old() {}\n");
        bench.file(".github/x", "fn hidden\n");
        bench.file(".git/x", "fn git\n");
        bench.file("ignored", "fn ignored\n");
        bench.file(".gitignore", "ignored\n");
        let all = ".github/x:1: fn hidden\nsrc/a/z.rs:1:   fn three() {}\nsrc/b.rs:1: fn one() {}\n\
                   src/b.rs:3: fn two() {}\nsrc-old/a.rs:1: fn old() {}";
        assert_eq!(bench.text(Tool::Grep, json!({"pattern": r"\bfn \w+"})), all, "{profile}");
        let below = "src/b.rs:1: fn one() {}";
        assert_eq!(bench.text(Tool::Grep, json!({"pattern": "one", "path": "src"})), below);
        assert_eq!(bench.text(Tool::Grep, json!({"pattern": "one", "path": "src/b.rs"})), below);
        assert_eq!(bench.text(Tool::Grep, json!({"pattern": "ignored", "path": "ignored"})), "ignored:1: fn ignored");
        assert_eq!(bench.text(Tool::Grep, json!({"pattern": "nowhere"})), "No matches found");
    }
}

#[test]
fn literal_ignore_case_and_glob_narrow_and_widen() {
    let bench = Bench::paged();
    bench.file("a.ts", "x = a.b(c)\nX = AxB(C)\n");
    bench.file("sub/b.md", "a.b(c)\n");
    let grep = |arguments| bench.text(Tool::Grep, arguments);
    assert_eq!(grep(json!({"pattern": "a.b(c", "literal": true})), "a.ts:1: x = a.b(c)\nsub/b.md:1: a.b(c)");
    assert_eq!(grep(json!({"pattern": "a.b", "ignore_case": true, "glob": "*.ts"})).lines().count(), 2);
    assert_eq!(grep(json!({"pattern": "a.b", "glob": "sub/*"})), "sub/b.md:1: a.b(c)");
    assert_eq!(grep(json!({"pattern": "a.b", "glob": "!*.md"})), "a.ts:1: x = a.b(c)");
    assert_eq!(grep(json!({"pattern": "A.B", "ignore_case": true, "glob": "*.md"})), "sub/b.md:1: a.b(c)");
}

#[test]
fn lines_around_a_match_are_shown_with_breaks_between_groups() {
    let bench = Bench::paged();
    bench.file("a", "1\n2\nhit\n4\n5\n6\n7\nhit\n9\nhit\n11\n12\n");
    bench.file("b", "hit\n");
    let text = bench.text(Tool::Grep, json!({"pattern": "hit", "context": 1}));
    let expected = "a-2- 2\na:3: hit\na-4- 4\n--\na-7- 7\na:8: hit\na-9- 9\na:10: hit\na-11- 11\n--\nb:1: hit";
    assert_eq!(text, expected);
    let two = bench.text(Tool::Grep, json!({"pattern": "hit", "context": 2, "limit": 1}));
    let notice = "\n\n[1 matches limit reached. Use limit=2 for more, or refine pattern]";
    assert_eq!(two, "a-1- 1\na-2- 2\na:3: hit\na-4- 4\na-5- 5".to_owned() + notice);
    let three = bench.text(Tool::Grep, json!({"pattern": "hit", "context": 1, "limit": 3}));
    let notice = "\n\n[3 matches limit reached. Use limit=6 for more, or refine pattern]";
    assert_eq!(three, expected.replace("\n--\nb:1: hit", notice));
}

#[test]
fn the_match_limit_is_announced_and_exactly_at_it_is_not() {
    let bench = Bench::paged();
    let write = |count: u32| {
        for file in 0..10 {
            let lines: String = (0..count).filter(|n| n % 10 == file).map(|n| format!("hit {n}\n")).collect();
            bench.file(&format!("f{file}"), lines);
        }
    };
    let expected = |count: u32, shown: usize| {
        let file = |file| (0..count).filter(move |n| n % 10 == file).enumerate();
        let lines: Vec<String> = (0..10)
            .flat_map(|name| file(name).map(move |(at, n)| format!("f{name}:{}: hit {n}", at + 1)))
            .take(shown)
            .collect();
        lines.join("\n")
    };
    for count in [99, 100] {
        write(count);
        let reply = bench.call(Tool::Grep, json!({"pattern": "hit"}));
        assert_eq!((reply.text(), reply.details), (expected(count, 100), json!({})));
    }
    let notice = "\n\n[100 matches limit reached. Use limit=200 for more, or refine pattern]";
    for count in [101, 102, 1000] {
        write(count);
        let reply = bench.call(Tool::Grep, json!({"pattern": "hit"}));
        assert_eq!(reply.text(), expected(count, 100) + notice);
        assert_eq!(reply.details, json!({"matchLimitReached": 100}));
    }
    write(150);
    assert_eq!(bench.text(Tool::Grep, json!({"pattern": "hit", "limit": 200})), expected(150, 150));
    // A single file is stopped in the same way.
    bench.file("f0", "hit\n".repeat(500));
    let text = bench.text(Tool::Grep, json!({"pattern": "hit", "path": "f0"}));
    assert!(text.ends_with(&format!("f0:100: hit{notice}")), "{text}");
    bench.file("f0", "hit\n".repeat(100));
    let text = bench.text(Tool::Grep, json!({"pattern": "hit", "path": "f0"}));
    assert!(text.ends_with("f0:100: hit"), "{text}");
}

#[test]
fn the_byte_limit_says_how_many_of_how_many_are_shown() {
    let bench = Bench::paged();
    let line = |n: u32| format!("hit {n:04} {}", "x".repeat(491));
    let shown = |count: u32| (1..=count).map(|n| format!("f:{n}: {}\n", line(n))).collect::<String>();
    let write = |count: u32| bench.file("f", (1..=count).map(|n| line(n) + "\n").collect::<String>());
    // A line is 500 characters and its place five or six: 60 of them are 30,411 bytes, 61 are 30,918.
    write(60);
    assert_eq!(bench.text(Tool::Grep, json!({"pattern": "hit"})), shown(60).trim_end());
    write(80);
    let reply = bench.call(Tool::Grep, json!({"pattern": "hit"}));
    assert_eq!(reply.text(), shown(60) + "\n[30KB limit reached (60 of 80 matches shown)]");
    let truncation = json!({
        "truncated": true, "truncatedBy": "bytes", "outputLines": 60, "totalLines": 80, "lastLinePartial": false
    });
    assert_eq!(reply.details, json!({"truncation": truncation}));
    write(100);
    let text = bench.text(Tool::Grep, json!({"pattern": "hit"}));
    assert_eq!(text, shown(60) + "\n[30KB limit reached (60 of 100 matches shown)]");
    write(101);
    let reply = bench.call(Tool::Grep, json!({"pattern": "hit"}));
    assert_eq!(reply.text(), shown(60) + "\n[30KB limit reached (60 of 100+ matches shown)]");
    assert_eq!(reply.details.get("matchLimitReached"), Some(&json!(100)));
}

#[test]
fn long_lines_are_marked_and_announced() {
    let bench = Bench::paged();
    let notice = "\n\n[Some lines truncated to 500 chars. Use read tool to see full lines]";
    let check = |line: String, expected: String, truncated: bool| {
        bench.file("f", line + "\nshort hit\n");
        let reply = bench.call(Tool::Grep, json!({"pattern": "hit"}));
        let notice = if truncated { notice } else { "" };
        assert_eq!(reply.text(), format!("f:1: {expected}\nf:2: short hit{notice}"));
        assert_eq!(reply.details, if truncated { json!({"linesTruncated": true}) } else { json!({}) });
    };
    let long = |count: usize| format!("hit{}", "é".repeat(count - 3));
    check(long(499), long(499), false);
    check(long(500), long(500), false);
    check(long(501), long(500) + "... [truncated]", true);
    check(long(100_000), long(500) + "... [truncated]", true);
    // A secret is taken out before the line is cut.
    let secret = format!("hit{} postgres://app:hunter22hunter22@db.local/main", "x".repeat(470));
    bench.file("f", secret);
    let text = bench.text(Tool::Grep, json!({"pattern": "hit"}));
    assert!(!text.contains("hunter"), "{text}");
}

#[test]
fn binary_files_are_named_and_not_dumped() {
    for profile in ["paged", "auto"] {
        let bench = Bench::new(profile);
        bench.file("early.bin", b"\0\x01\x02 needle \xff\n");
        // The first lines pass for text until a later block of the file shows that it is none.
        bench.file("late.bin", [b"needle\n".to_vec(), b"text\n".repeat(50_000), b"\0\n".to_vec()].concat());
        bench.file("other.bin", b"\0nothing\n");
        bench.file("text", "needle\n");
        let expected = "Binary file early.bin matches\nBinary file late.bin matches\ntext:1: needle";
        assert_eq!(bench.text(Tool::Grep, json!({"pattern": "needle"})), expected);
    }
}

#[test]
fn other_encodings_are_searched() {
    let bench = Bench::paged();
    let wide: Vec<u8> = "\u{feff}eins\nzwölf\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bench.file("wide.txt", wide);
    bench.file("broken.txt", b"zw\xff\n");
    let text = bench.text(Tool::Grep, json!({"pattern": "zw"}));
    assert_eq!(text, "broken.txt:1: zw\u{fffd}\nwide.txt:2: zwölf");
}

#[test]
fn there_is_no_small_limit_under_auto() {
    let bench = Bench::new("auto");
    for file in 0..50 {
        bench.file(&format!("src/f{file:02}.rs"), "let hit = 1;\n".repeat(100));
    }
    let reply = bench.call(Tool::Grep, json!({"pattern": "hit"}));
    let report = reply.report.clone().unwrap();
    assert_eq!(report.original_lines, Some(5000));
    assert!(reply.text().chars().count() <= 8000);
    let whole = bench.tools.offcut().recall().whole(&report.artifact_id.unwrap()).unwrap();
    assert!(whole.starts_with("src/f00.rs:1: let hit = 1;\n") && whole.ends_with("src/f49.rs:100: let hit = 1;"));
    let grep = Grep { pattern: "hit".to_owned(), limit: Some(300), ..Grep::default() };
    let reply = bench.tools.grep(&grep, &Cancel::new()).unwrap();
    assert!(reply.text().ends_with("\n\n[300 matches limit reached. Use limit=600 for more, or refine pattern]"));
    assert!(reply.text().chars().count() <= 8000);
    assert_eq!(reply.report.unwrap().original_lines, Some(300));
}

#[cfg(unix)]
#[test]
fn what_could_not_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::paged();
    bench.file("a", "hit\n");
    bench.file("closed", "hit\n");
    std::fs::set_permissions(bench.path("closed"), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(bench.path("closed")).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let text = bench.text(Tool::Grep, json!({"pattern": "hit"}));
    assert!(text.starts_with("a:1: hit\n\n[1 path could not be read: closed: "), "{text}");
}
