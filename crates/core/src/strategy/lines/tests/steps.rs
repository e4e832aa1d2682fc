//! Most of the room is for the step that failed.

use super::*;

/// A log of three steps whose middle one fails: `lines` lines that no rule knows.
fn log(lines: usize) -> String {
    let noise = |what: &str, count: usize| -> String {
        (0..count).map(|n| format!("fetching {what} part {} of the archive\n", n * 7919 % 1000)).collect()
    };
    let step: String = (0..lines).map(|n| format!("case {} wants a {} and has none\n", n * 31, n * n + 7)).collect();
    format!(
        "$ ./prepare\n{}The command \"./prepare\" exited with 0.\n$ ./check\n{step}The command \"./check\" exited with 3.\n$ ./report\n{}",
        noise("first", 200),
        noise("last", 200)
    )
}

#[test]
fn a_step_that_failed_is_shown_whole_where_it_fits() {
    let log = log(25);
    for kind in [Kind::Log, Kind::Build, Kind::Text, Kind::Markdown, Kind::Listing] {
        let view = view(&log, kind, 2000);
        for line in log.lines().skip_while(|line| *line != "$ ./check").take(27) {
            assert!(view.contains(line), "{kind}: {line} is missing from\n{view}");
        }
        assert!(view.contains("fetching"), "{kind}: what is outside has the rest of the room\n{view}");
    }
}

#[test]
fn most_of_the_room_is_inside_a_step_that_is_too_large() {
    let log = log(900);
    let document = TextDocument::new(log.as_str());
    let cut = cut_within(&document, Kind::Log, Budget::chars(4000), &Settings::default());
    let shown = kept(&document, &cut);
    let inside: usize = shown.lines().filter(|line| line.starts_with("case ")).map(|line| line.len() + 1).sum();
    assert!(inside * 10 >= shown.len() * 7, "{inside} of {} characters are inside:\n{shown}", shown.len());
}

#[test]
fn room_that_is_left_goes_to_what_stands_around_what_is_shown() {
    for lines in [25, 900] {
        let view = view(&log(lines), Kind::Log, 4000);
        assert!(text::chars(&view) >= 3700, "{} of 4000 characters are used:\n{view}", text::chars(&view));
    }
}
