//! Turns `rules/anchors/*.toml` and the words of rules into the literals that lead to secrets.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::finder::SHORTEST;
use crate::finders::Finders;
use crate::lines::camel;
use crate::strings;

type Problem = Box<dyn std::error::Error>;

/// Writes `literals.rs`: those of the folder, then `short` prefixes of tokens, then `keywords` by their place, each list
/// sorted; those that are too short for a finder stand before the others. And `rule_keywords.rs`: whose each keyword is.
pub(crate) fn generate(
    folder: &Path,
    short: &[(String, u16)],
    keywords: &[(String, u16)],
    out: &Path,
    finders: &mut Finders<'_>,
) -> Result<(), Problem> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?.iter().map(|f| f.path()).collect();
    files.sort();
    let mut literals: Vec<(String, String)> = Vec::new();
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let parsed: toml::Table = fs::read_to_string(&file)?.parse().map_err(|e| format!("{}: {e}", file.display()))?;
        for group in parsed.get("literals").and_then(toml::Value::as_array).into_iter().flatten() {
            let lead_to = group.get("lead_to").and_then(toml::Value::as_str).ok_or("`lead_to` is missing")?;
            let words = strings(group, "words")?;
            literals.extend(words.iter().map(|word| ((*word).to_owned(), camel(lead_to))));
        }
    }
    literals.extend(short.iter().map(|(prefix, _)| (prefix.clone(), "ShortToken".to_owned())));
    let mut owners = String::from("&[\n");
    for (place, same) in keywords.chunk_by(|(one, _), (other, _)| one == other).enumerate() {
        literals.push((same[0].0.clone(), format!("Rules({place})")));
        writeln!(owners, "    &{:?},", same.iter().map(|(_, rule)| rule).collect::<Vec<_>>())?;
    }
    owners.push(']');
    fs::write(out.join("rule_keywords.rs"), owners)?;

    let (long, short): (Vec<_>, Vec<_>) = literals.into_iter().partition(|(text, _)| text.len() >= SHORTEST);
    let mut code = format!(
        "/// The place of the first literal that a finder finds.\nconst LONG_FROM: usize = {};\n\
         static LITERALS: &[Literal] = &[\n",
        short.len()
    );
    for (text, anchor) in short.iter().chain(&long) {
        let rank = rank(text);
        writeln!(code, "    Literal {{ text: {text:?}, rank: {rank}, anchor: Anchor::{anchor} }},")?;
    }
    code.push_str("];\n");
    code.push_str(&needles(&short));
    fs::write(out.join("literals.rs"), code)?;
    finders.add("LITERALS", long.iter().map(|(text, _)| text), false)?;
    Ok(())
}

/// How many short literals begin with the same two bytes where these are looked for in place of them: a search takes
/// longer with more needles, and finds more by chance with shorter ones.
const ALIKE: usize = 12;

/// What is looked for in place of the `short` literals, with the places of those that begin so, needles of each length
/// in a list of their own.
fn needles(short: &[(String, String)]) -> String {
    let mut needles: Vec<(&str, Vec<usize>)> = Vec::new();
    for (place, (text, _)) in short.iter().enumerate() {
        let pair = text.get(..2).unwrap_or(text);
        let alike = short.iter().filter(|(other, _)| other.starts_with(pair)).count();
        let needle = if alike >= ALIKE { pair } else { text };
        match needles.iter_mut().find(|(known, _)| *known == needle) {
            Some((_, places)) => places.push(place),
            None => needles.push((needle, vec![place])),
        }
    }
    needles.sort_by_key(|(needle, _)| needle.len());
    let list = |alike: &[(&str, Vec<usize>)]| {
        let rows = alike.iter().map(|(needle, places)| format!("({needle:?}, &{places:?})"));
        format!("    &[{}],\n", rows.collect::<Vec<_>>().join(", "))
    };
    let lists: String = needles.chunk_by(|(one, _), (other, _)| one.len() == other.len()).map(list).collect();
    format!(
        "/// What is looked for in place of the short ones.\nstatic NEEDLES: &[&[(&str, &[u16])]] = &[\n{lists}];\n"
    )
}

/// Where in a literal the four bytes are that are rarest together.
fn rank(literal: &str) -> usize {
    let commonness = |part: &[u8]| part.iter().map(|&byte| commonness(byte)).sum::<u32>();
    let parts = literal.as_bytes().windows(SHORTEST).enumerate();
    parts.min_by_key(|(_, part)| commonness(part)).map_or(0, |(at, _)| at)
}

/// How common a byte is in outputs, roughly.
fn commonness(byte: u8) -> u32 {
    match byte {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 10,
        b'd' | b'l' | b'c' | b'u' | b'm' | b'p' | b'h' | b'f' | b'g' => 8,
        b'0'..=b'9' | b'-' | b':' | b'=' | b'"' | b'.' | b'/' | b'_' | b',' => 7,
        b'a'..=b'z' => 5,
        b'A'..=b'Z' => 4,
        _ => 2,
    }
}
