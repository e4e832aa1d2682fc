//! The native module of the npm package `offcut`: the library's own types, and nothing that JavaScript does as well.
//!
//! Bytes are read where Node keeps them; a text is copied once, out of JavaScript's own encoding. What takes time runs
//! in Node's thread pool, so that the event loop stays free. What users import is the TypeScript beside this (`ts`).

mod callback;
mod engine;
mod operation;
mod stream;

/// The version of the package and of the library in it.
#[napi_derive::napi]
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
