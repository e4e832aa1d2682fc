//! Runs the spec of extraction: what is answered to each section's question without a model.

#[path = "../../../../specs/reader.rs"]
mod reader;

use offcut::Cancel;
use offcut::options::ExtractionOptions;
use offcut_extract::Question;

use super::{kept, offcut};

#[test]
fn every_section_of_the_spec_holds() {
    let sections = reader::check(
        |name| name == "extract",
        |section| {
            let offcut = offcut(ExtractionOptions { max_chars: Some(600), ..ExtractionOptions::default() });
            let id = kept(&offcut, &section.made("output").unwrap());
            let question = Question::new(&id, section.block("question").unwrap().trim_end());
            let answer = offcut_extract::extract(&offcut, &question, None, &Cancel::new());
            let handle = offcut.recall().handle(&id.parse().unwrap()).to_string();
            answer.text.replace(&id, "art_1").replace(&handle, "9kgw")
        },
    );
    assert!(sections >= 3, "only {sections} sections were found");
}
