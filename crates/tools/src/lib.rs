//! The five tools of a coding agent, native and fast: read, bash, grep, find, ls.
//!
//! A [`Toolbox`] is an [`Offcut`](offcut::Offcut) and a root directory. What a tool prints leaves through that
//! library like any other output: cut by what it is, with the whole kept one call away. Under the profile `paged` the
//! tools page by themselves, and their notices come out to the character.
//!
//! ```
//! use offcut::{Cancel, Offcut};
//! use offcut_tools::{Tool, Toolbox};
//! use serde_json::json;
//!
//! let root = tempfile::tempdir()?;
//! std::fs::write(root.path().join("notes.txt"), "one\ntwo\nthree\n")?;
//! let tools = Toolbox::new(Offcut::builder().in_memory().build()?, root.path());
//!
//! let reply = tools.call(Tool::Grep, &json!({"pattern": "^t"}), &Cancel::new())?;
//! assert_eq!(reply.text(), "notes.txt:2: two\nnotes.txt:3: three");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod process;

mod tool;
mod toolbox;

mod arguments;
mod error;
mod reply;

mod bash;
mod find;
mod grep;
mod ls;
mod read;

mod globs;
mod listing;
mod order;
mod page;
mod place;
mod text;
mod walk;

pub use bash::Bash;
pub use error::ToolError;
pub use find::Find;
pub use grep::Grep;
pub use ls::Ls;
pub use read::Read;
pub use reply::{Content, ToolReply};
pub use tool::{Tool, UnknownTool};
pub use toolbox::Toolbox;
