//! Artifacts as resources: `offcut://artifact/<id>`, whole or by the arguments of `get_artifact`.

use base64::Engine;
use offcut::Offcut;
use offcut::event::Requester;
use offcut::recall::{Page, RecallError, Request};
use offcut_core::causes::with_causes;
use offcut_store::ArtifactInfo;
use rmcp::ErrorData;
use rmcp::model::{ListResourcesResult, MetaObject, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Map, Value, json};

use super::handler::bad_cursor;

/// What every address starts with.
const SCHEME: &str = "offcut://artifact/";

/// How many artifacts one page of the list has.
const PAGE: usize = 100;

/// Where the address of the next page rides in a content's `_meta`.
const NEXT: &str = "offcut/next";

/// The arguments that an address may have, and whether they are text.
const ARGUMENTS: [(&str, bool); 10] = [
    ("lines", true),
    ("start_line", false),
    ("end_line", false),
    ("start_byte", false),
    ("end_byte", false),
    ("query", true),
    ("pattern", true),
    ("context", false),
    ("max_matches", false),
    ("offset", false),
];

/// One page of the session's artifacts, oldest first. A cursor is the id of the last artifact of the page before, so
/// that artifacts that come or go meanwhile neither repeat nor skip others.
pub(super) fn list(artifacts: &[ArtifactInfo], cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => artifacts
            .iter()
            .position(|artifact| artifact.id.as_str() == cursor)
            .map(|found| found + 1)
            .ok_or_else(|| bad_cursor(cursor))?,
    };
    let page = artifacts.get(start..).unwrap_or_default();
    let (page, rest) = page.split_at(page.len().min(PAGE));
    let mut result = ListResourcesResult::with_all_items(page.iter().map(resource).collect());
    result.next_cursor = page.last().filter(|_| !rest.is_empty()).map(|last| last.id.to_string());
    Ok(result)
}

fn resource(artifact: &ArtifactInfo) -> Resource {
    let source = match artifact.source.arguments.as_str() {
        "" => artifact.source.tool.clone(),
        arguments => format!("{} {arguments}", artifact.source.tool),
    };
    Resource::new(format!("{SCHEME}{}", artifact.id), artifact.id.as_str())
        .with_title(artifact.summary.clone())
        .with_description(offcut_core::text::first_chars(&source, 200))
        .with_mime_type(artifact.media_type.clone())
        .with_size(artifact.extent.bytes)
}

/// The address of any artifact, or of a part of one.
pub(super) fn template() -> ResourceTemplate {
    let names = ARGUMENTS.map(|(name, _)| name).join(",");
    ResourceTemplate::new(format!("{SCHEME}{{id}}{{?{names}}}"), "artifact")
        .with_title("Stored output")
        .with_description("A stored output: whole (in pages), or by one of lines, bytes, JSONPath query, pattern")
}

/// What is at an address: one page, with the address of the next in `_meta`.
pub(super) fn read(offcut: &Offcut, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let request = parse(uri)?;
    let recall = offcut.recall().by(Requester::Model);
    let artifact = recall.open(&request.id).map_err(|error| refused(uri, &error))?;
    let info = artifact.info();
    if info.binary && request.query.is_none() && request.pattern.is_none() {
        return Ok(ReadResourceResult::new(vec![blob(offcut, uri, &request, artifact.as_ref())?]));
    }
    let page = recall.turn(&request).map_err(|error| refused(uri, &error))?;
    let media_type = if page.notice.is_some() { "text/plain" } else { info.media_type.as_str() };
    let contents = ResourceContents::TextResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(media_type.to_owned()),
        text: page.text(),
        meta: next(&page),
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// As much binary content as a page has room for.
fn blob(
    offcut: &Offcut,
    uri: &str,
    request: &Request,
    artifact: &dyn offcut_store::Artifact,
) -> Result<ResourceContents, ErrorData> {
    let size = artifact.info().extent.bytes;
    let start = request.start_byte.unwrap_or(0).min(size);
    // Four letters stand for three bytes.
    let room = (offcut.policy().retrieval_chars() / 4 * 3).max(3);
    let wanted = request.end_byte.unwrap_or(size).clamp(start, size);
    let end = wanted.min(start.saturating_add(room));
    let bytes = artifact.read(start..end).map_err(|error| refused(uri, &error.into()))?;
    let rest = Request { start_byte: Some(end), end_byte: Some(wanted), ..Request::whole(&request.id) };
    Ok(ResourceContents::BlobResourceContents {
        uri: uri.to_owned(),
        mime_type: Some(artifact.info().media_type.clone()),
        blob: base64::engine::general_purpose::STANDARD.encode(bytes),
        meta: (end < wanted).then(|| meta(&rest)),
    })
}

fn next(page: &Page) -> Option<MetaObject> {
    page.next.as_ref().map(meta)
}

fn meta(next: &Request) -> MetaObject {
    let mut meta = MetaObject::new();
    meta.0.insert(NEXT.to_owned(), json!(address(next)));
    meta
}

/// The address of what a request asks for.
fn address(request: &Request) -> String {
    let written = json!(request);
    let mut address = format!("{SCHEME}{}", request.id);
    let mut mark = '?';
    for (name, _) in ARGUMENTS {
        let value = match written.get(name) {
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) => encoded(text),
            Some(other) => other.to_string(),
        };
        address.push(mark);
        address.push_str(&format!("{name}={value}"));
        mark = '&';
    }
    address
}

