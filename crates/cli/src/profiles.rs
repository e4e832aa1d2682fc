//! `offcut profiles`: the named sets of limits and wordings.

use std::io::{self, BufWriter, Write};

use clap::Args;
use offcut::profile::Profile;
use offcut_core::limit::{Limit, human_size};
use serde::Serialize;

use crate::failure::Failure;
use crate::table::{Table, thousands};

#[derive(Debug, Args)]
pub(crate) struct ProfilesArgs {
    /// Print an array of JSON objects
    #[arg(long)]
    pub(crate) json: bool,
}

/// A profile, for programs.
#[derive(Serialize)]
struct ListedProfile {
    name: &'static str,
    about: &'static str,
    inline_limit: String,
    artifact_threshold: Option<u64>,
    max_artifact_size: String,
    notices_count: bool,
}

/// Prints them.
pub(crate) fn profiles(args: &ProfilesArgs) -> Result<(), Failure> {
    let listed = Profile::ALL.map(|profile| {
        let defaults = profile.defaults();
        ListedProfile {
            name: profile.name(),
            about: profile.about(),
            inline_limit: defaults.limits.to_string(),
            artifact_threshold: defaults.artifact_threshold,
            max_artifact_size: Limit::bytes(defaults.max_artifact_bytes).to_string(),
            notices_count: profile.notices_count(),
        }
    });
    let mut out = BufWriter::new(io::stdout().lock());
    if args.json {
        serde_json::to_writer_pretty(&mut out, &listed)?;
        writeln!(out)?;
    } else {
        let mut table = Table::new(&["Profile", "Limit", ">Reference from", ">Largest", "~About"]);
        for (profile, listed) in Profile::ALL.iter().zip(&listed) {
            table.row([
                listed.name.to_owned(),
                listed.inline_limit.clone(),
                listed.artifact_threshold.map_or_else(|| "-".to_owned(), thousands),
                human_size(profile.defaults().max_artifact_bytes),
                listed.about.to_owned(),
            ]);
        }
        table.write(&mut out)?;
    }
    out.flush()?;
    Ok(())
}
