//! What is shown of everyday commands: git, tables, listings, searches, access logs.

use super::view;
use crate::classify::{Hints, classify};
use crate::document::TextDocument;
use crate::kind::Kind;
use crate::line::access;

fn kind_of(text: &str) -> Kind {
    classify(&TextDocument::new(text), &Hints::default()).unwrap().kind
}

/// The view of a text of the kind that it is taken for.
fn shown(text: &str, expected: Kind, chars: u64) -> String {
    assert_eq!(kind_of(text), expected, "{}", text.lines().next().unwrap_or(""));
    view(text, expected, chars)
}

fn has(view: &str, parts: &[&str]) {
    for part in parts {
        assert!(view.contains(part), "{part} is missing in:\n{view}");
    }
}

#[test]
fn a_history_shows_its_newest_commits_with_their_ids_and_the_oldest_one() {
    let commit = |n: u32| {
        format!(
            "commit {:040x}\nAuthor: Ann <a@x.org>\nDate:   Tue Aug 4 10:00:08 2026\n\n    Subject {n}\n\n    {}\n\n",
            0xabcd_0000_u64 + u64::from(n),
            "Words that failed to tell more. ".repeat(4)
        )
    };
    let log: String = (0..400).map(commit).collect();
    let view = shown(&log, Kind::Git, 3000);
    has(&view, &["abcd0000\n", "    Subject 0\n", "abcd0001\n", "    Subject 1\n", "    Subject 399\n"]);
    let oneline: String = (0..400).map(|n| format!("{:07x} Subject {n}\n", 0xabc_d000 + n)).collect();
    has(&shown(&oneline, Kind::Git, 1000), &["abcd000 Subject 0\n", "abcd001 Subject 1\n", "Subject 399\n"]);
}

#[test]
fn a_history_shows_what_was_taken_back() {
    let commit = |n: u32| {
        let subject = if n == 200 { "Revert \"Raise an error\"".to_owned() } else { format!("Subject {n}") };
        format!("commit {n:040x}\nAuthor: Ann <a@x.org>\nDate:   Tue Aug 4 10:00:08 2026\n\n    {subject}\n\n")
    };
    let log: String = (0..400).map(commit).collect();
    has(&shown(&log, Kind::Git, 1500), &["    Subject 0\n", "    Revert \"Raise an error\"\n"]);
}

/// A diff of so many files, each with one line that changes between lines that do not.
fn diff_of(files: std::ops::Range<u32>, change: impl Fn(u32) -> (String, String, String)) -> String {
    let file = |n: u32| {
        let (name, old, new) = change(n);
        let context = "     same = 1\n".repeat(6);
        format!(
            "diff --git a/{name} b/{name}\nindex 1..2 100644\n--- a/{name}\n+++ b/{name}\n@@ -1,7 +1,7 @@\n{context}-{old}\n+{new}\n"
        )
    };
    files.map(file).collect()
}

#[test]
fn a_diff_shows_settings_before_comments() {
    let diff = diff_of(20..45, |n| match n {
        40 => ("deploy/limits.yaml".into(), "  verify: true".into(), "  verify: false".into()),
        n => (format!("src/part{n}.py"), "# a remark".into(), "# another remark".into()),
    });
    has(&view(&diff, Kind::Diff, 4000), &["-  verify: true\n+  verify: false\n"]);
}

#[test]
fn a_diff_shows_the_hunk_that_is_unlike_the_others() {
    let diff = diff_of(20..45, |n| {
        let (old, new) = match n {
            33 => ("  keep: every day of the last year".into(), "  keep: nothing at all, it is too much".into()),
            n => (format!("  memory: {n}Mi"), format!("  memory: {}Mi", n * 2)),
        };
        (format!("envs/app{n}/values.yaml"), old, new)
    });
    has(&view(&diff, Kind::Diff, 3000), &["+  keep: nothing at all, it is too much\n"]);
}

