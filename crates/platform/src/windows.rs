//! Windows, with what the standard library and the system's own programs offer.
//!
//! A file's readers are named by its access list, which `icacls` writes; who it belongs to cannot be asked, so only what
//! lies in the user's own folder counts as his. Of signals there is Ctrl-C, and processes are ended by `taskkill`.
//!
//! All of this type-checks, and none of it was ever run. A file's lock keeps others from reading and writing it here,
//! which the store does not expect of one.

pub(crate) mod desktop;
pub(crate) mod ending;
pub(crate) mod file;
pub(crate) mod folder;
pub(crate) mod process;
#[cfg(feature = "signals")]
pub(crate) mod signals;
#[cfg(feature = "signals")]
pub(crate) mod stdin;
pub(crate) mod tree;

mod access;
