use offcut_core::text;
use proptest::prelude::*;
use serde_json::Value;

use super::Kept;
use crate::recall::ArtifactDocument;
use crate::recall::query::{self, Bounds};
use crate::recall::{RecallError, Request, Selector};

fn query(path: &str) -> Selector {
    Selector::Query { path: path.to_owned(), offset: 0 }
}

fn read(content: &str, path: &str) -> Result<String, RecallError> {
    let kept = Kept::new(content);
    kept.offcut.recall().read(&kept.id, &query(path)).map(|found| found.text)
}

#[test]
fn nodes_come_out_as_they_went_in_one_a_line() {
    let content =
        r#"{"b": 12345678901234567890123, "a": [1.10, 1e2, -0.0], "s": "x \u00e9 y", "a b": {"z":1, "y": 2}}"#;
    assert_eq!(read(content, "$.b").unwrap(), "[\n12345678901234567890123\n]\n");
    assert_eq!(read(content, "$.a[*]").unwrap(), "[\n1.10,\n1e2,\n-0.0\n]\n");
    assert_eq!(read(content, "$.s").unwrap(), "[\n\"x \\u00e9 y\"\n]\n");
    assert_eq!(read(content, "$['a b']").unwrap(), "[\n{\"z\":1,\"y\":2}\n]\n");
    assert_eq!(read(content, "$.none").unwrap(), "[]\n");
}

#[test]
fn the_records_of_ndjson_are_the_members_of_the_root() {
    let content = "{\"level\":\"info\",\"n\":1}\n\n{\"level\":\"error\",\"n\":2}\r\n{\"level\":\"error\",\"n\":3}";
    assert_eq!(read(content, "$[?@.level == 'error'].n").unwrap(), "[\n2,\n3\n]\n");
    assert_eq!(read(content, "$[-1].n").unwrap(), "[\n3\n]\n");
    let whole = read(content, "$").unwrap();
    assert_eq!(serde_json::from_str::<Value>(&whole).unwrap()[0].as_array().unwrap().len(), 3);
    let kept = Kept::new(content);
    let page = kept.offcut.recall().page(&Request { query: Some("$.level".into()), ..Request::whole(&kept.id) });
    assert_eq!(
        page.unwrap(),
        "[]\n[No nodes. The artifact is NDJSON: its records are the members of `$`, so begin with `$[*]` or `$[?…]`.]"
    );
}

#[test]
fn a_byte_order_mark_and_a_value_over_many_lines_are_json() {
    assert_eq!(read("\u{feff}{\"a\":\n 1}\n", "$.a").unwrap(), "[\n1\n]\n");
    assert_eq!(read("[\n1\n]\n\n", "$[0]").unwrap(), "[\n1\n]\n");
    assert_eq!(read("7\n", "$").unwrap(), "[\n7\n]\n");
}

#[test]
fn what_is_not_json_says_where_it_stops_being_so() {
    let error = |content: &str| read(content, "$.a").unwrap_err();
    assert_eq!(error("plain text\nmore").code(), "not_json");
    assert_eq!(
        error("{\"a\": 1,}").to_string(),
        "not JSON: trailing comma at line 1 column 9; use `lines` or `pattern` instead of `query`"
    );
    assert_eq!(error("{\"a\":1}\nnot json\n").code(), "not_json");
    assert_eq!(error("").code(), "not_json");
}

#[test]
fn pages_of_nodes_are_json_and_show_every_node_once() {
    let content: String =
        format!("[{}]", (0..300).map(|n| format!("{{\"id\": {n}, \"name\": \"é{n}\"}}")).collect::<Vec<_>>().join(","));
    let kept = Kept::with_limit(&content, 400);
    let mut next = Some(Request { query: Some("$[*]".to_owned()), ..Request::whole(&kept.id) });
    let mut ids = Vec::new();
    while let Some(request) = next {
        let page = kept.offcut.recall().turn(&request).unwrap();
        assert!(text::chars(&page.text()) <= 400);
        let nodes: Vec<Value> = serde_json::from_str(&page.body).unwrap();
        assert!(!nodes.is_empty());
        if ids.is_empty() {
            assert_eq!(
                page.notice.unwrap(),
                format!(
                    "[Nodes 1-{0} of 300 shown. Next: get_artifact(id=\"{1}\", query=\"$[*]\", offset={0})]",
                    nodes.len(),
                    kept.handle()
                )
            );
        }
        ids.extend(nodes.iter().map(|node| node["id"].as_u64().unwrap()));
        next = page.next;
    }
    assert_eq!(ids, (0..300).collect::<Vec<u64>>());
    let request = Request { query: Some("$[*]".into()), offset: Some(300), ..Request::whole(&kept.id) };
    assert_eq!(
        kept.offcut.recall().page(&request).unwrap_err().to_string(),
        "bad range: offset=300 is past the end; the query selects 300 nodes"
    );
}

