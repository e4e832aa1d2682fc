//! Every form is undone from what it shows and what the header says.

use proptest::prelude::*;

use super::*;
use crate::tokens::{TokenCounter, Tokenizer};

fn shown(text: &str, kind: Kind) -> Option<Compact> {
    compact(text, kind, "a123", &|made| made.text.len() * 10 <= text.len() * 9)
}

#[test]
fn json_loses_its_white_space_and_nothing_else() {
    let text = "{\n    \"a b\": [1, 2.50,\n    \"x  \\\" y\"],\n    \"big\": 12345678901234567890\n}\n";
    let made = shown(text, Kind::Json).unwrap();
    assert_eq!(made.text, "{\"a b\":[1,2.50,\"x  \\\" y\"],\"big\":12345678901234567890}");
    assert_eq!(made.done, "JSON without white space");
    assert_eq!(shown("{\"a\": 1,}", Kind::Json), None, "what is not JSON has no such form");
}

#[test]
fn like_objects_become_a_table_that_gives_them_back() {
    let objects: Vec<String> = (0..200)
        .map(|n| {
            format!(
                "{{\"identifier\": {n}, \"display_name\": \"user {n}\", \"active\": true, \"address\": {{\"city\": \"Oslo\", \
                 \"street_number\": {n}}}, \"tags\": [\"a\", \"b\"]}}"
            )
        })
        .collect();
    let text = format!("[\n  {}\n]\n", objects.join(",\n  "));
    let made = json::table(&text, "a123").unwrap();
    let mut rows = made.text.lines();
    assert_eq!(rows.next(), Some("identifier,display_name,active,address.city,address.street_number,tags"));
    assert_eq!(rows.next(), Some("0,\"user 0\",true,\"Oslo\",0,[\"a\",\"b\"]"));
    assert_eq!(made.text.lines().count(), 201);
    assert_eq!(json::from_table(&made, "a123"), json::minified(&text));
    assert_eq!(made.done, "200 objects as a table, a column for each key");
    let tokens = |text: &str| Tokenizer::nearest().count(text);
    assert!(tokens(&made.text) * 100 <= tokens(&text) * 45, "{} of {}", tokens(&made.text), tokens(&text));
}

#[test]
fn a_table_inside_an_object_and_missing_keys_are_given_back() {
    let text =
        "{\"total\": 3, \"items\": [{\"a\": 1, \"b\": \"x\"}, {\"a\": 2}, {\"a\": 3, \"b\": null}], \"next\": null}";
    let made = json::table(text, "a123").unwrap();
    assert_eq!(made.text, "{\"total\":3,\"items\":[3 rows below],\"next\":null}\na,b\n1,\"x\"\n2,\n3,null");
    assert_eq!(json::from_table(&made, "a123"), json::minified(text));
    // Keys that a comma or a dot could be taken for a border of are not flattened into a header.
    for text in
        ["[{\"a,b\":1},{\"a,b\":2},{\"a,b\":3}]", "[{\"a.b\":1},{\"a.b\":2},{\"a.b\":3}]", "[{},{},{}]", "[1,2,3]"]
    {
        let made = json::table(text, "a123");
        assert!(made.is_none_or(|made| json::from_table(&made, "a123") == json::minified(text)), "{text}");
    }
}

#[test]
fn records_become_a_table_too() {
    let text: String = (0..50).map(|n| format!("{{\"level\": \"info\", \"n\": {n}}}\n")).collect();
    let made = json::records_table(&text, "a123").unwrap();
    assert!(made.text.starts_with("level,n\n\"info\",0\n\"info\",1\n"), "{}", made.text);
    assert_eq!(json::records_from_table(&made, "a123"), json::minified_records(&text));
}

