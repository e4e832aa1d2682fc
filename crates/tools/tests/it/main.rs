//! The tools over real files, folders and processes.

mod arguments;
mod bash;
mod bench;
mod find;
mod grep;
mod ls;
mod read;
