//! Where artifacts live: what a tool printed, kept whole, one call away.
//!
//! A [`Store`] gives out [`Draft`]s. A draft takes bytes in and, committed, becomes an [`Artifact`]: whole or not there
//! at all, hashed block by block, readable in ranges. Artifacts belong to sessions; no session sees another's.
//!
//! ```
//! use offcut_core::extent::Meter;
//! use offcut_store::{Draft, Facts, MemoryStore, SessionId, Store};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = MemoryStore::new();
//! let session: SessionId = "project".parse()?;
//!
//! let mut draft = store.draft(&session)?;
//! draft.write(b"one\ntwo\n")?;
//! let mut meter = Meter::default();
//! meter.push("one\ntwo\n");
//! let (extent, index) = meter.finish();
//! let info = draft.commit(Facts { extent, index, ..Facts::default() })?;
//!
//! let artifact = store.open(&session, &info.id)?;
//! assert_eq!(artifact.read(4..7)?, b"two");
//! # Ok(())
//! # }
//! ```

mod clock;
mod error;
mod id;
mod limits;

mod artifact;
mod store;

mod blocks;
mod pack;
mod record;

#[cfg(feature = "cloud")]
mod cloud;
mod local;
mod memory;
mod open;

pub mod conformance;
pub mod faults;

pub use artifact::{ArtifactInfo, Facts, Source};
pub use blocks::BLOCK;
pub use clock::Clock;
#[cfg(feature = "cloud")]
pub use cloud::{CloudOptions, CloudStore};
pub use error::StoreError;
pub use id::{ArtifactId, SHORTEST_HANDLE, SessionId};
pub use limits::{Limits, Rate, WhenFull};
pub use local::{LocalOptions, LocalStore};
pub use memory::MemoryStore;
pub use open::open;
pub use store::{Artifact, Cleared, Damaged, Draft, Lease, Progress, SessionInfo, Store, Sweep, Swept, TermMatches};