#[test]
fn equal_lines_are_shown_once_with_their_count() {
    let text = format!("start\n{}\n\n\n\n\nend", "waiting for the server\n".repeat(40).trim_end());
    let made = shown(&text, Kind::Text).unwrap();
    assert_eq!(made.text, "start\nwaiting for the server\n[a123 +39]\n\n[a123 +3]\nend");
    assert_eq!(lines::undo_runs(&made, "a123").unwrap(), text);
    // What follows the last line end is no empty line.
    let blank = lines::runs("a\n\n\n\n\n", "a123").unwrap();
    assert_eq!(blank.text, "a\n\n[a123 +3]\n");
    assert_eq!(lines::undo_runs(&blank, "a123").unwrap(), "a\n\n\n\n\n");
    // An output that imitates the mark is given back as it came, or has no such form.
    let forged = text.replace("start", "[a123 +7]");
    assert!(shown(&forged, Kind::Text).is_none());
}

#[test]
fn lines_that_count_are_shown_by_the_first_and_the_last() {
    let text = format!(
        "start\n{}end\nrow 7 of 7\n",
        (5..60).map(|n| format!("request {n} of 99 served\n")).collect::<String>()
    );
    let made = shown(&text, Kind::Log).unwrap();
    assert_eq!(
        made.text,
        "start\nrequest 5 of 99 served\n[a123 +53 counting on]\nrequest 59 of 99 served\nend\nrow 7 of 7\n"
    );
    assert_eq!(made.done, "[a123 +N counting on] are N lines that count from the one above to the one below");
    assert_eq!(lines::undo_runs(&made, "a123").unwrap(), text);
    // Numbers that do not grow by one, or have zeros before them, are shown.
    for odd in ["a 2\na 4\na 6\na 8\na 10\n", "a 01\na 02\na 03\na 04\na 05\n", "9\n8\n7\n6\n5\n4\n"] {
        assert!(lines::runs(odd, "a123").is_none(), "{odd}");
    }
}

#[test]
fn a_prefix_of_every_line_is_said_once() {
    let text: String = (0..40).map(|n| format!("container-7 | request {}\n", n * n)).collect();
    let made = shown(&text, Kind::Log).unwrap();
    assert!(made.text.starts_with("0\n1\n4\n"), "{}", made.text);
    assert_eq!(made.done, "each line without its beginning `container-7 | request `");
}

#[test]
fn search_results_and_paths_are_grouped() {
    let text: String = (0..30).map(|n| format!("crates/core/src/a{}.rs:{n}:let x = {n};\n", n / 10)).collect();
    let made = lines::by_file(&text, "a123").unwrap();
    assert!(made.text.starts_with("crates/core/src/a0.rs\n0:let x = 0;\n1:let x = 1;\n"), "{}", made.text);
    assert_eq!(lines::undo_by_file(&made, "a123").unwrap(), text);
    let text: String = (0..30).map(|n| format!("./src/part{}/file{n}.rs\n", n / 10)).collect();
    let made = lines::by_folder(&text, "a123").unwrap();
    assert!(made.text.starts_with("./src/part0/ file0.rs file1.rs "), "{}", made.text);
    assert_eq!(lines::undo_by_folder(&made, "a123").unwrap(), text);
}

/// What a chain shows, undone by nothing but what the header says of it.
fn undone(made: &Compact) -> Option<String> {
    let said = ["LF for CRLF", "padding", " again]", "[a123 +N", "lines begin with"];
    let all = [LINE_FEEDS, COLUMNS, BLOCKS, RUNS, SECTIONS];
    let applied = all.iter().zip(said).filter(|(_, said)| made.done.contains(said));
    applied
        .rev()
        .try_fold(made.text.clone(), |text, (form, _)| (form.undo)(&Compact { text, done: made.done.clone() }, "a123"))
}

#[test]
fn columns_may_end_in_carriage_returns() {
    let text = "test part0::tests::   ... ok\r\n".repeat(18);
    let made = chained(&text, TABLES.chain, "a123", &|made| made.text.len() * 5 <= text.len()).unwrap();
    assert_eq!(made.text, "test part0::tests:: ... ok\n[a123 +17]\n");
    assert_eq!(undone(&made), Some("test part0::tests:: ... ok\r\n".repeat(18)), "all but the padding comes back");
}

