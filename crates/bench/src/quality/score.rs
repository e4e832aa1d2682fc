//! What one cut did with many items.

use std::collections::BTreeMap;

use serde::Serialize;

use super::measure::{ItemResult, LARGE};
use crate::split::{GroupBy, fold};

/// Means over many items.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Score {
    pub(super) items: usize,
    /// The mean over items of kept weight ÷ weight.
    pub(super) recall: f64,
    /// The share of weight-3 needles that is kept.
    pub(super) critical: f64,
    /// Items that keep no weight-3 needle although they have one.
    pub(super) lost: usize,
    /// The share of labelled blocks that is shown whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) whole_blocks: Option<f64>,
    /// The mean share of the kept text that lies in steps that failed, where the output names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) in_failed_step: Option<f64>,
    /// The mean share of the limit that a cut does not use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unused: Option<f64>,
    /// The mean share of marks and notices in the tokens of a cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frame: Option<f64>,
    /// The mean size of what is shown, in `o200k` tokens.
    pub(super) tokens: f64,
    /// The share of characters that is not shown.
    pub(super) saved: f64,
    /// The share of structured items whose cut parses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parseable: Option<f64>,
    /// The mean time of a cut, in milliseconds.
    pub(super) milliseconds: f64,
}

/// Means over groups of their means: a project with many logs counts as much as one with few.
#[derive(Debug, Serialize)]
pub(super) struct GroupMean {
    pub(super) groups: usize,
    pub(super) recall: f64,
    pub(super) critical: f64,
    /// The lowest recall of a group.
    pub(super) least: f64,
}

/// Which parts are scored by themselves.
#[derive(Debug)]
pub(super) struct Shares {
    pub(super) by: GroupBy,
    pub(super) groups: bool,
    pub(super) folds: Option<u64>,
}

/// A policy's scores: the whole, and its parts.
#[derive(Debug, Serialize)]
pub(super) struct Scores {
    pub(super) policy: String,
    pub(super) all: Option<Score>,
    pub(super) kinds: BTreeMap<String, Score>,
    pub(super) by_project: Option<GroupMean>,
    pub(super) by_tool: Option<GroupMean>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) folds: BTreeMap<String, Score>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) groups: BTreeMap<String, Score>,
}

impl Scores {
    /// Scores over the items that are large enough to be cut.
    pub(super) fn of(policy: &str, rows: &[ItemResult], shares: &Shares) -> Scores {
        let large: Vec<&ItemResult> = rows.iter().filter(|row| row.raw_chars > LARGE).collect();
        let group = |row: &ItemResult| match shares.by {
            GroupBy::Project => row.project.clone(),
            GroupBy::Tool => row.tool.clone(),
        };
        let folds = shares.folds.map(|folds| parts(&large, |row| format!("fold {}", fold(&group(row), folds) + 1)));
        Scores {
            policy: policy.to_owned(),
            all: Score::of(&large),
            kinds: parts(&large, |row| row.kind.clone()),
            by_project: GroupMean::of(&parts(&large, |row| row.project.clone())),
            by_tool: GroupMean::of(&parts(&large, |row| row.tool.clone())),
            folds: folds.unwrap_or_default(),
            groups: if shares.groups { parts(&large, group) } else { BTreeMap::new() },
        }
    }
}

/// The scores of the parts that a key makes.
fn parts(rows: &[&ItemResult], key: impl Fn(&ItemResult) -> String) -> BTreeMap<String, Score> {
    let mut parts: BTreeMap<String, Vec<&ItemResult>> = BTreeMap::new();
    for &row in rows {
        parts.entry(key(row)).or_default().push(row);
    }
    parts.into_iter().filter_map(|(name, rows)| Some((name, Score::of(&rows)?))).collect()
}

impl GroupMean {
    fn of(groups: &BTreeMap<String, Score>) -> Option<GroupMean> {
        let mean = |value: fn(&Score) -> f64| average(groups.values().map(value));
        Some(GroupMean {
            groups: groups.len(),
            recall: mean(|score| score.recall)?,
            critical: mean(|score| score.critical)?,
            least: groups.values().map(|score| score.recall).min_by(f64::total_cmp)?,
        })
    }
}

impl Score {
    fn of(rows: &[&ItemResult]) -> Option<Score> {
        let parseable = average(rows.iter().filter_map(|row| row.parses).map(f64::from));
        let rows: Vec<&&ItemResult> = rows.iter().filter(|row| row.found.weight > 0).collect();
        let sum = |value: fn(&ItemResult) -> u64| rows.iter().map(|row| value(row)).sum::<u64>() as f64;
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let spent = || rows.iter().filter_map(|row| Some((row, row.spent.as_ref()?)));
        let frame = |(row, spent): (&&&ItemResult, &super::measure::Spent)| {
            spent.frame_tokens as f64 / row.tokens.max(1) as f64
        };
        Some(Score {
            items: rows.len(),
            recall: average(rows.iter().map(|row| row.found.kept_weight as f64 / row.found.weight as f64))?,
            critical: share(sum(|row| row.found.kept_critical), sum(|row| row.found.critical)).unwrap_or(1.0),
            lost: rows.iter().filter(|row| row.found.critical > 0 && row.found.kept_critical == 0).count(),
            whole_blocks: share(sum(|row| row.found.whole_blocks), sum(|row| row.found.blocks)),
            in_failed_step: average(spent().filter_map(|(_, spent)| spent.in_failed_step)),
            unused: average(spent().map(|(_, spent)| spent.unused)),
            frame: average(spent().map(frame)),
            tokens: average(rows.iter().map(|row| row.tokens as f64))?,
            saved: 1.0 - share(sum(|row| row.chars), sum(|row| row.raw_chars)).unwrap_or(1.0),
            parseable,
            milliseconds: average(rows.iter().map(|row| row.milliseconds))?,
        })
    }
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
