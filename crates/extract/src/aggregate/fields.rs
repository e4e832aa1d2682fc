//! The values of the keys that are looked at, taken out of a record without making a tree of it.

use std::fmt::{self, Write};

use serde::Deserialize;
use serde::Deserializer;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The values of one record, by the numbers of their keys. Reused from record to record.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    keys: Vec<Key>,
    values: Vec<Field>,
}

/// A value as text; a string without its quotes, anything else as JSON writes it.
#[derive(Debug, Clone, Default)]
struct Field {
    present: bool,
    text: String,
}

#[derive(Debug, Clone)]
struct Key {
    name: String,
    /// The first name of its path, where it is one.
    first: Option<String>,
}

impl Key {
    fn rest(&self) -> &str {
        self.first.as_ref().and_then(|first| self.name.get(first.len() + 1..)).unwrap_or_default()
    }
}

impl Fields {
    pub(super) fn new(keys: &[String]) -> Fields {
        let key =
            |name: &String| Key { name: name.clone(), first: name.split_once('.').map(|(first, _)| first.to_owned()) };
        Fields { keys: keys.iter().map(key).collect(), values: vec![Field::default(); keys.len()] }
    }

    /// The value of a key; none where the record does not have it, or it is `null`.
    pub(super) fn get(&self, key: usize) -> Option<&str> {
        self.values.get(key).filter(|field| field.present).map(|field| field.text.as_str())
    }

    /// Forgets the record before.
    pub(super) fn clear(&mut self) {
        self.values.iter_mut().for_each(|field| field.present = false);
    }

    pub(super) fn set(&mut self, key: usize, value: &str) {
        if let Some(field) = self.values.get_mut(key) {
            field.present = true;
            field.text.clear();
            field.text.push_str(value);
        }
    }

    /// Reads a record.
    pub(super) fn read(&mut self, json: &[u8]) -> serde_json::Result<()> {
        self.clear();
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        deserializer.deserialize_any(Record(self))?;
        deserializer.end()
    }

    /// Takes a value in that several keys, or paths, lead into.
    fn take(&mut self, name: &str, value: &Value) {
        for (key, field) in self.keys.iter().zip(&mut self.values) {
            let found = match &key.first {
                _ if key.name == name => Some(value),
                // A member that has the whole key for its name goes before a path.
                Some(first) if first == name && !field.present => {
                    key.rest().split('.').try_fold(value, |value, name| value.get(name))
                }
                _ => continue,
            };
            field.present = found.is_some_and(|value| !value.is_null());
            field.text.clear();
            match found {
                Some(Value::String(text)) => field.text.push_str(text),
                Some(other) => field.text.push_str(&other.to_string()),
                None => {}
            }
        }
    }
}

/// A whole record. One that is no object has no keys.
struct Record<'f>(&'f mut Fields);

/// What the name of a member asks for.
enum MemberQuery {
    Nothing,
    /// The value of one key as it stands.
    Field(usize),
    /// A value to look into.
    Value(String),
}

impl<'de> Visitor<'de> for Record<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(wanted) = members.next_key_seed(Name(&self.0.keys))? {
            match wanted {
                MemberQuery::Nothing => {
                    members.next_value::<IgnoredAny>()?;
                }
                MemberQuery::Field(key) => match self.0.values.get_mut(key) {
                    Some(field) => members.next_value_seed(Scalar(field))?,
                    None => members.next_value::<IgnoredAny>().map(|_| ())?,
                },
                MemberQuery::Value(name) => {
                    let value: Value = members.next_value()?;
                    self.0.take(&name, &value);
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while members.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// The name of a member.
struct Name<'k>(&'k [Key]);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = MemberQuery;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<MemberQuery, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = MemberQuery;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E>(self, name: &str) -> Result<MemberQuery, E> {
        let mut found = MemberQuery::Nothing;
        for (number, key) in self.0.iter().enumerate() {
            let (exact, into) = (key.name == name, key.first.as_deref() == Some(name));
            if !exact && !into {
                continue;
            }
            found = match found {
                MemberQuery::Nothing if exact && key.first.is_none() => MemberQuery::Field(number),
                _ => MemberQuery::Value(name.to_owned()),
            };
        }
        Ok(found)
    }
}

/// The value of a key.
struct Scalar<'f>(&'f mut Field);

impl Scalar<'_> {
    fn set(self, text: &str) {
        self.0.present = true;
        self.0.text.clear();
        self.0.text.push_str(text);
    }

    fn format(self, value: impl fmt::Display) {
        self.0.present = true;
        self.0.text.clear();
        // Writing to a string does not fail.
        let _ = write!(self.0.text, "{value}");
    }
}

impl<'de> DeserializeSeed<'de> for Scalar<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Scalar<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.set(text);
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.set(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.format(value);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.format(value);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.format(Value::from(value));
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.present = false;
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        let value = Value::deserialize(MapAccessDeserializer::new(members))?;
        self.format(value);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, members: A) -> Result<(), A::Error> {
        let value = Value::deserialize(SeqAccessDeserializer::new(members))?;
        self.format(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, keys: &[&str], expected: &[Option<&str>]) {
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        let mut fields = Fields::new(&keys);
        // What stood there before is forgotten.
        fields.read(br#"{"a":"x","b":"x","a.b":"x"}"#).unwrap();
        fields.read(json.as_bytes()).unwrap();
        let found: Vec<Option<&str>> = (0..keys.len()).map(|key| fields.get(key)).collect();
        assert_eq!(found, expected, "{json}");
    }

    #[test]
    fn values_are_written_as_json_writes_them() {
        let keys = ["a", "b", "c", "d", "e", "f"];
        let json = r#"{"x":[1,{"a":2}],"a":"t\"é","b":12,"c":1.50,"d":null,"e":{"k":[true]},"f":false}"#;
        check(json, &keys, &[Some("t\"é"), Some("12"), Some("1.5"), None, Some(r#"{"k":[true]}"#), Some("false")]);
    }

    #[test]
    fn a_path_leads_into_members_and_a_name_with_dots_goes_before_it() {
        check(r#"{"a":{"b":{"c":1},"d":"x"}}"#, &["a.b.c", "a.d", "a.z"], &[Some("1"), Some("x"), None]);
        check(r#"{"a":{"b":1},"a.b":2}"#, &["a.b"], &[Some("2")]);
        check(r#"{"a.b":2,"a":{"b":1}}"#, &["a.b", "a"], &[Some("2"), Some(r#"{"b":1}"#)]);
    }

    #[test]
    fn the_last_of_equal_names_counts_and_what_is_no_object_has_none() {
        check(r#"{"a":1,"a":2}"#, &["a"], &[Some("2")]);
        check("[1,2]", &["a"], &[None]);
        check("\"a\"", &["a"], &[None]);
        assert!(Fields::new(&[]).read(b"{\"a\":").is_err());
        assert!(Fields::new(&[]).read(b"{} x").is_err());
    }
}
