//! Cuts of structured data, and what independent parsers say of them.

use offcut_core::budget::Budget;
use offcut_core::cut::{Cut, Piece};
use offcut_core::document::{Document, TextDocument};
use offcut_core::kind::{Classification, Kind};
use offcut_core::strategy::element::Element;
use offcut_core::strategy::{CutContext, CutError, Settings, Strategy};
use serde_json::Value;

/// What `element` shows of `text` within `chars` characters; it must fit.
pub(crate) fn cut(kind: Kind, text: &str, chars: u64) -> Result<(String, Cut), CutError> {
    let document = TextDocument::new(text);
    let classification = Classification::new(kind, 1.0, "test");
    let settings = Settings::default();
    let context = CutContext::new(Budget::chars(chars), &settings, &classification);
    let cut = Element.cut(&document, &context)?;
    let mut shown = String::new();
    for piece in cut.pieces() {
        match piece {
            Piece::Keep { range, .. } => shown.push_str(&document.read(range.clone()).unwrap()),
            Piece::Omit { .. } => {}
            Piece::Insert(inserted) => shown.push_str(inserted),
        }
    }
    assert!(shown.chars().count() as u64 <= chars, "{} > {chars}: {shown}", shown.chars().count());
    Ok((shown, cut))
}

/// The number in `... N items omitted ...` or `N keys omitted`.
fn number(text: &str, unit: &str) -> Option<u64> {
    let text = text.strip_prefix("... ").unwrap_or(text).strip_suffix(" ...").unwrap_or(text);
    counted(text.strip_prefix("... ").unwrap_or(text), unit)
}

/// The number in `N items omitted`, where it agrees with its noun.
fn counted(text: &str, unit: &str) -> Option<u64> {
    let (number, unit_said) = text.strip_suffix(" omitted")?.split_once(' ')?;
    let unit = if number == "1" { unit.trim_end_matches('s') } else { unit };
    number.parse().ok().filter(|_| unit_said == unit)
}

/// Checks that `shown` is `source` with parts left out and every count right; adds the elements of lists that are
/// missing to `omitted`.
pub(crate) fn compare(source: &Value, shown: &Value, omitted: &mut u64) {
    match (source, shown) {
        (Value::Array(source), Value::Array(shown)) => {
            let mut at = 0;
            for element in shown {
                match element.as_str().and_then(|text| number(text, "items")) {
                    Some(count) => {
                        *omitted += count;
                        at += usize::try_from(count).unwrap();
                    }
                    None => {
                        compare(&source[at], element, omitted);
                        at += 1;
                    }
                }
            }
            assert_eq!(at, source.len());
        }
        (Value::Object(source), Value::Object(shown)) => {
            let mut members = source.iter();
            let mut left = source.len() as u64;
            for (key, value) in shown {
                let count = value.as_str().filter(|_| key.starts_with("...")).and_then(|text| number(text, "keys"));
                if let Some(count) = count {
                    left -= count;
                } else {
                    let (_, original) = members.find(|(name, _)| *name == key).unwrap();
                    compare(original, value, omitted);
                    left -= 1;
                }
            }
            assert_eq!(left, 0);
        }
        (Value::String(source), Value::String(shown)) if source != shown => {
            let (head, rest) = shown.split_once("... [").unwrap_or_else(|| panic!("{shown} of {source}"));
            let (_, tail) = rest.split_once(" chars omitted] ...").unwrap();
            assert!(source.starts_with(head) && source.ends_with(tail), "{shown} of {source}");
        }
        _ => assert_eq!(source, shown),
    }
}

/// Cuts JSON and compares what is left with the whole.
pub(crate) fn check_json(text: &str, chars: u64) {
    let (shown, cut) = cut(Kind::Json, text, chars).unwrap_or_else(|error| panic!("{error}"));
    let source: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
    let result: Value = serde_json::from_str(&shown).unwrap_or_else(|error| panic!("{error}: {shown}"));
    let mut omitted = 0;
    compare(&source, &result, &mut omitted);
    assert_eq!(cut.omitted_elements.unwrap_or(0), omitted, "{shown}");
    assert!(cut.parses);
}

