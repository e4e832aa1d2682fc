//! Structured data that is read while it comes, so that it need not be read again to be cut.

use super::{csv, json};
pub use crate::bytes::Blocks;
use crate::kind::Kind;

/// What is known of structured data that was read while it came.
#[derive(Debug)]
pub struct Structure(Known);

#[derive(Debug)]
enum Known {
    Json(json::Streamed),
    Table(csv::Streamed),
}

impl Structure {
    /// Whether data of this kind can be read so.
    pub fn serves(kind: Kind) -> bool {
        matches!(kind, Kind::Json | Kind::Ndjson | Kind::Csv | Kind::Tsv)
    }

    /// Reads all that `blocks` brings, for a cut of at most so many characters. Nothing where it is not well-formed, unless
    /// it is JSON that ends too early: then it has to be read again, to say what is wrong or to cut it all the same.
    pub fn read(kind: Kind, chars: u64, blocks: &mut dyn Blocks) -> Option<Structure> {
        let known = match kind {
            Kind::Json | Kind::Ndjson => Known::Json(json::read_stream(blocks, kind == Kind::Ndjson, chars)?),
            Kind::Csv | Kind::Tsv => Known::Table(csv::read_stream(blocks, kind == Kind::Tsv, chars)?),
            _ => return None,
        };
        Some(Structure(known))
    }

    /// What is known of it as JSON.
    pub(super) fn json(&self) -> Option<&json::Streamed> {
        if let Known::Json(known) = &self.0 { Some(known) } else { None }
    }

    /// What is known of it as a table.
    pub(super) fn table(&self) -> Option<&csv::Streamed> {
        if let Known::Table(known) = &self.0 { Some(known) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::document::TextDocument;
    use crate::kind::Classification;
    use crate::strategy::element::Element;
    use crate::strategy::smart::Smart;
    use crate::strategy::{CutContext, Settings, Strategy};

    /// A text that comes in blocks of one size.
    struct Pieces<'a>(std::slice::Chunks<'a, u8>);

    impl Blocks for Pieces<'_> {
        fn append_next(&mut self, window: &mut Vec<u8>) -> bool {
            self.0.next().inspect(|block| window.extend_from_slice(block)).is_some()
        }
    }

    fn record(n: usize) -> String {
        let odd = if n % 977 == 976 { r#", "error": "gave up""# } else { "" };
        let wide = "é".repeat(n % 7 * 30);
        format!(r#"{{"id": {n}, "name": "user {n}", "tags": ["a", "b"], "at": {{"x": {n}.5, "y": "{wide}"}}{odd}}}"#)
    }

    /// Texts of each kind, the first of them well-formed; the containers inside are large enough to be remembered.
    fn texts() -> Vec<(Kind, String)> {
        let records: Vec<String> = (0..3000).map(record).collect();
        let list = format!("[{}]", records.join(", "));
        let rows = |separator: &str| {
            let row = |n: usize| format!("{n}{separator}\"a, \"\"{n}\"\"\n\"{separator}{}\r\n", "z".repeat(n % 300));
            format!("id{separator}words{separator}rest\n{}", (0..3000).map(row).collect::<String>())
        };
        vec![
            (Kind::Json, list.clone()),
            (Kind::Json, format!(r#"{{"meta": {{"n": 1}}, "first": {list}, "second": {{"more": {list}}}}}"#)),
            (Kind::Json, format!("\u{feff} {list} \n")),
            (Kind::Ndjson, records.join("\n")),
            (Kind::Csv, rows(",")),
            (Kind::Csv, rows(";")),
            (Kind::Tsv, rows("\t")),
        ]
    }

    #[test]
    fn what_was_read_while_it_came_is_cut_as_if_it_were_read_again() {
        let settings = Settings::default();
        for (kind, text) in texts() {
            let document = TextDocument::new(text.as_str());
            let classification = Classification::new(kind, 1.0, "test");
            let context = CutContext::new(Budget::chars(8000), &settings, &classification);
            let again = Element.cut(&document, &context).unwrap();
            for size in [1009, 65_536, 262_144, text.len()] {
                let read = Structure::read(kind, 8000, &mut Pieces(text.as_bytes().chunks(size)));
                let read = read.unwrap_or_else(|| panic!("{kind:?} in blocks of {size} was not read"));
                let known = CutContext { structure: Some(&read), ..context };
                assert!(read.json().is_some() || read.table().is_some());
                assert_eq!(Element.cut(&document, &known).unwrap(), again, "{kind:?} in blocks of {size}");
            }
        }
    }

    #[test]
    fn json_that_ends_too_early_is_cut_as_if_it_were_read_again() {
        let settings = Settings::default();
        for (kind, text) in texts().into_iter().filter(|(kind, _)| matches!(kind, Kind::Json | Kind::Ndjson)) {
            for lost in [2, 31, 100, 40_000] {
                let text = text.get(..text.floor_char_boundary(text.trim_end().len() - lost)).unwrap();
                let document = TextDocument::new(text);
                let classification = Classification::new(kind, 1.0, "test");
                let context = CutContext::new(Budget::chars(8000), &settings, &classification);
                let read = Structure::read(kind, 8000, &mut Pieces(text.as_bytes().chunks(65_536))).unwrap();
                let known = CutContext { structure: Some(&read), ..context };
                assert_eq!(Smart.cut(&document, &known).unwrap(), Smart.cut(&document, &context).unwrap());
                let wrong = |context| Element.cut(&document, context).unwrap_err().to_string();
                assert_eq!(wrong(&known), wrong(&context));
                assert!(wrong(&known).contains("ends"), "{}", wrong(&known));
            }
        }
    }

    #[test]
    fn what_is_malformed_is_read_again() {
        for (kind, text) in [(Kind::Json, "[1, 2}"), (Kind::Ndjson, "{\"a\": 1}\n{]"), (Kind::Csv, "a,b\n1,\"2\n")] {
            assert!(Structure::read(kind, 8000, &mut Pieces(text.as_bytes().chunks(3))).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_known_of_another_text_is_not_used() {
        let (kind, text) = texts().swap_remove(0);
        let read = Structure::read(kind, 8000, &mut Pieces(text.as_bytes().chunks(4096))).unwrap();
        let settings = Settings::default();
        let other = TextDocument::new("[1, 2, 3]");
        let classification = Classification::new(kind, 1.0, "test");
        let context = CutContext::new(Budget::chars(8000), &settings, &classification);
        let known = CutContext { structure: Some(&read), ..context };
        assert_eq!(Element.cut(&other, &known).unwrap(), Element.cut(&other, &context).unwrap());
    }
}
