//! The example at the top of the README is what comes out.

use crate::workbench::{Bench, id_in};

const README: &str = include_str!("../../../../README.md");

#[test]
fn the_example_in_the_readme_is_a_real_transcript() {
    let bench = Bench::new();
    bench.write("tests.sh", include_str!("../data/tests.sh"));
    let (_, rest) = README.split_once("```console\n").unwrap();
    let (example, _) = rest.split_once("```\n").unwrap();
    let named = id_in(example);
    let mut transcript = String::new();
    let mut handle = named.clone();
    for line in example.lines().filter_map(|line| line.strip_prefix("$ ")) {
        let left = bench.shell(&line.replace(&named, &handle));
        if left.stdout.starts_with("[offcut ") {
            handle = id_in(&left.stdout);
        }
        transcript.push_str(&format!("$ {line}\n{}", left.stdout.replace(&handle, &named)));
    }
    assert_eq!(transcript, example);
}
