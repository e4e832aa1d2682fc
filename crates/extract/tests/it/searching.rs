//! `search`: passages without a model.

use offcut::options::ExtractionOptions;
use offcut::{Call, Cancel, Offcut};
use offcut_extract::{Mode, Question, search};

use super::{kept, lines, offcut};

fn asked(offcut: &Offcut, id: &str, extract: &str) -> offcut_extract::Extraction {
    offcut_extract::extract(offcut, &Question::new(id, extract).mode(Mode::Search), None, &Cancel::new())
}

fn with(line: usize, words: &str) -> String {
    let mut all: Vec<String> = lines(3000).lines().map(str::to_owned).collect();
    all[line - 1] = words.to_owned();
    all.join("\n") + "\n"
}

#[test]
fn without_a_model_auto_searches_and_shows_passages_with_their_lines() {
    let offcut = offcut(ExtractionOptions { max_chars: Some(600), ..ExtractionOptions::default() });
    let id = kept(&offcut, &with(1700, "the volume /dev/sda1 has no room"));
    let answer = offcut_extract::extract(&offcut, &Question::new(&id, "volume sda1"), None, &Cancel::new());
    assert_eq!(answer.account.mode, Mode::Search);
    let start = format!(
        "ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {id}, STRATEGY:search:\n\n[lines 1699-1702]\nline 1699 says that all is \
         well\nthe volume /dev/sda1 has no room\nline 1701 says that all is well\nline 1702 says that all is well\n\n"
    );
    assert!(answer.text.starts_with(&start), "{}", answer.text);
    let handle = offcut.recall().handle(&id.parse().unwrap());
    let end = format!(" of 3000 lines, best first. More: get_artifact(id=\"{handle}\", lines=\"1659-1742\")]");
    assert!(answer.text.ends_with(&end), "{}", answer.text);
    assert!(answer.text.chars().count() <= 600, "{}", answer.text.chars().count());
}

#[test]
fn it_is_deterministic_and_stays_within_its_room() {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &with(1700, "error: disk full"));
    for extract in
        ["the error", "line", "\"all is well\"", "zebra", "final summary and exit code", "?", "é世🎉", "\"", "a b c"]
    {
        let first = asked(&offcut, &id, extract);
        assert!(!first.failed, "{extract}");
        assert!(first.text.chars().count() <= 4400, "{extract}: {}", first.text.chars().count());
        assert_eq!(first.text, asked(&offcut, &id, extract).text, "{extract}");
    }
}

#[test]
fn a_kind_of_line_is_found_by_words_that_do_not_stand_in_it() {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &with(1700, "FAILED tests/test_disk.py::test_mount - OSError: [Errno 28]"));
    let found = |extract: &str| asked(&offcut, &id, extract).text.contains("test_disk.py::test_mount");
    assert!(found("which case broke?"));
    assert!(found("the failing test"));
}

#[test]
fn names_of_programs_are_found_by_their_parts_and_by_their_definition() {
    let offcut = offcut(ExtractionOptions { max_chars: Some(900), ..ExtractionOptions::default() });
    let mut code = String::new();
    for n in 0..400 {
        code.push_str(&format!("def use_{n}(x):\n    value = parse_config(x)\n    return value + {n}\n\n"));
    }
    code.push_str("def parse_config(x):\n    \"\"\"Reads it.\"\"\"\n    return x.strip()\n");
    let call = Call::new("read_file").arguments("config.py");
    let id = offcut.process(call, &code).unwrap().report.artifact_id.unwrap();
    let answer = asked(&offcut, &id, "definition of parse_config");
    assert!(answer.text.contains("def parse_config(x):\n    \"\"\"Reads it.\"\"\"\n"), "{}", answer.text);
    let answer = asked(&offcut, &id, "body of parseConfig or parse_config");
    assert!(answer.text.contains("return x.strip()"), "{}", answer.text);
}

#[test]
fn a_phrase_is_found_as_it_stands() {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &with(2100, "that is well; all is not"));
    let answer = asked(&offcut, &id, "\"is well; all\"");
    assert!(answer.text.contains(":\n\n[lines 2099-2102]\n"), "{}", answer.text);
}

