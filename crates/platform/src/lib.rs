//! What differs between operating systems, behind one interface.
//!
//! The other crates name no system: what they need of one (files that nobody else reads, folders in which nothing
//! follows a link, process groups, signals) has a name here, and a part for each system keeps its promise. Where a
//! system cannot, the call returns an error that says so, or answers in the way that is safe; each item says which.
//!
//! ```
//! use offcut_platform::{FileAt, create_private};
//!
//! # let directory = tempfile::tempdir()?;
//! let file = create_private(&directory.path().join("notes"))?;
//! file.write_all_at(b"kept", 0)?;
//! # Ok::<(), std::io::Error>(())
//! ```

mod file_at;
mod folder;
mod signal;

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

#[cfg(not(any(unix, windows)))]
compile_error!("offcut-platform has a part for Unix and one for Windows; this system needs one of its own");

pub use file_at::FileAt;
pub use folder::{Access, FolderLock, OpenError, Stamp};
pub use signal::{Ready, ReceivedSignal, Signal};

// Files.
pub use system::file::{
    FileMode, append_private, begin_writing_back, create_private, create_private_folders, file_index, is_foreign,
    is_program, link_count, open_regular, open_without_waiting, symlink, user_tag,
};
// Folders that are held open.
pub use system::folder::{Folder, LockedFolder};
// Processes.
pub use system::desktop::browser;
pub use system::process::{
    Group, ProcessId, has_unread, in_own_group, replace_process, signal_of, wait_readable, wait_unreaped,
};
pub use system::tree::Tree;
// Signals, and a stdin that can be waited for.
#[cfg(feature = "async")]
pub use system::ending::asked_to_end;
pub use system::ending::without_ignored;
#[cfg(feature = "signals")]
pub use system::signals::{Signals, survive_file_limits};
#[cfg(feature = "signals")]
pub use system::stdin::{read_stdin, wait_for_stdin};