#[test]
fn a_node_longer_than_a_page_names_its_bytes() {
    for length in [300, 395, 396, 397, 400, 500, 100_000] {
        let content = format!("[1, \"{}\", 3]", "x".repeat(length));
        let kept = Kept::with_limit(&content, 400);
        let mut next = Some(Request { query: Some("$[*]".to_owned()), ..Request::whole(&kept.id) });
        let mut nodes: Vec<Value> = Vec::new();
        while let Some(request) = next {
            let page = kept.offcut.recall().turn(&request).unwrap();
            assert!(text::chars(&page.text()) <= 400, "{}", page.text());
            nodes.extend(serde_json::from_str::<Vec<Value>>(&page.body).unwrap());
            next = page.next;
            assert!(nodes.len() <= 3);
        }
        assert_eq!((&nodes[0], &nodes[2]), (&Value::from(1), &Value::from(3)));
        let end = 6 + length;
        let left_out = format!("... {} bytes omitted: start_byte=4, end_byte={end} ...", length + 2);
        let whole = Value::from("x".repeat(length));
        assert!(nodes[1] == left_out.as_str() || (length < 350 && nodes[1] == whole), "{length}: {}", nodes[1]);
    }
    let alone = Kept::with_limit(&format!("[\"{}\"]", "x".repeat(390)), 400);
    let page = alone.offcut.recall().page(&Request { query: Some("$[*]".into()), ..Request::whole(&alone.id) });
    assert_eq!(page.unwrap(), format!("[\n\"{}\"\n]", "x".repeat(390)), "all of it fits, so nothing is said");
}

#[test]
fn a_query_that_multiplies_is_refused() {
    let content = format!("[{}]", vec!["[1,2]"; 5000].join(","));
    let error = read(&content, &format!("${}", "[*,*,*,*,*,*,*,*]".repeat(9))).unwrap_err();
    assert!(error.to_string().starts_with("bad query: it can select the same values too many times over"), "{error}");
}

#[test]
fn a_large_document_that_cannot_be_walked_is_refused_with_what_can() {
    let kept = Kept::new("[1,2,3,4,5,6,7,8]");
    let artifact = kept.offcut.recall().open(&kept.id).unwrap();
    let source = ArtifactDocument::new(artifact.as_ref());
    let error = query::nodes(&source, "$[0,1]", Bounds { tree: 4, whole: 8 }, &mut |_| Ok(())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the query needs 17 bytes in memory at once, at most 8 bytes are held: begin it with a path to a smaller part, \
         such as `$.items[0]`, or with `$[*]`, `$[?…]` or `$..name`, which are answered one element at a time"
    );
}

#[test]
fn megabytes_are_queried_one_element_at_a_time() {
    let users: Vec<String> =
        (0..60_000).map(|n| format!("{{\"id\": {n}, \"age\": {}, \"tags\": [\"t{n}\", \"u\"]}}", n % 90)).collect();
    let content = format!("{{\"meta\": {{\"total\": 60000}}, \"users\": [\n{}\n]}}", users.join(",\n"));
    assert!(content.len() as u64 > Bounds::default().tree);
    let kept = Kept::new(&content);
    let check = |path: &str, count, first: &str| {
        let found = kept.offcut.recall().read(&kept.id, &query(path)).unwrap();
        assert_eq!((found.tally.total, found.text.lines().nth(1)), (count, Some(first)), "{path}");
        serde_json::from_str::<Vec<Value>>(&found.text).unwrap();
    };
    check("$.users[?@.age > 88].id", 666, "89,");
    check("$..tags[0]", 60_000, "\"t0\",");
    check("$.users[59999].tags", 1, "[\"t59999\",\"u\"]");
    check("$.users[-2:].id", 2, "59998,");
    check("$.meta", 1, "{\"total\":60000}");
    check("$.*.total", 1, "60000");
    assert_eq!(kept.offcut.recall().read(&kept.id, &query("$.users[60000]")).unwrap().text, "[]\n");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-c\"\\\\\\[\\]{},é ]{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec(("[a-c]", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_walk_and_a_tree_find_the_same(document in any_json(), pretty in any::<bool>(), at in 0usize..12) {
        let path = [
            "$", "$[*]", "$..a", "$..*", "$.a.b", "$[1]", "$[-1]", "$[1:3]", "$..[?@.a]", "$[?@ > 0].b", "$.*.*", "$..[0]",
        ][at];
        let content = if pretty { serde_json::to_string_pretty(&document) } else { serde_json::to_string(&document) };
        let content = content.unwrap();
        let kept = Kept::new(&content);
        let artifact = kept.offcut.recall().open(&kept.id).unwrap();
        let source = ArtifactDocument::new(artifact.as_ref());
        let nodes = |tree| {
            let mut nodes = Vec::new();
            query::nodes(&source, path, Bounds { tree, whole: 1000 }, &mut |node| {
                nodes.push(node.span);
                Ok(())
            }).unwrap();
            nodes
        };
        prop_assert_eq!(nodes(0), nodes(1 << 20));
        prop_assert_eq!(nodes(30), nodes(1 << 20));
    }
}
