//! An object store, called and waited for: a runtime of its own does the work, so that any thread may call.

use std::future::Future;
use std::ops::Range;
use std::sync::{Arc, mpsc};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use tokio::runtime::{Builder, Runtime};

use crate::error::StoreError;
use crate::faults::Faults;

/// How many objects are fetched at a time.
const TOGETHER: usize = 32;

/// Objects, with calls that wait.
#[derive(Debug)]
pub(super) struct Objects {
    store: Arc<dyn ObjectStore>,
    location: String,
    faults: Option<Arc<Faults>>,
    /// Taken only when this value is dropped.
    runtime: Option<Runtime>,
}

impl Objects {
    pub(super) fn new(
        store: Arc<dyn ObjectStore>,
        location: String,
        faults: Option<Arc<Faults>>,
    ) -> Result<Objects, StoreError> {
        let runtime = Builder::new_multi_thread().worker_threads(2).thread_name("offcut-objects").enable_all().build();
        let why = |error: std::io::Error| StoreError::Unavailable { what: location.clone(), why: error.to_string() };
        let runtime = Some(runtime.map_err(why)?);
        Ok(Objects { store, location, faults, runtime })
    }

    pub(super) fn location(&self) -> &str {
        &self.location
    }

    pub(super) fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.store
    }

    /// Starts work that is not waited for here.
    pub(super) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<tokio::task::JoinHandle<T>> {
        self.runtime.as_ref().map(|runtime| runtime.spawn(work))
    }

    /// Does one call and waits for it, also where the caller is itself part of some runtime.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl Future<Output = object_store::Result<T>> + Send + 'static,
    ) -> Result<T, object_store::Error> {
        self.check(doing)?;
        let (done, result) = mpsc::sync_channel(1);
        self.spawn(async move {
            // Nobody waits any more only if the caller panicked.
            let _ = done.send(work.await);
        });
        let result = result.recv().unwrap_or_else(|_| Err(failure("the runtime ended")));
        self.check(doing)?;
        result
    }

    fn check(&self, doing: &str) -> Result<(), object_store::Error> {
        let checked = self.faults.as_deref().map_or(Ok(()), |faults| faults.check(doing));
        checked.map_err(failure)
    }

    /// Creates an object; `false` if it was there already.
    pub(super) fn create(&self, key: &Path, content: Vec<u8>) -> Result<bool, StoreError> {
        let (store, key) = (self.store.clone(), key.clone());
        let put = self.wait("create an object", async move {
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            store.put_opts(&key, PutPayload::from(content), options).await
        });
        match put {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => Ok(false),
            Err(error) => Err(self.error(error)),
        }
    }

    /// An object's content, if it is there.
    pub(super) fn get(&self, key: &Path) -> Result<Option<Bytes>, StoreError> {
        let (store, key) = (self.store.clone(), key.clone());
        self.present(self.wait("get an object", async move { store.get(&key).await?.bytes().await }))
    }

    /// A part of an object's content, if it is there.
    pub(super) fn get_range(&self, key: &Path, range: Range<u64>) -> Result<Option<Bytes>, StoreError> {
        let (store, key) = (self.store.clone(), key.clone());
        self.present(self.wait("get a range", async move { store.get_range(&key, range).await }))
    }

    /// The first `length` bytes of many objects, in order; `None` for what is not there.
    pub(super) fn get_starts(&self, keys: Vec<Path>, length: usize) -> Result<Vec<Option<Bytes>>, StoreError> {
        let store = self.store.clone();
        let get = move |key: Path| {
            let store = store.clone();
            async move {
                let range = Some(GetRange::Bounded(0..length as u64));
                let got = store.get_opts(&key, GetOptions { range, ..GetOptions::default() }).await;
                match got {
                    Ok(result) => result.bytes().await.map(Some),
                    Err(object_store::Error::NotFound { .. }) => Ok(None),
                    Err(error) => Err(error),
                }
            }
        };
        let all = stream::iter(keys.into_iter().map(get)).buffered(TOGETHER).try_collect();
        self.wait("get objects", all).map_err(|error| self.error(error))
    }

    /// Ranges of objects, in order; `None` for what is not there.
    pub(super) fn get_ranges(&self, wanted: Vec<(Path, Range<u64>)>) -> Result<Vec<Option<Bytes>>, StoreError> {
        let store = self.store.clone();
        let get = move |(key, range): (Path, Range<u64>)| {
            let store = store.clone();
            async move {
                match store.get_range(&key, range).await {
                    Ok(bytes) => Ok(Some(bytes)),
                    Err(object_store::Error::NotFound { .. }) => Ok(None),
                    Err(error) => Err(error),
                }
            }
        };
        let all = stream::iter(wanted.into_iter().map(get)).buffered(TOGETHER).try_collect();
        self.wait("get ranges", all).map_err(|error| self.error(error))
    }

    /// Whether an object is there.
    pub(super) fn exists(&self, key: &Path) -> Result<bool, StoreError> {
        let (store, key) = (self.store.clone(), key.clone());
        Ok(self.present(self.wait("look for an object", async move { store.head(&key).await }))?.is_some())
    }

    /// Deletes an object; one that is not there is fine.
    pub(super) fn delete(&self, key: &Path) -> Result<(), StoreError> {
        let (store, key) = (self.store.clone(), key.clone());
        self.present(self.wait("delete an object", async move { store.delete(&key).await })).map(|_| ())
    }

    /// Deletes many objects, with as few requests as the server allows; those that are not there are fine.
    pub(super) fn delete_all(&self, keys: Vec<Path>) -> Result<(), StoreError> {
        if keys.is_empty() {
            return Ok(());
        }
        let deleted = delete_all(self.store.clone(), keys);
        self.wait("delete objects", deleted).map_err(|error| self.error(error))
    }

    /// Replaces an object, or creates it.
    pub(super) fn replace(&self, key: &Path, content: Vec<u8>) -> Result<(), StoreError> {
        let (store, key) = (self.store.clone(), key.clone());
        let put = self.wait("replace an object", async move { store.put(&key, PutPayload::from(content)).await });
        put.map(|_| ()).map_err(|error| self.error(error))
    }

    /// The objects below a key, in order.
    pub(super) fn list(&self, below: &Path) -> Result<Vec<ObjectMeta>, StoreError> {
        let (store, below) = (self.store.clone(), below.clone());
        let listed = self.wait("list objects", async move { store.list(Some(&below)).try_collect::<Vec<_>>().await });
        let mut metas = listed.map_err(|error| self.error(error))?;
        metas.sort_by(|a, b| a.location.cmp(&b.location));
        Ok(metas)
    }

    /// The names right below a key that have something below them, in order.
    pub(super) fn folders(&self, below: &Path) -> Result<Vec<String>, StoreError> {
        let (store, below) = (self.store.clone(), below.clone());
        let listed = self.wait("list sessions", async move { store.list_with_delimiter(Some(&below)).await });
        let prefixes = listed.map_err(|error| self.error(error))?.common_prefixes;
        let mut names: Vec<String> = prefixes.iter().filter_map(|path| path.filename().map(str::to_owned)).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn present<T>(&self, result: Result<T, object_store::Error>) -> Result<Option<T>, StoreError> {
        match result {
            Ok(found) => Ok(Some(found)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.error(error)),
        }
    }

    /// What the server said, as an outcome.
    pub(super) fn error(&self, error: object_store::Error) -> StoreError {
        let place = || self.location.clone();
        match error {
            object_store::Error::PermissionDenied { .. } => {
                let source = std::io::Error::new(std::io::ErrorKind::PermissionDenied, error.to_string());
                StoreError::ReadOnly { place: place(), source }
            }
            object_store::Error::Unauthenticated { .. } => {
                StoreError::Unavailable { what: place(), why: "the server does not accept the credentials".to_owned() }
            }
            other => StoreError::Unavailable { what: place(), why: other.to_string() },
        }
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // Waiting for the runtime's threads is not allowed inside another runtime, and nothing is left to wait for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Deletes objects; those that are not there are fine.
pub(super) async fn delete_all(store: Arc<dyn ObjectStore>, keys: Vec<Path>) -> object_store::Result<()> {
    let mut deleted = store.delete_stream(stream::iter(keys.into_iter().map(Ok)).boxed());
    while let Some(result) = deleted.next().await {
        match result {
            Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn failure(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> object_store::Error {
    object_store::Error::Generic { store: "offcut", source: why.into() }
}
