//! Whether a cut of structured data still parses, by parsers that are not ours.

/// The data between header and footer of a reply: lines in brackets around it are not part of it.
fn body(reply: &str) -> &str {
    let start = match reply.find("[Output cut: ") {
        Some(at) => reply.get(at..).and_then(|rest| rest.find('\n')).map_or(0, |end| at + end + 1),
        None => 0,
    };
    let rest = reply.get(start..).unwrap_or_default();
    let end = rest.rfind("\n[Showing lines ").map_or(rest.len(), |at| at + 1);
    rest.get(..end).unwrap_or_default()
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
