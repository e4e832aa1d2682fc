//! Public suites of JSON, YAML and CSV: what is valid stays valid, what is not is refused with a reason.
//!
//! The repository holds a part of each (`tests/data/suites`, with their licences). With the folder of all suites beside
//! the repository, or named by `OFFCUT_SUITES`, all of them run.

use std::path::{Path, PathBuf};

use offcut_core::kind::Kind;
use offcut_core::strategy::CutError;
use serde::Deserialize;

use crate::cuts::{check_csv, check_json, check_yaml, cut};

#[derive(Deserialize)]
struct Case {
    name: String,
    valid: bool,
    text: String,
}

fn cases(json: &str) -> Vec<Case> {
    serde_json::from_str(json).unwrap()
}

/// Says why `element` does not cut this; it must say something.
fn refusal(kind: Kind, case: &Case) -> String {
    match cut(kind, &case.text, 1000) {
        Err(CutError::Shape(why)) => {
            assert!(!why.is_empty(), "{}", case.name);
            why
        }
        Err(error) => panic!("{}: {error}", case.name),
        Ok((shown, _)) => panic!("{} was cut: {shown:?}", case.name),
    }
}

fn check_json_case(case: &Case) {
    if case.valid {
        // Many copies make a document that has to be cut; one alone would be shown as it is.
        let copies = vec![case.text.trim(); 200].join(",\n");
        for chars in [200, 500, 3000] {
            check_json(&format!("[{copies}]"), chars);
        }
        check_json(&case.text, 1000);
    } else {
        let why = refusal(Kind::Json, case);
        assert!(
            why.starts_with("malformed JSON at line ") || why == "there is no JSON value in it",
            "{}: {why}",
            case.name
        );
    }
}

#[test]
fn valid_json_stays_valid_and_invalid_json_is_refused_with_its_place() {
    let cases = cases(include_str!("../data/suites/json.json"));
    assert!(cases.len() > 200 && cases.iter().filter(|case| case.valid).count() > 80);
    cases.iter().for_each(check_json_case);
}

/// Valid YAML is cut to valid YAML or refused with a reason; invalid YAML is refused. Says whether it was cut.
fn check_yaml_case(case: &Case) -> bool {
    if !case.valid {
        let why = refusal(Kind::Yaml, case);
        assert!(why.starts_with("malformed YAML at line "), "{}: {why}", case.name);
        return false;
    }
    [40, 80, 1000].into_iter().filter(|&chars| check_yaml(&case.text, chars).is_ok()).count() > 0
}

#[test]
fn valid_yaml_stays_valid_and_invalid_yaml_is_refused_with_its_place() {
    let cases = cases(include_str!("../data/suites/yaml.json"));
    let valid = cases.iter().filter(|case| case.valid).count();
    let cut = cases.iter().filter(|case| check_yaml_case(case)).count();
    assert!(cut * 10 >= valid * 9, "{cut} of {valid}");
}

fn check_csv_case(case: &Case) {
    let (header, rows) = case.text.split_once('\n').unwrap();
    let rows = format!("{}\n", rows.trim_end_matches(['\r', '\n']));
    let ending = if header.ends_with('\r') { "\r\n" } else { "\n" };
    let body = format!("{}{ending}", rows.trim_end()).repeat(300);
    for chars in [300, 1000, 5000] {
        check_csv(&format!("{header}\n{body}"), chars);
    }
}

#[test]
fn rows_of_csv_stay_whole_whatever_stands_in_their_quotes() {
    let cases = cases(include_str!("../data/suites/csv.json"));
    assert_eq!(cases.len(), 11);
    cases.iter().for_each(check_csv_case);
}

/// The folder of all suites, if it is there.
fn all_suites() -> Option<PathBuf> {
    let named = std::env::var_os("OFFCUT_SUITES").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites"));
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no suites in {} (OFFCUT_SUITES names another folder)", folder.display());
    None
}

#[test]
fn all_of_json_test_suite_behaves() {
    let Some(folder) = all_suites() else { return };
    let (mut valid, mut invalid, mut either) = (0, 0, 0);
    for entry in std::fs::read_dir(folder.join("JSONTestSuite/test_parsing")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // What is not UTF-8 has been cleaned before anything is cut.
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        match name.chars().next() {
            Some('y') => {
                check_json_case(&Case { name, valid: true, text });
                valid += 1;
            }
            Some('n') if !text.contains('\u{fffd}') => {
                check_json_case(&Case { name, valid: false, text });
                invalid += 1;
            }
            _ => {
                // Either is right; it must end, and fit.
                let _ = cut(Kind::Json, &text, 200);
                either += 1;
            }
        }
    }
    eprintln!("JSONTestSuite: {valid} valid, {invalid} invalid, {either} either way");
    assert!(valid >= 95 && invalid >= 170, "{valid}, {invalid}");
}

/// The cases of one file of the YAML test suite: a sequence of mappings with scalars, in which signs stand for white
/// space that would not be seen.
fn yaml_cases(name: &str, file: &str) -> Vec<Case> {
    use saphyr_parser::{Event, Parser};
    let (mut cases, mut key, mut yaml, mut fails) = (Vec::new(), None::<String>, None::<String>, false);
    for event in Parser::new_from_str(file) {
        match event.unwrap().0 {
            Event::MappingStart(..) => (key, yaml, fails) = (None, None, false),
            Event::Scalar(text, ..) => match key.take().as_deref() {
                None => key = Some(text.into_owned()),
                Some("fail") => fails = text == "true",
                Some("yaml") => {
                    let signs = [("␣", " "), ("←", "\r"), ("⇔", "\u{feff}"), ("↵", ""), ("∎\n", ""), ("∎", "")];
                    let text = text.replace('—', "").replace('»', "\t");
                    yaml = Some(signs.iter().fold(text, |text, (sign, meant)| text.replace(sign, meant)));
                }
                Some(_) => {}
            },
            Event::MappingEnd => {
                cases.extend(yaml.take().map(|text| Case { name: name.to_owned(), valid: !fails, text }));
            }
            _ => {}
        }
    }
    cases
}

#[test]
fn all_of_yaml_test_suite_behaves() {
    let Some(folder) = all_suites() else { return };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder.join("yaml-test-suite/src")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut valid, mut cut_to_valid, mut invalid, mut taken_for_valid) = (0, 0, 0, Vec::new());
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        for case in yaml_cases(&name, &std::fs::read_to_string(&path).unwrap()) {
            if case.valid {
                valid += 1;
                cut_to_valid += usize::from(check_yaml_case(&case));
            } else {
                invalid += 1;
                match cut(Kind::Yaml, &case.text, 1000) {
                    Err(CutError::Shape(why)) => assert!(!why.is_empty()),
                    _ => taken_for_valid.push(case.name),
                }
            }
        }
    }
    eprintln!(
        "YAML test suite: {valid} valid ({cut_to_valid} cut to valid YAML, the others refused), {invalid} invalid"
    );
    eprintln!("  of which the parser takes for valid: {taken_for_valid:?}");
    assert!(valid > 290 && cut_to_valid * 10 >= valid * 9, "{cut_to_valid} of {valid}");
    assert!(invalid >= 94 && taken_for_valid.is_empty(), "{taken_for_valid:?} of {invalid}");
}
