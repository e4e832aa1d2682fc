//! The keys as the JSON Schema of the options tells them, for tests.

use serde_json::Value as Json;

use super::Shape;
use super::table::Rows;

/// The schema of the options.
pub(crate) struct Schema(Json);

impl Schema {
    pub(crate) fn of_options() -> Schema {
        Schema(offcut::options::schema())
    }

    /// The table that it amounts to.
    pub(super) fn rows(&self) -> Rows {
        self.rows_of(&self.0)
    }

    /// The description of a key, by its whole name.
    pub(crate) fn about(&self, key: &str) -> String {
        let below = key.split('.').try_fold(&self.0, |schema, part| {
            let resolved = self.resolve(schema);
            let known = resolved.get("properties").and_then(|properties| properties.get(part));
            known.or_else(|| resolved.get("additionalProperties"))
        });
        let about = below.and_then(|below| below.get("description")?.as_str());
        about.unwrap_or_default().replace('\n', " ")
    }

    fn rows_of(&self, schema: &Json) -> Rows {
        let properties = self.resolve(schema)["properties"].as_object().expect("a table has keys");
        let row = |(name, below): (&String, &Json)| (&*name.clone().leak(), self.shape(below));
        properties.iter().map(row).collect::<Vec<_>>().leak()
    }

    /// The schema behind references, and behind the choice between something and nothing.
    fn resolve<'s>(&'s self, schema: &'s Json) -> &'s Json {
        let reference = schema.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
        if let Some(found) = reference.and_then(|name| self.0.get("$defs")?.get(name)) {
            return self.resolve(found);
        }
        let some = schema.get("anyOf").and_then(Json::as_array).and_then(|any| match any.as_slice() {
            [some, none] if none.get("type").and_then(Json::as_str) == Some("null") => Some(some),
            _ => None,
        });
        some.map_or(schema, |some| self.resolve(some))
    }

    /// The table among the things that a schema leaves a choice between.
    fn table_of(&self, schema: &Json) -> Option<Rows> {
        let any = self.resolve(schema).get("anyOf").and_then(Json::as_array)?;
        any.iter().find_map(|one| match self.shape(one) {
            Shape::Table(rows) => Some(rows),
            _ => None,
        })
    }

    fn shape(&self, schema: &Json) -> Shape {
        let schema = self.resolve(schema);
        if schema.get("properties").is_some() {
            return Shape::Table(self.rows_of(schema));
        }
        if let Some(own) = schema.get("additionalProperties").filter(|own| own.is_object()) {
            return Shape::Open(self.rows_of(own));
        }
        if let Some(choices) = schema.get("oneOf").and_then(Json::as_array) {
            let words = choices.iter().filter_map(|choice| Some(&*choice.get("const")?.as_str()?.to_owned().leak()));
            return Shape::Choice(words.collect::<Vec<_>>().leak());
        }
        let name = match schema.get("type") {
            Some(Json::String(name)) => name.as_str(),
            Some(Json::Array(names)) => {
                names.iter().filter_map(Json::as_str).find(|name| *name != "null").unwrap_or("")
            }
            _ => "",
        };
        match name {
            "boolean" => Shape::Bool,
            "integer" => Shape::Integer,
            "number" => Shape::Number,
            "string" => Shape::Text,
            "array" => match schema.get("items").map(|items| (self.shape(items), self.table_of(items))) {
                Some((Shape::Table(rows), _)) => Shape::Tables(rows),
                Some((_, Some(rows))) => Shape::TextsOrTables(rows),
                _ => Shape::List,
            },
            _ => Shape::Limit,
        }
    }
}
