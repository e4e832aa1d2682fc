//! Runs the specs of cutting: each section's output, under its options, must become the whole reply that it shows.

#[path = "../../../../specs/reader.rs"]
mod reader;

use offcut::options::Options;
use offcut::{Call, Offcut};

use crate::outputs::{without_ids, without_times};
use reader::Section;

/// Specs of what other crates do, which run there.
const ELSEWHERE: [&str; 3] = ["extract", "retain", "wrap"];

#[test]
fn every_section_of_every_spec_holds() {
    let sections = reader::check(|name| !ELSEWHERE.contains(&name), run);
    assert!(sections >= 36, "only {sections} sections were found");
}

/// The reply that comes out.
fn run(section: &Section) -> String {
    let place = &section.place;
    let options: Options = section
        .block("options")
        .map_or_else(Options::default, |said| toml::from_str(said).unwrap_or_else(|error| panic!("{place}: {error}")));
    let offcut = Offcut::builder().options(options).in_memory().build().unwrap();
    let mut call = Call::new("execute_command");
    for (key, value) in section.call() {
        match key {
            "tool" => call.tool = value.to_owned(),
            "arguments" => call.arguments = value.to_owned(),
            "limit" => call.limits = Some(value.parse().unwrap()),
            "strategy" => call.strategy = Some(value.to_owned()),
            "kind" => call.kind = Some(value.parse().unwrap()),
            other => panic!("{place}: unknown key `{other}` in a call"),
        }
    }
    let output = section.made("output").unwrap_or_else(|| panic!("{place} has no output"));
    let reply = offcut.process(call, output).unwrap();
    without_times(&without_ids(&reply.text))
}