#[test]
fn the_diff_of_a_merge_shows_its_conflicts() {
    let file = |n: u32| {
        let ours: String = (0..14).map(|row| format!(" +    ours {n} {row} of what is here to stay\n")).collect();
        let conflict = match n {
            17 => "++<<<<<<< HEAD\n +digest = sha512\n++=======\n+ digest = sha1\n++>>>>>>> origin/main\n",
            _ => "",
        };
        format!(
            "diff --cc src/f{n}.py\nindex 12,34..56\n--- a/src/f{n}.py\n+++ b/src/f{n}.py\n\
             @@@ -330,9 -292,9 +292,13 @@@ class Part\n  before\n{ours}{conflict}  behind\n"
        )
    };
    let diff: String = (0..30).map(file).collect();
    has(&view(&diff, Kind::Diff, 4000), &["++<<<<<<< HEAD\n", " +digest = sha512\n", "++>>>>>>> origin/main\n"]);
}

#[test]
fn a_table_shows_each_state_once() {
    let row = |n: u32| match n {
        0..=30 => format!("LISTEN      0       {:<8} 127.0.0.1:{}\n", 128 + n * 13, 8000 + n),
        _ => format!("{:<11} 0       0        127.0.0.1:{}\n", ["TIME-WAIT", "CLOSE-WAIT"][n as usize % 2], 9000 + n),
    };
    let table: String = (0..400).map(row).collect();
    let shown = view(&format!("State       Recv-Q  Send-Q   Local\n{table}"), Kind::Table, 700);
    has(&shown, &["LISTEN", "TIME-WAIT", "CLOSE-WAIT"]);
}

#[test]
fn a_log_shows_the_line_whose_number_is_far_from_the_others() {
    let line = |n: u32| {
        let took = if n == 555 { 217_338 } else { 20 + n * 7 % 60 };
        format!(
            "[pid: {}] GET /api/search?page={} => generated 4{} bytes in {took} msecs\n",
            300 + n % 7,
            n % 90,
            n % 50
        )
    };
    let log: String = (0..900).map(line).collect();
    has(&view(&log, Kind::Log, 1000), &["in 217338 msecs"]);
}

#[test]
fn a_listing_shows_the_file_that_is_far_larger_or_has_a_mode_of_its_own() {
    let entry = |n: u32| match n {
        137 => "-rwsrwxrwx 1 root root  44712 Mar  9 03:12 helper\n".to_owned(),
        222 => "-rwxr-xr-x 1 root root  26117 May 12 03:41 thumbs.phtml\n".to_owned(),
        300 => "-rw-r--r-- 1 root root 731904412 Mar  9 03:12 old.log\n".to_owned(),
        n if n % 40 == 0 => format!("\nlib/part{n}:\ntotal 64\n"),
        n => format!("-rw-r--r-- 1 root root {:6} Apr 28  2025 file{n}.py\n", 2000 + n),
    };
    let listing: String = (0..500).map(entry).collect();
    has(&shown(&listing, Kind::Listing, 1500), &["-rwsrwxrwx", "thumbs.phtml", "731904412"]);
}

#[test]
fn a_status_shows_the_branch_every_section_and_the_conflicts() {
    let changed: String = (0..300).map(|n| format!("\tmodified:   src/part{}/file{n}.c\n", n % 9)).collect();
    let status = format!(
        "On branch topic\nYour branch is ahead of 'origin/topic' by 2 commits.\n\nChanges to be committed:\n{changed}\n\
         Unmerged paths:\n  (use \"git add <file>...\")\n\tboth modified:   README.md\n\n\
         Changes not staged for commit:\n{changed}\tdeleted:    ci.yml\n\nUntracked files:\n\tscratch/\n"
    );
    let view = shown(&status, Kind::Git, 1500);
    let sections = ["On branch topic", "ahead of", "Changes to be committed:", "Unmerged paths:", "Untracked files:"];
    has(&view, &sections);
    has(&view, &["both modified:   README.md", "Changes not staged", "deleted:    ci.yml", "scratch/"]);
}