/// Outputs that repeat: lines from a small choice, alone, in runs, in blocks that come again, counting.
fn repeating() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("warning: conversion from `ulg` to `uInt` may change value".to_owned()),
        Just(String::new()),
        Just("    is zero when empty".to_owned()),
        Just("[a123 1-2 again]".to_owned()),
        Just("[a123 +4]".to_owned()),
        (0..9_u32, "[a-zå ./:]{0,24}").prop_map(|(n, name)| format!("test part{n}::tests::{name} ... ok")),
        "[ -~]{0,30}",
    ];
    let part = (prop::collection::vec(line, 1..8), 1..5_usize, any::<bool>()).prop_map(|(lines, times, counts)| {
        let last = (0..if counts { 9 } else { 0 }).map(|n| format!("request {n} of 9\n")).collect::<String>();
        lines.iter().map(|line| format!("{line}\n").repeat(times)).collect::<String>() + &last
    });
    let parts = prop::collection::vec((part, 1..4_usize), 1..8);
    (parts, any::<bool>(), any::<bool>()).prop_map(|(parts, again, crlf)| {
        let once: String = parts.iter().map(|(part, times)| part.repeat(*times)).collect();
        let text = if again { format!("{once}{once}") } else { once };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #[test]
    fn the_header_and_what_is_shown_give_the_output_back(text in repeating(), most in 20..100_usize) {
        let fits = |made: &Compact| made.text.len() * 100 <= text.len() * most;
        if let Some(made) = chained(&text, TEXT.chain, "a123", &fits) {
            prop_assert_eq!(undone(&made), Some(text.clone()), "{} {}", made.done, made.text);
        }
        if let Some(made) = chained(&text, TABLES.chain, "a123", &fits) {
            let back = undone(&made);
            prop_assert!(back.as_deref() == Some(&text) || back == columns::words(&text), "{} {}", made.done, made.text);
        }
        for kind in [Kind::Text, Kind::Listing, Kind::Csv] {
            if let Some(made) = compact(&text, kind, "a123", &fits) {
                prop_assert!(made.text.len() < text.len());
            }
        }
    }
}

proptest! {
    #[test]
    fn a_mark_names_as_many_lines_as_it_stands_for(text in repeating()) {
        let Some(made) = BLOCKS.of(&text, "a123") else { return Ok(()) };
        let lines: Vec<&str> = text.split_terminator('\n').collect();
        let mut at = 0;
        for shown in made.text.split_terminator('\n') {
            let named = shown.strip_prefix("[a123 ").and_then(|said| said.strip_suffix(" again]"));
            let Some(named) = named else {
                prop_assert_eq!(lines.get(at), Some(&shown));
                at += 1;
                continue;
            };
            let (first, last) = named.split_once('-').unwrap_or((named, named));
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            prop_assert!(first <= last && last <= at, "{} names what is not above it", shown);
            prop_assert_eq!(lines.get(first - 1..last), lines.get(at..at + last + 1 - first), "{}", shown);
            at += last + 1 - first;
        }
        prop_assert_eq!(at, lines.len());
    }
}

#[test]
fn a_host_recognises_every_mark() {
    let pattern = regex::Regex::new(crate::notice::MARKER_PATTERN).unwrap();
    let group = "  #total\n    is zero when empty\n    sums price times quantity\n";
    let tests: String = ('a'..='p').map(|name| format!("test parser::tests::{name} ... ok\n")).collect();
    let counted: String = (0..9).map(|n| format!("request {n} of 9\n")).collect();
    let text = format!("{group}a\n{group}{}{counted}{tests}", "waiting\n".repeat(9));
    let made = chained(&text, TEXT.chain, "a123", &|made| made.done.contains("begin with")).unwrap();
    let own: Vec<&str> = made.text.lines().filter(|line| line.starts_with("[a123 ")).collect();
    assert_eq!(own.len(), 4, "{}", made.text);
    assert!(own.iter().all(|line| pattern.is_match(line)), "{own:?}");
}
