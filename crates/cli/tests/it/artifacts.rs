//! `offcut artifacts`.

use crate::workbench::{Bench, exists, filtered, id_in, lines};

fn kept(bench: &Bench) -> (String, String) {
    let input = lines(300);
    bench.pipe(input.as_bytes(), &["--limit", "2000", "--args", "make all"]);
    let info = bench.call(&["artifacts", "info", "last", "--json"]).stdout;
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    (info["id"].as_str().unwrap().to_owned(), input)
}

#[test]
fn a_gap_is_the_argument_that_prints_it() {
    let bench = Bench::new();
    let input = lines(300);
    let left = bench.pipe(input.as_bytes(), &["--limit", "2000"]);
    let handle = id_in(&left.stdout);
    let all: Vec<&str> = input.split_inclusive('\n').collect();
    let gaps: Vec<&str> = left.stdout.lines().filter(|line| line.starts_with(&format!("[{handle} "))).collect();
    assert!(!gaps.is_empty(), "{}", left.stdout);
    for gap in gaps {
        let span = gap.split([' ', ':', ']']).nth(1).unwrap();
        let (first, last): (usize, usize) =
            span.split_once('-').map(|(a, b)| (a.parse().unwrap(), b.parse().unwrap())).unwrap();
        let shown: String = bench.call(&["show", &handle, span, "--all"]).stdout;
        assert_eq!(shown, all[first - 1..last].concat(), "{gap}");
    }
    assert_eq!(bench.call(&["show", &handle, "b0-10"]).stdout, input[..10]);
    assert_eq!(bench.call(&["show", "last", "7"]).stdout, all[6]);
    assert!(bench.call(&["grep", &handle, "entry 299 "]).stdout.contains("entry 299 of the list"));
}

#[test]
fn a_pipe_gets_pages_that_name_the_next_call() {
    let bench = Bench::new();
    let input = lines(1000);
    let handle = id_in(&bench.pipe(input.as_bytes(), &[]).stdout);
    let mut read = String::new();
    let mut words = vec!["show".to_owned(), handle.clone()];
    for _ in 0..20 {
        let page = bench.call(&words.iter().map(String::as_str).collect::<Vec<_>>()).stdout;
        assert!(page.chars().count() <= 8001, "{}", page.chars().count());
        let Some((body, notice)) = page.rsplit_once("[Lines ") else {
            read.push_str(&page);
            break;
        };
        read.push_str(body);
        let call = notice.trim_end().strip_suffix(']').and_then(|notice| notice.split_once("Next: offcut ")).unwrap().1;
        words = call.split(' ').map(str::to_owned).collect();
    }
    assert_eq!(read, input);
    assert_eq!(bench.call(&["show", &handle, "--all"]).stdout, input);
}

#[test]
fn a_handle_that_means_more_than_one_artifact_is_told_with_their_ids() {
    let bench = Bench::new();
    let (id, _) = kept(&bench);
    let session = bench.path(".offcut/artifacts/default");
    let twin = id.replacen("art_", "art_9", 1);
    for entry in std::fs::read_dir(&session).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if name.contains(&id) {
            std::fs::copy(&entry, session.join(name.replace(&id, &twin))).unwrap();
        }
    }
    let handle = id.rsplit('_').next().unwrap().get(..4).unwrap();
    let left = bench.call(&["show", handle]);
    assert_eq!(left.code, Some(1), "{}", left.stdout);
    assert!(left.stderr.contains(&id) && left.stderr.contains(&twin), "{}", left.stderr);
    assert!(bench.call(&["show", "zzzz"]).stderr.contains("no artifact `zzzz`"));
}

#[test]
fn parts_are_what_they_say() {
    let bench = Bench::new();
    let (id, input) = kept(&bench);
    let show = |part: &[&str]| bench.call(&[&["artifacts", "show", &id], part].concat()).stdout;
    let all: Vec<&str> = input.split_inclusive('\n').collect();
    assert_eq!(show(&["--all"]), input);
    assert_eq!(show(&["--lines", "10-12"]), all[9..12].concat());
    assert_eq!(show(&["--lines", "299-"]), all[298..].concat());
    assert_eq!(show(&["--lines", "7"]), all[6]);
    assert_eq!(show(&["--bytes", "0-10"]), input[..10]);
    assert_eq!(show(&["--tail", "2"]), all[298..].concat());
    assert_eq!(bench.call(&["artifacts", "show", "last", "--all"]).stdout, input);
}

