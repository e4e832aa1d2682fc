//! What git prints beside diffs: the newest commits, the branch and the conflicts, the last change, the top authors.

mod authors;
mod blame;
mod history;
mod status;

use crate::line::git::{self, GitForm};
use crate::strategy::Settings;
use crate::strategy::lines::score::scored::{Scored, Scorer};
use crate::strategy::lines::table::Table;
use crate::strategy::lines::weights::git as weights;

/// Weighs the lines of git's output, whatever its form.
pub(in crate::strategy::lines) struct Git;

impl Scorer for Git {
    fn score(&self, table: &Table<'_>, _: &Settings) -> Scored {
        let form = git::form((0..table.len()).map(|row| table.words(row))).unwrap_or(GitForm::History);
        let (units, labels) = match form {
            GitForm::History => history::units(table),
            GitForm::Status => status::units(table),
            GitForm::ShortStatus => status::short_units(table),
            GitForm::Blame => blame::units(table),
            GitForm::Authors => authors::units(table),
            GitForm::Changes => history::changes(table),
            GitForm::Branches => history::branches(table),
        };
        Scored { floor: weights::FLOOR, ..Scored::of_units(units, labels) }
    }
}
