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