#[test]
fn a_part_that_is_not_there_is_an_error_that_says_what_is() {
    let bench = Bench::new();
    let (id, _) = kept(&bench);
    let left = bench.call(&["artifacts", "show", &id, "--lines", "900-950"]);
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(2)));
    assert!(left.stderr.contains("300"), "{}", left.stderr);
    let left = bench.call(&["artifacts", "show", "art_1_nosuch"]);
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(1)));
    assert!(left.stderr.contains("art_1_nosuch") && left.stderr.contains("\nhint: "), "{}", left.stderr);
    let left = bench.call(&["artifacts", "show", "../../etc/passwd"]);
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(1)));
}

#[test]
fn lines_are_found_by_a_pattern_and_nodes_by_a_path() {
    let bench = Bench::new();
    let (id, _) = kept(&bench);
    let left = bench.call(&["artifacts", "grep", &id, "entry 29[89] "]);
    assert_eq!(left.code, Some(0));
    assert!(left.stdout.contains("298") && left.stdout.contains("entry 299 of the list"), "{}", left.stdout);
    assert_eq!(bench.call(&["artifacts", "grep", &id, "no such words"]).code, Some(1));
    assert_eq!(bench.call(&["artifacts", "grep", &id, "("]).code, Some(2));

    let json = serde_json::json!({ "items": (0..2000).map(|n| serde_json::json!({ "id": n })).collect::<Vec<_>>() });
    let left = bench.pipe(json.to_string().as_bytes(), &["--limit", "2000", "--type", "json"]);
    let found = bench.call(&["artifacts", "query", &id_in(&left.stdout), "$.items[1234].id"]).stdout;
    assert_eq!(serde_json::from_str::<serde_json::Value>(&found).unwrap(), serde_json::json!([1234]));
}

#[test]
fn records_are_counted_and_added_up_by_a_key() {
    let bench = Bench::new();
    let line = |n: u32| format!("{{\"status\":{},\"ms\":{n}}}\n", if n.is_multiple_of(10) { 500 } else { 200 });
    let ndjson: String = (1..=2000).map(line).collect();
    let id = id_in(&bench.pipe(ndjson.as_bytes(), &["--limit", "2000", "--type", "ndjson"]).stdout);
    let query = |arguments: &[&str]| bench.call(&[&["artifacts", "query", &id], arguments].concat());
    assert_eq!(
        query(&["--group-by", "status"]).stdout,
        "count\tstatus\n1800\t200\n200\t500\n[2 groups of 2000 records]\n"
    );
    assert_eq!(query(&["$[?@.status==500]", "--max", "ms"]).stdout, "max(ms)\tcount\n2000\t200\n[200 records]\n");
    assert_eq!(query(&["--count"]).stdout, "count\n2000\n[2000 records]\n");
    assert_eq!(query(&["--sum", "ms", "--max", "ms"]).code, Some(2));
    assert_eq!(query(&[]).code, Some(2));

    let rows: String = (0..2000).map(|n| format!("{},{n}\n", ["Bonn", "Oslo"][n % 2])).collect();
    let left = bench.pipe(format!("city,size\n{rows}").as_bytes(), &["--limit", "2000", "--type", "csv"]);
    let found = bench.call(&["artifacts", "query", &id_in(&left.stdout), "--group-by", "city", "--mean", "size"]);
    assert_eq!(
        found.stdout,
        "mean(size)\tcount\tcity\n1000\t1000\tOslo\n999\t1000\tBonn\n[2 groups of 2000 records]\n"
    );
}