#[test]
fn what_does_not_occur_is_not_found_and_says_what_was_searched_for() {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &lines(3000));
    let answer = asked(&offcut, &id, "zebra");
    assert!(!answer.failed && answer.account.not_found);
    let start = format!(
        "ABSTRACT FROM TOOL OUTPUT bash WITH HANDLE {id}, STRATEGY:search:\n\nNO RELEVANT DATA FOUND\nSearched for: \
         zebra\nNone of these words stands in its 3000 lines. What stands out in them:\n\n"
    );
    assert!(answer.text.starts_with(&start), "{}", answer.text);
}

#[test]
fn one_long_line_is_shown_in_parts_with_their_bytes() {
    let offcut = offcut(ExtractionOptions { max_chars: Some(1200), ..ExtractionOptions::default() });
    let items: Vec<String> = (0..4000).map(|n| format!("{{\"id\":{n},\"city\":\"town{n}\"}}")).collect();
    let id = kept(&offcut, &format!("[{}]", items.join(",")));
    let answer = asked(&offcut, &id, "town2718");
    assert!(answer.text.contains("\"city\":\"town2718\""), "{}", answer.text);
    assert!(answer.text.contains("[line 1, bytes "), "{}", answer.text);
}

#[test]
fn all_artifacts_of_a_session_are_searched() {
    let offcut = offcut(ExtractionOptions::default());
    let first = kept(&offcut, &with(1700, "the volume sda1 has no room"));
    let second = kept(&offcut, &with(5, "the volume sda1 and the volume sdb1 were mounted"));
    let found = search(&offcut, "volume sdb1", 10, &Cancel::new()).unwrap();
    assert_eq!(found[0].artifact.id.as_str(), second);
    assert!(found[0].passage.first_line <= 5 && 5 <= found[0].passage.last_line);
    assert!(found.iter().any(|hit| hit.artifact.id.as_str() == first));
    assert!(search(&offcut, "zebra", 10, &Cancel::new()).unwrap().is_empty());
    assert_eq!(search(&offcut, "volume", 1, &Cancel::new()).unwrap().len(), 1);
    let other = offcut.in_session("other").unwrap();
    assert!(search(&other, "volume", 10, &Cancel::new()).unwrap().is_empty());
}

#[test]
fn a_question_is_found_by_other_forms_of_its_words() {
    let offcut = offcut(ExtractionOptions::default());
    let id = kept(&offcut, &with(1700, "2 Suggestions were dropped by the identifying step"));
    for asked_for in ["what did it suggest?", "which step identifies it?", "was a suggestion dropped?"] {
        let answer = asked(&offcut, &id, asked_for);
        assert!(answer.text.contains("[lines 1699-1702]\n"), "{asked_for}: {}", answer.text);
    }
}

#[test]
fn a_question_that_few_lines_answer_gets_a_small_answer_and_a_description_gets_all_the_room() {
    let offcut = offcut(ExtractionOptions::default());
    let volumes: String =
        (0..400).map(|n| format!("all is well\nthe volume /dev/sd{n} was mounted, it said\n")).collect();
    let id = kept(&offcut, &(volumes + "the volume /dev/sda1 has no room\n" + &lines(500)));
    let small = asked(&offcut, &id, "which volume has no room?").text;
    let large = asked(&offcut, &id, "volumes and their room").text;
    assert!(small.contains("/dev/sda1") && small.chars().count() < 1500, "{small}");
    assert!(large.contains("/dev/sda1") && large.chars().count() > 3000, "{}", large.chars().count());
}

#[test]
fn a_question_about_the_whole_gets_the_view_of_the_whole() {
    let offcut = offcut(ExtractionOptions::default());
    let text = with(1700, "error: the volume /dev/sda1 has no room");
    let id = kept(&offcut, &text);
    let seen = offcut.process(Call::new("bash"), &text).unwrap().text;
    for asked_for in ["why did it fail?", "what happened?", "What went wrong in this build?"] {
        let answer = asked(&offcut, &id, asked_for);
        assert!(answer.text.contains("error: the volume /dev/sda1 has no room\n"), "{}", answer.text);
        assert!(answer.text.chars().count() * 10 > seen.chars().count() * 8, "{}", answer.text.chars().count());
        assert!(
            answer.text.contains("[The whole output of 3000 lines, cut to what matters. More: "),
            "{}",
            answer.text
        );
    }
}

