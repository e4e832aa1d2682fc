//! Turns `rules/lines/*.toml` into tables: what lines of tools, runners and CI systems say.
//!
//! A rule has conditions and says one thing: what a line is (`role`), which kind of output it speaks for (`vote`), or
//! its part in a stack trace (`trace`). Rules of one table stand in the order in which they are tried: by stage, then
//! by priority, then by file. Names are turned into variants here, so that a wrong one does not compile.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::finders::Finders;

type Problem = Box<dyn Error>;

/// The stages in which a line is looked at, in order.
const STAGES: [&str; 11] =
    ["beginning", "place", "quiet", "boilerplate", "audit", "test", "summary", "exit", "message", "system", "label"];

/// Lists of literals that a line is compared with, each a condition.
const LISTS: [&str; 11] = [
    "starts",
    "begins",
    "label",
    "equals",
    "ends",
    "ends_word",
    "contains",
    "contains_all",
    "says",
    "not_starts",
    "not_contains",
];

/// Everything else that a rule may have.
const KEYS: [&str; 18] = [
    "id",
    "stage",
    "priority",
    "signals",
    "indent",
    "min_indent",
    "max_length",
    "reach",
    "hook",
    "role",
    "severity",
    "weight",
    "vote",
    "numbered",
    "trace",
    "good",
    "bad",
    "regex",
];

/// A rule on its way into a table.
struct Entry {
    stage: usize,
    priority: i64,
    edges: Edges,
    /// The names of the signals, one of which a line must have; none where it needs none.
    signals: Vec<String>,
    lists: Lists,
    code: String,
}

/// What a rule that votes is found by.
struct Lists {
    starts: Vec<String>,
    ends: Vec<String>,
    contains: Vec<String>,
    /// Whether one of the parts that a line may contain is all that it must have beside its edges.
    parts_alone: bool,
}

/// The bytes that can be the first, the second and the last of a line which satisfies a rule.
struct Edges {
    first: Bytes,
    second: Bytes,
    last: Bytes,
}

/// A set of bytes.
#[derive(Clone, Copy)]
struct Bytes([u64; 4]);

impl Bytes {
    const ALL: Bytes = Bytes([u64::MAX; 4]);

