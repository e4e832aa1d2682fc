//! Statistics for spreadsheets.

use std::io::{self, Write};

use offcut_history::{Counts, Statistics};

use super::StatsBy;

/// Writes a heading, and a line for each group; without groups, one line for all calls.
pub(super) fn write(statistics: &Statistics, by: Option<StatsBy>, out: &mut dyn Write) -> io::Result<()> {
    let name = by.map_or("group", |by| by.heading().trim_start_matches('~'));
    writeln!(
        out,
        "{},calls,truncated,truncation_rate,original_size,truncated_size,size_reduction,original_tokens,\
         truncated_tokens,artifacts,artifact_bytes,redactions,degraded,oversize,median_us,p95_us",
        name.to_lowercase()
    )?;
    match &statistics.groups {
        Some(groups) => groups.iter().try_for_each(|(name, counts)| line(name, counts, out)),
        None => line("total", &statistics.total, out),
    }
}

fn line(name: &str, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
    let Counts {
        calls,
        truncated,
        truncation_rate,
        original_size,
        truncated_size,
        size_reduction,
        original_tokens,
        truncated_tokens,
        artifacts,
        artifact_bytes,
        redactions,
        degraded,
        oversize,
        median_us,
        p95_us,
    } = counts;
    writeln!(
        out,
        "{},{calls},{truncated},{truncation_rate:.4},{original_size},{truncated_size},{size_reduction:.4},\
         {original_tokens},{truncated_tokens},{artifacts},{artifact_bytes},{redactions},{degraded},{oversize},\
         {median_us},{p95_us}",
        field(name)
    )
}

/// A field as RFC 4180 has it. A name that a spreadsheet would take for a formula is a text.
fn field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '@', '\t']) || (text.starts_with('-') && text.len() > 1);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_needed_and_are_never_formulas() {
        assert_eq!(field("bash"), "bash");
        assert_eq!(field("-"), "-");
        assert_eq!(field("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(field("=HYPERLINK(1)"), "'=HYPERLINK(1)");
    }

    #[test]
    fn there_is_a_line_for_each_group_or_one_for_all() {
        let counts = Counts { calls: 2, truncated: 1, truncation_rate: 0.5, ..Counts::default() };
        let groups = std::collections::BTreeMap::from([("bash".to_owned(), counts.clone())]);
        let written = |statistics: &Statistics, by| {
            let mut out = Vec::new();
            write(statistics, by, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let by_tool = written(&Statistics { groups: Some(groups), ..Statistics::default() }, Some(StatsBy::Tool));
        assert!(by_tool.starts_with("tool,calls,truncated,"), "{by_tool}");
        assert!(by_tool.ends_with("\nbash,2,1,0.5000,0,0,0.0000,0,0,0,0,0,0,0,0,0\n"), "{by_tool}");
        let all = written(&Statistics { total: counts, ..Statistics::default() }, None);
        assert!(all.starts_with("group,") && all.contains("\ntotal,2,1,"), "{all}");
    }
}
