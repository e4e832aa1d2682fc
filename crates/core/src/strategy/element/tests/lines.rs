use super::{counts, cut, rendered};
use crate::document::TextDocument;
use crate::kind::Kind;

#[test]
fn the_first_and_last_lines_stay() {
    let document = TextDocument::new((0..100).map(|n| format!("src/{n}.rs:1: x\n")).collect::<String>());
    let made = cut(Kind::Search, &document, 200, &counts(2, 1)).unwrap();
    assert_eq!(rendered(&document, &made), "src/0.rs:1: x\nsrc/1.rs:1: x\nsrc/99.rs:1: x\n");
    assert_eq!(made.omitted_elements, Some(97));
}

#[test]
fn long_lines_are_shortened_and_counts_shrink_to_the_budget() {
    let document = TextDocument::new(format!("{}\r\n", "é".repeat(3000)).repeat(9));
    let made = cut(Kind::Listing, &document, 1300, &counts(5, 5)).unwrap();
    let shown = rendered(&document, &made);
    assert_eq!(shown, format!("{}\r\n", "é".repeat(500)).repeat(2));
    assert_eq!(made.omitted_elements, Some(7));
}
