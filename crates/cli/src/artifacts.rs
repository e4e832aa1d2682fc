//! `offcut artifacts`: the way back to what was cut off.

mod export;
mod list;
pub(crate) mod read;
mod remove;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::extract::{self, SearchArgs};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct ArtifactsArgs {
    #[command(subcommand)]
    command: ArtifactsCommand,
}

#[derive(Debug, Subcommand)]
enum ArtifactsCommand {
    /// List this session's artifacts
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// Show an artifact's metadata
    Info(list::InfoArgs),
    /// Print an artifact, or a part of it
    Show(read::ShowArgs),
    /// Print the lines of an artifact that match a regular expression
    Grep(read::GrepArgs),
    /// Search this session's artifacts and print the best passages
    Search(SearchArgs),
    /// Print what a JSONPath (RFC 9535) selects in a JSON artifact
    Query(read::QueryArgs),
    /// Copy an artifact to a file
    Export(export::ExportArgs),
    /// Remove single artifacts
    #[command(visible_alias = "remove")]
    Rm(remove::RmArgs),
    /// Remove all of this session's artifacts
    Clean(remove::CleanArgs),
}

/// Runs the subcommand.
pub(crate) fn artifacts(args: &ArtifactsArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        ArtifactsCommand::List(args) => list::list(args),
        ArtifactsCommand::Info(args) => list::info(args),
        ArtifactsCommand::Show(args) => read::show(args),
        ArtifactsCommand::Grep(args) => return read::grep(args),
        ArtifactsCommand::Search(args) => return extract::search(args),
        ArtifactsCommand::Query(args) => read::query(args),
        ArtifactsCommand::Export(args) => export::export(args),
        ArtifactsCommand::Rm(args) => remove::rm(args),
        ArtifactsCommand::Clean(args) => remove::clean(args),
    }
    .map(|()| ExitCode::SUCCESS)
}
