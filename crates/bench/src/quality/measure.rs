//! What one cut did with one item.

use std::io::Write;
use std::ops::Range;
use std::time::Instant;

use offcut::options::Options;
use offcut::{Call, Explanation, Offcut};
use offcut_core::cut::Piece;
use offcut_core::limit::{Limits, Unit};
use offcut_core::notice::{Recall, Shell};
use offcut_core::text;
use offcut_core::tokens::{TokenCounter, Tokenizer};
use serde::Serialize;

use super::baselines::Baseline;
use super::parses::parses;
use crate::corpus::{Item, NeedlesFound};
use crate::failure::Failure;
use crate::steps;

/// Items up to this size fit anyway and say nothing about a cut.
pub(super) const LARGE: u64 = 8000;

/// One item under one cut.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ItemResult {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) project: String,
    pub(super) tool: String,
    /// The kind that the classifier saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seen_as: Option<String>,
    #[serde(flatten)]
    pub(super) found: NeedlesFound,
    /// Characters of the output.
    pub(super) raw_chars: u64,
    /// Characters of what is shown.
    pub(super) chars: u64,
    /// `o200k` tokens of what is shown.
    pub(super) tokens: u64,
    /// What the room was spent on; for our own cuts only.
    #[serde(flatten)]
    pub(super) spent: Option<Spent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parses: Option<bool>,
    pub(super) milliseconds: f64,
}

/// What the room of a reply was spent on.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Spent {
    /// `o200k` tokens of marks and notices.
    pub(super) frame_tokens: u64,
    /// The share of the limit that is not used.
    pub(super) unused: f64,
    /// The share of the kept text that lies in steps that failed, where the output names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) in_failed_step: Option<f64>,
}

/// Our cuts of all items, in the words that a shell reads.
pub(super) fn own_rows(items: &[Item], limit: &Limits) -> Result<Vec<ItemResult>, Failure> {
    let wording = Recall::Shell(Shell::default());
    let offcut = Offcut::builder().options(Options::default()).wording(wording).in_memory().build()?;
    let mut rows = Vec::new();
    for item in items {
        let call = Call::new(&item.tool).arguments(&item.command).limits(limit.clone());
        let started = Instant::now();
        let mut intake = offcut.intake(call)?;
        intake.reserve(item.bytes.len());
        // An output over the maximum size stops being taken in; its reply says so.
        let _ = intake.write_all(&item.bytes);
        let explanation = intake.finish_explained();
        let milliseconds = started.elapsed().as_secs_f64() * 1000.0;
        let mut row = row(item, &explanation.reply.text, milliseconds);
        row.seen_as = Some(explanation.reply.report.kind.clone());
        if explanation.reply.report.was_truncated {
            row.spent = Some(spent(&explanation, row.tokens, limit.of(Unit::Chars))?);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// A baseline's cuts of all items.
pub(super) fn baseline_rows(items: &[Item], baseline: &Baseline, limit: u64) -> Vec<ItemResult> {
    let cut = |item: &Item| {
        let output = String::from_utf8_lossy(&item.bytes);
        let started = Instant::now();
        let shown = baseline.cut(&output, &item.tool, limit);
        row(item, &shown, started.elapsed().as_secs_f64() * 1000.0)
    };
    items.iter().map(cut).collect()
}

fn row(item: &Item, shown: &str, milliseconds: f64) -> ItemResult {
    ItemResult {
        id: item.id.clone(),
        kind: item.kind.clone(),
        project: item.project().to_owned(),
        tool: item.program().to_owned(),
        seen_as: None,
        found: item.found(shown),
        raw_chars: text::chars(&String::from_utf8_lossy(&item.bytes)),
        chars: text::chars(shown),
        tokens: Tokenizer::O200k.count(shown),
        spent: None,
        parses: parses(&item.content_type, shown),
        milliseconds,
    }
}

fn spent(explanation: &Explanation, tokens: u64, limit: Option<u64>) -> Result<Spent, Failure> {
    let document = explanation.document.as_ref();
    let kept: Vec<Range<u64>> = explanation
        .cut
        .pieces()
        .iter()
        .filter_map(|piece| match piece {
            Piece::Keep { range, .. } => Some(range.clone()),
            Piece::Omit { .. } | Piece::Insert(_) => None,
        })
        .collect();
    let mut own = String::new();
    for range in &kept {
        own.push_str(&document.read(range.clone())?);
    }
    let chars = text::chars(&explanation.reply.text);
    let size = |ranges: &[Range<u64>]| ranges.iter().map(|range| range.end - range.start).sum::<u64>() as f64;
    let failed = steps::failed(document)?;
    let inside: Vec<Range<u64>> = failed.iter().flat_map(|step| kept.iter().map(|kept| common(kept, step))).collect();
    Ok(Spent {
        frame_tokens: tokens.saturating_sub(Tokenizer::O200k.count(&own)),
        unused: limit.map_or(0.0, |limit| limit.saturating_sub(chars) as f64 / limit as f64),
        in_failed_step: (!failed.is_empty() && !own.is_empty()).then(|| size(&inside) / size(&kept)),
    })
}

/// What two ranges have in common; an empty range where that is nothing.
fn common(one: &Range<u64>, other: &Range<u64>) -> Range<u64> {
    let start = one.start.max(other.start);
    start..one.end.min(other.end).max(start)
}