#[test]
fn blame_and_shortlog_show_the_last_change_and_the_top_authors() {
    let line = |n: u32| match n {
        700 => "0123abcd (Bo 2026-08-04 10:00:08 +0000 701) changed();\n".to_owned(),
        n => format!("{:08x} (Ann 2020-01-01 10:00:08 +0000 {}) old();\n", 0xabcd_0000_u32 + n % 40, n + 1),
    };
    let blame: String = (0..1500).map(line).collect();
    has(&shown(&blame, Kind::Git, 1500), &["0123abcd (Bo 2026-08-04"]);
    let author = |n: u32| {
        let commits = if n == 70 { 90 } else { 1 };
        format!("Author {n} ({commits}):\n{}\n", "      Mend something or other\n".repeat(commits))
    };
    let shortlog: String = (0..200).map(author).collect();
    has(&shown(&shortlog, Kind::Git, 1500), &["Author 70 (90):"]);
}

#[test]
fn a_table_shows_its_header_rows_that_differ_and_extremes() {
    let row = |n: u32| {
        let (status, restarts) = match n {
            230 => ("Evicted", 0),
            310 => ("Running", 4711),
            _ => ("Running", n % 3),
        };
        format!("web-{n:<6} 1/1   {status:<9} {restarts:>8}   5d\n")
    };
    let pods = format!("NAME       READY STATUS    RESTARTS   AGE\n{}", (0..500).map(row).collect::<String>());
    let view = shown(&pods, Kind::Table, 1200);
    has(&view, &["NAME       READY STATUS", "web-230 ", "web-310 ", "web-0 ", "web-499 "]);
    let row = |n: u32| format!(" {n:>4} | {:>6} | {} \n", n * 3, if n == 77 { "" } else { "a" });
    let psql = format!(
        "   id |  total | note \n------+--------+------\n{}(900 rows)\n",
        (0..900).map(row).collect::<String>()
    );
    has(&shown(&psql, Kind::Table, 1000), &["   id |  total | note", "   77 |", "(900 rows)"]);
}

#[test]
fn listings_behind_columns_are_read_as_trees() {
    let file = |n: u32| format!("     {}  2020-02-02 00:00   app/part{}/file{n}.py\n", 100 + n, n % 6);
    let files: String = (0..300).map(file).collect();
    let zip = format!(
        "Archive:  app.whl\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n{files}     \
         90000  2020-02-02 00:00   app/data/large.bin\n        4  2020-02-02 00:00   app-1.0.dist-info/METADATA.txt\n\
         ---------                     -------\n   123456                     302 files\n"
    );
    let view = shown(&zip, Kind::Listing, 1500);
    has(&view, &["Length      Date", "302 files", "large.bin", "METADATA", "app/part0/", "app/part5/"]);
    let du: String = (0..300).map(|n| format!("{}\t./src/part{}/file{n}.c\n", 4 + n % 9, n % 20)).collect();
    let du = format!("{du}512\t./src/module.c\n7000\t./src\n9000\t.\n");
    has(&shown(&du, Kind::Listing, 1200), &["9000\t.", "7000\t./src", "512\t./src/module.c"]);
}

#[test]
fn the_definition_of_what_was_searched_for_comes_before_definitions_that_use_it() {
    let uses: String =
        (0..300).map(|n| format!("src/op{n}.ts:{n}:export function op{n}<T>(): OperatorFn<T> {{\n")).collect();
    let found = format!("{uses}src/types.ts:30:export interface OperatorFn<T> extends Fn<T> {{}}\n{uses}");
    has(&view(&found, Kind::Search, 1000), &["src/types.ts:30:export interface OperatorFn<T>"]);
    let uses: String = (0..300).map(|n| format!("src/use{n}.c:{n}:    x = lua_next(L, {n});\n")).collect();
    let found =
        format!("{uses}src/lapi.c:30:lua_next (lua_State *L, int idx)\n{uses}").replace("lua_next (", "lua_next(");
    has(&view(&found, Kind::Search, 1000), &["src/lapi.c:30:lua_next(lua_State"]);
}