    fn of(bytes: impl IntoIterator<Item = u8>) -> Bytes {
        let mut set = [0; 4];
        for byte in bytes {
            set[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        Bytes(set)
    }

    /// The bytes at one place of literals; all where there is none, or one is shorter.
    fn at_edge(literals: &[String], byte: impl Fn(&[u8]) -> Option<u8>) -> Bytes {
        let bytes: Option<Vec<u8>> = literals.iter().map(|literal| byte(literal.as_bytes())).collect();
        bytes.filter(|bytes| !bytes.is_empty()).map_or(Bytes::ALL, Bytes::of)
    }

    fn in_any_case(self) -> Bytes {
        let bytes = || (0..=255u8).filter(|byte| self.has(*byte));
        Bytes::of(bytes().chain(bytes().map(|byte| byte.to_ascii_uppercase())))
    }

    fn both(self, other: Bytes) -> Bytes {
        Bytes(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    fn has(self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}

impl Edges {
    fn of(rule: &toml::Value) -> Result<Edges, String> {
        let nth = |key, at| Ok::<_, String>(Bytes::at_edge(&strings(rule, key)?, |literal| literal.get(at).copied()));
        let begins =
            |at| Ok::<_, String>(nth("starts", at)?.both(nth("equals", at)?).both(nth("begins", at)?.in_any_case()));
        let last = |key| Ok::<_, String>(Bytes::at_edge(&strings(rule, key)?, |literal| literal.last().copied()));
        Ok(Edges {
            first: begins(0)?,
            second: begins(1)?,
            last: last("ends")?.both(last("equals")?).both(last("ends_word")?),
        })
    }
}

/// Writes `line_rules.rs`, `line_word_lists.rs`, `line_words.rs` and `line_rule_files.rs` into `out`, and adds what finds
/// words.
pub(crate) fn compile(folder: &Path, out: &Path, finders: &mut Finders<'_>) -> Result<(), Problem> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?.iter().map(|f| f.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "toml"));
    files.sort();
    let (mut roles, mut votes, mut traces) = (Vec::new(), Vec::new(), Vec::new());
    let mut ids = BTreeSet::new();
    let mut words = Words::default();
    let mut lists = String::new();
    let mut sources = String::from("&[\n");
    for file in &files {
        let named = |problem: String| format!("{}: {problem}", file.display());
        let parsed: toml::Table = fs::read_to_string(file)?.parse().map_err(|e| named(format!("{e}")))?;
        for (key, value) in &parsed {
            match key.as_str() {
                "rule" => {
                    for rule in value.as_array().into_iter().flatten() {
                        let id = rule.get("id").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
                        let of_rule = |problem: String| named(format!("rule `{id}`: {problem}"));
                        if id.is_empty() || !ids.insert(id.clone()) {
                            return Err(of_rule("`id` is missing or stands twice".into()).into());
                        }
                        let table = match (rule.get("role"), rule.get("vote"), rule.get("trace")) {
                            (Some(_), None, None) => &mut roles,
                            (None, Some(_), None) => &mut votes,
                            (None, None, Some(_)) => &mut traces,
                            _ => return Err(of_rule("one of `role`, `vote` and `trace` is needed".into()).into()),
                        };
                        table.push(entry(rule).map_err(of_rule)?);
                    }
                }
                "word" => {
                    for word in value.as_array().into_iter().flatten() {
                        words.add(word).map_err(named)?;
                    }
                }
                table => constants(table, value, &mut lists).map_err(named)?,
            }
        }
        writeln!(sources, "    include_str!({:?}),", file.display().to_string())?;
    }
    sources.push(']');
    let mut code = String::new();
    for (name, kind, table) in
        [("ROLES", "RoleRule", &mut roles), ("VOTES", "VoteRule", &mut votes), ("TRACES", "TraceRule", &mut traces)]
    {
        table.sort_by_key(|entry| (entry.stage, -entry.priority));
        write_table(&mut code, name, kind, table)?;
    }
    write_edges(&mut code, "ROLES", &roles)?;
    write_edges(&mut code, "TRACES", &traces)?;
    write_sets(&mut code, &roles)?;
    write_votes(&mut code, &votes, finders)?;
    fs::write(out.join("line_rules.rs"), code)?;
    fs::write(out.join("line_word_lists.rs"), lists)?;
    fs::write(out.join("line_words.rs"), words.code())?;
    finders.add("SIGNALS", words.signals.iter().map(|(word, _)| word), true)?;
    finders.add("ELEMENT_WORDS", words.elements.iter().map(|(word, _)| word), true)?;
    fs::write(out.join("line_rule_files.rs"), sources)?;
    Ok(())
}

/// One table.
fn write_table(code: &mut String, name: &str, kind: &str, table: &[Entry]) -> Result<(), Problem> {
    writeln!(code, "pub(super) static {name}: &[{kind}] = &[")?;
    for entry in table {
        writeln!(code, "    {},", entry.code)?;
    }
    writeln!(code, "];")?;
    Ok(())
}

/// How the rules that vote are found: by the first byte of what a line begins with, by the last of what it ends with, by
/// a part of the line, which votes by itself, or on every line.
fn write_votes(code: &mut String, votes: &[Entry], finders: &mut Finders<'_>) -> Result<(), Problem> {
    let (mut by_first, mut by_last) = (vec![Vec::new(); 256], vec![Vec::new(); 256]);
    let (mut always, mut parts, mut owners) = (Vec::new(), Vec::new(), Vec::new());
    for (at, Entry { lists, .. }) in votes.iter().enumerate() {
        let put = |table: &mut Vec<Vec<usize>>, byte: Option<u8>| {
            let list = byte.map(|byte| &mut table[usize::from(byte)]);
            list.into_iter().filter(|list| list.last() != Some(&at)).for_each(|list| list.push(at));
        };
        if !lists.starts.is_empty() {
            lists.starts.iter().for_each(|start| put(&mut by_first, start.bytes().next()));
        } else if !lists.ends.is_empty() {
            lists.ends.iter().for_each(|end| put(&mut by_last, end.bytes().last()));
        } else if lists.parts_alone {
            owners.extend(lists.contains.iter().map(|_| at));
            parts.extend(&lists.contains);
        } else {
            always.push(at);
        }
    }
    for (name, table) in [("VOTES_BY_FIRST", by_first), ("VOTES_BY_LAST", by_last)] {
        let lists: String = table.iter().map(|list| format!("&{list:?}, ")).collect();
        writeln!(code, "pub(in crate::line) static {name}: [&[u16]; 256] = [{lists}];")?;
    }
    writeln!(code, "pub(in crate::line) static VOTES_ALWAYS: &[u16] = &{always:?};")?;
    writeln!(
        code,
        "/// Whose the parts are that are found.\npub(in crate::line) static VOTE_OWNERS: &[u16] = &{owners:?};"
    )?;
    finders.add("VOTE_PARTS", parts, false)?;
    Ok(())
}

/// A set of entries as a Rust expression, a bit each.
fn set(table: &[Entry], holds: impl Fn(&Entry) -> bool) -> String {
    let mut bits = vec![0u64; table.len().div_ceil(64)];
    let members = table.iter().enumerate().filter(|(_, entry)| holds(entry));
    members.for_each(|(at, _)| bits[at / 64] |= 1 << (at % 64));
    format!("{bits:?}")
}

/// The entries of a table that a line may satisfy with some first byte, with some second one and with some last one.
fn write_edges(code: &mut String, name: &str, table: &[Entry]) -> Result<(), Problem> {
    let words = table.len().div_ceil(64);
    writeln!(code, "/// A set of rules of [`{name}`], a bit each.\nconst {name}_WORDS: usize = {words};")?;
    writeln!(code, "static {name}_BY_EDGES: ByEdges<{name}_WORDS> = ByEdges {{")?;
    let sets = |bytes: &dyn Fn(&Edges) -> Bytes| {
        let set_of = |byte| set(table, |entry| bytes(&entry.edges).has(byte));
        (0..=255u8).map(set_of).collect::<Vec<String>>().join(", ")
    };
    writeln!(code, "    first: [{}],", sets(&|edges| edges.first))?;
    writeln!(code, "    second: [{}],", sets(&|edges| edges.second))?;
    writeln!(code, "    last: [{}],", sets(&|edges| edges.last))?;
    writeln!(code, "}};")?;
    Ok(())
}

/// The roles that need no signal, those that need one, and those of each stage.
fn write_sets(code: &mut String, roles: &[Entry]) -> Result<(), Problem> {
    let none = set(roles, |entry| entry.signals.is_empty());
    writeln!(code, "static ROLES_UNSIGNALLED: RuleSet<ROLES_WORDS> = {none};")?;
    let signals: BTreeSet<&String> = roles.iter().flat_map(|entry| &entry.signals).collect();
    writeln!(code, "static ROLES_BY_SIGNAL: &[(Signals, RuleSet<ROLES_WORDS>)] = &[")?;
    for signal in signals {
        let members = set(roles, |entry| entry.signals.contains(signal));
        writeln!(code, "    (Signals::{}, {members}),", signal.to_uppercase())?;
    }
    let stages: Vec<String> = (0..STAGES.len()).map(|stage| set(roles, |entry| entry.stage == stage)).collect();
    writeln!(code, "];\n/// The rules of each stage.")?;
    writeln!(code, "static STAGES: [RuleSet<ROLES_WORDS>; {}] = [{}];", STAGES.len(), stages.join(", "))?;
    Ok(())
}

/// One rule as a Rust expression.
fn entry(rule: &toml::Value) -> Result<Entry, String> {
    let table = rule.as_table().ok_or("a rule must be a table")?;
    if let Some(key) = table.keys().find(|key| !KEYS.contains(&key.as_str()) && !LISTS.contains(&key.as_str())) {
        return Err(format!("unknown key `{key}`"));
    }
    let text = |key: &str| table.get(key).and_then(toml::Value::as_str);
    let number = |key: &str| table.get(key).and_then(toml::Value::as_integer);
    let variant = |key: &str| text(key).map(camel);
    if strings(rule, "good")?.is_empty() {
        return Err("`good` needs an example".into());
    }
    let mut when = String::new();
    for list in LISTS {
        let items = strings(rule, list)?;
        let _ = write!(when, "{list}: &{items:?}, ");
    }
    let signals = strings(rule, "signals")?;
    let with = signals.iter().map(|name| format!(".with(Signals::{})", name.to_uppercase()));
    let _ = write!(
        when,
        "signals: Signals::NONE{}, indent: Indent::{}, min_indent: {}, max_length: {}, reach: {}, hook: {}, regex: None",
        with.collect::<String>(),
        variant("indent").unwrap_or("Any".into()),
        number("min_indent").unwrap_or(0),
        number("max_length").map_or("usize::MAX".into(), |n| n.to_string()),
        number("reach").map_or("usize::MAX".into(), |n| n.to_string()),
        variant("hook").map_or("None".into(), |hook| format!("Some(Hook::{hook})")),
    );
    let weight = match table.get("weight") {
        None => "None".into(),
        Some(weight) => {
            let weight =
                weight.as_float().or(weight.as_integer().map(|w| w as f64)).ok_or("`weight` must be a number")?;
            format!("Some({weight:?})")
        }
    };
    let id = text("id").unwrap_or_default();
    let stage = text("stage").unwrap_or("beginning");
    let stage = STAGES.iter().position(|known| *known == stage).ok_or(format!("unknown stage `{stage}`"))?;
    let edges = Edges::of(rule)?;
    let lists = Lists {
        starts: strings(rule, "starts")?,
        ends: strings(rule, "ends")?,
        contains: strings(rule, "contains")?,
        parts_alone: strings(rule, "contains_all")?.is_empty() && text("indent").is_none_or(|indent| indent == "any"),
    };
    let mut starts = strings(rule, "starts")?;
    starts.sort();
    let heads: String = starts.iter().map(|start| format!("Head::of({start:?}), ")).collect();
    let code = match (variant("role"), variant("vote"), variant("trace")) {
        (Some(role), ..) => format!(
            "RoleRule {{ id: {id:?}, heads: &[{heads}], when: Conditions {{ {when} }}, role: Role::{role}, severity: {}, \
             weight: {weight} }}",
            variant("severity").map_or("None".into(), |severity| format!("Some(Severity::{severity})")),
        ),
        (_, Some(vote), _) => format!(
            "VoteRule {{ id: {id:?}, heads: &[{heads}], when: Conditions {{ {when} }}, vote: Vote::{vote}, numbered: {} }}",
            table.get("numbered").and_then(toml::Value::as_bool).unwrap_or(false),
        ),
        (.., Some(part)) => {
            format!(
                "TraceRule {{ id: {id:?}, heads: &[{heads}], when: Conditions {{ {when} }}, part: TraceLine::{part} }}"
            )
        }
        _ => return Err("a rule says nothing".into()),
    };
    Ok(Entry { stage, priority: number("priority").unwrap_or(0), edges, signals, lists, code })
}

/// Named lists of words, as constants: `[frames] foreign = […]` is `FRAMES_FOREIGN`.
pub(crate) fn constants(table: &str, value: &toml::Value, code: &mut String) -> Result<(), String> {
    for key in value.as_table().ok_or(format!("unknown key `{table}`"))?.keys() {
        let words = strings(value, key)?;
        let name = format!("{}_{}", table.to_uppercase(), key.to_uppercase());
        let _ = writeln!(code, "pub(super) static {name}: &[&str] = &{words:?};");
    }
    Ok(())
}

/// Words that signal something, and signs that do.
#[derive(Default)]
struct Words {
    /// With what they signal, as a Rust expression.
    signals: Vec<(String, String)>,
    /// With their severity.
    elements: Vec<(String, i64)>,
    signs: Vec<String>,
}

impl Words {
    fn add(&mut self, word: &toml::Value) -> Result<(), String> {
        let names = strings(word, "signal")?;
        let signals: String = names.iter().map(|name| format!(".with(Signals::{})", name.to_uppercase())).collect();
        for text in strings(word, "words")? {
            if text.len() < 4 || text.to_lowercase() != text {
                return Err(format!("`{text}` must have four bytes or more, in lower case"));
            }
            if !names.is_empty() {
                self.signals.push((text.clone(), format!("Signals::NONE{signals}")));
            }
            if let Some(severity) = word.get("element").and_then(toml::Value::as_integer) {
                self.elements.push((text, severity));
            }
        }
        self.signs.extend(strings(word, "signs")?);
        Ok(())
    }

    fn code(&self) -> String {
        let chars: Vec<char> = self.signs.iter().filter_map(|sign| sign.chars().next()).collect();
        let signals: String = self.signals.iter().map(|(word, says)| format!("    ({word:?}, {says}),\n")).collect();
        format!(
            "pub(crate) static WORDS: &[(&str, Signals)] = &[\n{signals}];\n\
             pub(crate) static SIGNS: &[char] = &{chars:?};\n\
             pub(crate) static ELEMENT_WORDS: &[(&str, u32)] = &{:?};\n",
            self.elements
        )
    }
}

/// The strings of a list; none where there is no such key.
fn strings(value: &toml::Value, key: &str) -> Result<Vec<String>, String> {
    let Some(list) = value.get(key) else { return Ok(Vec::new()) };
    let items = list.as_array().ok_or(format!("`{key}` must be a list"))?;
    items.iter().map(|item| item.as_str().map(str::to_owned).ok_or(format!("`{key}` must hold strings"))).collect()
}

/// `failed_test` as `FailedTest`.
pub(crate) fn camel(name: &str) -> String {
    name.split('_')
        .map(|part| {
            part.chars().next().map_or(String::new(), |c| {
                c.to_uppercase().collect::<String>() + part.get(c.len_utf8()..).unwrap_or("")
            })
        })
        .collect()
}
