//! Scores as a table for people.

use std::io::{self, Write};

use super::Measured;
use super::baselines;
use super::score::{GroupMean, Score, Scores};
use crate::table::Table;

const HEADS: [&str; 14] = [
    "part", "policy", "items", "recall", "weight-3", "lost", "blocks", "in step", "unused", "frame", "tokens", "saved",
    "parses", "ms",
];

/// Writes all that was measured: items first, the means last.
pub(super) fn print(out: &mut impl Write, measured: &Measured) -> io::Result<()> {
    print_items(out, measured)?;
    let mut table = Table::new(2, &HEADS);
    let parts = |scores: &Scores| -> Vec<String> {
        let kinds = scores.kinds.keys().filter(|_| scores.kinds.len() > 1);
        kinds.chain(scores.folds.keys()).chain(scores.groups.keys()).cloned().collect()
    };
    let names = measured.policies.first().map(parts).unwrap_or_default();
    for policy in &measured.policies {
        if let Some(all) = &policy.all {
            table.row(cells("all", &policy.policy, all));
        }
    }
    for name in &names {
        for policy in &measured.policies {
            let part = policy.kinds.get(name).or_else(|| policy.folds.get(name)).or_else(|| policy.groups.get(name));
            if let Some(score) = part {
                table.row(cells(name, &policy.policy, score));
            }
        }
    }
    table.write(out)?;
    for policy in &measured.policies {
        for (name, mean) in [("projects", &policy.by_project), ("tools", &policy.by_tool)] {
            if let Some(GroupMean { groups, recall, critical, least }) = mean.as_ref().filter(|mean| mean.groups > 1) {
                let policy = &policy.policy;
                writeln!(
                    out,
                    "{policy}: mean of {groups} {name}: recall {recall:.3}, weight-3 {critical:.3}, least recall {least:.3}"
                )?;
            }
        }
    }
    let named = |name: &str| baselines::ALL.iter().find(|known| known.name == name);
    for baseline in measured.policies.iter().filter_map(|policy| named(&policy.policy)) {
        writeln!(out, "{}: {}", baseline.name, baseline.about)?;
    }
    Ok(())
}

fn cells(part: &str, policy: &str, score: &Score) -> [String; 14] {
    let percent = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{:.1}%", share * 100.0));
    [
        part.to_owned(),
        policy.to_owned(),
        score.items.to_string(),
        format!("{:.3}", score.recall),
        format!("{:.3}", score.critical),
        score.lost.to_string(),
        percent(score.whole_blocks),
        percent(score.in_failed_step),
        percent(score.unused),
        percent(score.frame),
        format!("{:.0}", score.tokens),
        percent(Some(score.saved)),
        percent(score.parseable),
        format!("{:.2}", score.milliseconds),
    ]
}

fn print_items(out: &mut impl Write, measured: &Measured) -> io::Result<()> {
    for row in measured.items.iter().flatten().filter(|row| row.found.weight > 0) {
        let found = &row.found;
        writeln!(
            out,
            "{} ({}, seen as {}): {}/{}, weight-3 {}/{}, blocks {}/{}, {} tokens",
            row.id,
            row.kind,
            row.seen_as.as_deref().unwrap_or("-"),
            found.kept_weight,
            found.weight,
            found.kept_critical,
            found.critical,
            found.whole_blocks,
            found.blocks,
            row.tokens
        )?;
        for missed in &found.missed {
            writeln!(out, "  misses {} ({}): {}", missed.weight, missed.why, missed.text)?;
        }
    }
    Ok(())
}
