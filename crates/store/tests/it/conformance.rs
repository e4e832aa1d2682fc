//! Every store passes the same suite.

mod memory {
    use std::sync::Arc;

    use offcut_store::{Clock, MemoryStore};

    offcut_store::store_conformance!(|limits| Arc::new(MemoryStore::with_limits(limits, Clock::system())));
}

mod local {
    use super::stores;

    offcut_store::store_conformance!(stores(|_| {}));
}

mod local_not_durable {
    use super::stores;

    offcut_store::store_conformance!(stores(|options| options.durable = false));
}

mod local_compressed {
    use super::stores;

    offcut_store::store_conformance!(stores(|options| options.compress_large = true));
}

#[cfg(feature = "cloud")]
mod cloud {
    use std::sync::Arc;

    use object_store::memory::InMemory;
    use offcut_store::{CloudOptions, CloudStore};

    offcut_store::store_conformance!(|limits| {
        let options = CloudOptions { limits, ..CloudOptions::default() };
        let prefix = object_store::path::Path::from("some/prefix");
        Arc::new(CloudStore::new(Arc::new(InMemory::new()), prefix, "objects in memory".to_owned(), options).unwrap())
    });
}

/// A real server: `scripts/s3-server.sh run cargo test -p offcut-store --features cloud --test it s3`.
#[cfg(feature = "cloud")]
mod s3 {
    use std::sync::Arc;

    use offcut_store::{ArtifactId, Limits, LocalOptions, Store};

    fn is_there() -> bool {
        let there = std::env::var_os("OFFCUT_TEST_S3").is_some();
        if !there {
            eprintln!("SKIPPED: no server; OFFCUT_TEST_S3 names none (see scripts/s3-server.sh)");
        }
        there
    }

    /// A store below a prefix of its own.
    fn make(limits: Limits) -> Arc<dyn Store> {
        let address = format!("{}/{}", std::env::var("OFFCUT_TEST_S3").unwrap(), ArtifactId::generate().unwrap());
        offcut_store::open(&address, LocalOptions { limits, ..LocalOptions::default() }).unwrap()
    }

    offcut_store::store_conformance!(if is_there(), make);
}

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use offcut_store::{Limits, LocalOptions, LocalStore, Store};

/// Makes local stores in a directory that goes with this value.
fn stores(change: impl Fn(&mut LocalOptions)) -> impl Fn(Limits) -> Arc<dyn Store> {
    let (folder, made) = (tempfile::tempdir().unwrap(), AtomicU32::new(0));
    move |limits| {
        let root = folder.path().join(made.fetch_add(1, Ordering::Relaxed).to_string());
        let mut options = LocalOptions { limits, ..LocalOptions::default() };
        change(&mut options);
        Arc::new(LocalStore::open(root, options).unwrap())
    }
}
