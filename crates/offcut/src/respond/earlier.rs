//! A command that is run again: what of its output is new, beside the output that it had before.

use offcut_core::notice;
use offcut_core::render::end_line;
use offcut_core::text;
use offcut_store::{ArtifactId, ArtifactInfo};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::ReplyBuilder;
use crate::profile::Profile;

/// How many of the session's newest artifacts are looked at for one of the same command.
const NEWEST: usize = 12;

/// Outputs of more bytes are not compared line by line.
const COMPARED: u64 = 1024 * 1024;

/// Outputs that differ in the middle by more lines than this are not compared there: that would take long, and tell little.
const MIDDLE: usize = 4000;

/// So many places that differ can be named in a line; outputs with more are simply others.
const FEW_PLACES: usize = 6;

/// The outputs are still alike where at most one line in so many differs.
const ONE_IN: usize = 5;

/// What this output is beside the earlier one.
struct Compared {
    earlier: ArtifactId,
    /// The lines that the earlier one does not have, as ranges that count from 1.
    new: Vec<(u64, u64)>,
    /// How many lines of the earlier one are gone.
    gone: u64,
}

impl ReplyBuilder<'_> {
    /// The reply of `auto`, with a line about the same command's earlier output where the two are alike.
    pub(super) fn framed_beside_earlier(&mut self, oversize: Option<u64>) -> String {
        let compared = if oversize.is_some() { None } else { self.compare() };
        let Some(compared) = compared else { return self.framed(oversize) };
        self.begin_storing();
        let Some(id) = self.storage.id() else { return self.framed(oversize) };
        let (this, before) = (self.context.handle(&id), self.context.handle(&compared.earlier));
        let line = notice::run_again(&this, &before, &compared.new, compared.gone);
        let limits = self.plan.limits.clone();
        self.plan.limits = limits.less(text::chars(&line) + 1, 1);
        let mut reply = self.framed(oversize);
        self.plan.limits = limits;
        if self.report.was_truncated && self.storage.info().is_some() {
            end_line(&mut reply);
            reply.push_str(&line);
            self.report.earlier_artifact_id = Some(compared.earlier.to_string());
        }
        reply
    }

    /// Compares the output with the newest one of the same command; none where there is none, or the two are not alike.
    fn compare(&self) -> Option<Compared> {
        let context = self.context;
        // Where equal outputs share an artifact, a conversation is sent again and again, always in the same words.
        let applies = self.plan.profile == Profile::Auto && context.dedup.is_none() && context.policy.tells_changes();
        if !applies || self.call.arguments.is_empty() {
            return None;
        }
        let text = self.document.text().filter(|text| text.len() as u64 <= COMPARED)?;
        let earlier = self.earlier()?;
        let (store, session) = context.store()?;
        let artifact = store.open(session, &earlier.id).ok()?;
        let bytes = artifact.read(0..earlier.extent.bytes).ok()?;
        let (new, gone) = differences(std::str::from_utf8(&bytes).ok()?, text)?;
        Some(Compared { earlier: earlier.id, new, gone })
    }

    /// The newest artifact of the same call.
    fn earlier(&self) -> Option<ArtifactInfo> {
        let (store, session) = self.context.store()?;
        let same = store.newest(session, NEWEST, &|info| {
            info.source.tool == self.call.tool && info.source.arguments == self.call.arguments && !info.unfinished
        });
        same.ok()?.filter(|info| !info.binary && info.extent.bytes <= COMPARED)
    }
}

/// The lines of `now` that `before` does not have, and how many of `before` are gone; none where the two are not alike.
fn differences(before: &str, now: &str) -> Option<(Vec<(u64, u64)>, u64)> {
    let (before, now): (Vec<&str>, Vec<&str>) = (before.lines().collect(), now.lines().collect());
    let same = before.iter().zip(&now).take_while(|(a, b)| a == b).count();
    let (old, new) = (before.get(same..)?, now.get(same..)?);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(..old.len() - tail)?, new.get(..new.len() - tail)?);
    if old.len().max(new.len()) > MIDDLE {
        return None;
    }
    let (mut places, mut changed, mut gone) = (Vec::new(), 0, 0);
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        gone += op.old_range().len();
        let range = op.new_range();
        changed += range.len();
        if !range.is_empty() {
            places.push(((same + range.start + 1) as u64, (same + range.end) as u64));
        }
    }
    let alike = places.len() <= FEW_PLACES && changed.max(gone) * ONE_IN <= now.len();
    alike.then_some((places, gone as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(lines: std::ops::Range<usize>) -> Vec<String> {
        lines.map(|line| format!("line {line}")).collect()
    }

    #[test]
    fn the_lines_that_are_new_are_named_as_they_count_now() {
        let before = numbered(0..100);
        let mut now = before.clone();
        now[9] = "another".to_owned();
        now.insert(50, "one more".to_owned());
        now.remove(80);
        let found = differences(&before.join("\n"), &now.join("\n"));
        assert_eq!(found, Some((vec![(10, 10), (51, 51)], 2)));
    }

    #[test]
    fn equal_outputs_have_nothing_new() {
        let text = numbered(0..100).join("\n");
        assert_eq!(differences(&text, &text), Some((vec![], 0)));
    }

    #[test]
    fn outputs_that_are_not_alike_are_not_compared() {
        let before = numbered(0..100).join("\n");
        assert_eq!(differences(&before, &numbered(500..600).join("\n")), None);
        let every_third: Vec<String> = numbered(0..100)
            .into_iter()
            .enumerate()
            .map(|(at, line)| if at % 3 == 0 { format!("{line}!") } else { line })
            .collect();
        assert_eq!(differences(&before, &every_third.join("\n")), None);
    }
}
