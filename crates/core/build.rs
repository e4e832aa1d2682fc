//! Turns the rule files into Rust tables, so that starting up parses nothing.
//!
//! The examples stay behind: only the tests read them.
#![allow(clippy::disallowed_methods, reason = "a build script reads files and the environment")]

#[path = "build/anchors.rs"]
mod anchors;
#[path = "build/finder.rs"]
mod finder;
#[path = "build/finders.rs"]
mod finders;
#[path = "build/lines.rs"]
mod lines;
#[allow(dead_code, reason = "what is made here is read elsewhere")]
#[path = "src/finder/slots.rs"]
mod slots;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

#[path = "build/steps.rs"]
mod steps;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("rules");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?.iter().map(|f| f.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "toml"));
    files.sort();

    let mut table = String::new();
    let mut words = Words::default();
    let mut kinds = Vec::new();
    let mut number = 0;
    let (mut lists, mut sources) = (String::new(), String::from("&[\n"));
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let parsed: toml::Table = fs::read_to_string(file)?.parse().map_err(|e| format!("{}: {e}", file.display()))?;
        let rules = parsed.get("rule").and_then(toml::Value::as_array).ok_or("a rule file needs [[rule]]")?;
        for rule in rules {
            let refused = |problem: String| format!("{}: {problem}: {rule:?}", file.display());
            writeln!(table, "    {},", entry(rule, &mut kinds).map_err(refused)?)?;
            words.take(rule, number).map_err(refused)?;
            number += 1;
        }
        for (key, value) in parsed.iter().filter(|(key, _)| *key != "rule") {
            lines::constants(key, value, &mut lists).map_err(|problem| format!("{}: {problem}", file.display()))?;
        }
        writeln!(sources, "    include_str!({:?}),", file.display().to_string())?;
    }
    sources.push(']');
    let out = Path::new(&env::var("OUT_DIR")?).to_owned();
    let table = format!("pub(super) static BUILTIN: [Rule; {number}] = [\n{table}];\n");
    fs::write(out.join("rules.rs"), table)?;
    fs::write(out.join("rule_kinds.rs"), format!("&{kinds:?}"))?;
    words.sort();
    fs::write(out.join("rule_words.rs"), words.code())?;
    fs::write(out.join("rule_files.rs"), sources)?;
    fs::write(out.join("rule_word_lists.rs"), lists)?;
    let mut finders = finders::Finders::new(&out);
    anchors::generate(&folder.join("anchors"), &words.short, &words.keywords, &out, &mut finders)?;
    lines::compile(&folder.join("lines"), &out, &mut finders)?;
    finders.write()?;
    steps::generate(&folder, &out)
}

/// The words that lead to rules, with the numbers of these.
#[derive(Default)]
struct Words {
    prefixes: Vec<(String, u16)>,
    short: Vec<(String, u16)>,
    names: Vec<(String, u16)>,
    whole_names: Vec<(String, u16)>,
    keywords: Vec<(String, u16)>,
}

impl Words {
    fn take(&mut self, rule: &toml::Value, number: u16) -> Result<(), String> {
        let words =
            |key: &str| strings(rule, key).map(|list| list.into_iter().map(move |word| (word.to_owned(), number)));
        self.prefixes.extend(words("prefixes")?);
        if flag(rule, "short") {
            self.short.extend(words("prefixes")?);
        }
        self.keywords.extend(words("keywords")?);
        for (name, number) in words("names")? {
            match name.strip_prefix('=') {
                Some(whole) => self.whole_names.push((whole.to_owned(), number)),
                None => self.names.push((name.to_ascii_lowercase(), number)),
            }
        }
        Ok(())
    }

    fn sort(&mut self) {
        let Words { prefixes, short, names, whole_names, keywords } = self;
        [prefixes, short, names, whole_names, keywords].into_iter().for_each(|list| list.sort_unstable());
    }

    /// Those that are compared with words and names, as a Rust expression.
    fn code(&self) -> String {
        let Words { prefixes, names, whole_names, .. } = self;
        let list = |words: &[(String, u16)]| {
            let words = words.iter().map(|(word, rule)| format!("(Cow::Borrowed({word:?}), {rule})"));
            words.collect::<Vec<_>>().join(", ")
        };
        let [prefixes, names, whole_names] = [prefixes, names, whole_names].map(|words| list(words));
        format!("RuleWords {{ prefixes: &[{prefixes}], names: &[{names}], whole_names: &[{whole_names}] }}")
    }
}

/// The strings of the list `key`, none where there is no such list.
fn strings<'a>(rule: &'a toml::Value, key: &str) -> Result<Vec<&'a str>, String> {
    let Some(value) = rule.get(key) else { return Ok(Vec::new()) };
    let items = value.as_array().ok_or(format!("`{key}` must be a list"))?;
    let words: Option<Vec<&str>> = items.iter().map(toml::Value::as_str).collect();
    words.ok_or(format!("`{key}` must hold strings"))
}

fn flag(rule: &toml::Value, key: &str) -> bool {
    rule.get(key).and_then(toml::Value::as_bool).unwrap_or(false)
}

/// One rule as a Rust expression; its kind is added to `kinds` if it is new.
fn entry(rule: &toml::Value, kinds: &mut Vec<String>) -> Result<String, String> {
    let text = |key: &str| rule.get(key).and_then(toml::Value::as_str).ok_or(format!("`{key}` is missing"));
    let kind = text("kind")?;
    let kind = kinds.iter().position(|known| known == kind).unwrap_or_else(|| {
        kinds.push(kind.to_owned());
        kinds.len() - 1
    });
    let list = |key: &str| strings(rule, key).map(|words| format!("&{words:?}"));
    let allow: Vec<String> =
        strings(rule, "allow")?.iter().map(|source| format!("Cow::Borrowed({source:?})")).collect();
    let has = |key: &str| strings(rule, key).map(|words| !words.is_empty());
    let entropy = match rule.get("entropy") {
        None => 0.0,
        Some(value) => value.as_float().ok_or("`entropy` must be a number with a point")?,
    };
    let approach = match (has("prefixes")?, has("infixes")?, has("names")?) {
        (true, _, _) => "Prefix",
        (false, true, _) => "Infix",
        (false, false, true) => "Named",
        (false, false, false) => "Line",
    };
    Ok(format!(
        "Rule::of_raw(Raw {{ id: {:?}, kind: {kind}, approach: Approach::{approach}, infixes: {}, after: {:?}, regex: {:?}, \
         entropy: {entropy:?}, allow: &[{}], beside: {}, dummies: {}, short: {} }})",
        text("id")?,
        list("infixes")?,
        rule.get("after").and_then(toml::Value::as_str).unwrap_or_default(),
        text("regex")?,
        allow.join(", "),
        list("beside")?,
        flag(rule, "dummies"),
        flag(rule, "short"),
    ))
}
