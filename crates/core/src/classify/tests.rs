//! Small outputs of many programs, and what they are.

use proptest::prelude::*;

use super::*;
use crate::document::TextDocument;

fn kind_of(text: &str, tool: &str, arguments: &str) -> Classification {
    let hints = Hints { tool, arguments, ..Hints::default() };
    classify(&TextDocument::new(text), &hints).unwrap()
}

/// Checks the kind under a command that says nothing, and under one that says something wrong.
fn check(text: &str, expected: Kind) {
    for (tool, arguments) in [("", ""), ("execute_command", "cat x"), ("execute_command", "docker logs web")] {
        let found = kind_of(text, tool, arguments);
        assert_eq!(found.kind, expected, "{arguments}: {found:?} for {text:?}");
        assert!((0.0..=1.0).contains(&found.confidence));
    }
}

#[test]
fn json_is_checked_and_not_guessed() {
    check("{\"a\": [1, 2.5e3, null], \"b\": \"x\\\"y\"}\n", Kind::Json);
    check("[]", Kind::Json);
    check("{\"a\": [1, 2", Kind::Json);
    check("{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", Kind::Ndjson);
    check("[INFO] starting\n[ERROR] failed\n[INFO] ended\n", Kind::Build);
    check("[2026-11-15 10:00:00] INFO up\n[2026-11-15 10:00:01] INFO down\n", Kind::Log);
}

#[test]
fn markup_tables_and_documents_are_told_apart() {
    check("<!DOCTYPE html><html><body>x</body></html>", Kind::Html);
    check("<?xml version=\"1.0\"?>\n<a><b/></a>\n", Kind::Xml);
    check("name,size,date\na,1,2020\nb,2,2021\nc,3,2022\n", Kind::Csv);
    let rows: String = (0..60).map(|n| format!("{n},a{n},2026-08-15 13:{n:02}:03,{}\n", n % 7)).collect();
    check(&format!("id,customer,placed,qty\n{rows}"), Kind::Csv);
    check("name\tsize\na\t1\nb\t2\nc\t3\n", Kind::Tsv);
    let rule =
        "  - alert: Slow\n    expr: |\n      sum by (job) (\n        rate(slow: total[5m])\n      ) > 1\n    for: 5m\n";
    check(&format!("spec:\n  rules:\n{}", rule.repeat(9)), Kind::Yaml);
    check("apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n  labels:\n    - a\n", Kind::Yaml);
    check("# Title\n\nSome *words*.\n\n- one\n- [two](x)\n\n## More\n\n```\ncode\n```\n", Kind::Markdown);
    assert_eq!(kind_of("Dear all,\nthis is a letter. It says little.\nYours\n", "", "").kind, Kind::Text);
    check("", Kind::Text);
}

#[test]
fn logs_are_logs() {
    check("Nov 15 10:00:01 host sshd[1]: Accepted\nNov 15 10:00:02 host sshd[2]: Closed\n", Kind::Log);
    check("1.2.3.4 - - [15/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n".repeat(3).as_str(), Kind::Log);
    check("level=info msg=\"up\" port=80\nlevel=error msg=\"down\"\nlevel=info msg=x\n", Kind::Log);
    check(
        "2026-11-15 10:00:00,123 INFO  [main] app.Main - up\n2026-11-15 10:00:00,124 ERROR [main] x - no\n",
        Kind::Log,
    );
}

#[test]
fn test_runners_are_told_from_builds() {
    check("running 2 tests\ntest a ... ok\ntest b ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed\n", Kind::Test);
    check("=== RUN   TestA\n--- FAIL: TestA (0.00s)\n    a_test.go:5: no\nFAIL\nFAIL\tx/y\t0.1s\n", Kind::Test);
    check(
        "..F.\n=====\nFAIL: test_a (t.A)\n-----\nTraceback (most recent call last):\n  File \"t.py\", line 3\nRan 4 tests in 0.01s\n\nFAILED (failures=1)\n",
        Kind::Test,
    );
    check("TAP version 13\n1..2\nok 1 a\nnot ok 2 b\n", Kind::Test);
    check(
        "   Compiling a v1.0\nerror[E0308]: mismatched types\n --> src/a.rs:1:2\n  |\nerror: could not compile\n",
        Kind::Build,
    );
    check("gcc -c a.c\na.c:3:5: error: expected ';'\nmake: *** [a.o] Error 1\n", Kind::Build);
    check(
        "src/a.ts(3,5): error TS2304: Cannot find name 'x'.\nsrc/b.ts(1,1): error TS1005: ';' expected.\n",
        Kind::Build,
    );
}

