//! Flags that several commands share.

use std::path::PathBuf;

use clap::Args;
use offcut_core::kind::Kind;
use offcut_core::limit::Limits;

/// The session, store and configuration of a call.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PlaceFlags {
    /// The session that artifacts belong to [default: $OFFCUT_SESSION, else one per project]
    #[arg(long, value_name = "ID", help_heading = "Place")]
    pub(crate) session: Option<String>,
    /// Store artifacts here: a directory, `temp`, or `none` [default: .offcut/artifacts in the project]
    #[arg(long, value_name = "DIR", help_heading = "Place")]
    pub(crate) store: Option<String>,
    /// Use this configuration file instead of the user's and the project's [default: $OFFCUT_CONFIG]
    #[arg(long, value_name = "FILE", help_heading = "Place")]
    pub(crate) config: Option<PathBuf>,
}

/// How to cut an output.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CutFlags {
    /// Show at most this much: `8000` (characters), `"2000 tokens"`, `30KB`, `"200 lines"`
    #[arg(long, short, value_name = "LIMIT")]
    pub(crate) limit: Option<Limits>,
    /// Treat the output as this kind: json, log, test, diff, code/rust, …
    #[arg(long = "type", value_name = "KIND", value_parser = kind)]
    pub(crate) kind: Option<Kind>,
    /// Cut it with this strategy: auto, none, head, tail, head_tail, lines, element, smart
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Option<String>,
    /// Show the time, job or level that nearly every line begins with on each line, not once in the header
    #[arg(long)]
    pub(crate) keep_prefixes: bool,
    /// Use this set of limits and wordings; `offcut profiles` lists them
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
}

/// Where the reply and its report go.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReplyFlags {
    /// Print the reply and its report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the report to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

/// The tool that made the output.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ToolFlags {
    /// The tool that made the output; selects limits and strategy [default: execute_command]
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The id of the tool call; the profile `bookends` puts it into the name of the file it saves
    #[arg(long, value_name = "ID")]
    pub(crate) call_id: Option<String>,
    /// The arguments of the tool call: JSON, or a command line
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Option<String>,
}

fn kind(name: &str) -> Result<Kind, String> {
    name.parse().map_err(|_| {
        format!(
            "expected one of text, log, test, build, trace, diff, json, ndjson, xml, html, yaml, csv, tsv, markdown, \
             search, listing, or code/LANGUAGE (code/rust), not `{name}`"
        )
    })
}
