//! A store by its address.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::StoreError;
use crate::local::{LocalOptions, LocalStore};
use crate::memory::MemoryStore;
use crate::store::Store;

/// Opens the store at an address: a path or `file://` for a local directory, `memory://`, or object storage as
/// `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix`.
///
/// Credentials for object storage come from the environment or the machine, never from the address. Nothing is touched
/// or asked before the first call.
pub fn open(address: &str, options: LocalOptions) -> Result<Arc<dyn Store>, StoreError> {
    match address.split_once("://") {
        None => Ok(Arc::new(LocalStore::open(Path::new(address), options)?)),
        Some(("file", path)) => Ok(Arc::new(LocalStore::open(file_path(address, path)?, options)?)),
        Some(("memory", _)) => Ok(Arc::new(MemoryStore::with_limits(options.limits, options.clock))),
        Some((scheme, _)) => open_cloud(address, scheme, options),
    }
}

/// The path of a `file://` address, which has no host.
fn file_path(address: &str, path: &str) -> Result<PathBuf, StoreError> {
    let path = path.strip_prefix("localhost").unwrap_or(path);
    if path.starts_with('/') {
        return Ok(PathBuf::from(path));
    }
    Err(unusable(address, "a `file://` address needs an absolute path, as in `file:///var/artifacts`"))
}

#[cfg(feature = "cloud")]
fn open_cloud(address: &str, scheme: &str, options: LocalOptions) -> Result<Arc<dyn Store>, StoreError> {
    use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
    use object_store::azure::MicrosoftAzureBuilder;
    use object_store::gcp::GoogleCloudStorageBuilder;

    use crate::cloud::{CloudOptions, CloudStore};

    let url = url::Url::parse(address).map_err(|error| unusable(address, &error.to_string()))?;
    if url.password().is_some() || url.query().is_some() {
        return Err(unusable(address, "credentials and options come from the environment, not from the address"));
    }
    // Whoever has chosen another provider for this process keeps it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let retry = object_store::RetryConfig {
        max_retries: 6,
        retry_timeout: std::time::Duration::from_secs(60),
        ..Default::default()
    };
    let failed = |error: object_store::Error| unusable(address, &error.to_string());
    let objects: Arc<dyn object_store::ObjectStore> = match scheme {
        "s3" | "s3a" => {
            let builder = AmazonS3Builder::from_env().with_url(address).with_retry(retry);
            let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint).unwrap_or_default();
            let loopback = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
            let builder = match loopback.iter().any(|start| endpoint.starts_with(start)) {
                true => builder.with_allow_http(true),
                false => builder,
            };
            Arc::new(builder.build().map_err(failed)?)
        }
        "gs" => {
            Arc::new(GoogleCloudStorageBuilder::from_env().with_url(address).with_retry(retry).build().map_err(failed)?)
        }
        "az" | "abfs" | "abfss" | "azure" => {
            Arc::new(MicrosoftAzureBuilder::from_env().with_url(address).with_retry(retry).build().map_err(failed)?)
        }
        _ => return Err(unusable(address, "known are a path, `file`, `memory`, `s3`, `gs` and `az`")),
    };
    let prefix = object_store::path::Path::from_url_path(url.path());
    let prefix = prefix.map_err(|error| unusable(address, &error.to_string()))?;
    let options = CloudOptions { limits: options.limits, clock: options.clock, ..CloudOptions::default() };
    Ok(Arc::new(CloudStore::new(objects, prefix, address.to_owned(), options)?))
}

#[cfg(not(feature = "cloud"))]
fn open_cloud(address: &str, scheme: &str, _: LocalOptions) -> Result<Arc<dyn Store>, StoreError> {
    let why = match scheme {
        "s3" | "s3a" | "gs" | "az" | "abfs" | "abfss" | "azure" => "this build has no object storage",
        _ => "known are a path, `file` and `memory`",
    };
    Err(unusable(address, why))
}

fn unusable(address: &str, why: &str) -> StoreError {
    // A password in the address must not reach a message.
    let shown = match address.split_once('@') {
        Some((before, after)) if before.contains("://") => {
            format!("{}://…@{after}", before.split("://").next().unwrap_or_default())
        }
        _ => address.to_owned(),
    };
    StoreError::Unavailable { what: format!("a store at `{shown}`"), why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(address: &str) -> Result<String, String> {
        open(address, LocalOptions::default()).map(|store| store.location()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_address_chooses_the_store() {
        assert_eq!(location("/nowhere/artifacts").unwrap(), "/nowhere/artifacts");
        assert_eq!(location("file:///nowhere/artifacts").unwrap(), "/nowhere/artifacts");
        assert_eq!(location("memory://").unwrap(), "memory");
        assert!(location("file://relative").unwrap_err().contains("needs an absolute path"));
        assert!(location("ftp://host/x").unwrap_err().contains("known are a path"));
    }

    #[cfg(feature = "cloud")]
    #[test]
    fn object_storage_is_opened_without_asking_it_anything() {
        assert_eq!(location("s3://bucket/some/prefix").unwrap(), "s3://bucket/some/prefix");
        assert_eq!(location("gs://bucket").unwrap(), "gs://bucket");
    }

    #[cfg(feature = "cloud")]
    #[test]
    fn credentials_in_an_address_are_refused_and_not_repeated() {
        let error = location("s3://key:hunter2@bucket/x").unwrap_err();
        assert!(error.contains("come from the environment") && !error.contains("hunter2"), "{error}");
    }
}