#[test]
fn the_list_is_a_table_for_people_and_an_array_for_programs() {
    let bench = Bench::new();
    assert_eq!(bench.call(&["artifacts", "list"]).stdout, "No artifacts in session `default`.\n");
    assert!(!exists(&bench.path(".offcut")));
    let (id, input) = kept(&bench);
    let table = bench.call(&["artifacts", "list"]).stdout;
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 4, "{table}");
    assert!(rows[0].starts_with("ID ") && rows[0].ends_with("Created"), "{table}");
    assert!(rows[2].starts_with(&id) && rows[2].contains("execute_command make all"), "{table}");
    assert_eq!(rows[3], format!("Total: 1 artifact, {:.1} KB", input.len() as f64 / 1024.0));
    let json: serde_json::Value = serde_json::from_str(&bench.call(&["artifacts", "list", "--json"]).stdout).unwrap();
    assert_eq!(json[0]["id"], id.as_str());
    assert_eq!(json[0]["bytes"], input.len());
    let info: serde_json::Value =
        serde_json::from_str(&bench.call(&["artifacts", "info", &id, "--json"]).stdout).unwrap();
    assert_eq!(info["lines"], 300);
}

#[test]
fn exporting_copies_and_does_not_overwrite_unless_told() {
    let bench = Bench::new();
    let (id, input) = kept(&bench);
    let left = bench.call(&["artifacts", "export", &id, "copy.txt"]);
    assert_eq!(left.code, Some(0), "{}", left.stderr);
    assert_eq!(std::fs::read_to_string(bench.path("copy.txt")).unwrap(), input);
    bench.write("copy.txt", "mine");
    let left = bench.call(&["artifacts", "export", &id, "copy.txt"]);
    assert_eq!(
        (left.stderr.as_str(), left.code),
        ("error: `copy.txt` already exists; use --force to overwrite it\n", Some(1))
    );
    assert_eq!(std::fs::read_to_string(bench.path("copy.txt")).unwrap(), "mine");
    assert_eq!(bench.call(&["artifacts", "export", &id, "copy.txt", "--force"]).code, Some(0));
    assert_eq!(std::fs::read_to_string(bench.path("copy.txt")).unwrap(), input);
}

#[test]
fn single_artifacts_are_removed_by_their_ids_and_an_unknown_one_removes_nothing() {
    let bench = Bench::new();
    let (first, _) = kept(&bench);
    let (second, _) = kept(&bench);
    let (third, _) = kept(&bench);
    let left = bench.call(&["artifacts", "rm", &first, "art_1_nosuch"]);
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(1)), "{}", left.stderr);
    let left = bench.call(&["artifacts", "rm", &first, "last", &first]);
    assert!(left.stdout.starts_with("Removed 2 artifacts ("), "{}{}", left.stdout, left.stderr);
    let listed = bench.call(&["artifacts", "list"]).stdout;
    assert!(listed.contains(&second) && !listed.contains(&first) && !listed.contains(&third), "{listed}");
}

#[test]
fn a_damaged_artifact_is_listed_and_can_be_removed() {
    let bench = Bench::new();
    let (damaged, _) = kept(&bench);
    let (whole, _) = kept(&bench);
    let session = bench.path(".offcut/artifacts/default");
    let names = || std::fs::read_dir(&session).unwrap().map(|entry| entry.unwrap().path());
    let metadata = names().find(|path| path.to_string_lossy().ends_with(&format!("{damaged}.meta"))).unwrap();
    std::fs::write(&metadata, "{\"broken\": ").unwrap();
    let listed = bench.call(&["artifacts", "list"]).stdout;
    let row = listed.lines().find(|row| row.starts_with(&damaged)).unwrap_or_else(|| panic!("{listed}"));
    assert!(row.contains("  damaged  ") && listed.contains(&whole), "{listed}");
    let json: serde_json::Value = serde_json::from_str(&bench.call(&["artifacts", "list", "--json"]).stdout).unwrap();
    assert_eq!((&json[0]["id"], &json[1]["id"]), (&whole.as_str().into(), &damaged.as_str().into()));
    assert!(json[1]["damaged"].is_string(), "{json}");
    assert_eq!(bench.call(&["artifacts", "rm", &damaged]).code, Some(0));
    assert!(!bench.call(&["artifacts", "list"]).stdout.contains(&damaged));
}

#[test]
fn cleaning_removes_this_session_s_artifacts_or_everybody_s() {
    let bench = Bench::new();
    kept(&bench);
    kept(&bench);
    bench.pipe(lines(300).as_bytes(), &["--limit", "2000", "--session", "other"]);
    let size = format!("{:.1} KB", 2.0 * lines(300).len() as f64 / 1024.0);
    assert_eq!(bench.call(&["artifacts", "clean"]).stdout, format!("Removed 2 artifacts ({size} freed)\n"));
    assert_eq!(bench.call(&["artifacts", "list", "--session", "other"]).stdout.lines().count(), 4);
    assert!(bench.call(&["artifacts", "clean", "--all"]).stdout.starts_with("Removed 1 artifact ("));
    assert_eq!(bench.call(&["artifacts", "list", "--session", "other"]).stdout, "No artifacts in session `other`.\n");
}