#[test]
fn records_that_differ_are_found_though_other_lines_break_the_format() {
    let record = |n: u32| {
        let (level, ms) = if n == 333 { (50, 3) } else { (30, n % 4) };
        format!("{{\"level\":{level},\"time\":17948102{n:05},\"url\":\"/cart/{n}\",\"ms\":{ms}}}\n")
    };
    let log = format!(
        "{}/app/server.js:6\n\nError: expired\n    at run (/app/server.js:6:9)\n",
        (0..700).map(record).collect::<String>()
    );
    has(&shown(&log, Kind::Ndjson, 1500), &["\"level\":50", "Error: expired"]);
}

/// Numbers that look random and are the same each time.
fn draw(state: &mut u64, most: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % most
}

/// An access log in one of five forms; a few requests have another status than most.
fn access_log(seed: u64) -> String {
    const STATUSES: [u16; 10] = [301, 304, 400, 401, 403, 404, 499, 500, 502, 503];
    const PATHS: [&str; 5] = ["/", "/api/items", "/api/items/17", "/static/app.js", "/login?next=%2F"];
    let mut state = seed.wrapping_mul(977) + 13;
    let lines = 400 + draw(&mut state, 1200);
    let rare: Vec<(u64, u16)> =
        (0..1 + seed % 6).map(|_| (draw(&mut state, lines), STATUSES[draw(&mut state, 10) as usize])).collect();
    let line = |n: u64| {
        let status = rare.iter().find(|(at, _)| *at == n).map_or(200, |(_, status)| *status);
        let path = PATHS[draw(&mut state, 5) as usize];
        let (size, host) = (draw(&mut state, 9000), draw(&mut state, 250));
        let (minute, second) = (n / 60 % 60, n % 60);
        match seed % 5 {
            0 => format!(
                "10.0.0.{host} - - [16/Nov/2026:05:{minute:02}:{second:02} +0000] \"GET {path} HTTP/1.1\" {status} {size}\n"
            ),
            1 => format!(
                "10.0.0.{host} - - [16/Nov/2026:05:{minute:02}:{second:02} +0000] \"POST {path} HTTP/2.0\" {status} {size} \"-\" \"Mozilla/5.0 (X11)\" 0.{size:04}\n"
            ),
            2 => format!(
                "2026-11-16 05:{minute:02}:{second:02} 10.0.0.1 GET {path} - 443 - 10.0.0.{host} curl/8 {status} 0 0 {size}\n"
            ),
            3 => format!("INFO:     10.0.0.{host}:{size} - \"GET {path} HTTP/1.1\" {status} OK\n"),
            _ => format!(
                "Nov 16 05:{minute:02}:{second:02} lb haproxy[9]: 10.0.0.{host}:{size} [16/Nov/2026:05:{minute:02}:{second:02}.1] fe be/s1 0/0/1/2/3 {status} {size} - - ---- 1/1/0/0/0 0/0 \"GET {path} HTTP/1.1\"\n"
            ),
        }
    };
    (0..lines).map(line).collect()
}

#[test]
fn every_access_log_shows_a_line_of_each_class_of_statuses() {
    for seed in 0..20 {
        let log = access_log(seed);
        let classes = |text: &str| {
            let mut classes: Vec<u16> =
                text.lines().filter_map(access::request).map(|request| request.status / 100).collect();
            classes.sort_unstable();
            classes.dedup();
            classes
        };
        let expected = classes(&log);
        assert!(expected.len() > 1, "log {seed} has one class only");
        for chars in [1500, 8000] {
            let kind = kind_of(&log);
            assert_eq!(classes(&view(&log, kind, chars)), expected, "log {seed} as {kind} in {chars} characters");
        }
    }
}

#[test]
fn the_root_of_a_drawn_tree_is_shown_wherever_it_stands() {
    let fetched: String = (0..60).map(|n| format!("  Downloaded part{n} v1.{n}\n")).collect();
    let tree: String = (0..300).map(|n| format!("├── crate{n} v0.{n}\n│   └── inner{n} v1.{n}\n")).collect();
    let view = view(&format!("{fetched}shop v0.28.0 (/src/shop)\n{tree}"), Kind::Listing, 1500);
    has(&view, &["shop v0.28.0 (/src/shop)\n"]);
}

