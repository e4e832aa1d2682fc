use super::{counts, shown};
use crate::kind::Kind;
use crate::strategy::Settings;
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

/// An element with its children, as an independent parser sees it: `N … omitted` comments count for N.
fn children(xml: &str) -> Vec<(String, u64, u64)> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut open: Vec<(String, u64, u64)> = Vec::new();
    let mut closed = Vec::new();
    loop {
        let event = reader.read_event().unwrap_or_else(|error| panic!("{error}: {xml}"));
        match event {
            Event::Start(tag) => {
                if let Some(parent) = open.last_mut() {
                    parent.1 += 1;
                }
                open.push((String::from_utf8_lossy(&tag).into_owned(), 0, 0));
            }
            Event::Empty(_) => {
                if let Some(parent) = open.last_mut() {
                    parent.1 += 1;
                }
            }
            Event::End(_) => closed.push(open.pop().unwrap()),
            Event::Comment(comment) => {
                let comment = String::from_utf8_lossy(&comment).into_owned();
                if let (Some(rest), Some(parent)) = (comment.trim().strip_suffix(" omitted"), open.last_mut()) {
                    let count: u64 = rest.split(' ').next().unwrap().parse().unwrap();
                    parent.1 += count;
                    parent.2 += count;
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open.is_empty(), "{xml}");
    closed
}

#[test]
fn an_element_whose_parts_say_something_else_is_shown() {
    let run =
        |n: u32, code: u32| format!("<run id=\"{n}\"><result><code>{code}</code><time>0.{n}</time></result></run>\n");
    let runs: String = (0..300).map(|n| run(n, if n == 150 { 139 } else { 0 })).collect();
    let (found, _) = shown(Kind::Xml, &format!("<runs>\n{runs}</runs>\n"), 1500, &Settings::default()).unwrap();
    assert!(found.contains("<code>139</code>"), "{found}");
    let row = |n: u32| format!("<tr><td>db-{n}</td><td>{}</td></tr>", if n == 150 { "stopped" } else { "in sync" });
    let rows: String = (0..300).map(row).collect();
    let page =
        format!("<!doctype html><html><body><table><tr><th>host</th><th>state</th></tr>{rows}</table></body></html>");
    let (found, _) = shown(Kind::Html, &page, 1500, &Settings::default()).unwrap();
    assert!(found.contains("<td>db-150</td><td>stopped</td>"), "{found}");
}

#[test]
fn a_test_that_failed_comes_before_those_that_are_named_after_errors() {
    let mut tests: Vec<String> = (0..400)
        .map(|n| format!("<testcase classname=\"t.errors\" name=\"test_error_{n}\" time=\"0.001\"/>"))
        .collect();
    let failed = |name: &str, why: &str| {
        format!("<testcase name=\"{name}\"><failure message=\"{why}\">{}</failure></testcase>", "at x\n".repeat(20))
    };
    for n in 0..12 {
        tests.insert(200 + n, failed(&format!("test_cli_{n}"), "TypeError: unexpected keyword 'mix'"));
    }
    tests.insert(380, failed("test_environ", "assert 404 == 400"));
    let xml = format!("<testsuite>{}</testsuite>", tests.concat());
    let (shown, _) = shown(Kind::Xml, &xml, 1500, &Settings::default()).unwrap();
    assert!(shown.contains("test_cli_0") && shown.contains("assert 404 == 400"), "{shown}");
}

#[test]
fn repeated_elements_are_cut_and_a_comment_counts_them() {
    let items: String = (0..200).map(|n| format!("  <item id=\"{n}\">value {n}</item>\n")).collect();
    let items = items.replace(">value 77<", ">failure: 77<");
    let text = format!("<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<items>\n{items}</items>\n");
    let (shown, cut) = shown(Kind::Xml, &text, 400, &counts(2, 1)).unwrap();
    let expected = "<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<items>\n  <item id=\"0\">value 0</item>\n  \
                    <item id=\"1\">value 1</item>\n  <!-- 75 item elements omitted -->\n  \
                    <item id=\"77\">failure: 77</item>\n  <!-- 121 item elements omitted -->\n  \
                    <item id=\"199\">value 199</item>\n</items>\n";
    assert_eq!(shown, expected);
    assert_eq!(cut.omitted_elements, Some(196));
    assert_eq!(cut.about.as_deref(), Some("<items> with 200 item elements"));
}

#[test]
fn xml_that_is_not_well_formed_is_refused() {
    let check = |text: &str, expected: &str| {
        assert_eq!(shown(Kind::Xml, text, 500, &Settings::default()).unwrap_err().to_string(), expected);
    };
    check("<a><b></a>", "malformed XML at line 1 column 7: an end tag of another name");
    check("<a>\n<b>", "malformed XML at line 2 column 1: an element that is never closed");
    check("<a/><b/>x", "malformed XML at line 1 column 9: text outside of the root element");
    check("<a href=\"x", "malformed XML at line 1 column 1: a quote inside a tag that is never closed");
    check("<a><!-- x</a>", "malformed XML at line 1 column 4: a comment that is never closed");
}

#[test]
fn a_long_text_is_shortened_between_references() {
    let text = format!("<a><b>{}</b><c/></a>", "x&amp;".repeat(500));
    let (shown, _) = shown(Kind::Xml, &text, 400, &Settings::default()).unwrap();
    assert!(shown.contains(" chars omitted] ...") && shown.ends_with("</b><c/></a>"), "{shown}");
    children(&shown);
}

#[test]
fn a_million_open_elements_cost_no_stack() {
    let text = "<a>".repeat(300_000) + &"</a>".repeat(300_000);
    let (shown, _) = shown(Kind::Xml, &text, 500, &Settings::default()).unwrap();
    children(&shown);
}

#[test]
fn html_loses_scripts_before_words_and_rows_before_headings() {
    let rows: String = (0..300).map(|n| format!("<tr><td>{n}<td>cell {n}\n")).collect();
    let script = "var x = '</scrip' + '<td>';".repeat(40);
    let text = format!(
        "<!DOCTYPE html>\n<html><head><title>T</title><script>{script}</script></head><body><h1>Head</h1>\n\
         <p>First<br>words &lt; more\n<table>\n{rows}</table><h2>Tail</h2><p>The end</body></html>\n"
    );
    let (shown, cut) = shown(Kind::Html, &text, 700, &counts(2, 1)).unwrap();
    for part in ["<title>T</title>", "<h1>Head</h1>", "<h2>Tail</h2>", "The end", "cell 0", "cell 1\n", "cell 299"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("var x") && !shown.contains("cell 2\n"), "{shown}");
    assert!(shown.contains("<!-- 297 tr elements omitted -->"), "{shown}");
    assert_eq!(cut.omitted_elements, Some(297));
}

fn elements() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z]{1,3}".prop_map(|name| format!("<{name}/>")),
        ("[a-z]{1,3}", "[a-zé&;]{0,40}")
            .prop_map(|(name, text)| format!("<{name}>{}</{name}>", text.replace('&', "&amp;"))),
        ("[a-z]{1,3}", "[a-z \n]{200,500}").prop_map(|(name, text)| format!("<{name}>{text}</{name}>")),
        Just("<row a='1'>same</row>".to_string()),
    ];
    leaf.prop_recursive(5, 150, 30, |inner| {
        ("[a-z]{1,3}", prop::collection::vec(inner, 0..30), any::<bool>())
            .prop_map(|(name, inner, lines)| format!("<{name}>{}</{name}>", inner.join(if lines { "\n " } else { "" })))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_cut_of_xml_is_well_formed_and_counts(inner in prop::collection::vec(elements(), 1..60), chars in 120u64..3000) {
        let text = format!("<root>\n{}</root>\n", inner.join("\n"));
        let (shown, _) = shown(Kind::Xml, &text, chars, &Settings::default()).unwrap();
        let root = children(&shown).pop().unwrap();
        prop_assert_eq!(root.1, inner.len() as u64, "{}", shown);
    }

    #[test]
    fn no_markup_makes_it_panic(text in "[<>/a-c!?\\[\\]\"'=& -]{0,60}", html in any::<bool>()) {
        let _ = shown(if html { Kind::Html } else { Kind::Xml }, &text, 60, &Settings::default());
    }
}
