//! Linux, macOS and their relatives.

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
