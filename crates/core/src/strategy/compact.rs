//! Lossless forms: the whole output in fewer characters, where that alone makes it fit.
//!
//! Every form can be undone from what it shows, and is used only where undoing it gave the original back, or for data and
//! tables their values: a form that would leave a doubt is not shown.

mod columns;
mod json;
mod lines;
mod sections;

use crate::kind::Kind;

/// A text in a lossless form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compact {
    /// What is shown.
    pub text: String,
    /// What was done, for the header: `JSON without white space`.
    pub done: String,
}

/// How a form shortens a text, and how it is undone.
struct Form {
    /// The text in this form, and what was done; `None` where the form does not apply.
    shorten: fn(&str, &str) -> Option<Compact>,
    /// What the form stands for: the text, or for data and tables their values without the white space around them.
    undo: fn(&Compact, &str) -> Option<String>,
    /// What undoing must give back.
    original: fn(&str) -> Option<String>,
}

const JSON: [Form; 2] = [
    Form { shorten: json::without_space, undo: json::same, original: json::minified },
    Form { shorten: json::table, undo: json::from_table, original: json::minified },
];

const NDJSON: [Form; 2] = [
    Form { shorten: json::records_without_space, undo: json::same, original: json::minified_records },
    Form { shorten: json::records_table, undo: json::records_from_table, original: json::minified_records },
];

const TEXT: [Form; 5] = [
    Form { shorten: lines::runs, undo: lines::undo_runs, original: lines::itself },
    Form { shorten: lines::prefix, undo: lines::undo_prefix, original: lines::itself },
    Form { shorten: lines::by_file, undo: lines::undo_by_file, original: lines::itself },
    Form { shorten: lines::by_folder, undo: lines::undo_by_folder, original: lines::itself },
    Form { shorten: sections::sections, undo: sections::undo_sections, original: lines::itself },
];

const COLUMNS: [Form; 1] = [Form { shorten: columns::columns, undo: columns::undo_columns, original: columns::words }];

