//! The pure part of Offcut: what an output is, and which part of it a model should see.

pub mod text;

pub mod binary;
mod bytes;
pub mod classify;
pub mod clean;

pub mod budget;
mod byte_set;
pub mod causes;
pub mod condensed;
pub mod cut;
mod digits;
pub mod document;
pub mod executor;
pub mod extent;
mod finder;
mod hash;
pub mod hidden;
mod interner;
pub mod json;
pub mod kind;
pub mod limit;
pub mod line;
pub mod notice;
pub mod prescan;
pub mod redact;
pub mod render;
pub mod report;
pub mod retention;
pub mod strategy;
pub mod tokens;
