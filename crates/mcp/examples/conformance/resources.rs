//! The resources, and the smallest image and sound.

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResponse, ReadResourceResult};
use serde_json::json;

use crate::server::made;

/// One red pixel, as PNG.
pub(crate) const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// No sound at all, as WAV.
pub(crate) const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// The content at an address.
pub(crate) fn read(uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let contents = match (uri, templated(uri)) {
        ("test://static-text", _) => {
            json!({ "uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource." })
        }
        ("test://static-binary", _) => json!({ "uri": uri, "mimeType": "image/png", "blob": PIXEL }),
        ("test://watched-resource", _) => json!({ "uri": uri, "mimeType": "text/plain", "text": "Nothing new." }),
        (_, Some(id)) => {
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
        }
        _ => return Err(not_found(uri)),
    };
    let result: ReadResourceResult = made(json!({ "contents": [contents], "resultType": "complete" }))?;
    Ok(result.into())
}

/// Whether there is something at an address.
pub(crate) fn known(uri: &str) -> Result<(), ErrorData> {
    read(uri).map(|_| ())
}

fn templated(uri: &str) -> Option<&str> {
    uri.strip_prefix("test://template/")?.strip_suffix("/data").filter(|id| !id.is_empty() && !id.contains('/'))
}

fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("Resource not found: {uri}"), Some(json!({ "uri": uri })))
}