/// The first lossless form of `text` that `fits`; `handle` is what marks inside of it carry.
pub fn compact(text: &str, kind: Kind, handle: &str, fits: &dyn Fn(&Compact) -> bool) -> Option<Compact> {
    let forms: &[Form] = match kind {
        Kind::Json => &JSON,
        Kind::Ndjson => &NDJSON,
        Kind::Xml | Kind::Html | Kind::Yaml | Kind::Csv | Kind::Tsv | Kind::Code(_) | Kind::Binary => return None,
        Kind::Text
        | Kind::Log
        | Kind::Test
        | Kind::Build
        | Kind::Trace
        | Kind::Diff
        | Kind::Markdown
        | Kind::Search
        | Kind::Git
        | Kind::Table
        | Kind::Listing => &TEXT,
    };
    let columns: &[Form] = if matches!(kind, Kind::Git | Kind::Table | Kind::Listing) { &COLUMNS } else { &[] };
    forms.iter().chain(columns).find_map(|form| {
        let made = (form.shorten)(text, handle).filter(|made| fits(made))?;
        let undone = (form.undo)(&made, handle)?;
        ((form.original)(text)? == undone).then_some(made)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{TokenCounter, Tokenizer};

    fn shown(text: &str, kind: Kind) -> Option<Compact> {
        compact(text, kind, "a123", &|made| made.text.len() * 10 <= text.len() * 9)
    }

    #[test]
    fn json_loses_its_white_space_and_nothing_else() {
        let text = "{\n    \"a b\": [1, 2.50,\n    \"x  \\\" y\"],\n    \"big\": 12345678901234567890\n}\n";
        let made = shown(text, Kind::Json).unwrap();
        assert_eq!(made.text, "{\"a b\":[1,2.50,\"x  \\\" y\"],\"big\":12345678901234567890}");
        assert_eq!(made.done, "JSON without white space");
        assert_eq!(shown("{\"a\": 1,}", Kind::Json), None, "what is not JSON has no such form");
    }

    #[test]
    fn like_objects_become_a_table_that_gives_them_back() {
        let objects: Vec<String> = (0..200)
            .map(|n| {
                format!(
                    "{{\"identifier\": {n}, \"display_name\": \"user {n}\", \"active\": true, \"address\": {{\"city\": \"Oslo\", \
                     \"street_number\": {n}}}, \"tags\": [\"a\", \"b\"]}}"
                )
            })
            .collect();
        let text = format!("[\n  {}\n]\n", objects.join(",\n  "));
        let made = json::table(&text, "a123").unwrap();
        let mut rows = made.text.lines();
        assert_eq!(rows.next(), Some("identifier,display_name,active,address.city,address.street_number,tags"));
        assert_eq!(rows.next(), Some("0,\"user 0\",true,\"Oslo\",0,[\"a\",\"b\"]"));
        assert_eq!(made.text.lines().count(), 201);
        assert_eq!(json::from_table(&made, "a123"), json::minified(&text));
        assert_eq!(made.done, "200 objects as a table, a column for each key");
        let tokens = |text: &str| Tokenizer::O200k.count(text);
        assert!(tokens(&made.text) * 100 <= tokens(&text) * 45, "{} of {}", tokens(&made.text), tokens(&text));
    }

    #[test]
    fn a_table_inside_an_object_and_missing_keys_are_given_back() {
        let text = "{\"total\": 3, \"items\": [{\"a\": 1, \"b\": \"x\"}, {\"a\": 2}, {\"a\": 3, \"b\": null}], \"next\": null}";
        let made = json::table(text, "a123").unwrap();
        assert_eq!(made.text, "{\"total\":3,\"items\":[3 rows below],\"next\":null}\na,b\n1,\"x\"\n2,\n3,null");
        assert_eq!(json::from_table(&made, "a123"), json::minified(text));
        // Keys that a comma or a dot could be taken for a border of are not flattened into a header.
        for text in
            ["[{\"a,b\":1},{\"a,b\":2},{\"a,b\":3}]", "[{\"a.b\":1},{\"a.b\":2},{\"a.b\":3}]", "[{},{},{}]", "[1,2,3]"]
        {
            let made = json::table(text, "a123");
            assert!(made.is_none_or(|made| json::from_table(&made, "a123") == json::minified(text)), "{text}");
        }
    }

    #[test]
    fn records_become_a_table_too() {
        let text: String = (0..50).map(|n| format!("{{\"level\": \"info\", \"n\": {n}}}\n")).collect();
        let made = json::records_table(&text, "a123").unwrap();
        assert!(made.text.starts_with("level,n\n\"info\",0\n\"info\",1\n"), "{}", made.text);
        assert_eq!(json::records_from_table(&made, "a123"), json::minified_records(&text));
    }

    #[test]
    fn equal_lines_are_shown_once_with_their_count() {
        let text = format!("start\n{}\n\n\n\n\nend", "waiting for the server\n".repeat(40).trim_end());
        let made = shown(&text, Kind::Text).unwrap();
        assert_eq!(made.text, "start\nwaiting for the server\n[a123 +39]\n\n[a123 +3]\nend");
        assert_eq!(lines::undo_runs(&made, "a123").unwrap(), text);
        // An output that imitates the mark is given back as it came, or has no such form.
        let forged = text.replace("start", "[a123 +7]");
        assert!(shown(&forged, Kind::Text).is_none());
    }

    #[test]
    fn lines_that_count_are_shown_by_the_first_and_the_last() {
        let text = format!(
            "start\n{}end\nrow 7 of 7\n",
            (5..60).map(|n| format!("request {n} of 99 served\n")).collect::<String>()
        );
        let made = shown(&text, Kind::Log).unwrap();
        assert_eq!(
            made.text,
            "start\nrequest 5 of 99 served\n[a123 +53 counting on]\nrequest 59 of 99 served\nend\nrow 7 of 7\n"
        );
        assert_eq!(made.done, "[a123 +N counting on] are N lines that count from the one above to the one below");
        assert_eq!(lines::undo_runs(&made, "a123").unwrap(), text);
        // Numbers that do not grow by one, or have zeros before them, are shown.
        for odd in ["a 2\na 4\na 6\na 8\na 10\n", "a 01\na 02\na 03\na 04\na 05\n", "9\n8\n7\n6\n5\n4\n"] {
            assert!(lines::runs(odd, "a123").is_none(), "{odd}");
        }
    }

    #[test]
    fn a_prefix_of_every_line_is_said_once() {
        let text: String = (0..40).map(|n| format!("container-7 | request {}\n", n * n)).collect();
        let made = shown(&text, Kind::Log).unwrap();
        assert!(made.text.starts_with("0\n1\n4\n"), "{}", made.text);
        assert_eq!(made.done, "each line without its beginning `container-7 | request `");
    }

    #[test]
    fn search_results_and_paths_are_grouped() {
        let text: String = (0..30).map(|n| format!("crates/core/src/a{}.rs:{n}:let x = {n};\n", n / 10)).collect();
        let made = lines::by_file(&text, "a123").unwrap();
        assert!(made.text.starts_with("crates/core/src/a0.rs\n0:let x = 0;\n1:let x = 1;\n"), "{}", made.text);
        assert_eq!(lines::undo_by_file(&made, "a123").unwrap(), text);
        let text: String = (0..30).map(|n| format!("./src/part{}/file{n}.rs\n", n / 10)).collect();
        let made = lines::by_folder(&text, "a123").unwrap();
        assert!(made.text.starts_with("./src/part0/ file0.rs file1.rs "), "{}", made.text);
        assert_eq!(lines::undo_by_folder(&made, "a123").unwrap(), text);
    }
}
