//! Every store passes the same suite.

mod memory {
    offcut_store::store_conformance!(|| std::sync::Arc::new(offcut_store::MemoryStore::new()));
}

mod local {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use offcut_store::{LocalOptions, LocalStore, Store};

    /// Makes stores in a directory that goes with this value.
    fn stores() -> impl Fn() -> Arc<dyn Store> {
        let (folder, made) = (tempfile::tempdir().unwrap(), AtomicU32::new(0));
        move || {
            let root = folder.path().join(made.fetch_add(1, Ordering::Relaxed).to_string());
            Arc::new(LocalStore::open(root, LocalOptions::default()).unwrap())
        }
    }

    offcut_store::store_conformance!(stores());
}