#[test]
fn what_is_counted_is_told_with_its_lines() {
    let offcut = offcut(ExtractionOptions::default());
    let deleted: String = (0..30).map(|n| format!("\tdeleted:    src/file{n}.rs\n")).collect();
    let id = kept(&offcut, &(lines(2000) + &deleted + &lines(500)));
    let answer = asked(&offcut, &id, "how many were deleted?");
    assert!(answer.text.contains(":\n\n[Counted: 30 lines with \"deleted\"]\n\n["), "{}", answer.text);
    assert!(answer.text.contains("src/file0.rs"), "{}", answer.text);
    let tests: String = (0..9).map(|n| format!("FAILED tests/test_{n}.py::test_a - OSError\n")).collect();
    let id = kept(&offcut, &(lines(2000) + &tests + "==== 9 failed, 300 passed in 3.10s ====\n"));
    let answer = asked(&offcut, &id, "how many tests failed?");
    assert!(answer.text.contains("[Counted: 9 lines that name a failing test]"), "{}", answer.text);
    assert!(answer.text.contains("9 failed, 300 passed"), "{}", answer.text);
}

#[test]
fn lines_that_stand_out_by_a_number_come_first() {
    let offcut = offcut(ExtractionOptions::default());
    let rows: String =
        (0..3000).map(|n| format!("-rw-r--r-- 1 u u {} Jan 1 00:00 src/f{n}.c\n", 100 + n % 997)).collect();
    let id = kept(&offcut, &(rows + "-rw-r--r-- 1 u u 90210 Jan 1 00:00 src/module.c\n"));
    let answer = asked(&offcut, &id, "which file is the largest?");
    assert!(answer.text.contains(":\n\n[line 3001] -rw-r--r-- 1 u u 90210 "), "{}", answer.text);
}

#[test]
fn a_question_to_all_artifacts_is_answered_with_the_handles_of_those_that_hold_it() {
    let offcut = offcut(ExtractionOptions::default());
    kept(&offcut, &lines(3000));
    let second = kept(&offcut, &with(1700, "the volume sda1 has no room"));
    let call = Call::new("read_file").arguments("mounts.txt");
    let third = offcut.process(call, with(5, "the volume sda1 was mounted")).unwrap().report.artifact_id.unwrap();
    let handle = |id: &str| offcut.recall().handle(&id.parse().unwrap());
    let ask = |words: &str, mode: Mode| {
        offcut_extract::extract(&offcut, &Question::new("all", words).mode(mode), None, &Cancel::new())
    };
    let answer = ask("which volume has no room?", Mode::Auto);
    assert!(!answer.failed && answer.account.mode == Mode::Search);
    let start = format!(
        "ABSTRACT FROM TOOL OUTPUT all WITH HANDLE all, STRATEGY:search:\n\n[{} bash] [lines 1699-1702]\nline 1699 says \
         that all is well\nthe volume sda1 has no room\n",
        handle(&second)
    );
    assert!(answer.text.starts_with(&start), "{}", answer.text);
    assert!(answer.text.contains(&format!("[{} read_file] [lines 4-7]\n", handle(&third))), "{}", answer.text);
    let end = format!(
        " of 2 of 3 artifacts, best first. More of the first: get_artifact(id=\"{}\", lines=\"1659-1742\")]",
        handle(&second)
    );
    assert!(answer.text.ends_with(&end), "{}", answer.text);
    assert!(answer.text.chars().count() <= 4200);
    let nothing = ask("zebra", Mode::Search);
    assert!(
        nothing.account.not_found && nothing.text.ends_with("Its words stand in none of the session's 3 artifacts.")
    );
    let other = offcut.in_session("other").unwrap();
    let empty = offcut_extract::extract(&other, &Question::new("all", "volume"), None, &Cancel::new());
    assert!(empty.text.ends_with("The session has no artifacts."), "{}", empty.text);
}
