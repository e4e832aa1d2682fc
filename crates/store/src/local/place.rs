//! Where a local store is: its root and the folders of its sessions, made only when something is to be kept.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use offcut_platform::create_private_folders;

use crate::error::StoreError;
use crate::faults::Faults;
use crate::id::SessionId;
use crate::local::LocalOptions;
use crate::local::account::Tallies;
use crate::local::folder::Folder;
use crate::local::recent::Recent;
use crate::pack::Packing;

/// The root of a local store.
#[derive(Debug)]
pub(super) struct StoreRoot {
    /// A folder that the user named; links on the way to it are his own.
    base: PathBuf,
    /// The way from there to the root, which must be free of links.
    below: Vec<String>,
    root: PathBuf,
    options: LocalOptions,
    recent: Recent,
    tallies: Tallies,
    /// Whether what writers that died left behind was looked for.
    swept: AtomicBool,
}

impl StoreRoot {
    pub(super) fn new(base: &Path, below: &Path, options: LocalOptions) -> Result<StoreRoot, StoreError> {
        let name = |part: &std::ffi::OsStr| part.to_str().map(str::to_owned);
        let parts: Option<Vec<String>> = below
            .components()
            .filter(|part| !matches!(part, std::path::Component::CurDir))
            .map(|part| if let std::path::Component::Normal(part) = part { name(part) } else { None })
            .collect();
        let invalid = || StoreError::InvalidId { what: "folder", id: below.display().to_string() };
        let below = parts.ok_or_else(invalid)?;
        let base = std::path::absolute(base).map_err(|error| StoreError::io("find the folder", base, error))?;
        let root = below.iter().fold(base.clone(), |path, part| path.join(part));
        Ok(StoreRoot {
            base,
            below,
            root,
            options,
            recent: Recent::default(),
            tallies: Tallies::default(),
            swept: AtomicBool::new(false),
        })
    }

    pub(super) fn options(&self) -> &LocalOptions {
        &self.options
    }

    pub(super) fn recent(&self) -> &Recent {
        &self.recent
    }

    pub(super) fn tallies(&self) -> &Tallies {
        &self.tallies
    }

    pub(super) fn faults(&self) -> Option<&Arc<Faults>> {
        self.options.faults.as_ref()
    }

    /// How large contents are stored.
    pub(super) fn packing(&self) -> Packing {
        #[cfg(feature = "zstd")]
        if self.options.compress_large {
            return Packing::Zstd;
        }
        Packing::Plain
    }

    /// Whether this is the first time that somebody asks: leftovers are looked for once.
    pub(super) fn first_large_draft(&self) -> bool {
        !self.swept.swap(true, Ordering::Relaxed)
    }

    /// The path of a session's folder, for messages.
    pub(super) fn path(&self, session: &SessionId) -> PathBuf {
        self.root.join(session.as_str())
    }

    pub(super) fn root_path(&self) -> &Path {
        &self.root
    }

    /// The root, if it is there.
    pub(super) fn root(&self) -> Result<Option<Folder>, StoreError> {
        let mut folder = match Folder::open(&self.base, self.options.faults.clone()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(|error| StoreError::io("open the folder", &self.base, error))?,
        };
        for part in &self.below {
            match present(folder.folder(part))? {
                Some(next) => folder = next,
                None => return Ok(None),
            }
        }
        Ok(Some(folder))
    }

    /// A session's folder, if it is there.
    pub(super) fn session(&self, session: &SessionId) -> Result<Option<Folder>, StoreError> {
        match self.root()? {
            Some(root) => present(root.folder(session.as_str())),
            None => Ok(None),
        }
    }

    /// A session's folder, which is made first if need be.
    pub(super) fn session_or_new(&self, session: &SessionId) -> Result<Folder, StoreError> {
        let root = self.root_or_new()?;
        let folder = root.folder_or_new(session.as_str(), self.options.durable)?;
        folder.close_to_others()?;
        Ok(folder)
    }

    fn root_or_new(&self) -> Result<Folder, StoreError> {
        let error = |error| StoreError::io("open the folder", &self.base, error);
        let mut folder = match Folder::open(&self.base, self.options.faults.clone()) {
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
                create_private_folders(&self.base).map_err(error)?;
                Folder::open(&self.base, self.options.faults.clone()).map_err(error)?
            }
            other => other.map_err(error)?,
        };
        for part in &self.below {
            folder = folder.folder_or_new(part, self.options.durable)?;
        }
        keep_out_of_git(&folder).map_err(|error| folder.error("write", ".gitignore", error))?;
        Ok(folder)
    }
}

/// Artifacts are never to be committed to the project that they lie in.
fn keep_out_of_git(root: &Folder) -> io::Result<()> {
    if root.has(".gitignore")? {
        return Ok(());
    }
    match root.create(".gitignore") {
        Ok(mut file) => root.check("write").and_then(|()| file.write_all(b"*\n")),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// What is missing is `None`; every other error stays one.
pub(super) fn present<T>(result: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