#[test]
fn traces_diffs_searches_and_listings_are_told_apart() {
    check(
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\nValueError: x\n",
        Kind::Trace,
    );
    check("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n", Kind::Diff);
    check("src/a.rs:10:fn main() {\nsrc/b.rs:22:    main();\nsrc/c.rs:7:// main\n", Kind::Search);
    check("src/a.rs-9-\nsrc/a.rs:10:fn main() {\nsrc/a.rs-11-    run();\n--\nsrc/b.rs:22:    main();\n", Kind::Search);
    check("src/a.rs:fn main() {\nsrc/a.rs:    main();\nsrc/b.rs:use main;\nsrc/b.rs:// main\n", Kind::Search);
    check("./a/b.txt\n./a/c.txt\n./d/e/f.txt\n", Kind::Listing);
    check("total 8\ndrwxr-xr-x 2 u u 4096 Nov 15 10:00 a\n-rw-r--r-- 1 u u 10 Nov 15 10:00 b\n", Kind::Listing);
    check("├── a\n│   └── b\n└── c\n", Kind::Listing);
}

#[test]
fn code_is_known_by_content_and_its_language_by_name() {
    let rust = "use std::io;\n\npub fn main() -> Result<(), E> {\n    let mut x = 1;\n    match x {\n        _ => {}\n    }\n}\n";
    check(rust, Kind::Code(Language::Rust));
    let python =
        "import os\n\ndef main(self):\n    if self.x is None:\n        return self.run()\n    raise ValueError(x)\n";
    check(python, Kind::Code(Language::Python));
    let header = "struct a {\n  int x;\n};\nint f(void);\n";
    assert_eq!(kind_of(header, "read_file", "{\"path\":\"src/a.hpp\"}").kind, Kind::Code(Language::Cpp));
}

#[test]
fn a_source_that_was_read_is_code_though_it_begins_as_a_page_or_speaks_of_failures() {
    let page = "<template>\n  <div class=\"risk\">\n    <p>{{ risk }}</p>\n  </div>\n</template>\n\n<script>\nexport default {\n  name: \"Risk\",\n};\n</script>\n";
    assert_eq!(kind_of(page, "read_file", "{\"path\":\"src/Risk.vue\"}").kind, Kind::Code(Language::Other));
    assert_eq!(kind_of(page, "read_file", "{\"path\":\"src/risk.html\"}").kind, Kind::Html);
    let module = "module Risk where\n\ndata Risk = Risk { name :: Text }\n\n-- error: not this\ninstance Show Risk where\n  show (Risk n) = concat [\"failed\", n]\n";
    assert_eq!(kind_of(&module.repeat(20), "read_file", "src/Risk.hs").kind, Kind::Code(Language::Other));
}

#[test]
fn the_caller_may_force_a_kind() {
    let hints = Hints { forced: Some(Kind::Csv), ..Hints::default() };
    assert_eq!(classify(&TextDocument::new("{}"), &hints).unwrap().kind, Kind::Csv);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_has_a_kind(text in "(\\PC|[\n\r\t{}\\[\\]\",:<>]){0,300}", tool in "\\PC{0,9}", arguments in "\\PC{0,30}") {
        let found = kind_of(&text, &tool, &arguments);
        prop_assert!((0.0..=1.0).contains(&found.confidence));
        prop_assert_eq!(kind_of(&text, &tool, &arguments), found);
    }

    #[test]
    fn large_texts_are_sampled_anywhere(line in "[ -~é世]{0,40}", count in 2000usize..9000) {
        kind_of(&format!("{line}\n").repeat(count), "", "");
        kind_of(&line.repeat(count), "", "");
    }
}

#[test]
fn tagged_lines_of_a_run_that_failed_are_no_table() {
    let quiet: String = (0..40).map(|n| format!("web\tloaded part {n}\n")).collect();
    check(&quiet, Kind::Tsv);
    let failed = format!("{quiet}web\tcart adds the tax [FAILED]\nweb\t1 failed\n");
    assert_ne!(kind_of(&failed, "", "").kind, Kind::Tsv);
    let keys: String = (0..40).map(|n| format!("part {n}: loaded\n")).collect();
    check(&keys, Kind::Yaml);
    assert_ne!(kind_of(&format!("{keys}part 41: FAILED\nexit status 2\n"), "", "").kind, Kind::Yaml);
}

