//! `ls`.

use offcut_tools::Tool;
use serde_json::json;

use crate::bench::Bench;

#[test]
fn everything_is_listed_without_regard_to_case_and_folders_end_with_a_slash() {
    let bench = Bench::paged();
    for file in ["b.txt", "A.txt", ".hidden", "c/x", ".git/config", "a.txt", "Z"] {
        bench.file(file, "");
    }
    bench.file(".gitignore", "b.txt\n");
    std::os::unix::fs::symlink("c", bench.path("link")).unwrap();
    let expected = ".git/\n.gitignore\n.hidden\nA.txt\na.txt\nb.txt\nc/\nlink/\nZ";
    assert_eq!(bench.text(Tool::Ls, json!({})), expected);
    assert_eq!(bench.text(Tool::Ls, json!({"path": "c"})), "x");
    let auto = Bench::new("auto");
    auto.file("One", "");
    assert_eq!(auto.text(Tool::Ls, json!({"path": "."})), "One");
}

#[test]
fn an_empty_folder_is_named_as_such() {
    let bench = Bench::paged();
    assert_eq!(bench.text(Tool::Ls, json!({})), "(empty directory)");
}

#[test]
fn the_entry_limit_is_announced_and_exactly_at_it_is_not() {
    let bench = Bench::paged();
    let names = |count: u32| (1..=count).map(|n| format!("file{n:04}")).collect::<Vec<_>>().join("\n");
    for n in 1..=499 {
        bench.file(&format!("file{n:04}"), "");
    }
    assert_eq!(bench.text(Tool::Ls, json!({})), names(499));
    bench.file("file0500", "");
    assert_eq!(bench.text(Tool::Ls, json!({})), names(500));
    bench.file("file0501", "");
    let reply = bench.call(Tool::Ls, json!({}));
    assert_eq!(reply.text(), names(500) + "\n\n[500 entries limit reached. Use limit=1000 for more]");
    assert_eq!(reply.details, json!({"entryLimitReached": 500}));
    assert_eq!(bench.text(Tool::Ls, json!({"limit": 1000})), names(501));
    let reply = bench.text(Tool::Ls, json!({"limit": 2}));
    assert_eq!(reply, "file0001\nfile0002\n\n[2 entries limit reached. Use limit=4 for more]");
}

#[test]
fn the_byte_limit_is_announced_and_exactly_at_it_is_not() {
    let bench = Bench::paged();
    let name = |n: u32| format!("{n:03}{}", "x".repeat(124));
    // 240 names of 127 bytes and a line end are 30 KB; the last end does not count.
    for n in 1..=240 {
        bench.file(&name(n), "");
    }
    let names = (1..=240).map(name).collect::<Vec<_>>().join("\n");
    assert_eq!(bench.text(Tool::Ls, json!({})), names);
    bench.file("y", "");
    let reply = bench.call(Tool::Ls, json!({}));
    assert_eq!(reply.text(), names + "\n\n[30KB limit reached]");
    let truncation = json!({
        "truncated": true, "truncatedBy": "bytes", "outputLines": 240, "totalLines": 241, "lastLinePartial": false
    });
    assert_eq!(reply.details, json!({"truncation": truncation}));
}

#[test]
fn there_is_no_small_limit_under_auto() {
    let bench = Bench::new("auto");
    for n in 1..=600 {
        bench.file(&format!("{n:03}"), "");
    }
    let names = (1..=600).map(|n| format!("{n:03}")).collect::<Vec<_>>().join("\n");
    assert_eq!(bench.text(Tool::Ls, json!({})), names);
    let reply = bench.call(Tool::Ls, json!({"limit": 1}));
    assert_eq!(reply.text(), "001\n\n[1 entries limit reached. Use limit=2 for more]");
    assert_eq!(reply.details, json!({"entryLimitReached": 1}));
}
