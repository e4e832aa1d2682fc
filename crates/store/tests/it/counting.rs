//! An object store in memory that counts what it is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::*;

/// What a server was asked, as S3 bills it: a listing is a request for each 1,000 keys, so is a deletion of many.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    put: AtomicU64,
    get: AtomicU64,
    list: AtomicU64,
    delete: AtomicU64,
    read: AtomicU64,
}

/// How often a server was asked, and what it sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) put: u64,
    pub(crate) get: u64,
    pub(crate) list: u64,
    pub(crate) delete: u64,
    /// Bytes.
    pub(crate) read: u64,
}

impl Requests {
    /// What was asked since the last time.
    pub(crate) fn take(&self) -> Asked {
        let take = |number: &AtomicU64| number.swap(0, Ordering::Relaxed);
        Asked {
            put: take(&self.put),
            get: take(&self.get),
            list: take(&self.list),
            delete: take(&self.delete),
            read: take(&self.read),
        }
    }
}

/// The store.
#[derive(Debug, Default)]
pub(crate) struct Counting {
    objects: InMemory,
    pub(crate) requests: Arc<Requests>,
}

impl std::fmt::Display for Counting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("counted objects in memory")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Counting {
    async fn put_opts(&self, location: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.requests.put.fetch_add(1, Ordering::Relaxed);
        self.objects.put_opts(location, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.requests.put.fetch_add(1, Ordering::Relaxed);
        self.objects.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.requests.get.fetch_add(1, Ordering::Relaxed);
        let head = options.head;
        let result = self.objects.get_opts(location, options).await?;
        if !head {
            self.requests.read.fetch_add(result.range.end - result.range.start, Ordering::Relaxed);
        }
        Ok(result)
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let requests = self.requests.clone();
        let mut seen = 0u64;
        let counted = locations.inspect(move |_| {
            if seen.is_multiple_of(1000) {
                requests.delete.fetch_add(1, Ordering::Relaxed);
            }
            seen += 1;
        });
        self.objects.delete_stream(counted.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.requests.list.fetch_add(1, Ordering::Relaxed);
        let requests = self.requests.clone();
        let mut seen = 0u64;
        let counted = self.objects.list(prefix).inspect(move |_| {
            if seen > 0 && seen.is_multiple_of(1000) {
                requests.list.fetch_add(1, Ordering::Relaxed);
            }
            seen += 1;
        });
        counted.boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let listed = self.objects.list_with_delimiter(prefix).await?;
        let keys = (listed.common_prefixes.len() + listed.objects.len()) as u64;
        self.requests.list.fetch_add(keys.div_ceil(1000).max(1), Ordering::Relaxed);
        Ok(listed)
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.objects.copy_opts(from, to, options).await
    }
}