#[test]
fn what_linters_and_runners_print_is_no_table_search_listing_or_markdown() {
    let pylint: String = (1..40)
        .map(|n| format!("src/a.py:{n}:0: C0116: Missing function or method docstring (missing-docstring)\n"))
        .collect();
    check(&format!("************* Module a\n{pylint}"), Kind::Build);
    let kind = |text: &str, command: &str| kind_of(text, "execute_command", command).kind;
    let steps: String = (0..60).map(|n| format!("[app] adding node: (<class 'x.n{n}'>, 1)\n")).collect();
    assert_ne!(kind(&format!("loading translations from en\n{steps}"), ""), Kind::Table);
    let tagged: String = (0..60).map(|n| format!("@acme/core: transpiled part {n} in {n} ms\n")).collect();
    assert_ne!(kind(&tagged, "npx lerna run build"), Kind::Search);
    let matches: String = (0..60).map(|n| format!("src/part{}.rs:let x = {n};\n", n / 9)).collect();
    assert_eq!(kind(&matches, ""), Kind::Search);
    let checked: String = (0..60).map(|n| format!("ruby -wc lib/part{n}.rb\nSyntax OK\n")).collect();
    assert_ne!(kind(&checked, "find lib -name '*.rb' | xargs -n 1 ruby -wc"), Kind::Listing);
    let scanned: String = (0..60).map(|n| format!("Scanning src/part{}/file{n}.php\n", n % 9)).collect();
    assert_ne!(kind(&scanned, ""), Kind::Listing);
    let boxed = "## ---------- ##\n## Platform. ##\n## ---------- ##\n\nuname -m = x86_64\n| #define X 1\n\n".repeat(9);
    assert_ne!(kind(&boxed, "cat config.log"), Kind::Markdown);
}

#[test]
fn fields_between_semicolons_are_a_table_and_statements_are_none() {
    let rows: String = (0..20).map(|n| format!("town {n};{n},5;DE\n")).collect();
    check(&format!("name;area;country\n{rows}"), Kind::Csv);
    let statements: String = (0..20).map(|n| format!("a{n} = 1; b{n} = 2; c{n} = 3;\n")).collect();
    assert_ne!(kind_of(&statements, "execute_command", "").kind, Kind::Csv);
}

#[test]
fn a_long_table_below_a_heading_is_a_table() {
    let rows = |count: usize| -> String { (0..count).map(|n| format!("| check {n} | passed | ann |\n")).collect() };
    let text = |count: usize| format!("# Checks\n\n| check | state | owner |\n| --- | --- | --- |\n{}", rows(count));
    assert_eq!(kind_of(&text(100), "execute_command", "cat checks.md").kind, Kind::Table);
    assert_eq!(kind_of(&text(10), "execute_command", "cat checks.md").kind, Kind::Markdown);
}

#[test]
fn a_manual_full_of_fenced_examples_is_markdown() {
    let example = |n: u32| {
        format!(
            "## Part {n}\n\nThis is how it is done.\n\n```python\n>>> class C{n}:\n...     x = attr.ib(default={n})\n>>> C{n}(1, 2)\n\
             Traceback (most recent call last):\n   ...\nTypeError: __init__() takes 2 positional arguments\n```\n\n\
             Or by a factory:\n\n```python\nx = make(\"C\", [\"x\"])\ny = x(1).value\nimport {n}.parts\n```\n\n"
        )
    };
    let manual: String = (1..20).map(example).collect();
    check(&format!("# By example\n\n{manual}"), Kind::Markdown);
    // Headings and fences in the comment of a source file do not make it one.
    let source: String = (0..60).map(|n| format!("def part{n}(x):\n    y = x.get({n})\n    return y\n\n")).collect();
    let commented =
        format!("\"\"\"\n# Parts\n\n## Use\n\n```\npart0(1)\n```\n\n## Notes\n\n- one\n\n## More\n\"\"\"\n{source}");
    check(&commented, Kind::Code(Language::Python));
}

#[test]
fn comments_make_no_source_or_configuration_markdown() {
    let boxed =
        "(*****************)\n(*               *)\n(*  The authors  *)\n(*               *)\n(*****************)\n\n";
    let functions: String = (0..40).map(|n| format!("let part{n} x =\n  match x with\n  | 0 -> {n}\n\n")).collect();
    assert_ne!(kind_of(&format!("{boxed}{functions}"), "", "").kind, Kind::Markdown);
    let keys: String = (0..40)
        .map(|n| format!("# What part {n} does.\nPart/Check{n}:\n  Enabled: true\n  Allowed:\n    - a\n    - b\n\n"))
        .collect();
    assert_eq!(kind_of(&format!("# Common settings.\n\n{keys}"), "", "").kind, Kind::Yaml);
}

#[test]
fn recorded_calls_and_tagged_results_are_no_code() {
    let calls: String = (0..40)
        .map(|n| {
            format!(
                "openat(AT_FDCWD, \"/lib/part{n}.so\", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)\n\
                 read(3, \"\", 4096) = 0\n"
            )
        })
        .collect();
    assert!(!matches!(kind_of(&calls, "execute_command", "strace ls").kind, Kind::Code(_)));
    let tagged: String = (0..40).map(|n| format!("@acme/billing: ok {n} - adds (part {n})\n")).collect();
    assert!(!matches!(kind_of(&tagged, "", "").kind, Kind::Code(_)));
}

#[test]
fn a_file_that_is_edited_in_place_is_not_printed() {
    let text = "shop/part is 1\nx = f(2)\nshop/other is 3\n".repeat(9);
    assert!(!matches!(
        kind_of(&text, "execute_command", "sed -i 's/a/b/' x.go; go build").kind,
        Kind::Code(Language::Go)
    ));
}
