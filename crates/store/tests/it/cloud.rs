//! Object storage: what is on the server, and what happens when it fails.

use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use offcut_store::conformance::{facts, keep, sample, session};
use offcut_store::faults::Faults;
use offcut_store::{BLOCK, CloudOptions, CloudStore, Facts, Store, Sweep};

fn store(objects: &Arc<InMemory>, options: CloudOptions) -> CloudStore {
    CloudStore::new(objects.clone(), Path::from("p"), "objects".to_owned(), options).unwrap()
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

fn keys(objects: &InMemory) -> Vec<String> {
    let listed = wait(objects.list(None).map_ok(|meta| meta.location.to_string()).try_collect::<Vec<_>>());
    let mut keys = listed.unwrap();
    keys.sort();
    keys
}

#[test]
fn an_artifact_is_two_objects_of_its_session() {
    let objects = Arc::new(InMemory::new());
    let id = keep(&store(&objects, CloudOptions::default()), &session("s"), b"x").id;
    assert_eq!(keys(&objects), [format!("p/sessions/s/data/{id}"), format!("p/sessions/s/meta/{id}")]);
}

#[test]
fn a_large_draft_is_uploaded_in_parts_and_read_back_meanwhile() {
    let objects = Arc::new(InMemory::new());
    let store = store(&objects, CloudOptions::default());
    let content = sample(20 << 20);
    let mut draft = store.draft(&session("s")).unwrap();
    let mut read = vec![0; 1 << 20];
    for part in content.chunks(3 << 20) {
        draft.write(part).unwrap();
        assert_eq!(draft.read_at(0, &mut read).unwrap(), read.len());
        assert!(read == content[..read.len()]);
    }
    let info = draft.commit(facts(&content)).unwrap();
    assert_eq!(info.blake3, blake3::hash(&content).to_hex().as_str());
    let artifact = store.open(&session("s"), &info.id).unwrap();
    let middle = 9 * BLOCK as u64 + 5..(11 << 20) + 5;
    assert!(artifact.read(middle.clone()).unwrap() == content[middle.start as usize..middle.end as usize]);
}

#[test]
fn damage_is_refused_and_the_block_is_named() {
    let objects = Arc::new(InMemory::new());
    let store = store(&objects, CloudOptions::default());
    let mut content = sample(3 * BLOCK);
    let id = keep(&store, &session("s"), &content).id;
    let key = Path::from(format!("p/sessions/s/data/{id}"));
    content[2 * BLOCK] ^= 1;
    wait(objects.put(&key, content.clone().into())).unwrap();
    let artifact = store.open(&session("s"), &id).unwrap();
    assert!(artifact.read(0..BLOCK as u64).is_ok());
    let error = artifact.read(0..u64::MAX).unwrap_err();
    assert!(error.to_string().ends_with("block 2 does not match its hash"), "{error}");
    content.truncate(2 * BLOCK + 7);
    wait(objects.put(&key, content.into())).unwrap();
    assert_eq!(artifact.read(0..u64::MAX).unwrap_err().code(), "corrupt");
    wait(objects.delete(&key)).unwrap();
    assert_eq!(artifact.read(0..u64::MAX).unwrap_err().code(), "corrupt");
}

// Law 8: the N-th call fails, before or after it was made, for every N.
#[test]
fn whichever_call_fails_the_artifact_is_whole_or_not_there() {
    for size in [100, (9 << 20) + 1] {
        let content = sample(size);
        let attempt = |faults: &Arc<Faults>| {
            let objects = Arc::new(InMemory::new());
            let faulty = store(&objects, CloudOptions { faults: Some(faults.clone()), ..CloudOptions::default() });
            let written = faulty.draft(&session("s")).and_then(|mut draft| {
                draft.write(&content)?;
                draft.commit(facts(&content))
            });
            (objects, written)
        };
        let counter = Faults::none();
        attempt(&counter).1.unwrap();
        let calls = counter.seen();
        assert!(calls >= 12, "{calls}");
        for at in 0..calls {
            let (objects, written) = attempt(&Faults::once(at, std::io::ErrorKind::Other));
            let store = store(&objects, CloudOptions { leftover_age: Duration::ZERO, ..CloudOptions::default() });
            let listed = store.list(&session("s")).unwrap();
            match written {
                Ok(info) => {
                    assert_eq!(listed, std::slice::from_ref(&info), "call {at} of {calls}");
                    assert!(store.open(&session("s"), &info.id).unwrap().read(0..u64::MAX).unwrap() == content);
                }
                Err(error) => {
                    assert_eq!((error.code(), listed.len()), ("unavailable", 0), "call {at} of {calls}");
                }
            }
            std::thread::sleep(Duration::from_millis(2));
            store.sweep(&Sweep::default()).unwrap();
            let left = keys(&objects).iter().filter(|key| key.starts_with("p/sessions/")).count();
            assert_eq!(left, 2 * listed.len(), "call {at} of {calls}");
        }
    }
}

#[test]
fn content_of_a_writer_that_died_is_swept_when_it_is_old_enough() {
    let objects = Arc::new(InMemory::new());
    wait(objects.put(&Path::from("p/sessions/s/data/art_1_dead"), b"12345".to_vec().into())).unwrap();
    let young = store(&objects, CloudOptions::default());
    assert_eq!(young.sweep(&Sweep::default()).unwrap().leftovers, 0);
    std::thread::sleep(Duration::from_millis(5));
    let old = store(&objects, CloudOptions { leftover_age: Duration::from_millis(1), ..CloudOptions::default() });
    let swept = old.sweep(&Sweep::default()).unwrap();
    assert_eq!((swept.leftovers, swept.bytes), (1, 5));
}

#[test]
fn a_lease_that_is_not_renewed_runs_out() {
    let objects = Arc::new(InMemory::new());
    let store = store(&objects, CloudOptions::default());
    keep(&store, &session("s"), b"x");
    for key in ["p/sessions/s/owner/attached", "p/sessions/s/lease/art_1_dead-1000"] {
        wait(objects.put(&Path::from(key), Vec::new().into())).unwrap();
    }
    assert!(!store.sessions().unwrap()[0].in_use);
    assert_eq!(store.sweep(&Sweep { abandoned: true, ..Sweep::default() }).unwrap().sessions, 1);
    assert_eq!(keys(&objects), [""; 0]);
}

#[test]
fn a_lease_is_renewed_while_it_is_held() {
    let objects = Arc::new(InMemory::new());
    let store = store(&objects, CloudOptions { lease: Duration::from_secs(2), ..CloudOptions::default() });
    let lease = store.attach(&session("s")).unwrap();
    for _ in 0..10 {
        std::thread::sleep(Duration::from_millis(400));
        assert!(store.sessions().unwrap()[0].in_use);
    }
    drop(lease);
    assert!(!store.sessions().unwrap()[0].in_use);
}

#[test]
fn a_store_may_be_used_and_dropped_inside_another_runtime() {
    wait(async {
        let store = store(&Arc::new(InMemory::new()), CloudOptions::default());
        let info = keep(&store, &session("s"), b"x");
        assert_eq!(store.list(&session("s")).unwrap(), [info]);
    });
}

/// A server that overwrites what is there.
#[derive(Debug)]
struct Overwriting(InMemory);

impl std::fmt::Display for Overwriting {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a server that overwrites")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Overwriting {
    async fn put_opts(
        &self,
        location: &Path,
        payload: object_store::PutPayload,
        _: object_store::PutOptions,
    ) -> object_store::Result<object_store::PutResult> {
        self.0.put(location, payload).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: object_store::PutMultipartOptions,
    ) -> object_store::Result<Box<dyn object_store::MultipartUpload>> {
        self.0.put_multipart_opts(location, options).await
    }

    async fn get_opts(
        &self,
        location: &Path,
        options: object_store::GetOptions,
    ) -> object_store::Result<object_store::GetResult> {
        self.0.get_opts(location, options).await
    }

    fn delete_stream(
        &self,
        locations: futures_util::stream::BoxStream<'static, object_store::Result<Path>>,
    ) -> futures_util::stream::BoxStream<'static, object_store::Result<Path>> {
        self.0.delete_stream(locations)
    }

    fn list(
        &self,
        prefix: Option<&Path>,
    ) -> futures_util::stream::BoxStream<'static, object_store::Result<object_store::ObjectMeta>> {
        self.0.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<object_store::ListResult> {
        self.0.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: object_store::CopyOptions) -> object_store::Result<()> {
        self.0.copy_opts(from, to, options).await
    }
}

#[test]
fn a_server_that_ignores_the_condition_is_refused() {
    let objects = Arc::new(Overwriting(InMemory::new()));
    let store = CloudStore::new(objects, Path::from("p"), "s3://bucket".to_owned(), CloudOptions::default()).unwrap();
    let mut draft = store.draft(&session("s")).unwrap();
    draft.write(b"x").unwrap();
    let error = draft.commit(Facts { ..facts(b"x") }).unwrap_err();
    assert_eq!(error.code(), "unavailable");
    assert!(error.to_string().contains("ignores the condition"), "{error}");
    assert_eq!(store.list(&session("s")).unwrap(), []);
}
