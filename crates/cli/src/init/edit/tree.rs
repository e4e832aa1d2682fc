//! What a configuration file says, with the place of each part in its text.

use std::ops::Range;

use serde_json::Value;

/// One step on the way to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::init) enum Step {
    /// The member of an object.
    Key(String),
    /// The element of an array.
    Index(usize),
}

/// A value and its place.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The bytes of the value.
    pub(super) span: Range<usize>,
    /// Whether it is written in lines, without brackets around it.
    pub(super) is_block: bool,
    pub(super) body: Body,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(super) enum Body {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar(Value),
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) key: String,
    /// Where the key begins.
    pub(super) start: usize,
    /// Where the key ends.
    pub(super) key_end: usize,
    pub(super) node: Node,
}

impl Node {
    /// The part of the value that one step leads to.
    pub(super) fn into_child(self, step: &Step) -> Option<Node> {
        match (self.body, step) {
            (Body::Object(members), Step::Key(key)) => {
                members.into_iter().find(|member| member.key == *key).map(|member| member.node)
            }
            (Body::Array(nodes), Step::Index(index)) => nodes.into_iter().nth(*index),
            _ => None,
        }
    }

    /// The value without places.
    pub(super) fn value(&self) -> Value {
        match &self.body {
            Body::Object(members) => {
                members.iter().map(|member| (member.key.clone(), member.node.value())).collect::<Value>()
            }
            Body::Array(nodes) => nodes.iter().map(Node::value).collect(),
            Body::Scalar(value) => value.clone(),
        }
    }

    /// The places of the parts: from key to value for an object, the values of an array.
    pub(super) fn items(&self) -> Vec<Range<usize>> {
        match &self.body {
            Body::Object(members) => members.iter().map(|member| member.start..member.node.span.end).collect(),
            Body::Array(nodes) => nodes.iter().map(|node| node.span.clone()).collect(),
            Body::Scalar(_) => Vec::new(),
        }
    }

    /// The position of the part that `step` leads to.
    pub(super) fn position(&self, step: &Step) -> Option<usize> {
        match (&self.body, step) {
            (Body::Object(members), Step::Key(key)) => members.iter().position(|member| member.key == *key),
            (Body::Array(nodes), Step::Index(index)) => (*index < nodes.len()).then_some(*index),
            _ => None,
        }
    }
}

/// The value at a path.
pub(in crate::init) fn value_at<'a>(root: &'a Value, path: &[Step]) -> Option<&'a Value> {
    path.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(index),
    })
}

pub(super) fn value_at_mut<'a>(root: &'a mut Value, path: &[Step]) -> Option<&'a mut Value> {
    path.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(index),
    })
}

/// Takes out what is at `path`.
pub(super) fn remove_from(root: &mut Value, path: &[Step]) {
    let Some((last, before)) = path.split_last() else { return };
    match (value_at_mut(root, before), last) {
        (Some(Value::Object(members)), Step::Key(key)) => {
            members.shift_remove(key);
        }
        (Some(Value::Array(values)), Step::Index(index)) if *index < values.len() => {
            values.remove(*index);
        }
        _ => {}
    }
}

/// A path as people write it: `hooks.AfterTool.0`.
pub(super) fn shown(path: &[Step]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Key(key) => key.clone(),
        Step::Index(index) => index.to_string(),
    });
    steps.collect::<Vec<_>>().join(".")
}
