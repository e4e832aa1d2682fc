//! Turns `rules/steps/*.toml` into tables: how systems that run commands mark where one begins and how it ended.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use toml::Value;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The placeholders of a template, and the variants that they become.
const PLACEHOLDERS: [(&str, &str); 5] =
    [("name", "Name"), ("status", "Status"), ("number", "Number"), ("word", "Word"), ("rest", "Rest")];

const DOES: [(&str, &str); 8] = [
    ("begins", "Begins"),
    ("ends", "Ends"),
    ("exits", "Exits"),
    ("fails", "Fails"),
    ("stops", "Stops"),
    ("skips", "Skips"),
    ("cleans_up", "CleansUp"),
    ("concludes", "Concludes"),
];

/// Writes `step_rules.rs`, the table, and `step_rule_files.rs`, the sources for the tests of the examples.
pub(crate) fn generate(rules: &Path, out: &Path) -> Outcome<()> {
    let folder = rules.join("steps");
    let mut files: Vec<_> =
        fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ext| ext == "toml"));
    files.sort();
    let (mut systems, mut sources) = (String::from("&[\n"), String::from("&[\n"));
    let mut rules: Vec<(usize, String)> = Vec::new();
    for (number, file) in files.iter().enumerate() {
        println!("cargo::rerun-if-changed={}", file.display());
        let parsed: toml::Table = fs::read_to_string(file)?.parse()?;
        let said = |error: String| format!("{}: {error}", file.display());
        writeln!(systems, "    {},", system(&parsed).map_err(said)?)?;
        for rule in parsed.get("rule").and_then(Value::as_array).into_iter().flatten() {
            rules.push(entry(rule, number).map_err(|error| format!("{}: {error}: {rule:?}", file.display()))?);
        }
        writeln!(sources, "    include_str!({:?}),", file.display().to_string())?;
    }
    // Of two templates that fit a line, the one that says more of it is meant.
    rules.sort_by_key(|(literal, _)| std::cmp::Reverse(*literal));
    let rules: Vec<String> = rules.into_iter().map(|(_, rule)| rule).collect();
    let table = format!(
        "pub(super) const SYSTEMS: &[System] = {systems}];\npub(super) const RULES: &[Rule] = &[{}];",
        rules.join(",\n")
    );
    fs::write(out.join("step_rules.rs"), table)?;
    fs::write(out.join("step_rule_files.rs"), sources + "]")?;
    Ok(())
}

fn system(file: &toml::Table) -> Result<String, String> {
    let system = file.get("system").ok_or("a file of step rules needs [system]")?;
    let flag = |key: &str| system.get(key).and_then(Value::as_bool).unwrap_or(false);
    let name = system.get("name").and_then(Value::as_str).ok_or("`name` is missing")?;
    let mut marks = Vec::new();
    for mark in system.get("marks").and_then(Value::as_array).into_iter().flatten() {
        marks.push(template(mark.as_str().ok_or("`marks` must hold strings")?)?.1);
    }
    Ok(format!(
        "System {{ name: {name:?}, marks: &[{}], only_when_marked: {}, reports_exits: {} }}",
        marks.join(", "),
        flag("only_when_marked"),
        flag("reports_exits")
    ))
}

/// How much of the line a rule spells out, and the rule as a Rust expression.
fn entry(rule: &Value, system: usize) -> Result<(usize, String), String> {
    let text = |key: &str| rule.get(key).and_then(Value::as_str);
    let does = text("does").ok_or("`does` is missing")?;
    let does = DOES.iter().find(|(name, _)| *name == does).ok_or(format!("unknown `does`: {does}"))?.1;
    let level = match text("level").unwrap_or("step") {
        "step" => "Step",
        "command" => "Command",
        other => return Err(format!("unknown `level`: {other}")),
    };
    let (literal, like) = template(text("like").ok_or("`like` is missing")?)?;
    let spans = rule.get("spans_lines").and_then(Value::as_bool).unwrap_or(false);
    if rule.get("good").and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return Err("`good` needs an example".into());
    }
    let rule = format!(
        "Rule {{ does: Does::{does}, level: Level::{level}, like: {like}, spans_lines: {spans}, system: {system} }}"
    );
    Ok((literal, rule))
}

/// How many bytes of a template stand for themselves, and the template as a Rust expression.
fn template(like: &str) -> Result<(usize, String), String> {
    let mut segments = Vec::new();
    let (mut literal, mut rest) = (0, like);
    while !rest.is_empty() {
        let placeholder = PLACEHOLDERS.iter().find_map(|(name, variant)| {
            let after = rest.strip_prefix('{')?.strip_prefix(name)?.strip_prefix('}')?;
            Some((variant, after))
        });
        if let Some((variant, after)) = placeholder {
            if literal == 0 {
                return Err(format!("`{like}` must begin with text, by which it is found"));
            }
            segments.push(format!("Segment::{variant}"));
            rest = after;
            continue;
        }
        let named = |name: &str| rest.match_indices(&format!("{{{name}}}")).map(|(at, _)| at).find(|&at| at > 0);
        let end = PLACEHOLDERS.iter().filter_map(|(name, _)| named(name)).min().unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        segments.push(format!("Segment::Text({text:?})"));
        literal += end;
        rest = after;
    }
    Ok((literal, format!("&[{}]", segments.join(", "))))
}
