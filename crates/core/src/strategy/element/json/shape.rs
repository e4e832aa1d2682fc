//! A line about the shape of a JSON document.

use super::Json;
use crate::strategy::CutError;
use crate::strategy::element::format::Format;
use crate::strategy::element::pieces::read_some;
use crate::strategy::element::tree::{Family, Form, Node};
use crate::text;

/// How long a line of shape may be.
const LONGEST: u64 = 240;

/// The line: how many of what, with which keys, in how many shapes; of the root or of the largest list in it.
pub(super) fn line(json: &mut Json<'_>, root: &Node) -> Result<Option<String>, CutError> {
    if !root.holds() {
        return Ok(None);
    }
    let family = json.family(root)?;
    let line = match root.form {
        Form::Map => {
            let mut line = format!("object of {}: {}", counted(family.count, "key"), keys(json, &family)?);
            let largest = family.children.iter().map(|(node, _)| *node).filter(|node| node.form == Form::List);
            if let Some(list) = largest.max_by_key(|node| (node.bytes(), u64::MAX - node.index)) {
                let members = json.family(&list)?;
                if members.count > 1 {
                    let name = name(json, &list)?;
                    line = format!("{line}; {name}: {}", list_line(json, &members)?);
                }
            }
            line
        }
        _ => list_line(json, &family)?,
    };
    Ok(Some(text::first_chars(&line, LONGEST).to_string()))
}

fn list_line(json: &mut Json<'_>, family: &Family) -> Result<String, CutError> {
    let Some(example) = family.shapes.example else { return Ok(counted(family.count, "item")) };
    let mixed = family.shapes.different;
    let mut line = match example.form {
        Form::Map => {
            let members = json.family(&example)?;
            let kind = if mixed == 1 || family.records { "object" } else { "item" };
            format!("{}; keys {}", counted(family.count, kind), keys(json, &members)?)
        }
        Form::List => counted(family.count, "array"),
        Form::Text => counted(family.count, "string"),
        Form::Scalar => counted(family.count, kind(json, &example)?),
    };
    if mixed > 64 {
        line.push_str("; more than 64 shapes");
    } else if mixed > 1 {
        line.push_str(&format!("; {mixed} shapes"));
    }
    Ok(line)
}

/// The names of a family's first members with their types.
fn keys(json: &mut Json<'_>, family: &Family) -> Result<String, CutError> {
    let mut keys = Vec::new();
    for (node, _) in family.children.iter().take(12) {
        keys.push(format!("{}:{}", name(json, node)?, kind(json, node)?));
    }
    if family.count > keys.len() as u64 {
        keys.push("...".to_string());
    }
    Ok(keys.join(", "))
}

/// A member's name, without its quotes.
fn name(json: &Json<'_>, node: &Node) -> Result<String, CutError> {
    let name = read_some(json.document, node.start..node.value, 64)?;
    let name = name.trim_end_matches([':', ' ', '\t', '\r', '\n']).trim_matches('"');
    Ok(text::first_chars(name, 40).to_string())
}

/// The type of a value in a word.
fn kind(json: &Json<'_>, node: &Node) -> Result<&'static str, CutError> {
    Ok(match node.form {
        Form::Map => "object",
        Form::List => "array",
        Form::Text => "string",
        Form::Scalar => {
            let value = read_some(json.document, node.value..node.end, 40)?;
            match value.as_bytes().first() {
                Some(b't' | b'f') => "bool",
                Some(b'n') => "null",
                _ if value.contains(['.', 'e', 'E']) => "float",
                _ => "int",
            }
        }
    })
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
