//! Which items of a corpus are measured: honest splits, by project or by tool, never by file.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};

use crate::corpus::Item;
use crate::failure::Failure;

/// The items of one project, or of one tool, fail alike: they stand on one side of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GroupBy {
    /// The repository or program that was built or tested
    Project,
    /// The test runner, compiler, linter or command that printed it
    Tool,
}

/// A half of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Half {
    A,
    B,
}

/// Which items to measure.
#[derive(Debug, Args)]
pub(crate) struct Split {
    /// Only items of these kinds, separated by commas
    #[arg(long, value_name = "KINDS")]
    pub(crate) kind: Option<String>,
    /// What splits and groups go by
    #[arg(long, value_name = "GROUP", default_value = "project")]
    pub(crate) by: GroupBy,
    /// Only one half of the projects (or tools): write rules beside one, measure on the other
    #[arg(long, value_name = "HALF")]
    pub(crate) half: Option<Half>,
    /// Leave these projects (or tools) out, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) keep_out: Vec<String>,
    /// Only these projects (or tools), separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
}

impl Split {
    /// The items that are asked for. Names that occur nowhere are refused.
    pub(crate) fn of(&self, items: Vec<Item>) -> Result<Vec<Item>, Failure> {
        let groups: BTreeSet<String> = items.iter().map(|item| self.by.of(item).to_owned()).collect();
        for name in self.keep_out.iter().chain(&self.only) {
            if !groups.contains(name) {
                let known: Vec<&str> = groups.iter().map(String::as_str).collect();
                return Err(Failure::usage(format!("no item belongs to `{name}`"))
                    .hint(format!("expected some of {}", known.join(", "))));
            }
        }
        let wanted = |item: &Item| {
            let group = self.by.of(item);
            let named = |names: &[String]| names.iter().any(|name| name == group);
            let half = if fold(group, 2) == 0 { Half::A } else { Half::B };
            !named(&self.keep_out)
                && (self.only.is_empty() || named(&self.only))
                && self.half.is_none_or(|wanted| wanted == half)
        };
        Ok(items.into_iter().filter(wanted).collect())
    }
}

impl GroupBy {
    /// The group of an item.
    pub(crate) fn of(self, item: &Item) -> &str {
        match self {
            GroupBy::Project => item.project(),
            GroupBy::Tool => item.program(),
        }
    }
}

/// The fold that a group belongs to, of so many: a hash of its name (FNV-1a), the same everywhere and for ever.
pub(crate) fn fold(group: &str, folds: u64) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    (group.bytes().fold(0xcbf2_9ce4_8422_2325, mix) >> 7) % folds.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_stays_in_its_fold() {
        assert_eq!(["Atom/atom", "BVLC/caffe", "jekyll/jekyll"].map(|group| fold(group, 2)), [0, 1, 0]);
    }
}