/// The request that an address stands for.
fn parse(uri: &str) -> Result<Request, ErrorData> {
    let Some(rest) = uri.strip_prefix(SCHEME) else {
        let why = format!("no resource at this address: expected `{SCHEME}<id>`");
        return Err(ErrorData::resource_not_found(why, Some(json!({ "uri": shown(uri) }))));
    };
    let (id, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut arguments = Map::new();
    arguments.insert("id".to_owned(), json!(decoded(id)));
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        arguments.insert(decoded(name), json!(decoded(value)));
    }
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        ErrorData::invalid_params(format!("the address asks for nothing that there is: {error}"), None)
    })
}

fn refused(uri: &str, error: &RecallError) -> ErrorData {
    let data = Some(json!({ "uri": shown(uri), "code": error.code() }));
    match error.status() {
        404 | 410 => ErrorData::resource_not_found(with_causes(error), data),
        500 => ErrorData::internal_error(with_causes(error), data),
        _ if matches!(error, RecallError::InvalidId { .. }) => ErrorData::resource_not_found(with_causes(error), data),
        _ => ErrorData::invalid_params(with_causes(error), data),
    }
}

fn shown(uri: &str) -> &str {
    offcut_core::text::first_chars(uri, 200)
}

/// A text as part of an address.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

/// The text that a part of an address stands for; what is no escape stays as it is.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = after.get(2..).unwrap_or_default();
            }
            (b'+', _, _) => {
                bytes.push(b' ');
                rest = after;
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_comes_back_from_its_address() {
        for request in [
            Request::whole("art_1_a"),
            Request { start_line: Some(3), end_line: Some(9), ..Request::whole("art_1_a") },
            Request { pattern: Some("a+b & c=d%20é".to_owned()), context: Some(2), ..Request::whole("art_1_a") },
            Request { query: Some("$..x[?@.a>'1']".to_owned()), offset: Some(4), ..Request::whole("art_1_a") },
        ] {
            assert_eq!(parse(&address(&request)).unwrap(), request, "{}", address(&request));
        }
    }

    #[test]
    fn an_address_that_is_none_is_refused() {
        assert!(parse("file:///etc/passwd").is_err());
        assert!(parse("offcut://artifact/art_1_a?line=3").unwrap_err().message.contains("unknown field `line`"));
        assert_eq!(decoded("%zz%4"), "%zz%4");
        assert_eq!(decoded("%ff"), "\u{fffd}");
    }

    #[test]
    fn the_list_comes_in_pages_without_a_gap() {
        let offcut = Offcut::builder().in_memory().build().unwrap();
        for n in 0..250 {
            offcut.process(offcut::Call::new("bash"), format!("{n}\n").repeat(9000)).unwrap();
        }
        let artifacts = offcut.recall().list().unwrap();
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let page = list(&artifacts, cursor.as_deref()).unwrap();
            assert!(page.resources.len() <= PAGE);
            seen.extend(page.resources.into_iter().map(|resource| resource.name));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, artifacts.iter().map(|artifact| artifact.id.to_string()).collect::<Vec<_>>());
        assert!(list(&artifacts, Some("art_1_gone")).is_err());
    }

    #[test]
    fn the_pages_of_an_artifact_follow_each_other() {
        let offcut = Offcut::builder().in_memory().build().unwrap().within(4000);
        let text: String = (1..=2000).map(|n| format!("line {n}\n")).collect();
        let id = offcut.process(offcut::Call::new("bash"), &text).unwrap().report.artifact_id.unwrap();
        let (mut uri, mut pages) = (Some(format!("{SCHEME}{id}")), 0);
        while let Some(address) = uri {
            let result = read(&offcut, &address).unwrap();
            let sent = serde_json::to_value(&result.contents).unwrap();
            let first = sent[0]["text"].as_str().unwrap().to_owned();
            assert!(first.len() <= 4000 && first.contains("line "), "{first}");
            pages += 1;
            uri = sent[0]["_meta"][NEXT].as_str().map(str::to_owned);
        }
        assert!(pages > 3, "{pages}");
        let code = read(&offcut, &format!("{SCHEME}art_1_a")).unwrap_err().data.unwrap()["code"].clone();
        assert_eq!(code, "not_found");
    }
}