#[test]
fn the_first_change_of_the_newest_commit_is_shown_with_it() {
    let commit = |n: u32| {
        let body: String = (0..60).map(|row| format!("+added {n} {row}\n")).collect();
        format!(
            "commit {:040x}\nAuthor: Ann <a@x.org>\nDate:   Tue Aug 4 10:00:08 2026\n\n    Subject {n}\n\n\
             diff --git a/f{n}.c b/f{n}.c\nindex 12..34 100644\n--- a/f{n}.c\n+++ b/f{n}.c\n\
             @@ -10,1 +10,61 @@ part {n}\n before\n{body}",
            0xabcd_0000_u64 + u64::from(n),
        )
    };
    let log: String = (0..40).map(commit).collect();
    let parts = ["    Subject 0\n", "diff --git a/f0.c b/f0.c\n", "@@ -10,1 +10,61 @@ part 0\n", "+added 0 0\n"];
    has(&view(&log, Kind::Diff, 1500), &parts);
}

#[test]
fn what_sums_a_search_up_is_shown_and_longer_names_are_definitions_too() {
    let uses: String =
        (0..300).map(|n| format!("src/a{}.py:{}:    x = shortest_path(g, {n})\n", n % 30, n + 7)).collect();
    let found = format!(
        "{uses}src/paths.py:12:def all_shortest_path_lengths(g):\n\n301 matches\n301 matched lines\n31 files contained matches\n"
    );
    let parts = ["def all_shortest_path_lengths(g):", "301 matches\n", "31 files contained matches"];
    has(&view(&found, Kind::Search, 900), &parts);
}

#[test]
fn the_gaps_of_a_listing_name_the_folders_that_they_hide() {
    let files: String =
        (0..400).map(|n| format!("lib/part{}/deep/file{n:03}.c\n", n / 100)).chain(["top.c\n".to_owned()]).collect();
    let said = view(&files, Kind::Listing, 1500);
    assert!(said.contains("in lib/part"), "{said}");
}

#[test]
fn where_all_values_are_as_frequent_none_is_rare() {
    let row = |n: u32| match n {
        188 => format!("{n:<5} job-{:<3} error   disk quota exceeded\n", n % 17),
        n => format!("{n:<5} job-{:<3} done    -\n", n % 17),
    };
    let table: String = ["run   job     state   message\n".to_owned()].into_iter().chain((1..520).map(row)).collect();
    has(&view(&table, Kind::Table, 900), &["disk quota exceeded", "run   job"]);
}

#[test]
fn a_column_of_a_plan_is_no_heading_of_a_document() {
    let plan: String =
        (0..60).map(|n| format!("   ->  Seq Scan on t{n}  (cost=0.00..{n}.00 rows=1 width=4)\n")).collect();
    let table = format!("{}QUERY PLAN\n{}\n{plan}(60 rows)\n", " ".repeat(40), "-".repeat(90));
    assert_ne!(kind_of(&format!("{table}\n{table}- one\n- two\n")), Kind::Markdown);
    assert_eq!(kind_of("Title\n=====\n\n- one\n- two\n\nPart\n----\n\nSee [it](x).\n"), Kind::Markdown);
}

#[test]
fn the_folders_of_a_recursive_listing_come_before_what_is_in_them() {
    let folder = |n: usize| {
        let files: String =
            (0..40).map(|f| format!("-rw-r--r-- 1 root root {} Oct  7 12:35 page{f}.html\n", f * 977)).collect();
        format!("\nshare/doc/part{n}:\ntotal 120\n{files}")
    };
    let folders: String = (0..12).map(|n| format!("drwxr-xr-x 2 root root 4096 Oct  7 12:35 part{n}\n")).collect();
    let text = format!("share/doc:\ntotal 48\n{folders}{}", (0..12).map(folder).collect::<String>());
    let view = view(&text, Kind::Listing, 1500);
    for n in 0..12 {
        assert!(view.contains(&format!("share/doc/part{n}:")), "{n} is missing from\n{view}");
    }
}

