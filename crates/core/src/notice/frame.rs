//! The lines around a cut: header, footer, artifact reference, retrieval options.

use super::{FullOutput, Recall, one_line};
use crate::limit::human_size;
use crate::render::{Gap, Rendered};

/// How many ranges of lines a footer lists before it counts the rest.
const LISTED_RANGES: usize = 6;

/// The first line before a cut: `[Output cut: N of M lines shown. Full output: art_…]`.
pub fn header(shown_lines: u64, lines: u64, kept: &FullOutput<'_>) -> String {
    match kept {
        FullOutput::Stored { id, .. } => {
            format!("[Output cut: {shown_lines} of {lines} lines shown. Full output: {id}]")
        }
        FullOutput::Lost(why) => {
            format!(
                "[Output cut: {shown_lines} of {lines} lines shown. Full output was not kept: {}]",
                one_line(why, 160)
            )
        }
    }
}

/// What a footer is made from.
#[derive(Debug, Clone, Copy)]
pub struct Footer<'a> {
    /// The cut it stands under.
    pub rendered: &'a Rendered,
    /// The lines of the whole output.
    pub lines: u64,
    /// Where the whole output is.
    pub kept: &'a FullOutput<'a>,
    /// How to ask for a part of it.
    pub recall: &'a Recall,
    /// Whether a part may be asked for; else the call is the one for the whole.
    pub parts: bool,
}

/// The last line after a cut: which lines are shown, where the whole is, and the call for the largest gap.
pub fn footer(footer: &Footer<'_>) -> String {
    let shown = format!("[Showing lines {} of {}.", ranges(&footer.rendered.shown), footer.lines);
    match footer.kept {
        FullOutput::Lost(why) => format!("{shown} Full output was not kept: {}]", one_line(why, 160)),
        FullOutput::Stored { id, .. } => match footer.rendered.largest_gap() {
            None => format!("{shown} Full output: {id}]"),
            Some(_) if !footer.parts => format!("{shown} Full output: {id} ; {}]", footer.recall.whole(id)),
            Some(gap) => format!("{shown} Full output: {id} ; {}]", gap_call(gap, id, footer.recall)),
        },
    }
}

fn gap_call(gap: &Gap, id: &str, recall: &Recall) -> String {
    if gap.lines.is_empty() {
        recall.bytes(id, gap.bytes.start, gap.bytes.end)
    } else {
        recall.lines(id, gap.lines.start + 1, gap.lines.end)
    }
}

fn ranges(shown: &[(u64, u64)]) -> String {
    let written = |ranges: &[(u64, u64)]| -> String {
        ranges.iter().map(|(first, last)| format!("{first}-{last}")).collect::<Vec<_>>().join(", ")
    };
    if shown.is_empty() {
        return "0-0".to_owned();
    }
    if shown.len() <= LISTED_RANGES {
        return written(shown);
    }
    let (first, rest) = shown.split_at(LISTED_RANGES - 2);
    let last = rest.split_at(rest.len() - 1).1;
    format!("{}, {} more ranges, {}", written(first), rest.len() - 1, written(last))
}

/// What an artifact reference is made from.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'a> {
    /// The artifact's id.
    pub id: &'a str,
    /// What it is about; shortened to 100 characters.
    pub summary: &'a str,
    /// Its media type.
    pub media_type: &'a str,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its tokens.
    pub tokens: u64,
    /// The tool that produced it, with its arguments.
    pub source: &'a str,
    /// When it was created: `2024-11-06 14:22:47 UTC`.
    pub created: &'a str,
}

/// The lines that stand for an artifact, before its view.
pub fn reference(reference: &Reference<'_>) -> String {
    let Reference { id, summary, media_type, bytes, tokens, source, created } = reference;
    let size = human_size(*bytes);
    format!(
        "[Artifact: {id}] {} ({size})\nType: {media_type}\nSize: {size} ({bytes} bytes, ~{tokens} tokens)\n\
         Source: {}\nCreated: {created}",
        one_line(summary, 100),
        one_line(source, 160),
    )
}

/// The lines after an artifact's view where only the whole may be asked for.
pub fn whole_retrieval_option(id: &str, recall: &Recall) -> String {
    format!("Retrieval options:\n- Full content: {}", recall.whole(id))
}

