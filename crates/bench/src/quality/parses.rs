//! Whether a cut of structured data still parses, by parsers that are not ours.

/// The data behind the header of a reply.
fn body(reply: &str) -> &str {
    match reply.split_once('\n') {
        Some((header, rest)) if header.starts_with("[offcut ") => rest,
        _ => reply,
    }
}

/// Whether the reply to an output of this format parses; `None` where the format has no parser here.
pub(crate) fn parses(format: &str, reply: &str) -> Option<bool> {
    let body = body(reply);
    match format {
        "json" => Some(serde_json::from_str::<serde_json::Value>(body).is_ok()),
        "json/ndjson" | "ndjson" => {
            let mut lines = body.lines().filter(|line| !line.trim().is_empty());
            Some(lines.all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()))
        }
        "toml" => None,
        "yaml" => Some(serde_saphyr::from_multiple::<serde_json::Value>(body).is_ok()),
        _ => None,
    }
}
