use proptest::prelude::*;

use super::*;

fn outline(message: &str) -> Result<Outline, Malformed> {
    let mut scanner = Scanner::default();
    scanner.push(message.as_bytes());
    scanner.finish()
}

fn part<'m>(message: &'m str, value: &Value) -> &'m str {
    message.get(value.range.start as usize..value.range.end as usize).unwrap()
}

const RESULT: &str = r#" {"result":{"content":[{"type":"text","text":"a\"}]\\"},{"type":"resource","resource":
    {"uri":"x:y","text":"t"}}],"structuredContent":{"deep":[{"a":[1,2,{}]}]},"isError":false},"jsonrpc":"2.0",
    "id":"7","\u0065xtra":-1.5e3} "#;

#[test]
fn the_places_that_matter_are_found() {
    let found = outline(RESULT).unwrap();
    let message = &found.messages()[0];
    assert_eq!(part(RESULT, message.get("id").unwrap()), "\"7\"");
    assert_eq!(part(RESULT, message.get("extra").unwrap()), "-1.5e3");
    let result = message.get("result").unwrap();
    let blocks = result.get("content").unwrap().elements();
    assert_eq!(part(RESULT, blocks[0].get("text").unwrap()), r#""a\"}]\\""#);
    assert_eq!(part(RESULT, blocks[1].get("resource").unwrap().get("text").unwrap()), "\"t\"");
    let structured = result.get("structuredContent").unwrap();
    assert_eq!(part(RESULT, structured), r#"{"deep":[{"a":[1,2,{}]}]}"#);
    assert_eq!(structured.shape, Shape::ClosedObject);
    assert_eq!(result.get("isError").unwrap().shape, Shape::Scalar);
}

#[test]
fn any_chunking_gives_the_same_outline() {
    let whole = outline(RESULT);
    for size in 1..40 {
        let mut scanner = Scanner::default();
        RESULT.as_bytes().chunks(size).for_each(|chunk| scanner.push(chunk));
        assert_eq!(scanner.finish(), whole, "chunks of {size}");
    }
}

#[test]
fn a_batch_is_its_messages() {
    let batch = r#"[{"id":1,"method":"a","params":{"name":"n"}},{"id":2,"result":{}}]"#;
    let found = outline(batch).unwrap();
    assert_eq!(found.messages().len(), 2);
    assert_eq!(part(batch, found.messages()[0].get("params").unwrap().get("name").unwrap()), "\"n\"");
}

#[test]
fn what_is_no_message_is_told_with_its_place() {
    for (text, at) in [
        ("", 0),
        ("Server listening", 7),
        ("{\"a\":1", 6),
        ("{\"a\":1]", 6),
        ("[1}", 2),
        ("{\"a\" 1}", 5),
        ("{} x", 3),
        ("{\"a\":\"b", 7),
        ("{,}", 1),
        ("]", 0),
        ("7", 0),
    ] {
        assert_eq!(outline(text).unwrap_err().at, at, "{text}");
    }
    assert!(outline(&"[".repeat(20_000)).is_err());
}

#[test]
fn any_depth_is_passed_over() {
    for depth in [9_990, 10_000, 300_000] {
        let (open, close) = ("[{\"a\":[".repeat(depth / 3), "]}]".repeat(depth / 3));
        let deep = format!("{open}\"]}}\\\"\"{close}");
        let message = format!(r#"{{"id":7,"result":{{"structuredContent":{{"x":{deep}}}}},"z":1}}"#);
        let found = outline(&message).unwrap();
        assert_eq!(part(&message, found.messages()[0].get("z").unwrap()), "1");
        let structured = found.messages()[0].get("result").unwrap().get("structuredContent").unwrap();
        assert_eq!(part(&message, structured).len(), deep.len() + 6);
    }
}

#[test]
fn elements_beyond_the_noted_ones_are_one_range() {
    let items = vec!["{\"type\":\"text\"}"; MOST_NOTED + 3].join(",");
    let message = format!("{{\"result\":{{\"content\":[{items}]}}}}");
    let found = outline(&message).unwrap();
    let content = found.messages()[0].get("result").unwrap().get("content").unwrap();
    let Shape::Array { elements, rest: Some(rest) } = &content.shape else { panic!("{content:?}") };
    assert_eq!(elements.len(), MOST_NOTED);
    let rest = message.get(rest.start as usize..rest.end as usize).unwrap();
    assert_eq!(rest, ["{\"type\":\"text\"}"; 3].join(","));
}

proptest! {
    #[test]
    fn any_bytes_have_the_same_outline_in_any_chunks(
        parts in prop::collection::vec(r#"[{}\[\],:" \n\x0c$\\]|"[a-z]{0,3}"|"result":|"content":|"a\\"b"|-1.5|null|x"#, 0..24),
        size in 1..9_usize,
    ) {
        for text in [parts.concat(), format!(r#"{{"result":{{"content":[{{"text":{}}}]}}}}"#, parts.concat())] {
            let mut scanner = Scanner::default();
            text.as_bytes().chunks(size).for_each(|chunk| scanner.push(chunk));
            let found = scanner.finish();
            prop_assert_eq!(&found, &outline(&text), "{}", text);
            // What is JSON has an outline, if it can be a message.
            let is_json = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            prop_assert!(found.is_ok() || !is_json || !text.trim_start().starts_with(['{', '[']), "{}", text);
        }
    }
}
