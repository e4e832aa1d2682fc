//! JSON with comments and trailing commas.

use jsonc_parser::ast::{ObjectPropName, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::Value;

use super::bracketed::{Bracketed, NewItem};
use super::tree::{Body, Member, Node, Step, shown};
use super::{EditError, Format, Splice, line_end, lines, part};

/// What agents accept, and nothing looser: comments and trailing commas.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The file with the places of its parts; `None` where there is nothing but space and comments.
pub(super) fn tree(text: &str) -> Result<Option<Node>, EditError> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options());
    let parsed = parsed.map_err(|error| EditError::at(text, error.range().start, error.kind().to_string()))?;
    parsed.value.map(|value| node(text, &value)).transpose()
}

fn node(text: &str, ast: &Ast<'_>) -> Result<Node, EditError> {
    let range = ast.range();
    let span = range.start..range.end;
    let body = match ast {
        Ast::Object(object) => {
            let mut members: Vec<Member> = Vec::new();
            for property in &object.properties {
                let key = match &property.name {
                    ObjectPropName::String(name) => name.value.to_string(),
                    ObjectPropName::Word(name) => name.value.to_owned(),
                };
                if members.iter().any(|member| member.key == key) {
                    let message = format!("`{key}` stands there twice");
                    return Err(EditError::at(text, property.range.start, message));
                }
                let (start, key_end) = (property.range.start, property.name.range().end);
                members.push(Member { key, start, key_end, node: node(text, &property.value)? });
            }
            Body::Object(members)
        }
        Ast::Array(array) => Body::Array(array.elements.iter().map(|ast| node(text, ast)).collect::<Result<_, _>>()?),
        Ast::StringLit(string) => Body::Scalar(Value::from(string.value.as_ref())),
        Ast::BooleanLit(boolean) => Body::Scalar(Value::from(boolean.value)),
        Ast::NullKeyword(_) => Body::Scalar(Value::Null),
        Ast::NumberLit(number) => {
            let parsed = serde_json::from_str(number.value);
            Body::Scalar(parsed.map_err(|_| EditError::at(text, span.start, "not a number"))?)
        }
    };
    Ok(Node { span, is_block: false, body })
}

/// The splices that add a member to the object at `path`.
pub(super) fn add_member(text: &str, path: &[Step], key: &str, value: &Value) -> Result<Vec<Splice>, EditError> {
    let Some(root) = tree(text)? else {
        let document = render(&serde_json::json!({ key: value }), "", "  ", line_end(text));
        return Ok(vec![Splice::insert(text.len(), document + line_end(text))]);
    };
    add(text, root, path, Some(key), value)
}

/// The splices that add an element to the array at `path`.
pub(super) fn add_element(text: &str, path: &[Step], value: &Value) -> Result<Vec<Splice>, EditError> {
    let root = tree(text)?.ok_or_else(|| EditError::new("the file is empty"))?;
    add(text, root, path, None, value)
}

/// Adds a member with this key, or an element.
fn add(text: &str, root: Node, path: &[Step], key: Option<&str>, value: &Value) -> Result<Vec<Splice>, EditError> {
    let unit = unit(text, &root);
    // A document on one line stays on one line.
    let expands = part(text, root.span.clone()).contains('\n') || root.items().is_empty();
    let node = descend(text, root, path)?;
    let refused = match (&node.body, key) {
        (Body::Object(_), Some(_)) | (Body::Array(_), None) => None,
        (_, Some(_)) => Some("an object"),
        (_, None) => Some("an array"),
    };
    if let Some(what) = refused {
        return Err(EditError::at(text, node.span.start, format!("`{}` is not {what}", shown(path))));
    }
    let name = key.map_or_else(String::new, |key| format!("{}: ", Value::from(key)));
    let in_lines = |indent: &str| format!("{name}{}", render(value, indent, &unit, line_end(text)));
    let inline = format!("{name}{}", inline(value));
    Ok(Bracketed::of(text, Format::Json, &node).add(&NewItem { inline, in_lines: &in_lines, expands, unit: &unit }))
}

/// A value as it is written in the place of the one at `path`.
pub(super) fn in_place_of(text: &str, path: &[Step], value: &Value) -> Result<String, EditError> {
    let root = tree(text)?.ok_or_else(|| EditError::new("the file is empty"))?;
    let unit = unit(text, &root);
    if !part(text, root.span.clone()).contains('\n') {
        return Ok(inline(value));
    }
    let start = descend(text, root, path)?.span.start;
    let line = part(text, lines::start_of_line(text, start)..start);
    let indent: String = line.chars().take_while(|c| [' ', '\t'].contains(c)).collect();
    Ok(render(value, &indent, &unit, line_end(text)))
}

/// The splices that remove what is at `path`.
pub(super) fn remove(text: &str, path: &[Step]) -> Result<Vec<Splice>, EditError> {
    let missing = || EditError::new(format!("no `{}` in it", shown(path)));
    let root = tree(text)?.ok_or_else(missing)?;
    let (last, before) = path.split_last().ok_or_else(missing)?;
    let node = descend(text, root, before)?;
    let at = node.position(last).ok_or_else(missing)?;
    Ok(Bracketed::of(text, Format::Json, &node).remove(at))
}

fn descend(text: &str, root: Node, path: &[Step]) -> Result<Node, EditError> {
    let mut node = root;
    for step in path {
        let start = node.span.start;
        let missing = || EditError::at(text, start, format!("no `{}` in it", shown(path)));
        node = node.into_child(step).ok_or_else(missing)?;
    }
    Ok(node)
}

/// One step of indentation, as the file has it.
fn unit(text: &str, root: &Node) -> String {
    let first = root.items().first().map_or(0, |item| item.start);
    let before = part(text, 0..first);
    let line = before.rfind('\n').map_or("", |newline| part(before, newline + 1..before.len()));
    if !line.is_empty() && line.trim().is_empty() { line.to_owned() } else { "  ".to_owned() }
}

/// A value in lines; an array of plain values stays on one line where it is short.
fn render(value: &Value, indent: &str, unit: &str, newline: &str) -> String {
    const SHORT: usize = 80;
    let is_flat = |values: &[Value]| values.iter().all(|value| !value.is_object() && !value.is_array());
    let below = format!("{indent}{unit}");
    let lines = |items: Vec<String>, open: char, close: char| {
        let items = items.join(&format!(",{newline}{below}"));
        format!("{open}{newline}{below}{items}{newline}{indent}{close}")
    };
    match value {
        Value::Array(values) if values.is_empty() => "[]".to_owned(),
        Value::Array(values) if is_flat(values) && inline(value).len() <= SHORT => inline(value),
        Value::Array(values) => {
            lines(values.iter().map(|value| render(value, &below, unit, newline)).collect(), '[', ']')
        }
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), render(value, &below, unit, newline))
            };
            lines(members.iter().map(member).collect(), '{', '}')
        }
        scalar => scalar.to_string(),
    }
}

/// A value on one line, with a space after each comma and colon.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Array(values) => format!("[{}]", values.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("{}: {}", Value::from(key.as_str()), inline(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}
