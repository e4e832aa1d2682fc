use offcut_core::text;
use proptest::prelude::*;

use super::Kept;
use crate::recall::{Request, Selector};

fn pattern(text: &str) -> Selector {
    Selector::Pattern { pattern: text.to_owned(), context: 0, max_matches: None, start: None, end: None }
}

fn log() -> String {
    (1..=1000).map(|n| if n % 7 == 0 { format!("error {n}\n") } else { format!("fine {n}\n") }).collect()
}

#[test]
fn matching_lines_come_with_their_numbers() {
    let kept = Kept::new("one\ntwo\r\nthree\rtwo again");
    let found = kept.offcut.recall().read(&kept.id, &pattern("^two")).unwrap();
    assert_eq!(found.text, "2: two\n4: two again\n");
    assert_eq!((found.tally.shown, found.tally.total, found.tally.lines), (2, 2, Some((1, 4))));
    let none = kept.offcut.recall().read(&kept.id, &pattern("zero")).unwrap();
    assert_eq!((none.text.as_str(), none.tally.total), ("", 0));
}

#[test]
fn context_stands_around_a_match_and_groups_are_parted() {
    let content: String = ["a", "b", "HIT", "c", "d", "e", "f", "HIT", "HIT", "g"].join("\n");
    let kept = Kept::new(&content);
    let selector = |context, most| Selector::Pattern {
        pattern: "HIT".to_owned(),
        context,
        max_matches: most,
        start: None,
        end: None,
    };
    let read = |context, most| kept.offcut.recall().read(&kept.id, &selector(context, most)).unwrap();
    assert_eq!(read(1, None).text, "2- b\n3: HIT\n4- c\n--\n7- f\n8: HIT\n9: HIT\n10- g\n");
    let first = read(1, Some(1));
    assert_eq!(first.text, "2- b\n3: HIT\n4- c\n");
    assert_eq!((first.tally.shown, first.tally.total), (1, 3));
    let page = kept.offcut.recall().page(&Request {
        pattern: Some("HIT".to_owned()),
        context: Some(1),
        max_matches: Some(1),
        ..Request::whole(&kept.id)
    });
    assert_eq!(
        page.unwrap(),
        format!(
            "2- b\n3: HIT\n4- c\n[1 of 3 matches shown, in lines 1-10. Next: get_artifact(id=\"{}\", pattern=\"HIT\", \
             start_line=7, context=1, max_matches=1)]",
            kept.handle()
        )
    );
}

#[test]
fn a_page_counts_all_matches_and_shows_the_first_hundred() {
    let kept = Kept::new(&log());
    let request = Request { pattern: Some("^error".to_owned()), ..Request::whole(&kept.id) };
    let page = kept.offcut.recall().turn(&request).unwrap();
    assert_eq!(page.body.lines().count(), 100);
    assert_eq!(
        page.notice.unwrap(),
        format!(
            "[100 of 142 matches shown, in lines 1-1000. Next: get_artifact(id=\"{}\", pattern=\"^error\", \
             start_line=707)]",
            kept.handle()
        )
    );
    let rest = kept.offcut.recall().turn(&page.next.unwrap()).unwrap();
    assert!(rest.body.starts_with("707: error 707\n") && rest.body.ends_with("994: error 994\n"));
    assert_eq!((rest.notice.unwrap().as_str(), rest.next), ("[42 of 42 matches shown, in lines 707-1000.]", None));
    let none = Request { pattern: Some("absent".to_owned()), end_line: Some(9), ..Request::whole(&kept.id) };
    assert_eq!(kept.offcut.recall().page(&none).unwrap(), "[No matches in lines 1-9.]");
}

#[test]
fn a_very_long_line_is_matched_and_shortened_around_its_match() {
    let content = format!("first\n{}NEEDLE{}\nlast\n", "x".repeat(9_000_000), "y".repeat(700_000));
    let kept = Kept::new(&content);
    let found = kept.offcut.recall().read(&kept.id, &pattern("x{3}NEEDLEy+$")).unwrap();
    assert_eq!(found.tally.total, 1);
    assert!(found.text.starts_with("2: ... [8999872 chars omitted] ... xxx"), "{}", text::first_chars(&found.text, 99));
    assert!(text::chars(&found.text) < 600);
    let at_start = kept.offcut.recall().read(&kept.id, &pattern("^y")).unwrap();
    assert_eq!(at_start.tally.total, 0, "the middle of a line is not its beginning");
}

#[test]
fn searches_of_many_pages_show_every_match_once() {
    let content: String = (1..=400).map(|n| format!("{} {n}\n", if n % 3 == 0 { "hit" } else { "miss" })).collect();
    for context in [0, 1, 2, 5] {
        let kept = Kept::with_limit(&content, 400);
        let mut next =
            Some(Request { pattern: Some("^hit".to_owned()), context: Some(context), ..Request::whole(&kept.id) });
        let mut hits = Vec::new();
        while let Some(request) = next {
            let page = kept.offcut.recall().turn(&request).unwrap();
            assert!(text::chars(&page.text()) <= 400);
            let shown = page.body.lines().filter_map(|line| line.split_once(": ")).map(|(number, _)| number.to_owned());
            hits.extend(shown);
            next = page.next;
        }
        let expected: Vec<String> = (1..=400).filter(|n| n % 3 == 0).map(|n| n.to_string()).collect();
        assert_eq!(hits, expected, "context {context}");
    }
}

proptest! {
    #[test]
    fn matches_are_those_of_every_line_alone(
        words in proptest::collection::vec("[ab ]{0,6}(\n|\r\n|\r)", 0..40),
        sought in "(\\^)?[ab]{1,2}(\\$)?",
    ) {
        let content = words.concat();
        let kept = Kept::new(&content);
        let regex = regex::Regex::new(&sought).unwrap();
        let expected: String = text::split(&content)
            .enumerate()
            .filter(|(_, line)| regex.is_match(line.text))
            .map(|(at, line)| format!("{}: {}\n", at + 1, line.text))
            .collect();
        let found = kept.offcut.recall().read(&kept.id, &pattern(&sought)).unwrap();
        prop_assert_eq!(found.tally.total, text::lines(&expected));
        prop_assert_eq!(found.text, expected);
    }

    #[test]
    fn no_pattern_and_no_query_can_harm(sought in "\\PC{0,40}", content in "\\PC{0,80}") {
        let kept = Kept::new(&content);
        let recall = kept.offcut.recall();
        let _ = recall.page(&Request { pattern: Some(sought.clone()), context: Some(2), ..Request::whole(&kept.id) });
        let _ = recall.page(&Request { query: Some(sought.clone()), ..Request::whole(&kept.id) });
        let _ = recall.page(&Request { query: Some(format!("$[{sought}]")), ..Request::whole(&kept.id) });
        let _ = recall.page(&Request::whole(sought));
    }
}