#[test]
fn what_is_stored_is_the_cleaned_text_without_its_colours() {
    let bench = Bench::new();
    let coloured: String = (0..400).map(|n| format!("\u{1b}[31mline {n}\u{1b}[0m\n")).collect();
    let plain: String = (0..400).map(|n| format!("line {n}\n")).collect();
    let left = bench.pipe(coloured.as_bytes(), &["--limit", "1000"]);
    assert_eq!(bench.call(&["artifacts", "show", &id_in(&left.stdout), "--all"]).stdout, plain);
}

#[test]
fn info_tells_everything_that_is_known() {
    let bench = Bench::new();
    let (id, input) = kept(&bench);
    let info = filtered(&bench.call(&["artifacts", "info", &id]).stdout, &bench);
    let heads: Vec<&str> = info.lines().filter_map(|line| line.split_once(": ")).map(|(head, _)| head).collect();
    let expected = [
        "Artifact",
        "Session",
        "Summary",
        "Type",
        "Size",
        "Lines",
        "Characters",
        "Estimated tokens",
        "Created",
        "Source",
        "BLAKE3",
        "Path",
    ];
    assert_eq!(heads, expected, "{info}");
    assert!(info.contains("\nSource: execute_command make all\n"), "{info}");
    let (thousands, rest) = (input.len() / 1000, input.len() % 1000);
    assert!(info.contains(&format!("\nSize: {thousands},{rest:03} bytes (")), "{info}");
}

#[test]
fn parts_can_be_switched_off() {
    let bench = Bench::new();
    let (id, input) = kept(&bench);
    bench.write("offcut.toml", "[artifacts]\nenable_partial_retrieval = false\n");
    assert_eq!(bench.call(&["artifacts", "show", &id, "--all"]).stdout, input);
    let left = bench.call(&["artifacts", "show", &id, "--lines", "1-2"]);
    assert_eq!((left.stdout.as_str(), left.code), ("", Some(2)));
    assert!(left.stderr.contains("`artifacts.enable_partial_retrieval` is `false`"), "{}", left.stderr);
}

#[test]
fn a_store_can_be_named_by_its_address() {
    let bench = Bench::new();
    let address = format!("file://{}", bench.path("kept").display());
    let left = bench.pipe(lines(300).as_bytes(), &["--limit", "2000", "--store", &address]);
    let id = id_in(&left.stdout);
    assert_eq!(bench.call(&["artifacts", "show", &id, "--all", "--store", &address]).stdout, lines(300));
    assert!(exists(&bench.path("kept/default")));
    let left = bench.call(&["artifacts", "list", "--store", "gopher://hole"]);
    assert_eq!(left.code, Some(2), "{}", left.stderr);
}

#[test]
fn a_temporary_store_is_found_again_by_the_next_command() {
    let bench = Bench::new();
    let shell = |line: &str| bench.shell(&format!("export TMPDIR=$PWD/../tmp; mkdir -p $TMPDIR; {line}"));
    let left = shell("seq 5000 | offcut --limit 2000 --store temp");
    assert!(left.stdout.lines().next().unwrap().contains(" FROM-TO --store temp"), "{}", left.stdout);
    let id = id_in(&left.stdout);
    assert_eq!(shell(&format!("offcut artifacts show {id} --lines 77 --store temp")).stdout, "77\n");
    assert!(!exists(&bench.path(".offcut")));
}

#[test]
fn a_store_may_lie_beside_the_project() {
    let bench = Bench::new();
    bench.write("offcut.toml", "artifacts.storage_path = \"../beside\"\n");
    assert_eq!(bench.call(&["config", "trust"]).code, Some(0));
    let left = bench.pipe(lines(300).as_bytes(), &["--limit", "2000"]);
    assert_eq!(bench.call(&["artifacts", "show", &id_in(&left.stdout), "--all"]).stdout, lines(300));
    assert!(exists(&bench.path("../beside/default")));
}
