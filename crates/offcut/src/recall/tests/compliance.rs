use serde_json::Value;

use super::Kept;
use crate::recall::ArtifactDocument;
use crate::recall::query::{self, Bounds};
use crate::recall::{RecallError, Selector};

const SUITE: &str = include_str!("../../../tests/data/jsonpath-compliance/cts.json");

fn cases() -> Vec<Value> {
    let suite: Value = serde_json::from_str(SUITE).unwrap();
    suite["tests"].as_array().unwrap().clone()
}

/// Whether `found` is what the case expects, or one of the results that it allows.
fn expected(case: &Value, found: &Value) -> bool {
    match case.get("results") {
        Some(results) => results.as_array().unwrap().contains(found),
        None => case["result"] == *found,
    }
}

// RFC 9535, by the suite of its authors, through the public path.
#[test]
fn the_compliance_suite_of_json_path_passes() {
    let mut passed = 0;
    let mut failed = Vec::new();
    for case in cases() {
        let kept = Kept::new(&case["document"].to_string());
        let selector = Selector::Query { path: case["selector"].as_str().unwrap().to_owned(), offset: 0 };
        let found = kept.offcut.recall().read(&kept.id, &selector);
        let right = match &found {
            Ok(found) => {
                let nodes: Value = serde_json::from_str(&found.text).unwrap();
                let count = nodes.as_array().unwrap().len() as u64;
                case.get("invalid_selector").is_none() && expected(&case, &nodes) && found.tally.total == count
            }
            Err(error) => case.get("invalid_selector").is_some() && error.code() == "bad_query",
        };
        passed += u32::from(right);
        if !right {
            failed.push(format!("{}: {} gave {found:?}", case["name"], case["selector"]));
        }
    }
    assert_eq!((passed, failed), (703, Vec::<String>::new()));
}

/// The same cases with documents that count as too large for a tree, so that every query is walked as far as it can be.
#[test]
fn walking_a_large_document_finds_what_its_tree_has() {
    let mut walked = 0;
    for case in cases().iter().filter(|case| case.get("invalid_selector").is_none()) {
        let kept = Kept::new(&case["document"].to_string());
        let artifact = kept.offcut.recall().open(&kept.id).unwrap();
        let source = ArtifactDocument::new(artifact.as_ref());
        for tree in [0, 5, 20] {
            let mut nodes = Vec::new();
            let path = case["selector"].as_str().unwrap();
            let result = query::nodes(&source, path, Bounds { tree, whole: 30 }, &mut |node| {
                let mut written = Vec::new();
                query::write(&source, &node, &mut written)?;
                nodes.push(serde_json::from_slice(&written).unwrap());
                Ok(())
            });
            match result {
                Ok(()) => {
                    walked += 1;
                    assert!(expected(case, &Value::Array(nodes.clone())), "{} gave {nodes:?}", case["name"]);
                }
                Err(RecallError::QueryTooLarge { .. }) => {}
                Err(other) => panic!("{}: {other}", case["name"]),
            }
        }
    }
    assert!(walked > 1000, "{walked} were walked");
}