/// Cuts lines of JSON and compares what is left with the whole.
pub(crate) fn check_ndjson(text: &str, chars: u64) {
    let (shown, cut) = cut(Kind::Ndjson, text, chars).unwrap_or_else(|error| panic!("{error}"));
    let values = |text: &str| -> Value {
        text.lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    };
    let mut omitted = 0;
    compare(&values(text), &values(&shown), &mut omitted);
    assert_eq!(cut.omitted_elements.unwrap_or(0), omitted, "{shown}");
}

fn rows(text: &str, delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).flexible(true).delimiter(delimiter).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Cuts a table and compares its rows with those of the whole.
pub(crate) fn check_csv(text: &str, chars: u64) {
    let (shown, cut) = cut(Kind::Csv, text, chars).unwrap_or_else(|error| panic!("{error}"));
    let (source, shown_rows) = (rows(text, b','), rows(&shown, b','));
    let (mut at, mut omitted) = (0, 0);
    for row in &shown_rows {
        match number(&row[0], "rows") {
            Some(count) => {
                at += usize::try_from(count).unwrap();
                omitted += count;
            }
            None => {
                let original = &source[at];
                assert_eq!(row.len(), original.len(), "{shown}");
                for (cell, whole) in row.iter().zip(original) {
                    let head = cell.split("... [").next().unwrap();
                    assert!(cell == whole || whole.starts_with(head), "{cell} of {whole}");
                }
                at += 1;
            }
        }
    }
    assert_eq!(at, source.len(), "{shown}");
    assert_eq!(cut.omitted_elements.unwrap_or(0), omitted, "{shown}");
}

/// The elements of an XML text with how many children each has, those that a comment counts included, in the order of
/// their ends; only the outermost is named for sure in both a cut and its source.
fn outermost_children(xml: &str) -> (String, u64) {
    use quick_xml::Reader;
    use quick_xml::events::Event;
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let (mut depth, mut name, mut children) = (0u64, String::new(), 0u64);
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error}: {xml}")) {
            Event::Start(tag) => {
                match depth {
                    0 => name = String::from_utf8_lossy(tag.name().as_ref()).into_owned(),
                    1 => children += 1,
                    _ => {}
                }
                depth += 1;
            }
            Event::Empty(_) if depth == 1 => children += 1,
            Event::End(_) => depth -= 1,
            Event::Comment(comment) if depth == 1 => {
                let comment = String::from_utf8_lossy(&comment).trim().to_owned();
                let counted = comment.strip_suffix(" omitted").and_then(|said| said.split(' ').next()?.parse().ok());
                children += counted.unwrap_or(0);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{xml}");
    (name, children)
}

/// Cuts XML and counts its outermost children.
pub(crate) fn check_xml(text: &str, chars: u64) {
    let (shown, cut) = cut(Kind::Xml, text, chars).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(outermost_children(&shown), outermost_children(text), "{shown}");
    assert!(cut.parses);
}

/// How many nodes an independent parser sees; it fails on what is not YAML.
fn yaml_nodes(yaml: &str) -> usize {
    use saphyr_parser::{Event, Parser};
    let events = Parser::new_from_str(yaml).map(|event| event.unwrap_or_else(|error| panic!("{error}: {yaml}")).0);
    events
        .filter(|event| matches!(event, Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..)))
        .count()
}

/// Cuts YAML and counts the items that its comments say are missing.
pub(crate) fn check_yaml(text: &str, chars: u64) -> Result<(), CutError> {
    let (shown, cut) = cut(Kind::Yaml, text, chars)?;
    assert!(yaml_nodes(&shown) <= yaml_nodes(text), "{shown}");
    let said = |unit: &str| -> u64 { shown.lines().filter_map(|line| counted(line.rsplit_once("# ")?.1, unit)).sum() };
    assert_eq!(cut.omitted_elements.unwrap_or(0), said("items") + said("documents"), "{shown}");
    Ok(())
}