/// The lines after an artifact's view: one call each, which can be made as it stands.
pub fn retrieval_options(id: &str, recall: &Recall, lines: u64, bytes: u64, query: Option<&str>) -> String {
    let mut options = format!(
        "Retrieval options:\n- Full content: {}\n- Line range: {}\n- Byte range: {}\n- Search: {}",
        recall.whole(id),
        recall.lines(id, 1, lines.clamp(1, 100)),
        recall.bytes(id, 0, bytes.min(10240)),
        recall.search(id, "error"),
    );
    if let Some(path) = query {
        options.push_str("\n- JSONPath query: ");
        options.push_str(&recall.query(id, path));
    }
    options
}

/// The error for an output that is larger than anything that may be kept.
pub fn oversize(size: u64, max: u64) -> String {
    let mb = |bytes: u64| format!("{:.1} MB", bytes as f64 / (1024.0 * 1024.0));
    format!(
        "Output size ({}) exceeds maximum artifact size ({}). \
         Raise `max_artifact_size`, or filter or page the output at its source.",
        mb(size),
        mb(max)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(shown: &[(u64, u64)], gaps: Vec<Gap>) -> Rendered {
        Rendered { shown: shown.to_vec(), gaps, ..Rendered::default() }
    }

    #[test]
    fn the_footer_names_the_largest_gap_in_a_call_that_can_be_made() {
        let rendered = rendered(
            &[(1, 10), (91, 100)],
            vec![
                Gap { bytes: 20..30, lines: 10..11, chars: 10, whole_lines: true },
                Gap { bytes: 40..400, lines: 12..90, chars: 360, whole_lines: true },
            ],
        );
        let kept = FullOutput::Stored { id: "art_1_a", path: None };
        let mut line = Footer { rendered: &rendered, lines: 100, kept: &kept, recall: &Recall::default(), parts: true };
        assert_eq!(
            footer(&line),
            "[Showing lines 1-10, 91-100 of 100. Full output: art_1_a ; \
             get_artifact(id=\"art_1_a\", start_line=13, end_line=90)]"
        );
        let shell = Recall::Shell(super::super::Shell::default());
        line.recall = &shell;
        assert_eq!(
            footer(&line),
            "[Showing lines 1-10, 91-100 of 100. Full output: art_1_a ; offcut artifacts show art_1_a --lines 13-90]"
        );
        line.parts = false;
        assert_eq!(
            footer(&line),
            "[Showing lines 1-10, 91-100 of 100. Full output: art_1_a ; offcut artifacts show art_1_a]"
        );
        let lost = FullOutput::Lost("no space left on device");
        line.kept = &lost;
        assert_eq!(
            footer(&line),
            "[Showing lines 1-10, 91-100 of 100. Full output was not kept: no space left on device]"
        );
    }

    #[test]
    fn a_gap_inside_one_line_is_asked_for_in_bytes() {
        let rendered = rendered(&[(1, 1)], vec![Gap { bytes: 60..160, lines: 1..1, chars: 100, whole_lines: false }]);
        let kept = FullOutput::Stored { id: "art_1_a", path: None };
        let line = Footer { rendered: &rendered, lines: 1, kept: &kept, recall: &Recall::default(), parts: true };
        assert_eq!(
            footer(&line),
            "[Showing lines 1-1 of 1. Full output: art_1_a ; get_artifact(id=\"art_1_a\", start_byte=60, end_byte=160)]"
        );
    }

    #[test]
    fn many_ranges_are_counted_rather_than_listed() {
        let shown: Vec<(u64, u64)> = (0..40).map(|n| (n * 10 + 1, n * 10 + 2)).collect();
        assert_eq!(ranges(&shown), "1-2, 11-12, 21-22, 31-32, 35 more ranges, 391-392");
    }

    #[test]
    fn a_reference_has_the_five_lines_of_the_format() {
        let written = reference(&Reference {
            id: "art_1699234567890_a1b2c3d4",
            summary: "50000 users",
            media_type: "application/json",
            bytes: 2_415_919,
            tokens: 603_980,
            source: "http_request GET /api/v1/users?limit=50000",
            created: "2024-11-06 14:22:47 UTC",
        });
        assert_eq!(
            written,
            "[Artifact: art_1699234567890_a1b2c3d4] 50000 users (2.3 MB)\nType: application/json\n\
             Size: 2.3 MB (2415919 bytes, ~603980 tokens)\nSource: http_request GET /api/v1/users?limit=50000\n\
             Created: 2024-11-06 14:22:47 UTC"
        );
    }

    #[test]
    fn an_output_that_is_too_large_names_the_key_to_raise() {
        assert!(
            oversize(20 << 20, 10 << 20).starts_with("Output size (20.0 MB) exceeds maximum artifact size (10.0 MB)")
        );
    }
}