#[test]
fn what_went_wrong_is_shown_among_paths_and_matches() {
    let paths = |n: u32| format!("srv/data{}/part{}/orders-{n}.db\n", n % 7, n % 31);
    let wrong = "rsync: [sender] read errors mapping \"/data/orders.db\": Input/output error (5)\n";
    let sent: String = (0..300).map(paths).chain([wrong.to_owned()]).chain((300..600).map(paths)).collect();
    has(&shown(&sent, Kind::Listing, 2000), &[wrong]);
    let matches = |n: u32| format!("client.go:128: creating {n} resources\n");
    let wrong = "Error: UPGRADE FAILED: context deadline exceeded\n";
    let made: String = (0..300).map(matches).chain([wrong.to_owned()]).chain((300..600).map(matches)).collect();
    has(&shown(&made, Kind::Search, 2000), &[wrong]);
    let denied = "rg: ./private: Permission denied (os error 13)\n";
    let found = |n: u32| format!("src/part{}.rs:{n}:let total = sum(rows);\n", n / 20);
    let found: String = (0..300).map(found).chain([denied.to_owned()]).chain((300..600).map(found)).collect();
    has(&shown(&found, Kind::Search, 2000), &[denied]);
    let commits = |n: u32| format!("commit {n:040x}\nAuthor: Ann <a@x.org>\n\n    error: is what part {n} said\n\n");
    let wrong = "fatal: unable to read tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";
    let history: String = (0..100).map(commits).chain([wrong.to_owned()]).chain((100..200).map(commits)).collect();
    has(&shown(&history, Kind::Git, 2000), &[wrong, "commit 0000", "part 0 said"]);
}

#[test]
fn lines_like_no_other_are_shown_however_many_stand_together() {
    let same = |n: u32| format!("10:00:{:02} INFO request {n} handled in {} ms\n", n % 60, n * 7 % 99);
    let various = |n: u32| {
        let (what, how) = (["request", "batch", "worker"][n as usize % 3], ["handled", "started"][n as usize % 2]);
        format!("10:00:{:02} INFO {what} of {} {how} again\n", n % 60, ["north", "south", "west"][n as usize / 7 % 3])
    };
    let others = ["10:00:01 INFO the cart was empty and nothing was bought\n", "10:00:01 INFO leaving early today\n"];
    let log = |line: &dyn Fn(u32) -> String| -> String {
        let others = others.iter().map(|line| (*line).to_owned());
        (0..250).map(line).chain(others).chain((250..500).map(line)).collect()
    };
    has(&shown(&log(&same), Kind::Log, 2000), &others);
    has(&shown(&log(&various), Kind::Log, 2000), &others);
}

#[test]
fn robot_framework_shows_what_failed() {
    let test = |n: u32| format!("{:<70}| PASS |\n{}\n", format!("Total Of Cart {n}"), "-".repeat(78));
    let failed = format!("{:<70}| FAIL |\n", "Discount Is Applied Once");
    let why = "Should be equal as numbers: 95.0 != 90.0\n";
    let block = format!("{failed}{why}{}\n", "-".repeat(78));
    let run: String = (0..300).map(test).chain([block]).chain((300..500).map(test)).collect();
    has(&shown(&run, Kind::Test, 2000), &[&failed, why]);
}

#[test]
fn a_gap_below_a_heading_that_is_shown_does_not_say_it_again() {
    let section = |n: u32| {
        let words: String =
            (0..40).map(|line| format!("Words of line {line} of part {n}, which say little.\n")).collect();
        format!("## Part {n}\n\n{words}\n")
    };
    let few = view(&format!("# All\n\n{}", (0..3).map(section).collect::<String>()), Kind::Markdown, 2000);
    has(&few, &["## Part 0", "## Part 2", "Words of line 0 of part 1,"]);
    assert!(!few.contains(" in Part "), "{few}");
}
