use super::{counts, shown};
use crate::kind::Kind;
use crate::strategy::Settings;
use proptest::prelude::*;
use saphyr_parser::{Event, Parser};

/// How many nodes an independent parser sees; it fails on what is not YAML.
fn nodes(yaml: &str) -> usize {
    let events = Parser::new_from_str(yaml).map(|event| event.unwrap_or_else(|error| panic!("{error}: {yaml}")).0);
    events
        .filter(|event| matches!(event, Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..)))
        .count()
}

#[test]
fn an_entry_whose_parts_say_something_else_is_shown() {
    let host = |n: u32| {
        let level = if n == 150 { "behind" } else { "current" };
        format!("- host: host-{n}\n  os: debian 12\n  patch:\n    level: {level}\n    reboot: false\n")
    };
    let text: String = (0..300).map(host).collect();
    let (found, _) = shown(Kind::Yaml, &text, 1500, &Settings::default()).unwrap();
    assert!(found.contains("host-150") && found.contains("level: behind"), "{found}");
}

#[test]
fn sequences_are_cut_and_a_comment_counts_what_is_missing() {
    let items: String = (0..100).map(|n| format!("  - name: item{n}\n    state: ok\n")).collect();
    let items = items.replace("item40\n    state: ok", "item40\n    state: failed");
    let text = format!("# What there is.\nitems:\n{items}last: 1\n");
    let (shown, cut) = shown(Kind::Yaml, &text, 400, &counts(1, 1)).unwrap();
    let expected = "# What there is.\nitems:\n  - name: item0\n    state: ok\n  # 39 items omitted\n  - name: item40\n    \
                    state: failed\n  # 58 items omitted\n  - name: item99\n    state: ok\nlast: 1\n";
    assert_eq!(shown, expected);
    assert_eq!(cut.omitted_elements, Some(97));
    assert_eq!(cut.about.as_deref(), Some("mapping of 2 keys: items, last"));
}

#[test]
fn block_scalars_are_shortened_at_line_ends() {
    let script: String = (0..200).map(|n| format!("    echo \"step {n}: # not a comment\"\n\n")).collect();
    let text = format!("a:\n  run: |\n{script}  name: x\nb: 2\n");
    let (shown, _) = shown(Kind::Yaml, &text, 500, &Settings::default()).unwrap();
    assert!(shown.contains("\n    ... [") && shown.ends_with("  name: x\nb: 2\n"), "{shown}");
}

#[test]
fn sequences_at_the_indentation_of_their_key_are_understood() {
    let text = format!("a:\n{}b: 1\n", "- - 1\n  - 2\n- x: 1\n".repeat(60));
    let (shown, _) = shown(Kind::Yaml, &text, 120, &counts(2, 1)).unwrap();
    assert_eq!(shown, "a:\n- - 1\n  - 2\n- x: 1\n# 117 items omitted\n- x: 1\nb: 1\n");
}

#[test]
fn documents_of_a_stream_are_elements() {
    let text: String = (0..50).map(|n| format!("---\nkind: Pod\nname: pod-{n}\n")).collect();
    let (shown, cut) = shown(Kind::Yaml, &text, 150, &counts(1, 1)).unwrap();
    assert_eq!(shown, "---\nkind: Pod\nname: pod-0\n---\n# 48 documents omitted\n---\nkind: Pod\nname: pod-49\n");
    assert_eq!(cut.omitted_elements, Some(48));
}

#[test]
fn an_alias_is_never_shown_without_its_anchor() {
    let filler: String = (0..200).map(|n| format!("  key{n}: value{n}\n")).collect();
    let text = format!("first: 1\nmap:\n{filler}  deep:\n    base: &base\n      a: 1\nuse: *base\nlast: 2\n");
    let (shown, _) = shown(Kind::Yaml, &text, 250, &Settings::default()).unwrap();
    assert!(!shown.contains("*base") || shown.contains("&base"), "{shown}");
    assert!(shown.contains("last: 2"));
    nodes(&shown);
}

#[test]
fn malformed_yaml_is_refused() {
    let error = shown(Kind::Yaml, "a: [1, 2\nb: }\n", 500, &Settings::default()).unwrap_err().to_string();
    assert!(error.starts_with("malformed YAML at line 2 column"), "{error}");
}

fn blocks() -> impl Strategy<Value = Vec<String>> {
    let leaf = prop_oneof![
        "[a-z]{1,8}".prop_map(|text| vec![text]),
        (0u32..99).prop_map(|number| vec![number.to_string()]),
        Just(vec!["[1, {a: 2}]".to_string()]),
        Just(vec!["\"quoted: # text\"".to_string()]),
        "[a-z ]{250,400}".prop_map(|text| vec![format!("\"{text}\"")]),
        prop::collection::vec("[a-z:#-][a-z:# -]{0,60}", 3..20).prop_map(|lines| {
            std::iter::once("|".to_string()).chain(lines.into_iter().map(|line| format!("  {line}"))).collect()
        }),
    ];
    leaf.prop_recursive(4, 120, 16, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..16).prop_map(|items| {
                let item = |lines: Vec<String>| {
                    lines
                        .into_iter()
                        .enumerate()
                        .map(|(n, line)| if n == 0 { format!("- {line}") } else { format!("  {line}") })
                };
                items.into_iter().flat_map(item).collect::<Vec<_>>()
            }),
            prop::collection::vec(inner, 1..16).prop_map(|values| {
                let mut lines = Vec::new();
                for (n, value) in values.into_iter().enumerate() {
                    let nested =
                        value[0].starts_with("- ") || (value[0].contains(": ") && !value[0].starts_with(['[', '"']));
                    let nested = nested || value[0].ends_with(':');
                    lines.push(if nested { format!("key{n}:") } else { format!("key{n}: {}", value[0]) });
                    lines.extend(value.into_iter().skip(usize::from(!nested)).map(|line| format!("  {line}")));
                }
                lines
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_cut_of_yaml_parses(items in prop::collection::vec(blocks(), 4..40), chars in 200u64..2500) {
        let mut text = String::new();
        for item in &items {
            for (n, line) in item.iter().enumerate() {
                text.push_str(if n == 0 { "- " } else { "  " });
                text.push_str(line);
                text.push('\n');
            }
        }
        let whole = nodes(&text);
        let (shown, _) = shown(Kind::Yaml, &text, chars, &Settings::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
        prop_assert!(nodes(&shown) <= whole, "{}", shown);
    }

    #[test]
    fn no_yaml_makes_it_panic(text in "[a-c:\\-#&*!|>'\"\\[\\]{}%? \n]{0,60}") {
        let _ = shown(Kind::Yaml, &text, 40, &Settings::default());
    }
}
