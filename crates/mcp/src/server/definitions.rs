//! The tools as they are offered to a model, in as few words as will do: a model pays for them in every turn.

use std::sync::Arc;

use offcut_extract as extract;
use offcut_retain::trace;
use offcut_tools::Tool;
use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::GET_ARTIFACT;

/// The arguments whose names do not say enough, by tool.
const TOLD: &[(&str, &str)] = &[("bash", "timeout"), ("grep", "pattern")];

/// The tools, in an order that never changes. All of them are offered from the start: a list that changes in the middle
/// of a conversation empties the provider's prompt cache.
pub(super) fn definitions() -> Vec<Definition> {
    let mut definitions: Vec<Definition> = Tool::ALL.into_iter().map(of_tool).collect();
    definitions.push(get_artifact());
    definitions.push(tool_output());
    let about = "Read a shortened result in full";
    definitions.push(defined(trace::NAME, about, trace::schema(), reading()));
    definitions
}

/// The question tool, whose schema is sent as it is prescribed.
fn tool_output() -> Definition {
    let schema = match extract::definition().schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    let about = "Ask about a stored output, or all: handle=all";
    Definition::new(extract::TOOL_NAME, about, Arc::new(schema)).with_annotations(reading())
}

fn of_tool(tool: Tool) -> Definition {
    let annotations = match tool.reads_only() {
        true => reading(),
        false => ToolAnnotations::new().destructive(true).open_world(true),
    };
    // The rest of it is said once for all tools, in the server's instructions.
    let about = tool.description().split('.').next().unwrap_or_default();
    defined(tool.name(), about, tool.input_schema(), annotations)
}

fn get_artifact() -> Definition {
    let (text, number) = (json!({ "type": "string" }), json!({ "type": "integer" }));
    let mut properties = Map::new();
    for (name, kind) in [
        ("id", &text),
        ("lines", &text),
        ("start_line", &number),
        ("end_line", &number),
        ("start_byte", &number),
        ("end_byte", &number),
        ("query", &text),
        ("pattern", &text),
        ("context", &number),
        ("max_matches", &number),
        ("offset", &number),
    ] {
        properties.insert(name.to_owned(), kind.clone());
    }
    let schema = json!({ "type": "object", "properties": properties, "required": ["id"] });
    let about = "Read kept output: lines, bytes, JSONPath/SQL, regex";
    defined(GET_ARTIFACT, about, schema, reading())
}

/// A tool that changes nothing, and knows nothing but this machine.
fn reading() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}

fn defined(name: &'static str, about: &'static str, schema: Value, annotations: ToolAnnotations) -> Definition {
    Definition::new(name, about, Arc::new(lean(name, schema))).with_annotations(annotations)
}

/// A schema without what is checked, and said, when a call comes.
fn lean(tool: &str, schema: Value) -> JsonObject {
    let Value::Object(mut schema) = schema else { return JsonObject::new() };
    schema.remove("additionalProperties");
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties.iter_mut() {
            let Value::Object(property) = property else { continue };
            property.remove("minimum");
            property.remove("minLength");
            if !TOLD.contains(&(tool, name)) {
                property.remove("description");
            }
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_sees_of_them_takes_two_kilobytes_and_a_half_at_most() {
        // Annotations are for the client.
        let seen = |tool: Definition| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema });
        let seen = Value::from_iter(definitions().into_iter().map(seen)).to_string();
        assert!(seen.len() <= 2560, "{} bytes: {seen}", seen.len());
    }

    #[test]
    fn the_question_tool_takes_what_is_prescribed_and_nothing_else() {
        let tool = definitions().into_iter().find(|tool| tool.name == extract::TOOL_NAME).unwrap();
        let schema = Value::Object((*tool.input_schema).clone());
        assert_eq!(schema["additionalProperties"], false);
        assert_eq!(schema["required"], json!(["handle", "extract"]));
        for key in ["handle", "extract"] {
            assert_eq!(
                (&schema["properties"][key]["type"], &schema["properties"][key]["minLength"]),
                (&json!("string"), &json!(1))
            );
        }
    }

    #[test]
    fn every_tool_says_whether_it_changes_anything() {
        for definition in definitions() {
            let annotations = serde_json::to_value(definition.annotations.unwrap()).unwrap();
            let expected = match definition.name.as_ref() {
                "bash" => json!({ "destructiveHint": true, "openWorldHint": true }),
                _ => json!({ "readOnlyHint": true, "openWorldHint": false }),
            };
            assert_eq!(annotations, expected, "{}", definition.name);
        }
    }

    #[test]
    fn a_schema_has_every_argument_and_its_type() {
        for definition in definitions() {
            let schema = &definition.input_schema;
            assert_eq!(schema.get("type"), Some(&json!("object")), "{}", definition.name);
            let properties = schema.get("properties").and_then(Value::as_object).unwrap();
            let is_told = |property: &Value| property.get("type").or(property.get("enum")).is_some();
            assert!(properties.values().all(is_told), "{}", definition.name);
        }
        let names: Vec<String> = definitions().into_iter().map(|definition| definition.name.into_owned()).collect();
        assert_eq!(names, ["read", "bash", "grep", "find", "ls", "get_artifact", "tool_output", "get_task_trace"]);
    }
}
