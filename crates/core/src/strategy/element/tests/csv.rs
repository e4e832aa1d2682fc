use super::{counts, shown};
use crate::kind::Kind;
use crate::strategy::Settings;
use proptest::prelude::*;

fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_string).collect()).collect()
}

#[test]
fn the_header_and_the_first_and_last_rows_stay() {
    let mut text = String::from("id,name,state\n");
    for n in 0..500 {
        text.push_str(&format!("{n},\"row, {n}\",ok\n"));
    }
    let text = text.replace("\"row, 250\",ok", "\"row, 250\",broken");
    let (shown, cut) = shown(Kind::Csv, &text, 300, &counts(2, 1)).unwrap();
    let expected = "id,name,state\n0,\"row, 0\",ok\n1,\"row, 1\",ok\n... 248 rows omitted ...,,\n\
                    250,\"row, 250\",broken\n... 248 rows omitted ...,,\n499,\"row, 499\",ok\n";
    assert_eq!(shown, expected);
    assert_eq!(cut.omitted_elements, Some(496));
    assert_eq!(cut.about.as_deref(), Some("500 rows; 3 columns: id, name, state"));
}

#[test]
fn the_largest_and_the_smallest_number_are_shown_where_there_is_room() {
    let row = |n: u32| format!("{n},{}.5,town {}\n", 100 + n * 7919 % 89, n % 9);
    let mut text = String::from("id,rain,place\n");
    (0..2000).for_each(|n| text.push_str(&row(n)));
    let text = text.replace("\n700,", "\n700,9").replace("\n900,1", "\n900,");
    let (shown, _) = shown(Kind::Csv, &text, 2000, &Settings::default()).unwrap();
    assert!(shown.contains("\n700,9"), "{shown}");
    assert!(shown.contains("\n900,"), "{shown}");
    assert!(rows(&text).len() == 2001 && rows(&shown).len() < 24, "{shown}");
}

#[test]
fn quoted_line_ends_and_other_delimiters_are_understood() {
    let row = "1;\"two\r\nlines \"\"and\"\" a quote\";x\r\n";
    let text = format!("a;b;c\r\n{}", row.repeat(100));
    let (shown, _) = shown(Kind::Csv, &text, 200, &counts(1, 1)).unwrap();
    assert_eq!(shown, format!("a;b;c\r\n{row}... 98 rows omitted ...;;\r\n{row}"));
}

#[test]
fn a_long_cell_is_shortened_inside() {
    let text = format!("a\tb\n1\t{}\n2\tshort\n", "word ".repeat(1000));
    let (shown, _) = shown(Kind::Tsv, &text, 400, &Settings::default()).unwrap();
    assert!(shown.contains(" chars omitted] ...") && shown.ends_with("\n2\tshort\n"), "{shown}");
}

#[test]
fn a_quote_that_is_never_closed_is_malformed() {
    let error = shown(Kind::Csv, "a,b\n1,\"2\n3,4\n", 100, &Settings::default()).unwrap_err();
    assert_eq!(error.to_string(), "malformed CSV at line 2 column 3: a quote that is never closed");
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z0-9é ]{1,8}", 1 => "[a-z,\"\n]{1,12}", 1 => "[a-z,\"\n]{300,500}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_cut_of_every_table_parses_fits_and_counts(
        table in (1usize..6).prop_flat_map(|width| prop::collection::vec(prop::collection::vec(cell(), width), 2..120)),
        chars in 400u64..3000,
    ) {
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        for row in &table {
            writer.write_record(row).unwrap();
        }
        let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
        let Ok((shown, cut)) = shown(Kind::Csv, &text, chars, &Settings::default()) else {
            // Only a header that leaves no room is a reason.
            prop_assert!(table[0].iter().map(String::len).sum::<usize>() > 200 || text.lines().count() < 3);
            return Ok(());
        };
        let mut at = 0;
        let mut omitted = 0;
        for row in rows(&shown) {
            prop_assert_eq!(row.len(), table[0].len());
            let said = row[0].strip_prefix("... ").and_then(|rest| rest.strip_suffix(" omitted ..."));
            match said.and_then(|said| said.strip_suffix(" rows").or(said.strip_suffix(" row").filter(|one| *one == "1"))) {
                Some(count) => {
                    let count: usize = count.parse().unwrap();
                    omitted += count as u64;
                    at += count;
                }
                None => {
                    for (shown, source) in row.iter().zip(&table[at]) {
                        let start: String = shown.split("... [").next().unwrap().into();
                        prop_assert!(source.starts_with(&start));
                    }
                    at += 1;
                }
            }
        }
        prop_assert_eq!(at, table.len());
        prop_assert_eq!(cut.omitted_elements, Some(omitted));
    }
}
