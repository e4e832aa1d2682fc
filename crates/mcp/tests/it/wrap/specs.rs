//! Runs the spec of wrapping: what a client is handed of a server's result, and what it fetches of that.

#[path = "../../../../../specs/reader.rs"]
mod reader;

use offcut_mcp::wrap::Rules;
use serde_json::json;

use super::rig::{Rig, artifact_in, first_text, result, text};

#[test]
fn every_section_of_the_spec_holds() {
    let sections = reader::check(
        |name| name == "wrap",
        |section| {
            let said = section.call();
            let limit = said.get("limit").map(|limit| limit.parse().unwrap());
            let output = section.made("output").unwrap();
            let rules = Rules { limit, ..Rules::new() };
            let mut rig = Rig::answering(rules, &[&result(1, json!([text(&output)]))]);
            let shown = first_text(&rig.call(1, "show", json!({})));
            let shown = match said.get("fetch") {
                Some(lines) => {
                    let fetched = rig.call(2, "get_artifact", json!({"id": artifact_in(&shown), "lines": lines}));
                    first_text(&fetched)
                }
                None if shown.starts_with("[offcut ") => shown.replace(&artifact_in(&shown), "9kgw"),
                None => shown,
            };
            rig.end();
            shown
        },
    );
    assert!(sections >= 3, "only {sections} sections were found");
}
