use offcut_core::extent::Extent;
use offcut_core::text;
use offcut_store::Facts;
use proptest::prelude::*;

use super::Kept;
use crate::recall::{Page, Request};

/// All pages from `request` on; each within the limit, each getting further.
fn pages(kept: &Kept, request: Request, limit: u64) -> Vec<Page> {
    let mut pages = Vec::new();
    let mut next = Some(request);
    while let Some(request) = next {
        let page = kept.offcut.recall().turn(&request).unwrap();
        assert!(text::chars(&page.text()) <= limit, "{} characters", text::chars(&page.text()));
        assert!(page.next.is_none() || !page.body.is_empty(), "a page that shows nothing: {page:?}");
        next = page.next.clone();
        pages.push(page);
        assert!(pages.len() < 10_000);
    }
    pages
}

fn joined(pages: &[Page]) -> String {
    pages.iter().map(|page| page.body.as_str()).collect()
}

// S0 AC-065: through the tool, in pages.
#[test]
fn a_whole_artifact_comes_in_pages_of_whole_lines_with_the_next_call() {
    let content: String = (1..=100).map(|number| format!("line {number}\n")).collect();
    let kept = Kept::with_limit(&content, 400);
    let id = &kept.id;
    let page = kept.offcut.recall().page(&Request::whole(id)).unwrap();
    let shown: String = (1..=39).map(|number| format!("line {number}\n")).collect();
    assert_eq!(
        page,
        format!("{shown}[Lines 1-39 of 100 shown. Next: get_artifact(id=\"{}\", lines=\"40-100\")]", kept.handle())
    );
    let pages = pages(&kept, Request::whole(id), 400);
    assert_eq!(joined(&pages), content);
    assert_eq!(pages.last().unwrap().notice, None);
    assert_eq!(kept.events()[1], ("whole".to_owned(), "ok".to_owned()));
    assert_eq!(kept.events()[2], ("lines 40-100".to_owned(), "ok".to_owned()));
}

#[test]
fn exactly_a_page_is_not_cut_and_one_character_more_is() {
    let kept = Kept::with_limit(&"é".repeat(400), 400);
    let page = kept.offcut.recall().turn(&Request::whole(&kept.id)).unwrap();
    assert_eq!((page.body.chars().count(), page.notice, page.next), (400, None, None));
    let kept = Kept::with_limit(&"é".repeat(401), 400);
    let page = kept.offcut.recall().turn(&Request::whole(&kept.id)).unwrap();
    assert!(page.body.chars().count() < 400 && page.next.is_some());
}

#[test]
fn a_line_that_is_longer_than_a_page_is_paged_by_bytes() {
    let content = format!("short\n{}\nend\n", "0123456789".repeat(100));
    let kept = Kept::with_limit(&content, 400);
    let id = &kept.id;
    let pages = pages(&kept, Request::whole(id), 400);
    assert_eq!(joined(&pages), content);
    assert_eq!(pages[0].body, "short\n");
    let shown = pages[1].body.len() + 6;
    assert_eq!(
        pages[1].notice.as_deref().unwrap(),
        format!(
            "[Bytes 6-{shown} of 1011 shown, up to line 2. Next: get_artifact(id=\"{}\", lines=\"b{shown}-1011\")]",
            kept.handle()
        )
    );
}

#[test]
fn a_page_of_a_range_stays_inside_the_range() {
    let content: String = (1..=500).map(|number| format!("line {number}\r\n")).collect();
    let kept = Kept::with_limit(&content, 400);
    let request = Request { start_line: Some(10), end_line: Some(200), ..Request::whole(&kept.id) };
    let expected: String = (10..=200).map(|number| format!("line {number}\r\n")).collect();
    assert_eq!(joined(&pages(&kept, request, 400)), expected);
    let request = Request { start_byte: Some(10), end_byte: Some(3001), ..Request::whole(&kept.id) };
    assert_eq!(joined(&pages(&kept, request, 400)), content.get(10..3001).unwrap());
}

#[test]
fn the_next_call_is_worded_for_the_face() {
    let content: String = (1..=100).map(|number| format!("line {number}\n")).collect();
    let kept = Kept::with_limit(&content, 400);
    let page = kept.offcut.recall().page(&Request::whole(format!("session-own/{}", kept.id))).unwrap();
    assert!(page.ends_with(&format!("get_artifact(id=\"{}\", lines=\"40-100\")]", kept.handle())), "{page}");
}

#[test]
fn the_smallest_limit_still_leads_through_the_whole() {
    let kept = Kept::with_limit(&"word \n".repeat(2000), 400);
    assert_eq!(joined(&pages(&kept, Request::whole(&kept.id), 400)), "word \n".repeat(2000));
}

#[test]
fn binary_content_comes_as_base64_in_pages() {
    let content: Vec<u8> = (0..1000u32).map(|byte| byte as u8).collect();
    let facts = Facts {
        extent: Extent { bytes: 1000, ..Extent::default() },
        media_type: "image/png".to_owned(),
        binary: true,
        ..Facts::default()
    };
    let kept = Kept::of(&content, facts, 400);
    let recall = kept.offcut.recall();
    let page = recall.turn(&Request::whole(&kept.id)).unwrap();
    assert!(page.body.starts_with("AAECAwQF"));
    assert!(page.notice.as_deref().unwrap().starts_with("[Binary content (image/png) as base64: bytes 0-"));
    let all = pages(&kept, Request::whole(&kept.id), 400);
    let shown: usize = all.iter().map(|page| page.body.trim_end_matches('=').len() * 3 / 4).sum();
    assert_eq!(shown, 1000);
    let mut out = Vec::new();
    recall.write(&kept.id, &crate::recall::Selector::Whole, &mut out).unwrap();
    assert_eq!(out, content);
    let refused = recall.page(&Request { start_line: Some(1), ..Request::whole(&kept.id) }).unwrap_err();
    assert_eq!(refused.code(), "not_text");
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => Just("\r".to_owned()),
        4 => "[a-z é世🎉]{0,30}",
        1 => "[x🎉]{200,900}",
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn the_pages_of_any_text_joined_are_the_text(content in any_text(), limit in 400u64..900) {
        let kept = Kept::with_limit(&content, limit as i64);
        let pages = pages(&kept, Request::whole(&kept.id), limit);
        prop_assert_eq!(joined(&pages), content);
    }
}
