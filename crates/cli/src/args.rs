//! The command line as typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use offcut::core::kind::Kind;
use offcut::core::limit::Limits;

use crate::bench::BenchCommand;
use crate::ranges::Span;
use crate::retain::RetainArgs;
use crate::trace::TraceArgs;
use crate::wrap::WrapArgs;

const EXAMPLES: &str = "\
Examples:
  cargo test 2>&1 | offcut        show what matters of it, keep all of it
  offcut run -- cargo test        the same, exit code and order of output kept
  curl -s URL | offcut --tool http_request --limit '2000 tokens'
  offcut artifacts list           what was kept in this project
  offcut artifacts show ID --lines 200-260
  offcut explain build.log        which parts would be shown, and why
  offcut stats --by tool          how much was cut, by tool

An output that fits comes out byte for byte. A longer one is cut to the limit:
the notice names the artifact that holds the whole, and the command that prints
the part that is missing.

Exit codes: 0 success; 1 something failed; 2 wrong arguments or configuration.
`run` exits with the command's own code: 128+n if signal n ended it, 124 if its
time was up, 126 if it cannot be executed, 127 if it is not found.";

/// Hands a model the part of a tool's output that matters, and keeps the rest one call away.
#[derive(Debug, Parser)]
#[command(name = "offcut", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) filter: FilterFlags,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Whose artifacts, and by which configuration.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PlaceFlags {
    /// The session that artifacts belong to [default: $OFFCUT_SESSION, else one for each project]
    #[arg(long, value_name = "ID", help_heading = "Place")]
    pub(crate) session: Option<String>,
    /// Where artifacts are kept: a directory, `temp`, or `none` [default: .offcut/artifacts in the project]
    #[arg(long, value_name = "DIR", help_heading = "Place")]
    pub(crate) store: Option<String>,
    /// A configuration file to use instead of the user's and the project's [default: $OFFCUT_CONFIG]
    #[arg(long, value_name = "FILE", help_heading = "Place")]
    pub(crate) config: Option<PathBuf>,
}

/// How one output is to be cut.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CutFlags {
    /// How much may be shown: `8000` (characters), `"2000 tokens"`, `30KB`, `"200 lines"`
    #[arg(long, short, value_name = "LIMIT")]
    pub(crate) limit: Option<Limits>,
    /// What the output is, if you know better: json, log, test, diff, code/rust, …
    #[arg(long = "type", value_name = "KIND", value_parser = kind)]
    pub(crate) kind: Option<Kind>,
    /// How it is cut: auto, none, head, tail, head_tail, lines, element, smart
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Option<String>,
    /// A set of limits and wordings; `offcut profiles` lists them
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
}

/// What becomes of a reply.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReplyFlags {
    /// Print the reply and its report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the report, as JSON, to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

/// The tool whose output is read.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ToolFlags {
    /// The tool that made the output; it chooses limits and strategy [default: execute_command]
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The arguments that the tool was called with: JSON, or a command line
    #[arg(long, value_name = "JSON")]
    pub(crate) args: Option<String>,
}

/// The flags of the filter.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FilterFlags {
    #[command(flatten)]
    pub(crate) cut: CutFlags,
    #[command(flatten)]
    pub(crate) tool: ToolFlags,
    #[command(flatten)]
    pub(crate) reply: ReplyFlags,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a command and show what matters of its output
    Run(RunArgs),
    /// Look at what was kept
    Artifacts(ArtifactsArgs),
    /// Ask an artifact a question
    Extract(crate::extract::ExtractArgs),
    /// Show which parts of a file would be kept, and why
    Explain(ExplainArgs),
    /// Show, check or start a configuration
    Config(ConfigArgs),
    /// List the profiles
    Profiles(ProfilesArgs),
    /// Count what was cut, kept and fetched
    Stats(StatsArgs),
    /// Tell who created and fetched what, how many secrets were taken out, and what was refused
    Audit(AuditArgs),
    /// Take secrets out of what is piped in, and do nothing else
    Redact(RedactArgs),
    /// Offer the tools of a coding agent over MCP, with outputs cut and kept
    Mcp(crate::mcp::McpArgs),
    /// Take old tool results out of a conversation, and keep the whole of each
    Retain(RetainArgs),
    /// Print the whole of a tool result that was taken out of a conversation
    Trace(TraceArgs),
    /// Serve over HTTP: the tools over MCP, and a proxy in front of a language model
    Serve(crate::serve::ServeArgs),
    /// Stand between an MCP client and any MCP server, and cut its oversized results
    Wrap(WrapArgs),
    /// Measure how much of what a model needs is still shown
    Bench {
        #[command(subcommand)]
        command: BenchCommand,
    },
    /// Print a completion script for a shell
    Completions {
        /// bash, elvish, fish, powershell or zsh
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Write a page for each command to this directory instead
        directory: Option<PathBuf>,
    },
}

const RUN_EXAMPLES: &str = "\
Examples:
  offcut run -- cargo test
  offcut run --limit 4000 --timeout 10m -- npm run build
  offcut run -- sh -c 'make 2>&1 | tee build.log'

On a terminal the output streams by, and a notice follows if it was cut. In a
pipe only the reply is printed. Ctrl-C reaches the command; what there was until
then still becomes a reply.";

#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) cut: CutFlags,
    #[command(flatten)]
    pub(crate) tool: ToolFlags,
    #[command(flatten)]
    pub(crate) reply: ReplyFlags,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
    /// End the command, and what it started, after this time: `90`, `90s`, `10m`, `1h`
    #[arg(long, value_name = "TIME", value_parser = crate::duration::parse)]
    pub(crate) timeout: Option<std::time::Duration>,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct ArtifactsArgs {
    #[command(subcommand)]
    pub(crate) command: ArtifactsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ArtifactsCommand {
    /// List this session's artifacts
    #[command(visible_alias = "ls")]
    List {
        /// Print an array of JSON objects
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: PlaceFlags,
    },
    /// Tell what is known about an artifact
    Info {
        /// The artifact's id, or `last`
        id: String,
        /// Print a JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: PlaceFlags,
    },
    /// Print an artifact, or a part of it
    Show(ShowArgs),
    /// Print the lines of an artifact that match a regular expression
    Grep(GrepArgs),
    /// Print the passages of this session's artifacts that fit some words best
    Search(crate::extract::SearchArgs),
    /// Print what a JSONPath (RFC 9535) selects in an artifact of JSON
    Query(QueryArgs),
    /// Copy an artifact to a file
    Export {
        /// The artifact's id, or `last`
        id: String,
        /// The file to write
        file: PathBuf,
        /// Replace the file if it is there
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        place: PlaceFlags,
    },
    /// Remove this session's artifacts
    Clean(CleanArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CleanArgs {
    /// Remove every session's artifacts
    #[arg(long, visible_alias = "force")]
    pub(crate) all: bool,
    /// Remove what is older than this, in every session: `7d`, `12h`
    #[arg(long, value_name = "TIME", value_parser = crate::duration::parse, conflicts_with = "all")]
    pub(crate) older_than: Option<std::time::Duration>,
    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct GrepArgs {
    /// The artifact's id, or `last`
    pub(crate) id: String,
    /// The regular expression
    pub(crate) pattern: String,
    /// Lines to print before and after each match
    #[arg(long, short = 'C', value_name = "N", default_value_t = 0)]
    pub(crate) context: u64,
    /// Print at most so many matches
    #[arg(long, short, value_name = "N")]
    pub(crate) max: Option<u64>,
    /// Take upper and lower case for the same
    #[arg(long, short)]
    pub(crate) ignore_case: bool,
    /// Search only these lines: `200-260`, `200-`
    #[arg(long, value_name = "A-B")]
    pub(crate) lines: Option<Span>,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// The artifact's id, or `last`
    pub(crate) id: String,
    /// The JSONPath: `$.items[?@.error].name`
    pub(crate) path: String,
    /// Pass over the first so many nodes
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u64,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The artifact's id, or `last`
    pub(crate) id: String,
    /// Only these lines, the first being 1: `200-260`, `200-`, `200`
    #[arg(long, value_name = "A-B", group = "part")]
    pub(crate) lines: Option<Span>,
    /// Only these bytes, the first being 0, the last not included: `0-10240`
    #[arg(long, value_name = "A-B", group = "part")]
    pub(crate) bytes: Option<Span>,
    /// Only the last so many lines
    #[arg(long, value_name = "N", group = "part")]
    pub(crate) tail: Option<u64>,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The file to look at; `-` for stdin
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) cut: CutFlags,
    #[command(flatten)]
    pub(crate) tool: ToolFlags,
    /// Print the pieces and the report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Of each omitted part show only so many lines at its beginning and end
    #[arg(long, value_name = "N")]
    pub(crate) context: Option<u64>,
    /// A configuration file to use instead of the user's and the project's [default: $OFFCUT_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every value that holds here, and where it comes from
    Show {
        /// Print a JSON object
        #[arg(long)]
        json: bool,
        /// Only what differs from the built-in values
        #[arg(long)]
        changed: bool,
        /// Use this profile
        #[arg(long, value_name = "NAME")]
        profile: Option<String>,
        #[command(flatten)]
        place: PlaceFlags,
    },
    /// Check a configuration file, or all that hold here
    Check {
        /// The file [default: the user's and the project's]
        file: Option<PathBuf>,
    },
    /// Print the JSON Schema of a configuration file
    Schema,
    /// Write a configuration file to start from
    Init {
        /// The file [default: offcut.toml in the project]
        file: Option<PathBuf>,
        /// Replace the file if it is there
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ProfilesArgs {
    /// Print an array of JSON objects
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// A row for each of these
    #[arg(long, value_enum)]
    pub(crate) by: Option<StatsBy>,
    /// Only what happened in this time before now (`24h`, `7d`), or since this date (`2026-11-01`)
    #[arg(long, value_name = "TIME", value_parser = crate::duration::since)]
    pub(crate) since: Option<u64>,
    /// Print a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

/// What statistics are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum StatsBy {
    /// The tool whose output it was.
    Tool,
    /// The kind of content.
    Kind,
    /// The strategy that was used.
    Strategy,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// Only what happened in this time before now (`24h`, `7d`), or since this date (`2026-11-01`)
    #[arg(long, value_name = "TIME", value_parser = crate::duration::since)]
    pub(crate) since: Option<u64>,
    /// Only entries of this kind
    #[arg(long, value_enum)]
    pub(crate) kind: Option<AuditKind>,
    /// Print a JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
}

/// What an entry of the audit log is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum AuditKind {
    /// An artifact was created.
    Creation,
    /// An artifact was asked for.
    Retrieval,
    /// Secrets were found in an output.
    Redaction,
    /// An id was refused.
    Refusal,
    /// An output was larger than anything that may be kept.
    Oversize,
}

const REDACT_EXAMPLES: &str = "\
Examples:
  kubectl get secret -o yaml | offcut redact
  offcut redact --mode report < build.log > /dev/null

What comes in leaves as text: `[REDACTED: KIND]` stands where a secret was. Bytes
that are not UTF-8 become U+FFFD, and what only a terminal understands (colours,
progress lines) is resolved first, so that it cannot hide a secret. Nothing is
kept or logged.";

#[derive(Debug, Args)]
#[command(after_help = REDACT_EXAMPLES)]
pub(crate) struct RedactArgs {
    /// Write how many secrets of each kind there were, as JSON, to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Whether secrets are taken out, or only counted
    #[arg(long, value_enum, default_value = "on")]
    pub(crate) mode: RedactMode,
    /// Tell secrets of a kind apart: `[REDACTED: AWS_KEY #2]`
    #[arg(long)]
    pub(crate) numbered: bool,
    /// Do not tell the counts on stderr
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// The tool whose rules hold
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// A configuration file to use instead of the user's and the project's [default: $OFFCUT_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Whether secrets are taken out or only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum RedactMode {
    /// Taken out, and counted.
    On,
    /// Counted only.
    Report,
}

fn kind(name: &str) -> Result<Kind, String> {
    name.parse().map_err(|_| {
        format!(
            "expected one of text, log, test, build, trace, diff, json, ndjson, xml, html, yaml, csv, tsv, markdown, \
             search, listing, or code/LANGUAGE (code/rust), not `{name}`"
        )
    })
}
